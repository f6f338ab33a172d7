/**
 * The options of LangChain's `summarizationMiddleware`. A trigger compacts the session before a call; the session's own
 * policy still applies, so a prompt never exceeds the budget, whatever the trigger is.
 */
import type { BaseLanguageModel } from "@langchain/core/language_models/base";
import type { BaseMessage } from "@langchain/core/messages";
import type { OptionRule } from "../../core/check-options.ts";
import { AMOUNT, ANYTHING, COUNT, FUNCTION, optionsOf, TEXT, WHOLE_NUMBER } from "../../core/check-options.ts";
import type { AssumedRequest } from "../../engine/context/prompt-request.ts";
import type { Session } from "../../engine/session/session.ts";
import { chatModelSummarizer } from "./chat-model-summarizer.ts";
import { toInstances } from "./messages.ts";

/** Same names and meanings as in LangChain, declared here because LangChain's own type cannot be extended. */
export interface SummarizationOptions {
  /** Writes the summaries of the trigger: a chat model, or its name. By default the session's own summarizer. */
  readonly model?: string | BaseLanguageModel | undefined;
  /** When to compact: all figures of one size must be reached; of a list, one size. */
  readonly trigger?: ContextSize | readonly ContextSize[] | undefined;
  /** How much of the newest messages stays verbatim; 20 messages by default. */
  readonly keep?: ContextSize | undefined;
  readonly tokenCounter?: ((messages: BaseMessage[]) => number | Promise<number>) | undefined;
  /** The prompt for `model`, with `{messages}` for the messages to summarize. */
  readonly summaryPrompt?: string | undefined;
  readonly summaryPrefix?: string | undefined;
  /** The oldest messages beyond this number of tokens are left out of the prompt for `model`. */
  readonly trimTokensToSummarize?: number | undefined;
  /** The older name of `trigger: { tokens }`. */
  readonly maxTokensBeforeSummary?: number | undefined;
  /** The older name of `keep: { messages }`. */
  readonly messagesToKeep?: number | undefined;
}

export interface ContextSize {
  /** Part of the model's window. */
  readonly fraction?: number | undefined;
  readonly tokens?: number | undefined;
  readonly messages?: number | undefined;
}

const SIZE = optionsOf({ fraction: AMOUNT, tokens: AMOUNT, messages: WHOLE_NUMBER });

const TRIGGER: OptionRule = {
  allowed: "{ tokens, fraction, messages } or a list of them",
  holds: (value) => typeof value === "object" && value !== null,
  check: (value, place) => {
    for (const size of Array.isArray(value) ? value : [value]) SIZE.check?.(size, place);
  },
};

export const SUMMARIZATION_RULES = {
  model: ANYTHING,
  trigger: TRIGGER,
  keep: SIZE,
  tokenCounter: FUNCTION,
  summaryPrompt: TEXT,
  summaryPrefix: TEXT,
  trimTokensToSummarize: COUNT,
  maxTokensBeforeSummary: COUNT,
  messagesToKeep: WHOLE_NUMBER,
};

/** As in LangChain. */
const KEPT_MESSAGES = 20;

interface CallFacts {
  readonly request: AssumedRequest;
  readonly signal: AbortSignal | undefined;
}

export async function compactIfTriggered(
  session: Session,
  options: SummarizationOptions,
  { request, signal }: CallFacts,
): Promise<void> {
  const conditions = listConditions(options);
  if (conditions.length === 0) return;
  const preview = await session.prompt({ ...request, preview: true });
  const { windowTokens, tokens: counted } = preview.report;
  const messages = await toInstances(preview.forLangChain().messages);
  const tokens = options.tokenCounter === undefined ? counted : await options.tokenCounter(messages);
  const isMet = (size: ContextSize) =>
    messages.length >= (size.messages ?? 0) &&
    tokens >= (size.tokens ?? 0) &&
    tokens >= Math.floor((size.fraction ?? 0) * windowTokens);
  if (!conditions.some(isMet)) return;
  const summarizer =
    options.model === undefined ? undefined : chatModelSummarizer({ ...options, model: options.model });
  await session.compact({ as: request, keep: findKept(options, windowTokens), summarizer, signal });
}

function listConditions({ trigger, maxTokensBeforeSummary }: SummarizationOptions): readonly ContextSize[] {
  const older = maxTokensBeforeSummary === undefined ? [] : [{ tokens: maxTokensBeforeSummary }];
  if (trigger === undefined) return older;
  return Array.isArray(trigger) ? (trigger as readonly ContextSize[]) : [trigger as ContextSize];
}

function findKept({ keep, messagesToKeep = KEPT_MESSAGES }: SummarizationOptions, windowTokens: number) {
  const { fraction, tokens, messages } = keep ?? ({ messages: messagesToKeep } as ContextSize);
  if (fraction !== undefined) return { tokens: Math.floor(fraction * windowTokens) };
  return tokens === undefined ? { messages } : { tokens: Math.floor(tokens) };
}
