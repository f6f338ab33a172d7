/** Statements that SQLite and PostgreSQL share, but for names of tables and the clock. Casts are for PostgreSQL. */
import { ENTRY_TYPES } from "../../core/log/entry.ts";
import { sumSession } from "./checksums.ts";
import { guard, rawSql, type Statement, sql } from "./driver.ts";
import type { MarkedPlace, NewSession, SessionPlace, SharedStatements } from "./sql-statements.ts";

export interface SharedDialect extends SharedStatements {
  /** Columns of a summary and their tables, without a condition. */
  readonly summary: Statement;
  /** Guard of `deleteSession`. */
  markDeleted(place: MarkedPlace): Statement;
  deleteMarked(place: MarkedPlace): Statement;
}

interface SharedOptions {
  /** Prefix of the tables' names. */
  readonly schema: string;
  /** The database's clock in epoch milliseconds. */
  readonly now: Statement;
}

export const isPlace = ({ tenant, id }: SessionPlace): Statement => sql`s.tenant = ${tenant} AND s.id = ${id}`;
export const isMarked = ({ mark, ...place }: MarkedPlace): Statement => sql`${isPlace(place)} AND s.mark = ${mark}`;

const UNSHOWN_TYPES = ENTRY_TYPES.filter((type) => type !== "message" && type !== "note");
/** Messages and notes; also entries of an unknown type, which are damaged and may have been messages. */
export const IS_SHOWN = rawSql(`e.type NOT IN (${UNSHOWN_TYPES.map((type) => `'${type}'`).join(", ")})`);

export function sumNewSession({ messageCount, epoch, fork }: Pick<NewSession, "messageCount" | "epoch" | "fork">) {
  const atSeq = fork?.atSeq ?? 0;
  return sumSession({ lastSeq: atSeq, messageCount, epoch, forkAtSeq: atSeq, inheritedMessages: messageCount });
}

/** Marks a statement that changes nothing when it is sent a second time. */
export function repeatable(statement: Statement): Statement {
  return { ...statement, isRepeatable: true };
}

export function createSharedStatements({ schema, now }: SharedOptions): SharedDialect {
  const table = (name: string) => rawSql(schema + name);
  const sessions = table("sessions");
  const parents = sql`LEFT JOIN ${sessions} p ON p.tenant = s.tenant AND p.session_key = s.parent_key`;
  const summary = sql`
    SELECT s.id, s.title, s.created_at, s.updated_at, s.message_count, s.preview, s.first_role, s.fork_at_seq,
      s.inherited_summary_id, p.id AS parent_id
    FROM ${sessions} s ${parents}`;
  const clock = (nowMs: number | null) =>
    sql`(SELECT coalesce(CAST(${nowMs} AS double precision), ${now}) AS now) AS clock`;
  return {
    summary,

    findSession: (place) => sql`
      SELECT s.session_key, s.id, s.title, s.created_at, s.fork_at_seq, s.inherited_summary_id, s.last_seq, s.epoch,
        s.fence, s.lineage, s.message_count, s.inherited_messages, s.checksum, p.id AS parent_id
      FROM ${sessions} s ${parents} WHERE ${isPlace(place)}`,

    findHead: (place) => sql`
      SELECT h.head, h.view_from_seq, h.floor_seq, h.folded_through_seq, h.kept, h.checksum FROM ${sessions} s
      JOIN ${table("heads")} h ON h.tenant = s.tenant AND h.session_key = s.session_key
      WHERE ${isPlace(place)}`,

    listForks: (place) => sql`
      SELECT f.id FROM ${sessions} s JOIN ${sessions} f ON f.tenant = s.tenant AND f.parent_key = s.session_key
      WHERE ${isPlace(place)} ORDER BY f.session_key`,

    findSummary: (place) => sql`${summary} WHERE ${isPlace(place)}`,

    renameSession: (place, title) =>
      repeatable(
        guard(sql`UPDATE ${sessions} AS s SET title = ${title} WHERE ${isPlace(place)} RETURNING session_key`),
      ),

    markDeleted: (place) =>
      guard(sql`
        UPDATE ${sessions} AS s SET mark = ${place.mark} WHERE ${isPlace(place)} AND NOT EXISTS (
          SELECT 1 FROM ${sessions} f WHERE f.tenant = s.tenant AND f.parent_key = s.session_key
        ) RETURNING session_key`),

    deleteMarked: (place) => sql`DELETE FROM ${sessions} AS s WHERE ${isMarked(place)}`,

    readBlob: (tenant, hash) => sql`
      SELECT c.data FROM ${table("blob_chunks")} c WHERE c.tenant = ${tenant} AND c.hash = ${hash} ORDER BY c.number`,

    countTenant: (tenant) => [
      sql`
        SELECT count(*) AS sessions, CAST(coalesce(sum(last_seq - coalesce(fork_at_seq, 0)), 0) AS bigint) AS entries,
          CAST(coalesce(sum(message_count - inherited_messages), 0) AS bigint) AS messages
        FROM ${sessions} WHERE tenant = ${tenant}`,
      sql`
        SELECT count(*) AS blobs, CAST(coalesce(sum(bytes), 0) AS bigint) AS bytes
        FROM ${table("blobs")} WHERE tenant = ${tenant}`,
    ],

    // If the clock was set back before the grant, the lease's age is unknown and it is granted.
    lease: (place, { token, ttlMs, nowMs }) =>
      repeatable(
        guard(sql`
        UPDATE ${sessions} AS s SET fence = s.fence + 1, lease_token = ${token}, lease_from = clock.now,
          lease_until = clock.now + CAST(${ttlMs} AS double precision)
        FROM ${clock(nowMs)} WHERE ${isPlace(place)} AND (
          s.lease_token IS NULL OR s.lease_token = ${token} OR s.lease_until <= clock.now OR s.lease_from > clock.now
        ) RETURNING fence`),
      ),

    renew: (place, { token, ttlMs, nowMs }) =>
      repeatable(
        guard(sql`
        UPDATE ${sessions} AS s SET lease_from = clock.now,
          lease_until = clock.now + CAST(${ttlMs} AS double precision)
        FROM ${clock(nowMs)} WHERE ${isPlace(place)} AND s.lease_token = ${token} RETURNING fence`),
      ),

    release: (place, token) =>
      repeatable(
        guard(sql`
        UPDATE ${sessions} AS s SET lease_token = NULL
        WHERE ${isPlace(place)} AND s.lease_token = ${token} RETURNING fence`),
      ),
  };
}
