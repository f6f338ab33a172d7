import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RATIO } from "../../../../test/support/core-values.ts";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { shows } from "../../../testing/shows.ts";
import { decideNeed, type Need } from "./decide-need.ts";
import { BUILT_IN_TRIGGERS, type Trigger } from "./trigger.ts";
import type { TriggerFacts } from "./trigger-facts.ts";

const ON = { enabled: true, holdSoft: false };
const OFF = { enabled: false, holdSoft: false };
const HELD = { enabled: true, holdSoft: true };

/** Facts under which every trigger fires. */
const PRESSING: TriggerFacts = {
  messages: 50,
  textMessages: 50,
  summaryRecords: 0,
  promptTokens: 120_000,
  conversationTokens: 110_000,
  windowTokens: 100_000,
  budgetTokens: 90_000,
  limitTokens: 95_000,
  messagesSinceCompaction: undefined,
  armed: true,
  sinceRequestMs: 1_000_000,
  cacheTtlMs: 300_000,
  refusal: {},
  isAsked: true,
};

const ALL: readonly Trigger[] = [
  { type: "messages", maxMessages: 12 },
  { type: "unsummarised", threshold: 10, countMode: "unsummarized", tailMessages: 6 },
  { type: "tokens", maxTokens: 6_000 },
  RATIO,
  { ...RATIO, type: "refresh", everyMessages: 10 },
  { type: "cold-cache" },
  ...BUILT_IN_TRIGGERS,
];

const typesOf = (items: readonly { readonly type: string }[]): readonly string[] => items.map(({ type }) => type);

describe("decideNeed", () => {
  test("lists every trigger that fires, in order", () => {
    const decision = decideNeed(PRESSING, ALL, ON);
    expect(typesOf(decision.fired)).toEqual(typesOf(ALL));
    expect(decision.suppressed).toEqual([]);
    expect(decision.need).toBe("hard");
  });

  test(shows("S1-34", "returns a need for too many tokens, too many messages, or both"), () => {
    const windowed: readonly Trigger[] = [
      { type: "tokens", maxTokens: 6_000 },
      { type: "messages", maxMessages: 12 },
    ];
    const fired = (messages: number, conversationTokens: number) =>
      typesOf(decideNeed({ ...PRESSING, messages, conversationTokens }, windowed, ON).fired);
    expect(fired(12, 6_000)).toEqual([]);
    expect(fired(13, 6_000)).toEqual(["messages"]);
    expect(fired(12, 6_001)).toEqual(["tokens"]);
    expect(fired(13, 6_001)).toEqual(["tokens", "messages"]);
  });

  test("returns a soft need if every trigger that fires is soft", () => {
    expect(decideNeed(PRESSING, [{ type: "tokens", maxTokens: 6_000 }, { type: "cold-cache" }], ON).need).toBe("soft");
  });

  test("returns no need without triggers", () => {
    expect(decideNeed(PRESSING, [], ON)).toEqual({ need: "none", fired: [], suppressed: [] });
  });

  test(shows(["S3-135", "S4-32"], "applies only overflow, refusals and manual requests if compaction is off"), () => {
    const decision = decideNeed(PRESSING, ALL, OFF);
    expect(typesOf(decision.fired)).toEqual(["overflow", "refusal", "manual"]);
    expect(decision.suppressed).toHaveLength(6);
    for (const { why } of decision.suppressed) expect(why).toBe("compaction is switched off");
    const calm = { ...PRESSING, promptTokens: 95_000, refusal: undefined, isAsked: false };
    expect(decideNeed(calm, ALL, OFF)).toMatchObject({ need: "none", fired: [] });
  });

  test("holds soft triggers back after an undo", () => {
    const { need, fired, suppressed } = decideNeed(PRESSING, [{ type: "tokens", maxTokens: 6_000 }], HELD);
    expect({ need, fired }).toEqual({ need: "none", fired: [] });
    expect(suppressed).toEqual([
      { type: "tokens", why: "110000 tokens of conversation, more than 6000, but an undo holds it back" },
    ]);
  });

  test("does not hold back hard needs and manual requests after an undo, and says so in the reason", () => {
    const { need, fired, suppressed } = decideNeed(PRESSING, ALL, HELD);
    expect(need).toBe("hard");
    expect(typesOf(fired)).toEqual(["ratio", "overflow", "refusal", "manual"]);
    for (const { reason } of fired) expect(reason).toContain("an undo does not hold this trigger back");
    expect(typesOf(suppressed)).toEqual(["messages", "unsummarised", "tokens", "refresh", "cold-cache"]);
  });

  test("does not list a trigger as held if it would not fire", () => {
    const calm = { ...PRESSING, promptTokens: 50_000, messages: 2, summaryRecords: 3, messagesSinceCompaction: 0 };
    expect(decideNeed(calm, [RATIO], HELD)).toEqual({ need: "none", fired: [], suppressed: [] });
    expect(decideNeed(calm, [RATIO], OFF)).toEqual({ need: "none", fired: [], suppressed: [] });
  });
});

describe("decideNeed, for a ratio trigger", () => {
  const trigger = { ...RATIO, rearmAfterMessages: 8 };
  const everythingWrong: TriggerFacts = {
    ...PRESSING,
    promptTokens: 80_000,
    summaryRecords: 3,
    messages: 5,
    messagesSinceCompaction: 3,
    armed: false,
  };
  const whyOf = (facts: TriggerFacts, switches = ON) => decideNeed(facts, [trigger], switches).suppressed[0]?.why;

  test(shows("X-15", "checks enabled, emergency, depth, minimum, cooldown and armed in this order"), () => {
    expect(whyOf({ ...everythingWrong, promptTokens: 100_000 }, OFF)).toBe("compaction is switched off");
    expect(decideNeed({ ...everythingWrong, promptTokens: 100_000 }, [trigger], ON).need).toBe("hard");
    expect(whyOf(everythingWrong)).toContain("the chain has 3 of 3 summaries");
    const short = { ...everythingWrong, summaryRecords: 1 };
    expect(whyOf(short)).toContain("the view has 6 messages, fewer than 12");
    const early = { ...short, messages: 11 };
    expect(whyOf(early)).toContain("only 3 of 4 messages arrived");
    const disarmed = { ...early, messagesSinceCompaction: 4 };
    expect(whyOf(disarmed)).toContain("it was not below 0.7");
    const ready = { ...disarmed, armed: true };
    expect(decideNeed(ready, [trigger], ON)).toMatchObject({ need: "soft", suppressed: [] });
    expect(decideNeed({ ...ready, promptTokens: 79_999 }, [trigger], ON).need).toBe("none");
  });
});

const RANK: Readonly<Record<Need, number>> = { none: 0, soft: 1, hard: 2 };
const counts = fc.integer({ min: 0, max: 60 });
const tokens = fc.integer({ min: 0, max: 200_000 });
const ratios = fc.double({ min: 0.01, max: 1, noNaN: true });

const facts: fc.Arbitrary<TriggerFacts> = fc.record({
  messages: counts,
  textMessages: counts,
  summaryRecords: fc.integer({ min: 0, max: 5 }),
  promptTokens: tokens,
  conversationTokens: tokens,
  windowTokens: tokens,
  budgetTokens: tokens,
  limitTokens: tokens,
  messagesSinceCompaction: fc.option(counts, { nil: undefined }),
  armed: fc.boolean(),
  sinceRequestMs: fc.option(fc.integer({ min: 0, max: 1_000_000 }), { nil: undefined }),
  cacheTtlMs: fc.constantFrom(300_000, 3_600_000),
  refusal: fc.option(fc.constant({}), { nil: undefined }),
  isAsked: fc.boolean(),
});

const guards = {
  minMessages: counts,
  cooldownMessages: counts,
  maxSummaryChainDepth: fc.integer({ min: 1, max: 4 }),
  onDepthCap: fc.constantFrom("fold" as const, "stop" as const, "truncate" as const),
};

const automatic: fc.Arbitrary<Trigger> = fc.oneof(
  fc.record({ type: fc.constant("messages" as const), maxMessages: counts }),
  fc.record({ type: fc.constant("tokens" as const), maxTokens: tokens }),
  fc.record({
    type: fc.constant("unsummarised" as const),
    threshold: counts,
    countMode: fc.constantFrom("unsummarized" as const, "beyondTail" as const),
    tailMessages: counts,
  }),
  fc.record({
    ...guards,
    type: fc.constant("ratio" as const),
    of: fc.constantFrom("window" as const, "budget" as const),
    triggerRatio: ratios,
    resetRatio: ratios,
    rearmAfterMessages: fc.option(counts, { nil: undefined }),
  }),
  fc.record({ ...guards, type: fc.constant("refresh" as const), everyMessages: counts }),
  fc.record({ type: fc.constant("cold-cache" as const), fromRatio: fc.option(ratios, { nil: undefined }) }),
);
const triggers = fc.array(fc.oneof(automatic, fc.constantFrom(...BUILT_IN_TRIGGERS)), { maxLength: 8 });
const switches = fc.record({ enabled: fc.boolean(), holdSoft: fc.boolean() });

type Check = (known: TriggerFacts, asked: readonly Trigger[], switched: typeof ON) => void;
const always = (check: Check): void =>
  fc.assert(fc.property(facts, triggers, switches, check), { numRuns: propertyRuns() });

describe("decideNeed, for any facts", () => {
  test("returns the same decision for the same facts, and for triggers parsed from JSON", () => {
    always((known, asked, switched) => {
      const decision = decideNeed(known, asked, switched);
      expect(decideNeed(known, asked, switched)).toEqual(decision);
      expect(decideNeed(known, JSON.parse(JSON.stringify(asked)), switched)).toEqual(decision);
    });
  });

  test("returns the most urgent need, and lists each trigger as fired or held but never both", () => {
    always((known, asked, switched) => {
      const { need, fired, suppressed } = decideNeed(known, asked, switched);
      expect(RANK[need]).toBe(Math.max(0, ...fired.map((firing) => RANK[firing.need])));
      expect(fired.length + suppressed.length).toBeLessThanOrEqual(asked.length);
      for (const { reason } of fired) expect(reason).not.toMatch(/NaN|undefined|^$/u);
      for (const { why } of suppressed) expect(why).not.toMatch(/NaN|undefined|^$/u);
    });
  });

  test("never returns a lower need if the prompt has more tokens", () => {
    fc.assert(
      fc.property(facts, triggers, switches, tokens, (known, asked, switched, more) => {
        const larger = {
          ...known,
          promptTokens: known.promptTokens + more,
          conversationTokens: known.conversationTokens + more,
        };
        const before = decideNeed(known, asked, switched).need;
        expect(RANK[decideNeed(larger, asked, switched).need]).toBeGreaterThanOrEqual(RANK[before]);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("returns no need if compaction is off, the prompt fits, and there was no refusal or request", () => {
    fc.assert(
      fc.property(facts, triggers, fc.boolean(), (known, asked, holdSoft) => {
        const fitting = { ...known, limitTokens: known.promptTokens, refusal: undefined, isAsked: false };
        expect(decideNeed(fitting, asked, { enabled: false, holdSoft })).toMatchObject({ need: "none", fired: [] });
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("returns a hard need for a prompt that does not fit, even if compaction is off or held back", () => {
    always((known, asked, switched) => {
      const overfull = { ...known, promptTokens: known.limitTokens + 1 };
      expect(decideNeed(overfull, [...asked, ...BUILT_IN_TRIGGERS], switched).need).toBe("hard");
    });
  });
});
