/**
 * The decision for one request: what became of every message, in runs that share a fate and a reason, and where the
 * tokens go. A plan has as many runs as there are changes of fate, not as many as there are messages.
 */
import type { EntryId, MessageEntry } from "../log/entry.ts";
import { clearedSeq, type Head } from "../log/head.ts";
import type { OmittedMessage, View, ViewMessage } from "../log/view.ts";
import type { Tier } from "../sections/tier.ts";
import type { GateVerdict } from "./economic-gate.ts";
import type { NeedDecision } from "./triggers/decide-need.ts";

export type Fate = "verbatim" | "pinned" | "pruned" | "cut" | "summarised" | "truncated" | "cleared" | "deleted";

export interface PlanRun {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly fate: Fate;
  readonly reason: string;
  /** The entry that decided it. */
  readonly entryId?: EntryId | undefined;
  /** Tokens as shown; 0 for what is not shown itself. */
  readonly tokens: number;
}

/** What a tier of the workspace holds. */
export interface PlanTier {
  readonly tier: Tier;
  readonly tokens: number;
  readonly items: readonly {
    /** `file:` or `symbol:` with a path, `history:` with a seq. */
    readonly key: string;
    /** In how many requests it was seen unchanged. */
    readonly seen: number;
    /** From how many on it may rise; nothing rises from the first tier. */
    readonly risesAt: number | undefined;
    readonly tokens: number;
  }[];
}

export interface Plan {
  readonly epoch: number;
  readonly runs: readonly PlanRun[];
  /** Which triggers fired, which were held back, and why. Known for a prompt. */
  readonly need?: NeedDecision | undefined;
  /** Whether a compaction that could wait would have paid for itself, with every term. */
  readonly gate?: GateVerdict | undefined;
  /** Why a need was not acted on: it does not pay yet, too little would be saved, or one is being made ready. */
  readonly held?: string | undefined;
  /** Laws that the policy relaxes, by name. */
  readonly relaxedLaws?: readonly string[] | undefined;
  /** Where the parts of a workspace and the history stand, tier by tier. */
  readonly tiers?: readonly PlanTier[] | undefined;
}

export function makePlan(view: View): Plan {
  const { omitted = [] } = view;
  const runs = [
    ...hiddenRuns(view.head, bySeq([...view.kept, ...omitted])),
    ...view.kept.map(toRun),
    ...view.messages.map(toRun),
    ...view.erasedSeqs.map(toDeletedRun),
    ...omitted.map(toOmittedRun),
  ];
  return { epoch: view.head.epoch, runs: joinRuns(runs) };
}

type Placed = Pick<ViewMessage, "seq">;

function bySeq(placed: readonly Placed[]): readonly Placed[] {
  return placed.toSorted((left, right) => left.seq - right.seq);
}

/** Runs below the floor, with gaps where a message has a fate of its own. */
function hiddenRuns(head: Head, kept: readonly Placed[]): readonly PlanRun[] {
  const runs: PlanRun[] = [];
  const add = (lastSeq: number, rest: Omit<PlanRun, "firstSeq" | "lastSeq" | "tokens">) => {
    let firstSeq = (runs.at(-1)?.lastSeq ?? 0) + 1;
    for (const { seq } of kept.filter((item) => item.seq >= firstSeq && item.seq <= lastSeq)) {
      if (seq > firstSeq) runs.push({ firstSeq, lastSeq: seq - 1, tokens: 0, ...rest });
      firstSeq = seq + 1;
    }
    if (firstSeq <= lastSeq) runs.push({ firstSeq, lastSeq, tokens: 0, ...rest });
  };
  const cleared = clearedSeq(head);
  add(cleared, { fate: "cleared", reason: "cleared by its owner" });
  if (head.summary !== undefined && head.summary.coverage.lastSeq > cleared) {
    add(head.summary.coverage.lastSeq, { fate: "summarised", reason: head.summary.reason, entryId: head.summary.id });
  }
  if (head.truncation !== undefined && head.truncation.coverage.lastSeq > cleared) {
    add(head.truncation.coverage.lastSeq, {
      fate: "truncated",
      reason: head.truncation.reason,
      entryId: head.truncation.id,
    });
  }
  return runs;
}

function toRun({ seq, fate, reason, tokens, entryId }: ViewMessage): PlanRun {
  return { firstSeq: seq, lastSeq: seq, fate, reason, entryId, tokens };
}

function toDeletedRun(seq: number): PlanRun {
  return { firstSeq: seq, lastSeq: seq, fate: "deleted", reason: "deleted by its owner", tokens: 0 };
}

function toOmittedRun({ seq, reason }: OmittedMessage): PlanRun {
  return { firstSeq: seq, lastSeq: seq, fate: "truncated", reason, tokens: 0 };
}

function joinRuns(runs: readonly PlanRun[]): readonly PlanRun[] {
  const ordered = runs.toSorted((left, right) => left.firstSeq - right.firstSeq);
  const joined: PlanRun[] = [];
  for (const run of ordered) {
    const last = joined.at(-1);
    if (last !== undefined && last.fate === run.fate && last.reason === run.reason && last.entryId === run.entryId) {
      joined[joined.length - 1] = { ...last, lastSeq: run.lastSeq, tokens: last.tokens + run.tokens };
    } else {
      joined.push(run);
    }
  }
  return joined;
}

// Answers "why does it not know that?": where one message is now, and why.
export interface Explanation {
  readonly messageId: string;
  readonly seq: number;
  readonly fate: Fate;
  readonly reason: string;
  readonly entryId?: string | undefined;
  /** Whether the model sees any of its own words in the next prompt. */
  readonly isShown: boolean;
  /** Whether it is so for the next prompt alone, which would be too large otherwise: nothing of that is in the log yet. */
  readonly isAhead?: boolean | undefined;
}

const NEWER = { fate: "verbatim", reason: "newer than the view", entryId: undefined } as const;
const OUT_OF_VIEW: readonly Fate[] = ["summarised", "truncated", "cleared"];
const DELETED = { fate: "deleted", reason: "deleted by its owner", entryId: undefined } as const;

/** A deleted message that is out of the view for another reason has that fate, as in the plan. */
export function explainMessage(view: View, entry: MessageEntry): Explanation {
  const { seq } = entry;
  const run = makePlan(view).runs.find((candidate) => candidate.firstSeq <= seq && candidate.lastSeq >= seq);
  const isDeleted = entry.erased === true && (run === undefined || !OUT_OF_VIEW.includes(run.fate));
  const { fate, reason, entryId } = isDeleted ? DELETED : (run ?? NEWER);
  const isShown = !isDeleted && [...view.kept, ...view.messages].some((item) => item.seq === seq);
  return { messageId: entry.message.id, seq, fate, reason, entryId, isShown };
}
