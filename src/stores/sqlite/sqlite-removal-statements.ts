/**
 * SQLite statements that remove a hidden session. What one statement costs depends on the entries, chunks and pages
 * that it is asked to remove, never on the length of the session.
 */
import { type Statement, sql } from "../sql/driver.ts";
import type { SharedDialect } from "../sql/shared-statements.ts";
import type { HiddenSession, LocalRemoval, SqlStatements } from "../sql/sql-statements.ts";
import { deleteBlobs, isLastOwner } from "./sqlite-blob-statements.ts";
import { selectIndexed } from "./sqlite-search-statements.ts";
import { SQLITE_WORDS } from "./sqlite-word-statements.ts";

/** Rows of the word index that are removed at once. */
const WORDS_PER_SLICE = 2_000;

const isOwn = ({ tenant, key }: HiddenSession) => sql`tenant = ${tenant} AND session_key = ${key}`;

export function createRemoval(shared: SharedDialect): Pick<SqlStatements, "removeSlice" | "localRemoval"> {
  return {
    removeSlice: (session, entries) => {
      const { tenant, key } = session;
      // The seqs of a session's own entries are consecutive.
      const isInSlice = sql`${isOwn(session)} AND seq < ${entries} + (
        SELECT min(o.seq) FROM entries o WHERE o.tenant = ${tenant} AND o.session_key = ${key}
      )`;
      return [
        shared.requireHidden(session),
        sql`DELETE FROM word_progress WHERE ${isOwn(session)}`,
        SQLITE_WORDS.removeWords(session, WORDS_PER_SLICE),
        deleteIndexed(sql`SELECT entry_key FROM entries WHERE ${isInSlice}`),
        deleteBlobs(session, isInSlice),
        sql`DELETE FROM blob_references WHERE ${isInSlice}`,
        sql`DELETE FROM token_counts WHERE ${isInSlice}`,
        sql`DELETE FROM entries WHERE ${isInSlice}`,
        shared.deleteEmpty(session),
      ];
    },
    localRemoval: LOCAL_REMOVAL,
  };
}

const LOCAL_REMOVAL: LocalRemoval = {
  // One subquery for each, because SQLite finds only a single minimum or maximum by the index.
  findSeqs: (session) => sql`
    SELECT (SELECT min(seq) FROM entries WHERE ${isOwn(session)}) AS first,
      (SELECT max(seq) FROM entries WHERE ${isOwn(session)}) AS last`,

  // Without a subquery for the entries, which would read their texts.
  measureEntries: ({ tenant, key }, entries) => sql`
    SELECT octet_length(e.content) + coalesce(octet_length(t.text), 0) AS bytes, EXISTS (
      SELECT 1 FROM blob_references r WHERE r.tenant = e.tenant AND r.session_key = e.session_key AND r.seq = e.seq
    ) AS has_blobs
    FROM entries e LEFT JOIN message_texts t ON t.entry_key = e.entry_key
    WHERE e.tenant = ${tenant} AND e.session_key = ${key} ORDER BY e.seq LIMIT ${entries}`,

  unindex: ({ tenant, key }, { fromSeq, throughSeq, step }) => {
    const entries = sql`
      WITH RECURSIVE places (seq) AS (
        SELECT ${fromSeq} UNION ALL SELECT seq + ${step} FROM places WHERE seq + ${step} <= ${throughSeq}
      )
      SELECT e.entry_key FROM places
      CROSS JOIN entries e ON e.tenant = ${tenant} AND e.session_key = ${key} AND e.seq = places.seq`;
    return [sql`DELETE FROM pending_texts WHERE entry_key IN (${entries})`, deleteIndexed(entries)];
  },

  removeChunks: (session, { entries, chunks }) => sql`
    DELETE FROM blob_chunks WHERE rowid IN (
      SELECT c.rowid FROM (
        SELECT DISTINCT r.tenant, r.hash
        FROM (SELECT tenant, session_key, seq FROM entries WHERE ${isOwn(session)} ORDER BY seq LIMIT ${entries}) AS oldest
        JOIN blob_references r USING (tenant, session_key, seq)
      ) AS shown
      CROSS JOIN blob_chunks c ON c.tenant = shown.tenant AND c.hash = shown.hash
      WHERE ${isLastOwner(session, sql`shown`)} LIMIT ${chunks}
    ) RETURNING number`,
};

function deleteIndexed(entries: Statement): Statement {
  return sql`DELETE FROM text_index WHERE rowid IN (${selectIndexed(sql`t.entry_key IN (${entries})`)})`;
}
