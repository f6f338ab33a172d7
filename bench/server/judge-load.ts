/**
 * Compares the rounds of a load with its limits: no errors, no lost message, no growth of memory, answers in time, and
 * more requests than the peer answers in the same run.
 */
import { mustBe, roundFigure, type StorePart } from "../store/part.ts";
import type { LoadResult, LogCount } from "./run-load.ts";

export interface Round {
  readonly loaded: LoadResult;
  readonly counted: LogCount | undefined;
  readonly exitCodes: readonly (number | null)[];
}

export interface LoadCase {
  /** Such as "sqlite, 500 turns before". */
  readonly name: string;
  readonly turnsBefore: number;
  readonly maxP99Ms: number;
  readonly ours: readonly Round[];
  readonly theirs: readonly Round[];
}

/** Limit for the growth of the resident memory, from the middle of a run to its end. */
const MAX_GROWTH = 1.1;
/** From this many turns on, a peer that reads the whole conversation with every request is far slower. */
const LONG_TURNS = 500;
const MIN_RATIO = { short: 2.5, long: 5 } as const;

export function judgeLoad(load: LoadCase): StorePart["musts"] {
  return [...judgeSafety(load), ...judgeSpeed(load)];
}

function judgeSafety({ name, ours }: LoadCase): StorePart["musts"] {
  const most = (pick: (round: Round) => number | undefined) =>
    ours.length === 0 ? undefined : Math.max(...ours.map((round) => pick(round) ?? Number.POSITIVE_INFINITY));
  const kept = ours.reduce((sum, { counted }) => sum + (counted?.acknowledged ?? 0), 0);
  return [
    mustBe({ text: `${name}: errors`, value: most(({ loaded }) => loaded.errors), unit: "", atMost: 0 }),
    mustBe({
      text: `${name}: acknowledged messages that are missing from the log, or in it twice`,
      value: most(({ counted }) => counted && counted.lost + counted.doubled),
      unit: "",
      atMost: 0,
      beside: `of ${kept}`,
    }),
    mustBe({
      text: `${name}: memory at the end, relative to the middle`,
      value: most(({ loaded: { rssBytes } }) => rssBytes.end / rssBytes.middle),
      unit: "",
      atMost: MAX_GROWTH,
    }),
    mustBe({
      text: `${name}: processes with an unclean exit`,
      value: most(({ exitCodes }) => exitCodes.filter((code) => code !== 0).length),
      unit: "",
      atMost: 0,
    }),
  ];
}

function judgeSpeed({ name, turnsBefore, maxP99Ms, ours, theirs }: LoadCase): StorePart["musts"] {
  const [ourRate, theirRate] = [rateOf(ours), rateOf(theirs)];
  const [ourP99, theirP99] = [p99Of(ours), p99Of(theirs)];
  const p99 = { text: `${name}: p99`, value: ourP99, unit: " ms" };
  if (theirs.length === 0) return [mustBe({ ...p99, atMost: maxP99Ms })];
  const ratio = ourRate === undefined || theirRate === undefined ? undefined : ourRate / theirRate;
  return [
    mustBe({ ...p99, atMost: maxP99Ms }),
    mustBe({ ...p99, text: `${name}: p99, compared with LangGraph`, atMost: theirP99 ?? 0 }),
    mustBe({
      text: `${name}: requests/s compared with LangGraph`,
      value: ratio,
      unit: "x",
      atLeast: turnsBefore < LONG_TURNS ? MIN_RATIO.short : MIN_RATIO.long,
      beside: `${Math.round(ourRate ?? 0)}/s; LangGraph ${Math.round(theirRate ?? 0)}/s, p99 ${roundFigure(theirP99)} ms`,
    }),
  ];
}

/** Requires a rate relative to that of another case of the same run. */
export function judgeRate(
  text: string,
  {
    rate,
    base,
    atLeast,
  }: { readonly rate: number | undefined; readonly base: number | undefined; readonly atLeast: number },
): StorePart["musts"][number] {
  const value = rate === undefined || base === undefined ? undefined : rate / base;
  return mustBe({
    text,
    value,
    unit: "x",
    atLeast,
    beside: `${Math.round(rate ?? 0)}/s and ${Math.round(base ?? 0)}/s`,
  });
}

export function rateOf(rounds: readonly Round[]): number | undefined {
  return middle(rounds.map(({ loaded }) => loaded.perSecond));
}

function p99Of(rounds: readonly Round[]): number | undefined {
  return middle(rounds.map(({ loaded }) => loaded.p99Ms));
}

function middle(values: readonly number[]): number | undefined {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];
}
