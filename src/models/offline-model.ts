/**
 * The fallback without a language model: it says so and answers by quoting the conversation and the workspace, with
 * ids. It implements the engine's port and the AI SDK's interface, so everything can be tried without a key. It refuses
 * summaries and schemas, which the offline summarizer does better, calls no tools and reports no tokens.
 */
import { setTimeout } from "node:timers/promises";
import type { Message } from "../core/message/message.ts";
import { takeHead } from "../core/message/whole-text.ts";
import { answerOfflineInSteps, type OfflineAnswer } from "../core/recall/answer-offline.ts";
import type { RecallFile } from "../core/recall/read-passages.ts";
import { type FollowedMessages, RecallMemory } from "../core/recall/recall-memory.ts";
import { countTokens } from "../core/tokens/count-tokens.ts";
import type { Model, ModelOutcome, ModelRequest } from "../ports/model.ts";
import { runInSteps } from "../ports/run-in-steps.ts";
import { readOfflinePrompt, type SdkCall, type SdkEnd, type SdkModel, streamAnswer } from "./offline-model-format.ts";

export const OFFLINE_MODEL_ID = "offline";

/** Provides what the prompt does not contain. One source serves one conversation. */
export interface OfflineSource {
  /**
   * Returns the whole conversation, oldest first, ending with the question, so that summarized messages can be quoted.
   * Called for every answer; known messages cost a comparison, or nothing if their list has only grown, and removed
   * ones are never quoted again.
   */
  messages(signal?: AbortSignal | undefined): Promise<FollowedMessages>;
  summary?(): Promise<{ readonly id: string; readonly text: string } | undefined>;
  /** Returns files that may be quoted by path. */
  files?(): Promise<readonly RecallFile[]>;
}

export interface OfflineModelOptions {
  /** Without it the model only knows its prompt and names messages by place. */
  readonly source?: OfflineSource | undefined;
  /** Pause between two chunks of a streamed answer; default none. */
  readonly pauseMs?: number | undefined;
}

export type OfflineModel = Model & SdkModel;

export function createOfflineModel({ source, pauseMs = 0 }: OfflineModelOptions = {}): OfflineModel {
  const memory = new RecallMemory();
  const answer = (request: OfflineRequest) => answerFrom({ ...request, source, memory });
  const answerCall = async (call: SdkCall): Promise<CallAnswer> => {
    const { maxOutputTokens, responseFormat, abortSignal: signal } = call;
    signal?.throwIfAborted();
    const prompt = readOfflinePrompt(call.prompt);
    if (responseFormat?.type === "json" || isWritingRequest(prompt)) return toCallAnswer(REFUSED);
    return toCallAnswer(await answer({ prompt, maxOutputTokens, signal }));
  };
  return {
    id: OFFLINE_MODEL_ID,
    specificationVersion: "v4",
    provider: PROVIDER,
    modelId: OFFLINE_MODEL_ID,
    supportedUrls: {},
    generate: (request, signal) => generate(request, signal, answer),
    async doGenerate(call) {
      const { text, end } = await answerCall(call);
      return { content: [{ type: "text", text }], ...end, warnings: [] };
    },
    async doStream(call) {
      const { text, end } = await answerCall(call);
      const { abortSignal: signal } = call;
      const pause = pauseMs > 0 ? () => setTimeout(pauseMs, undefined, { signal }) : undefined;
      return { stream: streamAnswer(text, { modelId: OFFLINE_MODEL_ID, end, pause, signal }) };
    },
  };
}

const PROVIDER = "palimpsest";

interface FinalAnswer extends OfflineAnswer {
  readonly finish: "stop" | "length" | "content-filter";
}

interface CallAnswer {
  readonly text: string;
  readonly end: SdkEnd;
}

/** The cited ids are also in the metadata, so that a page need not parse them. */
function toCallAnswer({ text, cited, finish }: FinalAnswer): CallAnswer {
  const providerMetadata = { [PROVIDER]: { cited: [...cited] } };
  return { text, end: { finishReason: { unified: finish, raw: undefined }, usage: NO_USAGE, providerMetadata } };
}

const NO_USAGE = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

const REFUSAL_TEXT =
  "No language model is connected: the offline model only quotes. It follows no schema and writes no summaries; leave those to the offline summarizer.";

const REFUSED: FinalAnswer = { text: REFUSAL_TEXT, cited: [], finish: "content-filter" };

const ABORTED: ModelOutcome = { type: "failed", reason: "The call was aborted.", retryable: false };

async function generate(
  { instructions, messages, schema, maxOutputTokens }: ModelRequest,
  signal: AbortSignal,
  answer: (request: OfflineRequest) => Promise<FinalAnswer>,
): Promise<ModelOutcome> {
  if (signal.aborted) return ABORTED;
  if (schema !== undefined || WRITING_REQUEST.test(instructions) || isWritingRequest(messages)) {
    return { type: "refused", reason: REFUSAL_TEXT };
  }
  try {
    const { text, finish } = await answer({ prompt: messages, maxOutputTokens, signal });
    return { type: "text", text, stopReason: finish === "length" ? "output-limit" : "end", usage: undefined };
  } catch (error) {
    if (signal.aborted) return ABORTED;
    const reason = error instanceof Error ? error.message : String(error);
    return { type: "failed", reason, retryable: false };
  }
}

/** Matches the engine's own requests for a summary. */
const WRITING_REQUEST = /answer with the summary alone|answer with one (?:strict )?JSON/i;

function isWritingRequest(messages: readonly Message[]): boolean {
  const asking = [messages[0], messages.at(-1)].filter((message) => message !== undefined);
  return asking.some((message) => WRITING_REQUEST.test(joinTexts(message)));
}

interface OfflineRequest {
  readonly prompt: readonly Message[];
  readonly maxOutputTokens: number | undefined;
  readonly signal: AbortSignal | undefined;
}

interface AnswerContext extends OfflineRequest {
  readonly source: OfflineSource | undefined;
  readonly memory: RecallMemory;
}

/** Three quotes with their context; a longer answer would be a list. */
const ANSWER_TOKENS = 500;

async function answerFrom({ prompt, maxOutputTokens, signal, source, memory }: AnswerContext): Promise<FinalAnswer> {
  const [said, summary, files] = await Promise.all([
    source?.messages(signal) ?? { messages: prompt },
    source?.summary?.(),
    source?.files?.() ?? [],
  ]);
  const { messages } = said;
  const question = messages.findLast(({ role }) => role === "user") ?? prompt.findLast(({ role }) => role === "user");
  const index = await runInSteps(memory.followInSteps(said, files), signal);
  const material = {
    question: question === undefined ? "" : joinTexts(question),
    questionId: question?.id,
    index,
    messages,
    summary,
    budgetTokens: Math.min(ANSWER_TOKENS, maxOutputTokens ?? ANSWER_TOKENS),
  };
  return cutToLimit(await runInSteps(answerOfflineInSteps(material), signal), maxOutputTokens);
}

/** Cuts the answer if even the notice and one quote exceed the limit. */
function cutToLimit({ text, cited }: OfflineAnswer, maxOutputTokens = Number.POSITIVE_INFINITY): FinalAnswer {
  const tokens = countTokens(text);
  if (tokens <= maxOutputTokens) return { text, cited, finish: "stop" };
  const head = takeHead(text, Math.max(1, Math.floor((text.length * maxOutputTokens) / tokens)));
  return { text: head, cited: cited.filter((id) => head.includes(`[${id}]`)), finish: "length" };
}

function joinTexts({ parts }: Message): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}
