/** Undoes the newest change of the view, or redoes an undone one. A batch, such as a compaction, is one step. */
import type { EntryId } from "../../core/log/entry.ts";
import type { Head, UndoStep } from "../../core/log/head.ts";
import type { Change } from "../../core/plan/proposal.ts";
import type { SummaryRecord } from "../../core/summary/record/record.ts";
import { changePast } from "../state/change-past.ts";
import type { SessionState } from "../state/session-state.ts";

/** After an undo, soft triggers wait for this many messages, so that nothing is folded again at once. */
export const HOLD_MESSAGES = 10;

export type UndoOutcome =
  | {
      readonly type: "undone";
      /** Pass it to `undo` to redo. */
      readonly entryId: EntryId;
      readonly undid: { readonly id: EntryId; readonly kinds: readonly string[] };
    }
  | { readonly type: "nothing-to-undo" }
  /** A newer change depends on this one; undo that first. */
  | { readonly type: "not-newest"; readonly newestId: EntryId | undefined }
  /** It erased text, a deletion followed it, or there is no such change. */
  | { readonly type: "not-undoable" };

export async function undoEntry(state: SessionState, entryId?: EntryId): Promise<UndoOutcome> {
  let undid: readonly UndoStep[] = [];
  const outcome = await changePast<UndoOutcome>(state, async ({ head }) => {
    undid = findBatch(head, entryId);
    if (undid.some(({ isFinal }) => isFinal === true)) return { changes: [], refusal: { type: "not-undoable" } };
    if (undid.length === 0) return { changes: [], refusal: explainRefusal(head, entryId) };
    const holdThroughCount = head.messageCount + HOLD_MESSAGES;
    const changes: Change[] = [];
    for (const step of undid) {
      changes.push({
        type: "undo",
        undoes: step.entryId,
        summary: await readSummaryBefore(state, step),
        holdThroughCount,
      });
    }
    return { changes };
  });
  if (outcome.type === "refused") return outcome.refusal;
  const kinds = undid.map(({ type }) => type).toReversed();
  return { type: "undone", entryId: outcome.entryIds[0] ?? "", undid: { id: undid[0]?.batch ?? "", kinds } };
}

/** Returns the steps of the newest batch on either stack, newest first; none if the id is not among them. */
function findBatch(head: Head, entryId: EntryId | undefined): readonly UndoStep[] {
  const stacks = entryId === undefined ? [head.undoable] : [head.undoable, head.redoable];
  const batches = stacks.map((stack) => newestBatch(stack));
  return batches.find((batch) => batch.some((step) => isNamed(step, entryId))) ?? [];
}

function newestBatch(stack: readonly UndoStep[]): readonly UndoStep[] {
  const newest = stack.at(-1);
  const first = stack.findLastIndex((step) => step.batch !== newest?.batch) + 1;
  return stack.slice(first).toReversed();
}

function isNamed(step: UndoStep, entryId: EntryId | undefined): boolean {
  return entryId === undefined || step.entryId === entryId || step.batch === entryId;
}

function explainRefusal(head: Head, entryId: EntryId | undefined): UndoOutcome {
  if (entryId === undefined) return { type: "nothing-to-undo" };
  const isWaiting = [...head.undoable, ...head.redoable].some((step) => isNamed(step, entryId));
  return isWaiting ? { type: "not-newest", newestId: head.undoable.at(-1)?.batch } : { type: "not-undoable" };
}

async function readSummaryBefore(state: SessionState, { before }: UndoStep): Promise<SummaryRecord | undefined> {
  if (before.summaryId === undefined) return undefined;
  const entry = await state.context.store.findEntry(state.id, before.summaryId);
  return entry?.type === "summary" ? entry.record : undefined;
}
