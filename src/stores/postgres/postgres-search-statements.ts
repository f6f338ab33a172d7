/**
 * Looking for words, said to PostgreSQL. Texts are compared as they were normalised, one by one or by an index of pieces
 * of three characters, where the server has one; the text itself decides. The query is a value and never syntax. What
 * is the better way depends on the words, so each search is planned for its own.
 */

import { LENGTH_WEIGHT, USUAL_CHARACTERS } from "../search/rank-text.ts";
import { guard, type Statement, sql } from "../sql/driver.ts";
import type { ScanEnd, SqlStatements, TextSearch } from "../sql/sql-statements.ts";

type SearchStatements = Pick<
  SqlStatements,
  | "findScanEnd"
  | "scanTexts"
  | "isIndexOrdered"
  | "beforeIndexed"
  | "findIndexed"
  | "findPending"
  | "readHits"
  | "indexPending"
  | "mendIndex"
>;

/** So many are sorted in a few milliseconds. Of words that are found more often, the newest are soon walked to. */
const MOST_SORTED = 5_000;

const HIT_COLUMNS = sql`e.entry_key, s.id AS session_id, e.seq, e.id, e.type, e.at, e.hash, e.content, NULL AS recounts`;
const WITH_SESSIONS = sql`JOIN palimpsest.sessions s ON s.tenant = e.tenant AND s.session_key = e.session_key`;

export const POSTGRES_SEARCH: SearchStatements = {
  findScanEnd: ({ tenant, role, segment }, most) =>
    segment === undefined
      ? anew(sql`
        SELECT e.entry_key, 0 AS seq FROM palimpsest.entries e
        WHERE e.tenant = ${tenant} AND e.words IS NOT NULL ${isSaidBy(role)}
        ORDER BY e.entry_key DESC LIMIT 1 OFFSET ${most}`)
      : sql`
        SELECT e.entry_key, e.seq FROM palimpsest.entries e
        WHERE e.tenant = ${tenant} AND e.session_key = ${segment.key}::bigint AND e.seq <= ${segment.throughSeq}::bigint
        ORDER BY e.seq DESC LIMIT 1 OFFSET ${most}`,

  scanTexts: (search, end) =>
    search.segment === undefined
      ? hitsAmong(
          sql`SELECT e.entry_key FROM palimpsest.entries e WHERE ${says(search)} AND e.entry_key > ${end?.key ?? 0}::bigint
          ORDER BY e.entry_key DESC LIMIT ${search.limit}`,
          search,
        )
      : hitsAmong(
          sql`SELECT e.entry_key FROM palimpsest.entries e WHERE ${says(search)} AND e.seq > ${end?.seq ?? 0}::bigint
          ORDER BY e.seq DESC LIMIT ${search.limit}`,
          search,
        ),

  isIndexOrdered: false,

  // For this transaction, the policy of the table shows what holds the rarest word: see `WANTED`.
  beforeIndexed: ({ words }) => {
    const longest = words.reduce((found, word) => (word.length > found.length ? word : found), "");
    return [
      sql`SELECT NULL AS entry_key
      FROM (SELECT set_config('palimpsest.wanted', ${patternOf(longest)}, true) AS wanted) told WHERE wanted IS NULL`,
    ];
  },

  findIndexed: (search, end) => {
    const older = sql`SELECT e.entry_key FROM palimpsest.entries e WHERE ${holds(search)} ${isUpTo(end)}`;
    return hitsAmong(
      sql`
      WITH few AS MATERIALIZED (${older} LIMIT ${MOST_SORTED + 1})
      SELECT entry_key FROM few WHERE (SELECT count(*) FROM few) <= ${MOST_SORTED}
      UNION ALL (
        ${older} AND (SELECT count(*) FROM few) > ${MOST_SORTED} ORDER BY e.entry_key DESC LIMIT ${search.limit}
      )`,
      search,
    );
  },

  // The server looks by itself through what is not sorted in yet.
  findPending: () => sql`SELECT NULL AS entry_key WHERE false`,

  readHits: (tenant, keys) => sql`
    SELECT ${HIT_COLUMNS} FROM palimpsest.entries e ${WITH_SESSIONS}
    WHERE e.entry_key = ANY (ARRAY(SELECT json_array_elements_text(${JSON.stringify(keys)}::json)::bigint))
    AND e.tenant = ${tenant}
    ORDER BY e.entry_key DESC`,

  // All that waits is sorted in at once, so there is never more to do: many together cost a quarter of each by itself.
  // It would keep everybody from writing for as long as it takes: that is for the owner of the server to decide.
  mendIndex: [],

  indexPending: () => [guard(sql`SELECT 1 WHERE gin_clean_pending_list(to_regclass('palimpsest.entries_words')) < 0`)],
};

/** The rest of an entry is fetched for those that are given back, and for no others. */
function hitsAmong(keys: Statement, { limit, isRanked, words }: TextSearch): Statement {
  return anew(sql`
    SELECT ${isRanked ? sql`e.entry_key, ${scoreOf(words)} AS score` : HIT_COLUMNS}
    FROM palimpsest.entries e ${isRanked ? sql`` : WITH_SESSIONS}
    WHERE e.entry_key = ANY (ARRAY(
      SELECT found.entry_key FROM (${keys}) found ORDER BY found.entry_key DESC LIMIT ${limit}
    ))
    ORDER BY e.entry_key DESC`);
}

/** As `rankText` reckons, step by step. */
function scoreOf(words: readonly string[]): Statement {
  const { fixed, growing } = LENGTH_WEIGHT;
  const weight: Statement = {
    strings: [`(${fixed}::float8 + ${growing}::float8 * length(e.words) / ${USUAL_CHARACTERS})`],
    values: [],
  };
  return words.reduce((sum, word) => {
    const times = sql`(length(e.words) - length(replace(e.words, ${word}, ''))) / ${[...word].length}::integer`;
    return sql`${sum} + (1 - ${weight} / (${times} + ${weight}))`;
  }, sql`0::float8`);
}

/** By a condition that the index can answer. */
function holds(search: TextSearch): Statement {
  return search.words.reduce((all, word) => sql`${all} AND e.words LIKE ${patternOf(word)}`, isAmong(search));
}

function patternOf(word: string): string {
  return `%${word.replaceAll(/[\\%_]/g, "\\$&")}%`;
}

/** By one that it cannot: each text is looked at, so that a damaged index does not matter. */
function says(search: TextSearch): Statement {
  return search.words.reduce((all, word) => sql`${all} AND strpos(e.words, ${word}) > 0`, isAmong(search));
}

function isAmong({ tenant, role, segment }: TextSearch): Statement {
  const within =
    segment === undefined
      ? sql``
      : sql`AND e.session_key = ${segment.key}::bigint AND e.seq <= ${segment.throughSeq}::bigint`;
  return sql`e.tenant = ${tenant} AND e.words IS NOT NULL ${isSaidBy(role)} ${within}`;
}

function isSaidBy(role: TextSearch["role"]): Statement {
  return role === undefined ? sql`` : sql`AND e.role = ${role}`;
}

function isUpTo(end: ScanEnd | undefined): Statement {
  return end === undefined ? sql`` : sql`AND e.entry_key <= ${end.key}::bigint`;
}

function anew(statement: Statement): Statement {
  return { ...statement, isPlannedAnew: true };
}
