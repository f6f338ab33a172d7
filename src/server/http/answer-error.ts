/** Writes an error as a response. For an unexpected error, the response has only an id, which the log has too. */
import { basename, isAbsolute } from "node:path";
import type { z } from "zod";
import { ERROR_CODES, FULL_ADVICE, PalimpsestError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/message/json.ts";
import { redactForDisplay } from "../../core/summary/secrets/redact-secrets.ts";
import { redactValue } from "../../core/summary/secrets/redact-value.ts";
import { PROTOCOL_CODES, type ProtocolCode, statusOf } from "../../protocol/error-status.ts";
import type { errorSchema } from "../../protocol/values.ts";

/** A request that the server refuses before the engine sees it. */
export class RefusedRequest extends Error {
  override readonly name = "RefusedRequest";
  readonly code: ProtocolCode;
  readonly context: RefusalContext;

  constructor(code: ProtocolCode, message: string, context: RefusalContext = {}) {
    super(message);
    this.code = code;
    this.context = context;
  }
}

interface RefusalContext {
  readonly advice?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

interface AnsweredError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly error: z.input<typeof errorSchema>["error"] };
  /** True if the log should have the whole error. */
  readonly isUnexpected: boolean;
}

const RETRYABLE: readonly ProtocolCode[] = [
  "too-many-requests",
  "request-too-slow",
  "server-busy",
  "upstream-unreachable",
  "stopping",
  "stream-active",
];
/** Reasons that mean that the store is full. Sessions can still be read, and deleting some frees space. */
const FULL: readonly unknown[] = ["disk-full", "database-full"];
export const INSUFFICIENT_STORAGE = 507;

export function answerError(error: unknown, requestId: string): AnsweredError {
  if (error instanceof RefusedRequest) {
    const { code, message, context } = error;
    const { headers = {}, ...shown } = context;
    const body = { error: { code, message, retryable: RETRYABLE.includes(code), ...shown } };
    return { status: PROTOCOL_CODES[code], headers, body, isUnexpected: false };
  }
  if (error instanceof PalimpsestError) {
    const { code, retryable } = error;
    const { text, details } = shortenPath(error);
    const message = redactForDisplay(text);
    const shown = Object.keys(details).length === 0 ? {} : { details: withoutSecrets(details) };
    const headers: Record<string, string> = retryable ? { "retry-after": "1" } : {};
    const isFull = FULL.includes(details.reason);
    const advice = isFull ? `${FULL_ADVICE}.` : ERROR_CODES[code];
    const body = { error: { code, message, advice, retryable, ...shown } };
    const status = isFull ? INSUFFICIENT_STORAGE : statusOf(code);
    return { status, headers, body, isUnexpected: false };
  }
  const message = `Something went wrong here. The server's log has the error under ${requestId}.`;
  return {
    status: PROTOCOL_CODES.unexpected,
    headers: {},
    body: { error: { code: "unexpected", message, retryable: false } },
    isUnexpected: true,
  };
}

/** Replaces an absolute path with its last segment, so that clients do not learn where the server stores its files. */
function shortenPath({ message, details }: PalimpsestError) {
  const { path } = details;
  if (typeof path !== "string" || !isAbsolute(path)) return { text: message, details };
  const name = basename(path);
  return { text: message.replaceAll(path, name), details: { ...details, path: name } };
}

function withoutSecrets(details: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const plain: JsonObject = JSON.parse(JSON.stringify(details));
  return redactValue(plain) as JsonObject;
}
