/**
 * One summarizer for each way in which policies ask for summaries. A policy may prefer models that the caller has not
 * given; those are looked for by name, and what they take is looked up before their first request.
 */
import { canonicalModelId } from "../core/budget/find-model.ts";
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

/** What one request of a summarizer may hold of a conversation, where its window is not smaller. */
const CHUNK_TOKENS = 100_000;

/** The summarizer for a policy; undefined where code writes. */
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
    // The document of one preset asks once, trims the oldest side and takes nothing but its JSON.
    const reading =
      name === "ratio-chain" ? { chunked: false, isStrict: true } : { chunked: true, chunkTokens: CHUNK_TOKENS };
    const summarizer = createModelSummarizer({ ...options, models, strategy, preference, ...reading });
    return afterPooling(summarizer, async () => {
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

/** The models that a policy names and the caller has not given, by these names, as far as there is a way to ask them. */
function findPreferred<Model>(
  names: readonly string[],
  { models, findModel }: Lookup<Model>,
): ReadonlyMap<string, Model> {
  const given = new Set(models.map(({ info }) => canonicalModelId(info.id)));
  const found = names.flatMap((name) => {
    const model = given.has(canonicalModelId(name)) ? undefined : findModel?.(name);
    return model === undefined ? [] : [[name, model] as const];
  });
  return new Map(found);
}

function afterPooling(summarizer: Summarizer, pool: () => Promise<void>): Summarizer {
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
