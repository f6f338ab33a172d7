/** Statements of the word index, which finds candidates for recall. SQLite and PostgreSQL read lists differently. */
import { findBlock, SEQS_PER_BLOCK, writeSeqPlace } from "../shared/word-places.ts";
import { guard, rawSql, type Statement, sql } from "./driver.ts";
import { isMarked, isVisible } from "./shared-statements.ts";
import type { KeyedSession, WordStatements } from "./sql-statements.ts";

/** Up to this many messages of a session are removed one by one. For more, their blocks are indexed again. */
const MAX_REMOVED_SINGLY = 8;

interface WordDialect {
  /** Prefix of the tables' names. */
  readonly schema: string;
  /** A list of numbers after `IN` or `=`. */
  readonly isAmong: (column: Statement, values: readonly number[]) => Statement;
  /** A table `v` with one JSON value for each item in its column `value`. */
  readonly each: (json: string) => Statement;
  /** The position of a text in another one, or 0. */
  readonly position: string;
  readonly removeWords: WordStatements["removeWords"];
  readonly readWordTexts: WordStatements["readWordTexts"];
}

/** Table aliases in the statements. */
const [p, w] = [rawSql("p"), rawSql("w")];

export function createWordStatements(dialect: WordDialect): WordStatements {
  const { schema, isAmong, each, removeWords, readWordTexts } = dialect;
  const table = (name: string) => rawSql(schema + name);
  const [places, progress, sessions] = [table("word_places"), table("word_progress"), table("sessions")] as const;
  const position = rawSql(dialect.position);
  const isOwn = ({ tenant, key }: KeyedSession, row: Statement) =>
    sql`${row}.tenant = ${tenant} AND ${row}.session_key = CAST(${key} AS bigint)`;
  /** Removes everything from the block of a seq on, so that it is indexed again. */
  const forget = (session: KeyedSession, fromSeq: number, isAllowed: Statement) => {
    const block = findBlock(fromSeq);
    const before = sql`CAST(${block * SEQS_PER_BLOCK - 1} AS bigint)`;
    return [
      sql`DELETE FROM ${places} AS w WHERE ${isOwn(session, w)} AND w.block >= CAST(${block} AS integer) AND ${isAllowed}`,
      sql`UPDATE ${progress} AS p SET mark = '',
        through_seq = CASE WHEN p.through_seq > ${before} THEN ${before} ELSE p.through_seq END
        WHERE ${isOwn(session, p)} AND ${isAllowed}`,
    ];
  };
  const remove = (session: KeyedSession, seq: number, isAllowed: Statement) => {
    const isInBlock = sql`${isOwn(session, w)} AND w.block = CAST(${findBlock(seq)} AS integer) AND ${isAllowed}`;
    const place = writeSeqPlace(seq);
    return [
      sql`DELETE FROM ${places} AS w WHERE ${isInBlock} AND w.places = ${place}`,
      sql`UPDATE ${places} AS w SET places = replace(w.places, ${place}, '')
        WHERE ${isInBlock} AND ${position}(w.places, ${place}) > 0`,
    ];
  };
  return {
    removeWords,
    readWordTexts,

    findWordProgress: (session) => sql`
      SELECT p.through_seq, p.version, s.last_seq FROM ${progress} p
      JOIN ${sessions} s ON s.tenant = p.tenant AND s.session_key = p.session_key WHERE ${isOwn(session, p)}`,

    findWordRows: (session, { blocks, words }) => sql`
      SELECT w.block, w.word, w.places FROM ${places} w
      WHERE ${isOwn(session, w)} AND ${isAmong(sql`w.block`, blocks)} AND ${isAmong(sql`w.word`, words)}`,

    beginWords: ({ tenant, key }, { mark, version }) =>
      guard(sql`
        INSERT INTO ${progress} (tenant, session_key, through_seq, version, mark)
        SELECT s.tenant, s.session_key, coalesce(s.fork_at_seq, 0), CAST(${version} AS integer), ${mark}
        FROM ${sessions} s WHERE s.tenant = ${tenant} AND s.session_key = CAST(${key} AS bigint) AND ${isVisible}
        ON CONFLICT (tenant, session_key) DO UPDATE SET mark = excluded.mark RETURNING through_seq, version`),

    addWords: (session, { mark, rows, throughSeq }) => {
      const isClaimed = sql`${isOwn(session, p)} AND p.mark = ${mark}`;
      const list = JSON.stringify(rows.map(({ block, word, places: added }) => [block, word, added]));
      return [
        guard(sql`
          UPDATE ${progress} AS p SET through_seq = coalesce(CAST(${throughSeq ?? null} AS bigint), p.through_seq)
          WHERE ${isClaimed} RETURNING through_seq`),
        sql`
          INSERT INTO ${places} AS w (tenant, session_key, block, word, places)
          SELECT p.tenant, p.session_key, CAST(v.value ->> 0 AS integer), CAST(v.value ->> 1 AS integer), v.value ->> 2
          FROM ${progress} p CROSS JOIN ${each(list)} WHERE ${isClaimed}
          ON CONFLICT (tenant, session_key, block, word) DO UPDATE SET places = w.places || excluded.places
          WHERE ${position}(w.places, substr(excluded.places, 1, 3)) = 0`,
      ];
    },

    restartWords: (session, { mark, version }) =>
      guard(sql`
        UPDATE ${progress} AS p SET version = CAST(${version} AS integer), through_seq = (
          SELECT coalesce(s.fork_at_seq, 0) FROM ${sessions} s WHERE s.tenant = p.tenant AND s.session_key = p.session_key
        ) WHERE ${isOwn(session, p)} AND p.mark = ${mark}
        AND NOT EXISTS (SELECT 1 FROM ${places} w WHERE ${isOwn(session, w)}) RETURNING through_seq`),

    eraseWords: (place, erased) => {
      const isAllowed = sql`EXISTS (SELECT 1 FROM ${sessions} s WHERE ${isMarked(place)})`;
      const messages = erased.filter(({ type }) => type === "message");
      return [...Map.groupBy(messages, ({ key }) => key)].flatMap(([key, own]) => {
        const session = { tenant: place.tenant, key };
        const seqs = own.map(({ seq }) => seq);
        if (seqs.length > MAX_REMOVED_SINGLY) return forget(session, Math.min(...seqs), isAllowed);
        return [
          ...seqs.flatMap((seq) => remove(session, seq, isAllowed)),
          sql`UPDATE ${progress} AS p SET mark = '' WHERE ${isOwn(session, p)} AND ${isAllowed}`,
        ];
      });
    },
  };
}
