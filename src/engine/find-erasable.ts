/**
 * What goes with a summary where the policy keeps nothing that one stands for: the text of every message that is no
 * longer shown, and the summary before it. What a fork still reads stays, in the fork and in what it was made from.
 */
import type { EntryId } from "../core/log/entry.ts";
import { keptSeqs } from "../core/log/head.ts";
import type { PlanSettings } from "../core/plan/plan-settings.ts";
import { foldChanges, type Proposal } from "../core/plan/proposal.ts";
import type { Conversation } from "./conversation.ts";
import type { SessionState } from "./session-state.ts";

export async function findErasable(
  { id, context }: SessionState,
  { head, view }: Conversation,
  { changes, retention }: Pick<Proposal, "changes"> & Pick<PlanSettings, "retention">,
): Promise<readonly EntryId[]> {
  const record = changes.find((change) => change.type === "summary")?.record;
  if (retention === "keep" || record === undefined) return [];
  const sharedSeq = await findSharedSeq(id, context);
  const shown = new Set(keptSeqs(foldChanges(head, changes)));
  const isGone = (seq: number) => seq > sharedSeq && seq <= record.coverage.lastSeq && !shown.has(seq);
  const gone = [...view.kept, ...view.messages].filter(({ seq }) => isGone(seq)).map(({ message }) => message.id);
  const before = head.summary === undefined ? undefined : await context.store.findEntry(id, head.summary.id);
  return before === undefined || before.seq <= sharedSeq ? gone : [...gone, before.id];
}

/** The last place that another session reads too: one that this is a fork of, or a fork of this one. */
async function findSharedSeq(id: string, { store }: SessionState["context"]): Promise<number> {
  const forkIds = await store.listForks(id);
  const sessions = await Promise.all([id, ...forkIds].map((each) => store.findSession(each)));
  return Math.max(0, ...sessions.map((session) => session?.header.fork?.atSeq ?? 0));
}
