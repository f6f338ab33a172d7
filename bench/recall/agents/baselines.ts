/**
 * Baselines of the same size: the newest text, both ends, random lines, the shortest lines, and a ranked list of names
 * before the newest text, alone or each with a line that explains it.
 */
import { seededRandom } from "../../../src/testing/seeded-random.ts";
import { hasName, isExplaining } from "./judge-lines.ts";
import type { NameLedger } from "./name-ledger.ts";

export interface BaselineRequest {
  /** Everything before the cut. */
  readonly lines: readonly string[];
  readonly ledger: NameLedger;
  readonly budgetTokens: number;
  readonly seed: number;
  readonly count: (text: string) => number;
}

export type Baseline = (request: BaselineRequest) => readonly string[];

export const BASELINES: Readonly<Record<string, Baseline>> = {
  tail: ({ lines, budgetTokens, count }) => takeEnd(lines, budgetTokens, count),
  "head and tail": ({ lines, budgetTokens, count }) => [
    ...takeStart(lines, budgetTokens / 2, count),
    ...takeEnd(lines, budgetTokens / 2, count),
  ],
  random: ({ lines, budgetTokens, seed, count }) =>
    takeLines(seededRandom(seed).shuffle(lines), { budgetTokens, count }),
  "shortest first": ({ lines, budgetTokens, count }) =>
    takeLines(
      [...new Set(lines)].sort((left, right) => left.length - right.length),
      { budgetTokens, count },
    ),
  "ledger and tail": ({ lines, ledger, budgetTokens, count }) => [
    ...takeLines(ledger.ranked(), { budgetTokens: budgetTokens / 4, count }),
    ...takeEnd(lines, (budgetTokens * 3) / 4, count),
  ],
  "ledger with lines and tail": ({ lines, ledger, budgetTokens, count }) => [
    ...takeLines(
      ledger
        .ranked()
        .slice(0, MAX_LINES)
        .map((name) => explainName(name, ledger)),
      {
        budgetTokens: budgetTokens / 4,
        count,
      },
    ),
    ...takeEnd(lines, (budgetTokens * 3) / 4, count),
  ],
};

const MAX_LINES = 400;
const AROUND = 60;

/** Returns the newest line that has the name and three other words, or the part of it around the name. */
function explainName(name: string, ledger: NameLedger): string {
  const line = ledger.linesOf(name).findLast((candidate) => hasName(candidate, name) && isExplaining(candidate));
  if (line === undefined) return name;
  const place = line.indexOf(name);
  const start = Math.max(0, place - AROUND);
  const around = line.slice(start, place + name.length + AROUND);
  return isExplaining(around) ? around : line.slice(start, place + name.length + AROUND * 4);
}

interface TakeOptions {
  readonly budgetTokens: number;
  readonly count: (text: string) => number;
}

function takeLines(lines: readonly string[], { budgetTokens, count }: TakeOptions): readonly string[] {
  const taken: string[] = [];
  let room = budgetTokens;
  let misses = 0;
  for (const line of lines) {
    if (line.trim() === "") continue;
    const tokens = line.length > budgetTokens * 20 ? budgetTokens + 1 : count(`${line}\n`);
    if (tokens > room) {
      misses += 1;
      if (misses > MAX_MISSES) break;
      continue;
    }
    taken.push(line);
    room -= tokens;
  }
  return taken;
}

const MAX_MISSES = 20;

function takeEnd(lines: readonly string[], budgetTokens: number, count: (text: string) => number): readonly string[] {
  const text = endOf(lines, budgetTokens * MAX_TOKEN_CHARACTERS);
  return text
    .slice(text.length - longest(text.length, (length) => count(text.slice(text.length - length)) <= budgetTokens))
    .split("\n");
}

function takeStart(lines: readonly string[], budgetTokens: number, count: (text: string) => number): readonly string[] {
  const taken: string[] = [];
  let length = 0;
  for (const line of lines) {
    if (length > budgetTokens * MAX_TOKEN_CHARACTERS) break;
    taken.push(line);
    length += line.length + 1;
  }
  const text = taken.join("\n").slice(0, budgetTokens * MAX_TOKEN_CHARACTERS);
  return text
    .slice(
      0,
      longest(text.length, (end) => count(text.slice(0, end)) <= budgetTokens),
    )
    .split("\n");
}

/** An upper limit for the characters of a token. */
const MAX_TOKEN_CHARACTERS = 8;

function endOf(lines: readonly string[], characters: number): string {
  let start = lines.length;
  let length = 0;
  while (start > 0 && length < characters) {
    start -= 1;
    length += (lines[start]?.length ?? 0) + 1;
  }
  return lines.slice(start).join("\n").slice(-characters);
}

function longest(most: number, fits: (length: number) => boolean): number {
  let low = 0;
  let high = most;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
