/** The plan of one request: the fate of every message, in runs of messages with the same fate and reason. */
import type { EntryId, MessageEntry } from "../log/entry.ts";
import { findClearedSeq, findUnquotedSeqs, type Head } from "../log/head.ts";
import { listShownRecalls, type View, type ViewMessage } from "../log/view.ts";
import type { Tier } from "../sections/tier.ts";
import type { GateVerdict } from "./economic-gate.ts";
import type { NeedDecision } from "./triggers/decide-need.ts";

/** What happened to a message in a prompt. */
export type Fate = "verbatim" | "pinned" | "pruned" | "cut" | "summarised" | "truncated" | "cleared" | "deleted";

/** Consecutive messages with one fate and one reason. */
export interface PlanRun {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly fate: Fate;
  readonly reason: string;
  /** The entry that determined the fate. */
  readonly entryId?: EntryId | undefined;
  /** Tokens of the messages as the prompt shows them; 0 for hidden messages. */
  readonly tokens: number;
}

/** Contents of one workspace tier. */
export interface PlanTier {
  readonly tier: Tier;
  readonly tokens: number;
  readonly items: readonly {
    /** `file:` or `symbol:` with a path, `history:` with a seq. */
    readonly key: string;
    /** Number of requests that showed it unchanged. */
    readonly seen: number;
    /** The value of `seen` at which it may rise; undefined in the first tier. */
    readonly risesAt: number | undefined;
    readonly tokens: number;
  }[];
}

/** The decision for one prompt: the fate of every message with a reason, and why it was compacted or not. */
export interface Plan {
  readonly epoch: number;
  readonly runs: readonly PlanRun[];
  /** Which triggers fired, which were held back, and why. Set for prompts. */
  readonly need?: NeedDecision | undefined;
  /** Whether an optional compaction would have paid for itself, with every term. */
  readonly gate?: GateVerdict | undefined;
  /** Why no compaction followed: it would not pay off yet, would save too little, or is still being prepared. */
  readonly held?: string | undefined;
  /** Laws that the policy relaxes, by name. */
  readonly relaxedLaws?: readonly string[] | undefined;
  /** The parts of a workspace and the history, tier by tier. */
  readonly tiers?: readonly PlanTier[] | undefined;
}

export function createPlan(view: View): Plan {
  const { omitted = [] } = view;
  const runs = [
    ...listHiddenRuns(
      view.head,
      [...view.kept, ...omitted].sort((left, right) => left.seq - right.seq),
    ),
    ...view.kept.map(toRun),
    ...view.messages.map(toRun),
    ...view.erasedSeqs.map((seq) => toRun({ seq, tokens: 0, ...DELETED })),
    ...omitted.map(({ seq, reason }) => toRun({ seq, fate: "truncated", reason, tokens: 0 })),
  ];
  return { epoch: view.head.epoch, runs: joinRuns(runs) };
}

type PlacedSeq = Pick<ViewMessage, "seq">;

/** Lists runs below the view floor, without the messages that are kept. */
function listHiddenRuns(head: Head, kept: readonly PlacedSeq[]): readonly PlanRun[] {
  const runs: PlanRun[] = [];
  const add = (lastSeq: number, rest: Omit<PlanRun, "firstSeq" | "lastSeq" | "tokens">) => {
    let firstSeq = (runs.at(-1)?.lastSeq ?? 0) + 1;
    for (const { seq } of kept.filter((item) => item.seq >= firstSeq && item.seq <= lastSeq)) {
      if (seq > firstSeq) runs.push({ firstSeq, lastSeq: seq - 1, tokens: 0, ...rest });
      firstSeq = seq + 1;
    }
    if (firstSeq <= lastSeq) runs.push({ firstSeq, lastSeq, tokens: 0, ...rest });
  };
  const cleared = findClearedSeq(head);
  add(cleared, { fate: "cleared", reason: "cleared on request" });
  if (head.summary !== undefined && head.summary.coverage.lastSeq > cleared) {
    add(head.summary.coverage.lastSeq, { fate: "summarised", reason: head.summary.reason, entryId: head.summary.id });
  }
  if (head.truncation !== undefined && head.truncation.coverage.lastSeq > cleared) {
    const { reason, id: entryId } = head.truncation;
    add(head.truncation.coverage.lastSeq, { fate: "truncated", reason, entryId });
  }
  return runs;
}

function toRun({ seq, fate, reason, tokens, entryId }: Omit<PlanRun, "firstSeq" | "lastSeq"> & PlacedSeq): PlanRun {
  return { firstSeq: seq, lastSeq: seq, fate, reason, entryId, tokens };
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

/** The fate of one message and the reason for it. */
export interface Explanation {
  readonly messageId: string;
  readonly seq: number;
  readonly fate: Fate;
  readonly reason: string;
  readonly entryId?: string | undefined;
  /** Whether the next prompt contains the message: whole, pruned or cut. */
  readonly isShown: boolean;
  /** True if this applies to the next prompt only, which would otherwise be too large. Nothing is stored yet. */
  readonly isAhead?: boolean | undefined;
  /** The recalled blocks that quote the message, in order. Absent if there are none. */
  readonly recalled?: readonly RecallExplanation[] | undefined;
  /** True if recall leaves the message out. */
  readonly isDismissed?: boolean | undefined;
}

/** Why a recalled block quotes a message, and at what cost. */
export interface RecallExplanation {
  /** The entry of the block; absent if only the next prompt would have it. */
  readonly entryId?: EntryId | undefined;
  /** The block follows the message at this seq. */
  readonly afterSeq: number;
  /** Words of the request that the message contains. */
  readonly words: readonly string[];
  readonly tokens: number;
}

const NEWER = { fate: "verbatim", reason: "newer than the view", entryId: undefined } as const;
const OUT_OF_VIEW: readonly Fate[] = ["summarised", "truncated", "cleared"];
const DELETED = { fate: "deleted", reason: "deleted on request", entryId: undefined } as const;

/** Explains the fate of one message. A deleted message that is also summarized, truncated or cleared has that fate. */
export function explainMessage(view: View, entry: MessageEntry): Explanation {
  const { seq } = entry;
  const run = createPlan(view).runs.find((candidate) => candidate.firstSeq <= seq && candidate.lastSeq >= seq);
  const isDeleted = entry.erased === true && (run === undefined || !OUT_OF_VIEW.includes(run.fate));
  const { fate, reason, entryId } = isDeleted ? DELETED : (run ?? NEWER);
  const isShown = !isDeleted && [...view.kept, ...view.messages].some((item) => item.seq === seq);
  const explained = { messageId: entry.message.id, seq, fate, reason, entryId, isShown };
  const recalled = listRecalls(view, seq);
  const isDismissed = view.head.dismissed?.some(({ messageSeq }) => messageSeq === seq) === true;
  return {
    ...explained,
    ...(recalled.length === 0 ? {} : { recalled }),
    ...(isDismissed ? { isDismissed } : {}),
  };
}

function listRecalls(view: View, seq: number): readonly RecallExplanation[] {
  if (findUnquotedSeqs(view.head).has(seq)) return [];
  return listShownRecalls(view).flatMap(({ afterSeq, recalled: { id, passages } }) => {
    const passage = passages.find((each) => each.seq === seq && each.sessionId === undefined);
    return passage === undefined ? [] : [{ entryId: id, afterSeq, words: passage.words, tokens: passage.tokens }];
  });
}
