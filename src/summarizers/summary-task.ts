/** One summary in progress: its request, its cost so far, and its model requests, each with a new nonce. */
import type { ModelInfo } from "../core/budget/model-info.ts";
import { hasOnlyThinking, type Message } from "../core/message/message.ts";
import { SYSTEM_END } from "../core/prompt/place-breakpoints.ts";
import { STRATEGIES } from "../core/summary/strategies/strategies.ts";
import type {
  StrategyInput,
  StrategyName,
  StretchMeta,
  SummarizerRequest,
} from "../core/summary/strategies/strategy.ts";
import { countTextInSteps } from "../core/tokens/count-text.ts";
import type { Counter } from "../core/tokens/counter.ts";
import type { ModelRequest, ModelTool } from "../ports/model.ts";
import { runInSteps } from "../ports/run-in-steps.ts";
import type { OwnPrompt, SummaryOutcome, SummaryRequest } from "../ports/summarizer.ts";
import { roomOf } from "./choose-model.ts";
import type { CostOptions } from "./price-usage.ts";
import type { SummaryTally } from "./summary-tally.ts";

/** The strategies that send a transcript; the other one asks after the conversation's own prompt. */
export type TranscriptStrategy = Exclude<StrategyName, "handoff-after-prompt">;

export interface SummarizerTask extends Omit<CostOptions, "strategy"> {
  readonly request: SummaryRequest;
  readonly signal: AbortSignal;
  readonly tally: SummaryTally;
  readonly strategy: StrategyName;
  /** True to reject an answer that does not follow the strategy's schema. */
  readonly isStrict: boolean;
  readonly meta: StretchMeta;
  /** The conversation's tools, without those whose description holds a secret. */
  readonly tools: readonly ModelTool[];
  /** Returns the caller's nonce for the first request, and a new one for each later request. */
  nextNonce(): string;
  tell(event: SummarizerCall): void;
}

/** One request, for telemetry. Contains no text of the conversation. */
export interface SummarizerCall {
  readonly model: string;
  readonly strategy: StrategyName;
  readonly form: "transcript" | "own-prompt";
  readonly attempt: number;
  readonly chunk: number;
  readonly outcome: "text" | "overflow" | "refused" | "failed";
  /** Tool outputs and messages that the request shows only in part. */
  readonly cuts: number;
  readonly elapsedMs: number;
}

export interface BuiltRequest {
  readonly request: SummarizerRequest;
  readonly modelRequest: ModelRequest;
  /** By the model's counter, without the conversation's own prompt. */
  readonly tokens: number;
}

export interface TranscriptForm extends Pick<StrategyInput, "previousText" | "transcriptTokens" | "messageCharacters"> {
  readonly stretch: readonly Message[];
  readonly strategy: StrategyName;
  readonly nonce: string;
  readonly info: ModelInfo;
}

/** The largest share of the window for the summary. As JSON it is 1.5 times as long; the input gets the rest. */
const MAX_SUMMARY_SHARE = 1 / 6;

/** Sends a transcript, or asks after the conversation's own prompt, as the strategy requires. */
export async function buildRequest(
  task: SummarizerTask,
  { info, strategy, ...form }: TranscriptForm,
): Promise<BuiltRequest> {
  const { capTokens, counter, instructions, again, ownPrompt } = task.request;
  const { maxOutputTokens } = info;
  // The cap is in tokens of our counter; the request states it in the model's own tokens, which are shorter.
  const factor = Math.max(1, info.startFactor);
  const budgetTokens = Math.min(Math.ceil(capTokens * factor), Math.floor(info.windowTokens * MAX_SUMMARY_SHARE));
  const promptTokens = roomOf(info, Math.min(budgetTokens, maxOutputTokens));
  const input = { ...form, budgetTokens, promptTokens, meta: task.meta, counter, instructions };
  const request = STRATEGIES[strategy](input);
  const { minimumTokens: minTokens } = info.cache;
  const options = { again, ownPrompt, maxOutputTokens, tools: task.tools, minTokens };
  const modelRequest = buildModelRequest(request, options);
  const own = strategy === "handoff-after-prompt" ? ownPrompt : undefined;
  const countedRequest = own === undefined ? modelRequest : keepAdded(modelRequest, own);
  const counted = await runInSteps(countModelRequest(countedRequest, counter));
  return { request, modelRequest, tokens: Math.ceil(counted * factor) };
}

/** Returns only what the request adds to the conversation's own prompt, because the size of that prompt is known. */
function keepAdded(request: ModelRequest, { messages }: OwnPrompt): ModelRequest {
  return { ...request, instructions: "", messages: request.messages.slice(messages.length), tools: [] };
}

type Failure = Omit<SummaryOutcome & { readonly type: "failed" }, "type" | "origin">;

export function createFailure(task: SummarizerTask, failure: Failure): SummaryOutcome {
  return { type: "failed", ...failure, origin: task.tally.origin(task.strategy) };
}

export function createAborted(task: SummarizerTask): SummaryOutcome {
  return createFailure(task, { kind: "aborted", reason: "The request was aborted." });
}

export interface BuildOptions {
  /** Added last: the correction after the previous answer. */
  readonly again?: string | undefined;
  readonly ownPrompt?: OwnPrompt | undefined;
  /** Sent if the strategy forbids tool calls, because a provider rejects such a request if it lists no tools. */
  readonly tools?: readonly ModelTool[] | undefined;
  /** The model's output limit, if it is below what the strategy asks for. */
  readonly maxOutputTokens?: number | undefined;
  /** The smallest prefix that the provider caches. One provider returns an empty answer for a mark on less. */
  readonly minTokens?: number | undefined;
}

export function buildModelRequest(request: SummarizerRequest, options: BuildOptions = {}): ModelRequest {
  const { again, ownPrompt, maxOutputTokens = request.maxOutputTokens } = options;
  const isAfterPrompt = request.input.type === "after-prompt";
  const offered = isAfterPrompt ? ownPrompt?.tools : options.tools;
  const tools = request.toolChoice === "none" ? (offered ?? []) : [];
  return {
    instructions: (isAfterPrompt ? ownPrompt?.instructions : request.instructions) ?? "",
    messages: [...(isAfterPrompt ? (ownPrompt?.messages ?? []) : []), ...requestMessages(request, again)],
    maxOutputTokens: Math.min(request.maxOutputTokens, maxOutputTokens),
    ...(request.schema === undefined ? {} : { schema: request.schema }),
    ...(tools.length === 0 ? {} : { tools }),
    ...(isAfterPrompt && ownPrompt !== undefined ? { breakpoints: marksOf(ownPrompt, options.minTokens) } : {}),
  };
}

/** Marks the end of the system text, whose size is estimated by characters, and of the conversation's own prompt. */
function marksOf({ instructions = "", tools, messages, tokens }: OwnPrompt, minTokens = 0): readonly number[] {
  if (tokens < minTokens) return [];
  const isSystemLarge = (instructions.length + JSON.stringify(tools).length) / 4 >= minTokens;
  const last = messages.findLastIndex((message) => !hasOnlyThinking(message));
  return [...(isSystemLarge ? [SYSTEM_END] : []), ...(last === -1 ? [] : [last])];
}

function requestMessages({ input }: SummarizerRequest, again: string | undefined): readonly Message[] {
  const said = input.type === "messages" ? input.messages : [{ role: "user" as const, text: input.text }];
  return said.map(({ role, text }, index) => {
    const isLast = index === said.length - 1;
    const whole = isLast && again !== undefined ? `${text}\n\n${again}` : text;
    return { id: `summary-request-${index}`, role, parts: [{ type: "text", text: whole }] };
  });
}

/** Counts texts, structure, tools and schema. Only for requests that contain nothing but text. */
export function* countModelRequest(request: ModelRequest, counter: Counter): Generator<undefined, number> {
  const { instructions, messages, tools = [], schema } = request;
  const texts = messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "text" ? [part.text] : [])));
  const described = [...tools, ...(schema === undefined ? [] : [schema])].map((value) => JSON.stringify(value));
  // The instructions are a message of their own.
  let tokens = (messages.length + 1) * counter.messageOverheadTokens;
  for (const text of [instructions, ...described, ...texts]) tokens += yield* countTextInSteps(text, counter);
  return tokens;
}
