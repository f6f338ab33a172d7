/**
 * A way that was taken before. Whoever sends the same edit again, because nobody answered it, goes on in the fork that
 * is there already; one that has been answered is left as it is.
 */
import type { MessageEntry, SessionId } from "../../core/log/entry.ts";
import type { Message } from "../../core/message/message.ts";
import type { SessionState } from "../state/session-state.ts";

type IsSame = (message: Message, entry: Pick<MessageEntry, "id" | "hash">) => boolean;

interface Way {
  readonly atSeq: number;
  readonly messages: readonly Message[];
  readonly isSame: IsSame;
}

/** The newest forks of a session that are looked at. */
const MOST_FORKS = 100;

/** The fork at a place that has the beginning of these messages and nothing else, and how many of them it has. */
export async function findSameFork(
  state: SessionState,
  { atSeq, messages, isSame }: Way,
): Promise<{ readonly id: SessionId; readonly known: number } | undefined> {
  for (const id of await listForksAt(state, atSeq)) {
    const own = await readOwn(state, { id, atSeq, limit: messages.length + 1 });
    if (own.length > messages.length) continue;
    if (own.length === 0 && !(messages.length === 0 && (await hasFailed(state, { id, atSeq })))) continue;
    if (own.every((entry, index) => isSameAt(messages[index], entry, isSame))) return { id, known: own.length };
  }
  return undefined;
}

/** Whether some fork at a place begins with this message. */
export async function hasFork(
  state: SessionState,
  { atSeq, message, isSame }: { readonly atSeq: number; readonly message: Message; readonly isSame: IsSame },
): Promise<boolean> {
  for (const id of await listForksAt(state, atSeq)) {
    const [first] = await readOwn(state, { id, atSeq, limit: 1 });
    if (first !== undefined && isSameAt(message, first, isSame)) return true;
  }
  return false;
}

async function listForksAt({ id, context }: SessionState, atSeq: number): Promise<readonly SessionId[]> {
  const forks = (await context.store.listForks(id)).slice(-MOST_FORKS).toReversed();
  const found: SessionId[] = [];
  for (const fork of forks) {
    const place = (await context.store.describeSession(fork))?.fork?.atSeq;
    if (place === atSeq) found.push(fork);
  }
  return found;
}

interface Own {
  readonly id: SessionId;
  readonly atSeq: number;
}

async function readOwn(
  { context }: SessionState,
  { id, atSeq, limit }: Own & { readonly limit: number },
): Promise<readonly MessageEntry[]> {
  const entries = await context.store.readEntries(id, { afterSeq: atSeq, types: ["message"], limit });
  return entries.filter((entry) => entry.type === "message");
}

/** Notes that a prompt was given with stand among those that say how a generation ended. */
const NOTES_LOOKED_AT = 8;

/** A fork in which a reply was to be made anew, and none came; one that somebody made for later has no such note. */
async function hasFailed({ context }: SessionState, { id, atSeq }: Own): Promise<boolean> {
  const notes = await context.store.readEntries(id, {
    afterSeq: atSeq,
    types: ["note"],
    newestFirst: true,
    limit: NOTES_LOOKED_AT,
  });
  const newest = notes.find((entry) => entry.type === "note" && entry.kind !== "prompt");
  return newest?.type === "note" && newest.kind === "generation-end";
}

/** What was erased there is no proof of the same words. */
function isSameAt(message: Message | undefined, entry: MessageEntry, isSame: IsSame): boolean {
  return message !== undefined && entry.hash !== "" && isSame(message, entry);
}
