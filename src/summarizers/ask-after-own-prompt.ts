/**
 * Asks for the summary after the conversation's own prompt, as the provider last saw it. The provider has that prompt
 * in its cache, so this can be cheaper than sending the stretch as a transcript, although it is longer.
 *
 * The prompt must be sent byte for byte to hit the cache, so a prompt with a secret is never sent.
 */
import type { PriceCard } from "../core/budget/model-info.ts";
import { redactMessage } from "../core/summary/secrets/redact-messages.ts";
import { redactSecrets } from "../core/summary/secrets/redact-secrets.ts";
import { EMPTY_REPORT } from "../core/summary/strategies/strategy.ts";
import type { OwnPrompt, SummaryOutcome } from "../ports/summarizer.ts";
import { askModel } from "./ask-model.ts";
import { roomOf } from "./choose-model.ts";
import type { PooledModel } from "./model-pool.ts";
import { type ExpectedUsage, priceExpected, RATIO_PRICES } from "./price-usage.ts";
import { type BuiltRequest, buildRequest, createFailure, type SummarizerTask } from "./summary-task.ts";

const STRATEGY = "handoff-after-prompt";

export interface TranscriptAlternative {
  readonly model: PooledModel | undefined;
  /** True if the policy names that model; then no other model is asked. */
  readonly isPreferred: boolean;
  readonly usage: ExpectedUsage;
}

/** Returns undefined if the request is not worthwhile or possible, or if it failed and a transcript may succeed. */
export async function askAfterOwnPrompt(
  task: SummarizerTask,
  alternative: TranscriptAlternative,
): Promise<SummaryOutcome | undefined> {
  const { ownPrompt } = task.request;
  const model = ownPrompt === undefined ? undefined : task.pool.findAvailable(ownPrompt.model);
  if (ownPrompt === undefined || model === undefined || !isWanted(task, ownPrompt)) return undefined;
  if (alternative.isPreferred && alternative.model?.info.id !== model.info.id) return undefined;
  const { nonce, previous } = task.request;
  const form = { info: model.info, strategy: STRATEGY, stretch: [], nonce, previousText: previous?.text } as const;
  const built = await buildRequest(task, form);
  if (!isWorthwhile(task, { ownPrompt, model, built, alternative }) || !isSafe(ownPrompt)) return undefined;
  // This request uses the caller's nonce; later ones need another.
  task.nextNonce();
  const answer = await askModel(task, { model, built, form: "own-prompt" });
  if (answer.type === "overflow") return undefined;
  if (answer.type === "failed") {
    const { type: _, ...failure } = answer;
    return failure.kind === "validation" ? undefined : createFailure(task, failure);
  }
  task.tally.addChunk(EMPTY_REPORT);
  return { type: "summary", text: answer.text, endedBy: answer.endedBy, origin: task.tally.origin(STRATEGY) };
}

/** Returns true if the policy names this strategy, or if the prompt is certainly in the cache. */
function isWanted({ strategy }: SummarizerTask, { isWarm }: OwnPrompt): boolean {
  return strategy === STRATEGY || isWarm;
}

interface Comparison {
  readonly ownPrompt: OwnPrompt;
  readonly model: PooledModel;
  readonly built: BuiltRequest;
  readonly alternative: TranscriptAlternative;
}

function isWorthwhile(task: SummarizerTask, { ownPrompt, model, built, alternative }: Comparison): boolean {
  const outputTokens = built.modelRequest.maxOutputTokens;
  if (ownPrompt.tokens + built.tokens > roomOf(model.info, outputTokens)) return false;
  if (task.strategy === STRATEGY || alternative.model === undefined) return true;
  const [own, other] = comparablePrices(model, alternative.model);
  const [cachedTokens, newTokens] = losesMessageCache(model, ownPrompt) ? [0, ownPrompt.tokens] : [ownPrompt.tokens, 0];
  const usage = { cachedTokens, inputTokens: newTokens + built.tokens, outputTokens };
  return priceExpected(usage, own) < priceExpected(alternative.usage, other);
}

/** Anthropic caches messages for one `tool_choice`, and a summary request sets another one to forbid tool calls. */
function losesMessageCache({ info }: PooledModel, { tools }: OwnPrompt): boolean {
  return info.provider === "anthropic" && tools.length > 0;
}

/** Compares in dollars only if both prices are known. */
function comparablePrices({ info: own }: PooledModel, { info: other }: PooledModel): readonly [PriceCard, PriceCard] {
  const isKnown = own.prices !== undefined && other.prices !== undefined;
  return isKnown ? [own.prices, other.prices] : [RATIO_PRICES, RATIO_PRICES];
}

function isSafe({ instructions = "", messages, tools }: OwnPrompt): boolean {
  const isClean = messages.every((message) => redactMessage(message) === message);
  return isClean && ![instructions, JSON.stringify(tools)].some(hasSecret);
}

export function hasSecret(text: string): boolean {
  return redactSecrets(text).secrets.length > 0;
}
