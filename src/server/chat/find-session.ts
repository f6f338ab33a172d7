/**
 * Finds the session of a chat request. A client that sends its whole list is on the branch named by its newest reply, if
 * that belongs to this chat. A client that sends one message is on the branch of the chat's newest reply.
 */

import { isObject } from "../../core/check-value.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { MessageEntry } from "../../core/log/entry.ts";
import { aiSdkUiFormat } from "../../core/message/formats/ai-sdk-ui.ts";
import { decodeInput } from "../../core/message/formats/decode-input.ts";
import type { Palimpsest } from "../../engine/palimpsest.ts";
import type { Session } from "../../engine/session/session.ts";
import type { RouteCall } from "../app/handler.ts";
import { RefusedRequest } from "../http/answer-error.ts";

export type ChatRequest = RouteCall<"chat">["body"];

type SessionDescription = Awaited<ReturnType<Palimpsest["describe"]>>;

const MAX_BRANCHES = 1_000;
/** Branches of a chat that are searched for its newest reply. */
const MAX_SEARCHED = 200;
const NEWEST = 20;

/** Finds the session before any message of the request is stored. */
export async function findSession(engine: Palimpsest, request: ChatRequest): Promise<Session> {
  const { id, messages } = request;
  if (messages === undefined) {
    const opened = await openSession(engine, request);
    const newest = await findNewestBranch(engine, opened.id);
    return newest === opened.id ? opened : engine.load(newest);
  }
  assertUniqueIds(messages);
  const metadata = messages.findLast(({ role }) => role === "assistant")?.metadata;
  const branch = isObject(metadata) && typeof metadata.sessionId === "string" ? metadata.sessionId : id;
  if (branch !== id && (await isBranch(engine, branch, id))) return engine.load(branch);
  return openSession(engine, request);
}

/** Throws for duplicate ids: a log has each message once. */
function assertUniqueIds(messages: readonly Readonly<Record<string, unknown>>[]): void {
  const seen = new Set<string>();
  for (const [index, { id }] of messages.entries()) {
    if (typeof id !== "string") continue;
    if (seen.has(id)) {
      const text = `body.messages[${index}].id: expected a unique id, found that of an earlier message.`;
      throw new RefusedRequest("request-invalid", text);
    }
    seen.add(id);
  }
}

/** Loads the session or creates it, unless its first messages are invalid. */
export async function openSession(engine: Palimpsest, { id, messages = [], message }: ChatRequest): Promise<Session> {
  try {
    return await engine.load(id);
  } catch (error) {
    if (!(error instanceof PalimpsestError) || error.code !== "session-not-found") throw error;
  }
  const first = message === undefined ? messages : [message];
  if (first.length === 0) throw missingMessage();
  decodeInput(first, { fallbackId: (index) => `unnamed-${index}` });
  return engine.session(id);
}

async function isBranch(engine: Palimpsest, id: string, root: string): Promise<boolean> {
  let current: string | undefined = id;
  for (let count = 0; current !== undefined && count < MAX_BRANCHES; count += 1) {
    if (current === root) return true;
    current = (await describeIfStored(engine, current))?.fork?.parentId;
  }
  return false;
}

/** Returns undefined for a missing branch, which is not a reason to refuse a message. */
function describeIfStored(engine: Palimpsest, id: string): Promise<SessionDescription | undefined> {
  return engine.describe(id).catch(() => undefined);
}

/** Finds the branch with the chat's newest reply. Forks that were made outside of the chat do not count. */
async function findNewestBranch(engine: Palimpsest, root: string): Promise<string> {
  const ids = [root];
  for (const id of ids) if (ids.length < MAX_SEARCHED) ids.push(...(await engine.forks(id)));
  if (ids.length === 1) return root;
  const described = await Promise.all(ids.slice(0, MAX_SEARCHED).map((id) => describeIfStored(engine, id)));
  const branches = described.filter((each) => each !== undefined).toSorted((a, b) => b.updatedAt - a.updatedAt);
  let newest: { readonly id: string; readonly at: number } = { id: root, at: 0 };
  for (const branch of branches) {
    if (branch.updatedAt < newest.at) break;
    const at = (await findOwnReply(engine, branch, root))?.at ?? 0;
    // With equal times the branch is newer than its root.
    if (at > newest.at || (at === newest.at && at > 0 && newest.id === root)) newest = { id: branch.id, at };
  }
  return newest.id;
}

async function findOwnReply(engine: Palimpsest, branch: SessionDescription, chatId: string) {
  const session = await engine.load(branch.id);
  const afterSeq = branch.fork?.atSeq ?? 0;
  const newest = await session.entries({ afterSeq, types: ["message"], newestFirst: true, limit: NEWEST });
  return newest.filter((entry) => entry.type === "message").find((entry) => isReplyOf(entry, chatId));
}

export function isReplyOf({ message, promptId }: MessageEntry, chatId: string): boolean {
  if (promptId === undefined || message.role !== "assistant") return false;
  const [shown] = aiSdkUiFormat.encode([message]);
  return isObject(shown) && isObject(shown.metadata) && shown.metadata.chatId === chatId;
}

export function missingMessage(): RefusedRequest {
  return new RefusedRequest("request-invalid", "body: expected messages, a message, or a reply to regenerate.");
}
