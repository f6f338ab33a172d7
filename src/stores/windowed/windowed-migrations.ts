/**
 * The table of a windowed chat, maintained by triggers in the transaction that changes the log: a row for each message
 * of the view, and one for the summary. It has no tenant column, so only sessions of the tenant `local` have rows.
 */
import type { Migration } from "../sql/migration.ts";

export const WINDOW_TABLE = "messages";
/** Columns that the application's table must have; the type column is added if it is missing. */
export const WINDOW_COLUMNS: readonly string[] = ["id", "conversation_id", "role", "content", "sources", "created_at"];
export const TYPE_COLUMN = "message_type";
export const ADD_TYPE_COLUMN = `ALTER TABLE messages ADD COLUMN message_type TEXT NOT NULL DEFAULT 'message'
  CHECK (message_type IN ('message', 'summary'))`;

const TENANT = "'local'";

const UUID = `lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
  || substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))`;

/** Message ids are unique in their session, row ids in the whole table. */
const selectRowId = (entry: string) => `iif(EXISTS (
  SELECT 1 FROM messages m WHERE m.id = ${entry}.id AND m.conversation_id <> s.id
), ${UUID}, ${entry}.id)`;

/** Joins the chunks of a long text as bytes, because a chunk may end inside a character. */
const selectLongText = (entry: string) => `(
  SELECT group_concat(CAST(c.data AS TEXT), '') FROM json_each(${entry}.content, '$.blobs') b
  CROSS JOIN blob_chunks c ON c.tenant = ${entry}.tenant AND c.hash = b.value ->> 'sha256'
  WHERE b.value ->> 'as' = 'text' AND b.value ->> 'part' = p.key
)`;

export const selectContent = (entry: string) => `coalesce((
  SELECT group_concat(coalesce(nullif(p.value ->> 'text', ''), ${selectLongText(entry)}, ''), char(10))
  FROM json_each(${entry}.content, '$.message.parts') p WHERE p.value ->> 'type' = 'text'
), '')`;

const selectSources = (entry: string) => `nullif((
  SELECT json_group_array(json(p.value)) FROM json_each(${entry}.content, '$.message.parts') p
  WHERE p.value ->> 'type' = 'source'
), '[]')`;

const selectRow = (entry: string) => `r.row_id, s.id, ${entry}.content ->> '$.message.role', ${selectContent(entry)},
  ${selectSources(entry)}, CAST(${entry}.at / 1000 AS INTEGER), 'message'`;

const INTO_MESSAGES = `INSERT INTO messages (id, conversation_id, role, content, sources, created_at, message_type)`;
const HAS_NO_ROW = "NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = r.row_id)";

/** Rows of messages that left the view: below the floor and not kept. */
const LEFT_VIEW = `session_key = NEW.session_key AND seq > 0 AND seq <= NEW.floor_seq
  AND seq NOT IN (SELECT value FROM json_each(NEW.kept))`;
/** The summary row, if its summary was replaced or removed. Its seq is 0, before every message. */
const REPLACED = "session_key = NEW.session_key AND seq = 0 AND summary_id IS NOT NEW.head ->> '$.summary.id'";

/** A session's own entries and the stretches that it inherits. */
const STRETCHES = `(
  SELECT NEW.session_key AS key, 9007199254740991 AS through_seq
  UNION ALL SELECT l.value ->> 0, l.value ->> 1
  FROM sessions f CROSS JOIN json_each(f.lineage) l WHERE f.session_key = NEW.session_key
)`;

/** Adds rows for visible messages without one: after an undo, in a new fork and when the table is new. */
const mapVisible = (from: string, where: string) => `
  INSERT INTO window_rows (session_key, seq, row_id, entry_key)
  SELECT s.session_key, e.seq, ${selectRowId("e")}, e.entry_key
  FROM sessions s CROSS JOIN ${STRETCHES} g ${from}
    AND e.tenant = NEW.tenant AND e.session_key = g.key AND e.seq <= g.through_seq
  WHERE s.session_key = NEW.session_key AND e.type = 'message' ${where}
  AND json_array_length(e.content, '$.message.parts') > 0
  AND NOT EXISTS (SELECT 1 FROM window_rows r WHERE r.session_key = s.session_key AND r.seq = e.seq)`;

const FOLLOW_HEAD = [
  `DELETE FROM messages WHERE message_type = 'message' AND id IN (SELECT row_id FROM window_rows WHERE ${LEFT_VIEW})`,
  `DELETE FROM window_rows WHERE ${LEFT_VIEW}`,
  `DELETE FROM messages WHERE message_type = 'summary' AND id IN (SELECT row_id FROM window_rows WHERE ${REPLACED})`,
  `DELETE FROM window_rows WHERE ${REPLACED}`,
  `INSERT INTO window_rows (session_key, seq, row_id, summary_id)
  SELECT NEW.session_key, 0, ${UUID}, NEW.head ->> '$.summary.id'
  WHERE NEW.head ->> '$.summary.id' IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM window_rows r WHERE r.session_key = NEW.session_key AND r.seq = 0)`,
  // Keep one summary per conversation, including one that the application wrote.
  `DELETE FROM messages WHERE message_type = 'summary'
  AND conversation_id = (SELECT s.id FROM sessions s WHERE s.session_key = NEW.session_key)
  AND id <> (SELECT r.row_id FROM window_rows r WHERE r.session_key = NEW.session_key AND r.seq = 0)`,
  `${INTO_MESSAGES}
  SELECT r.row_id, s.id, 'system', NEW.head ->> '$.summary.text', NULL,
    CAST(NEW.head ->> '$.summary.at' / 1000 AS INTEGER), 'summary'
  FROM sessions s CROSS JOIN window_rows r ON r.session_key = s.session_key AND r.seq = 0
  WHERE s.session_key = NEW.session_key AND ${HAS_NO_ROW}`,
  mapVisible("CROSS JOIN entries e ON e.seq > NEW.floor_seq", ""),
  mapVisible("CROSS JOIN json_each(NEW.kept) k CROSS JOIN entries e ON e.seq = k.value", "AND e.seq <= NEW.floor_seq"),
  `${INTO_MESSAGES}
  SELECT ${selectRow("e")} FROM sessions s
  CROSS JOIN window_rows r ON r.session_key = s.session_key AND r.seq > 0
  CROSS JOIN entries e ON e.entry_key = r.entry_key
  WHERE s.session_key = NEW.session_key AND ${HAS_NO_ROW} ORDER BY r.seq`,
];

const deleteRow = (entry: string) => [
  `DELETE FROM messages WHERE message_type = 'message'
  AND id IN (SELECT row_id FROM window_rows WHERE entry_key = ${entry}.entry_key)`,
  `DELETE FROM window_rows WHERE entry_key = ${entry}.entry_key`,
];

const trigger = (name: string, when: string, statements: readonly string[]) =>
  `CREATE TRIGGER ${name} ${when}\nBEGIN\n${statements.map((statement) => `${statement};`).join("\n")}\nEND`;

export const WINDOWED_MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    name: "rows of the window",
    statements: [
      `CREATE TABLE IF NOT EXISTS messages (
        id TEXT PRIMARY KEY,
        conversation_id TEXT NOT NULL,
        role TEXT NOT NULL,
        content TEXT NOT NULL,
        sources TEXT,
        created_at INTEGER NOT NULL DEFAULT (unixepoch()),
        message_type TEXT NOT NULL DEFAULT 'message' CHECK (message_type IN ('message', 'summary'))
      )`,
      "CREATE INDEX IF NOT EXISTS idx_messages_type ON messages (conversation_id, message_type)",
      // Maps entries to rows; seq 0 is the summary.
      `CREATE TABLE window_rows (
        session_key INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        row_id TEXT NOT NULL,
        entry_key INTEGER,
        summary_id TEXT,
        PRIMARY KEY (session_key, seq)
      ) STRICT, WITHOUT ROWID`,
      "CREATE INDEX window_rows_row ON window_rows (row_id)",
      "CREATE INDEX window_rows_entry ON window_rows (entry_key)",
      trigger("window_message", `AFTER INSERT ON entries WHEN NEW.type = 'message' AND NEW.tenant = ${TENANT}`, [
        `INSERT INTO window_rows (session_key, seq, row_id, entry_key)
        SELECT s.session_key, NEW.seq, ${selectRowId("NEW")}, NEW.entry_key
        FROM sessions s WHERE s.session_key = NEW.session_key`,
        `${INTO_MESSAGES}
        SELECT ${selectRow("NEW")} FROM sessions s
        CROSS JOIN window_rows r ON r.session_key = s.session_key AND r.seq = NEW.seq
        WHERE s.session_key = NEW.session_key AND ${HAS_NO_ROW}`,
      ]),
      trigger(
        "window_erasure",
        `AFTER UPDATE OF content ON entries
        WHEN NEW.type = 'message' AND json_array_length(NEW.content, '$.message.parts') = 0`,
        deleteRow("NEW"),
      ),
      trigger("window_deletion", "AFTER DELETE ON entries WHEN OLD.type = 'message'", deleteRow("OLD")),
      trigger("window_head", `AFTER UPDATE OF head ON heads WHEN NEW.tenant = ${TENANT}`, FOLLOW_HEAD),
      trigger("window_first_head", `AFTER INSERT ON heads WHEN NEW.tenant = ${TENANT}`, FOLLOW_HEAD),
      trigger("window_session", `BEFORE DELETE ON sessions WHEN OLD.tenant = ${TENANT}`, [
        "DELETE FROM messages WHERE conversation_id = OLD.id",
        "DELETE FROM window_rows WHERE session_key = OLD.session_key",
      ]),
      // Fill the table from existing sessions.
      `UPDATE heads SET head = head WHERE tenant = ${TENANT}`,
    ],
  },
  {
    version: 2,
    name: "rows go when their session is hidden",
    statements: [
      trigger("window_hidden_session", `AFTER UPDATE OF id ON sessions WHEN OLD.tenant = ${TENANT}`, [
        "DELETE FROM messages WHERE conversation_id = OLD.id",
        "DELETE FROM window_rows WHERE session_key = OLD.session_key",
      ]),
    ],
  },
];
