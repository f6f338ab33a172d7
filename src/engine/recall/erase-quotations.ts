/** Erases recalled passages that quote deleted messages of other sessions, and prunes them from prompts. */
import type { RecallEntry, RecalledMessage, SessionId } from "../../core/log/entry.ts";
import { createNoteMessage } from "../../core/log/view.ts";
import type { Change } from "../../core/plan/proposal.ts";
import type { TenantStore } from "../../ports/store.ts";
import { returnIfGone } from "../context/errors.ts";
import type { SessionState } from "../state/session-state.ts";
import { findStored, listQuotingSessions } from "./recall-others.ts";

export type OpenSession = (id: SessionId) => Promise<SessionState>;

/** Erases every quotation of the sessions, or of one message of them. Returns the sessions that had some. */
export async function eraseQuotations(
  store: TenantStore,
  open: OpenSession,
  { sources, seq }: { readonly sources: readonly SessionId[]; readonly seq?: number | undefined },
): Promise<readonly SessionId[]> {
  const isQuoted = ({ sessionId, seq: quoted }: RecalledMessage): boolean =>
    sessionId !== undefined && sources.includes(sessionId) && (seq === undefined || quoted === seq);
  const quoting = new Set<SessionId>();
  for (const source of sources) for (const id of await listQuotingSessions(store, source)) quoting.add(id);
  const changed: SessionId[] = [];
  for (const id of [...quoting].filter((each) => !sources.includes(each) || seq !== undefined)) {
    const ids = await open(id)
      .then((state) => eraseIn(state, { open, isQuoted }))
      .catch(returnIfGone(undefined));
    changed.push(...(ids ?? []));
  }
  return [...new Set(changed)];
}

/** Erases passages of one session whose messages were deleted while its prompt was made. */
export async function eraseDeletedQuotations(state: SessionState, passages: readonly RecalledMessage[]): Promise<void> {
  const gone = new Set<string>();
  for (const { sessionId, messageId, seq } of passages)
    if (sessionId !== undefined && (await findStored(state.context.store, sessionId, messageId)) === undefined)
      gone.add(`${sessionId} ${seq}`);
  const isQuoted = ({ sessionId, seq }: RecalledMessage): boolean => gone.has(`${sessionId} ${seq}`);
  if (gone.size > 0) await eraseIn(state, { isQuoted });
}

interface EraseOptions {
  /** Opens forks. Without it, the session has none that read the blocks. */
  readonly open?: OpenSession | undefined;
  readonly isQuoted: (passage: RecalledMessage) => boolean;
}

/** Erases the blocks in the session that wrote them, and prunes them in its forks too. */
async function eraseIn(state: SessionState, { open, isQuoted }: EraseOptions): Promise<readonly SessionId[]> {
  const { store } = state.context;
  const afterSeq = (await store.findSession(state.id))?.header.fork?.atSeq;
  const blocks = (await state.readEntries("recall", { afterSeq })).filter(({ passages }) => passages.some(isQuoted));
  if (blocks.length === 0) return [];
  const changed = [state.id];
  await state.changeHead(() => ({ changes: [prune(blocks)], erase: blocks.map((block) => block.id) }));
  for (const id of changed) {
    const reader = id === state.id ? undefined : await open?.(id);
    await reader?.changeHead(() => ({ changes: [prune(blocks)] }));
    if (open !== undefined) changed.push(...(await store.listForks(id)));
  }
  return changed;
}

const REASON = "A message that the recalled passages quote was deleted in another session.";

function prune(blocks: readonly RecallEntry[]): Change {
  const prunes = blocks.map(({ seq, id }) => ({
    seq,
    messageId: createNoteMessage(id, "").id,
    partIndex: 0,
    fate: "pruned" as const,
    replacement: { type: "text", text: "" } as const,
    reason: REASON,
  }));
  return { type: "prune", prunes, reason: REASON };
}
