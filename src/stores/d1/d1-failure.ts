/** What D1 says when it cannot go on, as what somebody should do about it. It has words and no codes. */
import { PalimpsestError } from "../../core/errors.ts";
import { type FailureReason, retryableAfter } from "../waiting-helps.ts";

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

const BY_WORDS: readonly (readonly [RegExp, D1Reason])[] = [
  [/network connection lost|fetch failed|socket|internal error in D1/i, "connection-lost"],
  [/caused object to be reset|because its code was updated|isolate exceeded|was reset/i, "restarting"],
  [/overloaded|too many requests queued|SQLITE_BUSY|SQLITE_LOCKED/i, "busy"],
  [/timed? ?out|exceeded timeout|exceeded its CPU/i, "timeout"],
  [/maximum DB size|SQLITE_FULL|storage limit|account limits/i, "database-full"],
  [/too many (?:API|subrequests)|subrequest|too many requests by single/i, "limit"],
  [/SQLITE_READONLY|read-only/i, "read-only"],
  [/SQLITE_CORRUPT|SQLITE_NOTADB|malformed/i, "corrupt"],
  // Every statement here is written down and tested, so it is the tables that are not as they were made.
  [/no such (?:table|column)|has no column|SQLITE_ERROR/i, "changed"],
];

const ADVICE: Readonly<Record<D1Reason, string>> = {
  "connection-lost": "the connection was lost. Try again: whoever repeats a message with its id writes it once",
  restarting: "it was restarted meanwhile. Try again in a moment",
  busy: "it has more to do than it can. Try again later, and spread what is asked of it over time",
  timeout: "it took too long. Try again, and look what keeps it busy",
  "database-full": "it is full. Delete what is not needed, or bind another database; nothing was written",
  limit: "this invocation has asked it as often as it may. Append fewer messages at once, or raise the plan's limit",
  "read-only": "it takes no writes. Bind the primary, and look whether the account may write",
  corrupt: "it is damaged. Stop writing, and restore it by Time Travel",
  changed: "its tables are not as they were made: somebody changed them by hand. Restore it by Time Travel",
};

/** Those end a batch without saying whether it was carried out. */
const OPEN_ENDED: ReadonlySet<D1Reason> = new Set<D1Reason>(["connection-lost", "restarting", "timeout"]);

interface Failed {
  readonly name: string;
  /** Something was to be written. */
  readonly isWrite: boolean;
}

/** Nothing that is not about the database is hidden: it comes back as it was. */
export function toStoreError(error: unknown, { name, isWrite }: Failed): unknown {
  if (!(error instanceof Error)) return error;
  if (error.message.includes("SQLITE_TOOBIG")) {
    const text = "A text is larger than D1 takes in one row, about two million bytes. Make the message smaller.";
    return new PalimpsestError("message-invalid", text, { cause: error });
  }
  const reason = BY_WORDS.find(([words]) => words.test(error.message))?.[1];
  if (reason === undefined) return error;
  const text = `The store ${name} did not answer: ${ADVICE[reason]}.`;
  const isUnknown = isWrite && OPEN_ENDED.has(reason);
  const details = { key: "store", reason, ...(isUnknown && { outcome: "unknown" }) };
  const retryable = retryableAfter(reason);
  return new PalimpsestError("store-unavailable", text, { cause: error, details, retryable });
}
