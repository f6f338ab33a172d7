/** Finds search texts that were stored before the normal form changed. */
import { normalizeText } from "../../core/message/search-text.ts";
import { type Row, readNumber, readText } from "./driver.ts";

/** Texts read at once: few enough for the memory of a Worker, even if they are long. */
export const TEXTS_PER_BATCH = 200;

export interface RewrittenText {
  readonly key: number;
  readonly text: string;
}

/** Returns the rows, with `entry_key` and `text`, whose text has to be rewritten. */
export function findUnnormalisedTexts(rows: readonly Row[]): readonly RewrittenText[] {
  return rows.flatMap((row) => {
    const stored = readText(row, "text");
    const text = normalizeText(stored);
    return text === stored ? [] : [{ key: readNumber(row, "entry_key"), text }];
  });
}
