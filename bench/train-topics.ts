/**
 * Learns the weights of the topic detector and writes `src/core/topics/topic-weights.ts` with `--write`. Weights for
 * conversations of everyday length are learned from TIAGE's train split, joined tau-bench conversations and generated
 * task dialogues, with as much weight for TIAGE as for the other two together; those for long ones from QMSum's
 * meetings. TIAGE's dev split is not used. The rows show how weights learned from one kind work on the others.
 *
 * The same data and the same source give the same file. `changedLines` counts the lines of the committed file that a
 * new run would change: its weights were learned before topics used the words of `core/language`, and decision 36
 * explains why they stay.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { longTalkFeatures, raiseLongScore, scoreVocabulary, scoreWork } from "../src/core/topics/score-gap.ts";
import { seededRandom } from "../src/testing/seeded-random.ts";
import { generateTaskDialogue } from "../test/support/generate-task-dialogues.ts";
import type { BenchRequest, BenchResult } from "./bench.ts";
import { joinTalks } from "./topics/join-talks.ts";
import { fitLogisticRegression, type LogisticModel, type TrainingRow, weighRow } from "./topics/logistic-regression.ts";
import { type DialogueGaps, pickPeaks, readGaps } from "./topics/read-gaps.ts";
import { readMarkedMeetings, readServiceTalks, readTiage } from "./topics/read-marked-dialogues.ts";
import { scoreSegmentations } from "./topics/superdialseg-score.ts";

const DATA_FOLDER = `${import.meta.dirname}/../../shared/data`;
const WEIGHTS_FILE = `${import.meta.dirname}/../src/core/topics/topic-weights.ts`;
const TALK_PENALTY = 200;
const LONG_TALK_PENALTY = 10;
/**
 * Weight of each kind, in gaps: people's conversations count as much as task dialogues, which come from two sources.
 */
const GAPS_OF_KIND: Readonly<Record<string, number>> = { tiage: 4_000, tau: 2_000, generated: 2_000 };
const FOLDS = 5;
/** As in the tracker: a boundary suppresses weaker gaps within this distance. */
const NEAR = { talk: 1, longTalk: 8 } as const;
const LONG_TALK_THRESHOLDS = Array.from({ length: 60 }, (_, step) => -6 + step / 10);
const THRESHOLDS = Array.from({ length: 21 }, (_, step) => -1.5 + step / 10);

export async function run({ args }: BenchRequest): Promise<BenchResult> {
  const { values } = parseArgs({ args: [...args], options: { data: { type: "string" }, write: { type: "boolean" } } });
  const folder = values.data ?? DATA_FOLDER;
  const kinds = readKinds(folder);
  const meetings = readMarkedMeetings(folder).map(readGaps);
  if (Object.values(kinds).some((kind) => kind.length === 0) || meetings.length === 0) {
    return { name: "train-topics", title: "Nothing was learned: the marked conversations are missing.", rows: [] };
  }
  const names = Object.keys(kinds.tiage?.[0]?.gaps[0]?.reading.features ?? {});
  const talk = learnTalk(kinds, names);
  const longTalk = learnLongTalk(meetings, { talk, names });
  const file = formatWeights({ names, talk, longTalk });
  const changedLines = countChangedLines(readFileSync(WEIGHTS_FILE, "utf8"), file);
  if (values.write === true) writeFileSync(WEIGHTS_FILE, file);
  return {
    name: "train-topics",
    title: "Weights trained on one kind of marked dialogue, scored on the others (SuperDialseg score, 0 to 100).",
    rows: crossKinds(kinds, { folder, names, from: talk.from }),
    figures: {
      talkThreshold: talk.from,
      longTalkThreshold: longTalk.from,
      meetingsHeldOutScore: longTalk.score,
      changedLines,
    },
    notes: [
      `${names.length} features. Rows are learned from the kinds named, all with threshold ${talk.from}; columns are`,
      "held-out halves: TIAGE dev, tau-bench talks of other tasks, generated dialogues of another seed.",
      "The threshold is the best of 5 folds over the training kinds; the one of meetings makes at most as many",
      "boundaries as there are, over 5 folds.",
    ],
  };
}

type Kinds = Readonly<Record<string, readonly DialogueGaps[]>>;

function readKinds(folder: string): Kinds {
  const talks = readServiceTalks(folder);
  return {
    tiage: readTiage(folder, "train").map(readGaps),
    tau: talks.length === 0 ? [] : joinTalks(talks, { random: seededRandom(1), dialogues: 300 }).map(readGaps),
    generated: generate(3, 300),
  };
}

function generate(seed: number, dialogues: number): readonly DialogueGaps[] {
  const random = seededRandom(seed);
  return Array.from({ length: dialogues }, (_, number) =>
    readGaps({ id: `generated-${seed}-${number}`, ...generateTaskDialogue(random) }),
  );
}

interface LearnedModel {
  readonly model: LogisticModel;
  /** The sum at which there is a boundary. */
  readonly from: number;
}

function learnTalk(kinds: Kinds, names: readonly string[]): LearnedModel {
  const model = fitKinds(kinds, names);
  const parts = Object.entries(kinds).map(([kind, reads]) => [kind, foldsOf(reads)] as const);
  const sums = new Map<DialogueGaps, readonly number[]>();
  for (let fold = 0; fold < FOLDS; fold += 1) {
    const held = fitKinds(
      Object.fromEntries(parts.map(([kind, folds]) => [kind, folds.filter((_, other) => other !== fold).flat()])),
      names,
    );
    for (const read of parts.flatMap(([, folds]) => folds[fold] ?? []))
      sums.set(read, sumsOf(read, { model: held, names }));
  }
  const scoreAt = (from: number) =>
    Object.values(kinds).reduce((total, kind) => total + scoreOf(kind, { sums, from, near: NEAR.talk }).score, 0);
  const from = THRESHOLDS.reduce((best, one) => (scoreAt(one) > scoreAt(best) ? one : best));
  return { model, from: Math.round(from * 10) / 10 };
}

function learnLongTalk(
  meetings: readonly DialogueGaps[],
  { talk, names }: { readonly talk: LearnedModel; readonly names: readonly string[] },
): LearnedModel & { readonly score: number; readonly names: readonly string[] } {
  const talkSums = new Map(
    meetings.map((read) => [read, sumsOf(read, { model: talk.model, names }).map((sum) => sum - talk.from)]),
  );
  const featuresOf = (read: DialogueGaps) =>
    read.gaps.map(({ reading }, place) => longTalkFeatures(reading, talkSums.get(read)?.[place] ?? 0));
  const rowsOf = (read: DialogueGaps): readonly TrainingRow[] =>
    featuresOf(read).map((features, place) => ({
      values: Object.values(features),
      isTrue: read.gaps[place]?.isStart === true,
      weight: 1,
    }));
  const folds = foldsOf(meetings);
  const heldOut = new Map<DialogueGaps, readonly number[]>();
  folds.forEach((held, fold) => {
    const others = folds.filter((_, other) => other !== fold).flat();
    const model = fitLogisticRegression(others.flatMap(rowsOf), LONG_TALK_PENALTY);
    for (const read of held)
      heldOut.set(
        read,
        rowsOf(read).map(({ values }) => weighRow(model, values)),
      );
  });
  const at = (from: number) => {
    const sums = new Map(
      meetings.map((read) => [
        read,
        (heldOut.get(read) ?? []).map((sum, place) => raiseLongScore(sum - from, talkSums.get(read)?.[place] ?? 0)),
      ]),
    );
    return scoreOf(meetings, { sums, from: 0, near: NEAR.longTalk });
  };
  const from = LONG_TALK_THRESHOLDS.find((one) => at(one).density <= 1) ?? 0;
  return {
    model: fitLogisticRegression(meetings.flatMap(rowsOf), LONG_TALK_PENALTY),
    from: Math.round(from * 10) / 10,
    score: 100 * at(from).score,
    names: Object.keys(meetings.flatMap(featuresOf)[0] ?? {}),
  };
}

function fitKinds(kinds: Kinds, names: readonly string[]): LogisticModel {
  const rows = Object.entries(kinds).flatMap(([kind, reads]) => {
    const gaps = reads.flatMap((read) => read.gaps);
    const weight = (GAPS_OF_KIND[kind] ?? 0) / Math.max(1, gaps.length);
    return gaps.map(({ reading, isStart }) => ({ values: valuesOf(reading.features, names), isTrue: isStart, weight }));
  });
  return fitLogisticRegression(rows, TALK_PENALTY);
}

function crossKinds(
  kinds: Kinds,
  { folder, names, from }: { readonly folder: string; readonly names: readonly string[]; readonly from: number },
): BenchResult["rows"] {
  const talks = readServiceTalks(folder);
  const [even, odd] = [talks.filter(({ task }) => task % 2 === 0), talks.filter(({ task }) => task % 2 === 1)];
  const tau = even.length === 0 ? [] : joinTalks(even, { random: seededRandom(11), dialogues: 150 }).map(readGaps);
  const learnable: Kinds = { ...kinds, tau };
  const held: Kinds = {
    "tiage dev": readTiage(folder, "dev").map(readGaps),
    "tau, other tasks":
      odd.length === 0 ? [] : joinTalks(odd, { random: seededRandom(2), dialogues: 150 }).map(readGaps),
    "generated, other seed": generate(4, 150),
  };
  const mixes = [["tiage"], ["tau"], ["generated"], ["tiage", "tau"], ["tiage", "generated"], ["tau", "generated"]];
  return [...mixes, Object.keys(kinds)].map((mix) => {
    const model = fitKinds(Object.fromEntries(mix.map((kind) => [kind, learnable[kind] ?? []])), names);
    const cells = Object.entries(held).map(([kind, reads]) => {
      const sums = new Map(reads.map((read) => [read, sumsOf(read, { model, names })]));
      return [kind, 100 * scoreOf(reads, { sums, from, near: NEAR.talk }).score] as const;
    });
    return { "learned from": mix.join(" + "), ...Object.fromEntries(cells) };
  });
}

function foldsOf(reads: readonly DialogueGaps[]): readonly (readonly DialogueGaps[])[] {
  return Array.from({ length: FOLDS }, (_, fold) => reads.filter((__, place) => place % FOLDS === fold));
}

function sumsOf(
  { gaps }: DialogueGaps,
  { model, names }: { readonly model: LogisticModel; readonly names: readonly string[] },
): readonly number[] {
  return gaps.map(({ reading }) => weighRow(model, valuesOf(reading.features, names)) + scoreVocabulary(reading));
}

function valuesOf(features: Readonly<Record<string, number>>, names: readonly string[]): readonly number[] {
  return names.map((name) => features[name] ?? 0);
}

interface ScoreOptions {
  readonly sums: ReadonlyMap<DialogueGaps, readonly number[]>;
  readonly from: number;
  readonly near: number;
}

function scoreOf(reads: readonly DialogueGaps[], { sums, from, near }: ScoreOptions) {
  return scoreSegmentations(
    reads.map((read) => {
      const known = sums.get(read) ?? [];
      const all = read.gaps.map(({ reading }, place) => (known[place] ?? 0) + scoreWork(reading));
      return {
        turns: read.dialogue.turns.length,
        starts: read.dialogue.starts,
        found: pickPeaks(read, { sums: all, from, near }),
      };
    }),
  );
}

interface LearnedModels {
  readonly names: readonly string[];
  readonly talk: LearnedModel;
  readonly longTalk: LearnedModel & { readonly names: readonly string[] };
}

/** Adds the thresholds to the biases, so that a sum above 0 is a boundary. */
function formatWeights({ names, talk, longTalk }: LearnedModels): string {
  const table = (learned: LearnedModel, columns: readonly string[]) => {
    const lines = columns.map((name, column) => [name, rounded(learned.model.weights[column] ?? 0)] as const);
    const rows = lines.filter(([, weight]) => weight !== 0).map(([name, weight]) => `    ["${name}", ${weight}],\n`);
    return `{\n  bias: ${rounded(learned.model.bias - learned.from)},\n  weights: [\n${rows.join("")}  ],\n}`;
  };
  return `/**
 * Learned weights of the topic detector: how strongly each feature of a gap indicates a new topic. A sum above 0 is a
 * boundary. Generated by \`npm run bench -- train-topics --write\`; do not edit. Retrain if the tokenizer changes.
 */
export interface TopicWeights {
  readonly bias: number;
  readonly weights: readonly (readonly [string, number])[];
}

export const TALK_WEIGHTS: TopicWeights = ${table(talk, names)};

export const LONG_TALK_WEIGHTS: TopicWeights = ${table(longTalk, longTalk.names)};
`;
}

/** Returns the number of lines of the new text that the old one does not have. */
function countChangedLines(before: string, after: string): number {
  const known = new Set(before.split("\n"));
  return after.split("\n").filter((line) => !known.has(line)).length;
}

function rounded(weight: number): number {
  return Math.round(weight * 1_000) / 1_000;
}
