import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countByCharacters, viewOf } from "../../../test/support/core-values.ts";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { DEFAULT_POLICY } from "../../policies/default-policy.ts";
import { messageBuilder } from "../../testing/builders.ts";
import { fractions, histories } from "../../testing/generate-histories.ts";
import { findCoveredSeq, findViewFloorSeq } from "../log/head.ts";
import { reviseView, type View } from "../log/view.ts";
import { groupRounds } from "../message/group-messages.ts";
import type { Message, Part } from "../message/message.ts";
import { startAssembly } from "../prompt/assemble-prompt.ts";
import type { SummaryRecord } from "../summary/record/record.ts";
import { countPart as countPartWith } from "../tokens/count-message.ts";
import { charsOverFour } from "../tokens/rough-counters.ts";
import type { CompactionNeed } from "./compaction-need.ts";
import { findPreferredTail } from "./find-tail.ts";
import type { PlanSettings } from "./plan-settings.ts";
import { type Change, foldChanges, type Proposal } from "./proposal.ts";
import { type ProposalOutcome, proposeCompaction } from "./propose-compaction.ts";
import type { BoundaryAnswer, Staircase, SummaryAnswer, SummaryTask } from "./staircase.ts";

const { aUserMessage, aSystemMessage, anAssistantMessage, aRound, anExchange } = messageBuilder();
const count = countByCharacters;
const countPart = (part: Part): number => countPartWith(part, charsOverFour);

/** Sets every field that the staircase reads. */
const SETTINGS: PlanSettings = {
  ...DEFAULT_POLICY,
  targetRatio: 0.6,
  tail: { messages: 2 },
  span: "to-target",
  pruneFirst: true,
  prune: { minimumTokens: 50, exemptTools: [] },
  summary: { ...DEFAULT_POLICY.summary, maxTokens: 4_000, ratio: 0.2, smallTokens: 0 },
  topics: { mode: "off", detector: "offline", minConfidence: 0.5 },
  keepOpenRequest: true,
  shrinksBy: "tokens",
};

const NEED: Omit<CompactionNeed, "limitTokens" | "targetTokens"> = {
  urgency: "hard",
  maySummarize: true,
  settings: SETTINGS,
  reason: "did not fit",
  measure: measureView,
  uncalibrate: (tokens) => tokens,
  count,
  countPart,
  *countAhead() {
    yield undefined;
  },
  describeFloor: (view) => [{ name: "history", tokens: measureView(view) }],
};

function measureView(view: View): number {
  const assembler = startAssembly(view, count);
  return assembler.tokens + assembler.closing().reduce((sum, item) => sum + item.tokens, 0);
}

type WriteSummary = (task: SummaryTask) => SummaryAnswer;

const failed: WriteSummary = () => ({ type: "failed", reason: "No model could be reached." });
const written: WriteSummary = (task) => ({ type: "written", record: recordOf(task) });
const NOWHERE: BoundaryAnswer = { index: undefined, confidence: 0, reason: "The topic did not change." };

interface Wish extends Partial<CompactionNeed> {
  readonly limitTokens: number;
  /** By default no summary can be written. */
  readonly write?: WriteSummary | undefined;
  readonly boundary?: BoundaryAnswer | undefined;
}

/** Runs the staircase and answers its requests. */
function drive<Result>(staircase: Staircase<Result>, { write = failed, boundary = NOWHERE }: Partial<Wish>): Result {
  for (;;) {
    const step = staircase.next();
    if (step.done === true) return step.value;
    if (step.value?.type === "summary") step.value.reply(write(step.value.task));
    else if (step.value?.type === "boundary") step.value.reply(boundary);
  }
}

function propose(view: View, wish: Wish): ProposalOutcome {
  const targetTokens = Math.floor(wish.limitTokens * (wish.settings ?? SETTINGS).targetRatio);
  return drive(proposeCompaction(view, { ...NEED, targetTokens, ...wish }), wish);
}

function requireProposal(view: View, wish: Wish): Proposal {
  const outcome = propose(view, wish);
  if (outcome.type !== "proposal") throw new TypeError(`There is no proposal: ${JSON.stringify(outcome)}`);
  return outcome;
}

function neverAsked(): never {
  throw new TypeError("Expected no summary request.");
}

const FACETS = { constraints: [], decisions: [], actionItems: [], unresolved: [], entities: [], participants: [] };

/** A record as large as the cap allows. */
function recordOf({ stretch, previous, coverage, omitted, ...task }: SummaryTask): SummaryRecord {
  return {
    id: `s${coverage.lastSeq}`,
    at: 0,
    depth: previous === undefined ? 0 : previous.depth + (task.keepsDepth ? 0 : 1),
    coverage: { ...coverage, chainHash: "" },
    messageIds: stretch.map(({ id }) => id),
    text: "s".repeat(4 * task.capTokens),
    keyPoints: [],
    facets: { ...FACETS, done: [] },
    strategy: "offline",
    reason: task.reason,
    tokensBefore: task.tokensBefore,
    tokensAfter: task.capTokens,
    omitted,
  };
}

const apply = (view: View, { changes }: Proposal): View => reviseView(view, foldChanges(view.head, changes), { count });
const typesOf = ({ changes }: Proposal): readonly string[] => changes.map(({ type }) => type);
const pin = (messageId: string, ...seqs: readonly number[]): Change => ({
  type: "pin",
  target: { type: "messages", messageId, seqs },
});
const talk = (exchanges: number, characters = 400): readonly Message[] =>
  Array.from({ length: exchanges }, () => anExchange("q".repeat(characters), "a".repeat(characters))).flat();
const withPrune = (prune: Partial<PlanSettings["prune"]>): PlanSettings => ({
  ...SETTINGS,
  prune: { ...SETTINGS.prune, ...prune },
});

describe("proposeCompaction, the `prune` step", () => {
  const looked = (failed: boolean): readonly Message[] => [
    aUserMessage("Look."),
    ...aRound([{ callId: "a", tool: "read_file", output: "x".repeat(4_000), failed }]),
    ...anExchange("Thanks.", "Welcome."),
    aUserMessage("Bye."),
  ];

  test("is the only step if pruning tool output before the tail is enough", () => {
    const view = viewOf(looked(false));
    const proposal = requireProposal(view, { limitTokens: 1_040 });
    expect(proposal.steps).toEqual(["prune"]);
    expect(typesOf(proposal)).toEqual(["prune"]);
    expect(proposal.tokensBefore).toBe(measureView(view));
    const fates = apply(view, proposal).messages.map(({ fate }) => fate);
    expect(fates).toEqual(["verbatim", "verbatim", "pruned", "verbatim", "verbatim", "verbatim"]);
  });

  test("is skipped if the prompt is already small enough", () => {
    expect(requireProposal(viewOf(looked(false)), { limitTokens: 2_000 }).changes).toEqual([]);
  });

  test("does not prune failed results and exempt tools, so messages are truncated instead", () => {
    expect(requireProposal(viewOf(looked(true)), { limitTokens: 1_040 }).steps).toEqual(["truncate"]);
    const settings = withPrune({ exemptTools: ["read_file"] });
    expect(requireProposal(viewOf(looked(false)), { limitTokens: 1_040, settings }).steps).toEqual(["truncate"]);
  });
});

describe("proposeCompaction, the `summarise` step", () => {
  const view = viewOf(talk(10));
  const summaryOf = ({ changes }: Proposal): SummaryRecord => {
    const [change] = changes.filter(({ type }) => type === "summary");
    if (change?.type !== "summary") throw new TypeError("Expected a summary.");
    return change.record;
  };

  test("folds the oldest rounds into one summary that reaches the target", () => {
    const proposal = requireProposal(view, { limitTokens: 1_000, write: written });
    expect(proposal.steps).toEqual(["summarise"]);
    expect(typesOf(proposal)).toEqual(["summary"]);
    expect(proposal.tokensAfter).toBeLessThanOrEqual(600);
    expect(apply(view, proposal).head.summary).toEqual(summaryOf(proposal));
  });

  test("folds part of the tail if the tail alone is too large, and adds the step `shrink-tail`", () => {
    const settings = { ...SETTINGS, tail: { messages: 12 } };
    const proposal = requireProposal(view, { limitTokens: 1_000, settings, write: written });
    expect(proposal.steps).toEqual(["summarise", "shrink-tail"]);
    expect(typesOf(proposal)).toEqual(["summary"]);
    expect(apply(view, proposal).messages.length).toBeLessThan(12);
  });

  test.each([
    ["to-target", 15],
    ["before-tail", 18],
    ["half", 10],
  ] as const)("with span `%s`, folds messages up to seq %i", (span, lastSeq) => {
    const settings: PlanSettings = { ...SETTINGS, span };
    const targetTokens = span === "half" ? 1_400 : 900;
    const proposal = requireProposal(view, { limitTokens: 1_500, targetTokens, settings, write: written });
    expect(summaryOf(proposal).coverage).toMatchObject({ firstSeq: 1, lastSeq, count: lastSeq });
  });

  test("covers the messages of the previous summary and truncation", () => {
    const first = requireProposal(view, { limitTokens: 2_000, targetTokens: 1_500, write: written });
    expect(summaryOf(first).coverage.lastSeq).toBe(10);
    const truncated: Change = {
      type: "truncate",
      coverage: { firstSeq: 11, lastSeq: 13, count: 3 },
      coveredTokens: 3 * 104,
      keptRequests: [],
      reason: "did not fit",
    };
    const second = viewOf(talk(10), ...first.changes, truncated);
    const record = summaryOf(requireProposal(second, { limitTokens: 800, write: written }));
    expect(record).toMatchObject({ depth: 1, coverage: { firstSeq: 1, count: record.coverage.lastSeq } });
    expect(record.coverage.lastSeq).toBeGreaterThan(13);
    expect(record.omitted).toEqual({ count: 3, tokens: 3 * 104 });
    expect(record.tokensBefore).toBe(104 * record.coverage.lastSeq);
  });

  test("requests a summary with fewer tokens than it replaces", () => {
    const tasks: SummaryTask[] = [];
    const write: WriteSummary = (task) => {
      tasks.push(task);
      return written(task);
    };
    for (const limitTokens of [1_900, 1_500, 1_000, 600, 300]) requireProposal(view, { limitTokens, write });
    expect(tasks).toHaveLength(5);
    expect(tasks.filter(({ capTokens, replacedTokens = 0 }) => capTokens >= replacedTokens)).toEqual([]);
  });

  test("is followed by truncation if no summary could be written", () => {
    const proposal = requireProposal(view, { limitTokens: 1_000, write: failed });
    expect(proposal.steps).toEqual(["truncate"]);
    expect(proposal.tokensAfter).toBeLessThanOrEqual(600);
  });

  test("is skipped if `maySummarize` is false", () => {
    const write = () => neverAsked();
    expect(requireProposal(view, { limitTokens: 1_000, maySummarize: false, write }).steps).toEqual(["truncate"]);
  });

  test("comes before pruning if the policy sets `pruneFirst` to false", () => {
    const settings = { ...SETTINGS, pruneFirst: false };
    const messages = [...talk(3), ...aRound([{ callId: "a", output: "x".repeat(2_000) }]), ...talk(1)];
    const conversation = viewOf(messages);
    const enough = requireProposal(conversation, { limitTokens: 1_500, settings, write: written });
    expect(enough.steps).toEqual(["summarise"]);
    const stuck = requireProposal(conversation, { limitTokens: 1_500, settings, write: failed });
    expect(stuck.steps).toEqual(["prune"]);
  });

  test("is followed by a cut if the summary alone is not enough", () => {
    const conversation = viewOf([...talk(8), aUserMessage("z".repeat(3_200))]);
    const settings = { ...SETTINGS, tail: { messages: 1 } };
    const proposal = requireProposal(conversation, { limitTokens: 500, settings, write: written });
    expect(proposal.steps).toEqual(["summarise", "cut"]);
    expect(proposal.tokensAfter).toBeLessThanOrEqual(500);
  });

  test("removes prunes of covered messages, and all prunes if the summary is enough", () => {
    const rounds = ["a", "b"].flatMap((callId) => [
      ...aRound([{ callId, output: "x".repeat(1_200) }]),
      anAssistantMessage("y".repeat(800)),
    ]);
    const conversation = viewOf([aUserMessage("Look."), ...rounds, ...talk(2)]);
    for (const limitTokens of [1_300, 1_000, 800, 700]) {
      const proposal = requireProposal(conversation, { limitTokens, write: written });
      const floor = findViewFloorSeq(foldChanges(conversation.head, proposal.changes));
      const prunes = proposal.changes.flatMap((change) => (change.type === "prune" ? change.prunes : []));
      expect(prunes.every(({ seq }) => seq > floor)).toBe(true);
    }
    expect(requireProposal(conversation, { limitTokens: 800, write: written }).steps).toEqual(["summarise"]);
  });

  test("returns removed, added and kept tokens as the weight", () => {
    const { weight, tokensBefore, tokensAfter } = requireProposal(view, { limitTokens: 1_500, write: written });
    expect(weight.removedTokens).toBe(15 * 104);
    expect(weight.removedTokens - weight.addedTokens).toBe(tokensBefore - tokensAfter);
    expect(weight.keptTokens).toBe(5 * 104);
  });
});

describe("proposeCompaction, for a chain at its depth cap", () => {
  const record = recordOf({
    stretch: [],
    previous: undefined,
    coverage: { firstSeq: 1, lastSeq: 4, count: 4 },
    omitted: undefined,
    capTokens: 50,
    replacedTokens: undefined,
    tokensBefore: 416,
    keepsDepth: false,
    reason: "too long",
  });
  const view = viewOf(talk(10), { type: "summary", record: { ...record, depth: 3 }, keptRequests: [] });

  test("writes a summary of the same depth with `atDepthCap: fold`", () => {
    const folded = (atDepthCap?: "fold") =>
      apply(view, requireProposal(view, { limitTokens: 1_000, atDepthCap, write: written })).head.summary;
    expect([folded()?.depth, folded("fold")?.depth]).toEqual([4, 3]);
    expect(folded("fold")?.coverage.firstSeq).toBe(1);
  });

  test("truncates messages and keeps the summary with `atDepthCap: truncate`", () => {
    const write = () => neverAsked();
    const proposal = requireProposal(view, { limitTokens: 1_000, atDepthCap: "truncate", write });
    expect(proposal.steps).toEqual(["truncate"]);
    const { head } = apply(view, proposal);
    expect(head.summary?.depth).toBe(3);
    expect(head.truncation?.coverage.firstSeq).toBe(5);
  });

  test("keeps the summary and the tail for a soft need with `atDepthCap: truncate`", () => {
    const write = () => neverAsked();
    const settings = { ...SETTINGS, tail: { messages: 4 } };
    const wish = {
      limitTokens: 1_000,
      targetTokens: 100,
      settings,
      atDepthCap: "truncate",
      urgency: "soft",
      write,
    } as const;
    const proposal = requireProposal(view, wish);
    expect(proposal.steps).toEqual(["truncate"]);
    const { head, messages } = apply(view, proposal);
    expect(head.summary?.depth).toBe(3);
    expect(messages.length).toBeLessThan(view.messages.length);
    expect(messages.slice(-4)).toEqual(view.messages.slice(-4));
  });
});

describe("proposeCompaction, with a topic boundary", () => {
  const view = viewOf(talk(10));
  const at = (index: number): BoundaryAnswer => ({ index, confidence: 0.9, reason: "Another task." });
  const withTopics = (mode: "first" | "fallback", messages: number): PlanSettings => ({
    ...SETTINGS,
    tail: { messages },
    topics: { ...SETTINGS.topics, mode },
  });

  test.each(["soft", "hard"] as const)(
    "in mode `first`, drops all messages before the boundary for a %s need",
    (urgency) => {
      const wish = { urgency, settings: withTopics("first", 6), limitTokens: 1_000, boundary: at(16) };
      const proposal = requireProposal(view, { ...wish, write: () => neverAsked() });
      expect(typesOf(proposal)).toEqual(["truncate"]);
      expect(apply(view, proposal).head.truncation?.coverage).toMatchObject({ firstSeq: 1, lastSeq: 16, count: 16 });
    },
  );

  test("in mode `first`, writes a summary if the boundary is before the tail", () => {
    const wish = { settings: withTopics("first", 2), limitTokens: 1_000, boundary: at(10), write: written };
    expect(requireProposal(view, wish).steps).toEqual(["summarise"]);
  });

  test("in mode `fallback`, folds the tail up to the boundary if the rest is not enough", () => {
    const wish = { settings: withTopics("fallback", 12), limitTokens: 1_500, boundary: at(17), write: written };
    const proposal = requireProposal(view, wish);
    expect(proposal.steps).toEqual(["summarise", "shrink-tail"]);
    expect(apply(view, proposal).messages.map(({ seq }) => seq)).toEqual([18, 19, 20]);
  });
});

describe("proposeCompaction, for a soft need", () => {
  const view = viewOf(talk(10));
  const soft = { urgency: "soft", limitTokens: 1_000 } as const;

  test("returns the same proposal as for a hard need if a summary is enough", () => {
    expect(propose(view, { ...soft, write: written })).toEqual(
      propose(view, { urgency: "hard", limitTokens: 1_000, write: written }),
    );
  });

  test("proposes nothing and gives the reason if no summary could be written", () => {
    expect(propose(view, { ...soft, write: failed })).toEqual({
      type: "nothing",
      reason: "No model could be reached.",
    });
  });

  test("proposes nothing and requests no summary if only folding the tail would help", () => {
    const settings = { ...SETTINGS, tail: { messages: 16 } };
    const outcome = propose(view, { ...soft, settings, write: () => neverAsked() });
    expect(outcome).toMatchObject({ type: "nothing", reason: expect.stringContaining("would not reach the target") });
  });

  test("proposes nothing for an empty conversation", () => {
    expect(propose(viewOf([]), { ...soft, write: () => neverAsked() }).type).toBe("nothing");
  });

  test("prunes and requests no summary if pruning is enough", () => {
    const conversation = viewOf([
      aUserMessage("Look."),
      ...aRound([{ callId: "a", output: "x".repeat(4_000) }]),
      ...talk(1),
    ]);
    const proposal = requireProposal(conversation, { ...soft, write: () => neverAsked() });
    expect(proposal.steps).toEqual(["prune"]);
  });

  test("does not cut or unpin messages", () => {
    const messages = [aUserMessage("y".repeat(2_000)), ...talk(4), aUserMessage("z".repeat(8_000))];
    const conversation = viewOf(messages, pin(messages[0]?.id ?? "", 1));
    expect(propose(conversation, { ...soft, write: written }).type).toBe("nothing");
  });

  test("rewrites the summary in a second pass", () => {
    const settings: PlanSettings = { ...SETTINGS, span: "before-tail", tail: { messages: 2 } };
    const first = requireProposal(view, { ...soft, settings, write: written });
    const conversation = viewOf(talk(10), ...first.changes);
    expect(conversation.messages).toHaveLength(2);
    const pass = { ...soft, settings, write: written, targetTokens: 500 };
    expect(propose(conversation, pass).type).toBe("nothing");
    const second = requireProposal(conversation, { ...pass, isSecondPass: true });
    expect(second.steps).toEqual(["summarise"]);
    expect(second.tokensAfter).toBeLessThan(second.tokensBefore);
    const { head } = apply(conversation, second);
    expect(head.summary).toMatchObject({ depth: 1, messageIds: [], coverage: { firstSeq: 1, lastSeq: 18, count: 18 } });
  });
});

describe("proposeCompaction, the `truncate` step", () => {
  test("drops as few of the oldest rounds as the target requires", () => {
    const view = viewOf(talk(10));
    const proposal = requireProposal(view, { limitTokens: 1_000 });
    expect(proposal.steps).toEqual(["truncate"]);
    expect(proposal.tokensAfter).toBeLessThanOrEqual(600);
    const [change] = proposal.changes;
    if (change?.type !== "truncate") throw new TypeError("Expected a truncation.");
    const { lastSeq } = change.coverage;
    const lessDropped: Change = {
      ...change,
      coverage: { ...change.coverage, lastSeq: lastSeq - 1, count: lastSeq - 1 },
    };
    expect(measureView(reviseView(view, foldChanges(view.head, [lessDropped]), { count }))).toBeGreaterThan(600);
  });

  test("returns the coverage and the covered tokens", () => {
    const view = viewOf(talk(10));
    const [change] = requireProposal(view, { limitTokens: 1_000 }).changes;
    const lastSeq = change?.type === "truncate" ? change.coverage.lastSeq : 0;
    expect(change).toEqual({
      type: "truncate",
      coverage: { firstSeq: 1, lastSeq, count: lastSeq },
      coveredTokens: 104 * lastSeq,
      keptRequests: [],
      readThroughSeq: 20,
      reason: "did not fit",
    });
  });

  test("extends an earlier truncation", () => {
    const coverage = { firstSeq: 1, lastSeq: 4, count: 4 };
    const view = viewOf(talk(10), { type: "truncate", coverage, coveredTokens: 416, keptRequests: [], reason: "" });
    const [change] = requireProposal(view, { limitTokens: 1_000 }).changes;
    const lastSeq = change?.type === "truncate" ? change.coverage.lastSeq : 0;
    expect(lastSeq).toBeGreaterThan(4);
    expect(change).toMatchObject({ coverage: { firstSeq: 1, count: lastSeq }, coveredTokens: 104 * lastSeq });
  });

  test("keeps the preamble and pinned messages", () => {
    const [system, ...rest] = [aSystemMessage("Be brief."), ...talk(10)];
    const view = viewOf([system, ...rest], pin(rest[1]?.id ?? "", 3));
    const after = apply(view, requireProposal(view, { limitTokens: 1_000 }));
    expect(after.kept.map(({ seq }) => seq)).toEqual([1, 3]);
  });
});

describe("proposeCompaction, the `shrink-tail` step", () => {
  test("truncates part of the tail if the tail alone is too large", () => {
    const view = viewOf(talk(10));
    const settings = { ...SETTINGS, tail: { messages: 12 } };
    const proposal = requireProposal(view, { limitTokens: 1_000, settings });
    expect(proposal.steps).toEqual(["shrink-tail"]);
    expect(typesOf(proposal)).toEqual(["truncate"]);
    expect(apply(view, proposal).messages.length).toBeLessThan(12);
  });

  test("keeps the newest round and the last two requests", () => {
    const rounds = Array.from({ length: 12 }, (_, index) =>
      aRound([{ callId: `c${index}`, output: "x".repeat(150) }]),
    ).flat();
    const messages = [...anExchange("First.", "Yes?"), aUserMessage("Do it."), ...rounds];
    const view = viewOf(messages);
    const proposal = requireProposal(view, { limitTokens: 300, settings: { ...SETTINGS, tail: { messages: 20 } } });
    const after = apply(view, proposal);
    expect(after.kept.map(({ message }) => message.parts)).toEqual([
      [{ type: "text", text: "First." }],
      [{ type: "text", text: "Do it." }],
    ]);
    expect(after.messages.slice(-2).map(({ message }) => message)).toEqual(messages.slice(-2));
  });
});

describe("proposeCompaction, the `cut` step", () => {
  test("cuts one oversized message if nothing else can be removed", () => {
    const view = viewOf([aUserMessage("x".repeat(8_000))]);
    const proposal = requireProposal(view, { limitTokens: 500 });
    expect(proposal.steps).toEqual(["cut"]);
    expect(apply(view, proposal).messages.map(({ fate }) => fate)).toEqual(["cut"]);
  });

  test("cuts a part that is larger than the limit before it drops other messages", () => {
    const view = viewOf([...talk(4, 100), aUserMessage("x".repeat(40_000))]);
    const proposal = requireProposal(view, { limitTokens: 2_000 });
    expect(proposal.steps).toEqual(["cut"]);
    expect(apply(view, proposal).messages.map(({ fate }) => fate)).toEqual([...Array(8).fill("verbatim"), "cut"]);
  });

  test("cuts a large request that is kept", () => {
    const view = viewOf([aUserMessage("x".repeat(8_000)), ...talk(4), anAssistantMessage("Done.")].slice(0, 6));
    const onlyRequest = viewOf([
      aUserMessage("x".repeat(8_000)),
      ...aRound([{ callId: "a", output: "y".repeat(400) }]),
      ...aRound([{ callId: "b", output: "z".repeat(400) }]),
    ]);
    for (const [conversation, limitTokens] of [
      [view, 400],
      [onlyRequest, 250],
    ] as const) {
      const proposal = requireProposal(conversation, { limitTokens });
      expect(measureView(apply(conversation, proposal))).toBe(proposal.tokensAfter);
      expect(proposal.tokensAfter).toBeLessThanOrEqual(limitTokens);
    }
  });

  test("cuts a message that an earlier compaction has already cut", () => {
    const first = viewOf([aUserMessage("x".repeat(40_000))]);
    const proposal = requireProposal(first, { limitTokens: 2_000 });
    const second = apply(first, proposal);
    const smaller = requireProposal(second, { limitTokens: 200 });
    expect(smaller.tokensAfter).toBeLessThanOrEqual(200);
  });

  test("counts large messages and their cut versions in steps, before it uses the counts", () => {
    const ahead: Message[] = [];
    const large = aUserMessage("x".repeat(8_000));
    const need: CompactionNeed = {
      ...NEED,
      limitTokens: 500,
      targetTokens: 300,
      *countAhead(message) {
        ahead.push(message);
        yield undefined;
      },
    };
    const work = proposeCompaction(viewOf([large, ...anExchange("Hello.", "Hello!")]), need);
    let rests = 0;
    while (work.next().done !== true) rests += 1;
    expect(rests).toBeGreaterThanOrEqual(ahead.length);
    expect(ahead[0]).toBe(large);
    expect(new Set(ahead.map(({ id }) => id))).toEqual(new Set([large.id]));
    expect(ahead.length).toBeGreaterThan(1);
  });
});

describe("proposeCompaction, the `unpin` step", () => {
  const pinned = (text: string) => {
    const messages = [aUserMessage(text), ...talk(6)];
    return viewOf(messages, pin(messages[0]?.id ?? "", 1));
  };

  test("replaces a pin with a note of its first 200 characters if nothing else makes room", () => {
    const view = pinned(`Ana decides. ${"x".repeat(4_000)}`);
    const proposal = requireProposal(view, { limitTokens: 500 });
    expect(proposal.steps.at(-1)).toBe("unpin");
    expect(proposal.changes.slice(-2)).toEqual([
      { type: "unpin", pinIds: ["e0"], reason: "did not fit" },
      {
        type: "pin",
        target: { type: "note", text: `Ana decides. ${"x".repeat(187)}`, messageId: view.messages[0]?.message.id },
      },
    ]);
    expect(apply(view, proposal).kept.map(({ seq }) => seq)).not.toContain(1);
  });

  test("is skipped if other steps make enough room", () => {
    expect(requireProposal(pinned("Ana decides."), { limitTokens: 400 }).steps).not.toContain("unpin");
  });

  test("removes the oldest pin first, and no more pins than needed", () => {
    const messages = [aUserMessage("y".repeat(400)), aUserMessage("x".repeat(2_000)), ...talk(6)];
    const view = viewOf(messages, pin(messages[1]?.id ?? "", 2), pin(messages[0]?.id ?? "", 1));
    const proposal = requireProposal(view, { limitTokens: 600 });
    expect(proposal.changes.flatMap((change) => (change.type === "unpin" ? change.pinIds : []))).toEqual(["e0"]);
  });

  test("does not split a surrogate pair at the end of the note", () => {
    const { changes } = requireProposal(pinned(`a${"😀".repeat(4_000)}`), { limitTokens: 500 });
    const notes = changes.flatMap((change) =>
      change.type === "pin" && change.target.type === "note" ? [change.target.text] : [],
    );
    expect(notes.map((text) => text.isWellFormed())).toEqual([true]);
  });
});

describe("proposeCompaction", () => {
  test("takes only the steps that are needed to make the prompt fit", () => {
    const messages = [
      aUserMessage("y".repeat(2_000)),
      ...aRound([{ callId: "a", output: "x".repeat(2_000) }]),
      ...talk(4),
      aUserMessage("z".repeat(2_000)),
    ];
    const view = viewOf(messages, pin(messages[0]?.id ?? "", 1));
    const steps = [3_200, 2_800, 2_000, 1_000, 500].map((limitTokens) => requireProposal(view, { limitTokens }).steps);
    expect(steps).toEqual([
      ["prune"],
      ["truncate"],
      ["shrink-tail"],
      ["shrink-tail", "cut"],
      ["shrink-tail", "cut", "unpin"],
    ]);
  });

  test("removes prunes of covered messages, and all prunes if truncation is enough", () => {
    const rounds = ["a", "b"].flatMap((callId) => [
      ...aRound([{ callId, output: "x".repeat(1_200) }]),
      anAssistantMessage("y".repeat(800)),
    ]);
    const view = viewOf([aUserMessage("Look."), ...rounds, ...talk(2)]);
    for (const limitTokens of [1_300, 1_000, 800, 700, 500]) {
      const proposal = requireProposal(view, { limitTokens });
      const floor = findViewFloorSeq(foldChanges(view.head, proposal.changes));
      const prunes = proposal.changes.flatMap((change) => (change.type === "prune" ? change.prunes : []));
      expect(prunes.every(({ seq }) => seq > floor)).toBe(true);
    }
    expect(requireProposal(view, { limitTokens: 500 }).steps).toEqual(["truncate"]);
  });

  test("removes prunes of shown messages if truncation is enough without them", () => {
    const view = viewOf([
      aUserMessage("Look."),
      anAssistantMessage("y".repeat(3_600)),
      ...aRound([{ callId: "a", output: "x".repeat(1_000) }]),
      ...anExchange("Thanks.", "Welcome."),
    ]);
    const proposal = requireProposal(view, { limitTokens: 1_000 });
    expect(proposal.steps).toEqual(["truncate"]);
    expect(apply(view, proposal).messages.map(({ fate }) => fate)).toEqual(Array(4).fill("verbatim"));
  });

  test("lists the step `prune` only if the proposal has prunes", () => {
    const view = viewOf([
      aUserMessage("Look."),
      ...aRound([{ callId: "a", output: "x".repeat(4_000) }]),
      ...anExchange("q".repeat(2_000), "a".repeat(2_000)),
    ]);
    const proposal = requireProposal(view, { limitTokens: 1_050 });
    const fates = proposal.changes.flatMap((change) =>
      change.type === "prune" ? change.prunes.map(({ fate }) => fate) : [],
    );
    expect(proposal.steps.includes("prune")).toBe(fates.includes("pruned"));
  });

  test("returns the floor and its parts if the prompt cannot fit", () => {
    const view = viewOf([aSystemMessage("x".repeat(4_000)), ...anExchange("Hello.", "Hello!")]);
    const outcome = propose(view, { limitTokens: 500 });
    expect(outcome).toMatchObject({ type: "does-not-fit", floor: { limitTokens: 500 } });
    if (outcome.type !== "does-not-fit") return;
    expect(outcome.floor.floorTokens).toBeGreaterThan(500);
    expect(outcome.floor.parts).toEqual([{ name: "history", tokens: outcome.floor.floorTokens }]);
  });

  test("computes the floor from the smallest view that it reached", () => {
    const messages = [aSystemMessage("x".repeat(4_000)), ...talk(10)];
    const outcome = propose(viewOf(messages), { limitTokens: 500 });
    expect(outcome.type === "does-not-fit" && outcome.floor.floorTokens).toBeLessThan(1_300);
  });

  test("returns a proposal without changes if the prompt already fits", () => {
    const view = viewOf(anExchange("Hello.", "Hello!"));
    expect(propose(view, { limitTokens: 500 })).toEqual({
      type: "proposal",
      changes: [],
      steps: [],
      tokensBefore: measureView(view),
      tokensAfter: measureView(view),
      weight: { removedTokens: 0, addedTokens: 0, keptTokens: 0 },
    });
  });
});

interface Case {
  readonly view: View;
  readonly wish: Wish;
}

/** Random histories, limits, pins, earlier compactions and settings. */
const cases: fc.Arbitrary<Case> = fc
  .record({
    history: histories({ maxTurns: 8, longestCharacters: 4_000 }),
    share: fc.constantFrom(0.9, 0.7, 0.5, 0.3, 0.1, 0.02),
    tail: fc.record(
      { messages: fc.nat({ max: 8 }), exchanges: fc.nat({ max: 3 }), ratio: fc.constantFrom(0.1, 0.25, 0.5) },
      { requiredKeys: [] },
    ),
    minimumTokens: fc.constantFrom(0, 50, 200),
    pinned: fc.array(fractions(), { maxLength: 2 }),
    isSecond: fc.boolean(),
    span: fc.constantFrom("to-target", "before-tail", "half"),
    pruneFirst: fc.boolean(),
    write: fc.constantFrom(written, failed),
  })
  .map(({ history, share, tail, minimumTokens, pinned, isSecond, span, pruneFirst, write }) => {
    const messages = history.map((message, index) => ({ ...message, id: `m${index}` }));
    const rounds = groupRounds(messages);
    const pins = pinned.flatMap((at): readonly Change[] => {
      const index = Math.floor(at * rounds.length);
      const before = rounds.slice(0, index).reduce((sum, round) => sum + round.items.length, 0);
      const items = rounds[index]?.items ?? [];
      return items.length === 0 ? [] : [pin(items[0]?.id ?? "", ...items.map((_, place) => before + place + 1))];
    });
    const settings: PlanSettings = { ...withPrune({ minimumTokens }), tail, span, pruneFirst };
    const whole = viewOf(messages, ...pins);
    const first = isSecond
      ? propose(whole, { limitTokens: Math.floor(measureView(whole) * 0.8), settings, write })
      : undefined;
    const view = first?.type === "proposal" ? apply(whole, first) : whole;
    return { view, wish: { limitTokens: Math.max(1, Math.floor(measureView(view) * share)), settings, write } };
  });

describe("proposeCompaction, for any view", () => {
  test("returns a proposal that fits and has the reported size, or a floor above the limit", () => {
    const outcomes = { summarised: 0, other: 0, "does-not-fit": 0 };
    fc.assert(
      fc.property(cases, ({ view, wish }) => {
        const outcome = propose(view, wish);
        if (outcome.type === "nothing") throw new TypeError(outcome.reason);
        if (outcome.type === "does-not-fit") {
          outcomes["does-not-fit"] += 1;
          expect(outcome.floor.floorTokens).toBeGreaterThan(wish.limitTokens);
          return;
        }
        outcomes[outcome.steps.includes("summarise") ? "summarised" : "other"] += 1;
        expect(outcome.tokensBefore).toBe(measureView(view));
        expect(outcome.tokensAfter).toBe(measureView(apply(view, outcome)));
        expect(outcome.tokensAfter).toBeLessThanOrEqual(wish.limitTokens);
      }),
      { numRuns: propertyRuns() },
    );
    expect(Math.min(...Object.values(outcomes))).toBeGreaterThan(10);
  });

  test("returns the same proposal for the same input", () => {
    fc.assert(
      fc.property(cases, ({ view, wish }) => {
        expect(JSON.stringify(propose(view, wish))).toBe(JSON.stringify(propose(view, wish)));
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("cuts at borders between rounds, keeps the newest round, and covers every hidden message", () => {
    fc.assert(
      fc.property(cases, ({ view, wish }) => {
        const outcome = propose(view, wish);
        if (outcome.type !== "proposal") return;
        const after = apply(view, outcome);
        const starts = groupRounds(view.messages.map(({ message }) => message)).map(({ items }) => items[0]?.id);
        const first = after.messages[0]?.message.id;
        expect(first === undefined || starts.includes(first)).toBe(true);
        expect(after.messages.at(-1)?.seq).toBe(view.messages.at(-1)?.seq);
        const shown = new Set([...after.kept, ...after.messages].map(({ seq }) => seq));
        const hidden = view.messages.map(({ seq }) => seq).filter((seq) => !shown.has(seq));
        expect(hidden.every((seq) => seq <= findCoveredSeq(after.head))).toBe(true);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("keeps the last two requests in view", () => {
    fc.assert(
      fc.property(cases, ({ view, wish }) => {
        const outcome = propose(view, wish);
        if (outcome.type !== "proposal") return;
        const requests = [...view.kept, ...view.messages].filter(({ message }) => message.role === "user").slice(-2);
        const after = apply(view, outcome);
        const shown = new Set([...after.kept, ...after.messages].map(({ seq }) => seq));
        expect(requests.filter(({ seq }) => !shown.has(seq))).toEqual([]);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("returns a weight whose removed and added tokens differ by the change in size", () => {
    fc.assert(
      fc.property(cases, fc.constantFrom("soft", "hard"), ({ view, wish }, urgency) => {
        const outcome = propose(view, { ...wish, urgency });
        if (outcome.type !== "proposal") return;
        const { weight, tokensBefore, tokensAfter } = outcome;
        expect(weight.removedTokens - weight.addedTokens).toBe(tokensBefore - tokensAfter);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("makes the prompt smaller and keeps the tail for a soft need", () => {
    const outcomes = { proposal: 0, nothing: 0 };
    fc.assert(
      fc.property(cases, ({ view, wish }) => {
        const outcome = propose(view, { ...wish, urgency: "soft" });
        if (outcome.type === "does-not-fit") throw new TypeError("Expected no floor for a soft need.");
        outcomes[outcome.type] += 1;
        if (outcome.type === "nothing") return;
        expect(outcome.tokensAfter).toBeLessThan(outcome.tokensBefore);
        const { limitTokens, settings = SETTINGS } = wish;
        const { messages } = apply(view, outcome);
        const shown = new Map(messages.map((item) => [item.seq, item.shown]));
        const tail = view.messages.slice(findPreferredTail({ view }, { limitTokens, settings }));
        expect(tail.filter(({ seq }) => !shown.has(seq))).toEqual([]);
        // A turn with many rounds is one exchange, so its older output may be pruned.
        const untouched = view.messages.slice(findPreferredTail({ view }, { limitTokens, settings }, { exchanges: 0 }));
        expect(untouched.filter((item) => shown.get(item.seq) !== item.shown)).toEqual([]);
      }),
      { numRuns: propertyRuns(300) },
    );
    expect(Math.min(...Object.values(outcomes))).toBeGreaterThan(30);
  });
});
