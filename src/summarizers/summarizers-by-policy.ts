/**
 * One summarizer for each combination of summary settings in policies. A policy may prefer models that the caller has
 * not given; they are found by name, and their windows are looked up before the first request.
 */
import { normalizeModelId } from "../core/budget/find-model.ts";
import type { PlanSettings } from "../core/plan/plan-settings.ts";
import type { StrategyName } from "../core/summary/strategies/strategy.ts";
import type { Summarizer } from "../ports/summarizer.ts";
import type { PooledModel } from "./model-pool.ts";
import { createModelSummarizer, type ModelSummarizerOptions } from "./model-summarizer.ts";

export interface PolicySummarizerOptions<Model>
  extends Pick<ModelSummarizerOptions, "models" | "clock" | "sleep" | "newNonce"> {
  readonly findModel: ((name: string) => Model | undefined) | undefined;
  readonly poolModels: (models: readonly Model[]) => Promise<readonly PooledModel[]>;
}

/** The most tokens of messages in one request, unless the window is smaller. */
const CHUNK_TOKENS = 100_000;

/** Returns the summarizer of a policy, or undefined if code writes its summaries. */
export function createPolicySummarizers<Model extends { readonly modelId: string }>({
  findModel,
  poolModels,
  ...options
}: PolicySummarizerOptions<Model>): (settings: PlanSettings) => Summarizer | undefined {
  const made = new Map<string, Summarizer>();
  const create = ({ summary, name }: PlanSettings, strategy: StrategyName): Summarizer => {
    const models = [...options.models];
    const preferred = findPreferred(summary.modelPreference, { models, findModel });
    const preference = summary.modelPreference.map((id) => preferred.get(id)?.modelId ?? id);
    // One preset's document sends one request, drops the oldest messages and accepts only JSON.
    const reading =
      name === "ratio-chain" ? { chunked: false, isStrict: true } : { chunked: true, chunkTokens: CHUNK_TOKENS };
    const summarizer = createModelSummarizer({ ...options, models, strategy, preference, ...reading });
    return withPooling(summarizer, async () => {
      models.push(...(await poolModels([...preferred.values()])));
    });
  };
  return (settings) => {
    const { strategy, modelPreference } = settings.summary;
    if (strategy === "offline") return undefined;
    const key = JSON.stringify([strategy, modelPreference, settings.name]);
    const summarizer = made.get(key) ?? create(settings, strategy);
    made.set(key, summarizer);
    return summarizer;
  };
}

interface Lookup<Model> extends Pick<PolicySummarizerOptions<Model>, "findModel"> {
  readonly models: readonly PooledModel[];
}

/** Finds the models that a policy names and the caller has not given, as far as they are available. */
function findPreferred<Model>(
  names: readonly string[],
  { models, findModel }: Lookup<Model>,
): ReadonlyMap<string, Model> {
  const given = new Set(models.map(({ info }) => normalizeModelId(info.id)));
  const found = names.flatMap((name) => {
    const model = given.has(normalizeModelId(name)) ? undefined : findModel?.(name);
    return model === undefined ? [] : [[name, model] as const];
  });
  return new Map(found);
}

function withPooling(summarizer: Summarizer, pool: () => Promise<void>): Summarizer {
  let pooling: Promise<void> | undefined;
  return {
    ...summarizer,
    async summarize(request, signal) {
      pooling ??= pool();
      await pooling;
      return summarizer.summarize(request, signal);
    },
  };
}
