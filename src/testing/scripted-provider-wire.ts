/** The four wires that a scripted provider speaks: which one a request is on, and what each says when it refuses. */
import type { JsonObject } from "../core/message/json.ts";
import type { WireFormat } from "./scripted-provider-answer.ts";
import { anthropic } from "./scripted-provider-anthropic.ts";
import { gemini } from "./scripted-provider-gemini.ts";
import { openAiChat, openAiResponses } from "./scripted-provider-openai.ts";

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

type ErrorKind = "overflow" | "rate-limit" | "server" | "auth";

const ERROR_CODES: Readonly<Record<Wire, Readonly<Record<ErrorKind, string>>>> = {
  "openai-chat": openAiCodes(),
  "openai-responses": openAiCodes(),
  anthropic: {
    overflow: "invalid_request_error",
    "rate-limit": "rate_limit_error",
    server: "api_error",
    auth: "authentication_error",
  },
  gemini: {
    overflow: "INVALID_ARGUMENT",
    "rate-limit": "RESOURCE_EXHAUSTED",
    server: "INTERNAL",
    auth: "UNAUTHENTICATED",
  },
};

function openAiCodes(): Readonly<Record<ErrorKind, string>> {
  return {
    overflow: "context_length_exceeded",
    "rate-limit": "rate_limit_exceeded",
    server: "server_error",
    auth: "invalid_api_key",
  };
}

/** What each wire says of a prompt of 204,308 tokens for a window of 128,000. */
export const SCRIPTED_OVERFLOW = { tokens: 204_308, limitTokens: 128_000 } as const;

function errorMessage(wire: Wire, kind: ErrorKind): string {
  const { tokens, limitTokens } = SCRIPTED_OVERFLOW;
  if (kind === "rate-limit") return "Rate limit reached for requests.";
  if (kind === "server") return "The server had an error while processing your request.";
  if (kind === "auth") return "Incorrect API key provided.";
  if (wire === "anthropic") return `prompt is too long: ${tokens} tokens > ${limitTokens} maximum`;
  if (wire === "gemini") {
    return `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${limitTokens}).`;
  }
  return `This model's maximum context length is ${limitTokens} tokens. However, your messages resulted in ${tokens} tokens.`;
}

export function wireError(
  wire: Wire,
  { status, kind }: { readonly status: number; readonly kind: ErrorKind },
): JsonObject {
  return WIRES[wire].error({ status, code: ERROR_CODES[wire][kind], message: errorMessage(wire, kind) });
}
