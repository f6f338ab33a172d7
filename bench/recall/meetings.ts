/**
 * Measures what a summary by code keeps of meetings, for queries that it was not written for: of the content words of
 * the turns that answer a query, weighted by their rarity in the meeting, the share that is in a summary line made from
 * such a turn. A line counts only for the turns that it names as its sources.
 */

import { summarizeOffline } from "../../src/core/summary/offline/summarize-offline.ts";
import { countTokens } from "../../src/core/tokens/count-tokens.ts";
import type { BenchValue } from "../bench.ts";
import { mean } from "../shared/averages.ts";
import { distinctWords, wordsIn } from "./measure-words.ts";
import { CHOICES, pickLines } from "./pick-lines.ts";
import { type Meeting, readQmsum } from "./read-qmsum.ts";
import type { MeasureRecall } from "./recall-part.ts";

const SHARES = [0.1, 0.25, 0.5];
/** The required multiple of the best baseline. */
const MUSTS = [1.5, 1.3, 1.15];
const QUICK_STEP = 6;
const RANDOM_SEEDS = [1, 2, 3];
const OURS = "ours";
const ORACLE = "oracle (knows the queries)";

export const measureMeetings: MeasureRecall = async ({ dataFolder, quick }) => {
  const all = readQmsum(`${dataFolder}/qmsum/val`);
  if (all === undefined) return undefined;
  const meetings = (quick ? all.filter((_, index) => index % QUICK_STEP === 0) : all).map(prepare);
  const names = [OURS, ...CHOICES, ORACLE];
  const recalls = new Map(names.map((name) => [name, SHARES.map((size) => recallOf(meetings, name, size))]));
  const ours = recalls.get(OURS) ?? [];
  const best = SHARES.map((_, place) => Math.max(...CHOICES.map((choice) => recalls.get(choice)?.[place]?.mean ?? 0)));
  const times = ours.map(({ mean }, place) => mean / Math.max(best[place] ?? 0, Number.MIN_VALUE));
  return {
    rows: [...recalls].map(([name, row]) => rowOf(name, row)),
    figures: Object.fromEntries(
      SHARES.flatMap((size, place) => [
        [`meetings${size * 100}`, ours[place]?.mean ?? 0],
        [`meetings${size * 100}Times`, times[place] ?? 0],
      ]),
    ),
    notes: [
      `Meetings: ${meetings.length} meetings, ${meetings.reduce((sum, { queries }) => sum + queries.length, 0)} queries. ` +
        "Sizes are shares of a meeting's estimated tokens. Baselines consist of whole turns. " +
        `Target: ${MUSTS.map((must, place) => `${must}x at ${(SHARES[place] ?? 0) * 100} %`).join(", ")} of the best baseline.`,
    ],
  };
};

interface PreparedMeeting {
  readonly meeting: Meeting;
  readonly tokens: number;
  readonly rarity: (word: string) => number;
  readonly queries: readonly PreparedQuery[];
}

interface PreparedQuery {
  readonly turns: ReadonlySet<number>;
  readonly words: ReadonlySet<string>;
}

const MIN_WORDS = 5;
/** `{vocalsound}` and the like are marks of the transcript. */
const NOISE = /\{[a-z]+\}/g;

function prepare(meeting: Meeting): PreparedMeeting {
  const texts = meeting.texts.map((text) => text.replace(NOISE, " "));
  const words = texts.map(distinctWords);
  const counts = new Map<string, number>();
  for (const each of words) for (const word of each) counts.set(word, (counts.get(word) ?? 0) + 1);
  const queries = meeting.queries.map((turns): PreparedQuery => {
    const telling = turns.filter((turn) => wordsIn(texts[turn] ?? "").length >= MIN_WORDS);
    return { turns: new Set(telling), words: new Set(telling.flatMap((turn) => [...(words[turn] ?? [])])) };
  });
  return {
    meeting,
    tokens: countTokens(meeting.lines.join("\n")),
    rarity: (word) => Math.log(texts.length / (counts.get(word) ?? 1)),
    queries: queries.filter(({ words: wanted }) => wanted.size > 0),
  };
}

interface Line {
  readonly text: string;
  readonly turns: readonly number[];
}

interface Recall {
  readonly mean: number;
  readonly byMeeting: readonly number[];
}

function recallOf(meetings: readonly PreparedMeeting[], name: string, size: number): Recall {
  const byMeeting = meetings.map((prepared) => {
    const sizeTokens = Math.floor(prepared.tokens * size);
    const texts = (name === "random" ? RANDOM_SEEDS : [1]).map((seed) => linesOf(prepared, name, { sizeTokens, seed }));
    return mean(texts.flatMap((lines) => prepared.queries.map((query) => recallOfQuery(prepared, query, lines))));
  });
  return { mean: mean(byMeeting), byMeeting };
}

function linesOf(prepared: PreparedMeeting, name: string, { sizeTokens, seed }: Size): readonly Line[] {
  const { meeting } = prepared;
  const whole = (places: readonly number[]): readonly Line[] =>
    places.map((place) => ({ text: meeting.lines[place] ?? "", turns: [place] }));
  if (name === OURS) {
    const { lines = [] } = summarizeOffline(meeting.messages, { budgetTokens: sizeTokens });
    return lines.map(({ text, messageIds }) => ({ text, turns: messageIds.map(Number) }));
  }
  if (name === ORACLE) return whole(pickKnowing(prepared, sizeTokens));
  const choice = CHOICES.find((each) => each === name) ?? "tail";
  return whole(pickLines(meeting.lines, choice, { sizeTokens, seed }));
}

interface Size {
  readonly sizeTokens: number;
  readonly seed: number;
}

function recallOfQuery({ rarity }: PreparedMeeting, { turns, words }: PreparedQuery, lines: readonly Line[]): number {
  const spoken = new Set<string>();
  for (const { text, turns: sources } of lines) {
    if (!sources.some((turn) => turns.has(turn))) continue;
    for (const word of distinctWords(text)) spoken.add(word);
  }
  let all = 0;
  let found = 0;
  for (const word of words) {
    const weight = rarity(word);
    all += weight;
    if (spoken.has(word)) found += weight;
  }
  return all === 0 ? 0 : found / all;
}

/** Picks whole turns, those with the most new answer words for each token first. */
function pickKnowing({ meeting, queries, rarity }: PreparedMeeting, sizeTokens: number): readonly number[] {
  const open = queries.map(({ turns, words }) => ({ turns, words: new Set(words), all: sumOf(words, rarity) }));
  const tokens = meeting.lines.map((line) => countTokens(`${line}\n`));
  const words = meeting.texts.map(distinctWords);
  const worth = (turn: number): number => {
    let sum = 0;
    for (const query of open) {
      if (!query.turns.has(turn)) continue;
      for (const word of words[turn] ?? []) if (query.words.has(word)) sum += rarity(word) / query.all;
    }
    return sum / (tokens[turn] ?? 1);
  };
  const waiting = meeting.lines.map((_, turn) => ({ turn, value: worth(turn) })).filter(({ value }) => value > 0);
  const picked: number[] = [];
  let room = sizeTokens;
  while (waiting.length > 0) {
    waiting.sort((left, right) => left.value - right.value);
    const top = waiting.pop();
    if (top === undefined) break;
    const value = worth(top.turn);
    if (value < (waiting.at(-1)?.value ?? 0)) {
      if (value > 0) waiting.push({ turn: top.turn, value });
      continue;
    }
    if ((tokens[top.turn] ?? 0) > room) continue;
    room -= tokens[top.turn] ?? 0;
    picked.push(top.turn);
    for (const query of open)
      if (query.turns.has(top.turn)) for (const word of words[top.turn] ?? []) query.words.delete(word);
  }
  return picked;
}

function sumOf(words: ReadonlySet<string>, rarity: (word: string) => number): number {
  return [...words].reduce((sum, word) => sum + rarity(word), 0);
}

function rowOf(name: string, recalls: readonly Recall[]): Readonly<Record<string, BenchValue>> {
  const cells = recalls.map(({ mean: value }, place) => [`at ${(SHARES[place] ?? 0) * 100} %`, value]);
  return { meetings: name, ...Object.fromEntries(cells) };
}
