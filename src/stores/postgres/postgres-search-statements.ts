/** PostgreSQL statements for search, each planned for its words. Each hit is checked against its text. */
import { AVERAGE_CHARACTERS, LENGTH_WEIGHT } from "../shared/find-in-message.ts";
import { guard, rawSql, type Statement, sql } from "../sql/driver.ts";
import { selectHiddenKeys } from "../sql/shared-statements.ts";
import type { ScanEnd, SearchStatements, TextSearch } from "../sql/sql-statements.ts";

/** Matches that are sorted in a few milliseconds. For more frequent words, walking from the newest is faster. */
const MAX_SORTED = 5_000;

const HIT_COLUMNS = sql`e.entry_key, s.id AS session_id,
  e.seq, e.session_key, e.id, e.type, e.at, e.hash, e.tokens, e.content, e.checksum, NULL AS recounts`;
const WITH_SESSIONS = sql`JOIN palimpsest.sessions s ON s.tenant = e.tenant AND s.session_key = e.session_key`;

export const POSTGRES_SEARCH: SearchStatements = {
  findScanEnd: ({ tenant, role, segment }, most) =>
    segment === undefined
      ? planPerCall(sql`
        SELECT e.entry_key, 0 AS seq FROM palimpsest.entries e
        WHERE e.tenant = ${tenant} AND e.words IS NOT NULL ${matchRole(role)}
        ORDER BY e.entry_key DESC LIMIT 1 OFFSET ${most}`)
      : sql`
        SELECT e.entry_key, e.seq FROM palimpsest.entries e
        WHERE e.tenant = ${tenant} AND e.session_key = ${segment.key}::bigint AND e.seq <= ${segment.throughSeq}::bigint
        ORDER BY e.seq DESC LIMIT 1 OFFSET ${most}`,

  scanTexts: (search, end) => {
    const isNewer =
      search.segment === undefined
        ? sql`e.entry_key > ${end?.key ?? 0}::bigint ORDER BY e.entry_key`
        : sql`e.seq > ${end?.seq ?? 0}::bigint ORDER BY e.seq`;
    const scanned = sql`SELECT e.entry_key FROM palimpsest.entries e WHERE ${matchScanned(search)} AND ${isNewer} DESC`;
    return selectHits(sql`${scanned} LIMIT ${search.limit}`, search);
  },

  isIndexOrdered: false,

  // Sets the pattern that the table's policy uses in this transaction: see `WANTED`.
  beforeIndexed: ({ words }) => {
    const longest = words.reduce((found, word) => (word.length > found.length ? word : found), "");
    return [
      sql`SELECT NULL AS entry_key
      FROM (SELECT set_config('palimpsest.wanted', ${buildPattern(longest)}, true) AS wanted) told WHERE wanted IS NULL`,
    ];
  },

  findIndexed: (search, end) => {
    if (search.columns === "seq") return selectPlaces(search);
    const older = sql`SELECT e.entry_key FROM palimpsest.entries e WHERE ${matchIndexed(search)} ${matchUpTo(end)}`;
    return selectHits(
      sql`
      WITH few AS MATERIALIZED (${older} LIMIT ${MAX_SORTED + 1})
      SELECT entry_key FROM few WHERE (SELECT count(*) FROM few) <= ${MAX_SORTED}
      UNION ALL (
        ${older} AND (SELECT count(*) FROM few) > ${MAX_SORTED} ORDER BY e.entry_key DESC LIMIT ${search.limit}
      )`,
      search,
    );
  },

  // The server searches its pending list itself.
  findPending: () => sql`SELECT NULL AS entry_key WHERE false`,

  readHits: (tenant, keys) => sql`
    SELECT ${HIT_COLUMNS} FROM palimpsest.entries e ${WITH_SESSIONS}
    WHERE e.entry_key = ANY (ARRAY(SELECT json_array_elements_text(${JSON.stringify(keys)}::json)::bigint))
    AND e.tenant = ${tenant}
    ORDER BY e.entry_key DESC`,

  // One run merges the whole pending list, which costs a quarter of merging entries one by one. Rebuilding the index
  // would block writers, so that is left to the operator.
  rebuildIndex: [],

  indexPending: () => [guard(sql`SELECT 1 WHERE gin_clean_pending_list(to_regclass('palimpsest.entries_words')) < 0`)],
};

/** The server plans it: for a frequent word it reads back from the newest message, for a rare one it uses the index. */
function selectPlaces(search: TextSearch): Statement {
  return planPerCall(sql`
    SELECT e.entry_key, e.seq FROM palimpsest.entries e WHERE ${matchIndexed(search)}
    ORDER BY e.seq DESC LIMIT ${search.limit}`);
}

/** Reads whole entries only for the hits that are returned. */
function selectHits(keys: Statement, { limit, columns, words }: TextSearch): Statement {
  const isWhole = columns === "entry";
  return planPerCall(sql`
    SELECT ${isWhole ? HIT_COLUMNS : sql`e.entry_key, ${buildScore(words)} AS score`}
    FROM palimpsest.entries e ${isWhole ? WITH_SESSIONS : sql``}
    WHERE e.entry_key = ANY (ARRAY(
      SELECT found.entry_key FROM (${keys}) found ORDER BY found.entry_key DESC LIMIT ${limit}
    ))
    ORDER BY e.entry_key DESC`);
}

/** Computes the same score as `rankText`. */
function buildScore(words: readonly string[]): Statement {
  const { fixed, growing } = LENGTH_WEIGHT;
  const weight = rawSql(`(${fixed}::float8 + ${growing}::float8 * length(e.words) / ${AVERAGE_CHARACTERS})`);
  return words.reduce((sum, word) => {
    const times = sql`(length(e.words) - length(replace(e.words, ${word}, ''))) / ${[...word].length}::integer`;
    return sql`${sum} + (1 - ${weight} / (${times} + ${weight}))`;
  }, sql`0::float8`);
}

/** Builds a condition that the index can answer. */
function matchIndexed(search: TextSearch): Statement {
  return search.words.reduce((all, word) => sql`${all} AND e.words LIKE ${buildPattern(word)}`, matchScope(search));
}

function buildPattern(word: string): string {
  return `%${word.replaceAll(/[\\%_]/g, "\\$&")}%`;
}

/** Builds a condition that reads each text, so that a damaged index does not matter. */
function matchScanned(search: TextSearch): Statement {
  return search.words.reduce((all, word) => sql`${all} AND strpos(e.words, ${word}) > 0`, matchScope(search));
}

function matchScope({ tenant, role, segment }: TextSearch): Statement {
  const within =
    segment === undefined
      ? sql`AND e.session_key <> ALL (ARRAY(${selectHiddenKeys(tenant, "palimpsest.")}))`
      : sql`AND e.session_key = ${segment.key}::bigint AND e.seq <= ${segment.throughSeq}::bigint`;
  return sql`e.tenant = ${tenant} AND e.words IS NOT NULL ${matchRole(role)} ${within}`;
}

function matchRole(role: TextSearch["role"]): Statement {
  return role === undefined ? sql`` : sql`AND e.role = ${role}`;
}

function matchUpTo(end: ScanEnd | undefined): Statement {
  return end === undefined ? sql`` : sql`AND e.entry_key <= ${end.key}::bigint`;
}

function planPerCall(statement: Statement): Statement {
  return { ...statement, isPlannedPerCall: true };
}
