/**
 * SQLite statements for search. A scan or an index of trigrams finds candidates; each is checked against its text. A
 * long text is indexed in chunks, one at a time; it stays pending, and so is scanned, until all of it is indexed.
 */
import { takeHead } from "../../core/message/whole-text.ts";
import { AVERAGE_CHARACTERS, LENGTH_WEIGHT } from "../shared/find-in-message.ts";
import { guard, rawSql, type Statement, sql } from "../sql/driver.ts";
import { selectHiddenKeys } from "../sql/shared-statements.ts";
import type { AppendSteps, SearchStatements, TextSearch } from "../sql/sql-statements.ts";
import { roleScope, sessionScope, tenantScope } from "../sql/text-indexer.ts";
import { MERGE_IN_STEPS, TEXT_INDEX, WORD_INDEX } from "./sqlite-migrations.ts";

/** Trigrams taken from a query; the text itself is compared whole. */
const MAX_PIECES = 32;
/** How many of the rarest trigrams are looked up; the index reads all entries of each. */
const MAX_MATCHED_PIECES = 6;
/** Newest texts that are sampled to estimate how rare a trigram is. */
const TEXTS_SAMPLED = 100;
const PIECE_CHARACTERS = 3;
/** Padding, so that the last characters of a text start a trigram too and short queries find one. */
const PADDING = " ".repeat(PIECE_CHARACTERS - 1);

/** A longer text would block the event loop while it is indexed whole. */
const LONG_BYTES = 32_000;
/** A chunk is indexed in at most 15 ms; random Chinese text takes the longest. */
const CHUNK_CHARACTERS = 16_000;
/** Chunks overlap, so that one of them has all trigrams that are taken from a word. */
const OVERLAP_CHARACTERS = 2 * MAX_PIECES;
/** More than the chunks of the longest string. Chunks have negative keys in the index: the newest text comes first. */
const CHUNK_KEYS = 65_536;
const IS_LONG = rawSql(`octet_length(t.text) > ${LONG_BYTES}`);
const IS_CHUNK = rawSql(`c.rowid BETWEEN 1 - (t.entry_key + 1) * ${CHUNK_KEYS} AND - t.entry_key * ${CHUNK_KEYS}`);
const CHUNKS = sql`(SELECT count(*) FROM text_index c WHERE ${IS_CHUNK})`;

/** Selects the rows of the search index for texts `t`. */
export function selectIndexed(isText: Statement): Statement {
  return sql`
    SELECT t.entry_key FROM message_texts t
    WHERE ${isText} AND NOT EXISTS (SELECT 1 FROM pending_texts q WHERE q.entry_key = t.entry_key)
    UNION ALL
    SELECT c.rowid FROM message_texts t CROSS JOIN text_index c ON ${IS_CHUNK} WHERE ${isText} AND ${IS_LONG}`;
}

const HIT_COLUMNS = sql`e.entry_key, s.id AS session_id,
  e.seq, e.session_key, e.id, e.type, e.at, e.hash, e.tokens, e.content, e.checksum, NULL AS recounts`;

export const SQLITE_SEARCH: SearchStatements & Pick<AppendSteps, "insertText"> = {
  insertText: ({ tenant, id: sessionId, mark }, { id, role, text }) => {
    const source = sql`FROM sessions s
      CROSS JOIN entries e ON e.tenant = s.tenant AND e.session_key = s.session_key AND e.id = ${id}
      WHERE s.tenant = ${tenant} AND s.id = ${sessionId} AND s.mark = ${mark}`;
    return [
      sql`
        INSERT INTO message_texts (entry_key, tenant, role, scope, text)
        SELECT e.entry_key, e.tenant, ${role}, ${tenantScope(tenant) + roleScope(role)}, ${text} ${source}`,
      sql`INSERT INTO pending_texts (entry_key) SELECT e.entry_key ${source}`,
    ];
  },

  isIndexOrdered: true,

  findScanEnd: ({ tenant, segment }, most) =>
    segment === undefined
      ? sql`
        SELECT entry_key, 0 AS seq FROM message_texts
        WHERE tenant = ${tenant} ORDER BY entry_key DESC LIMIT 1 OFFSET ${most}`
      : sql`
        SELECT entry_key, seq FROM entries
        WHERE tenant = ${tenant} AND session_key = ${segment.key} AND seq <= ${segment.throughSeq}
        ORDER BY seq DESC LIMIT 1 OFFSET ${most}`,

  scanTexts: (search, end) =>
    search.segment === undefined
      ? sql`
        SELECT ${selectColumns(search)} FROM message_texts t ${WITH_ENTRIES}
        WHERE ${matchTexts(search)} AND t.entry_key > ${end?.key ?? 0}
        ORDER BY t.entry_key DESC LIMIT ${search.limit}`
      : sql`
        SELECT ${selectColumns(search)} FROM entries e
        CROSS JOIN message_texts t ON t.entry_key = e.entry_key
        CROSS JOIN sessions s ON s.tenant = e.tenant AND s.session_key = e.session_key
        WHERE ${matchTexts(search)} AND e.seq > ${end?.seq ?? 0}
        ORDER BY e.seq DESC LIMIT ${search.limit}`,

  beforeIndexed: () => [],

  findIndexed: (search, end) => sql`
    SELECT ${selectColumns(search)} FROM text_index i
    CROSS JOIN message_texts t ON t.entry_key = i.rowid ${WITH_ENTRIES}
    WHERE i.text_index MATCH ${buildMatch(search)} AND i.rowid BETWEEN 1 AND ${end?.key ?? NEWEST}
    AND ${matchTexts(search)}
    ORDER BY i.rowid DESC LIMIT ${search.limit}`,

  findPending: (search, end) => sql`
    SELECT ${selectColumns(search)} FROM message_texts t NOT INDEXED ${WITH_ENTRIES}
    WHERE t.entry_key IN (
      SELECT entry_key FROM pending_texts
      UNION
      SELECT - i.rowid / ${rawSql(`${CHUNK_KEYS}`)} FROM text_index i
      WHERE i.text_index MATCH ${buildMatch({ ...search, words: [findLongest(search.words)] })} AND i.rowid < 0
    ) AND t.entry_key <= ${end?.key ?? NEWEST} AND ${matchTexts(search)}
    ORDER BY t.entry_key DESC LIMIT ${search.limit}`,

  readHits: (tenant, keys) => sql`
    SELECT ${HIT_COLUMNS} FROM json_each(${JSON.stringify(keys)}) k
    CROSS JOIN entries e ON e.entry_key = k.value AND +e.tenant = ${tenant}
    CROSS JOIN sessions s ON s.tenant = e.tenant AND s.session_key = e.session_key
    ORDER BY e.entry_key DESC`,

  indexPending: ({ texts, bytes }) => {
    // The oldest first, fewer if they are long. A long text is indexed when it is the oldest.
    const oldest = sql`(
      SELECT entry_key FROM (
        SELECT q.entry_key, octet_length(t.text) AS bytes, sum(octet_length(t.text)) OVER (ORDER BY q.entry_key) AS total
        FROM (SELECT entry_key FROM pending_texts ORDER BY entry_key LIMIT ${texts}) AS q
        CROSS JOIN message_texts t ON t.entry_key = q.entry_key
      ) WHERE total - bytes < ${bytes} AND bytes <= ${LONG_BYTES}
    )`;
    const oldestLong = sql`t.entry_key = (SELECT min(entry_key) FROM pending_texts) AND ${IS_LONG}`;
    const into = sql`INSERT INTO text_index (rowid, text, scope, session)`;
    const withSession = sql`CROSS JOIN entries e ON e.entry_key = t.entry_key`;
    return [
      guard(sql`SELECT entry_key FROM pending_texts LIMIT 1`),
      sql`${into}
        SELECT - t.entry_key * ${rawSql(`${CHUNK_KEYS}`)} - t.chunks,
          substr(t.text, 1 + t.chunks * ${CHUNK_CHARACTERS}, ${CHUNK_CHARACTERS + OVERLAP_CHARACTERS}) || ${PADDING},
          t.scope, ${SESSION_SCOPE}
        FROM (SELECT t.*, ${CHUNKS} AS chunks FROM message_texts t WHERE ${oldestLong}) AS t ${withSession}`,
      sql`
        DELETE FROM pending_texts WHERE entry_key = (
          SELECT t.entry_key FROM message_texts t
          WHERE ${oldestLong} AND ${CHUNKS} * ${CHUNK_CHARACTERS} >= length(t.text)
        )`,
      sql`${into}
        SELECT t.entry_key, t.text || ${PADDING}, t.scope, ${SESSION_SCOPE}
        FROM ${oldest} AS q
        CROSS JOIN message_texts t ON t.entry_key = q.entry_key ${withSession}`,
      sql`DELETE FROM pending_texts WHERE entry_key IN ${oldest}`,
    ];
  },

  mergeIndex: (pages) => {
    const changes = sql`SELECT total_changes() AS changes`;
    return [changes, sql`INSERT INTO text_index (text_index, rank) VALUES ('merge', ${pages})`, changes];
  },

  countIndexed: () => sql`SELECT entry_key AS key FROM message_texts ORDER BY entry_key DESC LIMIT 1`,

  rebuildIndex: [
    sql`DROP TABLE IF EXISTS text_pieces`,
    sql`DROP TABLE IF EXISTS text_index`,
    sql`DROP TABLE IF EXISTS word_places`,
    sql`DROP TABLE IF EXISTS word_progress`,
    ...[...TEXT_INDEX, MERGE_IN_STEPS, ...WORD_INDEX].map(rawSql),
    sql`INSERT INTO pending_texts (entry_key) SELECT entry_key FROM message_texts WHERE true ON CONFLICT DO NOTHING`,
  ],
};

const WITH_ENTRIES = sql`
  CROSS JOIN entries e ON e.entry_key = t.entry_key
  CROSS JOIN sessions s ON s.tenant = e.tenant AND s.session_key = e.session_key`;

/** The same value as `sessionScope`. */
const SESSION_SCOPE = sql`char(57344 + e.session_key % 4096, 57344 + e.session_key / 4096 % 4096,
  61440 + e.session_key / 16777216 % 2048)`;

/** Greater than every key, and a safe integer. */
const NEWEST = Number.MAX_SAFE_INTEGER;

function selectColumns({ columns, words }: TextSearch): Statement {
  if (columns === "entry") return HIT_COLUMNS;
  return columns === "score" ? sql`t.entry_key, ${buildScore(words)} AS score` : sql`t.entry_key, e.seq`;
}

/** Computes the same score as `rankText`. */
function buildScore(words: readonly string[]): Statement {
  const { fixed, growing } = LENGTH_WEIGHT;
  const weight = rawSql(`(${fixed} + ${growing} * length(t.text) / ${AVERAGE_CHARACTERS})`);
  return words.reduce((sum, word) => {
    const times = sql`(length(t.text) - length(replace(t.text, ${word}, ''))) / ${[...word].length}`;
    return sql`${sum} + (1.0 - ${weight} / (${times} + ${weight}))`;
  }, sql`0.0`);
}

function matchTexts({ tenant, role, segment, words }: TextSearch): Statement {
  const spoken = role === undefined ? sql`` : sql`AND t.role = ${role}`;
  const within =
    segment === undefined
      ? sql`AND e.session_key NOT IN (${selectHiddenKeys(tenant)})`
      : sql`AND e.tenant = ${tenant} AND e.session_key = ${segment.key} AND e.seq <= ${segment.throughSeq}`;
  const said = words.reduce((all, word) => sql`${all} AND instr(t.text, ${word}) > 0`, sql``);
  return sql`t.tenant = ${tenant} ${spoken} ${within} ${said}`;
}

/** Builds the index query from the trigrams of the words and the scope. Each is quoted, so that none is an operator. */
function buildMatch({ tenant, role, segment, words }: TextSearch): Statement {
  const scopes = [tenantScope(tenant)];
  if (role !== undefined) scopes.push(roleScope(role));
  if (segment !== undefined) scopes.push(sessionScope(segment.key));
  const pieces = findPieces(words);
  if (pieces.length > MAX_MATCHED_PIECES) return matchRarest(pieces, { scopes, tenant });
  if (pieces.length > 0) return sql`${[...scopes, ...pieces].map(quotePhrase).join(" AND ")}`;
  // Too short for a trigram: match every indexed trigram that starts with the word.
  const [text = ""] = words;
  return sql`(
    SELECT ${`${scopes.map(quotePhrase).join(" AND ")} AND (`}
      || coalesce(group_concat('"' || replace(term, '"', '""') || '"', ' OR '), ${quotePhrase(NO_PIECE)}) || ')'
    FROM text_pieces WHERE term >= ${text} AND term < ${text + LAST_CHARACTER}
  )`;
}

function matchRarest(
  pieces: readonly string[],
  { scopes, tenant }: { readonly scopes: readonly string[]; readonly tenant: string },
): Statement {
  return sql`(
    WITH sampled AS MATERIALIZED (
      SELECT iif(${IS_LONG}, '', t.text) AS text FROM message_texts t
      WHERE t.tenant = ${tenant} ORDER BY t.entry_key DESC LIMIT ${TEXTS_SAMPLED}
    )
    SELECT ${scopes.map(quotePhrase).join(" AND ")} || group_concat(' AND "' || replace(piece, '"', '""') || '"', '')
    FROM (
      SELECT p.value AS piece FROM json_each(${JSON.stringify(pieces)}) p
      ORDER BY (SELECT count(*) FROM sampled WHERE instr(sampled.text, p.value) > 0) LIMIT ${MAX_MATCHED_PIECES}
    ) AS rarest
  )`;
}

/** Matches almost nothing, and its hits are checked against the text. */
const NO_PIECE = "\uffff".repeat(PIECE_CHARACTERS);
const LAST_CHARACTER = "\u{10ffff}";

/** Chunks are searched for the longest word only, because a chunk need not contain every word of its text. */
function findLongest(words: readonly string[]): string {
  return words.reduce((longest, word) => (word.length > longest.length ? word : longest), "");
}

/** Takes the first trigrams of each word, so that every word has some. */
function findPieces(words: readonly string[]): readonly string[] {
  const most = Math.max(1, Math.floor(MAX_PIECES / words.length));
  const pieces = words.flatMap((word) => {
    const characters = [...takeHead(word, 2 * MAX_PIECES)];
    const starts = [...characters.slice(0, 1 - PIECE_CHARACTERS).keys()];
    return starts.slice(0, most).map((start) => characters.slice(start, start + PIECE_CHARACTERS).join(""));
  });
  return [...new Set(pieces)];
}

function quotePhrase(piece: string): string {
  return `"${piece.replaceAll('"', '""')}"`;
}
