/** Consistent reads and guarded writes on a database. No transaction stays open: some databases have none. */
import { PalimpsestError } from "../../core/errors.ts";

export type SqlValue = string | number | null | Uint8Array;

export type Row = Readonly<Record<string, SqlValue>>;

/** The texts around the values, one more than there are values. The driver decides how placeholders are written. */
export interface Statement {
  readonly strings: readonly string[];
  readonly values: readonly SqlValue[];
  /**
   * Returns a row if the batch may be written, and none if nothing of it may be. It is the first statement of its
   * batch. A driver that cannot check between two statements runs the others anyway: each requires the mark that the
   * guard sets, and changes nothing without it.
   */
  readonly isGuard?: boolean | undefined;
  /** On the first statement of a batch: the whole batch may be sent again after a lost answer. */
  readonly isRepeatable?: boolean | undefined;
  /** On the first statement of a batch: a power loss may undo the whole batch, because its caller repeats it then. */
  readonly mayBeLost?: boolean | undefined;
  /** The best plan depends on the values, so a driver must not cache it. */
  readonly isPlannedPerCall?: boolean | undefined;
}

export interface SqlDriver {
  /** Name in messages and reports: `sqlite:./chats.db`. */
  readonly name: string;
  /** Whether statements run on a server, so that a slow one does not block this process. */
  readonly isRemote?: boolean | undefined;
  /** Returns the rows of each statement, all from one snapshot. */
  read(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]>;
  /** Writes all statements or none, durably; undefined if a guard refused. After a failure see `isOutcomeUnknown`. */
  batch(statements: readonly Statement[]): Promise<readonly (readonly Row[])[] | undefined>;
  /** Like `batch`, outside of the event loop, for statements without a guard that may take long and may be lost. */
  batchApart?(statements: readonly Statement[]): Promise<readonly (readonly Row[])[] | undefined>;
  /** Returns the same database restricted to one tenant, if the database enforces that itself. */
  forTenant?(tenant: string): SqlDriver;
  close(): Promise<void>;
}

/** Builds a statement from a template: `SELECT … WHERE id = ${id}`. A statement as a value is inlined. */
export function sql(strings: TemplateStringsArray, ...values: readonly (SqlValue | Statement)[]): Statement {
  const bound: SqlValue[] = [];
  let shape = findShape(SHAPES, strings);
  for (const value of values) {
    if (isStatement(value)) for (const inner of value.values) bound.push(inner);
    else bound.push(value);
    shape = findShape(shape, isStatement(value) ? value.strings : ANY_VALUE);
  }
  shape.strings ??= joinStrings(strings, values);
  return { strings: shape.strings, values: bound };
}

/** Strings of statements, cached by template and inlined statements: an import runs each statement a million times. */
interface Shape {
  strings?: readonly string[];
  readonly next: WeakMap<object, Shape>;
}

const SHAPES: Shape = { next: new WeakMap() };
const ANY_VALUE = {};

function findShape({ next }: Shape, key: object): Shape {
  const known = next.get(key);
  if (known !== undefined) return known;
  const shape: Shape = { next: new WeakMap() };
  next.set(key, shape);
  return shape;
}

function joinStrings(strings: readonly string[], values: readonly (SqlValue | Statement)[]): readonly string[] {
  const texts: string[] = [strings[0] ?? ""];
  const extend = (text: string) => texts.push(`${texts.pop() ?? ""}${text}`);
  for (const [index, value] of values.entries()) {
    const after = strings[index + 1] ?? "";
    if (!isStatement(value)) {
      texts.push(after);
      continue;
    }
    const [first = "", ...rest] = value.strings;
    extend(first);
    texts.push(...rest);
    extend(after);
  }
  return texts;
}

const texts = new WeakMap<readonly string[], string>();

/** Returns the text of a statement with a `?` for each value. */
export function writeText({ strings }: Statement): string {
  const known = texts.get(strings);
  if (known !== undefined) return known;
  const text = strings.join("?");
  texts.set(strings, text);
  return text;
}

/** Builds a statement from a text that needs no values. */
export function rawSql(text: string): Statement {
  return { strings: [text], values: [] };
}

function isStatement(value: SqlValue | Statement): value is Statement {
  return typeof value === "object" && value !== null && "strings" in value;
}

/** Returns whether the answer was lost, so that the write may or may not have happened. */
export function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof PalimpsestError && error.details.outcome === "unknown";
}

export function guard(statement: Statement): Statement {
  return { ...statement, isGuard: true };
}

/** Sets `mayBeLost` on a batch. */
export function allowLoss([first, ...rest]: readonly Statement[]): readonly Statement[] {
  return first === undefined ? [] : [{ ...first, mayBeLost: true }, ...rest];
}

export function readTextColumn(row: Row, name: string): string {
  const value = row[name];
  if (typeof value !== "string") throw createDamageError(`The column ${name} does not contain text`);
  return value;
}

export function readNumberColumn(row: Row, name: string): number {
  const value = row[name];
  if (typeof value !== "number") throw createDamageError(`The column ${name} does not contain a number`);
  return value;
}

export function readBytes(row: Row, name: string): Uint8Array {
  const value = row[name];
  if (!(value instanceof Uint8Array)) throw createDamageError(`The column ${name} does not contain bytes`);
  return value;
}

/** Parses a JSON column; the caller knows its shape. */
export function readJson(row: Row, name: string): unknown {
  const text = readTextColumn(row, name);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw createDamageError(`The column ${name} does not contain JSON`, error);
  }
}

export function createDamageError(found: string, cause?: unknown): PalimpsestError {
  const text = `${found}: the database is damaged or was changed outside of Palimpsest. Keep a copy, and restore a backup.`;
  return new PalimpsestError("store-unavailable", text, { cause, details: { reason: "corrupt" }, retryable: false });
}

export function findTextColumn(row: Row, name: string): string | undefined {
  return row[name] === null ? undefined : readTextColumn(row, name);
}

export function findNumberColumn(row: Row, name: string): number | undefined {
  return row[name] === null ? undefined : readNumberColumn(row, name);
}

/** Always lets the event loop run; `yieldToEventLoop` waits for the end of a time slice. */
export function waitForEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
