/**
 * Wraps a model of the AI SDK, so that each call sends a prompt of a session: within the budget, valid, with cache
 * marks. The reply is stored before the stream ends. Only types of `ai` are imported, so the package is not loaded.
 */
import type { LanguageModelMiddleware } from "ai";
import { checkOptions, invalidOption } from "../../core/check-options.ts";
import { isObject } from "../../core/check-value.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { AiSdkPrompt } from "../../core/prompt/render/render-prompt.ts";
import type { Prompt } from "../../engine/prompt/prompt.ts";
import type { Session } from "../../engine/session/session.ts";
import { findSmallerPrompt, MAX_SMALLER } from "../shared/find-smaller-prompt.ts";
import { noteBrokenCall, receiveMessages, storeReply } from "../shared/host-messages.ts";
import { type PromptSettings, SESSION_FOR, SESSION_RULE, SETTINGS_RULES } from "../shared/prompt-settings.ts";
import { type CallPrompt, readCallPrompt, writeCallPrompt } from "./call-prompt.ts";
import { ReplyParts, writeReply } from "./reply-parts.ts";
import type { SdkCall, SdkModel, SdkPrompt, SdkStreamPart, SdkStreamResult } from "./sdk-types.ts";

/** The session of each call, and the sizes of its prompt. */
export interface WrapModelOptions extends PromptSettings {
  readonly session?: Session | undefined;
  /** Finds the session of a call, for example by `providerOptions.palimpsest.sessionId`; for models that serve many. */
  readonly sessionFor?: ((call: SdkCall) => Session | Promise<Session>) | undefined;
}

type Middleware = Required<Pick<LanguageModelMiddleware, "transformParams" | "wrapGenerate" | "wrapStream">>;

/** How prompts of calls are read and written: frameworks and versions of the interface differ in both. */
export interface CallFormat {
  readonly read: (prompt: SdkPrompt) => CallPrompt;
  readonly write: (prompt: AiSdkPrompt) => SdkPrompt;
}

/** A call whose prompt is made, and whose reply is not stored yet. */
interface OpenCall {
  readonly session: Session;
  readonly format: CallFormat;
  readonly prompt: Prompt;
  readonly original: SdkCall;
  readonly params: SdkCall;
}

const FORMAT = "ai-sdk-model";
const RULES = { ...SETTINGS_RULES, session: SESSION_RULE, sessionFor: SESSION_FOR };

const CALL_FORMAT: CallFormat = { read: readCallPrompt, write: writeCallPrompt };

/**
 * Returns a model that keeps its conversation in a session. Use it wherever the AI SDK takes a model.
 *
 * @example
 * ```ts
 * const result = streamText({ model: wrapModel(model, { session }), prompt: "Where is my parcel?" });
 * ```
 */
export function wrapModel(model: SdkModel, options: WrapModelOptions): SdkModel {
  if (!isObject(model) || model.specificationVersion !== "v4") {
    throw invalidOption("wrapModel: model", model, "a model of the AI SDK 7, such as anthropic(id)");
  }
  return applyMiddleware(model, sessionMiddleware(options));
}

/** Returns a model of the given version of the interface whose calls pass through the middleware. */
export function applyMiddleware(model: SdkModel, middleware: Middleware): SdkModel {
  const { transformParams, wrapGenerate, wrapStream } = middleware;
  const open = async (type: "generate" | "stream", given: SdkCall) => {
    const params = await transformParams({ type, params: given, model });
    return { params, model, doGenerate: () => model.doGenerate(params), doStream: () => model.doStream(params) };
  };
  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    get supportedUrls() {
      return model.supportedUrls;
    },
    doGenerate: async (given) => wrapGenerate(await open("generate", given)),
    doStream: async (given) => wrapStream(await open("stream", given)),
  };
}

/**
 * Does the same as `wrapModel`, as middleware: for `wrapLanguageModel` together with other middleware.
 *
 * @example
 * ```ts
 * const wrapped = wrapLanguageModel({ model, middleware: sessionMiddleware({ session }) });
 * ```
 */
export function sessionMiddleware(options: WrapModelOptions): Middleware & { readonly specificationVersion: "v4" } {
  checkOptions(options, RULES, "wrapModel");
  if ((options.session === undefined) === (options.sessionFor === undefined)) {
    throw new PalimpsestError("config-invalid", "wrapModel: pass either session or sessionFor.");
  }
  return { specificationVersion: "v4", ...createMiddleware(options, CALL_FORMAT) };
}

/** Options must be checked before. */
export function createMiddleware(options: WrapModelOptions, format: CallFormat): Middleware {
  const calls = new WeakMap<SdkCall, OpenCall>();
  const findCall = (params: SdkCall): OpenCall => {
    const call = calls.get(params);
    if (call === undefined) throw new TypeError("wrapModel: transformParams must run before the model is called.");
    return call;
  };
  return {
    async transformParams({ params, model }) {
      const call = await openCall(options, { params, model, format });
      calls.set(call.params, call);
      return call.params;
    },
    async wrapGenerate({ params, model }) {
      const { call, result } = await sendUntilFits(findCall(params), (each) => model.doGenerate(each));
      await storeContent(call, { content: result.content, usage: result.usage });
      return result;
    },
    async wrapStream({ params, model }) {
      const { call, result } = await sendUntilFits(findCall(params), (each) => model.doStream(each));
      return { ...result, stream: watchStream(call, result.stream) };
    },
  };
}

interface CallStart {
  readonly params: SdkCall;
  readonly model: SdkModel;
  readonly format: CallFormat;
}

async function openCall(options: WrapModelOptions, { params, model, format }: CallStart): Promise<OpenCall> {
  const { session: fixed, sessionFor, history = "host", ...settings } = options;
  const given = fixed ?? (await sessionFor?.(params));
  if (given === undefined) throw new PalimpsestError("config-invalid", "wrapModel: sessionFor returned no session.");
  const { instructions, messages } = format.read(params.prompt);
  const session = await receiveMessages(given, messages, { history, format: FORMAT });
  const prompt = await session.prompt({
    model: model.modelId,
    reserveTokens: params.maxOutputTokens,
    ...settings,
    instructions,
    tools: params.tools,
    signal: params.abortSignal,
  });
  return { session, format, prompt, original: params, params: writeParams(params, { prompt, format }) };
}

function writeParams(params: SdkCall, { prompt, format }: Pick<OpenCall, "prompt" | "format">): SdkCall {
  const rendered = prompt.forStreamText();
  const openai = rendered.providerOptions?.openai;
  const merged = { ...params.providerOptions, openai: { ...openai, ...params.providerOptions?.openai } };
  return {
    ...params,
    prompt: format.write(rendered),
    ...(openai === undefined ? {} : { providerOptions: merged }),
  };
}

/** Sends a call, and sends a smaller prompt when the provider refuses it as too long. */
async function sendUntilFits<Result>(
  first: OpenCall,
  send: (params: SdkCall) => PromiseLike<Result>,
): Promise<{ readonly call: OpenCall; readonly result: Result }> {
  let call = first;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return { call, result: await send(call.params) };
    } catch (error) {
      const smaller = attempt < MAX_SMALLER ? await findSmaller(call, error) : undefined;
      if (smaller === undefined) {
        await noteEnd(call, { error });
        throw error;
      }
      call = smaller;
    }
  }
}

async function findSmaller(call: OpenCall, error: unknown): Promise<OpenCall | undefined> {
  const prompt = await findSmallerPrompt(call.session, { error, promptId: call.prompt.id });
  return prompt === undefined
    ? undefined
    : { ...call, prompt, params: writeParams(call.original, { ...call, prompt }) };
}

interface EndOfCall {
  readonly error: unknown;
  readonly partial?: string | undefined;
}

async function noteEnd({ session, prompt, original }: OpenCall, { error, partial }: EndOfCall): Promise<void> {
  const isAborted = original.abortSignal?.aborted === true;
  await noteBrokenCall(session, { promptId: prompt.id, error, isAborted, partial });
}

async function storeContent(call: OpenCall, { content, usage }: Pick<ReplyParts, "content" | "usage">): Promise<void> {
  const reply = writeReply(content);
  if (reply === undefined) return noteEnd(call, { error: new Error("The model returned no output.") });
  await storeReply(call.session, reply, { promptId: call.prompt.id, usage, format: FORMAT });
}

/** Passes a stream on and stores its end: a whole reply, a failure, or the cancellation by its reader. */
function watchStream(call: OpenCall, stream: SdkStreamResult["stream"]): SdkStreamResult["stream"] {
  const reader = stream.getReader();
  const parts = new ReplyParts();
  let isEnded = false;
  const end = async (broken?: EndOfCall) => {
    if (isEnded) return;
    isEnded = true;
    const failure = broken ?? parts.failure ?? (parts.usage === undefined ? CUT_SHORT : undefined);
    await (failure === undefined ? storeContent(call, parts) : noteEnd(call, { ...failure, partial: parts.text }));
  };
  return new ReadableStream<SdkStreamPart>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          await end();
          controller.close();
          return;
        }
        parts.add(value);
        controller.enqueue(value);
      } catch (error) {
        await end({ error });
        throw error;
      }
    },
    async cancel(reason) {
      await Promise.all([reader.cancel(reason), end({ error: reason ?? "The reader canceled the stream." })]);
    },
  });
}

const CUT_SHORT: EndOfCall = { error: new Error("The stream ended before the reply was complete.") };
