/** The four wires that a scripted provider speaks: which one a request is on, and what each says when it refuses. */
import type { JsonObject } from "../core/message/json.ts";
import { anthropic } from "./scripted-provider-anthropic.ts";
import { openAiChat, openAiResponses } from "./scripted-provider-openai.ts";
import { SCRIPTED_MODEL, type WireAnswer, type WireFormat } from "./scripted-provider-reply.ts";

const gemini: WireFormat = {
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

export type Wire = "openai-chat" | "openai-responses" | "anthropic" | "gemini";

export const WIRES: Readonly<Record<Wire, WireFormat>> = {
  "openai-chat": openAiChat,
  "openai-responses": openAiResponses,
  anthropic,
  gemini,
};

export interface WireTarget {
  readonly wire: Wire;
  readonly streaming: boolean;
}

/** Which wire a request speaks, by its path, and whether it asks for a stream. */
export function findWire(path: string, body: JsonObject): WireTarget | undefined {
  const streaming = body.stream === true;
  const bare = path.split("?", 1)[0] ?? "";
  if (bare.endsWith("/chat/completions")) return { wire: "openai-chat", streaming };
  if (bare.endsWith("/responses")) return { wire: "openai-responses", streaming };
  if (bare.endsWith("/messages")) return { wire: "anthropic", streaming };
  if (bare.endsWith(":generateContent")) return { wire: "gemini", streaming: false };
  return bare.endsWith(":streamGenerateContent") ? { wire: "gemini", streaming: true } : undefined;
}

/** `invalid`: a request that no retry makes right. */
type ErrorKind = "overflow" | "rate-limit" | "server" | "auth" | "invalid";

const ERROR_CODES: Readonly<Record<Wire, Readonly<Record<ErrorKind, string>>>> = {
  "openai-chat": openAiCodes(),
  "openai-responses": openAiCodes(),
  anthropic: {
    overflow: "invalid_request_error",
    "rate-limit": "rate_limit_error",
    server: "api_error",
    auth: "authentication_error",
    invalid: "invalid_request_error",
  },
  gemini: {
    overflow: "INVALID_ARGUMENT",
    "rate-limit": "RESOURCE_EXHAUSTED",
    server: "INTERNAL",
    auth: "UNAUTHENTICATED",
    invalid: "INVALID_ARGUMENT",
  },
};

function openAiCodes(): Readonly<Record<ErrorKind, string>> {
  return {
    overflow: "context_length_exceeded",
    "rate-limit": "rate_limit_exceeded",
    server: "server_error",
    auth: "invalid_api_key",
    invalid: "invalid_request_error",
  };
}

/** What each wire says of a prompt of 204,308 tokens for a window of 128,000. */
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
  /** What is usual for the kind without it. */
  readonly message?: string | undefined;
}

export function wireError(wire: Wire, { status, kind, message = errorMessage(wire, kind) }: WireError): JsonObject {
  return WIRES[wire].error({ status, code: ERROR_CODES[wire][kind], message });
}
