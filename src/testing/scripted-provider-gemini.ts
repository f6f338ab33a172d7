/** Gemini's generateContent, whole and as events, with what clients read of it and nothing else. */
import type { JsonObject } from "../core/message/json.ts";
import { SCRIPTED_MODEL, type WireAnswer, type WireFormat } from "./scripted-provider-answer.ts";

export const gemini: WireFormat = {
  whole: (answer) => geminiBody(answer, geminiParts(answer)),
  *events(answer) {
    if (answer.toolCall === undefined) {
      for (const text of answer.pieces) yield [undefined, { candidates: [geminiCandidate([{ text }])] }];
    }
    yield [undefined, geminiBody(answer, answer.toolCall === undefined ? [{ text: "" }] : geminiParts(answer))];
  },
  error: ({ status, code, message }) => ({ error: { code: status, message, status: code } }),
};

function geminiParts({ pieces, toolCall }: WireAnswer): readonly JsonObject[] {
  if (toolCall === undefined) return [{ text: [...pieces].join("") }];
  return [{ functionCall: { name: toolCall.tool, args: toolCall.input } }];
}

function geminiCandidate(parts: readonly JsonObject[]): JsonObject {
  return { content: { parts, role: "model" }, index: 0 };
}

function geminiBody({ stop, usage }: WireAnswer, parts: readonly JsonObject[]): JsonObject {
  const finishReason = { end: "STOP", "output-limit": "MAX_TOKENS", "tool-call": "STOP", refusal: "SAFETY" }[stop];
  return {
    candidates: [{ ...geminiCandidate(parts), finishReason }],
    usageMetadata: {
      promptTokenCount: usage.inputTokens,
      candidatesTokenCount: usage.outputTokens,
      totalTokenCount: usage.inputTokens + usage.outputTokens,
      cachedContentTokenCount: usage.cacheReadTokens,
    },
    modelVersion: SCRIPTED_MODEL,
  };
}
