/**
 * The laws as properties: any calls of a session, in any order, on histories that are often broken. Each law is checked
 * from outside, on prompts and on the store.
 */
import { describe, expect, test } from "vitest";
import type { Entry } from "../src/core/log/entry.ts";
import { foldEntries } from "../src/core/log/fold-entry.ts";
import { decodeInput } from "../src/core/message/formats/decode-input.ts";
import { hashMessage } from "../src/core/message/hash-message.ts";
import type { Message, Part } from "../src/core/message/message.ts";
import { PROVIDERS } from "../src/core/prompt/provider.ts";
import { validate } from "../src/core/prompt/validate/validate.ts";
import { countMessage } from "../src/core/tokens/count-message.ts";
import { countText } from "../src/core/tokens/count-text.ts";
import { estimate } from "../src/core/tokens/estimate.ts";
import { floorOfError } from "../src/engine/context/errors.ts";
import type { Prompt } from "../src/engine/prompt/prompt.ts";
import { type SessionCommand, sessionCommands } from "./support/generate-session-commands.ts";
import { type Play, type PlayOptions, type PromptOutcome, placeKey, playSession } from "./support/play-session.ts";
import { playTogether } from "./support/play-together.ts";
import { LAW_HISTORIES, propertyRuns } from "./support/property-runs.ts";
import { renderUnits } from "./support/render-units.ts";

const commands = sessionCommands({ maxCommands: 24 });

const textPart = { type: "text", text: "We must keep the plan." } as const;
const asked: Message = { id: "m0", role: "user", parts: [textPart] };
const called = (id: string, callId: string): Message => ({
  id,
  role: "assistant",
  parts: [{ type: "tool-call", callId, tool: "read_file", input: {} }],
});
const answered = (id: string, callId: string): Message => ({
  id,
  role: "tool",
  parts: [{ type: "tool-result", callId, output: textPart, failed: false }],
});

/** Shrunk counterexamples that the properties once found. */
const FOUND: readonly (readonly SessionCommand[])[] = [
  // Text after an open call is a separate message; joined to it, it would come before the call in some formats.
  [
    { type: "append", messages: [asked, called("m1", "call-1")] },
    { type: "prompt" },
    { type: "append", messages: [{ ...called("m2", "call-2"), parts: [textPart, ...called("m2", "call-2").parts] }] },
    { type: "prompt" },
  ],
  // An empty message after an open call.
  [
    { type: "append", messages: [asked, called("m1", "call-1")] },
    { type: "prompt" },
    { type: "append", messages: [{ id: "x0", role: "assistant", parts: [] }] },
    { type: "prompt" },
  ],
  // A deleted message from before a marker's range is not counted by the marker.
  [
    { type: "append", messages: [{ id: "s0", role: "system", parts: [textPart] }, answered("x0", "lost-0")] },
    { type: "clear" },
    { type: "change-budget", budgetTokens: 58 },
    { type: "append", messages: [asked, called("m2", "call-0"), answered("m3", "call-0")] },
    { type: "append", messages: [{ id: "m4", role: "assistant", parts: [textPart] }] },
    { type: "prompt" },
    { type: "delete", at: 0 },
    { type: "prompt" },
  ],
  // Results of one round arrive in any order; none of them is final before all have arrived.
  [
    {
      type: "append",
      messages: [
        asked,
        { ...called("m1", "call-0"), parts: [...called("m1", "call-0").parts, ...called("m1", "call-1").parts] },
      ],
    },
    { type: "append", messages: [answered("m2", "call-1")] },
    { type: "prompt" },
    { type: "append", messages: [answered("m3", "call-0")] },
    { type: "prompt" },
  ],
];

/** The two times at which a law is checked: after each prompt, and after all commands. */
interface Laws {
  readonly onPrompt?: NonNullable<PlayOptions["onPrompt"]>;
  readonly atEnd?: (play: Play) => Promise<void>;
}

interface LawSubject {
  readonly outcome?: PromptOutcome;
  readonly play: Play;
}

function laws() {
  const keep = playTogether<readonly SessionCommand[], LawSubject>({
    histories: commands,
    play: async (planned, judge) => {
      const onPrompt = (outcome: PromptOutcome, play: Play) => judge({ outcome, play });
      await judge({ play: await playSession({ commands: planned, onPrompt }) });
    },
    parameters: {
      numRuns: propertyRuns(LAW_HISTORIES),
      examples: FOUND.map((found): [readonly SessionCommand[]] => [found]),
    },
  });
  return ({ onPrompt, atEnd }: Laws) =>
    keep(({ outcome, play }) => (outcome === undefined ? atEnd?.(play) : onPrompt?.(outcome, play)));
}

const holds = laws();
/** Runs the law that makes its own calls separately, so that these calls do not affect the other laws. */
const holdsAlone = laws();

describe("laws on the memory store", () => {
  test(
    "law 1: every prompt is inside its limit, or the error names the floor and its parts",
    holds({
      onPrompt: (outcome, play) => {
        if ("prompt" in outcome) {
          const { report } = outcome.prompt;
          expect(report.tokens).toBeLessThanOrEqual(play.budgetTokens);
          expect(countWords(outcome.prompt)).toBeLessThanOrEqual(play.budgetTokens);
          const counted = report.sections.reduce((sum, section) => sum + section.tokens, 0);
          expect(report.tokens).toBeGreaterThanOrEqual(counted);
          return;
        }
        const floor = floorOfError(outcome.error);
        expect(floor?.floorTokens).toBeGreaterThan(play.budgetTokens);
        expect(floor?.parts.length).toBeGreaterThan(0);
      },
    }),
  );

  test(
    "law 2: every prompt passes the strict rules of every provider",
    holds({
      onPrompt: (outcome) => {
        if (!("prompt" in outcome)) return;
        for (const provider of PROVIDERS) expect(validate(outcome.prompt.as(provider), provider)).toEqual([]);
      },
    }),
  );

  test(
    "law 3: every message is shown, covered, cleared or deleted, and nothing is silently absent",
    holds({ onPrompt: checkNoGap }),
  );

  test(
    "law 4: acknowledged messages stay, in order and verbatim, unless their owner deleted them",
    holds({ atEnd: checkNothingLost }),
  );

  test(
    "law 6: a prompt continues the previous one, or its report lists a change",
    holds({
      onPrompt: (outcome, play) => {
        const before = play.lastPrompts.get(play.session.id);
        if (!("prompt" in outcome) || before === undefined || outcome.prompt.report.changes.length > 0) return;
        for (const provider of PROVIDERS) {
          const units = unitsOf(before, provider);
          expect(unitsOf(outcome.prompt, provider).slice(0, units.length)).toEqual(units);
        }
      },
    }),
  );

  test(
    "law 6: the same state gives the same bytes after a restart",
    holdsAlone({
      onPrompt: async (outcome, play) => {
        if (!("prompt" in outcome)) return;
        const ask = { budgetTokens: play.budgetTokens, model: play.model, instructions: "Be brief.", preview: true };
        const here = await play.session.prompt(ask);
        const there = await (await play.reopen()).prompt(ask);
        expect(JSON.stringify(there.messages)).toBe(JSON.stringify(here.messages));
        expect(there.instructions).toBe(here.instructions);
      },
    }),
  );

  test(
    "the stored head equals the rebuilt head",
    holds({
      atEnd: async (play) => {
        const stored = await play.store.tenant("local").findSession(play.session.id);
        if (stored === undefined || stored.header.fork !== undefined) return;
        const entries = await play.store.tenant("local").readEntries(play.session.id, {});
        const kept = foldEntries(
          entries.filter(({ seq }) => seq > stored.head.foldedThroughSeq),
          stored.head,
        );
        expect(kept).toEqual(foldEntries(entries));
      },
    }),
  );
});

type ProviderName = (typeof PROVIDERS)[number];

function unitsOf(prompt: Prompt, provider: ProviderName): readonly string[] {
  return renderUnits(prompt.as(provider), provider);
}

async function checkNoGap(outcome: PromptOutcome, play: Play): Promise<void> {
  if (!("prompt" in outcome)) return;
  const { prompt } = outcome;
  const entries = await play.store.tenant("local").readEntries(play.session.id, { types: ["message"] });
  const words = allStrings([prompt.instructions, prompt.messages]).join("\n\u0001\n");
  let truncated = 0;
  for (const entry of entries) {
    if (entry.type !== "message") continue;
    const runs = prompt.report.plan.runs.filter(
      ({ firstSeq, lastSeq }) => firstSeq <= entry.seq && entry.seq <= lastSeq,
    );
    expect(runs.map(({ fate }) => fate)).toHaveLength(1);
    const fate = entry.erased === true ? "deleted" : runs[0]?.fate;
    if (fate === "truncated") truncated += 1;
    if (fate === "verbatim" || fate === "pinned") expectWords(entry.message, words);
    if (fate === "deleted") expect(entry.message.parts).toEqual([]);
  }
  const marker = words.match(/\[(\d+) earlier messages? \(\d+ tokens\) not shown here\.\]/);
  expect(Number(marker?.[1] ?? 0)).toBe(truncated);
}

/**
 * Counts the tokens of every text, thought, call and result in the prompt, without media, independently of the engine.
 */
function countWords({ instructions = "", messages }: Prompt): number {
  const decoded = decodeInput(messages, { fallbackId: (index) => `m${index}`, format: "ai-sdk-model" }).messages.flat();
  const spoken = decoded.map((message) => ({ ...message, parts: message.parts.filter(isSpoken).map(withoutMedia) }));
  return countText(instructions, estimate) + spoken.reduce((sum, message) => sum + countMessage(message, estimate), 0);
}

function isSpoken({ type }: Part): boolean {
  return type !== "image" && type !== "file";
}

function withoutMedia(part: Part): Part {
  if (part.type !== "tool-result" || part.output.type !== "parts") return part;
  return { ...part, output: { type: "parts", parts: part.output.parts.filter(isSpoken) } };
}

/** Checks that every text of the message is somewhere in the prompt, except for surrounding space. */
function expectWords(message: Message, words: string): void {
  for (const part of message.parts) {
    if (part.type === "text" && part.text.trim() !== "")
      expect(words.includes(part.text.trim().toWellFormed())).toBe(true);
  }
}

function allStrings(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(allStrings) : [];
}

async function checkNothingLost(play: Play): Promise<void> {
  const logs = new Map<string, readonly Entry[]>();
  for (const { sessionId } of play.acknowledged) {
    if (!logs.has(sessionId)) logs.set(sessionId, await play.store.tenant("local").readEntries(sessionId, {}));
  }
  for (const entries of logs.values()) {
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1));
  }
  for (const acknowledged of play.acknowledged) {
    const { sessionId, seq, message } = acknowledged;
    const entry = logs.get(sessionId)?.[seq - 1];
    if (entry?.type !== "message") throw new Error(`no message at ${seq}`);
    if (play.deleted.has(placeKey(acknowledged))) expect(entry.erased).toBe(true);
    else expect(hashMessage(entry.message)).toBe(hashMessage(message));
  }
}
