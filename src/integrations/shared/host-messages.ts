/**
 * Brings a session in line with the messages that a framework sends, and stores what the model answers. Adapters differ
 * only in how they read and write their framework's messages.
 */
import { PalimpsestError } from "../../core/errors.ts";
import { compareMessages } from "../../core/message/compare-messages.ts";
import { decodeInput } from "../../core/message/formats/decode-input.ts";
import type { FormatName } from "../../core/message/formats/format.ts";
import { hashMessage } from "../../core/message/hash-message.ts";
import type { MessageInput, MessagesInput } from "../../core/message/input-types.ts";
import type { Message } from "../../core/message/message.ts";
import { redactForDisplay } from "../../core/summary/secrets/redact-secrets.ts";
import type { Session } from "../../engine/session/session.ts";

/**
 * Whether the host or the session keeps the conversation. `host`: each call has all messages, as with `useChat`; where
 * they differ from the log, a fork continues them. `session`: each call has only the messages of the current turn.
 */
export type HistoryKeeper = "host" | "session";

/** Returns the session that continues the messages: the given one, or a fork if the host's list has branched. */
export async function receiveMessages(
  session: Session,
  messages: readonly MessageInput[],
  { history, format }: { readonly history: HistoryKeeper; readonly format?: FormatName | undefined },
): Promise<Session> {
  if (messages.length === 0) return session;
  if (history === "host") return (await session.sync(messages)).session;
  const news = messages.slice(await countStored(session, messages, format));
  if (news.length > 0) await session.append(news, { format });
  return session;
}

/** Counts the items at the start that the log already ends with: a loop of tool calls sends its turn again. */
async function countStored(
  session: Session,
  items: readonly MessageInput[],
  format: FormatName | undefined,
): Promise<number> {
  const sent = decodeInput(items, { format, fallbackId: String }).messages;
  const limit = sent.flat().length;
  const newest = await session.entries({ types: ["message"], newestFirst: true, limit });
  const log = newest.toReversed().flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
  for (let count = sent.length; count > 0; count -= 1) {
    const start = sent.slice(0, count).flat();
    const end = log.slice(log.length - start.length);
    if (start.length <= log.length && start.every((message, index) => isSame(message, end[index]))) return count;
  }
  return 0;
}

function isSame(message: Message, stored: Message | undefined): boolean {
  if (stored === undefined) return false;
  if (hashMessage(message) === hashMessage(stored)) return true;
  return message.role !== "user" && compareMessages(message, stored) === "same";
}

export interface ReplyFacts {
  readonly promptId: string;
  readonly usage?: object | undefined;
  readonly format?: FormatName | undefined;
}

/** Appends a reply. Implausible usage is left out, so that a provider's wrong figures do not cost the reply. */
export async function storeReply(
  session: Session,
  reply: MessagesInput,
  { usage, ...facts }: ReplyFacts,
): Promise<void> {
  try {
    await session.append(reply, { ...facts, usage });
  } catch (error) {
    const isUsage = error instanceof PalimpsestError && error.code === "config-invalid" && usage !== undefined;
    if (!isUsage) throw error;
    await session.append(reply, facts);
  }
}

export interface BrokenCall {
  readonly promptId: string | undefined;
  readonly error: unknown;
  readonly isAborted: boolean;
  /** Text that arrived before the end. */
  readonly partial?: string | undefined;
}

/**
 * Records why a call gave no complete reply, with the text that arrived. This is not a message: if the host shows the
 * partial reply, it sends the reply back, and then `receiveMessages` stores it as one.
 */
export async function noteBrokenCall(session: Session, call: BrokenCall): Promise<void> {
  const { promptId, error, isAborted, partial = "" } = call;
  const detail = error instanceof Error ? error.message : String(error);
  const reason = isAborted ? "The call was canceled." : `The call failed: ${redactForDisplay(detail)}`;
  await session.ended(promptId, partial === "" ? reason : `${reason} Received until then: ${partial}`);
}
