/** The schema as migrations. A released one never changes: files record its hash. */
import type { Migration } from "../sql/migration.ts";

/** The search index and its vocabulary. Both can be rebuilt from the texts. */
export const TEXT_INDEX: readonly string[] = [
  // Without positions the index is a third of the size and three times as fast; every hit is checked against its text.
  `CREATE VIRTUAL TABLE text_index USING fts5 (
        text, scope, session,
        content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1'
      )`,
  "CREATE VIRTUAL TABLE text_pieces USING fts5vocab (text_index, 'row')",
];

/**
 * Keeps FTS5 from merging inside of a commit. It limits what a merge writes, not what it reads: after a deletion, one
 * commit would read all of the deleted texts. `mergeIndex` merges in steps instead.
 */
export const MERGE_IN_STEPS = "INSERT INTO text_index (text_index, rank) VALUES ('automerge', 0)";

/** The word index. It can be rebuilt from the texts. */
export const WORD_INDEX: readonly string[] = [
  `CREATE TABLE word_places (
        tenant TEXT NOT NULL,
        session_key INTEGER NOT NULL,
        block INTEGER NOT NULL,
        word INTEGER NOT NULL,
        places TEXT NOT NULL,
        PRIMARY KEY (tenant, session_key, block, word),
        FOREIGN KEY (tenant, session_key) REFERENCES sessions (tenant, session_key) ON DELETE CASCADE
      ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE word_progress (
        tenant TEXT NOT NULL,
        session_key INTEGER NOT NULL,
        through_seq INTEGER NOT NULL,
        version INTEGER NOT NULL,
        mark TEXT NOT NULL,
        PRIMARY KEY (tenant, session_key),
        FOREIGN KEY (tenant, session_key) REFERENCES sessions (tenant, session_key) ON DELETE CASCADE
      ) STRICT, WITHOUT ROWID`,
];

/** Computes `sumText` of a column. */
function sumTextOf(text: string): string {
  return `(
          WITH RECURSIVE characters (number, sum) AS (
            SELECT 0, 1
            UNION ALL
            SELECT number + 1, (31 * sum + unicode(substr(${text}, number + 1, 1))) % 2147483647
            FROM characters WHERE number < length(${text})
          ) SELECT sum FROM characters ORDER BY number DESC LIMIT 1
        )`;
}

export const SQLITE_MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    name: "sessions, entries and search",
    statements: [
      `CREATE TABLE sessions (
        session_key INTEGER PRIMARY KEY AUTOINCREMENT,
        tenant TEXT NOT NULL,
        id TEXT NOT NULL,
        title TEXT,
        created_at REAL NOT NULL,
        updated_at REAL NOT NULL,
        last_seq INTEGER NOT NULL,
        message_count INTEGER NOT NULL,
        epoch INTEGER NOT NULL,
        first_seq INTEGER,
        first_role TEXT,
        preview TEXT NOT NULL DEFAULT '',
        recounted INTEGER NOT NULL DEFAULT 0,
        parent_key INTEGER,
        fork_at_seq INTEGER,
        inherited_summary_id TEXT,
        lineage TEXT NOT NULL DEFAULT '[]',
        fence INTEGER NOT NULL DEFAULT 0,
        lease_token TEXT,
        lease_from REAL,
        lease_until REAL,
        mark TEXT NOT NULL,
        UNIQUE (tenant, id),
        UNIQUE (tenant, session_key),
        FOREIGN KEY (tenant, parent_key) REFERENCES sessions (tenant, session_key)
      ) STRICT`,
      "CREATE INDEX sessions_newest ON sessions (tenant, updated_at, id)",
      "CREATE INDEX sessions_forks ON sessions (tenant, parent_key) WHERE parent_key IS NOT NULL",
      `CREATE TABLE heads (
        tenant TEXT NOT NULL,
        session_key INTEGER NOT NULL,
        floor_seq INTEGER NOT NULL,
        folded_through_seq INTEGER NOT NULL,
        view_from_seq INTEGER NOT NULL,
        kept TEXT NOT NULL,
        head TEXT NOT NULL,
        PRIMARY KEY (tenant, session_key),
        FOREIGN KEY (tenant, session_key) REFERENCES sessions (tenant, session_key) ON DELETE CASCADE
      ) STRICT`,
      `CREATE TABLE entries (
        entry_key INTEGER PRIMARY KEY,
        tenant TEXT NOT NULL,
        session_key INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        type TEXT NOT NULL,
        at REAL NOT NULL,
        id TEXT NOT NULL,
        hash TEXT,
        content TEXT NOT NULL,
        UNIQUE (tenant, session_key, seq),
        UNIQUE (tenant, session_key, id),
        FOREIGN KEY (tenant, session_key) REFERENCES sessions (tenant, session_key) ON DELETE CASCADE
      ) STRICT`,
      "CREATE INDEX entries_rare ON entries (tenant, session_key, type, seq) WHERE type <> 'message'",
      `CREATE TABLE token_counts (
        tenant TEXT NOT NULL,
        session_key INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        counter_id TEXT NOT NULL,
        tokens INTEGER NOT NULL,
        PRIMARY KEY (tenant, session_key, seq, counter_id),
        FOREIGN KEY (tenant, session_key) REFERENCES sessions (tenant, session_key) ON DELETE CASCADE
      ) STRICT, WITHOUT ROWID`,
      `CREATE TABLE message_texts (
        entry_key INTEGER PRIMARY KEY REFERENCES entries (entry_key) ON DELETE CASCADE,
        tenant TEXT NOT NULL,
        role TEXT NOT NULL,
        scope TEXT NOT NULL,
        text TEXT NOT NULL
      ) STRICT`,
      "CREATE INDEX message_texts_newest ON message_texts (tenant)",
      `CREATE TABLE pending_texts (
        entry_key INTEGER PRIMARY KEY REFERENCES message_texts (entry_key) ON DELETE CASCADE
      ) STRICT`,
      ...TEXT_INDEX,
    ],
  },
  {
    version: 2,
    name: "images and long texts beside the entries, and counts of messages",
    statements: [
      `CREATE TABLE blobs (
        tenant TEXT NOT NULL,
        hash TEXT NOT NULL,
        bytes INTEGER NOT NULL,
        PRIMARY KEY (tenant, hash)
      ) STRICT, WITHOUT ROWID`,
      `CREATE TABLE blob_chunks (
        tenant TEXT NOT NULL,
        hash TEXT NOT NULL,
        number INTEGER NOT NULL,
        data BLOB NOT NULL,
        UNIQUE (tenant, hash, number),
        FOREIGN KEY (tenant, hash) REFERENCES blobs (tenant, hash) ON DELETE CASCADE
      ) STRICT`,
      // The key finds whether a blob is still referred to; the index finds the blobs of a session.
      `CREATE TABLE blob_references (
        tenant TEXT NOT NULL,
        hash TEXT NOT NULL,
        session_key INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        PRIMARY KEY (tenant, hash, session_key, seq),
        FOREIGN KEY (tenant, session_key) REFERENCES sessions (tenant, session_key) ON DELETE CASCADE
      ) STRICT, WITHOUT ROWID`,
      "CREATE INDEX blob_references_by_session ON blob_references (tenant, session_key, seq)",
      "ALTER TABLE sessions ADD COLUMN inherited_messages INTEGER NOT NULL DEFAULT 0",
      `UPDATE sessions SET inherited_messages = (
        SELECT count(*) FROM json_each(sessions.lineage) l
        CROSS JOIN entries e ON e.tenant = sessions.tenant AND e.session_key = l.value ->> 0 AND e.seq <= l.value ->> 1
        WHERE e.type = 'message'
      ) WHERE parent_key IS NOT NULL`,
    ],
  },
  {
    version: 3,
    name: "texts of one form, however their accents are written",
    normalizesTexts: true,
    statements: ["DROP TABLE text_progress"],
  },
  {
    version: 4,
    name: "tokens of messages in a column of their own",
    statements: [
      "ALTER TABLE entries ADD COLUMN tokens INTEGER",
      `UPDATE entries SET tokens = (SELECT CAST(c.value AS INTEGER) FROM json_each(entries.content, '$.tokens') c LIMIT 1)
        WHERE type = 'message'`,
      // The index alone answers the weights of a long log, so that no text is read.
      "CREATE INDEX entries_weights ON entries (tenant, session_key, seq, tokens) WHERE type = 'message'",
    ],
  },
  {
    version: 5,
    name: "checksums of rows",
    statements: [
      "ALTER TABLE entries ADD COLUMN checksum INTEGER",
      "ALTER TABLE heads ADD COLUMN checksum INTEGER",
      "ALTER TABLE token_counts ADD COLUMN checksum INTEGER",
      "ALTER TABLE sessions ADD COLUMN checksum INTEGER",
      `UPDATE sessions SET checksum =
        last_seq + 3 * message_count + 5 * epoch + 7 * coalesce(fork_at_seq, 0) + 11 * inherited_messages`,
    ],
  },
  {
    version: 6,
    name: "checksums of everything that a list of sessions shows",
    statements: [
      "ALTER TABLE sessions ADD COLUMN title_checksum INTEGER",
      "ALTER TABLE sessions ADD COLUMN preview_checksum INTEGER",
      `UPDATE sessions SET title_checksum = iif(title IS NULL, 0, ${sumTextOf("title")}),
        preview_checksum = ${sumTextOf("preview")},
        checksum = checksum + 13 * CAST(floor(created_at) AS INTEGER) + 17 * CAST(floor(updated_at) AS INTEGER)
          + 19 * coalesce(first_seq, 0) + 23 * coalesce(parent_key, 0)
          + 29 * CASE first_role WHEN 'system' THEN 1 WHEN 'user' THEN 2 WHEN 'assistant' THEN 3 WHEN 'tool' THEN 4 ELSE 0 END
          + ${sumTextOf("(id || char(10) || coalesce(inherited_summary_id, '') || char(10) || lineage)")}`,
    ],
  },
  { version: 7, name: "the search index is merged in steps", statements: [MERGE_IN_STEPS] },
  { version: 8, name: "an index of words for recall", statements: WORD_INDEX },
];
