/**
 * Middleware for agents of LangChain: each call of the model gets a prompt of a session, within the budget, and its
 * reply is stored. The agent's state is read, never changed: a checkpointer keeps the conversation as the user sees it.
 */
import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import type { AgentMiddleware, ModelRequest, WrapModelCallHandler, WrapModelCallHook } from "langchain";
import { checkOptions } from "../../core/check-options.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { Prompt } from "../../engine/prompt/prompt.ts";
import type { Session } from "../../engine/session/session.ts";
import { findSmallerPrompt, MAX_SMALLER } from "../shared/find-smaller-prompt.ts";
import { noteBrokenCall, receiveMessages, storeReply } from "../shared/host-messages.ts";
import { type PromptSettings, SESSION_FOR, SESSION_RULE, SETTINGS_RULES } from "../shared/prompt-settings.ts";
import { describeModel, describeTools } from "./describe-request.ts";
import { FORMAT, isAnswer, toInstances, toStored } from "./messages.ts";
import { compactIfTriggered, SUMMARIZATION_RULES, type SummarizationOptions } from "./summarization-options.ts";
import { watchStream } from "./watch-stream.ts";

/** A call of the model, as LangChain passes it to middleware. */
export type ModelCallRequest = Parameters<WrapModelCallHook>[0];
type Handler = WrapModelCallHandler;
type Reply = Awaited<ReturnType<WrapModelCallHook>>;

/** The session of each call, sizes, and the options of LangChain's `summarizationMiddleware`. */
export interface PalimpsestMiddlewareOptions extends Omit<PromptSettings, "model">, SummarizationOptions {
  readonly session?: Session | undefined;
  /** Finds the session of a call, for example by `request.runtime.configurable?.thread_id`. */
  readonly sessionFor?: ((request: ModelCallRequest) => Session | Promise<Session>) | undefined;
}

const { model: _, ...SIZE_RULES } = SETTINGS_RULES;
const RULES = { ...SIZE_RULES, ...SUMMARIZATION_RULES, session: SESSION_RULE, sessionFor: SESSION_FOR };

/**
 * Returns middleware for `createAgent({ middleware: [...] })`. Put it last, so that it sees what is really sent.
 *
 * @example
 * ```ts
 * const agent = createAgent({ model: chatModel, middleware: [palimpsestMiddleware({ session })] });
 * ```
 */
export function palimpsestMiddleware(options: PalimpsestMiddlewareOptions): AgentMiddleware {
  checkOptions(options, RULES, "palimpsestMiddleware");
  if ((options.session === undefined) === (options.sessionFor === undefined)) {
    throw new PalimpsestError("config-invalid", "palimpsestMiddleware: pass either session or sessionFor.");
  }
  return {
    // LangChain marks its own middleware with this symbol.
    ...{ [Symbol.for("AgentMiddleware")]: true },
    name: "PalimpsestMiddleware",
    wrapModelCall: (request: ModelRequest, handler: Handler) => answer(options, request, handler),
  };
}

/** A call whose prompt is made, and whose reply is not stored yet. */
interface OpenCall {
  readonly session: Session;
  readonly prompt: Prompt;
}

async function answer(
  options: PalimpsestMiddlewareOptions,
  request: ModelCallRequest,
  handler: Handler,
): Promise<Reply> {
  let call = await openCall(options, request);
  await using stream = await watchStream();
  for (let attempt = 0; ; attempt += 1) {
    try {
      const reply = await handler(await writeRequest(request, call.prompt, options));
      await storeAnswer(call, reply);
      return reply;
    } catch (error) {
      const facts = { error, promptId: call.prompt.id };
      const smaller = attempt < MAX_SMALLER ? await findSmallerPrompt(call.session, facts) : undefined;
      if (smaller === undefined) {
        const isAborted = request.runtime.signal?.aborted === true || isAbortError(error);
        await noteBrokenCall(call.session, { ...facts, isAborted, partial: stream.text });
        throw error;
      }
      call = { ...call, prompt: smaller };
    }
  }
}

function isAbortError(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}

async function openCall(options: PalimpsestMiddlewareOptions, request: ModelCallRequest): Promise<OpenCall> {
  const { session: fixed, sessionFor, history = "host" } = options;
  const given = fixed ?? (await sessionFor?.(request));
  if (given === undefined) {
    throw new PalimpsestError("config-invalid", "palimpsestMiddleware: sessionFor returned no session.");
  }
  const session = await receiveMessages(given, toStored(request.messages), { history, format: FORMAT });
  const { counter, budgetTokens, windowTokens, reserveTokens, notes } = options;
  const sizes = { counter, budgetTokens, windowTokens, notes };
  const model = describeModel(request.model);
  const needed = {
    ...sizes,
    ...(model.id === undefined ? {} : { model: model.id }),
    reserveTokens: reserveTokens ?? model.maxTokens,
    instructions: request.systemPrompt === "" ? undefined : request.systemPrompt,
    tools: await describeTools(request.tools),
    breakpoints: false,
  };
  const { signal } = request.runtime;
  await compactIfTriggered(session, options, { request: needed, signal });
  return { session, prompt: await session.prompt({ ...needed, signal }) };
}

async function writeRequest(
  request: ModelCallRequest,
  prompt: Prompt,
  { breakpoints = true }: PalimpsestMiddlewareOptions,
): Promise<ModelCallRequest> {
  const { messages, instructions = "" } = prompt.forLangChain();
  const sent: BaseMessage[] = await toInstances(messages);
  const changed = instructions === request.systemPrompt ? {} : { systemPrompt: instructions };
  const isMarked = breakpoints && describeModel(request.model).takesCacheControl;
  const modelSettings = { cache_control: { type: "ephemeral" }, ...request.modelSettings };
  return { ...request, ...changed, messages: sent, ...(isMarked ? { modelSettings } : {}) };
}

/** With a response format, the reply is an object with messages; then the model's answer is the first of them. */
function findAnswer(reply: Reply): AIMessage | undefined {
  if (isAnswer(reply)) return reply;
  const messages: unknown = "messages" in reply ? reply.messages : undefined;
  return Array.isArray(messages) ? messages.find(isAnswer) : undefined;
}

async function storeAnswer({ session, prompt }: OpenCall, reply: Reply): Promise<void> {
  const answered = findAnswer(reply);
  if (answered === undefined) return;
  const [stored] = toStored([answered]);
  if (stored === undefined) return;
  const facts = { promptId: prompt.id, usage: answered.usage_metadata, format: FORMAT } as const;
  await storeReply(session, [stored], facts);
}
