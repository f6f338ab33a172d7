/**
 * What a client resends, brought in line with the log: the part they share is left alone, what is new is appended, and
 * where the client has gone another way (an edit, a regenerated reply) the session forks there.
 *
 * It compares every message that was sent, because a client may have changed any of them; that costs what was sent.
 */
import type { SessionId } from "../core/log/entry.ts";
import { decodeInput } from "../core/message/formats/decode-input.ts";
import { hashMessage } from "../core/message/hash-message.ts";
import type { Message } from "../core/message/message.ts";
import { appendMessages } from "./append-messages.ts";
import { forkSession } from "./fork-session.ts";
import type { SessionState } from "./session-state.ts";

export type SyncOutcome =
  | { readonly type: "unchanged" | "appended"; readonly sessionId: SessionId; readonly appended: number }
  /** The client's list leaves the log after `atSeq`; it goes on in a session of its own. */
  | { readonly type: "forked"; readonly sessionId: SessionId; readonly atSeq: number; readonly appended: number };

const UNNAMED = "\u0000unnamed-";

export async function syncMessages(
  state: SessionState,
  input: readonly unknown[],
  open: (id: SessionId) => Promise<SessionState>,
): Promise<SyncOutcome> {
  if (input.length === 0) return { type: "unchanged", sessionId: state.id, appended: 0 };
  const messages = decodeInput(input, { fallbackId: (index) => `${UNNAMED}${index}` }).messages.flat();
  const keys = await state.context.store.readMessageKeys(state.id);
  const shared = countShared(messages, keys);
  const rest = messages.slice(shared).map((message) => nameMessage(state, message));
  if (shared === keys.length) {
    if (rest.length > 0) await appendMessages(state, rest, {});
    return { type: rest.length > 0 ? "appended" : "unchanged", sessionId: state.id, appended: rest.length };
  }
  const atSeq = keys[shared - 1]?.seq ?? 0;
  const sessionId = await forkSession(state, atSeq);
  if (rest.length > 0) await appendMessages(await open(sessionId), rest, {});
  return { type: "forked", sessionId, atSeq, appended: rest.length };
}

function countShared(
  messages: readonly Message[],
  keys: readonly { readonly id: string; readonly hash: string }[],
): number {
  const differs = keys.findIndex((key, index) => {
    const message = messages[index];
    if (message === undefined) return true;
    const isSameId = message.id === key.id || message.id.startsWith(UNNAMED);
    // What its owner had erased is known by its id alone, and resending it does not bring it back.
    return !isSameId || (key.hash !== "" && hashMessage(message) !== key.hash);
  });
  return differs < 0 ? keys.length : differs;
}

function nameMessage(state: SessionState, message: Message): Message {
  return message.id.startsWith(UNNAMED) ? { ...message, id: state.context.ids.message() } : message;
}
