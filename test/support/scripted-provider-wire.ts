/** The four wire formats of a scripted provider, and how each refuses a prompt. */
import type { JsonObject } from "../../src/core/message/json.ts";
import { anthropic } from "../../src/testing/anthropic-wire.ts";
import {
  type ErrorKind,
  SCRIPTED_MODEL,
  type Wire,
  type WireAnswer,
  type WireFormat,
} from "../../src/testing/wire-server.ts";
import { openAiChat, openAiResponses } from "./scripted-provider-openai.ts";

const gemini: WireFormat = {
  whole: (answer) => geminiBody(answer, geminiParts(answer)),
  *events(answer) {
    if (answer.toolCall === undefined) {
      for (const text of answer.pieces) yield [undefined, { candidates: [geminiCandidate([{ text }])] }];
    }
    yield [undefined, geminiBody(answer, answer.toolCall === undefined ? [{ text: "" }] : geminiParts(answer))];
  },
  error: ({ status, code, message }) => ({ error: { code: status, message, status: code } }),
  codes: {
    overflow: "INVALID_ARGUMENT",
    "rate-limit": "RESOURCE_EXHAUSTED",
    server: "INTERNAL",
    auth: "UNAUTHENTICATED",
    invalid: "INVALID_ARGUMENT",
  },
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

export const WIRES: Readonly<Record<Wire, WireFormat>> = {
  "openai-chat": openAiChat,
  "openai-responses": openAiResponses,
  anthropic,
  gemini,
};

/** The refusal of each format for a prompt of 204,308 tokens in a window of 128,000. */
export const SCRIPTED_OVERFLOW = { tokens: 204_308, limitTokens: 128_000 } as const;

function errorMessage(wire: Wire, kind: ErrorKind): string {
  const { tokens, limitTokens } = SCRIPTED_OVERFLOW;
  if (kind === "rate-limit") return "Rate limit reached for requests.";
  if (kind === "server") return "The server had an error while processing your request.";
  if (kind === "auth") return "Incorrect API key provided.";
  if (kind === "invalid") return "The request is invalid.";
  if (wire === "anthropic") return `prompt is too long: ${tokens} tokens > ${limitTokens} maximum`;
  if (wire === "gemini") {
    return `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${limitTokens}).`;
  }
  return `This model's maximum context length is ${limitTokens} tokens. However, your messages resulted in ${tokens} tokens.`;
}

export interface WireError {
  readonly status: number;
  readonly kind: ErrorKind;
}

export function wireError(wire: Wire, { status, kind }: WireError): JsonObject {
  const { codes, error } = WIRES[wire];
  return error({ status, code: codes[kind], message: errorMessage(wire, kind) });
}
