/** Finds the session of a request and makes the prompt that answers it. */
import { PalimpsestError } from "../../core/errors.ts";
import type { Prompt } from "../../engine/prompt/prompt.ts";
import type { Session } from "../../engine/session/session.ts";
import { findContinuation, hasReference } from "./continued-conversation.ts";
import {
  type ConversationKey,
  findConversation,
  forkForRetry,
  type ListedConversation,
  nameConversation,
  type StartPlace,
} from "./find-conversation.ts";
import type { GatewayCall, GatewayParts } from "./gateway-call.ts";
import type { GatewayMemory } from "./gateway-memory.ts";
import type { Upstream } from "./gateway-options.ts";
import {
  type FoundConversation,
  findMark,
  type KnownConversation,
  listChecked,
  type PromptSize,
} from "./known-conversations.ts";
import type { GatewayRequest } from "./read-request.ts";
import { isUntouched } from "./write-body.ts";

/** A request whose conversation was read. */
export interface OpenRequest {
  readonly call: GatewayCall;
  readonly upstream: Upstream;
  readonly text: string;
  readonly read: GatewayRequest;
  readonly memory: GatewayMemory;
  /** Names the beginning of the conversation; undefined if it cannot be read. */
  readonly name: string | undefined;
  readonly found: FoundConversation | undefined;
}

/** The session of a request, and the prompt that answers it. */
export interface Turn {
  readonly session: Session;
  readonly prompt: Prompt;
  /** Seq of the message that the list ends with. */
  readonly throughSeq: number;
  /** Whether the log already had a reply. The client's next request shows which one it has kept. */
  readonly isRetry: boolean;
  /** Where the list was compared with the log from; undefined for its beginning. */
  readonly start: StartPlace | undefined;
}

/** Reads what is remembered of a request's conversation. */
export function openRequest(request: Omit<OpenRequest, "name" | "found">): OpenRequest {
  const name = findName(request);
  const found = name === undefined ? undefined : request.memory.conversations.find(name, request.read.history);
  return { ...request, name, found };
}

/** The upstream explains what is wrong with a conversation that cannot be read. */
function findName(open: Pick<OpenRequest, "call" | "upstream" | "read">): string | undefined {
  try {
    return nameConversation(open.read.history, keyOf(open));
  } catch (error) {
    if (error instanceof PalimpsestError) return undefined;
    throw error;
  }
}

export function keyOf({ call, upstream, read }: Pick<OpenRequest, "call" | "upstream" | "read">): ConversationKey {
  return { dialect: read.dialect, upstream: upstream.url.href, headers: call.headers };
}

export async function prepareTurn(open: OpenRequest, { windowTokens }: GatewayParts): Promise<Turn> {
  const { call, read } = open;
  const options = { ...writePromptOptions(read), windowTokens, signal: call.signal };
  const start = await findPlace(open);
  let listed = await listConversation(open, start);
  let isRetry = false;
  for (;;) {
    if (listed.isBehind) {
      const turn = await answerAgain(listed, options, start);
      if (turn !== undefined) return turn;
      isRetry = true;
      listed = { ...listed, session: await forkForRetry(listed), isBehind: false };
    }
    const { session, throughSeq } = listed;
    const turn = { session, prompt: await session.prompt(options), throughSeq, isRetry, start };
    if (isOwnList(turn)) return remember(open, turn);
    if (open.name !== undefined) open.memory.addCompacted(open.name);
    listed = await listConversation(open, start);
    // Otherwise another request with the same beginning has appended, so the prompt may contain its text.
    if (!listed.isBehind && listed.session.id === session.id) return remember(open, turn);
  }
}

/** Returns where to begin comparing the list with a log; undefined for its beginning. */
export async function findPlace(open: OpenRequest): Promise<StartPlace | undefined> {
  const { call, read, found } = open;
  const mark = found && findMark(found);
  // A list may begin like that of an earlier conversation, and yet continue a summary of it.
  const isCompacted = read.history.slice(found?.shared ?? 0).some(hasReference);
  if (found !== undefined && mark !== undefined && !isCompacted) {
    const { sessionId, baseSeq } = found.known;
    return { ...mark, sessionId, baseSeq };
  }
  return findContinuation(call.engine, read.history, keyOf(open));
}

export function writePromptOptions({ dialect, surroundings, maxOutputTokens, model }: GatewayRequest) {
  return {
    ...{ instructions: surroundings, provider: dialect.provider, model },
    ...{ reserveTokens: maxOutputTokens, breakpoints: false },
  };
}

type PromptOptions = NonNullable<Parameters<Session["prompt"]>[0]>;

/** Prepares nothing for a repeated request that passes through unchanged: the log already has it. */
async function answerAgain(
  { session, throughSeq }: ListedConversation,
  options: PromptOptions,
  start: StartPlace | undefined,
): Promise<Turn | undefined> {
  const turn = {
    session,
    prompt: await session.prompt({ ...options, preview: true }),
    throughSeq,
    isRetry: true,
    start,
  };
  return isOwnList(turn) ? turn : undefined;
}

/** Whether the prompt has exactly the messages of the client's list. */
export function isOwnList({ prompt, start }: Pick<Turn, "prompt" | "start">): boolean {
  return isUntouched(prompt, start?.baseSeq ?? 0);
}

/** Compares only what follows the known part of the list. */
export async function listConversation(open: OpenRequest, start: StartPlace | undefined): Promise<ListedConversation> {
  const { call, read } = open;
  try {
    return await findConversation(call.engine, read.history, keyOf(open), start);
  } catch (error) {
    const isGone = error instanceof PalimpsestError && error.code === "session-not-found";
    if (!isGone || start === undefined) throw error;
    return findConversation(call.engine, read.history, keyOf(open));
  }
}

function remember(open: OpenRequest, turn: Turn): Turn {
  const { name, found, memory } = open;
  const { history } = open.read;
  const { session, throughSeq, isRetry } = turn;
  if (name === undefined || isRetry) return turn;
  // Items that were known before keep their objects, so that the text of the list is in memory once.
  const shared = found?.known.history.slice(0, found.shared) ?? [];
  memory.conversations.remember(name, {
    sessionId: session.id,
    baseSeq: turn.start?.baseSeq ?? 0,
    history: [...shared, ...history.slice(shared.length)],
    marks: found === undefined ? [] : listChecked(found, session.id),
    newMarks: [{ items: history.length, seq: throughSeq }],
    size: measureSize(open, turn),
  });
  return turn;
}

function measureSize({ read, text }: OpenRequest, turn: Turn): PromptSize | undefined {
  const { session, prompt } = turn;
  const quiet = session.quietTokens();
  if (quiet === undefined || !isOwnList(turn)) return undefined;
  const { surroundings, model, history } = read;
  const { tokens } = prompt.report;
  return { tokens, items: history.length, bodyBytes: text.length, surroundings, model, quiet, at: Date.now() };
}

export interface StoredReply extends Pick<KnownConversation, "history"> {
  readonly seq: number;
}

/** Adds the stored reply to what is remembered of a conversation. */
export function rememberReply({ name, memory, read }: OpenRequest, { session }: Turn, reply: StoredReply): void {
  const known = name === undefined ? undefined : memory.conversations.findSession(name, session.id);
  if (name === undefined || known?.history.length !== read.history.length) return;
  const history = [...known.history, ...reply.history];
  const newMarks = [...known.newMarks, { items: history.length, seq: reply.seq }];
  memory.conversations.remember(name, { ...known, history, newMarks });
}
