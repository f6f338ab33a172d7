/**
 * Operational failures: one class and a closed list of codes, sorted by what the caller does next. Adapters translate a
 * vendor's failure into a code and keep the vendor's error as `cause`. Expected outcomes (stale, nothing to compact)
 * are values, and programming mistakes are a `TypeError` or a failed `invariant`.
 */

/** Each code with advice for the caller. A new code needs a caller that branches on it. */
export const ERROR_CODES = {
  "message-invalid": "Correct the message at the path in the text; nothing was stored.",
  "message-conflict": "A message with this id and different content is already stored; use a new id.",
  "message-not-found": "Check the message id; the session's entries list all of them.",
  "prompt-not-found": "Use the id of a prompt that this session returned; a preview has none.",
  "session-not-found": "Check the session id; the list of sessions has all of them.",
  "session-exists": "Open the session, or choose another id.",
  "not-too-long": "The error is not about prompt size; handle it like any other provider error.",
  "does-not-fit": "Shorten the parts that the error lists, or use a model with a larger window.",
  "catching-up": "The session is long and is being folded for the first time; try again in a moment.",
  "limit-exceeded": "Stay below the limit in the text, or raise it with the option `limits`; nothing was stored.",
  "config-invalid": "Correct the key in the text; the text gives the allowed values.",
  "store-unavailable": "The message says what is wrong with the store; if `retryable` is true, try again later.",
  "store-conflict": "The session changed at the same time; read it again and retry.",
  "summarizer-failed": "Every attempt to write a summary failed; nothing was changed. Check the model, then retry.",
  "file-refused": "Give the path of a text file inside the workspace folder.",
  "counter-unavailable": "Install the counter or choose another; `estimate` is always available.",
  aborted: "The caller's signal was aborted. Entries appended before that are kept; call again to retry.",
  closed: "The handle was closed; open a new one.",
} as const;

/** The code of an error, to branch on: `error.code`. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** Advice for a store without space. */
export const FULL_ADVICE =
  "Free disk space. Reading and deleting still work in the meantime, and appends work again by themselves";

/** Codes with which the same call can succeed later, unless the error says otherwise. */
const RETRYABLE: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["store-unavailable", "store-conflict", "catching-up"]);

export interface ErrorContext {
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  readonly cause?: unknown;
  /** False where retrying cannot help although it helps with most errors of this code, as with a damaged file. */
  readonly retryable?: false | undefined;
}

/**
 * The error that Palimpsest throws: `code` is one of `ERROR_CODES`, `retryable` tells whether a retry may help.
 *
 * @example
 * ```ts
 * try {
 *   await session.prompt();
 * } catch (error) {
 *   if (error instanceof PalimpsestError && error.code === "does-not-fit") console.log(error.details);
 * }
 * ```
 */
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

export function sessionNotFound(id: string): PalimpsestError {
  return new PalimpsestError("session-not-found", `There is no session ${JSON.stringify(id)}.`);
}

/** Throws if the condition is false. That is a bug in Palimpsest, so callers should not catch it. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new TypeError(`Invariant broken: ${message}`);
}
