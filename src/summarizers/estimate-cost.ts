/** What a summary will use, before anybody is asked. It looks at lengths alone, because the gate asks at every turn. */
import type { Message } from "../core/message/message.ts";
import { messageText } from "../core/message/message-text.ts";
import { PREVIEW_RESULTS } from "../core/summary/strategies/build-transcript.ts";
import { FALLBACK_CHARACTERS_A_TOKEN } from "../core/tokens/count-text.ts";
import type { SummaryRequest } from "../ports/summarizer.ts";
import type { ModelPool } from "./model-pool.ts";
import { type ExpectedUsage, priceExpected } from "./price-usage.ts";
import type { SummaryTask } from "./summary-task.ts";

export interface Expectation {
  /** What the messages take, all of them. */
  readonly stretchTokens: number;
  /** What every request takes beside them. */
  readonly overheadTokens: number;
  readonly outputTokens: number;
  /** What the messages of one request may take. */
  readonly chunkTokens: number;
  readonly chunked: boolean;
}

/** Every further piece reads the text so far and writes it again. */
export function expectUsage(expectation: Expectation): ExpectedUsage {
  const { stretchTokens, overheadTokens, outputTokens, chunkTokens, chunked } = expectation;
  const calls = chunked ? Math.max(1, Math.ceil(stretchTokens / Math.max(1, chunkTokens))) : 1;
  const readTokens = chunked ? stretchTokens : Math.min(stretchTokens, chunkTokens);
  const inputTokens = readTokens + calls * overheadTokens + (calls - 1) * outputTokens;
  return { inputTokens, outputTokens: calls * outputTokens };
}

export type CostRequest = Pick<SummaryRequest, "stretch" | "previous" | "capTokens">;

export interface CostOptions extends Pick<SummaryTask, "strategy" | "chunkTokens" | "chunked"> {
  readonly pool: ModelPool;
}

/** The rules, the schema and the delimiters of the longest strategy. */
const RULES_TOKENS = 1_500;

/** US dollars; 0 where nobody can be asked or nobody's prices are known. */
export function estimateCost({ stretch, previous, capTokens }: CostRequest, options: CostOptions): number {
  const stretchTokens = stretch.reduce((sum, message) => sum + estimateTokens(message, options.strategy), 0);
  const overheadTokens = RULES_TOKENS + tokensOf(previous?.text.length ?? 0);
  const inputTokens = overheadTokens + Math.min(stretchTokens, options.chunkTokens);
  const { chosen } = options.pool.choose({ inputTokens, outputTokens: capTokens });
  const prices = chosen?.info.prices;
  if (chosen === undefined || prices === undefined) return 0;
  const room = Math.max(1, chosen.info.windowTokens - capTokens - overheadTokens);
  const chunkTokens = Math.min(options.chunkTokens, room);
  const { chunked } = options;
  const usage = expectUsage({ stretchTokens, overheadTokens, outputTokens: capTokens, chunkTokens, chunked });
  return priceExpected(usage, prices);
}

/** Only handoffs read long tool output. */
function estimateTokens(message: Message, strategy: string): number {
  const { length } = messageText(message);
  const isPreviewed = message.role === "tool" && !strategy.startsWith("handoff");
  const shortened = isPreviewed && length > PREVIEW_RESULTS.limitCharacters;
  return tokensOf(shortened ? PREVIEW_RESULTS.keepCharacters : length);
}

function tokensOf(characters: number): number {
  return Math.ceil(characters / FALLBACK_CHARACTERS_A_TOKEN);
}
