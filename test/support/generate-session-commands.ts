/**
 * Calls of a session as plain data, for model-based tests. A runner plays the commands against an engine and against a
 * simple model and compares. Positions are fractions of the current list, so that a command is valid in every state and
 * the list shrinks freely.
 *
 * The messages of all appends together are one history: an append may end in the middle of a round, like a host that
 * saves after each step.
 */
import fc from "fast-check";
import type { Message } from "../../src/core/message/message.ts";
import { fractions, histories } from "../../src/testing/generate-histories.ts";
import { weighted } from "../../src/testing/weighted.ts";

export type SessionCommand =
  | { readonly type: "append"; readonly messages: readonly Message[] }
  /** A client that got no response sends a stored message once more. */
  | { readonly type: "append-again"; readonly at: number }
  | { readonly type: "prompt" }
  | { readonly type: "compact" }
  | { readonly type: "pin"; readonly at: number }
  /** Position among the pinned messages. */
  | { readonly type: "unpin"; readonly at: number }
  | { readonly type: "clear" }
  | { readonly type: "undo" }
  /** Undoes the newest undo. */
  | { readonly type: "redo" }
  | { readonly type: "delete"; readonly at: number }
  /** At a seq of the log; the runner continues in the fork. */
  | { readonly type: "fork"; readonly at: number }
  | { readonly type: "change-model"; readonly model: string }
  | { readonly type: "change-budget"; readonly budgetTokens: number }
  /** The process ends and the session is opened again from its store. */
  | { readonly type: "reopen" };

export type SessionCommandType = SessionCommand["type"];

export interface SessionCommandOptions {
  readonly maxCommands?: number | undefined;
  /** Source of the appended messages. Ids must be distinct unless the test is about ids that are not. */
  readonly messages?: fc.Arbitrary<readonly Message[]> | undefined;
  /** The kinds to generate. Default: all. */
  readonly only?: readonly SessionCommandType[] | undefined;
  readonly models?: readonly string[] | undefined;
}

export function sessionCommands({
  maxCommands = 30,
  messages = histories({ longestCharacters: 4_000 }),
  only,
  models = ["gpt-4o", "claude-sonnet-4-5", "gemini-2.5-pro", "unknown-model"],
}: SessionCommandOptions = {}): fc.Arbitrary<readonly SessionCommand[]> {
  const kinds = kindsOf(models).filter(({ type }) => only === undefined || only.includes(type));
  const steps = fc.array(fc.oneof(...kinds), { maxLength: maxCommands, size: "max" });
  return fc.tuple(messages, steps).map(([history, planned]) => dealMessages(history, planned));
}

/** Returns the item at a command's `at` in the current list, or undefined if the list is empty. */
export function findAt<Item>(items: readonly Item[], at: number): Item | undefined {
  return items[Math.floor(at * items.length)];
}

type Step = Exclude<SessionCommand, { readonly type: "append" }> | { readonly type: "append"; readonly count: number };

interface Kind {
  readonly type: SessionCommandType;
  readonly weight: number;
  readonly arbitrary: fc.Arbitrary<Step>;
}

function kindsOf(models: readonly string[]): readonly Kind[] {
  const plain = <Type extends "prompt" | "compact" | "clear" | "undo" | "redo" | "reopen">(
    type: Type,
    weight: number,
  ) => ({
    type,
    weight,
    arbitrary: fc.constant({ type }),
  });
  const placed = <Type extends "append-again" | "pin" | "unpin" | "delete" | "fork">(type: Type, weight: number) => ({
    type,
    weight,
    arbitrary: fractions().map((at) => ({ type, at })),
  });
  return [
    {
      type: "append",
      weight: 24,
      arbitrary: fc.integer({ min: 1, max: 4 }).map((count) => ({ type: "append", count })),
    },
    plain("prompt", 12),
    plain("compact", 3),
    placed("pin", 3),
    placed("unpin", 1),
    plain("clear", 1),
    plain("undo", 3),
    plain("redo", 2),
    placed("delete", 1),
    placed("fork", 1),
    placed("append-again", 2),
    plain("reopen", 1),
    {
      type: "change-model",
      weight: 1,
      arbitrary: fc.constantFrom(...models).map((model) => ({ type: "change-model", model })),
    },
    { type: "change-budget", weight: 2, arbitrary: budgets() },
  ];
}

/** Budgets from far too small to very large. */
function budgets(): fc.Arbitrary<Step> {
  const tokens = weighted([
    [3, fc.integer({ min: 200, max: 4_000 })],
    [1, fc.integer({ min: 1, max: 100 })],
    [1, fc.constantFrom(8_000, 128_000, 1_000_000)],
  ]);
  return tokens.map((budgetTokens) => ({ type: "change-budget", budgetTokens }));
}

/** Gives each append its share of the history, in order. Appends without messages are dropped. */
function dealMessages(history: readonly Message[], steps: readonly Step[]): readonly SessionCommand[] {
  let dealt = 0;
  return steps.flatMap((step): readonly SessionCommand[] => {
    if (step.type !== "append") return [step];
    const messages = history.slice(dealt, dealt + step.count);
    dealt += messages.length;
    return messages.length === 0 ? [] : [{ type: "append", messages }];
  });
}
