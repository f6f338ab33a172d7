/**
 * Blobs, said to PostgreSQL. One is there once for each content of a tenant, and goes with the last entry that refers to
 * it, in the same transaction. Whoever writes a reference or takes one away holds the blob's row first, so that none
 * goes while somebody else begins to refer to it: the statement after the lock sees what others have written.
 */
import { type Statement, sql } from "../sql/driver.ts";
import type { ErasedEntry, MarkedPlace, SqlStatements, StoredBatch } from "../sql/sql-statements.ts";

const ofMarked = ({ tenant, id, mark }: MarkedPlace) =>
  sql`FROM palimpsest.sessions s WHERE s.tenant = ${tenant} AND s.id = ${id} AND s.mark = ${mark}`;
const list = (values: readonly string[]) =>
  sql`ANY (ARRAY(SELECT json_array_elements_text(${JSON.stringify(values)}::json)))`;

export const POSTGRES_BLOBS: Pick<SqlStatements, "readBlob"> = {
  readBlob: (tenant, hash) => sql`
    SELECT c.data FROM palimpsest.blob_chunks c WHERE c.tenant = ${tenant} AND c.hash = ${hash} ORDER BY c.number`,
};

/** What a batch brings, and what its entries refer to. */
export function insertBlobs(place: MarkedPlace, { blobs, entries }: StoredBatch): readonly Statement[] {
  const written = blobs.flatMap(({ hash, bytes, chunks }) => [
    // Writing what is there already holds it.
    sql`
      INSERT INTO palimpsest.blobs (tenant, hash, bytes) SELECT s.tenant, ${hash}, ${bytes}::bigint ${ofMarked(place)}
      ON CONFLICT (tenant, hash) DO UPDATE SET bytes = excluded.bytes`,
    ...chunks.map(
      (data, number) => sql`
        INSERT INTO palimpsest.blob_chunks (tenant, hash, number, data)
        SELECT s.tenant, ${hash}, ${number}::integer, ${data}::bytea ${ofMarked(place)}
        ON CONFLICT (tenant, hash, number) DO NOTHING`,
    ),
  ]);
  const referring = entries.filter((entry) => entry.blobs.length > 0);
  const references = referring.map(
    ({ blobs: hashes, followedBy }) => sql`
      INSERT INTO palimpsest.blob_references (tenant, hash, session_key, seq)
      SELECT s.tenant, b.hash, s.session_key, s.last_seq - ${followedBy}::bigint
      FROM palimpsest.sessions s CROSS JOIN json_array_elements_text(${JSON.stringify(hashes)}::json) AS b (hash)
      WHERE s.tenant = ${place.tenant} AND s.id = ${place.id} AND s.mark = ${place.mark}`,
  );
  return [...written, ...references];
}

/** What an erased entry referred to, where nothing else does. */
export function eraseBlobs(place: MarkedPlace, { key, seq, blobs }: ErasedEntry): readonly Statement[] {
  if (blobs.length === 0) return [];
  const { tenant } = place;
  const marked = sql`EXISTS (SELECT 1 ${ofMarked(place)})`;
  const isOurs = sql`b.tenant = ${tenant} AND b.hash = ${list(blobs)} AND ${marked}`;
  return [
    sql`SELECT 1 FROM palimpsest.blobs b WHERE ${isOurs} ORDER BY b.hash FOR UPDATE OF b`,
    sql`
      DELETE FROM palimpsest.blob_references r
      WHERE r.tenant = ${tenant} AND r.session_key = ${key}::bigint AND r.seq = ${seq}::bigint AND ${marked}`,
    sql`
      DELETE FROM palimpsest.blobs b WHERE ${isOurs}
      AND NOT EXISTS (SELECT 1 FROM palimpsest.blob_references r WHERE r.tenant = b.tenant AND r.hash = b.hash)`,
  ];
}

/** Before a session goes: what only it refers to. */
export function deleteBlobs(place: MarkedPlace): readonly Statement[] {
  const { tenant } = place;
  const ours = sql`(SELECT s.session_key ${ofMarked(place)})`;
  const isOurs = sql`b.tenant = ${tenant} AND b.hash IN (
    SELECT r.hash FROM palimpsest.blob_references r WHERE r.tenant = ${tenant} AND r.session_key = ${ours}
  )`;
  return [
    sql`SELECT 1 FROM palimpsest.blobs b WHERE ${isOurs} ORDER BY b.hash FOR UPDATE OF b`,
    sql`
      DELETE FROM palimpsest.blobs b WHERE ${isOurs} AND NOT EXISTS (
        SELECT 1 FROM palimpsest.blob_references o
        WHERE o.tenant = b.tenant AND o.hash = b.hash AND o.session_key <> ${ours}
      )`,
  ];
}
