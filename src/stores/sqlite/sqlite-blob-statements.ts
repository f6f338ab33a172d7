/** SQLite statements for blobs. Each is stored once per tenant and deleted with the last entry that refers to it. */
import { type Statement, sql } from "../sql/driver.ts";
import { isMarked } from "../sql/shared-statements.ts";
import type { AppendSteps, ErasedEntry, HiddenSession, MarkedPlace } from "../sql/sql-statements.ts";

const ofMarked = (place: MarkedPlace) => sql`FROM sessions s WHERE ${isMarked(place)}`;
const selectJsonValues = (values: readonly string[]) => sql`(SELECT value FROM json_each(${JSON.stringify(values)}))`;

export const SQLITE_BLOBS: Pick<AppendSteps, "insertBlob" | "insertReferences"> = {
  insertBlob: (place, { hash, bytes, chunks }) => [
    sql`INSERT INTO blobs (tenant, hash, bytes) SELECT s.tenant, ${hash}, ${bytes} ${ofMarked(place)}
      ON CONFLICT (tenant, hash) DO NOTHING`,
    ...chunks.map(
      (data, number) => sql`
        INSERT INTO blob_chunks (tenant, hash, number, data)
        SELECT s.tenant, ${hash}, ${number}, ${data} ${ofMarked(place)}
        ON CONFLICT (tenant, hash, number) DO NOTHING`,
    ),
  ],

  insertReferences: (place, { blobs, followedBy }) => sql`
    INSERT INTO blob_references (tenant, hash, session_key, seq)
    SELECT s.tenant, b.value, s.session_key, s.last_seq - ${followedBy}
    FROM json_each(${JSON.stringify(blobs)}) b CROSS JOIN sessions s
    WHERE ${isMarked(place)}`,
};

export function eraseBlobs(place: MarkedPlace, { key, seq, blobs }: ErasedEntry): readonly Statement[] {
  if (blobs.length === 0) return [];
  const { tenant } = place;
  const marked = sql`EXISTS (SELECT 1 ${ofMarked(place)})`;
  return [
    sql`DELETE FROM blob_references WHERE tenant = ${tenant} AND session_key = ${key} AND seq = ${seq} AND ${marked}`,
    sql`
      DELETE FROM blobs WHERE tenant = ${tenant} AND hash IN ${selectJsonValues(blobs)} AND ${marked}
      AND NOT EXISTS (SELECT 1 FROM blob_references r WHERE r.tenant = blobs.tenant AND r.hash = blobs.hash)`,
  ];
}

export function deleteBlobs(session: HiddenSession, isInSlice: Statement): Statement {
  return sql`
    DELETE FROM blobs WHERE tenant = ${session.tenant} AND hash IN (SELECT hash FROM blob_references WHERE ${isInSlice})
    AND ${isLastOwner(session, sql`blobs`)}`;
}

/** Condition on a table with a blob's tenant and hash: no other session refers to it. */
export function isLastOwner({ key }: HiddenSession, blob: Statement): Statement {
  return sql`NOT EXISTS (
    SELECT 1 FROM blob_references o
    WHERE o.tenant = ${blob}.tenant AND o.hash = ${blob}.hash AND o.session_key <> ${key}
  )`;
}
