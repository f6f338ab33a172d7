/**
 * PostgreSQL statements for blobs. Equal content is stored once per tenant, and deleted with the last entry that refers
 * to it, in the same transaction. Statements that add or remove a reference lock the blob's row first, so that none is
 * deleted while another writer starts to refer to it.
 */
import { type Statement, sql } from "../sql/driver.ts";
import { isMarked } from "../sql/shared-statements.ts";
import type { ErasedEntry, HiddenSession, MarkedPlace, StoredBatch } from "../sql/sql-statements.ts";

const ofMarked = (place: MarkedPlace) => sql`FROM palimpsest.sessions s WHERE ${isMarked(place)}`;
const anyJsonValue = (values: readonly string[]) =>
  sql`ANY (ARRAY(SELECT json_array_elements_text(${JSON.stringify(values)}::json)))`;

/** Inserts the blobs of a batch and the references of its entries. */
export function insertBlobs(place: MarkedPlace, { blobs, entries }: StoredBatch): readonly Statement[] {
  const written = blobs.flatMap(({ hash, bytes, chunks }) => [
    // The update locks an existing row.
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
      WHERE ${isMarked(place)}`,
  );
  return [...written, ...references];
}

/** Deletes the blobs of an erased entry that nothing else refers to. */
export function eraseBlobs(place: MarkedPlace, { key, seq, blobs }: ErasedEntry): readonly Statement[] {
  if (blobs.length === 0) return [];
  const { tenant } = place;
  const marked = sql`EXISTS (SELECT 1 ${ofMarked(place)})`;
  const isOurs = sql`b.tenant = ${tenant} AND b.hash = ${anyJsonValue(blobs)} AND ${marked}`;
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

/** Deletes the blobs that a slice of a hidden session refers to and no other session does. */
export function deleteBlobs({ tenant, key }: HiddenSession, isInSlice: Statement): readonly Statement[] {
  const isOurs = sql`b.tenant = ${tenant} AND b.hash IN (
    SELECT hash FROM palimpsest.blob_references WHERE ${isInSlice}
  )`;
  return [
    sql`SELECT 1 FROM palimpsest.blobs b WHERE ${isOurs} ORDER BY b.hash FOR UPDATE OF b`,
    sql`
      DELETE FROM palimpsest.blobs b WHERE ${isOurs} AND NOT EXISTS (
        SELECT 1 FROM palimpsest.blob_references o
        WHERE o.tenant = b.tenant AND o.hash = b.hash AND o.session_key <> ${key}::bigint
      )`,
  ];
}
