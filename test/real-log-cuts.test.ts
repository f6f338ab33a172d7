/**
 * Every cut point of some real conversations: the history up to each item, fitted into a small budget as it grows,
 * gives a prompt that fits and that every provider's strict rules accept. Each continues the previous one unless the
 * report has a compaction.
 */
import { beforeEach, describe, expect, test } from "vitest";
import { fit as fitHistory } from "../src/compose.ts";
import { isObject } from "../src/core/check-value.ts";
import { decodeInput } from "../src/core/message/formats/decode-input.ts";
import { PROVIDERS, type Provider } from "../src/core/prompt/provider.ts";
import { renderPrompt } from "../src/core/prompt/render/render-prompt.ts";
import { validate } from "../src/core/prompt/validate/validate.ts";
import type { FitResult } from "../src/engine/fit/fit.ts";
import type { FitState } from "../src/engine/fit/fit-state.ts";
import { everyNth, firstOf } from "./support/property-runs.ts";
import { readClaudeCode, readTauBench, skipWithoutData } from "./support/real-logs.ts";
import { renderUnits } from "./support/render-units.ts";

interface Tally {
  cuts: number;
  violations: string[];
  overBudget: number;
  brokenPrefixes: number;
  compactions: number;
}

describe("every cut point of real logs", () => {
  beforeEach(skipWithoutData);

  test("of tau-bench gives a valid prompt of at most 2,500 tokens that continues the previous one", async () => {
    expectClean(
      await tallyAll(everyNth(readTauBench(), 24), { budgetTokens: 2_500, counter: "estimate", shape: "openai" }),
    );
  });

  test("of claude-code gives a valid prompt of at most 8,000 tokens that continues the previous one", async () => {
    expectClean(
      await tallyAll(everyNth(readClaudeCode(), 32), { budgetTokens: 8_000, counter: "estimate", shape: "anthropic" }),
    );
  });
});

interface Size {
  readonly budgetTokens: number;
  readonly counter: string;
  /** The format of the logs; it is given, because their first items may fit several formats. */
  readonly shape: "openai" | "anthropic";
}

async function tallyAll(
  logs: Iterable<{ readonly name: string; readonly items: readonly unknown[] }>,
  size: Size,
): Promise<Tally> {
  const tally: Tally = { cuts: 0, violations: [], overBudget: 0, brokenPrefixes: 0, compactions: 0 };
  for (const { name, items } of logs) await tallyLog(tally, { name, items: firstOf(items, 230), size });
  return tally;
}

interface Log {
  readonly name: string;
  readonly items: readonly unknown[];
  readonly size: Size;
}

async function tallyLog(tally: Tally, { name, items, size }: Log): Promise<void> {
  const { budgetTokens, counter, shape } = size;
  const format = shape === "openai" ? "openai-chat" : "anthropic";
  let state: FitState | undefined;
  let before: readonly string[] = [];
  for (let length = 1; length <= items.length; length += 1) {
    const fitted: FitResult<unknown> = await fitHistory(items.slice(0, length), {
      budgetTokens,
      counter,
      format,
      state,
    });
    state = fitted.state;
    const { report } = fitted;
    tally.cuts += 1;
    tally.compactions += report.compactions.length;
    if (report.tokens > budgetTokens) tally.overBudget += 1;
    for (const violation of findViolations(fitted, shape)) tally.violations.push(`${name} at ${length}: ${violation}`);
    const units = ownUnits(fitted, shape);
    const isContinued = before.every((unit, index) => units[index] === unit);
    if (report.compactions.length === 0 && !isContinued) tally.brokenPrefixes += 1;
    // A compaction that is not recorded applies to one result only: the next result continues the one before it.
    if (report.compactions.length > 0 && report.compactions.every(({ isRecorded }) => !isRecorded)) continue;
    before = units.slice(0, units.length - report.volatileBlocks);
  }
}

/** Checks that the result is valid in the caller's format, and when it is rendered for each provider. */
function findViolations({ messages, report }: FitResult<unknown>, shape: Provider): readonly string[] {
  const decoded = decodeInput(messages, { fallbackId: (index) => `m${index}`, format: report.format }).messages.flat();
  const rendered = PROVIDERS.map((provider) => ({
    provider,
    body: renderPrompt({ instructions: undefined, messages: decoded, provider }),
  }));
  return [{ provider: shape, body: messages }, ...rendered].flatMap(({ provider, body }) =>
    validate(body, provider).map(({ rule, path }) => `${provider} ${rule} ${path}`),
  );
}

function ownUnits({ messages }: FitResult<unknown>, shape: Provider): readonly string[] {
  return renderUnits({ messages: shape === "anthropic" ? messages.map(expandContent) : messages }, shape);
}

/** For Anthropic, a text as content is short for one block of text. */
function expandContent(item: unknown): unknown {
  if (!isObject(item) || typeof item.content !== "string") return item;
  return { ...item, content: [{ type: "text", text: item.content }] };
}

function expectClean(tally: Tally): void {
  console.info(`${tally.cuts} cut points, ${tally.compactions} compactions`);
  expect(tally.violations.slice(0, 5)).toEqual([]);
  expect(tally.overBudget).toBe(0);
  expect(tally.brokenPrefixes).toBe(0);
  expect(tally.compactions).toBeGreaterThan(0);
}
