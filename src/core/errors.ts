/**
 * Operational failures, sorted by what the caller does next. There is one class and a closed list of codes; adapters
 * translate what their vendor says into a code at their border and keep the vendor's error as `cause`.
 *
 * Expected outcomes (stale, not-newest, nothing to compact) are values and never come here; programmer mistakes are
 * `TypeError` or a failed `invariant`.
 */

/** Each code, and what somebody who sees it should do. Adding one needs a caller that branches on it. */
export const ERROR_CODES = {
  "message-invalid": "Mend the message at the path that the text names; nothing was stored.",
  "message-conflict": "Another message with this id and other content is stored; use a new id.",
  "message-not-found": "Check the message id against the session's entries.",
  "session-not-found": "Check the session id against the list of sessions.",
  "session-exists": "Open the session, or choose another id.",
  "does-not-fit": "Make the parts that the floor names smaller, or use a model with a larger window.",
  "config-invalid": "Correct the key that the text names; the allowed range stands beside it.",
  "store-unavailable": "The store did not answer; try again when it is reachable.",
  "store-conflict": "Somebody else changed the session at the same time; read it again, then decide.",
  "summarizer-failed": "Nobody could write the summary that the policy insists on; nothing was changed.",
  "file-refused": "Name a text file by its path below the workspace's root.",
  "counter-unavailable": "Install or name a counter that exists; `estimate` always does.",
  closed: "The handle was closed; open a new one.",
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

/** Codes whose cause may be gone by itself, so that the same call can succeed later, unless an error says otherwise. */
const RETRYABLE: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["store-unavailable", "store-conflict"]);

export interface ErrorContext {
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  readonly cause?: unknown;
  /** False where waiting cannot help although it helps with most errors of this code: a damaged file stays damaged. */
  readonly retryable?: false | undefined;
}

export class PalimpsestError extends Error {
  override readonly name = "PalimpsestError";
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, context: ErrorContext = {}) {
    super(message, context.cause === undefined ? undefined : { cause: context.cause });
    this.code = code;
    this.retryable = context.retryable ?? RETRYABLE.has(code);
    this.details = context.details ?? {};
  }
}

/** States what must hold. A failure is a mistake in this program, so nobody catches it. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new TypeError(`Invariant broken: ${message}`);
}
