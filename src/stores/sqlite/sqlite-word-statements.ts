/** The word index in SQLite. Its texts are those of the search index. */
import { sql } from "../sql/driver.ts";
import { createWordStatements } from "../sql/word-statements.ts";

export const SQLITE_WORDS = createWordStatements({
  schema: "",
  isAmong: (column, values) => sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`,
  each: (json) => sql`json_each(${json}) v`,
  position: "instr",

  removeWords: ({ tenant, key }, rows) => sql`
    DELETE FROM word_places WHERE (tenant, session_key, block, word) IN (
      SELECT tenant, session_key, block, word FROM word_places WHERE tenant = ${tenant} AND session_key = ${key} LIMIT ${rows}
    ) RETURNING word`,

  readWordTexts: ({ tenant, key }, { afterSeq, texts, bytes }) => sql`
    SELECT seq, text FROM (
      SELECT e.seq, t.text, octet_length(t.text) AS bytes, sum(octet_length(t.text)) OVER (ORDER BY e.seq) AS total
      FROM entries e CROSS JOIN message_texts t ON t.entry_key = e.entry_key
      WHERE e.tenant = ${tenant} AND e.session_key = ${key} AND e.seq > ${afterSeq} ORDER BY e.seq LIMIT ${texts}
    ) WHERE total - bytes < ${bytes} ORDER BY seq`,
});
