/** Taking an entry's text away for good: from the log, from searches and from previews, its forks' included. */
import { type Statement, sql } from "../sql/driver.ts";
import type { ErasedEntry } from "../sql/sql-statements.ts";

interface Erase {
  readonly erased: ErasedEntry;
  readonly tenant: string;
  /** Holds for the session that the batch writes to, where it may. */
  readonly isMarked: Statement;
}

export function eraseEntry({ erased, tenant, isMarked }: Erase): readonly Statement[] {
  const { key, seq, hash, content } = erased;
  const marked = sql`EXISTS (SELECT 1 FROM palimpsest.sessions s WHERE ${isMarked})`;
  const reads = sql`EXISTS (
    SELECT 1 FROM jsonb_array_elements(f.lineage) AS l (pair)
    WHERE (l.pair ->> 0)::bigint = ${key}::bigint AND (l.pair ->> 1)::bigint >= ${seq}::bigint
  )`;
  return [
    sql`
      UPDATE palimpsest.entries e SET hash = ${hash}, content = ${content}, words = NULL
      WHERE e.tenant = ${tenant} AND e.session_key = ${key}::bigint AND e.seq = ${seq}::bigint AND ${marked}`,
    sql`
      UPDATE palimpsest.sessions f SET preview = '' WHERE ${marked} AND f.tenant = ${tenant}
      AND f.first_seq = ${seq}::bigint AND (f.session_key = ${key}::bigint OR (f.parent_key IS NOT NULL AND ${reads}))`,
  ];
}
