/** PostgreSQL statements other than search. Lists are JSON, so that a statement has one form and one plan. */

import { setFigures, sumColumns, sumText } from "../sql/checksums.ts";
import { guard, rawSql, type Statement, sql } from "../sql/driver.ts";
import {
  checksumNewSession,
  createSharedStatements,
  IS_SHOWN,
  isMarked,
  isThisSession,
  isVisible,
  markRepeatable,
  selectHiddenKeys,
} from "../sql/shared-statements.ts";
import type {
  ErasedEntry,
  LogSegment,
  MarkedPlace,
  SeqClaim,
  SqlStatements,
  StoredBatch,
  StoredHead,
} from "../sql/sql-statements.ts";
import { deleteBlobs, eraseBlobs, insertBlobs } from "./postgres-blob-statements.ts";
import { POSTGRES_SEARCH } from "./postgres-search-statements.ts";
import { POSTGRES_WORDS } from "./postgres-word-statements.ts";

const RECOUNTS = sql`CASE WHEN s.recounted THEN (
  SELECT json_agg(json_build_array(c.counter_id, c.tokens, c.checksum)) FROM palimpsest.token_counts c
  WHERE c.tenant = e.tenant AND c.session_key = e.session_key AND c.seq = e.seq
) END AS recounts`;
const ENTRY_COLUMNS = sql`e.seq, e.session_key, e.id, e.type, e.at, e.hash, e.tokens, e.content, e.checksum, ${RECOUNTS}`;

const texts = (values: readonly string[]) =>
  sql`ANY (ARRAY(SELECT json_array_elements_text(${JSON.stringify(values)}::json)))`;
const numbers = (values: readonly number[]) =>
  sql`ANY (ARRAY(SELECT json_array_elements_text(${JSON.stringify(values)}::json)::bigint))`;
const ofSegment = ({ tenant, key, throughSeq }: LogSegment) => sql`
  s.tenant = ${tenant} AND s.session_key = ${key}::bigint AND e.seq <= ${throughSeq}::bigint`;
const FROM_SEGMENT = sql`FROM palimpsest.sessions s
  JOIN palimpsest.entries e ON e.tenant = s.tenant AND e.session_key = s.session_key`;

/** An existing session was created by another writer, unless its mark shows that this statement is repeated. */
const UNLESS_OTHERS = sql`
  ON CONFLICT (tenant, id) DO UPDATE SET mark = excluded.mark WHERE s.mark = excluded.mark RETURNING s.session_key`;

/** One lookup for each seq: a join might read the whole session. */
const entryAt = (seq: Statement) => sql`LATERAL (
  SELECT * FROM palimpsest.entries o
  WHERE o.tenant = s.tenant AND o.session_key = s.session_key AND o.seq = (${seq})::bigint LIMIT 1
) e`;

/** Rows of the word index that are removed with each entry. */
const WORDS_PER_ENTRY = 8;

const NOW = sql`extract(epoch FROM clock_timestamp())::double precision * 1000`;
const SHARED = createSharedStatements({ schema: "palimpsest.", now: NOW });

export const POSTGRES_STATEMENTS: SqlStatements = {
  ...POSTGRES_SEARCH,
  ...POSTGRES_WORDS,
  ...SHARED,

  insertSession: ({ tenant, id, mark }, session) => {
    const { title, createdAt, messageCount, epoch, fork } = session;
    const columns = sql`tenant, id, title, title_checksum, created_at, updated_at, message_count, inherited_messages,
      epoch, mark, checksum`;
    const values = sql`${tenant}, ${id}, ${title}, ${sumText(title)}::bigint, ${createdAt}::double precision,
      ${createdAt}::double precision, ${messageCount}::bigint, ${messageCount}::bigint, ${epoch}::bigint, ${mark},
      ${checksumNewSession(id, session)}::bigint`;
    if (fork === undefined) {
      return markRepeatable(
        guard(sql`
        INSERT INTO palimpsest.sessions AS s (${columns}, last_seq, preview_checksum)
        VALUES (${values}, 0, ${NO_PREVIEW}::bigint) ${UNLESS_OTHERS}`),
      );
    }
    const { atSeq, parentKey, inheritedSummaryId, lineage } = fork;
    const inherit = (column: string, otherwise: Statement) =>
      sql`CASE WHEN p.first_seq <= ${atSeq}::bigint THEN p.${rawSql(column)} ELSE ${otherwise} END`;
    const first = { first_seq: inherit("first_seq", sql`NULL`), first_role: inherit("first_role", sql`NULL`) };
    return markRepeatable(
      guard(sql`
      INSERT INTO palimpsest.sessions AS s (${columns}, last_seq, parent_key, fork_at_seq, inherited_summary_id, lineage,
        first_seq, first_role, preview, preview_checksum)
      SELECT ${values} + ${sumColumns(first)}, ${atSeq}::bigint, p.session_key, ${atSeq}::bigint,
        ${inheritedSummaryId}, ${lineage}::jsonb, ${first.first_seq}, ${first.first_role}, ${inherit("preview", sql`''`)},
        ${inherit("preview_checksum", sql`${NO_PREVIEW}::bigint`)}
      FROM palimpsest.sessions p WHERE p.tenant = ${tenant} AND p.session_key = ${parentKey}::bigint
      AND p.session_key NOT IN (${selectHiddenKeys(tenant, "palimpsest.")})
      ${UNLESS_OTHERS}`),
    );
  },

  insertHead: (place, { head, floorSeq, foldedThroughSeq, viewFromSeq, kept, checksum }) => sql`
    INSERT INTO palimpsest.heads
      (tenant, session_key, floor_seq, folded_through_seq, view_from_seq, kept, head, checksum)
    SELECT s.tenant, s.session_key, ${floorSeq}::bigint, ${foldedThroughSeq}::bigint, ${viewFromSeq}::bigint,
      ${kept}::json, ${head}, ${checksum}::bigint
    FROM palimpsest.sessions s WHERE ${isMarked(place)} ON CONFLICT (tenant, session_key) DO NOTHING`,

  listSessions: (tenant, { limit, after }) => {
    const older =
      after === undefined
        ? sql``
        : sql`AND (s.updated_minute, s.updated_at, s.id) <
          (floor(${after.updatedAt}::double precision / 60000), ${after.updatedAt}::double precision, ${after.id}::text)`;
    return sql`
      ${SHARED.summary} WHERE s.tenant = ${tenant} AND ${isVisible} ${older}
      ORDER BY s.updated_minute DESC, s.updated_at DESC, s.id DESC LIMIT ${limit}`;
  },

  removeSlice: (session, entries) => {
    const { tenant, key } = session;
    const own = sql`tenant = ${tenant} AND session_key = ${key}::bigint`;
    // The seqs of a session's own entries are consecutive.
    const first = sql`(
      SELECT o.seq FROM palimpsest.entries o WHERE o.tenant = ${tenant} AND o.session_key = ${key}::bigint
      ORDER BY o.seq LIMIT 1
    )`;
    const isInSlice = sql`${own} AND seq < ${entries}::bigint + ${first}`;
    return [
      SHARED.requireHidden(session),
      sql`DELETE FROM palimpsest.word_progress WHERE ${own}`,
      POSTGRES_WORDS.removeWords(session, WORDS_PER_ENTRY * entries),
      ...deleteBlobs(session, isInSlice),
      sql`DELETE FROM palimpsest.blob_references WHERE ${isInSlice}`,
      sql`DELETE FROM palimpsest.token_counts WHERE ${isInSlice}`,
      sql`DELETE FROM palimpsest.entries WHERE ${isInSlice}`,
      SHARED.deleteEmpty(session),
    ];
  },

  append: (place, batch) => [
    guard(appendEntries(place, batch)),
    ...insertBlobs(place, batch),
    ...batch.erased.flatMap((erased) => [...eraseBlobs(place, erased), ...eraseEntry(place, erased)]),
    ...POSTGRES_WORDS.eraseWords(place, batch.erased),
  ],

  readViewEntries: (place, { afterSeq, count }) => {
    const after = afterSeq === undefined ? sql`h.view_from_seq` : sql`${afterSeq}::bigint`;
    return sql`
      SELECT ${ENTRY_COLUMNS} FROM palimpsest.sessions s
      JOIN palimpsest.heads h ON h.tenant = s.tenant AND h.session_key = s.session_key
      CROSS JOIN LATERAL generate_series(${after} + 1, least(s.last_seq, ${after} + ${count}::bigint)) AS k (seq)
      CROSS JOIN ${entryAt(sql`k.seq`)}
      WHERE ${isThisSession(place)}
      AND ((e.seq > h.folded_through_seq AND e.type <> 'summary') OR (${IS_SHOWN} AND e.seq > h.floor_seq))
      ORDER BY e.seq`;
  },

  readKeptEntries: (place) => sql`
    SELECT ${ENTRY_COLUMNS} FROM palimpsest.sessions s
    JOIN palimpsest.heads h ON h.tenant = s.tenant AND h.session_key = s.session_key
    CROSS JOIN LATERAL json_array_elements_text(h.kept) AS k (seq)
    CROSS JOIN ${entryAt(sql`k.seq`)}
    WHERE ${isThisSession(place)} ORDER BY e.seq`,

  readEntries: (segment, { afterSeq = 0, throughSeq, types, limit, newestFirst }) => {
    const narrowed = { ...segment, throughSeq: Math.min(throughSeq ?? segment.throughSeq, segment.throughSeq) };
    const ofType = types === undefined ? sql`` : sql`AND e.type = ${texts(types)}`;
    // Entries other than messages are few and indexed by type.
    const isRare = types === undefined || types.includes("message") ? sql`` : sql`AND e.type <> 'message'`;
    return sql`
      SELECT ${ENTRY_COLUMNS} ${FROM_SEGMENT}
      WHERE ${ofSegment(narrowed)} AND e.seq > ${afterSeq}::bigint ${ofType} ${isRare}
      ORDER BY e.seq ${newestFirst === true ? sql`DESC` : sql`ASC`} LIMIT ${limit ?? null}`;
  },

  readEntriesAt: (segment, seqs) => sql`
    SELECT ${ENTRY_COLUMNS} ${FROM_SEGMENT}
    WHERE ${ofSegment(segment)} AND e.seq = ${numbers(seqs)} ORDER BY e.seq`,

  readMessagesAt: (segment, seqs) => sql`
    SELECT ${ENTRY_COLUMNS} ${FROM_SEGMENT}
    WHERE ${ofSegment(segment)} AND e.seq = ${numbers(seqs)} AND e.type = 'message' ORDER BY e.seq`,

  readEntriesById: (segment, ids) => sql`
    SELECT ${ENTRY_COLUMNS} FROM palimpsest.sessions s JOIN palimpsest.entries e ON e.session_key = s.session_key
    WHERE ${ofSegment(segment)} AND e.id = ${texts(ids)}`,

  countSeqs: (segment, { afterSeq, throughSeq }) => sql`
    SELECT count(*) AS count ${FROM_SEGMENT}
    WHERE ${ofSegment({ ...segment, throughSeq: Math.min(throughSeq, segment.throughSeq) })}
      AND e.seq > ${afterSeq}::bigint`,

  readMessageKeys: (segment, { afterSeq, limit }) => sql`
    SELECT e.seq, e.id, e.hash ${FROM_SEGMENT}
    WHERE ${ofSegment(segment)} AND e.seq > ${afterSeq}::bigint AND e.type = 'message'
    ORDER BY e.seq LIMIT ${limit}`,

  weighMessages: ({ tenant, key, throughSeq }, stretches) => sql`
    SELECT k.stretch, w.messages, w.tokens
    FROM json_to_recordset(${JSON.stringify(stretches.map((each, stretch) => ({ ...each, stretch })))}::json)
      AS k (stretch bigint, "firstSeq" bigint, "lastSeq" bigint)
    CROSS JOIN LATERAL (
      SELECT count(*) AS messages, coalesce(sum(e.tokens), 0)::bigint AS tokens FROM palimpsest.entries e
      WHERE e.tenant = ${tenant} AND e.session_key = ${key}::bigint AND e.type = 'message'
      AND e.seq BETWEEN k."firstSeq" AND least(k."lastSeq", ${throughSeq}::bigint)
    ) w
    WHERE w.messages > 0`,

  addCounts: (segment, counterId, counts) => [
    markRepeatable(sql`
      INSERT INTO palimpsest.token_counts (tenant, session_key, seq, counter_id, tokens, checksum)
      SELECT e.tenant, e.session_key, e.seq, ${counterId}, (v.pair ->> 1)::bigint, (v.pair ->> 2)::bigint
      FROM palimpsest.sessions s
      CROSS JOIN json_array_elements(${JSON.stringify(counts)}::json) AS v (pair)
      CROSS JOIN ${entryAt(sql`v.pair ->> 0`)}
      WHERE ${ofSegment(segment)} AND e.type = 'message'
      ON CONFLICT (tenant, session_key, seq, counter_id) DO UPDATE
        SET tokens = excluded.tokens, checksum = excluded.checksum`),
    sql`
      UPDATE palimpsest.sessions SET recounted = true
      WHERE tenant = ${segment.tenant} AND session_key = ${segment.key}::bigint AND NOT recounted`,
  ],

  restoreHead: (place, head, damaged) =>
    markRepeatable(
      guard(sql`
      ${setHead(head)} FROM palimpsest.sessions s WHERE h.tenant = s.tenant AND h.session_key = s.session_key
      AND ${isThisSession(place)} AND h.checksum = ${damaged}::bigint RETURNING h.session_key`),
    ),
};

const setHead = ({ head, floorSeq, foldedThroughSeq, viewFromSeq, kept, checksum }: StoredHead) => sql`
  UPDATE palimpsest.heads h SET floor_seq = ${floorSeq}::bigint, folded_through_seq = ${foldedThroughSeq}::bigint,
    view_from_seq = ${viewFromSeq}::bigint, kept = ${kept}::json, head = ${head}, checksum = ${checksum}::bigint`;

/** Claims seqs and writes entries and head in one statement: one round trip, and nothing can be half done. */
function appendEntries(place: MarkedPlace, { claim, entries, head }: StoredBatch): Statement {
  const headed =
    head === undefined
      ? sql``
      : sql`, headed AS (
        ${setHead(head)} FROM claimed c WHERE h.tenant = c.tenant AND h.session_key = c.session_key
      )`;
  return sql`
    WITH claimed AS (${claimSeqs(place, claim)}), added AS (
      INSERT INTO palimpsest.entries
        (tenant, session_key, seq, type, at, id, hash, content, tokens, role, words, checksum)
      SELECT c.tenant, c.session_key, c.last_seq - n."followedBy", n.type, n.at, n.id, n.hash, n.content, n.tokens,
        n.role, n.words, n.checksum + c.last_seq - n."followedBy" + c.session_key
      FROM claimed c CROSS JOIN json_to_recordset(${JSON.stringify(entries.map(toRecord))}::json) AS n (
        "followedBy" bigint, type text, at double precision, id text, hash text, content text,
        tokens bigint, role text, words text, checksum bigint
      )
      ORDER BY n."followedBy" DESC
    ) ${headed}
    SELECT last_seq, session_key FROM claimed`;
}

function toRecord({ searchable, blobs: _, ...entry }: StoredBatch["entries"][number]) {
  return { ...entry, role: searchable?.role, words: searchable?.text };
}

/**
 * Checks that no id exists, inherited ones included, in the statement that claims the seqs; the unique index catches
 * concurrent ones. The subqueries are written so that the planner looks up the session's ids: as EXISTS conditions they
 * were joined with all entries of the tenant.
 */
function claimSeqs(
  { mark, ...place }: MarkedPlace,
  { ids, messageCount, updatedAt, firstMessage, expect, expectedLastSeq, epoch }: SeqClaim,
): Statement {
  const expected =
    expect === undefined
      ? sql``
      : sql`AND s.epoch = ${expect.epoch}::bigint AND coalesce(${expect.fence}::bigint, s.fence) >= s.fence`;
  return sql`
    UPDATE palimpsest.sessions AS s SET mark = ${mark}, ${setFigures({
      last_seq: sql`s.last_seq + ${ids.length}::bigint`,
      message_count: sql`s.message_count + ${messageCount}::bigint`,
      epoch: sql`coalesce(${epoch}::bigint, s.epoch)`,
      updated_at: sql`greatest(s.updated_at, ${updatedAt}::double precision)`,
      ...(firstMessage && {
        first_role: sql`CASE WHEN s.first_seq IS NULL THEN ${firstMessage.role} ELSE s.first_role END`,
        first_seq: sql`coalesce(s.first_seq, s.last_seq + ${firstMessage.position}::bigint)`,
      }),
    })} ${firstMessage === undefined ? sql`` : setPreview(firstMessage.preview)}
    WHERE ${isThisSession(place)} ${expected}
    AND s.last_seq = coalesce(${expectedLastSeq}::bigint, s.last_seq)
    AND (
      SELECT 1 FROM palimpsest.entries e WHERE e.session_key = s.session_key AND e.id = ${texts(ids)} LIMIT 1
    ) IS NULL
    AND (s.parent_key IS NULL OR (
      SELECT 1 FROM jsonb_array_elements(s.lineage) AS l (pair) CROSS JOIN LATERAL (
        SELECT 1 FROM palimpsest.entries e WHERE e.session_key = (l.pair ->> 0)::bigint AND e.id = ${texts(ids)}
        AND e.seq <= (l.pair ->> 1)::bigint LIMIT 1
      ) taken LIMIT 1
    ) IS NULL)
    RETURNING s.tenant, s.session_key, s.last_seq`;
}

const NO_PREVIEW = sumText("");

/** Assigns the preview of the first message, after other assignments. */
const setPreview = (
  preview: string,
) => sql`, preview = CASE WHEN s.first_seq IS NULL THEN ${preview} ELSE s.preview END,
  preview_checksum = CASE WHEN s.first_seq IS NULL THEN ${sumText(preview)}::bigint ELSE s.preview_checksum END`;

function eraseEntry(place: MarkedPlace, { key, seq, hash, content, checksum }: ErasedEntry): readonly Statement[] {
  const { tenant } = place;
  const marked = sql`EXISTS (SELECT 1 FROM palimpsest.sessions s WHERE ${isMarked(place)})`;
  const reads = sql`EXISTS (
    SELECT 1 FROM jsonb_array_elements(f.lineage) AS l (pair)
    WHERE (l.pair ->> 0)::bigint = ${key}::bigint AND (l.pair ->> 1)::bigint >= ${seq}::bigint
  )`;
  return [
    sql`
      UPDATE palimpsest.entries e SET hash = ${hash}, content = ${content}, words = NULL,
        checksum = ${checksum}::bigint + e.seq + e.session_key
      WHERE e.tenant = ${tenant} AND e.session_key = ${key}::bigint AND e.seq = ${seq}::bigint AND ${marked}`,
    sql`
      UPDATE palimpsest.sessions f SET preview = '', preview_checksum = ${NO_PREVIEW}::bigint WHERE ${marked} AND f.tenant = ${tenant}
      AND f.first_seq = ${seq}::bigint AND (f.session_key = ${key}::bigint OR (f.parent_key IS NOT NULL AND ${reads}))`,
  ];
}
