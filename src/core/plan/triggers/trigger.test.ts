/** Simulates growing conversations, and compares when triggers fire with the tables in the documents of the presets. */
import { describe, expect, test } from "vitest";
import { RATIO } from "../../../../test/support/core-values.ts";
import { shows } from "../../../testing/shows.ts";
import { updateArmed } from "./check-trigger.ts";
import { decideNeed } from "./decide-need.ts";
import { findTriggerFault, type RatioTrigger, type Trigger, type UnsummarizedTrigger } from "./trigger.ts";
import type { TriggerFacts } from "./trigger-facts.ts";

const ON = { enabled: true, holdSoft: false };

const CALM: TriggerFacts = {
  messages: 0,
  textMessages: 0,
  summaryRecords: 0,
  promptTokens: 0,
  conversationTokens: 0,
  windowTokens: 10_000,
  budgetTokens: 10_000,
  limitTokens: 10_000,
  messagesSinceCompaction: undefined,
  armed: true,
  sinceRequestMs: 0,
  cacheTtlMs: 300_000,
  refusal: undefined,
  isAsked: false,
};

interface Fold {
  readonly at: number;
  /** The first and the last message that the summary covers. */
  readonly from: number;
  readonly to: number;
}

const TAIL = 6;

/** Decides after every reply, which adds `step` messages. A fold leaves the last six. */
function playRolling(
  countMode: UnsummarizedTrigger["countMode"],
  { step, last }: { readonly step: number; readonly last: number },
): readonly Fold[] {
  const trigger: Trigger = { type: "unsummarised", threshold: 10, countMode, tailMessages: TAIL };
  const folds: Fold[] = [];
  let covered = 0;
  for (let total = step; total <= last; total += step) {
    const open = total - covered;
    const facts = { ...CALM, messages: open, textMessages: open, summaryRecords: folds.length > 0 ? 1 : 0 };
    if (decideNeed(facts, [trigger], ON).need === "none") continue;
    folds.push({ at: total, from: covered + 1, to: total - TAIL });
    covered = total - TAIL;
  }
  return folds;
}

const firings = (...args: Parameters<typeof playRolling>): readonly number[] =>
  playRolling(...args).map(({ at }) => at);

describe("an `unsummarised` trigger in a growing conversation", () => {
  test("fires at 11, 21 and 31 messages and folds all but the last six", () => {
    expect(playRolling("beyondTail", { step: 1, last: 40 })).toEqual([
      { at: 11, from: 1, to: 5 },
      { at: 21, from: 6, to: 15 },
      { at: 31, from: 16, to: 25 },
    ]);
  });

  test(
    shows(["S0-45", "X-12"], "fires every 5 messages with countMode unsummarized, and every 10 with beyondTail"),
    () => {
      expect(firings("unsummarized", { step: 1, last: 35 })).toEqual([11, 16, 21, 26, 31]);
      expect(firings("beyondTail", { step: 1, last: 35 })).toEqual([11, 21, 31]);
    },
  );

  test(
    shows("S0-45", "fires every 6 messages or every 10, depending on countMode, if messages arrive in pairs"),
    () => {
      expect(firings("unsummarized", { step: 2, last: 28 })).toEqual([12, 18, 24]);
      expect(firings("beyondTail", { step: 2, last: 40 })).toEqual([12, 22, 32]);
    },
  );

  test(shows("S0-19", "fires at eleven messages, but not at ten"), () => {
    expect(firings("unsummarized", { step: 1, last: 10 })).toEqual([]);
    expect(firings("unsummarized", { step: 1, last: 11 })).toEqual([11]);
  });
});

describe("a `messages` trigger in a growing conversation", () => {
  const trigger: Trigger = { type: "messages", maxMessages: 12 };

  test(shows("S1-53", "does not count the summary, and fires at the next message above the limit"), () => {
    const need = (messages: number) => decideNeed({ ...CALM, messages, summaryRecords: 1 }, [trigger], ON).need;
    expect(need(12)).toBe("none");
    expect(need(13)).toBe("soft");
  });
});

const SUMMARY_TOKENS = 200;

interface ChainRow {
  /** The number of messages in the thread. */
  readonly at: number;
  readonly ratio: number;
  readonly need: string;
}

/** Checks the trigger after each message of these sizes. A compaction leaves a summary and the last six messages. */
function playChain(sizes: readonly number[], trigger: RatioTrigger = RATIO): readonly ChainRow[] {
  const rows: ChainRow[] = [];
  let view: readonly number[] = [];
  let facts = CALM;
  let state = { armed: true };
  const measure = (): void => {
    const summaryTokens = facts.summaryRecords > 0 ? SUMMARY_TOKENS : 0;
    const promptTokens = view.reduce((sum, tokens) => sum + tokens, summaryTokens);
    facts = { ...facts, messages: view.length, textMessages: view.length, promptTokens };
  };
  for (const [index, size] of sizes.entries()) {
    view = [...view, size];
    const since = facts.messagesSinceCompaction;
    facts = { ...facts, messagesSinceCompaction: since === undefined ? undefined : since + 1 };
    measure();
    state = updateArmed(state, { trigger, facts, hasCompacted: false });
    const { need, fired } = decideNeed({ ...facts, ...state }, [trigger], ON);
    if (need === "none") continue;
    rows.push({ at: index + 1, ratio: facts.promptTokens / facts.windowTokens, need });
    view = view.slice(-TAIL);
    const isNewRecord = fired[0]?.atDepthCap === undefined;
    facts = { ...facts, summaryRecords: facts.summaryRecords + (isNewRecord ? 1 : 0), messagesSinceCompaction: 0 };
    measure();
    state = updateArmed(state, { trigger, facts, hasCompacted: true });
  }
  return rows;
}

const repeat = (count: number, tokens: number): readonly number[] => Array.from({ length: count }, () => tokens);

describe("a `ratio` trigger in a growing conversation", () => {
  test(shows("S4-66", "fires once, at a ratio of 0.8"), () => {
    expect(playChain(repeat(20, 500))).toEqual([{ at: 16, ratio: 0.8, need: "soft" }]);
  });

  test("does not fire again for three large messages right after a summary", () => {
    const thread = repeat(16, 500);
    const burst = [3_000, 2_000, 100];
    const asked = (trigger: RatioTrigger) => playChain([...thread, ...burst], trigger).map(({ at }) => at);
    expect(asked(RATIO)).toEqual([16]);
    expect(asked({ ...RATIO, minMessages: 0 })).toEqual([16]);
    expect(asked({ ...RATIO, minMessages: 0, cooldownMessages: 0 })).toEqual([16, 18]);
  });

  test(shows(["S4-41", "S4-73"], "fires once for five large messages that cross the trigger ratio"), () => {
    const thread = [...repeat(12, 650), ...repeat(5, 1_200)];
    expect(playChain(thread)).toEqual([{ at: 13, ratio: 0.9, need: "soft" }]);
    const unguarded = { ...RATIO, minMessages: 0, cooldownMessages: 0 };
    expect(playChain(thread, unguarded).map(({ at }) => at)).toEqual([13, 16]);
  });

  test(shows("S4-69", "does not wait for the cooldown in an emergency"), () => {
    const rows = playChain([...repeat(16, 500), 4_000, 4_000]);
    expect(rows.map(({ at, need }) => [at, need])).toEqual([
      [16, "soft"],
      [18, "hard"],
    ]);
  });

  test("fires only in an emergency once the chain has three records", () => {
    const rows = playChain(repeat(90, 500));
    expect(rows.filter(({ need }) => need === "soft")).toHaveLength(3);
    expect(rows.slice(3).every(({ need, ratio }) => need === "hard" && ratio >= 1)).toBe(true);
    expect(rows.length).toBeGreaterThan(3);
  });
});

describe("findTriggerFault", () => {
  test(shows("S4-8", "requires a reset ratio below the trigger ratio"), () => {
    expect(findTriggerFault(RATIO)).toBeUndefined();
    expect(findTriggerFault({ ...RATIO, resetRatio: 0.799 })).toBeUndefined();
    expect(findTriggerFault({ ...RATIO, resetRatio: 0.8 })).toEqual({
      key: "resetRatio",
      value: 0.8,
      allowed: "less than the triggerRatio, 0.8",
    });
  });

  test("requires a trigger ratio of at most 1", () => {
    expect(findTriggerFault({ ...RATIO, triggerRatio: 1 })).toBeUndefined();
    expect(findTriggerFault({ ...RATIO, triggerRatio: 1.01 })?.key).toBe("triggerRatio");
  });

  test("returns undefined for a trigger without ratios", () => {
    expect(findTriggerFault({ type: "overflow" })).toBeUndefined();
  });
});
