/** Reads one answer from the AI SDK's stream. A blank answer or a tool call fails; a far too long answer is stopped. */
import type { FinishReason, LanguageModelUsage, TextStreamPart, ToolSet } from "ai";
import type { Usage } from "../core/log/entry.ts";
import { FALLBACK_CHARACTERS_PER_TOKEN } from "../core/tokens/count-text.ts";
import type { ModelOutcome, ModelRequest } from "../ports/model.ts";

/** Counts everything received: text, reasoning, tool inputs. */
const MAX_ANSWER_BYTES = 2_000_000;
const RUNAWAY_FACTOR = 2;
/** The estimate is too rough for smaller limits. */
const MIN_RUNAWAY_TOKENS = 100;

interface Answer {
  text: string;
  bytes: number;
  tool: string | undefined;
  finishReason: FinishReason | undefined;
  usage: Usage | undefined;
}

/** Throws an error that the stream reports. */
export async function readAnswer(
  stream: AsyncIterable<TextStreamPart<ToolSet>>,
  maxOutputTokens: number,
  onPiece?: ModelRequest["onPiece"],
): Promise<ModelOutcome> {
  const answer: Answer = { text: "", bytes: 0, tool: undefined, finishReason: undefined, usage: undefined };
  const maxTokens = Math.max(MIN_RUNAWAY_TOKENS, RUNAWAY_FACTOR * maxOutputTokens);
  for await (const part of stream) {
    if (part.type === "error") throw part.error;
    addStreamPart(answer, part);
    if (isPiece(part)) onPiece?.();
    if (answer.bytes > MAX_ANSWER_BYTES) return createRunawayFailure(`${MAX_ANSWER_BYTES} bytes`);
    if (answer.text.length > maxTokens * FALLBACK_CHARACTERS_PER_TOKEN)
      return createRunawayFailure(`${maxTokens} tokens`);
  }
  return judgeAnswer(answer);
}

/** The SDK's own parts before the provider's answer do not count as progress. */
function isPiece({ type }: TextStreamPart<ToolSet>): boolean {
  return type !== "start" && type !== "start-step";
}

function addStreamPart(answer: Answer, part: TextStreamPart<ToolSet>): void {
  switch (part.type) {
    case "text-start":
      // Text blocks become paragraphs.
      if (answer.text !== "") answer.text += "\n";
      return;
    case "text-delta":
      answer.text += part.text;
      answer.bytes += Buffer.byteLength(part.text);
      return;
    case "reasoning-delta":
      answer.bytes += Buffer.byteLength(part.text);
      return;
    case "tool-input-delta":
      answer.bytes += Buffer.byteLength(part.delta);
      return;
    case "tool-call":
      answer.tool = part.toolName;
      return;
    case "finish-step":
      answer.finishReason = part.finishReason;
      answer.usage = readUsage(part.usage);
      return;
    default:
      // Other parts contain no text of the answer.
      return;
  }
}

function createRunawayFailure(limit: string): ModelOutcome {
  return { type: "failed", reason: `The answer was cut off: it exceeded ${limit}.`, retryable: false };
}

function judgeAnswer({ text, tool, finishReason, usage }: Answer): ModelOutcome {
  if (finishReason === "content-filter") {
    return { type: "refused", reason: excerptOf(text) || "The provider's filter stopped the answer.", usage };
  }
  if (finishReason === undefined || finishReason === "interrupted" || finishReason === "error") {
    return { type: "failed", reason: "The answer ended before it was complete.", retryable: true, usage };
  }
  if (tool !== undefined) {
    return { type: "failed", reason: `The model called "${tool}" instead of answering.`, retryable: false, usage };
  }
  if (text.trim() === "") return { type: "failed", reason: "The answer was blank.", retryable: false, usage };
  return { type: "text", text, stopReason: readStopReason(finishReason), usage };
}

function readStopReason(finishReason: FinishReason): "end" | "output-limit" | "unknown" {
  if (finishReason === "length") return "output-limit";
  return finishReason === "stop" ? "end" : "unknown";
}

const MAX_REASON_LENGTH = 200;

function excerptOf(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, MAX_REASON_LENGTH);
}

function readUsage({ inputTokens, inputTokenDetails, outputTokens }: LanguageModelUsage): Usage | undefined {
  const figures = {
    inputTokens,
    outputTokens,
    cacheReadTokens: inputTokenDetails.cacheReadTokens,
    cacheWriteTokens: inputTokenDetails.cacheWriteTokens,
  };
  const known = Object.entries(figures).filter(([, tokens]) => Number.isSafeInteger(tokens));
  return known.length === 0 ? undefined : Object.fromEntries(known);
}
