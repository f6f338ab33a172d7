/**
 * Rewrites search texts into their current normal form. Pure ASCII texts have it already and are skipped by the
 * database; of the others only those that change are written. Progress is saved by portion, so that an interrupted run,
 * as in a Worker, continues.
 */
import { readNumber, type SqlDriver, type Statement, sql } from "../sql/driver.ts";
import { findUnnormalisedTexts, type RewrittenText, TEXTS_PER_BATCH } from "../sql/find-unnormalised-texts.ts";

export async function normaliseStoredTexts(driver: SqlDriver): Promise<void> {
  await driver.batch([
    sql`CREATE TABLE IF NOT EXISTS text_progress (id INTEGER PRIMARY KEY, through_key INTEGER NOT NULL) STRICT`,
    sql`INSERT INTO text_progress (id, through_key) VALUES (1, 0) ON CONFLICT DO NOTHING`,
  ]);
  const [[progress] = []] = await driver.read([sql`SELECT through_key FROM text_progress`]);
  let throughKey = progress === undefined ? 0 : readNumber(progress, "through_key");
  for (let unsaved = 1; ; unsaved += 1) {
    const [rows = []] = await driver.read([nextTexts(throughKey)]);
    const last = rows.at(-1);
    if (last === undefined) return;
    throughKey = readNumber(last, "entry_key");
    const rewritten = findUnnormalisedTexts(rows).flatMap(rewriteText);
    if (rewritten.length === 0 && unsaved < PORTIONS_BETWEEN_SAVES) continue;
    // Another process may have come further, with the same result.
    const progressed = sql`UPDATE text_progress SET through_key = max(through_key, ${throughKey})`;
    await driver.batch([...rewritten, progressed]);
    unsaved = 0;
  }
}

/** Portions without changes between two saves: writing progress costs more than reading them again. */
const PORTIONS_BETWEEN_SAVES = 50;

function nextTexts(afterKey: number): Statement {
  return sql`
    SELECT t.entry_key, t.text FROM message_texts t
    WHERE t.entry_key > ${afterKey} AND length(t.text) <> length(CAST(t.text AS BLOB))
    ORDER BY t.entry_key LIMIT ${TEXTS_PER_BATCH}`;
}

/** Removes the text from the index and marks it pending. A text erased meanwhile stays erased. */
function rewriteText({ key, text }: RewrittenText): readonly Statement[] {
  return [
    sql`
      DELETE FROM text_index WHERE rowid = ${key}
      AND EXISTS (SELECT 1 FROM message_texts t WHERE t.entry_key = ${key})
      AND NOT EXISTS (SELECT 1 FROM pending_texts q WHERE q.entry_key = ${key})`,
    sql`UPDATE message_texts SET text = ${text} WHERE entry_key = ${key}`,
    sql`
      INSERT INTO pending_texts (entry_key) SELECT entry_key FROM message_texts WHERE entry_key = ${key}
      ON CONFLICT DO NOTHING`,
  ];
}
