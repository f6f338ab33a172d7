/**
 * Measures how many of the names that an agent's next tool calls need are still in the prompt after `fit` has shortened
 * its conversation: anywhere, or in a line that explains them. Sessions of 32,000 tokens and more are cut every 8,000
 * tokens; all sizes are counted with o200k.
 *
 * Both halves of the sessions are reported, because a figure of one half alone may not apply to the other.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Message } from "../../src/core/message/message.ts";
import { countMessage } from "../../src/core/tokens/count-message.ts";
import { countText } from "../../src/core/tokens/count-text.ts";
import { loadCounter } from "../../src/counters/load-counter.ts";
import { type FitState, fit } from "../../src/index.ts";
import { parseSession, type ReplaySession } from "../cost/read-sessions.ts";
import { BASELINES } from "./agents/baselines.ts";
import { findCuts } from "./agents/find-cuts.ts";
import { judgeLines } from "./agents/judge-lines.ts";
import { createNameLedger } from "./agents/name-ledger.ts";
import { printMessage } from "./agents/print-message.ts";
import { describeShares, type ShareCount } from "./agents/shares.ts";
import type { MeasureRecall } from "./recall-part.ts";

const BUDGET_TOKENS = 4_000;
const FROM_TOKENS = 32_000;
const FROM_LONGER_TOKENS = 64_000;
const STEP_TOKENS = 8_000;
const QUICK_SESSIONS = 8;
const SEED = 20;

export const measureAgents: MeasureRecall = async ({ dataFolder, quick }) => {
  const folder = join(dataFolder, "claude-code");
  if (!existsSync(folder)) return undefined;
  const tallies: ShareCount[] = [];
  const counter = await loadCounter("o200k");
  const sizes = new Map<Message, number>();
  const tokensOf = (message: Message): number => {
    const tokens = sizes.get(message) ?? countMessage(message, counter);
    sizes.set(message, tokens);
    return tokens;
  };
  let measured = 0;
  for (const session of readSessions(folder)) {
    if (quick && measured >= QUICK_SESSIONS) break;
    const found = await measureSession(session, { tokensOf, count: (text) => countText(text, counter) });
    if (found.length > 0) measured += 1;
    tallies.push(...found);
  }
  const { rows, figures } = describeShares(tallies, { longerFrom: FROM_LONGER_TOKENS, seed: SEED });
  const cuts = new Set(tallies.map(({ session, atTokens }) => `${session} ${atTokens}`)).size;
  return {
    rows,
    figures,
    notes: [
      `Agents: ${measured} sessions of coding agents, ${cuts} cuts, ${BUDGET_TOKENS} tokens of o200k for all; 95 % bootstrap intervals over sessions, seed ${SEED}.`,
      "Needed names are those in texts (not in plain numbers) of the next 30 calls that appeared before the cut and in no message between the cut and their use. A name is matched whole, at word boundaries; by file name, a path also matches by its last segment.",
      "A line explains a name if it has three other words of three letters or more, and at most ten names; a call is one line of JSON.",
    ],
  };
};

export function* readSessions(folder: string): Generator<ReplaySession> {
  for (const name of readdirSync(folder).toSorted()) {
    if (name.endsWith(".jsonl")) yield parseSession(readFileSync(join(folder, name), "utf8"), name.slice(0, 8));
  }
}

interface SessionOptions {
  readonly tokensOf: (message: Message) => number;
  readonly count: (text: string) => number;
}

async function measureSession(
  { name: session, messages }: ReplaySession,
  { tokensOf, count }: SessionOptions,
): Promise<readonly ShareCount[]> {
  const cuts = findCuts(messages, { fromTokens: FROM_TOKENS, stepTokens: STEP_TOKENS, tokensOf });
  const tallies: ShareCount[] = [];
  const lines: string[] = [];
  const ledger = createNameLedger();
  let state: FitState | undefined;
  let read = 0;
  for (const { index, atTokens, needed } of cuts) {
    for (; read < index; read += 1) {
      const message = messages[read];
      if (message === undefined) continue;
      ledger.add(message);
      lines.push(...printMessage(message));
    }
    const note = (contestant: string, shown: readonly string[]): void => {
      const found = [...judgeLines(shown, needed).values()];
      tallies.push({
        contestant,
        session,
        atTokens,
        needed: needed.size,
        anywhere: found.filter(({ anywhere }) => anywhere).length,
        byFile: found.filter(({ byFile }) => byFile).length,
        explained: found.filter(({ explained }) => explained).length,
      });
    };
    // biome-ignore lint/suspicious/noFocusedTests: this `fit` is ours, not a focused test.
    const fitted = await fit(messages.slice(0, index), { budgetTokens: BUDGET_TOKENS, state, format: "palimpsest" });
    state = fitted.state;
    note("Palimpsest fit", fitted.messages.flatMap(printMessage));
    const request = { lines, ledger, budgetTokens: BUDGET_TOKENS, seed: SEED + index, count };
    for (const [contestant, choose] of Object.entries(BASELINES)) note(contestant, choose(request));
  }
  return tallies;
}
