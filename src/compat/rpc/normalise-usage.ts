/** What a reply cost under the document's names, whoever the provider is and whatever it leaves out. */
import type { TokenUsage } from "../../protocol/rpc-methods.ts";
import type { TurnUsage } from "../../server/chat/turn-metadata.ts";

/** Where a provider gives no figure for its reply. */
const CHARACTERS_PER_TOKEN = 4;

export const NO_USAGE: TokenUsage = {
  prompt_tokens: 0,
  completion_tokens: 0,
  total_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  is_estimated: false,
};

export function normaliseUsage(usage: TurnUsage | undefined, reply: string): TokenUsage {
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage ?? {};
  // Nobody says something for nothing: a figure of nought is one that was left out.
  const isEstimated = outputTokens === 0 && reply !== "";
  const completion = isEstimated ? Math.ceil(reply.length / CHARACTERS_PER_TOKEN) : outputTokens;
  return {
    prompt_tokens: inputTokens,
    completion_tokens: completion,
    total_tokens: inputTokens + completion,
    cache_read_tokens: cacheReadTokens,
    cache_write_tokens: cacheWriteTokens,
    is_estimated: isEstimated,
  };
}

export function addUsage(sum: TokenUsage, usage: TokenUsage): TokenUsage {
  return {
    prompt_tokens: sum.prompt_tokens + usage.prompt_tokens,
    completion_tokens: sum.completion_tokens + usage.completion_tokens,
    total_tokens: sum.total_tokens + usage.total_tokens,
    cache_read_tokens: sum.cache_read_tokens + usage.cache_read_tokens,
    cache_write_tokens: sum.cache_write_tokens + usage.cache_write_tokens,
    is_estimated: sum.is_estimated || usage.is_estimated,
  };
}
