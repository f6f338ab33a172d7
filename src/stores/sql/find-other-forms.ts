/** Texts that were stored before the form changed in which they are compared, each with what it is now. */
import { normaliseText } from "../../core/message/normalise-text.ts";
import { type Row, readNumber, readText } from "./driver.ts";

/** So many are looked at together: few enough for the memory of a Worker, also where they are long. */
export const TEXTS_AT_ONCE = 200;

export interface OtherForm {
  readonly key: number;
  readonly text: string;
}

/** Of rows with an `entry_key` and a `text`, those that must be written anew. */
export function findOtherForms(rows: readonly Row[]): readonly OtherForm[] {
  return rows.flatMap((row) => {
    const stored = readText(row, "text");
    const text = normaliseText(stored);
    return text === stored ? [] : [{ key: readNumber(row, "entry_key"), text }];
  });
}
