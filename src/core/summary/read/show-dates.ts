/**
 * Writes behind words such as "last Friday" the date that they meant on the day they were said, marked as computed:
 * `last Friday (= 5 May 2023)`. Words are read in their sentence as it was said, because what is left out of it may be
 * what tells past from future, and shown only where the whole message is read alike: so whoever checks finds the same.
 */
import { type ResolvedDate, resolveRelativeDates } from "../../language/resolve-relative-dates.ts";

export interface ShownDates {
  readonly text: string;
  readonly dates: readonly string[];
}

export interface DateSource {
  /** The sentence as it was said. */
  readonly sentence: string;
  readonly saidAt: number;
  /** What its whole message is read as. */
  readonly inMessage: readonly ResolvedDate[];
}

export function showDates(line: string, { sentence, saidAt, inMessage }: DateSource): ShownDates {
  const known = new Set(inMessage.map(({ phrase, date }) => `${phrase}\n${date}`));
  const dates: string[] = [];
  let text = line;
  for (const { phrase, date } of resolveRelativeDates(sentence, saidAt)) {
    const found = text.toLowerCase().indexOf(phrase.toLowerCase());
    if (found < 0 || !known.has(`${phrase}\n${date}`)) continue;
    const end = found + phrase.length;
    text = `${text.slice(0, end)} (= ${date})${text.slice(end)}`;
    dates.push(date);
  }
  return { text, dates };
}
