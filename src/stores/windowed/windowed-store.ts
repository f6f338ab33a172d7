/**
 * A store that also maintains the table of a windowed chat. It reads the summary first, then more messages than the
 * window contains. If a row differs from the log, the log's text is returned with a warning.
 */
import { PalimpsestError } from "../../core/errors.ts";
import type { Store } from "../../ports/store.ts";
import {
  findTextColumn,
  type Row,
  rawSql,
  readNumberColumn,
  readTextColumn,
  type SqlDriver,
  type Statement,
  sql,
} from "../sql/driver.ts";
import { migrateSqlite } from "../sql/migrate-sqlite.ts";
import { type OnWarning, StoreWarnings } from "../sql/sql-context.ts";
import { fromStoredText, toStoredText } from "../sql/stored-text.ts";
import {
  ADD_TYPE_COLUMN,
  selectContent,
  TYPE_COLUMN,
  WINDOW_COLUMNS,
  WINDOW_TABLE,
  WINDOWED_MIGRATIONS,
} from "./windowed-migrations.ts";

/** Named after the policy whose document describes the table. */
export type StoreProfile = "windowed-sql";

/** A row of the table of the document of `windowed-sql`. */
export interface WindowRow {
  readonly id: string;
  readonly conversationId: string;
  readonly role: string;
  readonly content: string;
  readonly sources: string | undefined;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly messageType: "message" | "summary";
}

/** A store that also maintains the table of the document of `windowed-sql`. */
export interface WindowedStore extends Store {
  /** Returns the summary, if any, and the newest `maxHistory` + 5 messages in order. */
  readWindow(conversationId: string, maxHistory: number): Promise<readonly WindowRow[]>;
  /** Returns rows that the application wrote and the log does not have yet, oldest first. */
  readLooseRows(conversationId: string): Promise<readonly WindowRow[]>;
}

/** Rows that are read in addition to the limit of the window. */
export const EXTRA_ROWS = 5;

export interface WindowOptions {
  readonly driver: SqlDriver;
  readonly onWarning: OnWarning | undefined;
}

export function addWindow(store: Store, { driver, onWarning }: WindowOptions): WindowedStore {
  const warnings = new StoreWarnings(driver.name, onWarning);
  const read = async (statement: Statement) => {
    const [rows = []] = await driver.read([statement]);
    return rows.map((row) => fromRow(row, warnings));
  };
  return {
    ...store,
    readWindow: (id, maxHistory) => read(selectWindow(toStoredText(id), maxHistory + EXTRA_ROWS)),
    readLooseRows: (id) => read(selectLooseRows(toStoredText(id))),
  };
}

const ROW = sql`m.id, m.conversation_id, m.role, m.content, m.sources, m.created_at, m.message_type`;

/** The log's text for a row; NULL if the log does not have it. */
const LOGGED_TEXT = rawSql(`CASE WHEN r.row_id IS NULL THEN NULL
  WHEN r.seq = 0 THEN (SELECT h.head ->> '$.summary.text' FROM heads h WHERE h.session_key = r.session_key)
  ELSE (SELECT ${selectContent("e")} FROM entries e WHERE e.entry_key = r.entry_key) END AS logged_text`);

/** Sorts by the log, not by time: a summary is written after the messages that follow it. Unknown rows come first. */
function selectWindow(conversationId: string, limit: number): Statement {
  return sql`
    SELECT * FROM (
      SELECT ${ROW}, ${LOGGED_TEXT}, 0 AS seq, 0 AS row_order FROM messages m
      LEFT JOIN window_rows r ON r.row_id = m.id
      WHERE m.conversation_id = ${conversationId} AND m.message_type = 'summary'
    ) UNION ALL SELECT * FROM (
      SELECT ${ROW}, ${LOGGED_TEXT}, coalesce(r.seq, 0) AS seq, m.rowid AS row_order FROM messages m
      LEFT JOIN window_rows r ON r.row_id = m.id
      WHERE m.conversation_id = ${conversationId} AND m.message_type = 'message'
      ORDER BY seq DESC, m.created_at DESC, row_order DESC LIMIT ${limit}
    ) ORDER BY message_type DESC, seq, created_at, row_order`;
}

function selectLooseRows(conversationId: string): Statement {
  return sql`
    SELECT ${ROW}, NULL AS logged_text FROM messages m
    WHERE m.conversation_id = ${conversationId} AND trim(m.content) <> ''
    AND NOT EXISTS (SELECT 1 FROM window_rows r WHERE r.row_id = m.id)
    ORDER BY m.message_type DESC, m.created_at, m.rowid`;
}

function fromRow(row: Row, warnings: StoreWarnings): WindowRow {
  const id = fromStoredText(readTextColumn(row, "id"));
  const conversationId = fromStoredText(readTextColumn(row, "conversation_id"));
  const content = readTextColumn(row, "content");
  const loggedText = findTextColumn(row, "logged_text") ?? content;
  if (loggedText !== content) warnings.warn(describeMismatch(id, conversationId));
  return {
    id,
    conversationId,
    role: readTextColumn(row, "role"),
    content: loggedText,
    sources: findTextColumn(row, "sources"),
    createdAt: readNumberColumn(row, "created_at"),
    messageType: readTextColumn(row, "message_type") === "summary" ? "summary" : "message",
  };
}

function describeMismatch(id: string, conversationId: string): string {
  return (
    `The row ${JSON.stringify(id)} of the conversation ${JSON.stringify(conversationId)} differs from the ` +
    "log: it was changed outside of Palimpsest. The log's text is used. Change messages through their session."
  );
}

interface Appendable {
  readonly id: string;
  append(
    messages: readonly { readonly id: string; readonly role: string; readonly content: string }[],
  ): Promise<unknown>;
}

/**
 * Appends the rows that the application wrote, and returns their number. A second call appends nothing.
 *
 * @example
 * ```ts
 * const adopt = async (database: D1Database) => {
 *   const store = await openD1Store(database, { profile: "windowed-sql" });
 *   return adoptRows(session, store);
 * };
 * ```
 */
export async function adoptRows(session: Appendable, store: Pick<WindowedStore, "readLooseRows">): Promise<number> {
  const rows = await store.readLooseRows(session.id);
  if (rows.length > 0) await session.append(rows.map(({ id, role, content }) => ({ id, role, content })));
  return rows.length;
}

/** Runs after the log's own migrations, because the triggers refer to its tables. */
export async function migrateWindowed(driver: SqlDriver, profile: StoreProfile): Promise<void> {
  if (profile !== "windowed-sql")
    throw createProfileError(`${JSON.stringify(profile)} is not a profile; use "windowed-sql".`);
  const [columns = []] = await driver.read([
    sql`SELECT name, type, "notnull" AS is_required, dflt_value FROM pragma_table_info(${WINDOW_TABLE})`,
  ]);
  if (columns.length > 0) refuseIncompatibleTable(driver.name, columns);
  const isUntyped = columns.length > 0 && !columns.some((column) => readTextColumn(column, "name") === TYPE_COLUMN);
  const before = isUntyped ? [ADD_TYPE_COLUMN] : [];
  await migrateSqlite(driver, WINDOWED_MIGRATIONS, { table: "window_migrations", before });
}

/** Refuses a table of another shape: it belongs to another program. */
function refuseIncompatibleTable(name: string, columns: readonly Row[]): void {
  const mismatch = findMismatch(columns);
  if (mismatch === undefined) return;
  throw createProfileError(
    `the table ${WINDOW_TABLE} of ${name} ${mismatch}. It needs the columns ${WINDOW_COLUMNS.join(", ")}, ids as text, times as unix ` +
      "seconds, and a default for every other column that must not be null. Change the table, or use another database.",
  );
}

function findMismatch(columns: readonly Row[]): string | undefined {
  const types = new Map(columns.map((column) => [readTextColumn(column, "name"), readTextColumn(column, "type")]));
  const missing = WINDOW_COLUMNS.filter((column) => !types.has(column));
  if (missing.length > 0) return `lacks ${missing.join(", ")}`;
  if (/INT/i.test(types.get("id") ?? "")) return "has numeric ids";
  if (/CHAR|CLOB|TEXT/i.test(types.get("created_at") ?? "")) return "stores times as text";
  const known = new Set([...WINDOW_COLUMNS, TYPE_COLUMN]);
  const required = columns
    .filter((column) => readNumberColumn(column, "is_required") === 1 && column.dflt_value === null)
    .map((column) => readTextColumn(column, "name"))
    .filter((column) => !known.has(column));
  return required.length > 0 ? `requires ${required.join(", ")}, which Palimpsest cannot fill in` : undefined;
}

function createProfileError(text: string): PalimpsestError {
  return new PalimpsestError("config-invalid", `profile: ${text}`, { details: { key: "profile" } });
}
