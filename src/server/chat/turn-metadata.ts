/** Metadata of a reply: branch, prompts, usage and summary. A client that sends the metadata back names its branch. */
import type { LanguageModelUsage } from "ai";
import type { TokenFigures } from "../../core/log/cache-use.ts";
import type { Prompt } from "../../engine/prompt/prompt.ts";
import type { StopReason } from "./turn.ts";

type WrittenSummary = NonNullable<Prompt["report"]["summary"]>;

export interface TurnMetadata {
  readonly sessionId: string;
  readonly chatId: string;
  readonly promptId?: string | undefined;
  /** Sum of all rounds, as reported by the provider. */
  readonly usage?: TokenFigures | undefined;
  readonly prompt?: Pick<Prompt["report"], "tokens" | "limitTokens" | "windowTokens"> | undefined;
  /** Share of the last prompt that the provider read from its cache, from 0 to 1. */
  readonly cachedShare?: number | undefined;
  readonly rounds: number;
  /** The newest summary of the turn. It has no model if it was written offline. */
  readonly summary?: Pick<WrittenSummary, "id" | "toolCallRoundId" | "depth" | "text" | "model"> | undefined;
  readonly stopped?: StopReason | "failed" | undefined;
}

export function addRound(
  before: TurnMetadata,
  { prompt, usage }: { readonly prompt: Prompt; readonly usage?: LanguageModelUsage | undefined },
): TurnMetadata {
  const { tokens, limitTokens, windowTokens } = prompt.report;
  const { inputTokens = 0, inputTokenDetails } = usage ?? {};
  const cachedShare = inputTokens > 0 ? (inputTokenDetails?.cacheReadTokens ?? 0) / inputTokens : undefined;
  return {
    ...before,
    promptId: prompt.id,
    usage: usage === undefined ? before.usage : addTokenFigures(before.usage, usage),
    prompt: { tokens, limitTokens, windowTokens },
    cachedShare,
    rounds: before.rounds + 1,
    summary: findSummary(prompt) ?? before.summary,
  };
}

function findSummary({ report }: Prompt): TurnMetadata["summary"] {
  const { summary, compactions } = report;
  const isNew = compactions.some(({ entryIds }) => summary !== undefined && entryIds.includes(summary.id));
  if (summary === undefined || !isNew) return undefined;
  const { id, toolCallRoundId, depth, text, model } = summary;
  return { id, toolCallRoundId, depth, text, ...(model === undefined ? {} : { model }) };
}

function addTokenFigures(before: TokenFigures | undefined, usage: LanguageModelUsage): TokenFigures {
  const { inputTokens = 0, outputTokens = 0, inputTokenDetails } = usage;
  return {
    inputTokens: (before?.inputTokens ?? 0) + inputTokens,
    outputTokens: (before?.outputTokens ?? 0) + outputTokens,
    cacheReadTokens: (before?.cacheReadTokens ?? 0) + (inputTokenDetails?.cacheReadTokens ?? 0),
    cacheWriteTokens: (before?.cacheWriteTokens ?? 0) + (inputTokenDetails?.cacheWriteTokens ?? 0),
  };
}
