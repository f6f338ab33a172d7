/**
 * What the SQL stores ask of a database: reading at one moment, and writing several statements as one. There is no
 * transaction that a caller could hold open, because some databases offer none; whatever a write depends on is a guard
 * that stands in the write itself.
 */
import { PalimpsestError } from "../../core/errors.ts";

export type SqlValue = string | number | null | Uint8Array;

export type Row = Readonly<Record<string, SqlValue>>;

/** The texts around the values, one more than there are values. How a place for a value is written is the driver's. */
export interface Statement {
  readonly strings: readonly string[];
  readonly values: readonly SqlValue[];
  /**
   * Gives a row where the whole batch may be written and none where nothing of it may be. It is the first statement of
   * its batch. A driver that cannot look between two statements runs the others all the same: each of them asks for
   * the mark that the guard leaves, and changes nothing without it.
   */
  readonly isGuard?: boolean | undefined;
  /** Of the first of a batch: sending all of it once more does no harm, where an answer was lost. */
  readonly isRepeatable?: boolean | undefined;
  /** What the best way is depends on the values, so a driver that keeps plans keeps none of this. */
  readonly isPlannedAnew?: boolean | undefined;
}

export interface SqlDriver {
  /** For people and reports: `sqlite:./chats.db`. */
  readonly name: string;
  /** Rows of each statement, all as of one moment. */
  read(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]>;
  /**
   * All statements or none, durable when it resolves; `undefined` when a guard refused. A failure of the medium is
   * `store-unavailable`, and then nothing was written, unless `isOutcomeUnknown` says so of it.
   */
  batch(statements: readonly Statement[]): Promise<readonly (readonly Row[])[] | undefined>;
  /** The same database as one tenant may see it, where the database itself keeps tenants apart. */
  forTenant?(tenant: string): SqlDriver;
  close(): Promise<void>;
}

/** A statement with its values in place: `SELECT … WHERE id = ${id}`. A statement as a value is put in whole. */
export function sql(strings: TemplateStringsArray, ...values: readonly (SqlValue | Statement)[]): Statement {
  const texts: string[] = [strings[0] ?? ""];
  const bound: SqlValue[] = [];
  const extend = (text: string) => texts.push(`${texts.pop() ?? ""}${text}`);
  for (const [index, value] of values.entries()) {
    const after = strings[index + 1] ?? "";
    if (isStatement(value)) {
      const [first = "", ...rest] = value.strings;
      extend(first);
      texts.push(...rest);
      bound.push(...value.values);
      extend(after);
    } else {
      bound.push(value);
      texts.push(after);
    }
  }
  return { strings: texts, values: bound };
}

function isStatement(value: SqlValue | Statement): value is Statement {
  return typeof value === "object" && value !== null && "strings" in value;
}

/** Whether an answer was lost on its way, so that what it was about may have been written or not. */
export function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof PalimpsestError && error.details.outcome === "unknown";
}

export function guard(statement: Statement): Statement {
  return { ...statement, isGuard: true };
}

export function readText(row: Row, name: string): string {
  const value = row[name];
  if (typeof value !== "string") throw damaged(`The column ${name} holds no text`);
  return value;
}

export function readNumber(row: Row, name: string): number {
  const value = row[name];
  if (typeof value !== "number") throw damaged(`The column ${name} holds no number`);
  return value;
}

export function readBytes(row: Row, name: string): Uint8Array {
  const value = row[name];
  if (!(value instanceof Uint8Array)) throw damaged(`The column ${name} holds no bytes`);
  return value;
}

/** What we wrote as JSON. Whoever asks knows its shape. */
export function readJson(row: Row, name: string): unknown {
  const text = readText(row, name);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw damaged(`The column ${name} holds no JSON`, error);
  }
}

export function damaged(found: string, cause?: unknown): PalimpsestError {
  const text = `${found}: the database is damaged or was changed by hand. Keep a copy, and restore a backup.`;
  return new PalimpsestError("store-unavailable", text, {
    cause,
    details: { reason: "corrupt" },
    retryable: false,
  });
}

export function findText(row: Row, name: string): string | undefined {
  return row[name] === null ? undefined : readText(row, name);
}

export function findNumber(row: Row, name: string): number | undefined {
  return row[name] === null ? undefined : readNumber(row, name);
}
