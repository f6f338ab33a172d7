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
  "prompt-not-found": "Use the id of a prompt that this session handed out; a preview leaves none.",
  "session-not-found": "Check the session id against the list of sessions.",
  "session-exists": "Open the session, or choose another id.",
  "not-too-long": "The error is not about prompt size; handle it as any provider error.",
  "does-not-fit": "Make the parts that the floor names smaller, or use a model with a larger window.",
  "config-invalid": "Correct the key that the text names; the allowed range stands beside it.",
  "store-unavailable": "The store did not answer; try again when it is reachable.",
  "store-conflict": "Somebody else changed the session at the same time; read it again, then decide.",
  "summarizer-failed": "Nobody could write the summary that the policy insists on; nothing was changed.",
  "file-refused": "Name a text file by its path below the workspace's root.",
  "counter-unavailable": "Install or name a counter that exists; `estimate` always does.",
  aborted: "The caller's signal was aborted. What was appended before stays; call again to retry.",
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

/**
 * The error for an option or a field that does not exist. `place` is what takes the options, as the caller writes it;
 * the text names the nearest option, or all of them where none is near.
 */
export function unknownOption(
  place: string,
  key: string,
  options: readonly string[],
  noun: "option" | "field" = "option",
): PalimpsestError {
  const nearest = findNearest(key, options);
  const advice = nearest === undefined ? `The ${noun}s are ${options.join(", ")}.` : `Did you mean "${nearest}"?`;
  const details = { key: `${place}: ${key}`, allowed: `one of ${options.join(", ")}`, nearest };
  return new PalimpsestError("config-invalid", `${place}: Unknown ${noun} "${key}". ${advice}`, { details });
}

/** Names are near when at most a third of the letters differ, apart from case and underscores. */
export function findNearest(name: string, names: readonly string[]): string | undefined {
  const asked = name.slice(0, LONGEST_NAME);
  const most = Math.max(1, Math.floor(asked.length / 3));
  const near = names.filter((each) => editDistance(plainName(asked), plainName(each)) <= most);
  return near.sort((a, b) => editDistance(asked, a) - editDistance(asked, b))[0];
}

const LONGEST_NAME = 100;

function plainName(name: string): string {
  return name.toLowerCase().replaceAll("_", "");
}

/** Letters to add, remove, replace or swap with their neighbour to make one text of the other. */
function editDistance(from: string, to: string): number {
  let before: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const swap = isSwapped ? (before[column - 2] ?? Number.POSITIVE_INFINITY) + 1 : Number.POSITIVE_INFINITY;
      const replace = (last[column - 1] ?? 0) + (isSame ? 0 : 1);
      next.push(Math.min((last[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1, replace, swap));
    }
    [before, last] = [last, next];
  }
  return last[to.length] ?? from.length;
}

/** States what must hold. A failure is a mistake in this program, so nobody catches it. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new TypeError(`Invariant broken: ${message}`);
}
