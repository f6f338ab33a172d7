/** Takes back the newest change of the past, or takes back a taking back. Older ones are not reached over newer ones. */
import type { EntryId } from "../core/log/entry.ts";
import type { Head, UndoStep } from "../core/log/head.ts";
import type { SummaryRecord } from "../core/summary/record.ts";
import { changePast } from "./change-past.ts";
import type { SessionState } from "./session-state.ts";

/** After an undo, soft triggers wait for so many entries: what was just unfolded should not be folded at once. */
const HOLD_ENTRIES = 10;

export type UndoOutcome =
  | {
      readonly type: "undone";
      readonly entryId: EntryId;
      readonly undid: { readonly id: EntryId; readonly kind: string };
    }
  | { readonly type: "nothing-to-undo" }
  /** A newer change stands on this one; take that back first. */
  | { readonly type: "not-newest"; readonly newestId: EntryId | undefined }
  /** It deleted something, or a deletion came after it. */
  | { readonly type: "not-undoable" };

export async function undoEntry(state: SessionState, entryId?: EntryId): Promise<UndoOutcome> {
  let undid: UndoStep | undefined;
  const outcome = await changePast<UndoOutcome>(state, async ({ head }) => {
    const found = findStep(head, entryId);
    if ("type" in found && !("before" in found))
      return { changes: [], refusal: await explainRefusal(state, found, entryId) };
    undid = found;
    const summary = await readSummary(state, head, found);
    const holdThroughSeq = head.foldedThroughSeq + HOLD_ENTRIES;
    return { changes: [{ type: "undo", undoes: found.entryId, summary, holdThroughSeq }] };
  });
  if (outcome.type === "refused") return outcome.refusal;
  return {
    type: "undone",
    entryId: outcome.entryIds[0] ?? "",
    undid: { id: undid?.entryId ?? "", kind: undid?.type ?? "" },
  };
}

type Refusal = Exclude<UndoOutcome, { type: "undone" }>;

function findStep(head: Head, entryId: EntryId | undefined): UndoStep | Refusal {
  const newest = head.undoable.at(-1);
  const newestUndo = head.redoable.at(-1);
  if (entryId === undefined) return newest ?? { type: "nothing-to-undo" };
  const step = [newest, newestUndo].find((candidate) => candidate?.entryId === entryId);
  return step ?? { type: "not-newest", newestId: newest?.entryId };
}

/** An id that is no longer on either stack cannot be reached at all. */
async function explainRefusal(state: SessionState, refusal: Refusal, entryId: EntryId | undefined): Promise<Refusal> {
  if (refusal.type !== "not-newest" || entryId === undefined) return refusal;
  const { head } = await state.current();
  const isWaiting = [...head.undoable, ...head.redoable].some((step) => step.entryId === entryId);
  return isWaiting ? refusal : { type: "not-undoable" };
}

async function readSummary(state: SessionState, head: Head, step: UndoStep): Promise<SummaryRecord | undefined> {
  const { summaryId } = step.before;
  if (summaryId === undefined || summaryId === head.summary?.id) return undefined;
  const entry = await state.context.store.findEntry(state.id, summaryId);
  return entry?.type === "summary" ? entry.record : undefined;
}
