/**
 * A store that also keeps the table of a windowed chat, and reads it as its application does: the summary first, then
 * more messages than the window holds, so that one that overflows is seen.
 */
import type { Store } from "../../ports/store.ts";
import { findText, type Row, readNumber, readText, type SqlDriver, type Statement, sql } from "../sql/driver.ts";
import { fromStoredText, toStoredText } from "../sql/stored-text.ts";

/** The profile's name: that of the policy whose document describes the table. */
export type StoreProfile = "windowed-sql";

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

export interface WindowedStore extends Store {
  /** The summary, where there is one, and the newest messages in order: `maxHistory` and five more. */
  readWindow(conversationId: string, maxHistory: number): Promise<readonly WindowRow[]>;
  /** Rows that the application wrote itself, of which the log knows nothing yet; the oldest first. */
  readLooseRows(conversationId: string): Promise<readonly WindowRow[]>;
}

/** How many rows are read beyond the window. */
export const ROWS_BEYOND = 5;

export function withWindow(store: Store, driver: SqlDriver): WindowedStore {
  const read = async (statement: Statement) => {
    const [rows = []] = await driver.read([statement]);
    return rows.map(fromRow);
  };
  return {
    ...store,
    readWindow: (id, maxHistory) => read(windowOf(toStoredText(id), maxHistory + ROWS_BEYOND)),
    readLooseRows: (id) => read(looseRowsOf(toStoredText(id))),
  };
}

const ROW = sql`m.id, m.conversation_id, m.role, m.content, m.sources, m.created_at, m.message_type`;

/** By the log's order and not by the clock's: the summary is younger than what follows it. Loose rows are the oldest. */
function windowOf(conversationId: string, limit: number): Statement {
  return sql`
    SELECT * FROM (
      SELECT ${ROW}, 0 AS seq, 0 AS row_order FROM messages m
      WHERE m.conversation_id = ${conversationId} AND m.message_type = 'summary'
    ) UNION ALL SELECT * FROM (
      SELECT ${ROW}, coalesce(r.seq, 0) AS seq, m.rowid AS row_order FROM messages m
      LEFT JOIN window_rows r ON r.row_id = m.id
      WHERE m.conversation_id = ${conversationId} AND m.message_type = 'message'
      ORDER BY seq DESC, m.created_at DESC, row_order DESC LIMIT ${limit}
    ) ORDER BY message_type DESC, seq, created_at, row_order`;
}

function looseRowsOf(conversationId: string): Statement {
  return sql`
    SELECT ${ROW} FROM messages m
    WHERE m.conversation_id = ${conversationId} AND trim(m.content) <> ''
    AND NOT EXISTS (SELECT 1 FROM window_rows r WHERE r.row_id = m.id)
    ORDER BY m.message_type DESC, m.created_at, m.rowid`;
}

function fromRow(row: Row): WindowRow {
  return {
    id: fromStoredText(readText(row, "id")),
    conversationId: fromStoredText(readText(row, "conversation_id")),
    role: readText(row, "role"),
    content: readText(row, "content"),
    sources: findText(row, "sources"),
    createdAt: readNumber(row, "created_at"),
    messageType: readText(row, "message_type") === "summary" ? "summary" : "message",
  };
}
