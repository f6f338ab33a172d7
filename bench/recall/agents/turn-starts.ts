/**
 * Measures names that a coding agent's next calls need where a user gives it a new request: in the result of `fit` with
 * recall, in the result without it, and in the newest messages, all within the same budget.
 */
import type { Message } from "../../../src/core/message/message.ts";
import { countMessage } from "../../../src/core/tokens/count-message.ts";
import { loadCounter } from "../../../src/counters/load-counter.ts";
import { type FitState, fit as fitHistory } from "../../../src/index.ts";
import type { ReplaySession } from "../../cost/read-sessions.ts";
import { findNeededNames } from "./find-cuts.ts";
import { judgeLines } from "./judge-lines.ts";
import { printMessage } from "./print-message.ts";
import { typedText } from "./typed-words.ts";

const BUDGET_TOKENS = 4_000;
const FROM_TOKENS = 32_000;
/** Starts of turns that are measured in one session, so that no session outweighs the others. */
const MAX_STARTS = 12;

export interface NamesAtTurnStarts {
  readonly starts: number;
  readonly blocks: number;
  readonly names: number;
  /** Shares of the names. */
  readonly withRecall: number;
  readonly withoutRecall: number;
  readonly tail: number;
}

export async function measureTurnStarts(sessions: Iterable<ReplaySession>): Promise<NamesAtTurnStarts> {
  const counter = await loadCounter("o200k");
  const found = { starts: 0, blocks: 0, names: 0, withRecall: 0, withoutRecall: 0, tail: 0 };
  for (const { messages } of sessions) {
    const sizes = messages.map((message) => countMessage(message, counter));
    const states: Record<"withRecall" | "withoutRecall", FitState | undefined> = {
      withRecall: undefined,
      withoutRecall: undefined,
    };
    for (const { index, needed } of findNeededNames(messages, findStarts(messages, sizes))) {
      if (needed.size === 0) continue;
      const history = messages.slice(0, index);
      const count = (lines: readonly string[]): number =>
        [...judgeLines(lines, needed).values()].filter(({ anywhere }) => anywhere).length;
      for (const [key, recall] of [["withRecall", true] as const, ["withoutRecall", false] as const]) {
        const options = { budgetTokens: BUDGET_TOKENS, counter: "o200k", format: "palimpsest", recall } as const;
        const fitted = await fitHistory(history, { ...options, state: states[key] });
        states[key] = fitted.state;
        if (fitted.report.recalled !== undefined) found.blocks += 1;
        found[key] += count(fitted.messages.flatMap(printMessage));
      }
      found.tail += count(takeTail(history, sizes).flatMap(printMessage));
      found.starts += 1;
      found.names += needed.size;
    }
  }
  const share = (names: number): number => names / Math.max(1, found.names);
  const { withRecall, withoutRecall, tail, ...counts } = found;
  return { ...counts, withRecall: share(withRecall), withoutRecall: share(withoutRecall), tail: share(tail) };
}

/** Returns the places after typed requests, evenly chosen, from a number of tokens on. */
function findStarts(messages: readonly Message[], sizes: readonly number[]): readonly { readonly index: number }[] {
  let tokens = 0;
  const starts = messages.flatMap((message, at) => {
    tokens += sizes[at] ?? 0;
    return tokens >= FROM_TOKENS && message.role === "user" && typedText(message) !== "" ? [{ index: at + 1 }] : [];
  });
  const step = Math.ceil(starts.length / MAX_STARTS);
  return starts.filter((_, at) => at % step === 0);
}

function takeTail(history: readonly Message[], sizes: readonly number[]): readonly Message[] {
  let [first, room] = [history.length, BUDGET_TOKENS];
  while (first > 0 && (sizes[first - 1] ?? 0) <= room) {
    first -= 1;
    room -= sizes[first] ?? 0;
  }
  return history.slice(first);
}
