/** Appends messages to the log, all or none. */
import { NEW_ID } from "../../core/check-options.ts";
import { isUsableId } from "../../core/check-value.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { Entry, MessageDraft, MessageEntry, ProducingRequest, PromptId, Usage } from "../../core/log/entry.ts";
import { compareMessages } from "../../core/message/compare-messages.ts";
import {
  type DecodedInput,
  decodeInputInSteps,
  RECENT_MESSAGES,
  requireMessages,
} from "../../core/message/formats/decode-input.ts";
import type { FormatName } from "../../core/message/formats/format.ts";
import { requireFormat } from "../../core/message/formats/formats.ts";
import { isSentBackUnchanged } from "../../core/message/formats/is-sent-back-unchanged.ts";
import { hashMessage } from "../../core/message/hash-message.ts";
import { freezeDeep } from "../../core/message/json.ts";
import type { Message } from "../../core/message/message.ts";
import { hasThinking } from "../../core/prompt/walk-thinking.ts";
import { findNotebookArgumentDrifts, type NotebookArgumentDrift } from "../../core/summary/read/read-notebook-call.ts";
import { runInSteps } from "../../ports/run-in-steps.ts";
import type { MessageCounts } from "../context/message-counts.ts";
import { emitCacheUse } from "./cache-history.ts";
import type { SessionState } from "./session-state.ts";
import { isCoverFor, readBeginning, takeOverHistory } from "./take-over-history.ts";

/** The usage that a provider reported: raw, from the AI SDK 4 to 7 or LangChain, or in our own format. */
export type ReportedUsage = Usage | object;

/**
 * The prompt that appended messages answer, their usage, and their format.
 *
 * @example
 * ```ts
 * await session.append({ role: "assistant", content: "Hi." }, { promptId: prompt.id, usage: { inputTokens: 90, outputTokens: 3 } });
 * ```
 */
export interface AppendOptions {
  readonly format?: FormatName | undefined;
  /** The prompt that the messages answer. Links a reply and its usage to what was sent. */
  readonly promptId?: PromptId | undefined;
  readonly usage?: ReportedUsage | undefined;
}

/** The ids and places of the appended messages. */
export interface AppendResult {
  readonly messages: readonly { readonly id: string; readonly seq: number }[];
}

/** Whether a generation ends with these messages: the last one is the assistant's, without a tool call. */
export function endsGeneration(messages: readonly Message[]): boolean {
  const last = messages.at(-1);
  return last?.role === "assistant" && last.parts.every(({ type }) => type !== "tool-call");
}

interface AnswerFacts extends Pick<MessageDraft, "promptId" | "usage"> {
  /** Messages that cannot be sent again exactly as received. */
  readonly altered?: ReadonlySet<Message> | undefined;
}

export async function appendMessages(
  state: SessionState,
  messages: readonly Message[],
  options: AnswerFacts & { readonly lastSeq?: undefined },
): Promise<AppendResult>;
/** Returns undefined if the log has grown beyond `lastSeq`; then nothing is written. */
export async function appendMessages(
  state: SessionState,
  messages: readonly Message[],
  options: AnswerFacts & { readonly lastSeq: number },
): Promise<AppendResult | undefined>;
export async function appendMessages(
  state: SessionState,
  messages: readonly Message[],
  { lastSeq, ...options }: AnswerFacts & { readonly lastSeq?: number | undefined },
): Promise<AppendResult | undefined> {
  const drafts = await draftMessages(state, messages, options);
  const appended = await (lastSeq === undefined ? appendDrafts(state, drafts) : state.appendAfter(lastSeq, drafts));
  if (appended === undefined) return undefined;
  const entries = emitAppended(state, drafts, appended);
  const { promptId, usage } = options;
  if (promptId === undefined) await takeOverHistory(state, entries);
  // The messages are stored: a failure to emit cache figures does not fail the call.
  if (promptId !== undefined && usage !== undefined) await emitCacheUse(state, promptId).catch(() => undefined);
  return { messages: entries.map(({ id, seq }) => ({ id, seq })) };
}

/** Emits what was appended, and returns the entries of the messages. */
export function emitAppended(
  state: SessionState,
  drafts: readonly MessageDraft[],
  appended: readonly Entry[],
): readonly MessageEntry[] {
  for (const drift of findNotebookArgumentDrifts(drafts.map(({ message }) => message))) emitDrift(state, drift);
  const entries = appended.filter((entry) => entry.type === "message");
  const tokens = drafts.reduce((sum, draft) => sum + (draft.tokens[state.counts.id] ?? 0), 0);
  state.context.emitter.emit("append", { sessionId: state.id, messageIds: entries.map(({ id }) => id), tokens });
  return entries;
}

/** A resent reply counts as the stored one, even if it lacks content that only a provider uses. */
async function appendDrafts(state: SessionState, drafts: readonly MessageDraft[]): Promise<readonly Entry[]> {
  try {
    return await state.append(drafts);
  } catch (error) {
    if (!(error instanceof PalimpsestError) || error.code !== "message-conflict") throw error;
    const known = drafts.findIndex(({ id }) => id === error.details.messageId);
    const original = await findOriginal(state, drafts[known]);
    if (original === undefined) throw error;
    return appendDrafts(state, drafts.with(known, original));
  }
}

async function findOriginal(
  { id, context }: SessionState,
  draft: MessageDraft | undefined,
): Promise<MessageDraft | undefined> {
  if (draft === undefined || draft.message.role === "user" || draft.message.role === "system") return undefined;
  const stored = await context.store.findEntry(id, draft.id);
  if (stored?.type !== "message" || stored.hash === "" || stored.hash === draft.hash) return undefined;
  const isSame = stored.erased !== true && compareMessages(draft.message, stored.message) === "same";
  return isSame ? { ...draft, message: stored.message, hash: stored.hash } : undefined;
}

function emitDrift(state: SessionState, { tool, problem }: NotebookArgumentDrift): void {
  const lost = "summaries do not contain its changes to the notebook";
  const isNews = state.warn(`A call of ${tool} has arguments that cannot be read, because ${problem}; ${lost}.`);
  if (isNews) state.context.emitter.emit("arguments-drift", { sessionId: state.id, tool, problem });
}

/** Decodes a reply in any known format, and marks messages that cannot be sent again exactly as received. */
export async function readReply(state: SessionState, input: unknown, format?: FormatName) {
  const perItem = (await readItems(state, input, format)).messages;
  const items: readonly unknown[] = Array.isArray(input) ? input : [input];
  const altered = new Set(perItem.flatMap((messages, index) => (isSentBackUnchanged(items[index]) ? [] : messages)));
  return { messages: requireMessages(perItem.flat()), altered };
}

/** Decodes messages in any known format and gives each an id. Stores nothing. */
export async function readInput(state: SessionState, input: unknown, format?: FormatName): Promise<readonly Message[]> {
  return requireMessages((await readBeginning(state, await readItems(state, input, format))).flat());
}

async function readItems(state: SessionState, input: unknown, format?: FormatName): Promise<DecodedInput> {
  const { ids } = state.context;
  const options = { fallbackId: () => ids.message(), format, isCover: isCoverFor(state) };
  const decoded = await runInSteps(decodeInputInSteps(input, options));
  if (requireFormat(decoded.format).matchesCallsByName !== true) return decoded;
  const { view } = await state.current();
  const before = view.messages.slice(-RECENT_MESSAGES).map(({ message }) => message);
  return runInSteps(decodeInputInSteps(input, { ...options, before }));
}

/** Creates counted entries for messages. Usage belongs to the last message of the assistant. */
export async function draftMessages(
  state: SessionState,
  messages: readonly Message[],
  options: AnswerFacts,
): Promise<readonly MessageDraft[]> {
  const lastAnswer = messages.findLastIndex((message) => message.role === "assistant");
  const producer = messages.some(hasThinking) ? await readProducingRequest(state, options) : undefined;
  const drafts: MessageDraft[] = [];
  for (const [index, message] of messages.entries()) {
    await runInSteps(state.counts.countInSteps(message));
    const draft = createDraft(state, message, index === lastAnswer ? options : {});
    const producedUnder = bindThinking(messages, index, { ...options, producer });
    drafts.push(producedUnder === undefined ? draft : { ...draft, producedUnder });
  }
  return drafts;
}

/** Binds thinking to the request that produced it. All steps before it must be sent again exactly as received. */
function bindThinking(
  messages: readonly Message[],
  index: number,
  { producer, altered = new Set() }: Pick<AnswerFacts, "altered"> & { producer: ProducingRequest | undefined },
): ProducingRequest | undefined {
  const message = messages[index];
  if (producer === undefined || message === undefined || !hasThinking(message)) return undefined;
  const before = messages.slice(0, index);
  if (before.some((each) => altered.has(each))) return undefined;
  const lastThought = message.parts.findLastIndex(({ type }) => type === "reasoning");
  if (altered.has(message) && lastThought > 0) return undefined;
  return before.some(({ role }) => role === "assistant") ? { ...producer, isLaterStep: true } : producer;
}

/** Reads the request that a reply answers: the provider accepts the reply's thinking only after the same request. */
async function readProducingRequest(
  { id, context }: SessionState,
  { promptId, usage }: AnswerFacts,
): Promise<ProducingRequest | undefined> {
  const request = promptId === undefined ? undefined : await context.store.findEntry(id, promptId);
  if (request?.type !== "request" || request.model === undefined) return undefined;
  const { viewEpoch, prefix } = request;
  return { model: usage?.model ?? request.model, viewEpoch, ...(prefix === undefined ? {} : { prefix }) };
}

export function createDraft(
  state: Pick<SessionState, "context"> & { readonly counts: Pick<MessageCounts, "id" | "count"> },
  message: Message,
  { promptId, usage }: AnswerFacts,
): MessageDraft {
  if (!isUsableId(message.id)) {
    const shown = JSON.stringify(message.id.slice(0, 40)) + (message.id.length > 40 ? " and more" : "");
    throw new PalimpsestError("message-invalid", `message.id: expected ${NEW_ID.allowed}, found ${shown}.`);
  }
  return {
    type: "message",
    id: message.id,
    at: state.context.clock.now(),
    message: freezeDeep(message),
    hash: hashMessage(message),
    tokens: { [state.counts.id]: state.counts.count(message) },
    promptId,
    usage,
  };
}
