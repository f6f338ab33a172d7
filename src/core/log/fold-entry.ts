/**
 * Folds entries into a head. A log can be folded in any number of parts. Entries that move the epoch commute with the
 * messages around them, because they refer to seqs that their writer had read.
 *
 * Entries that the head already contains change nothing.
 */
import { applyTierDelta } from "../sections/tier.ts";
import type { SummaryRecord } from "../summary/record/record.ts";
import { learnCalibration, startCalibration } from "../tokens/calibration.ts";
import { noteCacheUse, readInputTokens } from "./cache-use.ts";
import {
  type ClearEntry,
  type DeleteEntry,
  type Entry,
  type EpochDraft,
  type EpochEntry,
  type MessageEntry,
  movesEpoch,
  type RequestEntry,
  type SummaryEntry,
  type TokenCounts,
  type UndoEntry,
} from "./entry.ts";
import {
  EMPTY_HEAD,
  findCoveredSeq,
  type HandedOutPrompt,
  type Head,
  type LivePrune,
  MAX_DISMISSED,
  MAX_REMEMBERED_REQUESTS,
  UNDO_DEPTH,
  type UndoableState,
  type UndoStep,
} from "./head.ts";
import { addAnswer, addSummary, NO_SPENDING } from "./spent.ts";

/**
 * Applies entries to a head, in order, and returns the new head.
 *
 * @example
 * ```ts
 * const head = foldEntries(await session.entries());
 * console.log(head.summary?.text);
 * ```
 */
export function foldEntries(entries: readonly Entry[], start: Head = EMPTY_HEAD): Head {
  return entries.reduce(foldEntry, start);
}

/**
 * Applies one entry to a head and returns the new head.
 *
 * @example
 * ```ts
 * let head = EMPTY_HEAD;
 * for (const entry of await session.entries()) head = foldEntry(head, entry);
 * ```
 */
export function foldEntry(head: Head, entry: Entry): Head {
  if (movesEpoch(entry)) {
    const folded = entry.epoch <= head.epoch ? head : foldEpochEntry(head, entry);
    return advanceTo(folded, entry.seq);
  }
  if (entry.seq <= head.foldedThroughSeq) return head;
  const next = advanceTo(head, entry.seq);
  if (entry.type === "message") return foldMessage(next, entry);
  if (entry.type === "request") return foldRequest(next, entry);
  if (entry.type === "recall") return next;
  return entry.kind === "generation-end" ? completeGeneration(next, entry.promptId) : next;
}

/** Folds an entry that may have no seq yet. Does not change `foldedThroughSeq`. */
export function foldEpochEntry(head: Head, entry: EpochEntry | EpochDraft): Head {
  if (entry.type === "undo") return foldUndo(head, entry);
  if (entry.type === "delete") return foldDelete(head, entry);
  const step = createStep(head, entry, entry.type);
  const changed = { ...changeView(head, entry), epoch: entry.epoch, redoable: [] };
  if (entry.type === "summary" && entry.erases === true) return { ...changed, undoable: [{ ...step, isFinal: true }] };
  return { ...changed, undoable: [...head.undoable, step].slice(-UNDO_DEPTH) };
}

function changeView(head: Head, entry: Exclude<EpochEntry | EpochDraft, { type: "undo" } | { type: "delete" }>): Head {
  switch (entry.type) {
    case "summary":
      return dropCoveredPrunes({
        ...markCompacted(head, entry),
        preamble: findPreambleBeside(head, entry.record),
        spent: addSummary(head.spent, entry.record),
        summary: entry.record,
        truncation: undefined,
        keptRequests: entry.keptRequests,
      });
    case "truncate": {
      const { id, coverage, coveredTokens, reason, keptRequests, dropsSummary } = entry;
      const summary = dropsSummary === true ? undefined : head.summary;
      const truncation = { id, coverage, coveredTokens, reason };
      return dropCoveredPrunes({ ...markCompacted(head, entry), summary, truncation, keptRequests });
    }
    case "prune": {
      const replaced = new Set(entry.prunes.map((prune) => `${prune.seq}/${prune.partIndex}`));
      const kept = head.prunes.filter((prune) => !replaced.has(`${prune.seq}/${prune.partIndex}`));
      return { ...head, prunes: [...kept, ...entry.prunes.map((prune) => ({ ...prune, entryId: entry.id }))] };
    }
    case "clear":
      return clearView(head, entry);
    case "pin":
      return { ...head, pins: [...head.pins, { id: entry.id, target: entry.target }] };
    case "unpin":
      return { ...head, pins: head.pins.filter((pin) => !entry.pinIds.includes(pin.id)) };
    case "dismiss": {
      const { messageId, messageSeq } = entry;
      return { ...head, dismissed: [...(head.dismissed ?? []), { messageId, messageSeq }].slice(-MAX_DISMISSED) };
    }
    default:
      return entry satisfies never;
  }
}

/** Returns the preamble without a summary that was read from a system message: it is not an instruction. */
function findPreambleBeside({ preamble }: Head, { origin, coverage }: SummaryRecord): Head["preamble"] {
  if (origin === undefined) return preamble;
  return preamble.filter((seq) => seq < coverage.firstSeq || seq > coverage.lastSeq);
}

type Compaction = Pick<SummaryEntry, "epoch" | "readThroughSeq">;

function markCompacted(head: Head, { epoch, readThroughSeq = head.compactedThroughSeq }: Compaction): Head {
  return { ...head, compactedThroughSeq: readThroughSeq, compactedEpoch: epoch, armed: false };
}

/** No summary or truncation covers earlier messages. */
const NOTHING_COVERED = { summary: undefined, truncation: undefined, keptRequests: [] } as const;

function clearView(head: Head, entry: ClearEntry | Omit<ClearEntry, "seq">): Head {
  if (entry.scope === "next-generation") {
    const forgotten = entry.dropsSummary === true ? NOTHING_COVERED : {};
    return { ...head, ...forgotten, clearedOnce: { throughSeq: entry.throughSeq, epoch: entry.epoch } };
  }
  return {
    ...head,
    ...NOTHING_COVERED,
    prunes: [],
    pins: head.pins.filter((pin) => pin.target.type === "note"),
    clearedThroughSeq: entry.throughSeq,
    preambleClearedThroughSeq: entry.keepsPreamble ? head.preambleClearedThroughSeq : entry.throughSeq,
  };
}

function foldUndo(head: Head, entry: UndoEntry | Omit<UndoEntry, "seq">): Head {
  const redone = head.redoable.at(-1);
  const isRedo = redone?.entryId === entry.undoes;
  const step = isRedo ? redone : head.undoable.at(-1);
  if (step === undefined) return { ...head, epoch: entry.epoch };
  const taken = createStep(head, entry, step.type);
  const restored = restoreState(head, { state: step.before, summary: entry.summary });
  return {
    ...restored,
    epoch: entry.epoch,
    holdThroughCount: entry.holdThroughCount,
    undoable: isRedo ? [...head.undoable, taken].slice(-UNDO_DEPTH) : head.undoable.slice(0, -1),
    redoable: isRedo ? head.redoable.slice(0, -1) : [...head.redoable, taken],
  };
}

/** Clears the undo stack, because an older summary might quote the deleted message. */
function foldDelete(head: Head, entry: DeleteEntry | Omit<DeleteEntry, "seq">): Head {
  const gone = new Set(entry.seqs);
  const next: Head = {
    ...head,
    epoch: entry.epoch,
    pins: head.pins.filter(({ target }) => {
      if (target.type === "messages") return !target.seqs.some((seq) => gone.has(seq));
      return target.messageId === undefined || !entry.messageIds.includes(target.messageId);
    }),
    prunes: head.prunes.filter((prune) => !gone.has(prune.seq)),
    preamble: head.preamble.filter((seq) => !gone.has(seq)),
    keptRequests: head.keptRequests.filter((seq) => !gone.has(seq)),
    undoable: [],
    redoable: [],
  };
  if (!entry.dropsSummary || head.summary === undefined)
    return { ...next, truncation: uncountDeleted(head, entry.seqs) };
  const { firstSeq, count } = head.summary.coverage;
  const lastSeq = findCoveredSeq(head);
  const deleted = entry.seqs.filter((seq) => seq >= firstSeq && seq <= lastSeq).length;
  const covered = count + (head.truncation?.coverage.count ?? 0);
  return {
    ...next,
    summary: undefined,
    truncation: {
      id: entry.id,
      coverage: { firstSeq, lastSeq, count: Math.max(0, covered - deleted) },
      coveredTokens: head.summary.tokensBefore + (head.truncation?.coveredTokens ?? 0),
      reason: "The summary quoted a message that was deleted.",
    },
  };
}

function uncountDeleted({ truncation, summary }: Head, seqs: readonly number[]): Head["truncation"] {
  if (truncation === undefined) return undefined;
  const { coverage } = truncation;
  const from = Math.max(coverage.firstSeq, (summary?.coverage.lastSeq ?? 0) + 1);
  const covered = seqs.filter((seq) => seq >= from && seq <= coverage.lastSeq);
  return { ...truncation, coverage: { ...coverage, count: Math.max(0, coverage.count - covered.length) } };
}

function createStep(head: Head, { id, batch = id }: Pick<EpochDraft, "id" | "batch">, type: string): UndoStep {
  return { entryId: id, type, batch, before: readUndoableState(head) };
}

function readUndoableState(head: Head): UndoableState {
  const { truncation, clearedThroughSeq, clearedOnce, preambleClearedThroughSeq, keptRequests, pins, prunes } = head;
  const cleared = { clearedThroughSeq, clearedOnce, preambleClearedThroughSeq };
  const { dismissed } = head;
  const state = { summaryId: head.summary?.id, truncation, ...cleared, keptRequests, pins, prunes };
  return dismissed === undefined ? state : { ...state, dismissed };
}

function restoreState(
  head: Head,
  { state, summary }: { readonly state: UndoableState; readonly summary: SummaryRecord | undefined },
): Head {
  // Lists each field, because a state parsed from JSON has no keys for undefined values.
  const { summaryId, truncation, clearedOnce, clearedThroughSeq, preambleClearedThroughSeq } = state;
  const { keptRequests, pins, prunes, dismissed } = state;
  const cleared = { clearedOnce, clearedThroughSeq, preambleClearedThroughSeq };
  const rest = { truncation, ...cleared, keptRequests, pins, prunes, dismissed };
  if (summaryId === undefined) return { ...head, ...rest, summary: undefined };
  return { ...head, ...rest, summary: summaryId === head.summary?.id ? head.summary : summary };
}

/** Removes prunes of hidden messages. Pinned messages are shown whole. */
function dropCoveredPrunes(head: Head): Head {
  const covered = findCoveredSeq(head);
  const isShown = ({ seq }: LivePrune) => seq > covered || head.keptRequests.includes(seq);
  return { ...head, prunes: head.prunes.filter(isShown) };
}

function foldMessage(head: Head, entry: MessageEntry): Head {
  const counted = { ...head, messageCount: head.messageCount + 1, totals: addCounts(head.totals, entry.tokens) };
  const learned = noteSpending(noteUse(learnFromUsage(counted, entry), entry), entry);
  const opens = head.preambleOpen || entry.opensConversation === true;
  const isPreamble = opens && entry.message.role === "system" && entry.erased !== true;
  const placed: Head = {
    ...learned,
    preamble: isPreamble ? [...head.preamble, entry.seq] : head.preamble,
    preambleOpen: head.preambleOpen && entry.message.role === "system",
  };
  return entry.promptId === undefined ? placed : completeGeneration(placed, entry.promptId);
}

export function addCounts(totals: Head["totals"], counts: TokenCounts): Head["totals"] {
  const sums: Record<string, number> = { ...totals };
  for (const [counterId, tokens] of Object.entries(counts)) sums[counterId] = (sums[counterId] ?? 0) + tokens;
  return sums;
}

/** Learns from usage only if it was reported for a prompt that we counted. */
function learnFromUsage(head: Head, entry: MessageEntry): Head {
  const request = findRequest(head, entry.promptId);
  const reportedTokens = readInputTokens(entry.usage);
  if (request === undefined || reportedTokens === undefined) return head;
  const learnedBefore = head.calibration?.model === request.model ? head.calibration : undefined;
  const known = learnedBefore ?? startCalibration(request.factor);
  const learned = learnCalibration(known, { countedTokens: request.countedTokens, reportedTokens });
  const factor = request.exact ? Math.max(1, learned.factor) : learned.factor;
  return { ...head, calibration: { ...learned, factor, model: request.model } };
}

function noteUse(head: Head, { promptId, usage }: MessageEntry): Head {
  const request = findRequest(head, promptId);
  if (request === undefined || usage === undefined) return head;
  const { viewEpoch } = request;
  const cacheUse = noteCacheUse(head.cacheUse, { promptId: request.promptId, viewEpoch, usage });
  return cacheUse === head.cacheUse ? head : { ...head, cacheUse };
}

function noteSpending(head: Head, { promptId, usage, tokens }: MessageEntry): Head {
  if (promptId === undefined && usage === undefined) return head;
  const spent = addAnswer(head.spent, { usage, tokens, request: findRequest(head, promptId) });
  return spent === NO_SPENDING || spent === head.spent ? head : { ...head, spent };
}

/** Marks a generation as completed or failed. A clear for one generation ends with it. */
function completeGeneration(head: Head, promptId: string | undefined): Head {
  const request = findRequest(head, promptId);
  if (request === undefined) return head;
  return request.viewEpoch > head.completedEpoch ? { ...head, completedEpoch: request.viewEpoch } : head;
}

function findRequest(head: Head, promptId: string | undefined): HandedOutPrompt | undefined {
  return promptId === undefined ? undefined : head.requests.find((request) => request.promptId === promptId);
}

/** Folds a request. Its seq does not matter. */
export function foldRequest(head: Head, entry: Omit<RequestEntry, "seq">): Head {
  const before = head.requests.at(-1);
  const grown = before?.counterId === entry.counterId ? countOwnTokens(entry) - countOwnTokens(before) : 0;
  return {
    ...head,
    requests: [...head.requests, createHandedOutPrompt(entry)].slice(-MAX_REMEMBERED_REQUESTS),
    requestCount: head.requestCount + 1,
    grownTokens: head.grownTokens + Math.max(0, grown),
    // Ignores the field of a prompt that does not show the newest compaction.
    armed: entry.viewEpoch < head.compactedEpoch ? head.armed : (entry.armed ?? head.armed),
    ...(entry.tiers === undefined ? {} : { tiers: applyTierDelta(head.tiers ?? [], entry.tiers) }),
  };
}

/** Returns the tokens of a prompt without recalled passages. */
export function countOwnTokens({ countedTokens, recalledTokens = 0 }: PromptSize): number {
  return countedTokens - recalledTokens;
}

type PromptSize = Pick<RequestEntry, "countedTokens" | "recalledTokens">;

function createHandedOutPrompt(entry: Omit<RequestEntry, "seq">): HandedOutPrompt {
  const { promptId, at, viewEpoch, counterId, model, provider, countedTokens, factor, exact = false, sections } = entry;
  const { recalledTokens } = entry;
  const prompt = { promptId, at, viewEpoch, counterId, model, provider, countedTokens, factor, exact, sections };
  return recalledTokens === undefined ? prompt : { ...prompt, recalledTokens };
}

function advanceTo(head: Head, seq: number): Head {
  return seq > head.foldedThroughSeq ? { ...head, foldedThroughSeq: seq } : head;
}
