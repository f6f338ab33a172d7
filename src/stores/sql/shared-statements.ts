/** Statements that SQLite and PostgreSQL share, except for table names and the clock. Casts are for PostgreSQL. */
import { ENTRY_TYPES, isShownType } from "../../core/log/entry.ts";
import { checksumSession, sumText } from "./checksums.ts";
import { guard, rawSql, type Statement, sql } from "./driver.ts";
import type { HiddenSession, MarkedPlace, NewSession, SessionPlace, SharedStatements } from "./sql-statements.ts";

export interface SharedDialect extends SharedStatements {
  /** Columns of a summary and their tables, without a condition. */
  readonly summary: Statement;
  /** Guard of `removeSlice`. */
  requireHidden(session: HiddenSession): Statement;
  /** Deletes a hidden session that has no entries left. */
  deleteEmpty(session: HiddenSession): Statement;
}

interface SharedOptions {
  /** Prefix of the tables' names. */
  readonly schema: string;
  /** The database's clock in epoch milliseconds. */
  readonly now: Statement;
}

/** SQL condition that selects the row of a session. */
export const isThisSession = ({ tenant, id }: SessionPlace): Statement => sql`s.tenant = ${tenant} AND s.id = ${id}`;
export const isMarked = ({ mark, ...place }: MarkedPlace): Statement =>
  sql`${isThisSession(place)} AND s.mark = ${mark}`;

const UNSHOWN_TYPES = ENTRY_TYPES.filter((type) => !isShownType(type));
/** Messages, notes and recalls; also entries of an unknown type, which are damaged and may have been messages. */
export const IS_SHOWN = rawSql(`e.type NOT IN (${UNSHOWN_TYPES.map((type) => `'${type}'`).join(", ")})`);

/** Computes the checksum of a new session, without the columns that a fork copies from its parent's row. */
export function checksumNewSession(id: string, { createdAt, messageCount, epoch, fork }: NewSession): number {
  const { atSeq = 0, parentKey = 0, inheritedSummaryId = null, lineage = "[]" } = fork ?? {};
  const figures = {
    last_seq: atSeq,
    message_count: messageCount,
    epoch,
    fork_at_seq: atSeq,
    inherited_messages: messageCount,
    created_at: createdAt,
    updated_at: createdAt,
    parent_key: parentKey,
  };
  return checksumSession(figures, { id, inheritedSummaryId, lineage });
}

/** Prefix of the ids of hidden sessions. No stored text contains it: after the escape there are hexadecimal digits. */
const HIDDEN = "\u001adeleted ";
const AFTER_HIDDEN = "\u001adeleted!";
const isHidden = sql`s.id >= ${HIDDEN} AND s.id < ${AFTER_HIDDEN}`;
/** Condition on a session `s`: it is not being deleted. */
export const isVisible = sql`(s.id < ${HIDDEN} OR s.id >= ${AFTER_HIDDEN})`;

/** Returns whether a stored id is the one of a session that is being deleted. */
export function isHiddenId(id: string): boolean {
  return id.startsWith(HIDDEN);
}

/** Selects the keys of a tenant's hidden sessions; usually there are none. */
export function selectHiddenKeys(tenant: string, schema = ""): Statement {
  return sql`SELECT s.session_key FROM ${rawSql(`${schema}sessions`)} s WHERE s.tenant = ${tenant} AND ${isHidden}`;
}

/** Marks a statement that changes nothing when it is sent a second time. */
export function markRepeatable(statement: Statement): Statement {
  return { ...statement, isRepeatable: true };
}

export function createSharedStatements({ schema, now }: SharedOptions): SharedDialect {
  const table = (name: string) => rawSql(schema + name);
  const sessions = table("sessions");
  const parents = sql`LEFT JOIN ${sessions} p ON p.tenant = s.tenant AND p.session_key = s.parent_key`;
  const columns = sql`s.session_key, s.id, s.title, s.created_at, s.updated_at, s.message_count, s.first_seq,
    s.first_role, s.parent_key, s.fork_at_seq, s.inherited_messages, s.inherited_summary_id, s.last_seq, s.epoch,
    s.fence, s.lineage, s.checksum, s.title_checksum, p.id AS parent_id`;
  const summary = sql`SELECT ${columns}, s.preview, s.preview_checksum FROM ${sessions} s ${parents}`;
  const clock = (nowMs: number | null) =>
    sql`(SELECT coalesce(CAST(${nowMs} AS double precision), ${now}) AS now) AS clock`;
  return {
    summary,

    findSession: (place) => sql`SELECT ${columns} FROM ${sessions} s ${parents} WHERE ${isThisSession(place)}`,

    findHead: (place) => sql`
      SELECT h.head, h.view_from_seq, h.floor_seq, h.folded_through_seq, h.kept, h.checksum FROM ${sessions} s
      JOIN ${table("heads")} h ON h.tenant = s.tenant AND h.session_key = s.session_key
      WHERE ${isThisSession(place)}`,

    listForks: (place) => sql`
      SELECT f.id FROM ${sessions} s JOIN ${sessions} f ON f.tenant = s.tenant AND f.parent_key = s.session_key
      WHERE ${isThisSession(place)} ORDER BY f.session_key`,

    findSummary: (place) => sql`${summary} WHERE ${isThisSession(place)}`,

    renameSession: (place, title) =>
      markRepeatable(
        guard(sql`UPDATE ${sessions} AS s SET title = ${title}, title_checksum = ${sumText(title)}
          WHERE ${isThisSession(place)} RETURNING session_key`),
      ),

    // Removes the parent's key, so that a hidden fork does not keep its parent from being deleted.
    hideSession: (place) =>
      guard(sql`
        UPDATE ${sessions} AS s SET id = ${HIDDEN + place.mark}, mark = ${HIDDEN + place.mark}, parent_key = NULL
        WHERE ${isThisSession(place)} AND NOT EXISTS (
          SELECT 1 FROM ${sessions} f WHERE f.tenant = s.tenant AND f.parent_key = s.session_key
        ) RETURNING session_key`),

    // Goes from tenant to tenant by the index of ids, so that it does not read all sessions.
    findHidden: () => sql`
      WITH RECURSIVE tenants (tenant) AS (
        SELECT min(tenant) FROM ${sessions}
        UNION ALL
        SELECT (SELECT min(n.tenant) FROM ${sessions} n WHERE n.tenant > tenants.tenant) FROM tenants
        WHERE tenants.tenant IS NOT NULL
      )
      SELECT s.tenant, s.session_key FROM tenants JOIN ${sessions} s ON s.tenant = tenants.tenant WHERE ${isHidden}`,

    requireHidden: ({ tenant, key }) =>
      guard(sql`
        SELECT s.session_key FROM ${sessions} s WHERE s.tenant = ${tenant} AND s.session_key = ${key} AND ${isHidden}`),

    deleteEmpty: ({ tenant, key }) => sql`
      DELETE FROM ${sessions} AS s WHERE s.tenant = ${tenant} AND s.session_key = ${key} AND ${isHidden} AND NOT EXISTS (
        SELECT 1 FROM ${table("entries")} e WHERE e.tenant = s.tenant AND e.session_key = s.session_key
      ) AND NOT EXISTS (
        SELECT 1 FROM ${table("word_places")} w WHERE w.tenant = s.tenant AND w.session_key = s.session_key
      )`,

    readBlob: (tenant, hash) => sql`
      SELECT c.data FROM ${table("blob_chunks")} c WHERE c.tenant = ${tenant} AND c.hash = ${hash} ORDER BY c.number`,

    countTenant: (tenant) => [
      sql`
        SELECT count(*) AS sessions, CAST(coalesce(sum(last_seq - coalesce(fork_at_seq, 0)), 0) AS bigint) AS entries,
          CAST(coalesce(sum(message_count - inherited_messages), 0) AS bigint) AS messages
        FROM ${sessions} s WHERE tenant = ${tenant} AND ${isVisible}`,
      sql`
        SELECT count(*) AS blobs, CAST(coalesce(sum(bytes), 0) AS bigint) AS bytes
        FROM ${table("blobs")} b WHERE b.tenant = ${tenant} AND EXISTS (
          SELECT 1 FROM ${table("blob_references")} r WHERE r.tenant = b.tenant AND r.hash = b.hash
          AND r.session_key NOT IN (${selectHiddenKeys(tenant, schema)})
        )`,
    ],

    // If the clock was set back before the grant, the lease's age is unknown and it is granted.
    lease: (place, { token, ttlMs, nowMs }) =>
      markRepeatable(
        guard(sql`
        UPDATE ${sessions} AS s SET fence = s.fence + 1, lease_token = ${token}, lease_from = clock.now,
          lease_until = clock.now + CAST(${ttlMs} AS double precision)
        FROM ${clock(nowMs)} WHERE ${isThisSession(place)} AND (
          s.lease_token IS NULL OR s.lease_token = ${token} OR s.lease_until <= clock.now OR s.lease_from > clock.now
        ) RETURNING fence`),
      ),

    renew: (place, { token, ttlMs, nowMs }) =>
      markRepeatable(
        guard(sql`
        UPDATE ${sessions} AS s SET lease_from = clock.now,
          lease_until = clock.now + CAST(${ttlMs} AS double precision)
        FROM ${clock(nowMs)} WHERE ${isThisSession(place)} AND s.lease_token = ${token} RETURNING fence`),
      ),

    release: (place, token) =>
      markRepeatable(
        guard(sql`
        UPDATE ${sessions} AS s SET lease_token = NULL
        WHERE ${isThisSession(place)} AND s.lease_token = ${token} RETURNING fence`),
      ),
  };
}
