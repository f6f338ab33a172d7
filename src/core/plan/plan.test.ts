import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { messageBuilder } from "../../testing/builders.ts";
import { fractions } from "../../testing/generate-histories.ts";
import { weighted } from "../../testing/weighted.ts";
import type { Entry, EpochDraft, EpochEntry, MessageEntry } from "../log/entry.ts";
import { eraseEntry } from "../log/erase-entry.ts";
import { foldEntries } from "../log/fold-entry.ts";
import { findViewFloorSeq } from "../log/head.ts";
import { buildView, type View } from "../log/view.ts";
import type { Role } from "../message/message.ts";
import type { SummaryRecord } from "../summary/record/record.ts";
import { createPlan, explainMessage, type Fate, type Plan } from "./plan.ts";

type WithoutStamp<Draft = EpochDraft> = Draft extends unknown ? Omit<Draft, "id" | "at" | "epoch"> : never;

/** A log in which every message has ten tokens. */
class Log {
  readonly entries: Entry[] = [];
  readonly #builder = messageBuilder();

  say(role: Role = "user"): this {
    const message = { ...this.#builder.aUserMessage("Hello."), role };
    this.entries.push({ type: "message", id: message.id, seq: this.#next, at: 0, message, hash: "", tokens: {} });
    return this;
  }

  change(change: WithoutStamp): this {
    const epoch = this.entries.filter((entry) => "epoch" in entry).length + 1;
    this.entries.push({ ...change, id: `e${epoch}`, seq: this.#next, at: 0, epoch } satisfies EpochEntry);
    return this;
  }

  erase(seq: number): this {
    const entry = this.messages.find((message) => message.seq === seq);
    if (entry === undefined) return this;
    this.change({ type: "delete", messageIds: [entry.id], seqs: [seq], dropsSummary: false });
    this.entries[seq - 1] = eraseEntry(entry);
    return this;
  }

  get messages(): readonly MessageEntry[] {
    return this.entries.filter((entry) => entry.type === "message");
  }

  get view(): View {
    return buildView(foldEntries(this.entries), this.messages, { count: () => 10 });
  }

  get plan(): Plan {
    return createPlan(this.view);
  }

  get #next(): number {
    return this.entries.length + 1;
  }
}

const aTalk = (messages: number): Log => Array.from({ length: messages }).reduce<Log>((log) => log.say(), new Log());

const truncate = (lastSeq: number, keptRequests: readonly number[] = []): WithoutStamp => ({
  type: "truncate",
  coverage: { firstSeq: 1, lastSeq, count: lastSeq },
  coveredTokens: 10,
  keptRequests,
  reason: "did not fit",
});
const FACETS = { constraints: [], decisions: [], actionItems: [], unresolved: [], entities: [], participants: [] };
const record = (lastSeq: number): SummaryRecord => ({
  id: "s1",
  at: 0,
  depth: 0,
  coverage: { firstSeq: 1, lastSeq, count: lastSeq, chainHash: "" },
  messageIds: [],
  text: "What happened.",
  keyPoints: [],
  facets: { ...FACETS, done: [] },
  strategy: "offline",
  reason: "too long",
  tokensBefore: 100,
  tokensAfter: 10,
});
const summarize = (lastSeq: number): WithoutStamp => ({ type: "summary", record: record(lastSeq), keptRequests: [] });
const clear = (throughSeq: number): WithoutStamp => ({
  type: "clear",
  throughSeq,
  scope: "for-good",
  keepsPreamble: true,
});
const pin = (...seqs: readonly number[]): WithoutStamp => ({
  type: "pin",
  target: { type: "messages", messageId: `m${seqs[0]}`, seqs },
});
const prune = (seq: number, fate: "pruned" | "cut"): WithoutStamp => ({
  type: "prune",
  prunes: [
    {
      seq,
      messageId: `m${seq}`,
      partIndex: 0,
      fate,
      replacement: { type: "text", text: "[removed]" },
      reason: "large",
    },
  ],
  reason: "large",
});

const runsOf = ({ runs }: Plan): readonly string[] =>
  runs.map(({ firstSeq, lastSeq, fate, tokens }) => `${firstSeq}–${lastSeq} ${fate} ${tokens}`);

describe("createPlan", () => {
  test("returns one run if all messages share a fate", () => {
    expect(runsOf(aTalk(5).plan)).toEqual(["1–5 verbatim 50"]);
  });

  test("returns no runs for an empty log", () => {
    expect(new Log().plan).toEqual({ epoch: 0, runs: [] });
  });

  test("contains the epoch of the view", () => {
    expect(aTalk(3).change(truncate(1)).change(pin(2)).plan.epoch).toBe(2);
  });

  test("returns runs of 0 tokens for covered and cleared messages, with the id of the covering entry", () => {
    const { runs } = aTalk(9).change(clear(2)).change(summarize(4)).change(truncate(6)).plan;
    expect(runs).toEqual([
      { firstSeq: 1, lastSeq: 2, fate: "cleared", reason: "cleared on request", tokens: 0 },
      { firstSeq: 3, lastSeq: 4, fate: "summarised", reason: "too long", entryId: "s1", tokens: 0 },
      { firstSeq: 5, lastSeq: 6, fate: "truncated", reason: "did not fit", entryId: "e3", tokens: 0 },
      { firstSeq: 7, lastSeq: 9, fate: "verbatim", reason: expect.any(String), tokens: 30 },
    ]);
  });

  test("returns separate runs for pinned messages inside and at both ends of a covered stretch", () => {
    expect(runsOf(aTalk(8).change(pin(1)).change(pin(3)).change(pin(5)).change(truncate(5)).plan)).toEqual([
      "1–1 pinned 10",
      "2–2 truncated 0",
      "3–3 pinned 10",
      "4–4 truncated 0",
      "5–5 pinned 10",
      "6–8 verbatim 30",
    ]);
  });

  test("gives kept requests, instructions and recent messages different reasons", () => {
    const log = new Log()
      .say("system")
      .say()
      .say()
      .say()
      .say()
      .change(truncate(4, [3]));
    expect(runsOf(log.plan)).toEqual([
      "1–1 verbatim 10",
      "2–2 truncated 0",
      "3–3 verbatim 10",
      "4–4 truncated 0",
      "5–5 verbatim 10",
    ]);
    expect(new Set(log.plan.runs.map(({ reason }) => reason)).size).toBe(4);
  });

  test("returns the fates of pruned, cut, pinned and deleted messages", () => {
    const log = aTalk(6).change(prune(2, "pruned")).change(prune(3, "cut")).change(pin(4)).erase(5);
    expect(runsOf(log.plan)).toEqual([
      "1–1 verbatim 10",
      "2–2 pruned 10",
      "3–3 cut 10",
      "4–4 pinned 10",
      "5–5 deleted 0",
      "6–6 verbatim 10",
    ]);
  });

  test("does not join adjacent messages that have the same fate and different reasons", () => {
    expect(runsOf(new Log().say("system").say().say().plan)).toEqual(["1–1 verbatim 10", "2–3 verbatim 20"]);
  });

  test("joins adjacent messages with the same fate and reason, across entries that are not messages", () => {
    expect(
      runsOf(
        aTalk(2)
          .change(pin(1))
          .change({ type: "unpin", pinIds: ["e1"], reason: "" })
          .say().plan,
      ),
    ).toEqual(["1–5 verbatim 30"]);
  });

  test("shows messages cleared for one generation as cleared", () => {
    const once: WithoutStamp = { type: "clear", throughSeq: 5, scope: "next-generation", keepsPreamble: true };
    expect(runsOf(aTalk(4).change(summarize(2)).change(once).say().plan)).toEqual(["1–5 cleared 0", "7–7 verbatim 10"]);
  });

  test("puts every message into exactly one run, with the fate that it has in the view", () => {
    fc.assert(
      fc.property(steps, (planned) => {
        const log = play(planned);
        const { runs } = log.plan;
        const shown = new Map([...log.view.kept, ...log.view.messages].map(({ seq, fate }) => [seq, fate]));
        for (const { seq, erased } of log.messages) {
          const holding = runs.filter(({ firstSeq, lastSeq }) => firstSeq <= seq && lastSeq >= seq);
          expect(holding.length).toBe(1);
          const fate = holding[0]?.fate ?? "verbatim";
          const isHidden = seq <= findViewFloorSeq(log.view.head) && !shown.has(seq);
          if (isHidden) expect(["cleared", "summarised", "truncated"]).toContain(fate);
          else expect(fate).toBe(erased === true ? "deleted" : shown.get(seq));
        }
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("returns ordered runs that do not overlap and cannot be joined", () => {
    fc.assert(
      fc.property(steps, (planned) => {
        const { runs } = play(planned).plan;
        for (const [index, run] of runs.entries()) {
          const next = runs[index + 1];
          expect(run.firstSeq).toBeLessThanOrEqual(run.lastSeq);
          expect(next === undefined || next.firstSeq > run.lastSeq).toBe(true);
          const couldBeOne = next?.fate === run.fate && next.reason === run.reason && next.entryId === run.entryId;
          expect(couldBeOne).toBe(false);
        }
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("returns runs with as many tokens as the view", () => {
    fc.assert(
      fc.property(steps, (planned) => {
        const log = play(planned);
        const shown = log.view.kept.length + log.view.messages.length;
        expect(log.plan.runs.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(shown * 10);
      }),
      { numRuns: propertyRuns() },
    );
  });
});

describe("explainMessage", () => {
  test.each<[Fate, Log, number, object]>([
    ["verbatim", aTalk(2), 1, { isShown: true }],
    ["pinned", aTalk(4).change(pin(2)).change(truncate(3)), 2, { isShown: true, reason: "pinned" }],
    ["pruned", aTalk(2).change(prune(1, "pruned")), 1, { isShown: true, reason: "large" }],
    ["cut", aTalk(2).change(prune(1, "cut")), 1, { isShown: true, reason: "large" }],
    ["summarised", aTalk(4).change(summarize(3)), 2, { isShown: false, reason: "too long", entryId: "s1" }],
    ["truncated", aTalk(4).change(truncate(3)), 2, { isShown: false, reason: "did not fit", entryId: "e1" }],
    ["cleared", aTalk(4).change(clear(3)), 2, { isShown: false, reason: "cleared on request" }],
    ["deleted", aTalk(4).erase(2), 2, { isShown: false, reason: "deleted on request" }],
  ])("returns the fate `%s` and its reason", (fate, log, seq, expected) => {
    const entry = log.messages.find((message) => message.seq === seq);
    if (entry === undefined) throw new TypeError(`There is no message ${seq}.`);
    expect(explainMessage(log.view, entry)).toMatchObject({ messageId: entry.id, seq, fate, ...expected });
  });

  test("returns `truncated` for a deleted message in a truncated stretch, as the plan does", () => {
    const log = aTalk(4).change(truncate(3)).erase(2);
    const entry = log.messages[1];
    if (entry === undefined) throw new TypeError("There are four messages.");
    expect(explainMessage(log.view, entry)).toMatchObject({ fate: "truncated", isShown: false });
    expect(createPlan(log.view).runs[0]).toMatchObject({ fate: "truncated", lastSeq: 3 });
  });

  test("sets isShown only for messages that the view shows", () => {
    fc.assert(
      fc.property(steps, (planned) => {
        const log = play(planned);
        const shown = new Set([...log.view.kept, ...log.view.messages].map(({ seq }) => seq));
        for (const entry of log.messages) {
          const { fate, isShown, reason } = explainMessage(log.view, entry);
          expect(isShown).toBe(shown.has(entry.seq));
          expect(isShown).toBe(["verbatim", "pinned", "pruned", "cut"].includes(fate));
          expect(reason).not.toBe("");
        }
      }),
      { numRuns: propertyRuns() },
    );
  });
});

type Kind = "truncate" | "keep" | "summary" | "pin" | "prune" | "cut" | "clear" | "once" | "delete";

interface Step {
  readonly kind: "user" | "system" | Kind;
  readonly at: number;
}

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    kind: weighted<Step["kind"]>([
      [8, fc.constant("user")],
      [1, fc.constant("system")],
      [9, fc.constantFrom("truncate", "keep", "summary", "pin", "prune", "cut", "clear", "once", "delete")],
    ]),
    at: fractions(),
  }),
  { maxLength: 50, size: "max" },
);

/** Applies changes above the view floor, as the planner does. */
const CHANGES: Readonly<Record<Kind, (log: Log, seq: number) => Log>> = {
  truncate: (log, seq) => log.change(truncate(seq)),
  keep: (log, seq) => log.change(truncate(seq, [seq])),
  summary: (log, seq) => log.change(summarize(seq)),
  pin: (log, seq) => log.change(pin(seq)),
  prune: (log, seq) => log.change(prune(seq, "pruned")),
  cut: (log, seq) => log.change(prune(seq, "cut")),
  clear: (log, seq) => log.change(clear(seq)),
  once: (log, seq) => log.change({ type: "clear", throughSeq: seq, scope: "next-generation", keepsPreamble: true }),
  delete: (log, seq) => log.erase(seq),
};

function play(planned: readonly Step[]): Log {
  return planned.reduce((log, { kind, at }) => {
    if (kind === "user" || kind === "system") return log.say(kind);
    const above = log.view.messages;
    const seq = above[Math.floor(at * above.length)]?.seq;
    return seq === undefined ? log : CHANGES[kind](log, seq);
  }, new Log());
}
