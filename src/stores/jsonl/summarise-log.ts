/** A session as lists of sessions show it, from its header, its counts and its first message. */
import { messageText } from "../../core/message/message-text.ts";
import { wholeHead } from "../../core/message/whole-text.ts";
import type { SessionSummary } from "../../ports/store.ts";
import type { SessionLog } from "./session-log.ts";

const PREVIEW_CHARACTERS = 100;

export interface ListedSession extends SessionSummary {
  /** The newest of its own entries among all of the tenant's. */
  readonly lastTurn: number;
  /** Without what it inherits. */
  readonly ownEntries: number;
  readonly ownMessages: number;
}

export async function summariseLog(log: SessionLog): Promise<ListedSession> {
  const { title, createdAt, fork } = await log.readHeader();
  const { firstMessageSeq, session } = log;
  const [first] = firstMessageSeq === undefined ? [] : await log.readAt([firstMessageSeq], "texts");
  const message = first?.type === "message" ? first.message : undefined;
  return {
    id: log.id,
    title,
    createdAt,
    updatedAt: Math.max(createdAt, session.facts.updatedAt),
    messageCount: await log.countMessages(),
    preview: message === undefined ? "" : wholeHead(messageText(message), PREVIEW_CHARACTERS),
    firstRole: message?.role,
    fork,
    lastTurn: session.facts.lastTurn,
    ownEntries: session.entries.count,
    ownMessages: session.messageCount,
  };
}

/** The newest so many after a place, by the order of lists of sessions. */
export function selectNewest(
  sessions: Iterable<ListedSession>,
  { limit, after }: { readonly limit: number; readonly after?: Pick<SessionSummary, "id" | "updatedAt"> | undefined },
): readonly SessionSummary[] {
  const selected: ListedSession[] = [];
  for (const session of sessions) {
    if (after !== undefined && compareNewestFirst(session, after) <= 0) continue;
    const last = selected.at(-1);
    if (selected.length >= limit && (last === undefined || compareNewestFirst(session, last) >= 0)) continue;
    selected.splice(findSlot(selected, session), 0, session);
    if (selected.length > limit) selected.pop();
  }
  return selected.map(withoutTurns);
}

export function withoutTurns({
  lastTurn: _,
  ownEntries: __,
  ownMessages: ___,
  ...session
}: ListedSession): SessionSummary {
  return session;
}

function findSlot(sorted: readonly SessionSummary[], session: SessionSummary): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = sorted[middle];
    if (other !== undefined && compareNewestFirst(other, session) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

type Dated = Pick<SessionSummary, "id" | "updatedAt">;

function compareNewestFirst(left: Dated, right: Dated): number {
  if (left.updatedAt !== right.updatedAt) return right.updatedAt - left.updatedAt;
  // By code points, as databases compare.
  return Buffer.compare(Buffer.from(right.id), Buffer.from(left.id));
}
