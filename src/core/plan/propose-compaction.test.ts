import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { messageBuilder } from "../../testing/builders.ts";
import { fractions, histories } from "../../testing/generate-histories.ts";
import { propertyRuns } from "../../testing/property-runs.ts";
import { countByCharacters, viewOf } from "../../testing/view-of.ts";
import { viewFloorSeq } from "../log/head.ts";
import { reviseView, type View } from "../log/view.ts";
import { groupRounds } from "../message/group-rounds.ts";
import type { Message, Part } from "../message/message.ts";
import { startAssembly } from "../prompt/assemble-prompt.ts";
import { charsOverFour } from "../tokens/chars-over-four.ts";
import { countPart as countPartWith } from "../tokens/count-message.ts";
import { finish } from "../tokens/count-text.ts";
import type { CompactionNeed } from "./compaction-need.ts";
import type { PlanSettings } from "./plan-settings.ts";
import { type Change, type DoesNotFit, foldChanges, type Proposal } from "./proposal.ts";
import { proposeCompaction } from "./propose-compaction.ts";

const { aUserMessage, aSystemMessage, anAssistantMessage, aRound, anExchange } = messageBuilder();
const count = countByCharacters;
const countPart = (part: Part): number => countPartWith(part, charsOverFour);

const SETTINGS: PlanSettings = {
  enabled: true,
  triggerRatio: 0.8,
  targetRatio: 0.6,
  tail: { messages: 2 },
  prune: { minimumTokens: 50, exemptTools: [] },
  pinRatio: 0.25,
};

const NEED: Omit<CompactionNeed, "limitTokens" | "targetTokens"> = {
  settings: SETTINGS,
  reason: "did not fit",
  measure: measureView,
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

interface Wish extends Partial<CompactionNeed> {
  readonly limitTokens: number;
}

function propose(view: View, wish: Wish): Proposal | DoesNotFit {
  const targetTokens = Math.floor(wish.limitTokens * (wish.settings ?? SETTINGS).targetRatio);
  return finish(proposeCompaction(view, { ...NEED, targetTokens, ...wish }));
}

function requireProposal(view: View, wish: Wish): Proposal {
  const outcome = propose(view, wish);
  if (outcome.type !== "proposal") throw new TypeError(`Does not fit: ${JSON.stringify(outcome.floor)}`);
  return outcome;
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

describe("the prune step", () => {
  const looked = (failed: boolean): readonly Message[] => [
    aUserMessage("Look."),
    ...aRound([{ callId: "a", tool: "read_file", output: "x".repeat(4_000), failed }]),
    ...anExchange("Thanks.", "Welcome."),
    aUserMessage("Bye."),
  ];

  test("is enough where tool output before the tail is what is large", () => {
    const view = viewOf(looked(false));
    const proposal = requireProposal(view, { limitTokens: 1_040 });
    expect(proposal.steps).toEqual(["prune"]);
    expect(typesOf(proposal)).toEqual(["prune"]);
    expect(proposal.tokensBefore).toBe(measureView(view));
    const fates = apply(view, proposal).messages.map(({ fate }) => fate);
    expect(fates).toEqual(["verbatim", "verbatim", "pruned", "verbatim", "verbatim", "verbatim"]);
  });

  test("is not taken where the prompt is small enough already", () => {
    expect(requireProposal(viewOf(looked(false)), { limitTokens: 2_000 }).changes).toEqual([]);
  });

  test("keeps what a failed tool said and the output of exempt tools; other steps make the room", () => {
    expect(requireProposal(viewOf(looked(true)), { limitTokens: 1_040 }).steps).toEqual(["truncate"]);
    const settings = withPrune({ exemptTools: ["read_file"] });
    expect(requireProposal(viewOf(looked(false)), { limitTokens: 1_040, settings }).steps).toEqual(["truncate"]);
  });
});

describe("the truncate step", () => {
  test("drops the fewest of the oldest rounds that reach the target", () => {
    const view = viewOf(talk(10));
    const proposal = requireProposal(view, { limitTokens: 1_000 });
    expect(proposal.steps).toEqual(["truncate"]);
    expect(proposal.tokensAfter).toBeLessThanOrEqual(600);
    const [change] = proposal.changes;
    if (change?.type !== "truncate") throw new TypeError("There is a truncation.");
    const { lastSeq } = change.coverage;
    const lessDropped: Change = {
      ...change,
      coverage: { ...change.coverage, lastSeq: lastSeq - 1, count: lastSeq - 1 },
    };
    expect(measureView(reviseView(view, foldChanges(view.head, [lessDropped]), { count }))).toBeGreaterThan(600);
  });

  test("says what it covers and what that took", () => {
    const view = viewOf(talk(10));
    const [change] = requireProposal(view, { limitTokens: 1_000 }).changes;
    const lastSeq = change?.type === "truncate" ? change.coverage.lastSeq : 0;
    expect(change).toEqual({
      type: "truncate",
      coverage: { firstSeq: 1, lastSeq, count: lastSeq },
      coveredTokens: 104 * lastSeq,
      keptRequests: [],
      reason: "did not fit",
    });
  });

  test("goes on where an earlier truncation ended", () => {
    const coverage = { firstSeq: 1, lastSeq: 4, count: 4 };
    const view = viewOf(talk(10), { type: "truncate", coverage, coveredTokens: 416, keptRequests: [], reason: "" });
    const [change] = requireProposal(view, { limitTokens: 1_000 }).changes;
    const lastSeq = change?.type === "truncate" ? change.coverage.lastSeq : 0;
    expect(lastSeq).toBeGreaterThan(4);
    expect(change).toMatchObject({ coverage: { firstSeq: 1, count: lastSeq }, coveredTokens: 104 * lastSeq });
  });

  test("keeps the preamble, and what is pinned", () => {
    const [system, ...rest] = [aSystemMessage("Be brief."), ...talk(10)];
    const view = viewOf([system, ...rest], pin(rest[1]?.id ?? "", 3));
    const after = apply(view, requireProposal(view, { limitTokens: 1_000 }));
    expect(after.kept.map(({ seq }) => seq)).toEqual([1, 3]);
  });
});

describe("the shrink-tail step", () => {
  test("goes into the tail where the tail alone is too large", () => {
    const view = viewOf(talk(10));
    const settings = { ...SETTINGS, tail: { messages: 12 } };
    const proposal = requireProposal(view, { limitTokens: 1_000, settings });
    expect(proposal.steps).toEqual(["shrink-tail"]);
    expect(typesOf(proposal)).toEqual(["truncate"]);
    expect(apply(view, proposal).messages.length).toBeLessThan(12);
  });

  test("leaves the newest round and the last two requests", () => {
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

describe("the cut step", () => {
  test("cuts one oversized message where nothing else can go", () => {
    const view = viewOf([aUserMessage("x".repeat(8_000))]);
    const proposal = requireProposal(view, { limitTokens: 500 });
    expect(proposal.steps).toEqual(["cut"]);
    expect(apply(view, proposal).messages.map(({ fate }) => fate)).toEqual(["cut"]);
  });

  test("cuts first what could never be sent whole, so that the rest keeps its room", () => {
    const view = viewOf([...talk(4, 100), aUserMessage("x".repeat(40_000))]);
    const proposal = requireProposal(view, { limitTokens: 2_000 });
    expect(proposal.steps).toEqual(["cut"]);
    expect(apply(view, proposal).messages.map(({ fate }) => fate)).toEqual([...Array(8).fill("verbatim"), "cut"]);
  });

  test("cuts an old request that is kept, and does not take that back", () => {
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

  test("can cut again what an earlier compaction has cut", () => {
    const first = viewOf([aUserMessage("x".repeat(40_000))]);
    const proposal = requireProposal(first, { limitTokens: 2_000 });
    const second = apply(first, proposal);
    const smaller = requireProposal(second, { limitTokens: 200 });
    expect(smaller.tokensAfter).toBeLessThanOrEqual(200);
  });

  test("has large messages and what it made of them counted ahead, in steps", () => {
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
    expect(rests).toBe(ahead.length);
    expect(ahead[0]).toBe(large);
    expect(ahead.slice(1).map(({ id }) => id)).toEqual([large.id]);
  });
});

describe("the unpin step", () => {
  const pinned = (text: string) => {
    const messages = [aUserMessage(text), ...talk(6)];
    return viewOf(messages, pin(messages[0]?.id ?? "", 1));
  };

  test("turns a pin into a note of its first words when nothing else can make the room", () => {
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

  test("is not taken while the rest can make the room", () => {
    expect(requireProposal(pinned("Ana decides."), { limitTokens: 400 }).steps).not.toContain("unpin");
  });

  test("lets the oldest pin go first, and no more than needed", () => {
    const messages = [aUserMessage("y".repeat(400)), aUserMessage("x".repeat(2_000)), ...talk(6)];
    const view = viewOf(messages, pin(messages[1]?.id ?? "", 2), pin(messages[0]?.id ?? "", 1));
    const proposal = requireProposal(view, { limitTokens: 600 });
    expect(proposal.changes.flatMap((change) => (change.type === "unpin" ? change.pinIds : []))).toEqual(["e0"]);
  });

  test("does not split a character at the end of the note", () => {
    const { changes } = requireProposal(pinned(`a${"😀".repeat(4_000)}`), { limitTokens: 500 });
    const notes = changes.flatMap((change) =>
      change.type === "pin" && change.target.type === "note" ? [change.target.text] : [],
    );
    expect(notes.map((text) => text.isWellFormed())).toEqual([true]);
  });
});

describe("the staircase", () => {
  test("goes no further down than it must", () => {
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

  test("drops prunes of what is covered anyway, and all where the rest is enough", () => {
    const rounds = ["a", "b"].flatMap((callId) => [
      ...aRound([{ callId, output: "x".repeat(1_200) }]),
      anAssistantMessage("y".repeat(800)),
    ]);
    const view = viewOf([aUserMessage("Look."), ...rounds, ...talk(2)]);
    for (const limitTokens of [1_300, 1_000, 800, 700, 500]) {
      const proposal = requireProposal(view, { limitTokens });
      const floor = viewFloorSeq(foldChanges(view.head, proposal.changes));
      const prunes = proposal.changes.flatMap((change) => (change.type === "prune" ? change.prunes : []));
      expect(prunes.every(({ seq }) => seq > floor)).toBe(true);
    }
    expect(requireProposal(view, { limitTokens: 500 }).steps).toEqual(["truncate"]);
  });

  test("drops prunes of what is shown, too, where dropping the oldest went far enough without them", () => {
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

  test("names only steps that are part of the proposal", () => {
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

  test("says what cannot be made smaller", () => {
    const view = viewOf([aSystemMessage("x".repeat(4_000)), ...anExchange("Hello.", "Hello!")]);
    const outcome = propose(view, { limitTokens: 500 });
    expect(outcome).toMatchObject({ type: "does-not-fit", floor: { limitTokens: 500 } });
    if (outcome.type !== "does-not-fit") return;
    expect(outcome.floor.floorTokens).toBeGreaterThan(500);
    expect(outcome.floor.parts).toEqual([{ name: "history", tokens: outcome.floor.floorTokens }]);
  });

  test("describes the floor of the smallest view that it reached", () => {
    const messages = [aSystemMessage("x".repeat(4_000)), ...talk(10)];
    const outcome = propose(viewOf(messages), { limitTokens: 500 });
    expect(outcome.type === "does-not-fit" && outcome.floor.floorTokens).toBeLessThan(1_300);
  });

  test("changes nothing where there is nothing to change", () => {
    const view = viewOf(anExchange("Hello.", "Hello!"));
    expect(propose(view, { limitTokens: 500 })).toEqual({
      type: "proposal",
      changes: [],
      steps: [],
      tokensBefore: measureView(view),
      tokensAfter: measureView(view),
    });
  });
});

interface Case {
  readonly view: View;
  readonly wish: Wish;
}

/** Any history under any budget, with pins, earlier compactions and settings of all kinds. */
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
  })
  .map(({ history, share, tail, minimumTokens, pinned, isSecond }) => {
    const messages = history.map((message, index) => ({ ...message, id: `m${index}` }));
    const rounds = groupRounds(messages);
    const pins = pinned.flatMap((at): readonly Change[] => {
      const index = Math.floor(at * rounds.length);
      const before = rounds.slice(0, index).reduce((sum, round) => sum + round.items.length, 0);
      const items = rounds[index]?.items ?? [];
      return items.length === 0 ? [] : [pin(items[0]?.id ?? "", ...items.map((_, place) => before + place + 1))];
    });
    const settings = { ...withPrune({ minimumTokens }), tail };
    const whole = viewOf(messages, ...pins);
    const first = isSecond
      ? propose(whole, { limitTokens: Math.floor(measureView(whole) * 0.8), settings })
      : undefined;
    const view = first?.type === "proposal" ? apply(whole, first) : whole;
    return { view, wish: { limitTokens: Math.max(1, Math.floor(measureView(view) * share)), settings } };
  });

describe("every proposal", () => {
  test("fits and is what it says it is, or there is a floor above the limit", () => {
    const outcomes = { proposal: 0, "does-not-fit": 0 };
    fc.assert(
      fc.property(cases, ({ view, wish }) => {
        const outcome = propose(view, wish);
        outcomes[outcome.type] += 1;
        if (outcome.type === "does-not-fit") {
          expect(outcome.floor.floorTokens).toBeGreaterThan(wish.limitTokens);
          return;
        }
        expect(outcome.tokensBefore).toBe(measureView(view));
        expect(outcome.tokensAfter).toBe(measureView(apply(view, outcome)));
        expect(outcome.tokensAfter).toBeLessThanOrEqual(wish.limitTokens);
      }),
      { numRuns: propertyRuns(500) },
    );
    expect(Math.min(...Object.values(outcomes))).toBeGreaterThan(30);
  });

  test("is the same for the same input", () => {
    fc.assert(
      fc.property(cases, ({ view, wish }) => {
        expect(JSON.stringify(propose(view, wish))).toBe(JSON.stringify(propose(view, wish)));
      }),
      { numRuns: propertyRuns(200) },
    );
  });

  test("cuts at borders between rounds, keeps the newest round, and covers what it does not show", () => {
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
        expect(hidden.every((seq) => seq <= (after.head.truncation?.coverage.lastSeq ?? 0))).toBe(true);
      }),
      { numRuns: propertyRuns(300) },
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
      { numRuns: propertyRuns(300) },
    );
  });
});
