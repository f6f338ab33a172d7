/**
 * The model that is there when no other is: it says that it is none and answers by quoting the conversation and the
 * workspace, with the ids of what it quotes. It is a model of the engine's port and one of the AI SDK, so everything can
 * be tried without a key. It writes no summaries and follows no schema: it refuses those, and the offline summarizer,
 * which is better at it, takes over. It calls no tools and claims no tokens.
 */
import { setTimeout } from "node:timers/promises";
import type { Message } from "../core/message/message.ts";
import { wholeHead } from "../core/message/whole-text.ts";
import { answerOfflineInSteps, type OfflineAnswer } from "../core/recall/answer-offline.ts";
import type { RecallFile } from "../core/recall/passage.ts";
import { type FollowedMessages, RecallMemory } from "../core/recall/recall-memory.ts";
import { countTokens } from "../core/tokens/count-tokens.ts";
import type { Model, ModelOutcome, ModelRequest } from "../ports/model.ts";
import { breathe } from "./breathe.ts";
import { readOfflinePrompt, type SdkCall, type SdkModel } from "./offline-model-prompt.ts";
import { type SdkEnd, streamAnswer } from "./offline-model-stream.ts";

export const OFFLINE_MODEL_ID = "offline";

/** Where the model finds more than its prompt holds. One source is one conversation. */
export interface OfflineSource {
  /**
   * The whole conversation, oldest first, the question last: what a summary stands for can still be quoted. Asked at
   * every answer; messages that were there before cost a comparison, or nothing where their list has only grown, and
   * what is gone is never quoted again.
   */
  messages(signal?: AbortSignal | undefined): Promise<FollowedMessages>;
  /** The live summary. */
  summary?(): Promise<{ readonly id: string; readonly text: string } | undefined>;
  /** Files that may be quoted by their paths. */
  files?(): Promise<readonly RecallFile[]>;
}

export interface OfflineModelOptions {
  /** Without one the model knows what its prompt says, and calls messages by their places. */
  readonly source?: OfflineSource | undefined;
  /** Between two pieces of a streamed answer; none without it. */
  readonly pauseMs?: number | undefined;
}

export type OfflineModel = Model & SdkModel;

export function createOfflineModel({ source, pauseMs = 0 }: OfflineModelOptions = {}): OfflineModel {
  const memory = new RecallMemory();
  const answer = (asked: Asked) => answerFrom({ ...asked, source, memory });
  const answerCall = async (call: SdkCall): Promise<CallAnswer> => {
    const { maxOutputTokens, responseFormat, abortSignal: signal } = call;
    signal?.throwIfAborted();
    const prompt = readOfflinePrompt(call.prompt);
    if (responseFormat?.type === "json" || wantsWriter(prompt)) return asCallAnswer(REFUSED);
    return asCallAnswer(await answer({ prompt, maxOutputTokens, signal }));
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

/** What was cited stands beside the text too, so that a page need not look for it there. */
function asCallAnswer({ text, cited, finish }: FinalAnswer): CallAnswer {
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
  answer: (asked: Asked) => Promise<FinalAnswer>,
): Promise<ModelOutcome> {
  if (signal.aborted) return ABORTED;
  if (schema !== undefined || WRITING.test(instructions) || wantsWriter(messages)) {
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

/** What the engine's own requests for a summary say. */
const WRITING = /answer with the summary alone|answer with one (?:strict )?JSON/i;

function wantsWriter(messages: readonly Message[]): boolean {
  const asking = [messages[0], messages.at(-1)].filter((message) => message !== undefined);
  return asking.some((message) => WRITING.test(textOf(message)));
}

interface Asked {
  readonly prompt: readonly Message[];
  readonly maxOutputTokens: number | undefined;
  readonly signal: AbortSignal | undefined;
}

interface Answering extends Asked {
  readonly source: OfflineSource | undefined;
  readonly memory: RecallMemory;
}

/** Three quotes and what stands around them; a longer answer would be a list. */
const ANSWER_TOKENS = 500;

async function answerFrom({ prompt, maxOutputTokens, signal, source, memory }: Answering): Promise<FinalAnswer> {
  const [said, summary, files] = await Promise.all([
    source?.messages(signal) ?? { messages: prompt },
    source?.summary?.(),
    source?.files?.() ?? [],
  ]);
  const { messages } = said;
  const question = messages.findLast(({ role }) => role === "user") ?? prompt.findLast(({ role }) => role === "user");
  const index = await breathe(memory.followInSteps(said, files), signal);
  const material = {
    question: question === undefined ? "" : textOf(question),
    questionId: question?.id,
    index,
    messages,
    summary,
    budgetTokens: Math.min(ANSWER_TOKENS, maxOutputTokens ?? ANSWER_TOKENS),
  };
  return cutAt(await breathe(answerOfflineInSteps(material), signal), maxOutputTokens);
}

/** Where even the notice and one quote are more than was asked for. */
function cutAt({ text, cited }: OfflineAnswer, maxOutputTokens = Number.POSITIVE_INFINITY): FinalAnswer {
  const tokens = countTokens(text);
  if (tokens <= maxOutputTokens) return { text, cited, finish: "stop" };
  const head = wholeHead(text, Math.max(1, Math.floor((text.length * maxOutputTokens) / tokens)));
  return { text: head, cited: cited.filter((id) => head.includes(`[${id}]`)), finish: "length" };
}

function textOf({ parts }: Message): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}
