/** Creates everything that the sessions of an engine share, and its summarizer and topic detector. */
import { invalidOption } from "../core/check-options.ts";
import { createCatalogue } from "../counters/create-catalogue.ts";
import { createCounters } from "../counters/load-counter.ts";
import { createIds } from "../engine/context/create-ids.ts";
import { type EngineContext, SESSION_LIMITS } from "../engine/context/engine-context.ts";
import type { Emitter } from "../engine/context/events.ts";
import { recognizeRefusal } from "../models/recognize-refusal.ts";
import type { PolicySource } from "../policies/policy-source.ts";
import type { Embedder } from "../ports/embedder.ts";
import type { Store } from "../ports/store.ts";
import type { Summarizer } from "../ports/summarizer.ts";
import type { PooledModel } from "../summarizers/model-pool.ts";
import { checkSizes, type OpenOptions } from "./options.ts";

type ContextOptions = Omit<OpenOptions, "model"> & { readonly model?: string | undefined };

interface ContextParts {
  readonly store: Store;
  readonly emitter: Emitter;
  readonly policy: PolicySource;
}

export function createContext(options: ContextOptions, { store, emitter, policy }: ContextParts): EngineContext {
  const clock = options.clock ?? { now: () => Date.now() };
  return {
    store: store.tenant(options.tenant ?? "local"),
    counters: createCounters(),
    catalogue: createCatalogue({ overrides: options.models }),
    clock,
    ids: options.ids ?? createIds({ clock, randomHex }),
    emitter,
    settingsFor: (model) => policy.current(model),
    defaults: checkSizes(options),
    limits: { ...SESSION_LIMITS, ...options.limits },
    recognizeRefusal,
    newNonce: () => randomHex(NONCE_DIGITS),
    sleep: clock.sleep?.bind(clock) ?? pause,
  };
}

const NONCE_DIGITS = 16;

function randomHex(digits: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(Math.ceil(digits / 2)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0"))
    .join("")
    .slice(0, digits);
}

/** An abort ends the pause early, without an error. */
function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener("abort", end);
  });
}

/** Creates summarizer and topic detector. Loads the AI SDK only if a model is given. */
export async function createWriters(
  {
    model,
    summarizer = typeof model === "object" ? model : "offline",
    findSummarizer,
    summarizerTimeoutMs,
  }: OpenOptions,
  context: EngineContext,
): Promise<Pick<EngineContext, "summarizerFor" | "topicDetector">> {
  if (summarizer === "offline") return {};
  const timeoutMs = summarizerTimeoutMs ?? TIMEOUT_MS;
  if (isSummarizer(summarizer)) {
    const { guardSummarizer } = await import("../summarizers/guard-summarizer.ts");
    const guarded = guardSummarizer(summarizer, timeoutMs);
    return { summarizerFor: () => guarded };
  }
  const pool = (models: readonly unknown[]) => poolModels(models, { ...context, timeoutMs });
  const models = await pool(Array.isArray(summarizer) ? summarizer : [summarizer]);
  const [{ createPolicySummarizers }, { createModelTopicDetector }] = await Promise.all([
    import("../summarizers/summarizers-by-policy.ts"),
    import("../summarizers/topic-detector.ts"),
  ]);
  const { clock, sleep, newNonce } = context;
  const shared = { models, clock, sleep, newNonce };
  return {
    summarizerFor: createPolicySummarizers({ ...shared, findModel: findSummarizer, poolModels: pool }),
    topicDetector: createModelTopicDetector(shared),
  };
}

/** Creates the comparison of meanings for recall. Loads the AI SDK only if one of its models is given. */
export async function createComparison(
  { embedder }: OpenOptions,
  context: EngineContext,
): Promise<Pick<EngineContext, "compareMeaning">> {
  if (embedder === undefined) return {};
  const { createMeaningComparison } = await import("../engine/recall/compare-meaning.ts");
  return { compareMeaning: createMeaningComparison(await readEmbedder(embedder), context) };
}

async function readEmbedder(input: unknown): Promise<Embedder> {
  if (typeof input === "object" && input !== null && "embed" in input && typeof input.embed === "function") {
    return input as Embedder;
  }
  const { createAiSdkEmbedder, isEmbeddingModel } = await import("../models/ai-sdk-embedder.ts");
  if (!isEmbeddingModel(input))
    throw invalidOption("embedder", input, "an embedding model of the AI SDK, or an Embedder");
  return createAiSdkEmbedder(input);
}

function isSummarizer(input: unknown): input is Summarizer {
  return typeof input === "object" && input !== null && "summarize" in input && typeof input.summarize === "function";
}

/** Time limit for a complete summary. The lease is renewed in the meantime. */
const TIMEOUT_MS = 60_000;

async function poolModels(
  models: readonly unknown[],
  {
    catalogue,
    clock,
    defaults,
    timeoutMs,
  }: Pick<EngineContext, "catalogue" | "clock" | "defaults"> & { readonly timeoutMs: number },
): Promise<readonly PooledModel[]> {
  const { createAiSdkModel, isLanguageModel } = await import("../models/ai-sdk-model.ts");
  return Promise.all(
    models.map(async (languageModel) => {
      if (!isLanguageModel(languageModel)) {
        throw invalidOption("summarizer", languageModel, 'models of the AI SDK, a Summarizer or "offline"');
      }
      const model = createAiSdkModel(languageModel, { timeoutMs, clock });
      const { info, warning } = await catalogue.find(model.id);
      // For a model that the catalogue does not know, the configured window is the only figure.
      const isOwn = warning !== undefined && model.id === defaults.model && defaults.windowTokens !== undefined;
      return { model, info: isOwn ? { ...info, windowTokens: defaults.windowTokens } : info };
    }),
  );
}
