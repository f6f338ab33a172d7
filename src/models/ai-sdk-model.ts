/**
 * Any model of the AI SDK as the engine's port. It asks once, reads the answer as a stream so that an endless one can be
 * cut off, and turns whatever the vendor does into an outcome. It keeps no conversation, runs no tools, fetches no URLs
 * and never retries; the one request that it may send twice is one whose schema the provider refused.
 *
 * The `ai` package is loaded when the first answer is asked for, because most hosts never ask for one.
 */
import type { LanguageModel } from "ai";
import type { Clock } from "../ports/clock.ts";
import type { Model, ModelOutcome, ModelRequest } from "../ports/model.ts";
import { askAiSdk } from "./ask-ai-sdk.ts";
import { describeFailure } from "./describe-failure.ts";
import { isSchemaRefusal } from "./recognise-schema-refusal.ts";

export interface AiSdkModelOptions {
  /** From the request to the last word of the answer. */
  readonly timeoutMs: number;
  /** Read only to turn a date in `Retry-After` into a wait. */
  readonly clock?: Clock | undefined;
}

/** Whether a value is a model of the AI SDK, as far as its shape says. */
export function isLanguageModel(value: unknown): value is Exclude<LanguageModel, string> {
  if (typeof value !== "object" || value === null) return false;
  return "modelId" in value && typeof value.modelId === "string" && "doStream" in value;
}

interface Call {
  readonly languageModel: LanguageModel;
  readonly request: ModelRequest;
  readonly clock: Clock;
  /** A schema that was refused before is put in words from then on. */
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
        ask({ languageModel, request, clock, refusedSchemas, signal: inner }),
      ),
  };
}

interface Deadline {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Ends when the work does, the time is up or the caller gives up; in every case the connection is closed behind it. */
async function withDeadline(
  { timeoutMs, signal }: Deadline,
  work: (signal: AbortSignal) => Promise<ModelOutcome>,
): Promise<ModelOutcome> {
  if (signal.aborted) return aborted;
  const inner = new AbortController();
  const early = Promise.withResolvers<ModelOutcome>();
  const giveUp = () => early.resolve(aborted);
  const timer = setTimeout(() => early.resolve(timedOut(timeoutMs)), timeoutMs);
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

function timedOut(timeoutMs: number): ModelOutcome {
  return { type: "failed", reason: `There was no complete answer after ${timeoutMs} ms.`, retryable: true };
}

async function ask({ languageModel, request, clock, refusedSchemas, signal }: Call): Promise<ModelOutcome> {
  const { schema } = request;
  const schemaInWords = schema === undefined || refusedSchemas.has(schema);
  try {
    return await askAiSdk(languageModel, { request, signal, schemaInWords });
  } catch (error) {
    if (schemaInWords || signal.aborted || !isSchemaRefusal(error)) return describeFailure(error, clock.now());
    refusedSchemas.add(schema);
  }
  try {
    return await askAiSdk(languageModel, { request, signal, schemaInWords: true });
  } catch (error) {
    return describeFailure(error, clock.now());
  }
}
