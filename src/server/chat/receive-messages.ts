/**
 * Stores what a client sends with a turn before the model is called. A list that differs from the log creates a branch.
 * If the log already has the answer, the client gets what it is missing and no model is called.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ToolSet, UIMessage } from "ai";
import { isObject } from "../../core/check-value.ts";
import type { Entry, MessageEntry } from "../../core/log/entry.ts";
import { readBaseId } from "../../core/message/decode-value.ts";
import type { AssumedRequest } from "../../engine/context/prompt-request.ts";
import type { Session } from "../../engine/session/session.ts";
import { RefusedRequest } from "../http/answer-error.ts";
import { answerApprovals } from "./answer-approvals.ts";
import { type ChatRequest, isReplyOf, missingMessage } from "./find-session.ts";
import { findLastReply, findReplyAfter, type StoredReply, writeReplyChunks } from "./stored-reply.ts";
import type { Turn } from "./turn.ts";

export interface ReceivedMessages extends Pick<Turn, "session" | "answers" | "isAnswered" | "forked" | "firstPrompt"> {
  /** The reply that the turn continues, because its tool calls were answered. */
  readonly started?: UIMessage | undefined;
}

type SentMessage = Readonly<Record<string, unknown>>;

interface ReceiveOptions {
  readonly request: ChatRequest;
  readonly tools: ToolSet | undefined;
  /** Throws if the sender is not allowed to create a fork. */
  readonly beforeFork?: (() => void) | undefined;
  readonly findRequest: (session: Session) => Promise<AssumedRequest>;
}

/** Longer lists are not checked for whether all of their messages were deleted. */
const MAX_ERASED = 100;

export async function receiveTurnMessages(session: Session, options: ReceiveOptions): Promise<ReceivedMessages> {
  const { request, tools, beforeFork } = options;
  const { messages, messageId, trigger } = request;
  if (messages === undefined) return receiveOne(session, options);
  const isRegeneration = trigger === "regenerate-message";
  const cut = isRegeneration ? cutBefore(messages, messageId) : messages;
  const list = cut.filter((each) => !isEmptyReply(each));
  const last = list.at(-1);
  if (last === undefined) throw missingMessage();
  if (isRegeneration) await assertNotErased(session, list);
  const sent = findStarted(last);
  const approved = sent === undefined ? undefined : await answerApprovals(session, sent, tools);
  const all = approved === undefined ? list : list.with(-1, { ...approved.message });
  const outcome = await session.sync(all, {
    ...(isRegeneration ? {} : { edited: messageId }),
    isOwn: (entry) => isReplyOf(entry, request.id),
    beforeFork,
  });
  if (sent !== undefined && outcome.type === "unchanged") {
    const stored = await findLastReply(session, sent.id);
    if (stored !== undefined) return continueReply(session, stored, sent);
  }
  const forked = outcome.type === "forked" ? { from: session.id, atSeq: outcome.atSeq } : undefined;
  return { session: outcome.session, started: approved?.message, answers: approved?.chunks, forked };
}

async function receiveOne(session: Session, options: ReceiveOptions): Promise<ReceivedMessages> {
  const { request, tools, beforeFork } = options;
  const { message, messageId, trigger } = request;
  if (message === undefined) {
    if (trigger !== "regenerate-message") throw missingMessage();
    beforeFork?.();
    const atSeq = await findSeqBefore(session, messageId);
    return { session: await session.fork(atSeq), forked: { from: session.id, atSeq } };
  }
  const sent = findStarted(message);
  if (sent !== undefined) return receiveReply(session, sent, tools);
  // The message is stored even if the request is invalid; the turn then reports what is wrong.
  const prompted = await options.findRequest(session).catch(() => undefined);
  const { messages, isNewest, prompt } = await session.appendForPrompt([message], prompted);
  const stored = isNewest ? undefined : await findReplyAfter(session, messages.at(-1)?.seq ?? 0);
  return stored === undefined ? { session, firstPrompt: prompt } : continueReply(session, stored);
}

/** Receives a reply alone, with answers to its tool calls. */
async function receiveReply(session: Session, sent: UIMessage, tools?: ToolSet): Promise<ReceivedMessages> {
  const { message, chunks } = await answerApprovals(session, sent, tools);
  const before = await findLastReply(session, sent.id);
  if (before !== undefined && hasAnswers(before.message, message)) return continueReply(session, before, sent);
  await session.append([{ ...message }]);
  return { session, started: message, answers: chunks };
}

function hasAnswers(stored: UIMessage, sent: UIMessage): boolean {
  const callsOf = ({ parts }: UIMessage) => parts.flatMap((part) => ("toolCallId" in part ? [part] : []));
  const answered = callsOf(stored).flatMap(({ toolCallId, state }) =>
    state.startsWith("output-") ? [toolCallId] : [],
  );
  return callsOf(sent).every(({ toolCallId }) => answered.includes(toolCallId));
}

/** `known` is the part of the reply that the client has. */
function continueReply(session: Session, { message, isEnded }: StoredReply, known?: UIMessage): ReceivedMessages {
  return { session, started: message, answers: writeReplyChunks(message, known), isAnswered: isEnded };
}

/** Throws if all messages before the reply were deleted: there is nothing to answer. */
async function assertNotErased(session: Session, list: readonly SentMessage[]): Promise<void> {
  if (list.length > MAX_ERASED) return;
  const entries = await session.entries({ types: ["message"], limit: MAX_ERASED });
  const erased = new Set(entries.flatMap((entry) => (isErased(entry) ? [entry.id] : [])));
  if (list.every(({ id }) => typeof id === "string" && erased.has(id))) throw refuseErased();
}

function isErased(entry: Entry): boolean {
  return entry.type === "message" && entry.erased === true;
}

function refuseErased(): RefusedRequest {
  const text = "body: the messages before this reply were deleted. Send a message instead.";
  return new RefusedRequest("request-invalid", text);
}

/** Cuts like the chat of the AI SDK: a reply is removed with everything after it, a question stays. */
function cutBefore(messages: readonly SentMessage[], messageId: string | undefined): readonly SentMessage[] {
  const index = messageId === undefined ? messages.length - 1 : messages.findIndex(({ id }) => id === messageId);
  if (index < 0) return messages;
  return messages.slice(0, messages[index]?.role === "assistant" ? index : index + 1);
}

/** Finds the seq of the last message before a reply: the newest one, or the named one. */
async function findSeqBefore(session: Session, messageId: string | undefined): Promise<number> {
  const isTarget = ({ id, message }: MessageEntry) =>
    message.role !== "user" && (messageId === undefined || isPieceOf(id, messageId));
  let base: string | undefined;
  let [seq, hasContent, hasFirst] = [0, false, false];
  for await (const entry of readBackwards(session)) {
    base ??= isTarget(entry) ? readBaseId(entry.id) : undefined;
    if (base === undefined) continue;
    if (isPieceOf(entry.id, base)) {
      [seq, hasContent] = [0, false];
      hasFirst ||= entry.id === base || entry.id === `${base}#0`;
      continue;
    }
    if (seq === 0) seq = entry.seq;
    hasContent ||= !isErased(entry);
    if (hasFirst && hasContent) break;
  }
  if (seq === 0) throw new RefusedRequest("request-invalid", "body.messageId: expected a reply of this session.");
  if (!hasContent) throw refuseErased();
  return seq;
}

function isPieceOf(id: string, base: string): boolean {
  return id === base || id.startsWith(`${base}#`);
}

const PAGE = 200;

async function* readBackwards(session: Session): AsyncGenerator<MessageEntry> {
  for (let throughSeq: number | undefined; ; await nextTurn()) {
    const page = await session.entries({ types: ["message"], newestFirst: true, limit: PAGE, throughSeq });
    for (const entry of page) if (entry.type === "message") yield entry;
    if (page.length < PAGE) return;
    throughSeq = (page.at(-1)?.seq ?? 1) - 1;
  }
}

/** Returns true for the empty reply that a client keeps after a turn that failed early. */
function isEmptyReply({ role, parts }: SentMessage): boolean {
  if (role !== "assistant" || !Array.isArray(parts)) return false;
  return parts.every((part: unknown) => {
    if (!isObject(part)) return false;
    return part.type === "step-start" || (part.type === "text" && String(part.text).trim() === "");
  });
}

function findStarted(last: SentMessage): UIMessage | undefined {
  if (last.role !== "assistant" || typeof last.id !== "string" || !Array.isArray(last.parts)) return undefined;
  // Its parts were validated with the request.
  return last as unknown as UIMessage;
}
