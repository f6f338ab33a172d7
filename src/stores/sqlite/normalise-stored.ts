/**
 * Puts the texts that are searched into the form in which they are compared now. Texts of ASCII alone have it already,
 * and the database passes over them; of the others only those are written that change. It goes portion by portion and
 * remembers how far it came, so that one that is interrupted, as a Worker may be, is gone on with.
 */
import { readNumber, type SqlDriver, type Statement, sql } from "../sql/driver.ts";
import { findOtherForms, type OtherForm, TEXTS_AT_ONCE } from "../sql/find-other-forms.ts";

export async function normaliseStored(driver: SqlDriver): Promise<void> {
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
    const rewritten = findOtherForms(rows).flatMap(rewriteText);
    if (rewritten.length === 0 && unsaved < SAVED_EVERY) continue;
    // Somebody else may have come further meanwhile, with the same result.
    const progressed = sql`UPDATE text_progress SET through_key = max(through_key, ${throughKey})`;
    await driver.batch([...rewritten, progressed]);
    unsaved = 0;
  }
}

/** A disk takes longer to say where somebody is than it takes to look through so many portions again. */
const SAVED_EVERY = 50;

function nextTexts(afterKey: number): Statement {
  return sql`
    SELECT t.entry_key, t.text FROM message_texts t
    WHERE t.entry_key > ${afterKey} AND length(t.text) <> length(CAST(t.text AS BLOB))
    ORDER BY t.entry_key LIMIT ${TEXTS_AT_ONCE}`;
}

/** It leaves the index and waits to be taken in again. One that was erased meanwhile stays gone. */
function rewriteText({ key, text }: OtherForm): readonly Statement[] {
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
