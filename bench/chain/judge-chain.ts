/**
 * Turns the runs into the published result: for each contestant and mode, the share of planted facts in the prompt
 * after 1, 3, 10 and 30 compactions, over all conversations, and by kind after the last. A checkpoint that was not
 * reached counts as nothing.
 */
import type { BenchResult, BenchValue } from "../bench.ts";
import type { ChainContestant } from "./contestant.ts";
import { FACT_KINDS, type PlantedFact, type PlantedKind } from "./planted-facts.ts";
import { CHECKPOINTS, type ChainMode, type ChainPlay } from "./play-chain.ts";

/** The modes in which no fact may be missing. */
const JUDGED_MODES: readonly ChainMode[] = ["offline", "forgetful"];
const LAST = Math.max(...CHECKPOINTS);
const SHOWN_EVICTIONS = 5;

export interface Must {
  readonly text: string;
  readonly target: string;
  readonly measured: string;
  readonly holds: boolean;
}

export interface ChainResult extends BenchResult {
  readonly musts: readonly Must[];
}

interface Group {
  readonly contestant: string;
  readonly mode: ChainMode;
  readonly plays: readonly ChainPlay[];
}

export function judgeChain(
  plays: readonly ChainPlay[],
  { ours, contestants }: { readonly ours: readonly string[]; readonly contestants: readonly ChainContestant[] },
): ChainResult {
  const groups = groupPlays(plays);
  const musts = groups
    .filter(({ contestant, mode }) => ours.includes(contestant) && JUDGED_MODES.includes(mode))
    .map((group) => mustOf(group));
  return {
    name: "chain",
    title: `Facts of the first turns that the prompt still contains after ${CHECKPOINTS.join(", ")} compactions, percent`,
    rows: groups.map(rowOf),
    notes: [
      ...musts.map(
        ({ text, target, measured, holds }) => `must: ${text} ${target}: ${measured}, ${holds ? "holds" : "FAILS"}`,
      ),
      ...evictionNotes(groups),
      ...stopNotes(plays),
      ...methodNotes(plays),
      ...contestants.map(({ name, version, note }) => `${name} (${version}): ${note}`),
    ],
    musts,
    details: plays.map(detailsOf),
  };
}

function groupPlays(plays: readonly ChainPlay[]): readonly Group[] {
  const groups = Map.groupBy(plays, ({ contestant, mode }) => `${contestant}\n${mode}`);
  return [...groups.values()].flatMap((members) => {
    const [first] = members;
    return first === undefined ? [] : [{ contestant: first.contestant, mode: first.mode, plays: members }];
  });
}

function rowOf({ contestant, mode, plays }: Group): Record<string, BenchValue> {
  const reached = CHECKPOINTS.map((compactions) => [`after${compactions}`, shareAt(plays, compactions)] as const);
  const kinds = FACT_KINDS.map((kind) => [`${kind}@${LAST}`, shareAt(plays, LAST, kind)] as const);
  return { contestant, summaries: mode, ...Object.fromEntries([...reached, ...kinds]), turns: meanTurns(plays) };
}

/** Returns the percentage of planted facts that were kept: of one kind, or of all kinds that count. */
function shareAt(plays: readonly ChainPlay[], compactions: number, kind?: PlantedKind): number {
  let [held, told] = [0, 0];
  for (const { checkpoints } of plays) {
    const reached = checkpoints.find((checkpoint) => checkpoint.compactions === compactions);
    const facts = reached ?? { held: [], lost: [...(checkpoints[0]?.held ?? []), ...(checkpoints[0]?.lost ?? [])] };
    const counts = (list: readonly PlantedFact[]) =>
      list.filter((fact) => kind === undefined || fact.kind === kind).length;
    held += counts(facts.held);
    told += counts(facts.held) + counts(facts.lost);
  }
  return told === 0 ? 0 : Number(((100 * held) / told).toFixed(1));
}

function meanTurns(plays: readonly ChainPlay[]): number {
  return Math.round(plays.reduce((sum, { turns }) => sum + turns, 0) / Math.max(1, plays.length));
}

function mustOf({ contestant, mode, plays }: Group): Must {
  const share = shareAt(plays, LAST);
  return {
    text: `${contestant}, summaries ${mode}: facts kept after ${LAST} compactions`,
    target: "100 %",
    measured: `${share} %`,
    holds: share === 100,
  };
}

/** Describes the facts that the contestant reports as evicted, and how many of them were planted. */
function evictionNotes(groups: readonly Group[]): readonly string[] {
  return groups.flatMap(({ contestant, mode, plays }) => {
    const evicted = plays.flatMap(({ evictions }) => evictions);
    const marks = plays.flatMap(({ checkpoints }) => checkpoints.at(-1)?.lost ?? []);
    const planted = marks.filter(({ mark }) => evicted.some((text) => text.includes(mark)));
    if (evicted.length === 0) return [];
    const examples = evicted.slice(0, SHOWN_EVICTIONS).map((text) => JSON.stringify(text));
    const about = `${evicted.length} facts evicted after the last compaction of ${plays.length} conversations`;
    return [
      `${contestant}, summaries ${mode}: ${about}, ${planted.length} of them planted; such as ${examples.join(", ")}`,
    ];
  });
}

function stopNotes(plays: readonly ChainPlay[]): readonly string[] {
  return plays.flatMap(({ contestant, mode, filler, seed, stopped }) =>
    stopped === undefined ? [] : [`${contestant}, summaries ${mode}, ${filler} ${seed}: stopped, ${stopped}`],
  );
}

function methodNotes([first]: readonly ChainPlay[]): readonly string[] {
  if (first === undefined) return [];
  return [
    `two facts of each kind in the first six turns, then generated filler; every contestant compacts at ${first.triggerTokens} tokens and keeps ${first.keepTokens}, by its own counter`,
    "an open task names an identifier; an idle identifier is mentioned once and nothing refers to it",
    "a fact counts if the first prompt after the compaction has its decisive words; how a model uses them is not measured",
    "forgetful: the model repeats only the end of its input; attentive: it repeats every planted fact in its input; both answer over a socket",
    `Node ${process.version}`,
  ];
}

function detailsOf({ checkpoints, ...play }: ChainPlay): unknown {
  const lost = checkpoints.map(({ compactions, lost: facts }) => ({
    compactions,
    lost: facts.map(({ mark }) => mark),
  }));
  return { ...play, checkpoints: lost };
}
