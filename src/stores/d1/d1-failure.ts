/** Translates D1 failures into `store-unavailable` errors that say what to do. D1 gives messages and no codes. */
import { PalimpsestError } from "../../core/errors.ts";
import { type FailureReason, findRetryable } from "../shared/failure-reasons.ts";

type D1Reason = Extract<
  FailureReason,
  | "connection-lost"
  | "restarting"
  | "busy"
  | "timeout"
  | "database-full"
  | "limit"
  | "read-only"
  | "corrupt"
  | "changed"
>;

const BY_MESSAGE: readonly (readonly [RegExp, D1Reason])[] = [
  [/network connection lost|fetch failed|socket|internal error in D1/i, "connection-lost"],
  [/caused object to be reset|because its code was updated|isolate exceeded|was reset/i, "restarting"],
  [/overloaded|too many requests queued|SQLITE_BUSY|SQLITE_LOCKED/i, "busy"],
  [/timed? ?out|exceeded timeout|exceeded its CPU/i, "timeout"],
  [/maximum DB size|SQLITE_FULL|storage limit|account limits/i, "database-full"],
  [/too many (?:API|subrequests)|subrequest|too many requests by single/i, "limit"],
  [/SQLITE_READONLY|read-only/i, "read-only"],
  [/SQLITE_CORRUPT|SQLITE_NOTADB|malformed/i, "corrupt"],
  // All statements are fixed and tested, so this means that the tables were changed.
  [/no such (?:table|column)|has no column|SQLITE_ERROR/i, "changed"],
];

const ADVICE: Readonly<Record<D1Reason, string>> = {
  "connection-lost": "the connection was lost. Try again: a message with the same id is stored once",
  restarting: "it was restarted. Try again in a moment",
  busy: "it is overloaded. Try again later, and spread the requests over time",
  timeout: "it took too long. Try again, and check what keeps it busy",
  "database-full": "it is full. Delete what is not needed, or bind another database; nothing was written",
  limit: "this invocation reached its query limit. Append fewer messages at once, or raise the plan's limit",
  "read-only": "it is read-only. Bind the primary, and check that the account may write",
  corrupt: "it is damaged. Stop writing, and restore it by Time Travel",
  changed: "its tables were changed outside of Palimpsest. Restore it by Time Travel",
};

/** Reasons after which the batch may or may not have been written. */
const UNKNOWN_OUTCOME: ReadonlySet<D1Reason> = new Set<D1Reason>(["connection-lost", "restarting", "timeout"]);

interface FailureContext {
  readonly name: string;
  /** True for a write. */
  readonly isWrite: boolean;
}

/** Returns errors that are not about the database unchanged. */
export function toStoreError(error: unknown, { name, isWrite }: FailureContext): unknown {
  if (!(error instanceof Error)) return error;
  if (error.message.includes("SQLITE_TOOBIG")) {
    const text = "A text is larger than D1 takes in one row, about two million bytes. Make the message smaller.";
    return new PalimpsestError("message-invalid", text, { cause: error });
  }
  const reason = BY_MESSAGE.find(([words]) => words.test(error.message))?.[1];
  if (reason === undefined) return error;
  const text = `The store ${name} did not answer: ${ADVICE[reason]}.`;
  const isUnknown = isWrite && UNKNOWN_OUTCOME.has(reason);
  const details = { key: "store", reason, ...(isUnknown && { outcome: "unknown" }) };
  const retryable = findRetryable(reason);
  return new PalimpsestError("store-unavailable", text, { cause: error, details, retryable });
}
