/**
 * A store that also keeps the table of a windowed chat, and reads it as its application does: the summary first, then
 * more messages than the window holds, so that one that overflows is seen. Where somebody has changed the text of a row,
 * the log has the last word: what it says is given, and the row is left as it is and warned of.
 */
import type { Store } from "../../ports/store.ts";
import { findText, type Row, readNumber, readText, type SqlDriver, type Statement, sql } from "../sql/driver.ts";
import { type OnWarning, StoreWarnings } from "../sql/store-warnings.ts";
import { fromStoredText, toStoredText } from "../sql/stored-text.ts";
import { contentOf } from "./windowed-migrations.ts";

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

export interface WindowOptions {
  readonly driver: SqlDriver;
  readonly onWarning: OnWarning | undefined;
}

export function withWindow(store: Store, { driver, onWarning }: WindowOptions): WindowedStore {
  const warnings = new StoreWarnings(driver.name, onWarning);
  const read = async (statement: Statement) => {
    const [rows = []] = await driver.read([statement]);
    return rows.map((row) => fromRow(row, warnings));
  };
  return {
    ...store,
    readWindow: (id, maxHistory) => read(windowOf(toStoredText(id), maxHistory + ROWS_BEYOND)),
    readLooseRows: (id) => read(looseRowsOf(toStoredText(id))),
  };
}

const ROW = sql`m.id, m.conversation_id, m.role, m.content, m.sources, m.created_at, m.message_type`;

/** What the log says in place of a row; nothing where it knows nothing of it. */
const SAID: Statement = {
  strings: [
    `CASE WHEN r.row_id IS NULL THEN NULL
      WHEN r.seq = 0 THEN (SELECT h.head ->> '$.summary.text' FROM heads h WHERE h.session_key = r.session_key)
      ELSE (SELECT ${contentOf("e")} FROM entries e WHERE e.entry_key = r.entry_key) END AS said`,
  ],
  values: [],
};

/** By the log's order and not by the clock's: the summary is younger than what follows it. Loose rows are the oldest. */
function windowOf(conversationId: string, limit: number): Statement {
  return sql`
    SELECT * FROM (
      SELECT ${ROW}, ${SAID}, 0 AS seq, 0 AS row_order FROM messages m
      LEFT JOIN window_rows r ON r.row_id = m.id
      WHERE m.conversation_id = ${conversationId} AND m.message_type = 'summary'
    ) UNION ALL SELECT * FROM (
      SELECT ${ROW}, ${SAID}, coalesce(r.seq, 0) AS seq, m.rowid AS row_order FROM messages m
      LEFT JOIN window_rows r ON r.row_id = m.id
      WHERE m.conversation_id = ${conversationId} AND m.message_type = 'message'
      ORDER BY seq DESC, m.created_at DESC, row_order DESC LIMIT ${limit}
    ) ORDER BY message_type DESC, seq, created_at, row_order`;
}

function looseRowsOf(conversationId: string): Statement {
  return sql`
    SELECT ${ROW}, NULL AS said FROM messages m
    WHERE m.conversation_id = ${conversationId} AND trim(m.content) <> ''
    AND NOT EXISTS (SELECT 1 FROM window_rows r WHERE r.row_id = m.id)
    ORDER BY m.message_type DESC, m.created_at, m.rowid`;
}

function fromRow(row: Row, warnings: StoreWarnings): WindowRow {
  const id = fromStoredText(readText(row, "id"));
  const conversationId = fromStoredText(readText(row, "conversation_id"));
  const content = readText(row, "content");
  const said = findText(row, "said") ?? content;
  if (said !== content) warnings.tell(changedByHand(id, conversationId));
  return {
    id,
    conversationId,
    role: readText(row, "role"),
    content: said,
    sources: findText(row, "sources"),
    createdAt: readNumber(row, "created_at"),
    messageType: readText(row, "message_type") === "summary" ? "summary" : "message",
  };
}

function changedByHand(id: string, conversationId: string): string {
  return (
    `The row ${JSON.stringify(id)} of the conversation ${JSON.stringify(conversationId)} has another text than the ` +
    "log: somebody changed it by hand. The log's text is used. To change what was said, delete the message and say it anew."
  );
}
