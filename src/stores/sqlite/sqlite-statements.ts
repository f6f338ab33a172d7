/**
 * SQLite statements, also used for D1. A statement has at most 100 bound values, so lists are passed as JSON. Every
 * statement names its tenant and uses an index: its cost depends on what it returns.
 */
import type { Role } from "../../core/message/message.ts";
import type { Stretch } from "../../ports/store.ts";
import { setFigures, sumColumns, sumText } from "../sql/checksums.ts";
import { guard, rawSql, type Statement, sql } from "../sql/driver.ts";
import {
  checksumNewSession,
  createSharedStatements,
  IS_SHOWN,
  isMarked,
  isThisSession,
  isVisible,
  selectHiddenKeys,
} from "../sql/shared-statements.ts";
import type {
  AppendSteps,
  LogSegment,
  MarkedPlace,
  SeqClaim,
  SqlStatements,
  StoredBatch,
  StoredHead,
} from "../sql/sql-statements.ts";
import { eraseBlobs, SQLITE_BLOBS } from "./sqlite-blob-statements.ts";
import { createRemoval } from "./sqlite-removal-statements.ts";
import { SQLITE_SEARCH, selectIndexed } from "./sqlite-search-statements.ts";
import { SQLITE_WORDS } from "./sqlite-word-statements.ts";

const RECOUNTS = sql`CASE WHEN s.recounted = 1 THEN (
  SELECT json_group_array(json_array(c.counter_id, c.tokens, c.checksum)) FROM token_counts c
  WHERE c.tenant = e.tenant AND c.session_key = e.session_key AND c.seq = e.seq
) END AS recounts`;
const ENTRY_COLUMNS = sql`e.seq, e.session_key, e.id, e.type, e.at, e.hash, e.tokens, e.content, e.checksum, ${RECOUNTS}`;

const selectJsonValues = (values: readonly (string | number)[]) =>
  sql`(SELECT value FROM json_each(${JSON.stringify(values)}))`;
const ofSegment = ({ tenant, key, throughSeq }: LogSegment) =>
  sql`s.tenant = ${tenant} AND s.session_key = ${key} AND e.seq <= ${throughSeq}`;
/** The same for entries that are not found by seq: SQLite uses no index on `+e.seq`. */
const withinSegment = ({ tenant, key, throughSeq }: LogSegment) =>
  sql`s.tenant = ${tenant} AND s.session_key = ${key} AND +e.seq <= ${throughSeq}`;
const pairs = (stretches: readonly Stretch[]) =>
  JSON.stringify(stretches.map(({ firstSeq, lastSeq }) => [firstSeq, lastSeq]));
const FROM_SEGMENT = sql`FROM sessions s
  CROSS JOIN entries e ON e.tenant = s.tenant AND e.session_key = s.session_key`;
const SHARED = createSharedStatements({ schema: "", now: sql`unixepoch('subsec') * 1000` });

export const SQLITE_STATEMENTS: SqlStatements & AppendSteps = {
  ...SQLITE_SEARCH,
  ...SQLITE_BLOBS,
  ...SQLITE_WORDS,
  ...SHARED,
  ...createRemoval(SHARED),

  insertSession: ({ tenant, id, mark }, session) => {
    const { title, createdAt, messageCount, epoch, fork } = session;
    const columns = sql`tenant, id, title, title_checksum, created_at, updated_at, message_count, inherited_messages,
      epoch, mark, checksum`;
    const values = sql`${tenant}, ${id}, ${title}, ${sumText(title)}, ${createdAt}, ${createdAt}, ${messageCount},
      ${messageCount}, ${epoch}, ${mark}, ${checksumNewSession(id, session)}`;
    if (fork === undefined) {
      return guard(sql`INSERT INTO sessions (${columns}, last_seq, preview_checksum) VALUES (${values}, 0, ${NO_PREVIEW})
        ON CONFLICT (tenant, id) DO NOTHING RETURNING session_key`);
    }
    const { atSeq, parentKey, inheritedSummaryId, lineage } = fork;
    const inherit = (column: string, otherwise: string | number | null) =>
      sql`iif(p.first_seq <= ${atSeq}, p.${rawSql(column)}, ${otherwise})`;
    const first = { first_seq: inherit("first_seq", null), first_role: inherit("first_role", null) };
    return guard(sql`
      INSERT INTO sessions (${columns}, last_seq, parent_key, fork_at_seq, inherited_summary_id, lineage,
        first_seq, first_role, preview, preview_checksum)
      SELECT ${values} + ${sumColumns(first)}, ${atSeq}, p.session_key, ${atSeq}, ${inheritedSummaryId}, ${lineage},
        ${first.first_seq}, ${first.first_role}, ${inherit("preview", "")}, ${inherit("preview_checksum", NO_PREVIEW)}
      FROM sessions p WHERE p.tenant = ${tenant} AND p.session_key = ${parentKey}
      AND p.session_key NOT IN (${selectHiddenKeys(tenant)})
      ON CONFLICT (tenant, id) DO NOTHING RETURNING session_key`);
  },

  insertHead: (place, { head, floorSeq, foldedThroughSeq, viewFromSeq, kept, checksum }) => sql`
    INSERT INTO heads (tenant, session_key, floor_seq, folded_through_seq, view_from_seq, kept, head, checksum)
    SELECT s.tenant, s.session_key, ${floorSeq}, ${foldedThroughSeq}, ${viewFromSeq}, ${kept}, ${head}, ${checksum}
    FROM sessions s WHERE ${isMarked(place)}`,

  listSessions: (tenant, { limit, after }) => {
    const older = after === undefined ? sql`` : sql`AND (s.updated_at, s.id) < (${after.updatedAt}, ${after.id})`;
    return sql`${SHARED.summary} WHERE s.tenant = ${tenant} AND ${isVisible} ${older} ORDER BY s.updated_at DESC, s.id DESC LIMIT ${limit}`;
  },

  append: (place, batch) => appendInSteps(SQLITE_STATEMENTS, { place, batch }),

  claim: (place, claim) => guard(claimSeqs(place, claim)),

  insertEntry: (place, { id, type, at, hash, content, tokens, followedBy, checksum }) => sql`
    INSERT INTO entries (tenant, session_key, seq, type, at, id, hash, content, tokens, checksum)
    SELECT s.tenant, s.session_key, s.last_seq - ${followedBy}, ${type}, ${at}, ${id}, ${hash}, ${content}, ${tokens},
      ${checksum} + s.last_seq - ${followedBy} + s.session_key
    FROM sessions s WHERE ${isMarked(place)}`,

  updateHead: (place, head) => sql`${setHead(head)} AND ${isMarked(place)}`,

  restoreHead: (place, head, damaged) =>
    guard(
      sql`${setHead(head)} AND ${isThisSession(place)} AND heads.checksum = ${damaged} RETURNING heads.session_key`,
    ),

  eraseEntry: (place, erased) => {
    const { key, seq, hash, content, checksum } = erased;
    const marked = sql`EXISTS (SELECT 1 FROM sessions s WHERE ${isMarked(place)})`;
    const isEntry = sql`e.tenant = ${place.tenant} AND e.session_key = ${key} AND e.seq = ${seq}`;
    const reads = sql`EXISTS (
      SELECT 1 FROM json_each(f.lineage) l WHERE l.value ->> 0 = ${key} AND l.value ->> 1 >= ${seq}
    )`;
    return [
      ...eraseBlobs(place, erased),
      sql`
        UPDATE entries AS e SET hash = ${hash}, content = ${content}, checksum = ${checksum} + e.seq + e.session_key
        WHERE ${isEntry} AND ${marked}`,
      sql`
        DELETE FROM text_index WHERE ${marked} AND rowid IN (
          ${selectIndexed(sql`t.entry_key = (SELECT e.entry_key FROM entries e WHERE ${isEntry})`)}
        )`,
      sql`
        DELETE FROM message_texts WHERE ${marked}
        AND entry_key = (SELECT e.entry_key FROM entries e WHERE ${isEntry})`,
      sql`
        UPDATE sessions AS f SET preview = '', preview_checksum = ${NO_PREVIEW} WHERE ${marked}
        AND f.tenant = ${place.tenant} AND f.session_key = ${key} AND f.first_seq = ${seq}`,
      sql`
        UPDATE sessions AS f SET preview = '', preview_checksum = ${NO_PREVIEW} WHERE ${marked}
        AND f.tenant = ${place.tenant} AND f.parent_key IS NOT NULL AND f.first_seq = ${seq} AND ${reads}`,
    ];
  },

  readViewEntries: (place, { afterSeq, count }) => {
    const after = afterSeq === undefined ? sql`h.view_from_seq` : sql`${afterSeq}`;
    return sql`
      SELECT ${ENTRY_COLUMNS} FROM sessions s
      CROSS JOIN heads h ON h.tenant = s.tenant AND h.session_key = s.session_key
      CROSS JOIN entries e ON e.tenant = s.tenant AND e.session_key = s.session_key
        AND e.seq > ${after} AND e.seq <= ${after} + ${count}
      WHERE ${isThisSession(place)}
      AND ((e.seq > h.folded_through_seq AND e.type <> 'summary') OR (${IS_SHOWN} AND e.seq > h.floor_seq))
      ORDER BY e.seq`;
  },

  readKeptEntries: (place) => sql`
    SELECT ${ENTRY_COLUMNS} FROM sessions s
    CROSS JOIN heads h ON h.tenant = s.tenant AND h.session_key = s.session_key
    CROSS JOIN json_each(h.kept) k
    CROSS JOIN entries e ON e.tenant = s.tenant AND e.session_key = s.session_key AND e.seq = k.value
    WHERE ${isThisSession(place)} ORDER BY e.seq`,

  readEntries: (segment, { afterSeq = 0, throughSeq, types, limit = NO_LIMIT, newestFirst }) => {
    // One bound on each side: with two, SQLite might use the wider one.
    const narrowed = { ...segment, throughSeq: Math.min(throughSeq ?? segment.throughSeq, segment.throughSeq) };
    const ranged = sql`${ofSegment(narrowed)} AND e.seq > ${afterSeq}`;
    const ordered = sql`ORDER BY e.seq ${newestFirst === true ? sql`DESC` : sql`ASC`} LIMIT ${limit}`;
    const ofType = types === undefined ? sql`` : sql`AND e.type IN ${selectJsonValues(types)}`;
    if (types === undefined || types.includes("message")) {
      return sql`
        SELECT ${ENTRY_COLUMNS} ${FROM_SEGMENT} WHERE ${ranged} ${ofType} ${ordered}`;
    }
    // Entries other than messages are few and indexed by type.
    return sql`
      SELECT ${ENTRY_COLUMNS} FROM sessions s
      CROSS JOIN json_each(${JSON.stringify([...new Set(types)])}) k
      CROSS JOIN entries e INDEXED BY entries_rare
        ON e.tenant = s.tenant AND e.session_key = s.session_key AND e.type = k.value AND e.type <> 'message'
      WHERE ${ranged} ${ordered}`;
  },

  readEntriesAt: (segment, seqs) => sql`
    SELECT ${ENTRY_COLUMNS} ${FROM_SEGMENT}
    WHERE ${ofSegment(segment)} AND e.seq IN ${selectJsonValues(seqs)} ORDER BY e.seq`,

  readMessagesAt: (segment, seqs) => sql`
    SELECT ${ENTRY_COLUMNS} ${FROM_SEGMENT}
    WHERE ${ofSegment(segment)} AND e.seq IN ${selectJsonValues(seqs)} AND e.type = 'message' ORDER BY e.seq`,

  readEntriesById: (segment, ids) => sql`
    SELECT ${ENTRY_COLUMNS} ${FROM_SEGMENT} WHERE ${withinSegment(segment)} AND e.id IN ${selectJsonValues(ids)}`,

  countSeqs: (segment, { afterSeq, throughSeq }) => sql`
    SELECT count(*) AS count ${FROM_SEGMENT}
    WHERE ${ofSegment({ ...segment, throughSeq: Math.min(throughSeq, segment.throughSeq) })} AND e.seq > ${afterSeq}`,

  readMessageKeys: (segment, { afterSeq, limit }) => sql`
    SELECT e.seq, e.id, e.hash ${FROM_SEGMENT}
    WHERE ${ofSegment(segment)} AND e.seq > ${afterSeq} AND e.type = 'message' ORDER BY e.seq LIMIT ${limit}`,

  weighMessages: ({ tenant, key, throughSeq }, stretches) => sql`
    SELECT k.key AS stretch, count(*) AS messages, coalesce(sum(e.tokens), 0) AS tokens
    FROM sessions s CROSS JOIN json_each(${pairs(stretches)}) k
    CROSS JOIN entries e INDEXED BY entries_weights ON e.tenant = s.tenant AND e.session_key = s.session_key
      AND e.type = 'message' AND e.seq BETWEEN k.value ->> 0 AND min(k.value ->> 1, ${throughSeq})
    WHERE s.tenant = ${tenant} AND s.session_key = ${key} GROUP BY k.key`,

  addCounts: (segment, counterId, counts) => [
    sql`
      INSERT INTO token_counts (tenant, session_key, seq, counter_id, tokens, checksum)
      SELECT e.tenant, e.session_key, e.seq, ${counterId}, v.value ->> 1, v.value ->> 2
      FROM json_each(${JSON.stringify(counts)}) v
      CROSS JOIN sessions s
      CROSS JOIN entries e ON e.tenant = s.tenant AND e.session_key = s.session_key AND e.seq = v.value ->> 0
      WHERE ${ofSegment(segment)} AND e.type = 'message'
      ON CONFLICT DO UPDATE SET tokens = excluded.tokens, checksum = excluded.checksum`,
    sql`
      UPDATE sessions SET recounted = 1
      WHERE tenant = ${segment.tenant} AND session_key = ${segment.key} AND recounted = 0`,
  ],
};

const NO_LIMIT = -1;

const setHead = ({ head, floorSeq, foldedThroughSeq, viewFromSeq, kept, checksum }: StoredHead) => sql`
  UPDATE heads SET floor_seq = ${floorSeq}, folded_through_seq = ${foldedThroughSeq},
    view_from_seq = ${viewFromSeq}, kept = ${kept}, head = ${head}, checksum = ${checksum}
  FROM sessions s
  WHERE heads.tenant = s.tenant AND heads.session_key = s.session_key`;

/** Checks that no id exists, inherited ones included, in the statement that claims the seqs. */
function claimSeqs(
  place: MarkedPlace,
  { ids, messageCount, updatedAt, firstMessage, expect, expectedLastSeq, epoch }: SeqClaim,
): Statement {
  const wanted = selectJsonValues(ids);
  const expected =
    expect === undefined ? sql`` : sql`AND s.epoch = ${expect.epoch} AND coalesce(${expect.fence}, s.fence) >= s.fence`;
  return sql`
    UPDATE sessions AS s SET mark = ${place.mark}, ${setFigures({
      last_seq: sql`last_seq + ${ids.length}`,
      message_count: sql`message_count + ${messageCount}`,
      ...(epoch !== null && { epoch: sql`${epoch}` }),
      ...(updatedAt !== null && { updated_at: sql`max(updated_at, ${updatedAt})` }),
      ...(firstMessage && setFirst(firstMessage.role, sql`last_seq + ${firstMessage.position}`)),
    })} ${firstMessage === undefined ? sql`` : setPreview(firstMessage.preview)}
    WHERE ${isThisSession(place)} ${expected} ${expectedLastSeq === null ? sql`` : sql`AND s.last_seq = ${expectedLastSeq}`}
    AND NOT EXISTS (
      SELECT 1 FROM entries e
      WHERE e.tenant = s.tenant AND e.session_key = s.session_key AND e.id IN ${wanted}
    )
    AND (s.parent_key IS NULL OR NOT EXISTS (
      SELECT 1 FROM json_each(s.lineage) l
      CROSS JOIN entries e ON e.tenant = s.tenant AND e.session_key = l.value ->> 0 AND e.id IN ${wanted}
      WHERE +e.seq <= l.value ->> 1
    ))
    RETURNING last_seq, session_key`;
}

const NO_PREVIEW = sumText("");

/** Assigns the columns of the first message, for a session that has none yet. */
export function setFirst(role: Role, seq: Statement): Record<"first_role" | "first_seq", Statement> {
  return {
    first_role: sql`iif(first_seq IS NULL, ${role}, first_role)`,
    first_seq: sql`coalesce(first_seq, ${seq})`,
  };
}

/** Assigns the preview of the first message, after other assignments. */
export function setPreview(preview: string): Statement {
  return sql`, preview = iif(first_seq IS NULL, ${preview}, preview),
    preview_checksum = iif(first_seq IS NULL, ${sumText(preview)}, preview_checksum)`;
}

interface MarkedBatch {
  readonly place: MarkedPlace;
  readonly batch: StoredBatch;
}

/** Yields statements one at a time, so that the caller can yield to the event loop between them. */
export function* appendInSteps(steps: AppendSteps, { place, batch }: MarkedBatch): Generator<Statement> {
  const { claim, blobs, entries, head, erased } = batch;
  yield steps.claim(place, claim);
  for (const blob of blobs) yield* steps.insertBlob(place, blob);
  for (const entry of entries) yield steps.insertEntry(place, entry);
  for (const entry of entries) if (entry.blobs.length > 0) yield steps.insertReferences(place, entry);
  for (const { id, searchable } of entries) if (searchable) yield* steps.insertText(place, { ...searchable, id });
  if (head !== undefined) yield steps.updateHead(place, head);
  for (const entry of erased) yield* steps.eraseEntry(place, entry);
  yield* steps.eraseWords(place, erased);
}
