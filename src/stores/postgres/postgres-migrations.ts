/**
 * The schema as migrations. A released migration never changes: a database records the hash of each one it applied, and
 * a version with another hash refuses to open it. The tenant is part of every key. Texts compare by code points,
 * whatever the database's language, so that all stores agree on order.
 */
import type { Migration } from "../sql/migration.ts";

/** A separate schema avoids conflicts with other tables. */
export const CREATE_SCHEMA = "CREATE SCHEMA palimpsest";

export const CREATE_MIGRATIONS_TABLE = `CREATE TABLE palimpsest.migrations (
  version integer PRIMARY KEY, name text NOT NULL, hash text NOT NULL
)`;

/**
 * Not a migration: a server may lack the extension or deny it to this user, and searches are correct without it, only
 * slower. The pending list may grow long, because a writer that fills it has to wait until it is merged; the background
 * indexer merges it long before.
 */
export const CREATE_TEXT_INDEX: readonly string[] = [
  "CREATE EXTENSION IF NOT EXISTS pg_trgm",
  `CREATE INDEX entries_words ON palimpsest.entries USING gin (words gin_trgm_ops)
    WITH (gin_pending_list_limit = 16384) WHERE words IS NOT NULL`,
];

const FIRST_TENANT_TABLES: readonly string[] = [
  "sessions",
  "heads",
  "entries",
  "token_counts",
  "blobs",
  "blob_chunks",
  "blob_references",
];
const WORD_TABLES: readonly string[] = ["word_places", "word_progress"];
export const TENANT_TABLES: readonly string[] = [...FIRST_TENANT_TABLES, ...WORD_TABLES];

/** Rows of the connection's tenant, or all for maintenance. Each inner SELECT is evaluated once per statement. */
const MAY_SEE = `tenant = (SELECT current_setting('palimpsest.tenant', true))
  OR (SELECT current_setting('palimpsest.scope', true)) = 'all'`;

/**
 * Returns the pattern of this transaction's search, or an empty text. Under row-level security PostgreSQL uses an index
 * only for conditions of the policy, because it does not trust LIKE to be leakproof; so the policy contains the
 * pattern. The function is declared immutable, so that the planner evaluates it and drops the condition outside of a
 * search. That is safe: it only removes rows, and the tenant is checked at run time in every plan. A plan made while a
 * pattern is set must not be cached.
 */
const WANTED = `CREATE OR REPLACE FUNCTION palimpsest.wanted() RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT coalesce(current_setting('palimpsest.wanted', true), '') $$`;

/** Computes `sumText` of a column. */
function sumTextOf(text: string): string {
  return `(
          WITH RECURSIVE characters (number, sum) AS (
            SELECT 0, 1::bigint
            UNION ALL
            SELECT number + 1, (31 * sum + ascii(substr(${text}, number + 1, 1))) % 2147483647
            FROM characters WHERE number < length(${text})
          ) SELECT sum FROM characters ORDER BY number DESC LIMIT 1
        )`;
}

export const POSTGRES_MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    name: "sessions, entries and search",
    statements: [
      `CREATE TABLE palimpsest.sessions (
        session_key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        tenant text COLLATE "C" NOT NULL,
        id text COLLATE "C" NOT NULL,
        title text,
        created_at double precision NOT NULL,
        updated_at double precision NOT NULL,
        updated_minute double precision GENERATED ALWAYS AS (floor(updated_at / 60000)) STORED,
        last_seq bigint NOT NULL,
        message_count bigint NOT NULL,
        epoch bigint NOT NULL,
        first_seq bigint,
        first_role text,
        preview text NOT NULL DEFAULT '',
        recounted boolean NOT NULL DEFAULT false,
        parent_key bigint,
        fork_at_seq bigint,
        inherited_summary_id text,
        lineage jsonb NOT NULL DEFAULT '[]',
        fence bigint NOT NULL DEFAULT 0,
        lease_token text,
        lease_from double precision,
        lease_until double precision,
        mark text NOT NULL,
        UNIQUE (tenant, id),
        UNIQUE (tenant, session_key),
        FOREIGN KEY (tenant, parent_key) REFERENCES palimpsest.sessions (tenant, session_key)
      ) WITH (fillfactor = 70)`,
      // By the minute, so that most updates change no indexed column and are written in place.
      "CREATE INDEX sessions_newest ON palimpsest.sessions (tenant, updated_minute)",
      "CREATE INDEX sessions_forks ON palimpsest.sessions (tenant, parent_key) WHERE parent_key IS NOT NULL",
      `CREATE TABLE palimpsest.heads (
        tenant text COLLATE "C" NOT NULL,
        session_key bigint NOT NULL,
        floor_seq bigint NOT NULL,
        folded_through_seq bigint NOT NULL,
        view_from_seq bigint NOT NULL,
        kept json NOT NULL,
        head text NOT NULL,
        PRIMARY KEY (tenant, session_key),
        FOREIGN KEY (tenant, session_key) REFERENCES palimpsest.sessions (tenant, session_key) ON DELETE CASCADE
      )`,
      `CREATE TABLE palimpsest.entries (
        entry_key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        tenant text COLLATE "C" NOT NULL,
        session_key bigint NOT NULL,
        seq bigint NOT NULL,
        type text COLLATE "C" NOT NULL,
        at double precision NOT NULL,
        id text COLLATE "C" NOT NULL,
        hash text,
        role text COLLATE "C",
        words text COLLATE "C",
        content text NOT NULL,
        UNIQUE (tenant, session_key, seq),
        UNIQUE (session_key, id, tenant),
        FOREIGN KEY (tenant, session_key) REFERENCES palimpsest.sessions (tenant, session_key) ON DELETE CASCADE
      )`,
      `CREATE INDEX entries_rare ON palimpsest.entries (tenant, session_key, type, seq) WHERE type <> 'message'`,
      `CREATE INDEX entries_said ON palimpsest.entries (tenant, entry_key) WHERE words IS NOT NULL`,
      `CREATE INDEX entries_said_by ON palimpsest.entries (tenant, role, entry_key) WHERE words IS NOT NULL`,
      `CREATE TABLE palimpsest.token_counts (
        tenant text COLLATE "C" NOT NULL,
        session_key bigint NOT NULL,
        seq bigint NOT NULL,
        counter_id text COLLATE "C" NOT NULL,
        tokens bigint NOT NULL,
        PRIMARY KEY (tenant, session_key, seq, counter_id),
        FOREIGN KEY (tenant, session_key) REFERENCES palimpsest.sessions (tenant, session_key) ON DELETE CASCADE
      )`,
    ],
  },
  {
    version: 2,
    name: "images and long texts beside the entries, and counts of messages",
    statements: [
      `CREATE TABLE palimpsest.blobs (
        tenant text COLLATE "C" NOT NULL,
        hash text COLLATE "C" NOT NULL,
        bytes bigint NOT NULL,
        PRIMARY KEY (tenant, hash)
      )`,
      `CREATE TABLE palimpsest.blob_chunks (
        tenant text COLLATE "C" NOT NULL,
        hash text COLLATE "C" NOT NULL,
        number integer NOT NULL,
        data bytea NOT NULL,
        PRIMARY KEY (tenant, hash, number),
        FOREIGN KEY (tenant, hash) REFERENCES palimpsest.blobs (tenant, hash) ON DELETE CASCADE
      )`,
      // Images are already compressed.
      "ALTER TABLE palimpsest.blob_chunks ALTER COLUMN data SET STORAGE EXTERNAL",
      // The key finds whether a blob is still referred to; the index finds the blobs of a session.
      `CREATE TABLE palimpsest.blob_references (
        tenant text COLLATE "C" NOT NULL,
        hash text COLLATE "C" NOT NULL,
        session_key bigint NOT NULL,
        seq bigint NOT NULL,
        PRIMARY KEY (tenant, hash, session_key, seq),
        FOREIGN KEY (tenant, session_key) REFERENCES palimpsest.sessions (tenant, session_key) ON DELETE CASCADE
      )`,
      "CREATE INDEX blob_references_by_session ON palimpsest.blob_references (tenant, session_key, seq)",
      "ALTER TABLE palimpsest.sessions ADD COLUMN inherited_messages bigint NOT NULL DEFAULT 0",
      `UPDATE palimpsest.sessions s SET inherited_messages = (
        SELECT count(*) FROM jsonb_array_elements(s.lineage) AS l (pair)
        JOIN palimpsest.entries e ON e.tenant = s.tenant AND e.session_key = (l.pair ->> 0)::bigint
          AND e.seq <= (l.pair ->> 1)::bigint
        WHERE e.type = 'message'
      ) WHERE s.parent_key IS NOT NULL`,
    ],
  },
  { version: 3, name: "texts of one form, however their accents are written", normalizesTexts: true, statements: [] },
  {
    version: 4,
    name: "tokens of messages in a column of their own",
    statements: [
      "ALTER TABLE palimpsest.entries ADD COLUMN tokens bigint",
      `UPDATE palimpsest.entries SET tokens = (
        SELECT c.value::bigint FROM json_each_text(content::json -> 'tokens') c LIMIT 1
      ) WHERE type = 'message'`,
    ],
  },
  {
    version: 5,
    name: "policies that keep tenants apart, for whoever puts them into force",
    statements: FIRST_TENANT_TABLES.flatMap((table) => [
      `DROP POLICY IF EXISTS own_rows ON palimpsest.${table}`,
      `CREATE POLICY own_rows ON palimpsest.${table} USING (${MAY_SEE})`,
    ]),
  },
  {
    version: 6,
    name: "a policy that lets a search ask its index",
    statements: [
      WANTED,
      `ALTER POLICY own_rows ON palimpsest.entries
        USING ((${MAY_SEE}) AND (palimpsest.wanted() = '' OR words LIKE palimpsest.wanted()))`,
    ],
  },
  {
    version: 7,
    name: "checksums of rows",
    statements: [
      "ALTER TABLE palimpsest.entries ADD COLUMN checksum bigint",
      "ALTER TABLE palimpsest.heads ADD COLUMN checksum bigint",
      "ALTER TABLE palimpsest.token_counts ADD COLUMN checksum bigint",
      "ALTER TABLE palimpsest.sessions ADD COLUMN checksum bigint",
      `UPDATE palimpsest.sessions SET checksum =
        last_seq + 3 * message_count + 5 * epoch + 7 * coalesce(fork_at_seq, 0) + 11 * inherited_messages`,
    ],
  },
  {
    version: 8,
    name: "checksums of everything that a list of sessions shows",
    statements: [
      "ALTER TABLE palimpsest.sessions ADD COLUMN title_checksum bigint",
      "ALTER TABLE palimpsest.sessions ADD COLUMN preview_checksum bigint",
      `UPDATE palimpsest.sessions SET title_checksum = CASE WHEN title IS NULL THEN 0 ELSE ${sumTextOf("title")} END,
        preview_checksum = ${sumTextOf("preview")},
        checksum = checksum + 13 * floor(created_at)::bigint + 17 * floor(updated_at)::bigint
          + 19 * coalesce(first_seq, 0) + 23 * coalesce(parent_key, 0)
          + 29 * CASE first_role WHEN 'system' THEN 1 WHEN 'user' THEN 2 WHEN 'assistant' THEN 3 WHEN 'tool' THEN 4 ELSE 0 END
          + ${sumTextOf("(id || chr(10) || coalesce(inherited_summary_id, '') || chr(10) || replace(lineage::text, ' ', ''))")}`,
    ],
  },
  {
    version: 9,
    name: "an index of words for recall",
    statements: [
      // Room in each page, so that a row is updated in place.
      `CREATE TABLE palimpsest.word_places (
        tenant text COLLATE "C" NOT NULL,
        session_key bigint NOT NULL,
        block integer NOT NULL,
        word integer NOT NULL,
        places text COLLATE "C" NOT NULL,
        PRIMARY KEY (tenant, session_key, block, word),
        FOREIGN KEY (tenant, session_key) REFERENCES palimpsest.sessions (tenant, session_key) ON DELETE CASCADE
      ) WITH (fillfactor = 80)`,
      `CREATE TABLE palimpsest.word_progress (
        tenant text COLLATE "C" NOT NULL,
        session_key bigint NOT NULL,
        through_seq bigint NOT NULL,
        version integer NOT NULL,
        mark text NOT NULL,
        PRIMARY KEY (tenant, session_key),
        FOREIGN KEY (tenant, session_key) REFERENCES palimpsest.sessions (tenant, session_key) ON DELETE CASCADE
      ) WITH (fillfactor = 70)`,
      ...WORD_TABLES.map((table) => `CREATE POLICY own_rows ON palimpsest.${table} USING (${MAY_SEE})`),
    ],
  },
];
