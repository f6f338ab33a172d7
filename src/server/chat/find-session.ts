/**
 * The session that a chat's request goes to. A client that resends its list is on the branch that its newest reply
 * names, where that is one of this chat's; one that sends a message alone is on the branch of the chat's newest reply.
 */

import { PalimpsestError } from "../../core/errors.ts";
import type { MessageEntry } from "../../core/log/entry.ts";
import { aiSdkUiFormat } from "../../core/message/formats/ai-sdk-ui.ts";
import { decodeInput } from "../../core/message/formats/decode-input.ts";
import { isObject } from "../../core/message/formats/decode-value.ts";
import type { Palimpsest } from "../../engine/palimpsest.ts";
import type { Session } from "../../engine/session/session.ts";
import type { Call } from "../app/handler.ts";
import { RefusedRequest } from "../http/answer-error.ts";

export type ChatRequest = Call<"chat">["body"];

type Described = Awaited<ReturnType<Palimpsest["describe"]>>;

/** A chain of branches that is longer is somebody's mistake. */
const MOST_BRANCHES = 1_000;
/** Branches of one chat that are looked at for its newest reply. */
const MOST_LOOKED_AT = 200;
/** A chat's reply is among the newest messages of its branch, or somebody else has gone on there. */
const NEWEST = 20;

/** Where the messages of a request go, before anything of them is stored. */
export async function findSession(engine: Palimpsest, request: ChatRequest): Promise<Session> {
  const { id, messages } = request;
  if (messages === undefined)
    return engine.load(await findNewestBranch(engine, (await openSession(engine, request)).id));
  assertOwnIds(messages);
  const named = messages.findLast(({ role }) => role === "assistant")?.metadata;
  const branch = isObject(named) && typeof named.sessionId === "string" ? named.sessionId : id;
  if (branch !== id && (await isBranch(engine, { id: branch, of: id }))) return engine.load(branch);
  return openSession(engine, request);
}

/** A log has a message once: of two with one id it could only lose one, or refuse both when a session is begun. */
function assertOwnIds(messages: readonly Readonly<Record<string, unknown>>[]): void {
  const seen = new Set<string>();
  for (const [index, { id }] of messages.entries()) {
    if (typeof id !== "string") continue;
    if (seen.has(id)) {
      const text = `body.messages[${index}].id: expected an id of its own, found that of a message before it.`;
      throw new RefusedRequest("request-invalid", text);
    }
    seen.add(id);
  }
}

/** A session that is not there yet is begun, unless what should be its beginning cannot be read. */
async function openSession(engine: Palimpsest, { id, messages = [], message }: ChatRequest): Promise<Session> {
  try {
    return await engine.load(id);
  } catch (error) {
    if (!(error instanceof PalimpsestError) || error.code !== "session-not-found") throw error;
  }
  const first = message === undefined ? messages : [message];
  if (first.length === 0) throw nothingSaid();
  decodeInput(first, { fallbackId: (index) => `unnamed-${index}` });
  return engine.session(id);
}

async function isBranch(
  engine: Palimpsest,
  { id, of: root }: { readonly id: string; readonly of: string },
): Promise<boolean> {
  let place: string | undefined = id;
  for (let count = 0; place !== undefined && count < MOST_BRANCHES; count += 1) {
    if (place === root) return true;
    place = (await describe(engine, place))?.fork?.parentId;
  }
  return false;
}

/** A branch that is gone, or never was, is no reason to refuse what somebody says. */
function describe(engine: Palimpsest, id: string): Promise<Described | undefined> {
  return engine.describe(id).catch(() => undefined);
}

/** The branch that has the chat's newest reply; forks that others made and went on with are not the chat's. */
async function findNewestBranch(engine: Palimpsest, root: string): Promise<string> {
  const ids = [root];
  for (const id of ids) if (ids.length < MOST_LOOKED_AT) ids.push(...(await engine.forks(id)));
  if (ids.length === 1) return root;
  const described = await Promise.all(ids.slice(0, MOST_LOOKED_AT).map((id) => describe(engine, id)));
  const branches = described.filter((each) => each !== undefined).toSorted((a, b) => b.updatedAt - a.updatedAt);
  let newest: { readonly id: string; readonly at: number } = { id: root, at: 0 };
  for (const branch of branches) {
    if (branch.updatedAt < newest.at) break;
    const at = (await findOwnReply(engine, { branch, chatId: root }))?.at ?? 0;
    // Of two at one time the branch is the newer one: it goes on from the other.
    if (at > newest.at || (at === newest.at && at > 0 && newest.id === root)) newest = { id: branch.id, at };
  }
  return newest.id;
}

async function findOwnReply(
  engine: Palimpsest,
  { branch, chatId }: { readonly branch: Described; readonly chatId: string },
): Promise<MessageEntry | undefined> {
  const session = await engine.load(branch.id);
  const afterSeq = branch.fork?.atSeq ?? 0;
  const newest = await session.entries({ afterSeq, types: ["message"], newestFirst: true, limit: NEWEST });
  return newest.filter((entry) => entry.type === "message").find((entry) => isReplyOf(entry, chatId));
}

/** Whether a message is a reply that was made in a chat. */
export function isReplyOf({ message, promptId }: MessageEntry, chatId: string): boolean {
  if (promptId === undefined || message.role !== "assistant") return false;
  const [shown] = aiSdkUiFormat.encode([message]);
  return isObject(shown) && isObject(shown.metadata) && shown.metadata.chatId === chatId;
}

export function nothingSaid(): RefusedRequest {
  return new RefusedRequest("request-invalid", "body: expected messages, or message, or a reply to make anew.");
}
