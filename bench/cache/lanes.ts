/**
 * The providers that a conversation is replayed with: a model, its prices, its request format and its cache rules.
 * `README.md` has the sources of each rule.
 */
import type { CacheRules } from "../../src/core/budget/model-info.ts";
import type { Provider } from "../../src/core/prompt/provider.ts";
import type { PriceTag } from "../../src/replay/prices.ts";
import { type CacheOutcome, PromptCache } from "../../src/replay/prompt-cache.ts";
import { loadPrices } from "../cost/load-prices.ts";
import { EndingCache } from "./ending-cache.ts";
import { MarkedCache } from "./marked-cache.ts";
import type { SentBlock } from "./sent-block.ts";

export interface SimulatedCache {
  send(blocks: readonly SentBlock[], timeMs: number): CacheOutcome;
}

export interface ModelLane {
  readonly model: string;
  readonly provider: Extract<Provider, "anthropic" | "openai" | "gemini">;
  readonly price: PriceTag;
  openCache(): SimulatedCache;
}

interface LaneRule {
  readonly provider: ModelLane["provider"];
  openCache(rules: CacheRules): SimulatedCache;
}

const MINUTE_MS = 60_000;

const marked = (rules: CacheRules): SimulatedCache => new MarkedCache(rules);

/** Reads any common prefix, without marks. */
const automatic = (rules: CacheRules): SimulatedCache => {
  const cache = new PromptCache(rules);
  return {
    send: (blocks, timeMs) =>
      cache.send(
        blocks.flatMap(({ pieces }) => pieces),
        timeMs,
      ),
  };
};

const ending = (rules: CacheRules): SimulatedCache => new EndingCache({ ...rules, ttlMs: 30 * MINUTE_MS });

const LANES: Readonly<Record<string, LaneRule>> = {
  "claude-sonnet-4-5": { provider: "anthropic", openCache: marked },
  "claude-opus-4-5": { provider: "anthropic", openCache: marked },
  "gpt-5.4": { provider: "openai", openCache: automatic },
  "gpt-5.6-terra": { provider: "openai", openCache: ending },
  "gemini-3.1-pro-preview": { provider: "gemini", openCache: automatic },
};

export const LANE_MODELS: readonly string[] = Object.keys(LANES);

export async function openLanes(models: readonly string[]): Promise<readonly ModelLane[]> {
  const prices = await loadPrices(models);
  return prices.map((price) => {
    const rule = LANES[price.model];
    if (rule === undefined) throw new Error(`There is no lane for ${price.model}: ${LANE_MODELS.join(", ")}.`);
    return {
      model: price.model,
      provider: rule.provider,
      price,
      openCache: () => rule.openCache(price.cache),
    };
  });
}
