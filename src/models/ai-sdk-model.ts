/**
 * Adapts a model of the AI SDK to the engine's port. It sends one request, reads the answer as a stream so that an
 * endless one can be cut off, and turns every result into an outcome. It keeps no conversation, runs no tools, fetches
 * no URLs and never retries, except once with the schema as text if the provider refused it. `ai` is loaded with the
 * first request.
 */
import type { LanguageModel } from "ai";
import type { Clock } from "../ports/clock.ts";
import type { Model, ModelOutcome, ModelRequest } from "../ports/model.ts";
import { askAiSdk } from "./ask-ai-sdk.ts";
import { describeFailure } from "./describe-failure.ts";
import { isSchemaRefusal } from "./recognize-refusal.ts";

export interface AiSdkModelOptions {
  /** Limit for the whole answer. */
  readonly timeoutMs: number;
  /** Used only to turn a date in `Retry-After` into a wait. */
  readonly clock?: Clock | undefined;
}

/** Returns whether a value has the shape of an AI SDK model. */
export function isLanguageModel(value: unknown): value is Exclude<LanguageModel, string> {
  if (typeof value !== "object" || value === null) return false;
  return "modelId" in value && typeof value.modelId === "string" && "doStream" in value;
}

interface Call {
  readonly languageModel: LanguageModel;
  readonly request: ModelRequest;
  readonly clock: Clock;
  /** Schemas that were refused; they are sent as text from then on. */
  readonly refusedSchemas: WeakSet<object>;
  readonly signal: AbortSignal;
}

export function createAiSdkModel(languageModel: LanguageModel, options: AiSdkModelOptions): Model {
  const { timeoutMs, clock = { now: () => Date.now() } } = options;
  const refusedSchemas = new WeakSet<object>();
  return {
    id: typeof languageModel === "string" ? languageModel : languageModel.modelId,
    generate: (request, signal) =>
      withDeadline({ timeoutMs, signal }, (inner) =>
        askWithFallback({ languageModel, request, clock, refusedSchemas, signal: inner }),
      ),
  };
}

/** Resolves when the work ends, the time is up or the caller aborts, and closes the connection in every case. */
async function withDeadline(
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<ModelOutcome>,
): Promise<ModelOutcome> {
  if (signal.aborted) return aborted;
  const inner = new AbortController();
  const early = Promise.withResolvers<ModelOutcome>();
  const giveUp = () => early.resolve(aborted);
  const timer = setTimeout(() => early.resolve(createTimeout(timeoutMs)), timeoutMs);
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    return await Promise.race([early.promise, work(inner.signal)]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", giveUp);
    inner.abort();
  }
}

const aborted: ModelOutcome = { type: "failed", reason: "The call was aborted.", retryable: false };

function createTimeout(timeoutMs: number): ModelOutcome {
  return { type: "failed", reason: `There was no complete answer after ${timeoutMs} ms.`, retryable: true };
}

async function askWithFallback({ languageModel, request, clock, refusedSchemas, signal }: Call): Promise<ModelOutcome> {
  const { schema } = request;
  const schemaAsText = schema === undefined || refusedSchemas.has(schema);
  try {
    return await askAiSdk(languageModel, { request, signal, schemaAsText });
  } catch (error) {
    if (schemaAsText || signal.aborted || !isSchemaRefusal(error)) return describeFailure(error, clock.now());
    refusedSchemas.add(schema);
  }
  try {
    return await askAiSdk(languageModel, { request, signal, schemaAsText: true });
  } catch (error) {
    return describeFailure(error, clock.now());
  }
}
