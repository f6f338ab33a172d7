/**
 * Finds relative dates in languages other than English by one table per language, and returns the English phrase with
 * the same meaning, which `read-date-phrase.ts` resolves. Templates contain `{n}` for a number, `{unit}` for a day,
 * week, month or year, and `{weekday}`.
 */
import { findMatches } from "./find-matches.ts";
import { lazyPattern } from "./lazy-pattern.ts";

/** The words and phrases of one language. */
export interface DateTable {
  /** Words for the numbers from 1 on, each the source of a regular expression. */
  readonly numbers: readonly string[];
  /** Sources of regular expressions, with singular and plural. */
  readonly units: Readonly<Record<DateUnit, string>>;
  /** Weekdays from Sunday on, each the source of a regular expression. */
  readonly weekdays: readonly string[];
  /** Templates with their English meaning, the more specific ones first. */
  readonly phrases: readonly (readonly [template: string, meaning: string])[];
  /** True if words are not separated by spaces. */
  readonly isUnspaced?: boolean | undefined;
}

type DateUnit = "day" | "week" | "month" | "year";

export interface FoundPhrase {
  readonly start: number;
  readonly end: number;
  /** The phrase in English. */
  readonly meaning: string;
}

/** Returns the phrases without overlap, the more specific ones first. */
export type DatePhraseFinder = (text: string) => readonly FoundPhrase[];

const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const DIGITS = /^\d{1,3}$/;

export function createDatePhraseFinder(table: DateTable): DatePhraseFinder {
  const any = lazyPattern(() => compileAny(table));
  let patterns: readonly PhrasePattern[] | undefined;
  return (text) => {
    const found: FoundPhrase[] = [];
    if (!any.test(text)) return found;
    patterns ??= table.phrases.map(([template, meaning]) => ({ pattern: compile(table, template), meaning }));
    for (const { pattern, meaning } of patterns) {
      for (const match of findMatches(text, pattern)) {
        const [start, end] = [match.index, match.index + match[0].length];
        if (found.some((other) => start < other.end && other.start < end)) continue;
        found.push({ start, end, meaning: translate(table, meaning, match.groups ?? {}) });
      }
    }
    return found;
  };
}

interface PhrasePattern {
  readonly pattern: RegExp;
  readonly meaning: string;
}

function compile(table: DateTable, template: string): RegExp {
  return new RegExp(withEdges(table, fillIn(table, template)), "giu");
}

/** Matches every text that one of the phrases matches: most texts have none. */
function compileAny(table: DateTable): RegExp {
  const sources = table.phrases.map(([template]) =>
    fillIn(table, template).replaceAll(/\(\?<(?:n|unit|weekday)>/g, "(?:"),
  );
  return new RegExp(withEdges(table, sources.join("|")), "iu");
}

function fillIn({ numbers, units, weekdays }: DateTable, template: string): string {
  return template
    .replace("{n}", `(?<n>\\d{1,3}|${numbers.toReversed().join("|")})`)
    .replace("{unit}", `(?<unit>${Object.values(units).join("|")})`)
    .replace("{weekday}", `(?<weekday>${weekdays.join("|")})`);
}

function withEdges({ isUnspaced }: DateTable, source: string): string {
  return isUnspaced === true ? source : `(?<![\\p{L}\\p{N}_-])(?:${source})(?![\\p{L}\\p{N}_-])`;
}

function translate(table: DateTable, meaning: string, groups: Readonly<Record<string, string | undefined>>): string {
  const { n = "", unit = "", weekday = "" } = groups;
  const [english = ""] = Object.entries(table.units).find(([, source]) => matchesWhole(source, unit)) ?? [];
  const day = WEEKDAYS[table.weekdays.findIndex((source) => matchesWhole(source, weekday))] ?? "";
  const count = DIGITS.test(n) ? n : String(table.numbers.findIndex((source) => matchesWhole(source, n)) + 1);
  return meaning.replace("{n}", count).replace("{unit}", english).replace("{weekday}", day);
}

function matchesWhole(source: string, text: string): boolean {
  return new RegExp(`^(?:${source})$`, "iu").test(text);
}
