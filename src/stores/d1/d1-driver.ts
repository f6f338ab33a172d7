/** Runs whole batches on D1. If a guard refuses, its mark is missing, and the other statements change nothing. */
import { PalimpsestError } from "../../core/errors.ts";
import { type FailureReason, findRetryable } from "../shared/failure-reasons.ts";
import { type Row, type SqlDriver, type Statement, writeText } from "../sql/driver.ts";

/** A D1 database, described by its shape. */
export interface D1Database {
  prepare(text: string): D1Statement;
  /** Runs all statements in one transaction and returns their results in order. */
  batch(statements: D1Statement[]): Promise<readonly D1Result[]>;
}

export interface D1Statement {
  bind(...values: unknown[]): D1Statement;
  all(): Promise<D1Result>;
}

export interface D1Result {
  readonly results: readonly unknown[];
}

export class D1Driver implements SqlDriver {
  readonly name: string;
  readonly isRemote = true;
  readonly #database: D1Database;
  #isClosed = false;

  constructor(database: D1Database, name: string) {
    this.name = name;
    this.#database = database;
  }

  async read(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    return this.#run(statements, false);
  }

  async batch(statements: readonly Statement[]): Promise<readonly (readonly Row[])[] | undefined> {
    const results = await this.#run(statements, true);
    const isRefused = statements[0]?.isGuard === true && results[0]?.length === 0;
    return isRefused ? undefined : results;
  }

  /** Closes nothing: the binding belongs to the Worker. */
  async close(): Promise<void> {
    this.#isClosed = true;
  }

  async #run(statements: readonly Statement[], isWrite: boolean): Promise<readonly (readonly Row[])[]> {
    if (this.#isClosed) throw new PalimpsestError("closed", `The store ${this.name} was closed; open a new one.`);
    // D1 rejects an empty list.
    if (statements.length === 0) return [];
    try {
      const prepared = statements.map((each) => {
        const statement = this.#database.prepare(writeText(each));
        return each.values.length === 0 ? statement : statement.bind(...each.values);
      });
      const [only] = prepared;
      const results =
        only !== undefined && prepared.length === 1 ? [await only.all()] : await this.#database.batch(prepared);
      return results.map(readRows);
    } catch (error) {
      throw toStoreError(error, { name: this.name, isWrite });
    }
  }
}

/** D1 returns bytes as a list of numbers and every other value as it was stored. */
function readRows({ results }: D1Result): readonly Row[] {
  return (results as readonly Readonly<Record<string, unknown>>[]).map((row) => {
    const names = Object.keys(row).filter((name) => Array.isArray(row[name]));
    if (names.length === 0) return row as Row;
    const bytes = names.map((name) => [name, Uint8Array.from(row[name] as readonly number[])]);
    return { ...row, ...Object.fromEntries(bytes) } as Row;
  });
}

type D1Reason = keyof typeof ADVICE;

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

const ADVICE = {
  "connection-lost": "the connection was lost. Try again: a message with the same id is stored once",
  restarting: "it was restarted. Try again in a moment",
  busy: "it is overloaded. Try again later, and spread the requests over time",
  timeout: "it took too long. Try again, and check what keeps it busy",
  "database-full":
    "it is full, and nothing was written. Raise its limit or bind another database. Reading and deleting still work",
  limit: "this invocation reached its query limit. Append fewer messages at once, or raise the plan's limit",
  "read-only": "it is read-only. Bind the primary, and check that the account may write",
  corrupt: "it is damaged. Stop writing, and restore it with D1's Time Travel",
  changed: "its tables were changed outside of Palimpsest. Restore it with D1's Time Travel",
} as const satisfies Partial<Record<FailureReason, string>>;

/** Reasons after which the batch may or may not have been written. */
const UNKNOWN_OUTCOME: ReadonlySet<D1Reason> = new Set<D1Reason>(["connection-lost", "restarting", "timeout"]);

interface FailureContext {
  readonly name: string;
  readonly isWrite: boolean;
}

/** Returns errors that are not about the database unchanged. */
export function toStoreError(error: unknown, { name, isWrite }: FailureContext): unknown {
  if (!(error instanceof Error)) return error;
  if (error.message.includes("SQLITE_TOOBIG")) {
    const text = "A text is larger than D1 accepts in one row, about two million bytes. Make the message smaller.";
    return new PalimpsestError("message-invalid", text, { cause: error });
  }
  const reason = BY_MESSAGE.find(([words]) => words.test(error.message))?.[1];
  if (reason === undefined) return error;
  const text = `A call to the store ${name} failed: ${ADVICE[reason]}.`;
  const isUnknown = isWrite && UNKNOWN_OUTCOME.has(reason);
  const details = { key: "store", reason, ...(isUnknown && { outcome: "unknown" }) };
  const retryable = findRetryable(reason);
  return new PalimpsestError("store-unavailable", text, { cause: error, details, retryable });
}
