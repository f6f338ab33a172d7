/** The error of a failed request; its code says what to do next. */
import { isObject } from "../core/check-value.ts";
import type { ErrorCode } from "../core/errors.ts";
import type { ProtocolCode } from "../protocol/error-status.ts";

/** `unreachable`: no answer. `connection-lost`: the answer broke off. `answer-unreadable`: not an answer of this protocol. */
export type ClientCode = ErrorCode | ProtocolCode | "unreachable" | "connection-lost" | "answer-unreadable";

export interface ClientErrorContext {
  readonly status?: number | undefined;
  readonly retryable?: boolean | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly advice?: string | undefined;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  /** Id of the request in the server's log. */
  readonly requestId?: string | undefined;
  readonly cause?: unknown;
}

/**
 * The error of a failed request: the code of the server, its status, and what to do.
 *
 * @example
 * ```ts
 * if (error instanceof ClientError && error.retryable) console.log(`try again after ${error.retryAfterMs} ms`);
 * ```
 */
export class ClientError extends Error {
  override readonly name = "ClientError";
  readonly code: ClientCode;
  readonly status: number | undefined;
  /** The same request may succeed later. */
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly advice: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;
  readonly requestId: string | undefined;

  constructor(code: ClientCode, message: string, context: ClientErrorContext = {}) {
    super(message, context.cause === undefined ? undefined : { cause: context.cause });
    this.code = code;
    this.status = context.status;
    this.retryable = context.retryable ?? false;
    this.retryAfterMs = context.retryAfterMs;
    this.advice = context.advice;
    this.details = context.details ?? {};
    this.requestId = context.requestId;
  }
}

/** Statuses with which a proxy answers while the server is not available. */
const AWAY: readonly number[] = [429, 502, 503, 504];

/** Reads the error of an answer. Anything else, such as a proxy's page, becomes `answer-unreadable`. */
export async function readErrorResponse(response: Response): Promise<ClientError> {
  const { status } = response;
  const shared = {
    status,
    retryAfterMs: readRetryAfter(response.headers.get("retry-after")),
    requestId: response.headers.get("x-request-id") ?? undefined,
  };
  const error = await readErrorBody(response);
  if (error === undefined) {
    const text = `The server answered with status ${status} and no readable error.`;
    return new ClientError("answer-unreadable", text, { ...shared, retryable: AWAY.includes(status) });
  }
  const { code, message, ...context } = error;
  return new ClientError(code, message, { ...shared, ...context });
}

async function readErrorBody(response: Response) {
  const body: unknown = await response.json().catch(() => undefined);
  const error = isObject(body) ? body.error : undefined;
  if (!isObject(error) || typeof error.code !== "string" || typeof error.message !== "string") return undefined;
  return {
    // A newer server may have more codes.
    code: error.code as ClientCode,
    message: error.message,
    retryable: error.retryable === true,
    advice: typeof error.advice === "string" ? error.advice : undefined,
    details: isObject(error.details) ? error.details : undefined,
  };
}

/** The header contains seconds or a date. */
function readRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = Number(header);
  const waitMs = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(header) - Date.now();
  return Number.isFinite(waitMs) ? Math.max(0, waitMs) : undefined;
}
