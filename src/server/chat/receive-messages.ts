/**
 * What a client sends with a turn, brought into the log before anybody is asked. A list that goes another way becomes a
 * fork. What the log has an answer to already is not asked again: the client gets what it lacks of that.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ToolSet, UIMessage, UIMessageChunk } from "ai";
import type { Entry, MessageEntry } from "../../core/log/entry.ts";
import { baseId, isObject } from "../../core/message/formats/decode-value.ts";
import type { Session } from "../../engine/session/session.ts";
import { RefusedRequest } from "../http/answer-error.ts";
import { answerApprovals } from "./answer-approvals.ts";
import { type ChatRequest, isReplyOf, nothingSaid } from "./find-session.ts";
import { findLastReply, findReplyAfter, type StoredReply, writeReply } from "./stored-reply.ts";

export interface Received {
  readonly session: Session;
  /** The assistant's message that the turn goes on with, because its calls were answered. */
  readonly begun?: UIMessage | undefined;
  /** What the client lacks of it: results of calls that it has allowed, or what the log has beyond its list. */
  readonly answers?: readonly UIMessageChunk[] | undefined;
  /** Whether that is all there is to say. */
  readonly isAnswered?: boolean | undefined;
  readonly forked?: { readonly from: string; readonly atSeq: number } | undefined;
}

type Sent = Readonly<Record<string, unknown>>;

interface Receiving {
  readonly request: ChatRequest;
  readonly tools: ToolSet | undefined;
}

/** A list that is longer has something in it that is not erased, or somebody has been very busy. */
const MOST_ERASED = 100;

export async function receiveMessages(session: Session, { request, tools }: Receiving): Promise<Received> {
  const { messages, messageId, trigger } = request;
  if (messages === undefined) return receiveOne(session, { request, tools });
  const isAnew = trigger === "regenerate-message";
  const cut = isAnew ? cutBefore(messages, messageId) : messages;
  const list = cut.filter((each) => !isEmptyReply(each));
  const last = list.at(-1);
  if (last === undefined) throw nothingSaid();
  if (isAnew) await assertSaid(session, list);
  const sent = findBegun(last);
  const approved = sent === undefined ? undefined : await answerApprovals(session, { message: sent, tools });
  const all = approved === undefined ? list : list.with(-1, { ...approved.message });
  const outcome = await session.sync(all, {
    ...(isAnew ? {} : { edited: messageId }),
    isOwn: (entry) => isReplyOf(entry, request.id),
  });
  if (sent !== undefined && outcome.type === "unchanged") {
    const stored = await findLastReply(session, sent.id);
    if (stored !== undefined) return goOnWith(session, { stored, known: sent });
  }
  const forked = outcome.type === "forked" ? { from: session.id, atSeq: outcome.atSeq } : undefined;
  return { session: outcome.session, begun: approved?.message, answers: approved?.chunks, forked };
}

async function receiveOne(session: Session, { request, tools }: Receiving): Promise<Received> {
  const { message, messageId, trigger } = request;
  if (message === undefined) {
    if (trigger !== "regenerate-message") throw nothingSaid();
    const atSeq = await findPlaceBefore(session, messageId);
    return { session: await session.fork(atSeq), forked: { from: session.id, atSeq } };
  }
  const sent = findBegun(message);
  if (sent !== undefined) return receiveReply(session, { sent, tools });
  const { messages } = await session.append([message]);
  const stored = await findReplyAfter(session, messages.at(-1)?.seq ?? 0);
  return stored === undefined ? { session } : goOnWith(session, { stored, known: undefined });
}

/** A reply alone, with answers to its calls. */
async function receiveReply(
  session: Session,
  { sent, tools }: { readonly sent: UIMessage; readonly tools: ToolSet | undefined },
): Promise<Received> {
  const { message, chunks } = await answerApprovals(session, { message: sent, tools });
  const before = await findLastReply(session, sent.id);
  if (before !== undefined && hasAnswers(before.message, message)) {
    return goOnWith(session, { stored: before, known: sent });
  }
  await session.append([{ ...message }]);
  return { session, begun: message, answers: chunks };
}

/** Whether every call that a reply has is answered in what is stored of it. */
function hasAnswers(stored: UIMessage, sent: UIMessage): boolean {
  const callsOf = ({ parts }: UIMessage) => parts.flatMap((part) => ("toolCallId" in part ? [part] : []));
  const answered = callsOf(stored).flatMap(({ toolCallId, state }) =>
    state.startsWith("output-") ? [toolCallId] : [],
  );
  return callsOf(sent).every(({ toolCallId }) => answered.includes(toolCallId));
}

interface GoingOn {
  readonly stored: StoredReply;
  /** What the client has of it. */
  readonly known: UIMessage | undefined;
}

function goOnWith(session: Session, { stored: { message, isEnded }, known }: GoingOn): Received {
  return { session, begun: message, answers: writeReply(message, known), isAnswered: isEnded };
}

/** There is nothing to answer anew where all that was said before is erased. */
async function assertSaid(session: Session, list: readonly Sent[]): Promise<void> {
  if (list.length > MOST_ERASED) return;
  const entries = await session.entries({ types: ["message"], limit: MOST_ERASED });
  const erased = new Set(entries.flatMap((entry) => (isErased(entry) ? [entry.id] : [])));
  if (list.every(({ id }) => typeof id === "string" && erased.has(id))) throw allErased();
}

function isErased(entry: Entry): boolean {
  return entry.type === "message" && entry.erased === true;
}

function allErased(): RefusedRequest {
  const text = "body: what this reply would answer was erased; say something, or edit it.";
  return new RefusedRequest("request-invalid", text);
}

/** As the AI SDK's own chat does: a reply goes with all that follows it, a question stays. */
function cutBefore(messages: readonly Sent[], messageId: string | undefined): readonly Sent[] {
  const index = messageId === undefined ? messages.length - 1 : messages.findIndex(({ id }) => id === messageId);
  if (index < 0) return messages;
  return messages.slice(0, messages[index]?.role === "assistant" ? index : index + 1);
}

/** The place of the last thing that was said before a reply: the newest one, or the one that is named. */
async function findPlaceBefore(session: Session, messageId: string | undefined): Promise<number> {
  const isAsked = ({ id, message }: MessageEntry) =>
    message.role !== "user" && (messageId === undefined || isPieceOf(id, messageId));
  let base: string | undefined;
  let [place, isSaid, hasFirst] = [0, false, false];
  for await (const entry of readBackwards(session)) {
    base ??= isAsked(entry) ? baseId(entry.id) : undefined;
    if (base === undefined) continue;
    if (isPieceOf(entry.id, base)) {
      [place, isSaid] = [0, false];
      hasFirst ||= entry.id === base || entry.id === `${base}#0`;
      continue;
    }
    if (place === 0) place = entry.seq;
    isSaid ||= !isErased(entry);
    if (hasFirst && isSaid) break;
  }
  if (place === 0) throw new RefusedRequest("request-invalid", "body.messageId: expected a reply of this session.");
  if (!isSaid) throw allErased();
  return place;
}

function isPieceOf(id: string, base: string): boolean {
  return id === base || id.startsWith(`${base}#`);
}

const PAGE = 200;

/** Messages from the newest on, as far as somebody wants them. */
async function* readBackwards(session: Session): AsyncGenerator<MessageEntry> {
  for (let throughSeq: number | undefined; ; await nextTurn()) {
    const page = await session.entries({ types: ["message"], newestFirst: true, limit: PAGE, throughSeq });
    for (const entry of page) if (entry.type === "message") yield entry;
    if (page.length < PAGE) return;
    throughSeq = (page.at(-1)?.seq ?? 1) - 1;
  }
}

/** What a client has of a turn that failed before a word was said: a beginning and nothing more. */
function isEmptyReply({ role, parts }: Sent): boolean {
  if (role !== "assistant" || !Array.isArray(parts)) return false;
  return parts.every((part: unknown) => {
    if (!isObject(part)) return false;
    return part.type === "step-start" || (part.type === "text" && String(part.text).trim() === "");
  });
}

function findBegun(last: Sent): UIMessage | undefined {
  if (last.role !== "assistant" || typeof last.id !== "string" || !Array.isArray(last.parts)) return undefined;
  // Its parts were decoded when it was received.
  return last as unknown as UIMessage;
}
