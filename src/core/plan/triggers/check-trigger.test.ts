import { describe, expect, test } from "vitest";
import { RATIO } from "../../../../test/support/core-values.ts";
import { shows } from "../../../testing/shows.ts";
import { checkTrigger, findDepthCap, type TriggerVerdict } from "./check-trigger.ts";
import type { ColdCacheTrigger, RatioTrigger, RefreshTrigger, Trigger } from "./trigger.ts";
import type { TriggerFacts } from "./trigger-facts.ts";

/** Facts of a session whose prompt takes half of the window. */
const FACTS: TriggerFacts = {
  messages: 50,
  textMessages: 50,
  summaryRecords: 0,
  promptTokens: 50_000,
  conversationTokens: 45_000,
  windowTokens: 100_000,
  budgetTokens: 90_000,
  limitTokens: 95_000,
  messagesSinceCompaction: undefined,
  armed: true,
  sinceRequestMs: 1_000,
  cacheTtlMs: 300_000,
  refusal: undefined,
  isAsked: false,
};

const check = (trigger: Trigger, facts: Partial<TriggerFacts> = {}): TriggerVerdict =>
  checkTrigger(trigger, { ...FACTS, ...facts });

const REFRESH: RefreshTrigger = { ...RATIO, type: "refresh", everyMessages: 30 };

describe("a `messages` trigger", () => {
  const trigger = { type: "messages", maxMessages: 12 } as const;

  test(shows("S1-44", "does not fire below the limit"), () => {
    expect(check(trigger, { messages: 11 })).toEqual({ type: "quiet" });
  });

  test(shows("S1-49", "does not fire at the limit, and fires above it"), () => {
    expect(check(trigger, { messages: 12 })).toEqual({ type: "quiet" });
    expect(check(trigger, { messages: 13 })).toEqual({
      type: "fires",
      firing: { type: "messages", need: "soft", reason: "13 messages, more than 12" },
    });
  });

  test(shows("S1-53", "does not count the summary as a message"), () => {
    expect(check(trigger, { messages: 12, summaryRecords: 1 })).toEqual({ type: "quiet" });
  });

  test(shows("S1-48", "is held at the first message, even if the limit is 0"), () => {
    expect(check({ ...trigger, maxMessages: 0 }, { messages: 1 })).toMatchObject({ type: "held" });
    expect(check({ ...trigger, maxMessages: 0 }, { messages: 2 })).toMatchObject({ type: "fires" });
  });
});

describe("a `tokens` trigger", () => {
  const trigger = { type: "tokens", maxTokens: 6_000 } as const;

  test("does not fire at the limit, and fires above it", () => {
    expect(check(trigger, { conversationTokens: 6_000 })).toEqual({ type: "quiet" });
    expect(check(trigger, { conversationTokens: 6_001 })).toMatchObject({
      firing: { need: "soft", reason: "6001 tokens of conversation, more than 6000" },
    });
  });

  test("does not count instructions and tools", () => {
    expect(check(trigger, { conversationTokens: 6_000, promptTokens: 90_000 })).toEqual({ type: "quiet" });
  });

  test(shows("S1-48", "is held at the first message, even if it is above the limit"), () => {
    expect(check(trigger, { messages: 1, conversationTokens: 7_000 })).toMatchObject({ type: "held" });
  });

  test(shows("S3-129", "fires only above a limit of 24,000 tokens"), () => {
    const workspace = { type: "tokens", maxTokens: 24_000 } as const;
    expect(check(workspace, { conversationTokens: 23_999 })).toEqual({ type: "quiet" });
    expect(check(workspace, { conversationTokens: 24_000 })).toEqual({ type: "quiet" });
    expect(check(workspace, { conversationTokens: 24_001 }).type).toBe("fires");
  });

  test(shows("S3-131", "does not fire for an empty history, even if the limit is 0"), () => {
    expect(check({ ...trigger, maxTokens: 0 }, { messages: 0, conversationTokens: 0 })).toEqual({ type: "quiet" });
  });
});

describe("an `unsummarised` trigger", () => {
  const trigger = { type: "unsummarised", threshold: 10, tailMessages: 6, countMode: "unsummarized" } as const;
  const beyondTail = { ...trigger, countMode: "beyondTail" } as const;

  test.each([trigger, beyondTail])(
    "fires above ten messages before the first summary, with countMode $countMode",
    (either) => {
      expect(check(either, { textMessages: 10 })).toEqual({ type: "quiet" });
      expect(check(either, { textMessages: 11 })).toMatchObject({
        firing: { need: "soft", reason: "11 messages that no summary covers, more than 10" },
      });
    },
  );

  test("fires above ten messages that no summary covers, with countMode unsummarized", () => {
    expect(check(trigger, { textMessages: 10, summaryRecords: 1 })).toEqual({ type: "quiet" });
    expect(check(trigger, { textMessages: 11, summaryRecords: 1 }).type).toBe("fires");
  });

  test("fires at ten messages between summary and tail, with countMode beyondTail", () => {
    expect(check(beyondTail, { textMessages: 15, summaryRecords: 1 })).toEqual({ type: "quiet" });
    expect(check(beyondTail, { textMessages: 16, summaryRecords: 1 })).toMatchObject({
      firing: { reason: "10 messages between summary and tail, at least 10" },
    });
  });

  test("ignores messages without text", () => {
    expect(check(trigger, { messages: 300, textMessages: 10 })).toEqual({ type: "quiet" });
  });
});

describe("a `ratio` trigger", () => {
  test(shows("S4-36", "does not fire below the trigger ratio, and fires at it"), () => {
    expect(check(RATIO, { promptTokens: 79_999 })).toEqual({ type: "quiet" });
    expect(check(RATIO, { promptTokens: 80_000 })).toEqual({
      type: "fires",
      firing: {
        type: "ratio",
        need: "soft",
        reason: "80000 tokens of a window of 100000 is a ratio of 0.800, at or above the trigger ratio of 0.8",
        atDepthCap: undefined,
      },
    });
  });

  test("compares the prompt with the window, or the conversation with the budget", () => {
    const facts = { promptTokens: 79_000, conversationTokens: 72_000 };
    expect(check(RATIO, facts)).toEqual({ type: "quiet" });
    expect(check({ ...RATIO, of: "budget" }, facts)).toMatchObject({
      firing: { reason: "72000 tokens of a budget of 90000 is a ratio of 0.800, at or above the trigger ratio of 0.8" },
    });
  });

  test(shows("S4-33", "is held at the depth cap of three records, and fires at two records"), () => {
    const at = (summaryRecords: number) => check(RATIO, { promptTokens: 80_000, summaryRecords });
    expect(at(2).type).toBe("fires");
    expect(at(3)).toMatchObject({ type: "held", why: expect.stringContaining("the chain has 3 of 3 summaries") });
  });

  test.each(["fold", "truncate"] as const)(
    "sets atDepthCap to the policy's onDepthCap `%s` at the depth cap",
    (onDepthCap) => {
      const at = (summaryRecords: number) => check({ ...RATIO, onDepthCap }, { promptTokens: 80_000, summaryRecords });
      expect(at(2)).toMatchObject({ firing: { need: "soft", atDepthCap: undefined } });
      expect(at(3)).toMatchObject({ firing: { need: "soft", atDepthCap: onDepthCap } });
    },
  );

  test("is held below minMessages", () => {
    const at = (messages: number) => check(RATIO, { promptTokens: 80_000, messages });
    expect(at(11)).toMatchObject({ type: "held", why: expect.stringContaining("11 messages, fewer than 12") });
    expect(at(12).type).toBe("fires");
  });

  test(shows("S4-93", "counts the summary as a message for minMessages"), () => {
    const later = (newMessages: number) =>
      check(RATIO, {
        promptTokens: 80_000,
        summaryRecords: 1,
        messages: 6 + newMessages,
        messagesSinceCompaction: newMessages,
      });
    expect(later(4)).toMatchObject({ type: "held", why: expect.stringContaining("11 messages, fewer than 12") });
    expect(later(5).type).toBe("fires");
  });

  test("is held until cooldownMessages messages have arrived since the last compaction", () => {
    const later = (messagesSinceCompaction: number) =>
      check(RATIO, { promptTokens: 80_000, summaryRecords: 1, messagesSinceCompaction });
    expect(later(3)).toMatchObject({ type: "held", why: expect.stringContaining("only 3 of 4 messages") });
    expect(later(4).type).toBe("fires");
  });

  test(shows("S4-92", "is held until the cooldown has passed, armed or not"), () => {
    const at = (armed: boolean, messagesSinceCompaction: number) =>
      check(RATIO, { promptTokens: 80_000, armed, messagesSinceCompaction }).type;
    expect([at(true, 3), at(false, 3)]).toEqual(["held", "held"]);
    expect([at(true, 4), at(false, 4)]).toEqual(["fires", "fires"]);
  });

  test("is held while it is not armed, until rearmAfterMessages messages have arrived", () => {
    const at = (armed: boolean, messagesSinceCompaction: number) =>
      check({ ...RATIO, rearmAfterMessages: 20 }, { promptTokens: 80_000, armed, messagesSinceCompaction });
    expect(at(false, 19)).toMatchObject({ type: "held", why: expect.stringContaining("not below 0.7") });
    expect(at(false, 20).type).toBe("fires");
    expect(at(true, 4).type).toBe("fires");
  });

  test(shows(["S4-40", "S4-69"], "fires at a ratio of 1 or more even if a guard applies"), () => {
    const guarded = { messages: 2, summaryRecords: 3, messagesSinceCompaction: 0, armed: false };
    expect(check(RATIO, { ...guarded, promptTokens: 99_999 }).type).toBe("held");
    expect(check(RATIO, { ...guarded, promptTokens: 100_000 })).toMatchObject({
      type: "fires",
      firing: { need: "hard", reason: expect.stringContaining("at or above the emergency ratio of 1") },
    });
  });

  test.each([
    ["stop", "truncate"],
    ["truncate", "truncate"],
    ["fold", "fold"],
  ] as const)(
    "in an emergency at the depth cap, turns onDepthCap `%s` into atDepthCap `%s`",
    (onDepthCap, atDepthCap) => {
      const at = (summaryRecords: number) => check({ ...RATIO, onDepthCap }, { promptTokens: 100_000, summaryRecords });
      expect(at(3)).toMatchObject({ firing: { atDepthCap } });
      expect(at(2)).toMatchObject({ firing: { atDepthCap: undefined } });
    },
  );

  test("treats a window of 0 tokens as full", () => {
    expect(check(RATIO, { windowTokens: 0, promptTokens: 1 })).toMatchObject({ firing: { need: "hard" } });
    expect(check(RATIO, { windowTokens: 0, promptTokens: 0 })).toEqual({ type: "quiet" });
  });
});

describe("a `refresh` trigger", () => {
  test(shows("S4-12", "fires after everyMessages messages, even if the prompt is small"), () => {
    const later = (messagesSinceCompaction: number) =>
      check(REFRESH, { promptTokens: 100, summaryRecords: 1, messagesSinceCompaction });
    expect(later(29)).toEqual({ type: "quiet" });
    expect(later(30)).toMatchObject({ firing: { type: "refresh", need: "soft" } });
  });

  test("counts all messages before the first compaction", () => {
    expect(check(REFRESH, { messages: 29 })).toEqual({ type: "quiet" });
    expect(check(REFRESH, { messages: 30 }).type).toBe("fires");
  });

  test("is held by the same guards as a ratio trigger", () => {
    const often = { ...REFRESH, everyMessages: 2 };
    expect(check(often, { messagesSinceCompaction: 3 })).toMatchObject({ why: expect.stringContaining("3 of 4") });
    expect(check(often, { messagesSinceCompaction: 4 }).type).toBe("fires");
    expect(check(often, { messages: 11 })).toMatchObject({ why: expect.stringContaining("fewer than 12") });
    expect(check(often, { messagesSinceCompaction: 4, summaryRecords: 3 })).toMatchObject({
      why: expect.stringContaining("3 of 3 summaries"),
    });
  });
});

describe("a `cold-cache` trigger", () => {
  const trigger: ColdCacheTrigger = { type: "cold-cache" };

  test("does not fire while the provider keeps the prefix", () => {
    expect(check(trigger, { sinceRequestMs: 300_000 })).toEqual({ type: "quiet" });
    expect(check(trigger, { sinceRequestMs: 300_001 })).toMatchObject({
      firing: { need: "soft", reason: "nothing was sent for 300001 ms, and a prefix is kept for 300000 ms" },
    });
  });

  test("prefers its own ttlMs to the model's", () => {
    expect(check({ ...trigger, ttlMs: 60_000 }, { sinceRequestMs: 60_000 })).toEqual({ type: "quiet" });
    expect(check({ ...trigger, ttlMs: 60_000 }, { sinceRequestMs: 60_001 }).type).toBe("fires");
  });

  test("fires for a session that has sent no request", () => {
    expect(check(trigger, { sinceRequestMs: undefined }).type).toBe("fires");
    expect(check(trigger, { sinceRequestMs: undefined, messages: 1 }).type).toBe("held");
  });

  test("does not fire below fromRatio", () => {
    const at = (conversationTokens: number) =>
      check({ ...trigger, fromRatio: 0.5 }, { sinceRequestMs: 300_001, conversationTokens });
    expect(at(44_999)).toEqual({ type: "quiet" });
    expect(at(45_000).type).toBe("fires");
  });
});

describe("the built-in triggers", () => {
  test("an `overflow` trigger fires with a hard need above the limit", () => {
    expect(check({ type: "overflow" }, { promptTokens: 95_000 })).toEqual({ type: "quiet" });
    expect(check({ type: "overflow" }, { promptTokens: 95_001 })).toEqual({
      type: "fires",
      firing: { type: "overflow", need: "hard", reason: "95,001 tokens exceed the limit of 95,000" },
    });
  });

  test("a `refusal` trigger fires with a hard need, and quotes the provider's numbers", () => {
    const reasonOf = (refusal: TriggerFacts["refusal"]) => check({ type: "refusal" }, { refusal });
    expect(reasonOf(undefined)).toEqual({ type: "quiet" });
    expect(reasonOf({})).toMatchObject({
      firing: { need: "hard", reason: "the provider refused the prompt as too large" },
    });
    expect(reasonOf({ promptTokens: 130_000, limitTokens: 128_000 })).toMatchObject({
      firing: { reason: expect.stringContaining("it counted 130000 tokens; it allows 128000 tokens") },
    });
  });

  test("a `manual` trigger fires only on request", () => {
    expect(check({ type: "manual" })).toEqual({ type: "quiet" });
    expect(check({ type: "manual" }, { isAsked: true })).toMatchObject({ firing: { type: "manual", need: "soft" } });
  });
});

describe("findDepthCap", () => {
  const at = (summaryRecords: number, need: "soft" | "hard", onDepthCap: RatioTrigger["onDepthCap"]) =>
    findDepthCap(
      [
        { type: "tokens", maxTokens: 1 },
        { ...RATIO, onDepthCap },
      ],
      { facts: { summaryRecords }, need },
    );

  test(shows("X-14", "returns `truncate` or `fold` for triggers without a cap of their own"), () => {
    expect(at(3, "hard", "stop")).toBe("truncate");
    expect(at(3, "hard", "truncate")).toBe("truncate");
    expect(at(3, "hard", "fold")).toBe("fold");
    expect(at(3, "soft", "stop")).toBe("fold");
  });

  test("returns undefined below the cap, or if no trigger has a cap", () => {
    expect(at(2, "hard", "stop")).toBeUndefined();
    expect(findDepthCap([{ type: "cold-cache" }], { facts: { summaryRecords: 99 }, need: "hard" })).toBeUndefined();
  });
});
