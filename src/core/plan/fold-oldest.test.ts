import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countByCharacters, viewOf } from "../../../test/support/core-values.ts";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { DEFAULT_POLICY } from "../../policies/default-policy.ts";
import { messageBuilder } from "../../testing/builders.ts";
import { histories } from "../../testing/generate-histories.ts";
import { findCoveredSeq } from "../log/head.ts";
import type { View } from "../log/view.ts";
import type { Message } from "../message/message.ts";
import { startAssembly } from "../prompt/assemble-prompt.ts";
import type { SummaryRecord } from "../summary/record/record.ts";
import { countPart } from "../tokens/count-message.ts";
import { charsOverFour } from "../tokens/rough-counters.ts";
import type { CompactionNeed } from "./compaction-need.ts";
import { findRoundBorders } from "./find-tail.ts";
import { type FoldOutcome, foldOldest } from "./fold-oldest.ts";
import type { PlanSettings, SummaryRenderer } from "./plan-settings.ts";
import type { Change } from "./proposal.ts";
import type { BoundaryAnswer, SummaryAnswer, SummaryTask } from "./staircase.ts";
import { startTentativeView } from "./tentative-view.ts";

const count = countByCharacters;
const { aUserMessage, anAssistantMessage, aSystemMessage, aRound } = messageBuilder();

/** Sets every field that this step reads. */
const SETTINGS: PlanSettings = {
  ...DEFAULT_POLICY,
  tail: { messages: 4 },
  span: "to-target",
  summary: { ...DEFAULT_POLICY.summary, maxTokens: 4_000, ratio: 0.2, smallTokens: 0 },
  topics: { mode: "fallback", detector: "offline", minConfidence: 0.5 },
  keepOpenRequest: true,
  shrinksBy: "tokens",
};
const NEED: CompactionNeed = {
  urgency: "hard",
  maySummarize: true,
  limitTokens: 2_000,
  targetTokens: 1_000,
  settings: SETTINGS,
  reason: "did not fit",
  measure: (view) => startAssembly(view, count).tokens,
  uncalibrate: (tokens) => tokens,
  count,
  countPart: (part) => countPart(part, charsOverFour),
  *countAhead() {
    yield undefined;
  },
  describeFloor: () => [],
};

interface Answers {
  readonly summary?: ((task: SummaryTask) => SummaryAnswer) | undefined;
  readonly boundary?: BoundaryAnswer | undefined;
}

interface FoldRun extends FoldOutcome {
  readonly start: FoldOutcome["now"];
  readonly tasks: readonly SummaryTask[];
  /** The number of messages in each request for a boundary. */
  readonly lookedAt: readonly number[];
}

const NOWHERE: BoundaryAnswer = { index: undefined, confidence: 0, reason: "The topic did not change." };

function fold(view: View, wish: Partial<CompactionNeed> = {}, { summary = written, boundary = NOWHERE }: Answers = {}) {
  const need = { ...NEED, ...wish };
  const start = startTentativeView(view, need);
  const tasks: SummaryTask[] = [];
  const lookedAt: number[] = [];
  const work = foldOldest(start, need);
  for (;;) {
    const step = work.next();
    if (step.done === true) return { ...step.value, start, tasks, lookedAt } satisfies FoldRun;
    if (step.value?.type === "summary") {
      tasks.push(step.value.task);
      step.value.reply(summary(step.value.task));
    } else if (step.value?.type === "boundary") {
      lookedAt.push(step.value.messages.length);
      step.value.reply(boundary);
    }
  }
}

const FACETS = { constraints: [], decisions: [], actionItems: [], unresolved: [], entities: [], participants: [] };

/** A record with the given number of tokens, or else with the cap. */
function recordOf(task: SummaryTask, tokens = task.capTokens): SummaryRecord {
  const { stretch, previous, coverage, omitted, reason, tokensBefore, keepsDepth } = task;
  return {
    id: `s${coverage.lastSeq}`,
    at: 0,
    depth: previous === undefined ? 0 : previous.depth + (keepsDepth ? 0 : 1),
    coverage: { ...coverage, chainHash: "" },
    messageIds: stretch.map(({ id }) => id),
    text: "s".repeat(4 * tokens),
    keyPoints: [],
    facets: { ...FACETS, done: [] },
    strategy: "offline",
    reason,
    tokensBefore,
    tokensAfter: tokens,
    omitted,
  };
}

const written = (task: SummaryTask): SummaryAnswer => ({ type: "written", record: recordOf(task) });
const writtenWith = (tokens: number) => (task: SummaryTask) =>
  ({ type: "written", record: recordOf(task, tokens) }) as const;
const failed = (): SummaryAnswer => ({ type: "failed", reason: "No model could be reached." });

/** Messages of 100 tokens each, by the user and the assistant in turn. */
const talk = (length: number): readonly Message[] =>
  Array.from({ length }, (_, index) =>
    index % 2 === 0 ? aUserMessage("q".repeat(384)) : anAssistantMessage("a".repeat(384)),
  );
const truncated = (firstSeq: number, lastSeq: number): Change => ({
  type: "truncate",
  coverage: { firstSeq, lastSeq, count: lastSeq - firstSeq + 1 },
  coveredTokens: 100 * (lastSeq - firstSeq + 1),
  keptRequests: [],
  reason: "did not fit",
});
const summarized = (lastSeq: number, fields: Partial<SummaryRecord> = {}): Change => {
  const coverage = { firstSeq: 1, lastSeq, count: lastSeq };
  const task = { stretch: [], previous: undefined, coverage, omitted: undefined, capTokens: 100 };
  const rest = { replacedTokens: undefined, tokensBefore: 100 * lastSeq, keepsDepth: false, reason: "too long" };
  return { type: "summary", record: { ...recordOf({ ...task, ...rest }), ...fields }, keptRequests: [] };
};
const withSummary = (summary: Partial<PlanSettings["summary"]>): PlanSettings => ({
  ...SETTINGS,
  summary: { ...SETTINGS.summary, ...summary },
});
const withTopics = (mode: PlanSettings["topics"]["mode"], minConfidence = 0.5): PlanSettings => ({
  ...SETTINGS,
  topics: { mode, detector: "offline", minConfidence },
});
const at = (index: number, confidence = 0.9): BoundaryAnswer => ({ index, confidence, reason: "Another task." });
const lastSeqOf = ({ now }: FoldOutcome): number => findCoveredSeq(now.view.head);
const typesOf = ({ now }: FoldOutcome): readonly string[] => now.changes.map(({ type }) => type);

describe("foldOldest, the stretch", () => {
  const view = viewOf(talk(20));

  test("with span `to-target`, folds as few rounds as the target requires, including the summary", () => {
    const folded = fold(view);
    expect(lastSeqOf(folded)).toBe(15);
    expect(folded.now.tokens).toBeLessThanOrEqual(1_000);
    const lessFolded = folded.start.tokens - 14 * 100 + 400;
    expect(lessFolded).toBeGreaterThanOrEqual(1_000);
  });

  test("folds fewer messages if the summary is smaller", () => {
    const settings = withSummary({ maxTokens: 100 });
    expect(lastSeqOf(fold(view, { settings }))).toBe(12);
  });

  test("with span `before-tail`, folds all messages before the tail", () => {
    expect(lastSeqOf(fold(view, { settings: { ...SETTINGS, span: "before-tail" } }))).toBe(16);
  });

  test("with span `half`, folds the messages that have the oldest half of the tokens", () => {
    const settings: PlanSettings = { ...SETTINGS, span: "half" };
    expect(lastSeqOf(fold(view, { settings, targetTokens: 1_500 }))).toBe(10);
    const uneven = viewOf([aUserMessage("q".repeat(3_984)), ...talk(10)]);
    expect(lastSeqOf(fold(uneven, { settings, targetTokens: 1_500 }))).toBe(1);
  });

  test.each(["to-target", "before-tail", "half"] as const)("with span `%s`, does not split a round", (span) => {
    const rounds = Array.from({ length: 10 }, (_, index) =>
      aRound([{ callId: `c${index}`, output: "x".repeat(384) }]),
    ).flat();
    const conversation = viewOf([aUserMessage("Look."), ...rounds]);
    const borders = findRoundBorders(conversation.messages);
    for (const targetTokens of [400, 600, 800]) {
      const folded = fold(conversation, { settings: { ...SETTINGS, span }, limitTokens: 1_000, targetTokens });
      expect(typesOf(folded)).toEqual(["summary"]);
      expect(borders).toContain(lastSeqOf(folded));
    }
  });

  test.each(["to-target", "before-tail", "half"] as const)(
    "with span `%s`, folds part of the tail if the messages before it are not enough",
    (span) => {
      const settings: PlanSettings = { ...SETTINGS, span, tail: { messages: 12 } };
      expect(lastSeqOf(fold(view, { settings }))).toBe(15);
    },
  );

  test.each([{ targetRatio: 1 }, withSummary({ secondPass: true })])(
    "with span `before-tail` and targetRatio 1 or a second pass, folds the tail only if it leaves no room for a summary",
    (wish) => {
      const settings: PlanSettings = { ...SETTINGS, ...wish, span: "before-tail", tail: { messages: 12 } };
      const tight = fold(view, { settings, limitTokens: 1_350 });
      expect(lastSeqOf(tight)).toBe(8);
      expect(tight.tasks[0]?.capTokens).toBeLessThanOrEqual(1_350 - 12 * 100);
      expect(lastSeqOf(fold(view, { settings, limitTokens: 1_200 }))).toBeGreaterThan(8);
    },
  );

  test("with span `to-target`, requests no summary for a soft need if folding before the tail is not enough", () => {
    const folded = fold(view, { settings: { ...SETTINGS, tail: { messages: 12 } }, urgency: "soft" });
    expect(folded.now).toBe(folded.start);
    expect(folded.failure).toMatch(/would not reach the target/);
    expect(folded.tasks).toEqual([]);
  });

  test.each(["before-tail", "half"] as const)(
    "with span `%s`, folds up to the tail for a soft need, even if the target is not reached",
    (span) => {
      const settings: PlanSettings = { ...SETTINGS, span, tail: { messages: 12 } };
      const folded = fold(view, { settings, urgency: "soft" });
      expect(lastSeqOf(folded)).toBe(8);
      expect(folded.now.tokens).toBeGreaterThan(1_000);
    },
  );

  test.each(["to-target", "before-tail", "half"] as const)(
    "with span `%s`, folds nothing if all messages are in the tail",
    (span) => {
      const settings: PlanSettings = { ...SETTINGS, span, tail: { messages: 20 } };
      const folded = fold(view, { settings, urgency: "soft" });
      expect(folded.now).toBe(folded.start);
      expect(folded.failure).toBe("Nothing to summarize before the newest messages.");
      expect(folded.tasks).toEqual([]);
    },
  );

  test("keeps the last two requests in the view if they are covered", () => {
    const rounds = Array.from({ length: 10 }, (_, index) =>
      aRound([{ callId: `c${index}`, output: "x".repeat(600) }]),
    ).flat();
    const conversation = viewOf([
      aUserMessage("First."),
      anAssistantMessage("Yes?"),
      aUserMessage("Do it."),
      ...rounds,
    ]);
    const folded = fold(conversation);
    expect(folded.now.view.kept.map(({ seq }) => seq)).toEqual([1, 3]);
    const settings = { ...SETTINGS, keepOpenRequest: false };
    expect(fold(conversation, { settings }).now.view.kept).toEqual([]);
  });
});

describe("foldOldest, the summary task", () => {
  const taskOf = (view: View, wish: Partial<CompactionNeed> = {}): SummaryTask => {
    const { tasks } = fold(view, wish);
    expect(tasks).toHaveLength(1);
    return tasks[0] ?? raise();
  };

  test("contains the messages, their tokens and their coverage", () => {
    const view = viewOf(talk(20));
    expect(taskOf(view)).toEqual({
      stretch: view.messages.slice(0, 15).map(({ message }) => message),
      previous: undefined,
      coverage: { firstSeq: 1, lastSeq: 15, count: 15 },
      omitted: undefined,
      capTokens: 400,
      replacedTokens: expect.any(Number),
      tokensBefore: 1_500,
      keepsDepth: false,
      reason: "did not fit",
    });
  });

  test("contains the original messages, even if they are shown pruned", () => {
    const messages = talk(20);
    const view = viewOf(messages, {
      type: "prune",
      prunes: [
        {
          seq: 1,
          messageId: messages[0]?.id ?? "",
          partIndex: 0,
          fate: "pruned",
          replacement: { type: "text", text: "[removed]" },
          reason: "bulky",
        },
      ],
      reason: "did not fit",
    });
    expect(taskOf(view).stretch[0]).toEqual(messages[0]);
  });

  test("does not contain the instructions at the start", () => {
    const view = viewOf([aSystemMessage("Be brief."), ...talk(20)]);
    const { stretch, coverage } = taskOf(view);
    expect(stretch.map(({ role }) => role)).not.toContain("system");
    expect(coverage.count).toBe(stretch.length);
    expect(fold(view).now.view.kept.map(({ seq }) => seq)).toEqual([1]);
  });

  test("includes the previous summary, its coverage and its tokens", () => {
    const view = viewOf(talk(24), summarized(4));
    const task = taskOf(view);
    const { lastSeq } = task.coverage;
    expect(task.previous?.id).toBe("s4");
    expect(task.coverage).toEqual({ firstSeq: 1, lastSeq, count: lastSeq });
    expect(task.stretch).toHaveLength(lastSeq - 4);
    expect(task.tokensBefore).toBe(100 * lastSeq);
    expect(task.omitted).toBeUndefined();
  });

  test("counts messages of an earlier truncation as covered and as omitted", () => {
    const task = taskOf(viewOf(talk(24), truncated(1, 4)));
    const { lastSeq } = task.coverage;
    expect(task.coverage).toEqual({ firstSeq: 1, lastSeq, count: lastSeq });
    expect(task.stretch).toHaveLength(lastSeq - 4);
    expect(task.omitted).toEqual({ count: 4, tokens: 400 });
    expect(task.tokensBefore).toBe(100 * lastSeq);
  });

  test("adds messages truncated after a summary to those that the summary omitted", () => {
    const omitted = { count: 2, tokens: 200 };
    const task = taskOf(viewOf(talk(26), summarized(4, { omitted }), truncated(5, 7)));
    const { lastSeq } = task.coverage;
    expect(task.omitted).toEqual({ count: 5, tokens: 500 });
    expect(task.coverage).toEqual({ firstSeq: 1, lastSeq, count: lastSeq });
  });

  test("caps the summary at `ratio` of the limit and at `maxTokens`", () => {
    const capOf = (summary: Partial<PlanSettings["summary"]>) =>
      taskOf(viewOf(talk(20)), { settings: withSummary(summary) }).capTokens;
    expect(capOf({ ratio: 0.1, maxTokens: 4_000 })).toBe(200);
    expect(capOf({ ratio: 0.2, maxTokens: 150 })).toBe(150);
  });

  test("caps the summary below the tokens that it replaces", () => {
    const view = viewOf([...talk(3), aUserMessage("q".repeat(3_600))]);
    const { capTokens, replacedTokens = 0 } = taskOf(view, { targetTokens: 1_350 });
    expect(replacedTokens).toBeLessThan(400);
    expect(capTokens).toBe(Math.floor(replacedTokens * 0.75));
  });

  test("gives the cap in tokens of the counter, without the learned factor", () => {
    const uncalibrate = (tokens: number) => Math.floor(tokens / 1.25);
    expect(taskOf(viewOf(talk(20)), { uncalibrate }).capTokens).toBe(320);
  });

  test("does not cap the summary below the replaced tokens if the policy counts messages", () => {
    const settings: PlanSettings = { ...SETTINGS, shrinksBy: "messages" };
    const view = viewOf([...talk(3), aUserMessage("q".repeat(3_600))]);
    expect(taskOf(view, { settings, targetTokens: 1_350 })).toMatchObject({
      capTokens: 400,
      replacedTokens: undefined,
    });
  });

  test("keeps the depth of a chain that is at its depth cap", () => {
    const view = viewOf(talk(24), summarized(4, { depth: 3 }));
    expect(taskOf(view, { atDepthCap: "fold" }).keepsDepth).toBe(true);
    expect(fold(view, { atDepthCap: "fold" }).now.view.head.summary?.depth).toBe(3);
    expect(fold(view).now.view.head.summary?.depth).toBe(4);
  });

  test("is not created if the cap is below 24 tokens", () => {
    const asked = (maxTokens: number) => fold(viewOf(talk(20)), { settings: withSummary({ maxTokens }) }).tasks.length;
    expect([23, 24].map(asked)).toEqual([0, 1]);
    expect(fold(viewOf(talk(20)), { settings: withSummary({ maxTokens: 23 }) }).failure).toMatch(/no room/);
  });

  test("is not created if there are no messages to fold", () => {
    for (const view of [viewOf([]), viewOf(talk(1)), viewOf([aSystemMessage("x".repeat(800)), ...talk(1)])]) {
      const folded = fold(view, { targetTokens: 10 });
      expect([folded.now, folded.tasks]).toEqual([folded.start, []]);
    }
  });
});

describe("foldOldest, the answer of the summarizer", () => {
  const view = viewOf(talk(20));

  test("replaces the messages with the summary, and records the last seq that was read", () => {
    const { now, tasks } = fold(view);
    const record = tasks[0] === undefined ? undefined : recordOf(tasks[0]);
    expect(now.changes).toEqual([{ type: "summary", record, keptRequests: [], readThroughSeq: 20 }]);
    expect(now.view.messages.map(({ seq }) => seq)).toEqual([16, 17, 18, 19, 20]);
  });

  test("replaces an earlier truncation and an earlier summary with the new summary", () => {
    const { now } = fold(viewOf(talk(26), summarized(4), truncated(5, 7)));
    expect(now.view.head.truncation).toBeUndefined();
    expect(now.view.head.summary?.coverage.firstSeq).toBe(1);
  });

  test("returns the same view and the reason if the summarizer failed", () => {
    const folded = fold(view, {}, { summary: failed });
    expect(folded.now).toBe(folded.start);
    expect(folded.failure).toBe("No model could be reached.");
  });

  test("treats a missing answer as a failure", () => {
    const start = startTentativeView(view, NEED);
    const work = foldOldest(start, NEED);
    let step = work.next();
    while (step.done !== true) step = work.next();
    expect(step.value).toEqual({ now: start, failure: "The request was not answered." });
  });

  test("discards a summary that does not make the prompt smaller, unless the policy counts messages", () => {
    const large = { summary: writtenWith(1_600) };
    const folded = fold(view, {}, large);
    expect(folded.now).toBe(folded.start);
    expect(folded.failure).toMatch(/did not make the prompt smaller/);
    const settings: PlanSettings = { ...SETTINGS, shrinksBy: "messages" };
    expect(typesOf(fold(view, { settings }, large))).toEqual(["summary"]);
  });
});

describe("foldOldest, with topic mode `first`", () => {
  const view = viewOf(talk(20));
  const settings = withTopics("first");

  test("drops all messages before a boundary in the tail, without a summary", () => {
    const folded = fold(view, { settings }, { boundary: at(18) });
    expect(folded.lookedAt).toEqual([20]);
    expect(typesOf(folded)).toEqual(["truncate"]);
    expect(lastSeqOf(folded)).toBe(18);
    expect(folded.tasks).toEqual([]);
  });

  test("drops the older summary too, and still covers its messages", () => {
    const folded = fold(viewOf(talk(20), summarized(4)), { settings }, { boundary: at(14) });
    expect(folded.now.view.head.summary).toBeUndefined();
    expect(folded.now.view.head.truncation?.coverage).toEqual({ firstSeq: 1, lastSeq: 18, count: 18 });
  });

  test.each([
    ["before the tail", at(15)],
    ["with low confidence", at(18, 0.49)],
    ["at the first message", at(0)],
    ["that was not found", NOWHERE],
  ])("writes a summary for a boundary %s", (_, boundary) => {
    const folded = fold(view, { settings }, { boundary });
    expect(typesOf(folded)).toEqual(["summary"]);
    expect(folded.lookedAt).toEqual([20]);
  });

  test("uses a boundary only if it has the confidence that the policy requires", () => {
    const strict = withTopics("first", 0.8);
    expect(typesOf(fold(view, { settings: strict }, { boundary: at(18, 0.79) }))).toEqual(["summary"]);
    expect(typesOf(fold(view, { settings: strict }, { boundary: at(18, 0.8) }))).toEqual(["truncate"]);
  });

  test("does not drop exchanges that the policy keeps", () => {
    const keeping = { ...settings, tail: { messages: 4, exchanges: 2 } };
    expect(lastSeqOf(fold(view, { settings: keeping }, { boundary: at(18) }))).toBe(16);
  });

  test("does not split a round", () => {
    const rounds = ["a", "b"].flatMap((callId) => aRound([{ callId, output: "x".repeat(384) }]));
    const conversation = viewOf([...talk(16), ...rounds]);
    expect(lastSeqOf(fold(conversation, { settings }, { boundary: at(19) }))).toBe(18);
  });
});

describe("foldOldest, with topic mode `fallback`", () => {
  const view = viewOf(talk(20));
  const settings = { ...withTopics("fallback"), tail: { messages: 12 } };

  test("requests no boundary if folding before the tail is enough", () => {
    expect(fold(view, { settings: withTopics("fallback") }, { boundary: at(17) })).toMatchObject({ lookedAt: [] });
  });

  test("folds the tail up to the boundary if that is enough", () => {
    const folded = fold(view, { settings }, { boundary: at(17) });
    expect(folded.lookedAt).toEqual([20]);
    expect([typesOf(folded), lastSeqOf(folded)]).toEqual([["summary"], 17]);
  });

  test.each([
    ["that saves too little", at(12)],
    ["with low confidence", at(17, 0.49)],
    ["that was not found", NOWHERE],
  ])("ignores a boundary %s, and folds as few rounds as the target requires", (_, boundary) => {
    const folded = fold(view, { settings }, { boundary });
    expect([typesOf(folded), lastSeqOf(folded)]).toEqual([["summary"], 15]);
  });

  test("requests no boundary for a soft need, or if topics are off", () => {
    expect(fold(view, { settings, urgency: "soft" }, { boundary: at(17) }).lookedAt).toEqual([]);
    const off = { ...withTopics("off"), tail: { messages: 12 } };
    expect(fold(view, { settings: off }, { boundary: at(17) }).lookedAt).toEqual([]);
  });
});

describe("foldOldest, in a second pass", () => {
  const view = viewOf(talk(20), summarized(16, { text: "s".repeat(1_600), tokensAfter: 400 }));
  const wish = { urgency: "soft", targetTokens: 850 } as const;

  test("rewrites the summary if there are no messages between it and the tail", () => {
    const folded = fold(view, { ...wish, isSecondPass: true }, { summary: writtenWith(100) });
    expect(folded.tasks).toMatchObject([
      { stretch: [], previous: { id: "s16" }, coverage: { firstSeq: 1, lastSeq: 16, count: 16 } },
    ]);
    expect(folded.now.view.head.summary?.depth).toBe(1);
    expect(folded.now.view.messages.map(({ seq }) => seq)).toEqual([17, 18, 19, 20]);
    expect(folded.now.tokens).toBeLessThan(folded.start.tokens);
  });

  test("requests a summary that is smaller than the previous one", () => {
    const { capTokens = 0 } = fold(view, { ...wish, isSecondPass: true }).tasks[0] ?? {};
    expect(capTokens).toBeGreaterThan(100);
    expect(capTokens).toBeLessThan(400);
  });

  const RENDERERS: readonly SummaryRenderer[] = [
    { type: "data" },
    { type: "system" },
    { type: "system", tag: "summary-depth" },
    { type: "tagged-user", tag: "conversation-summary" },
    { type: "pair", prefix: "[Earlier conversation summary: ", suffix: "]", acknowledgement: "Understood." },
  ];

  test.each(RENDERERS)("makes the prompt smaller even with a summary as large as its cap (%j)", (renderer) => {
    const measure = (shown: View) => startAssembly(shown, count, renderer).tokens;
    const folded = fold(view, { ...wish, isSecondPass: true, measure });
    expect(folded.tasks[0]?.capTokens).toBe(399);
    expect(folded.start.tokens - folded.now.tokens).toBe(1);
  });

  test("does not rewrite the summary without isSecondPass", () => {
    const folded = fold(view, wish);
    expect([folded.now, folded.tasks]).toEqual([folded.start, []]);
  });

  test("changes nothing if there is neither a summary nor a message before the tail", () => {
    const folded = fold(viewOf(talk(4)), { ...wish, isSecondPass: true });
    expect([folded.now, folded.tasks]).toEqual([folded.start, []]);
  });

  test("folds messages that a longer tail kept, if tailMessages is smaller", () => {
    const folded = fold(view, { ...wish, targetTokens: 750, tailMessages: 2 }, { summary: writtenWith(100) });
    expect(lastSeqOf(folded)).toBe(18);
  });
});

describe("foldOldest, for any view", () => {
  const cases = fc.record({
    history: histories({ maxTurns: 8, longestCharacters: 2_000 }),
    span: fc.constantFrom("to-target", "before-tail", "half"),
    urgency: fc.constantFrom("soft", "hard"),
    messages: fc.nat({ max: 8 }),
    share: fc.constantFrom(0.9, 0.7, 0.5, 0.3),
  });

  test("makes the prompt smaller, covers all messages that it hides, and keeps the tail for a soft need", () => {
    const outcomes = { folded: 0, left: 0 };
    fc.assert(
      fc.property(cases, ({ history, span, urgency, messages, share }) => {
        const view = viewOf(history.map((message, index) => ({ ...message, id: `m${index}` })));
        const whole = NEED.measure(view);
        const settings = { ...SETTINGS, span, tail: { messages } };
        const limitTokens = Math.floor(whole * share);
        const wish = { urgency, settings, limitTokens, targetTokens: Math.floor(limitTokens * 0.6) };
        const { now, start, failure } = fold(view, wish);
        outcomes[now === start ? "left" : "folded"] += 1;
        if (now === start) {
          expect(failure).toBeDefined();
          return;
        }
        expect(now.tokens).toBeLessThan(start.tokens);
        const shown = new Set([...now.view.kept, ...now.view.messages].map(({ seq }) => seq));
        const hidden = view.messages.map(({ seq }) => seq).filter((seq) => !shown.has(seq));
        expect(hidden.every((seq) => seq <= findCoveredSeq(now.view.head))).toBe(true);
        if (urgency === "soft")
          expect(now.view.messages.length).toBeGreaterThanOrEqual(Math.min(messages, history.length));
      }),
      { numRuns: propertyRuns() },
    );
    expect(Math.min(...Object.values(outcomes))).toBeGreaterThan(30);
  });
});

function raise(): never {
  throw new TypeError("Expected a summary task.");
}
