/** Maps the code of an error to the status of the answer. The compiler checks that no code is missing. */
import type { ErrorCode } from "../core/errors.ts";

/** Codes of requests that are refused before the engine sees them. */
export const PROTOCOL_CODES = {
  "not-found": 404,
  "method-not-allowed": 405,
  "not-acceptable": 406,
  "request-invalid": 400,
  "media-type-unsupported": 415,
  "request-too-large": 413,
  "request-too-slow": 408,
  "target-too-long": 414,
  "expectation-unknown": 417,
  "upgrade-refused": 426,
  "header-too-large": 431,
  "token-missing": 401,
  "token-refused": 401,
  "host-refused": 403,
  "origin-refused": 403,
  "tenant-refused": 403,
  "role-refused": 403,
  "session-refused": 403,
  "too-many-requests": 429,
  "stream-active": 409,
  "settings-fixed": 409,
  "server-busy": 503,
  "upstream-unreachable": 502,
  "upstream-key-missing": 503,
  stopping: 503,
  unexpected: 500,
} as const;

export type ProtocolCode = keyof typeof PROTOCOL_CODES;

const ENGINE_CODES: Readonly<Record<ErrorCode, number>> = {
  "message-invalid": 400,
  "config-invalid": 400,
  "file-refused": 400,
  "session-not-found": 404,
  "message-not-found": 404,
  "prompt-not-found": 404,
  "session-exists": 409,
  "message-conflict": 409,
  "store-conflict": 409,
  "not-too-long": 400,
  "does-not-fit": 422,
  "limit-exceeded": 422,
  "catching-up": 503,
  "summarizer-failed": 502,
  "counter-unavailable": 500,
  "store-unavailable": 503,
  // The client has disconnected; proxies log this status for it.
  aborted: 499,
  closed: 503,
};

export function statusOf(code: ErrorCode | ProtocolCode): number {
  return code in ENGINE_CODES ? ENGINE_CODES[code as ErrorCode] : PROTOCOL_CODES[code as ProtocolCode];
}
