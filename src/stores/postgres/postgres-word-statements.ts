/** The word index in PostgreSQL. Its texts are those of the search index. */
import { sql } from "../sql/driver.ts";
import { createWordStatements } from "../sql/word-statements.ts";

export const POSTGRES_WORDS = createWordStatements({
  schema: "palimpsest.",
  isAmong: (column, values) =>
    sql`${column} = ANY (ARRAY(SELECT json_array_elements_text(${JSON.stringify(values)}::json)::integer))`,
  each: (json) => sql`json_array_elements(${json}::json) AS v (value)`,
  position: "strpos",

  removeWords: ({ tenant, key }, rows) => sql`
    DELETE FROM palimpsest.word_places WHERE tenant = ${tenant} AND session_key = ${key}::bigint AND ctid = ANY (ARRAY(
      SELECT o.ctid FROM palimpsest.word_places o WHERE o.tenant = ${tenant} AND o.session_key = ${key}::bigint LIMIT ${rows}
    )) RETURNING word`,

  readWordTexts: ({ tenant, key }, { afterSeq, texts, bytes }) => sql`
    SELECT seq, words AS text FROM (
      SELECT e.seq, e.words, octet_length(e.words) AS bytes, sum(octet_length(e.words)) OVER (ORDER BY e.seq) AS total
      FROM (
        SELECT o.seq, o.words FROM palimpsest.entries o WHERE o.tenant = ${tenant} AND o.session_key = ${key}::bigint
        AND o.seq > ${afterSeq}::bigint AND o.words IS NOT NULL ORDER BY o.seq LIMIT ${texts}
      ) e
    ) counted WHERE total - bytes < ${bytes}::bigint ORDER BY seq`,
});
