/**
 * What a strategy is given and what it makes of it: a request as a value, which says everything that a summarizer
 * needs to be asked, and nothing about who is asked or how. The rest of this folder fills it in.
 */
import type { JsonObject } from "../../message/json.ts";
import type { Message, MessageId } from "../../message/message.ts";
import type { Counter } from "../../tokens/counter.ts";
import type { ResultCut } from "./build-transcript.ts";

export interface StrategyInput {
  readonly stretch: readonly Message[];
  /** The summary of what came before the stretch. It is always part of the request, whole. */
  readonly previousText?: string | undefined;
  /** What the user wants besides. Added to our own instructions, never in place of them. */
  readonly instructions?: string | undefined;
  /** What the summary may take. */
  readonly budgetTokens: number;
  /** What the summarizer's own prompt may take. Tool output is cut in proportion to it. */
  readonly promptTokens: number;
  readonly meta: StretchMeta;
  /** New for every request: letters and digits that nobody in the conversation can know. */
  readonly nonce: string;
  readonly counter: Counter;
  /**
   * What the transcript may take, in place of the strategy's own cap; the oldest messages go where it takes more.
   * `all`: none go, because the caller sees to the size.
   */
  readonly transcriptTokens?: number | "all" | undefined;
  /** What is written of one message. A longer one keeps its beginning and its end. */
  readonly messageCharacters?: number | undefined;
  /** Messages of the stretch that no filter and no cap may leave out. */
  readonly essentialIds?: ReadonlySet<MessageId> | undefined;
}

export interface StretchMeta {
  readonly totalMessages: number;
  readonly totalTokens: number;
  /** 0 for the first summary of a chain. */
  readonly depth: number;
}

export interface RequestMessage {
  readonly role: "user" | "assistant";
  readonly text: string;
}

export type RequestInput =
  /** One user message with the whole stretch in it. */
  | { readonly type: "transcript"; readonly text: string }
  /** The stretch as messages, between an opening and a closing one of ours. */
  | { readonly type: "messages"; readonly messages: readonly RequestMessage[] }
  /** One user message to put after the conversation's own prompt, which the provider may still have in its cache. */
  | { readonly type: "after-prompt"; readonly text: string };

export interface SummarizerRequest {
  readonly strategy: StrategyName;
  /** The system text. Absent where the conversation's own stays in place. */
  readonly instructions?: string | undefined;
  readonly input: RequestInput;
  readonly maxOutputTokens: number;
  /** The answer is JSON of this shape. */
  readonly schema?: JsonObject | undefined;
  readonly temperature: 0;
  /** No tool may be called. */
  readonly tools: "none";
  /** Also to be said to the provider in so many words, because tools may be in the prompt. */
  readonly toolChoice?: "none" | undefined;
  readonly report: RequestReport;
}

/** What the summarizer did not see, or saw only in part: for the record, telemetry and those who fill the gaps. */
export interface RequestReport {
  readonly noiseIds: readonly MessageId[];
  readonly trimmedIds: readonly MessageId[];
  readonly cuts: readonly ResultCut[];
}

export type StrategyName =
  | "brief"
  | "keypoints"
  | "handoff-full"
  | "handoff-simple"
  | "handoff-after-prompt"
  | "topic"
  | "structured";

export type Strategy = (input: StrategyInput) => SummarizerRequest;

export const EMPTY_REPORT: RequestReport = { noiseIds: [], trimmedIds: [], cuts: [] };
