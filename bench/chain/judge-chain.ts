/**
 * Turns the runs into the published result: for each contestant and mode, the share of planted facts in the prompt
 * after 1, 3, 10 and 30 compactions, over all conversations, and by kind after the last. At a checkpoint that was
 * not reached, all facts count as lost.
 */
import type { BenchResult, BenchValue } from "../bench.ts";
import type { RequiredFigure } from "../turn-cost/judge-turn-cost.ts";
import type { ChainContestant } from "./contestant.ts";
import { FACT_KINDS, type FactWording, hasCue, type PlantedFact, type PlantedKind } from "./planted-facts.ts";
import { CHECKPOINTS, type ChainMode, type ChainPlay } from "./play-chain.ts";

/** The modes in which no fact with a cue may be missing. */
const JUDGED_MODES: readonly ChainMode[] = ["offline", "forgetful"];
const LAST = Math.max(...CHECKPOINTS);
/** The numbers of compactions after which summaries by a model are compared with those by code. */
const COMPARED = [10, LAST];
/**
 * Of the facts in ordinary wording, summaries by a model may keep a share that is this many percentage points below
 * that of summaries by code.
 */
const MAX_LOSS_POINTS = 2;
const SHOWN_EVICTIONS = 5;

export interface ChainResult extends BenchResult {
  readonly musts: readonly RequiredFigure[];
}

interface Group {
  readonly contestant: string;
  readonly mode: ChainMode;
  readonly wording: FactWording;
  readonly plays: readonly ChainPlay[];
}

export function judgeChain(
  plays: readonly ChainPlay[],
  { ours, contestants }: { readonly ours: readonly string[]; readonly contestants: readonly ChainContestant[] },
): ChainResult {
  const groups = groupPlays(plays);
  const own = groups.filter(({ contestant }) => ours.includes(contestant));
  const musts = [
    ...own.filter(({ mode, wording }) => wording === "cued" && JUDGED_MODES.includes(mode)).map(mustKeepAll),
    ...own.flatMap((group) => mustKeepAsMany(group, own)),
  ];
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
      ...cueNotes(plays),
      ...methodNotes(plays),
      ...contestants.map(({ name, version, note }) => `${name} (${version}): ${note}`),
    ],
    musts,
    details: plays.map(detailsOf),
  };
}

function groupPlays(plays: readonly ChainPlay[]): readonly Group[] {
  const groups = Map.groupBy(plays, ({ contestant, mode, wording }) => [contestant, mode, wording].join("\n"));
  return [...groups.values()].flatMap((members) => {
    const [first] = members;
    return first === undefined ? [] : [{ ...first, plays: members }];
  });
}

function rowOf({ contestant, mode, wording, plays }: Group): Record<string, BenchValue> {
  const reached = CHECKPOINTS.map((compactions) => [`after${compactions}`, shareAt(plays, compactions)] as const);
  const asked = CHECKPOINTS.flatMap((compactions) => {
    const share = shareAsked(plays, compactions);
    return share === undefined ? [] : [[`asked${compactions}`, share] as const];
  });
  const kinds = FACT_KINDS.map((kind) => [`${kind}@${LAST}`, shareAt(plays, LAST, kind)] as const);
  return {
    contestant,
    facts: wording,
    summaries: mode,
    ...Object.fromEntries([...reached, ...asked, ...kinds]),
    turns: meanTurns(plays),
  };
}

/** Returns the percentage of planted facts that were kept: of one kind, or of all kinds that count. */
function shareAt(plays: readonly ChainPlay[], compactions: number, kind?: PlantedKind): number {
  let [held, total] = [0, 0];
  for (const { checkpoints } of plays) {
    const reached = checkpoints.find((checkpoint) => checkpoint.compactions === compactions);
    const facts = reached ?? { held: [], lost: [...(checkpoints[0]?.held ?? []), ...(checkpoints[0]?.lost ?? [])] };
    const counts = (list: readonly PlantedFact[]) =>
      list.filter((fact) => kind === undefined || fact.kind === kind).length;
    held += counts(facts.held);
    total += counts(facts.held) + counts(facts.lost);
  }
  return total === 0 ? 0 : Number(((100 * held) / total).toFixed(1));
}

/** Returns the percentage of facts in the prompt of a question about them; undefined if no contestant was asked. */
function shareAsked(plays: readonly ChainPlay[], compactions: number): number | undefined {
  const asked = plays.flatMap(({ checkpoints }) => {
    const reached = checkpoints.find((checkpoint) => checkpoint.compactions === compactions);
    return reached?.answerable === undefined ? [] : [{ ...reached, answerable: reached.answerable }];
  });
  const total = asked.reduce((sum, { held, lost }) => sum + held.length + lost.length, 0);
  const found = asked.reduce((sum, { answerable }) => sum + answerable.length, 0);
  return total === 0 ? undefined : Number(((100 * found) / total).toFixed(1));
}

function meanTurns(plays: readonly ChainPlay[]): number {
  return Math.round(plays.reduce((sum, { turns }) => sum + turns, 0) / Math.max(1, plays.length));
}

function mustKeepAll({ contestant, mode, plays }: Group): RequiredFigure {
  const share = shareAt(plays, LAST);
  return {
    text: `${contestant}, summaries ${mode}: facts kept after ${LAST} compactions`,
    target: "100 %",
    measured: `${share} %`,
    holds: share === 100,
  };
}

/** Compares a model's summaries with those by code, for facts in ordinary wording. */
function mustKeepAsMany({ contestant, mode, wording, plays }: Group, own: readonly Group[]): readonly RequiredFigure[] {
  const isOffline = (group: Group): boolean =>
    group.contestant === contestant && group.wording === wording && group.mode === "offline";
  const offline = own.find(isOffline);
  if (wording !== "ordinary" || mode === "offline" || offline === undefined) return [];
  return COMPARED.map((compactions) => {
    const [share, byCode] = [shareAt(plays, compactions), shareAt(offline.plays, compactions)];
    return {
      text: `${contestant}, summaries ${mode}: facts in ordinary wording kept after ${compactions} compactions`,
      target: `at least ${byCode} % (by code) minus ${MAX_LOSS_POINTS} points`,
      measured: `${share} %`,
      holds: share >= byCode - MAX_LOSS_POINTS,
    };
  });
}

/** Describes the facts that the contestant reports as evicted, and how many of them were planted. */
function evictionNotes(groups: readonly Group[]): readonly string[] {
  return groups.flatMap(({ contestant, mode, wording, plays }) => {
    const evicted = plays.flatMap(({ evictions }) => evictions);
    const marks = plays.flatMap(({ checkpoints }) => checkpoints.at(-1)?.lost ?? []);
    const planted = marks.filter(({ mark }) => evicted.some((text) => text.includes(mark)));
    if (evicted.length === 0) return [];
    const examples = evicted.slice(0, SHOWN_EVICTIONS).map((text) => JSON.stringify(text));
    const about = `${evicted.length} facts evicted after the last compaction of ${plays.length} conversations`;
    return [
      `${contestant}, summaries ${mode}, ${wording} wording: ${about}, ${planted.length} of them planted; examples: ${examples.join(", ")}`,
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
    "a fact counts if a line of the first prompt after the compaction has its decisive words, without articles; how a model uses them is not measured",
    "asked: the same for the prompt of a question about the fact, which has recalled passages; only contestants with previews of prompts are asked",
    "forgetful: the model repeats only the end of its input; attentive: it repeats every planted fact in its input; both answer over a socket",
    `Node ${process.version}`,
  ];
}

/** Says how many facts have a word that marks their kind. */
function cueNotes(plays: readonly ChainPlay[]): readonly string[] {
  const byWording = Map.groupBy(plays, ({ wording }) => wording);
  return [...byWording].map(([wording, members]) => {
    const facts = members.flatMap(({ checkpoints: [first] }) => [...(first?.held ?? []), ...(first?.lost ?? [])]);
    return `${wording} wording: ${facts.filter(hasCue).length} of ${facts.length} facts carry a cue word, such as "must", "TODO" or "decided"`;
  });
}

function detailsOf({ checkpoints, ...play }: ChainPlay): unknown {
  const lost = checkpoints.map(({ compactions, lost: facts }) => ({
    compactions,
    lost: facts.map(({ mark }) => mark),
  }));
  return { ...play, checkpoints: lost };
}
