/**
 * Measures how well topic boundaries are found without a model: the SuperDialseg score on TIAGE's dev split, on the
 * topics of QMSum's meetings, and on task dialogues: joined tau-bench conversations, generated dialogues, and
 * handwritten ones that were not used for training. Each is compared with no boundaries, random ones, even steps,
 * tiling, and the detector without its learned weights, in the same run.
 *
 * `--quick` uses every fourth dialogue, `--data <folder>` other data of the same kinds.
 */
import { parseArgs } from "node:util";
import { findTopicBoundaries } from "../src/core/topics/find-topic-boundaries.ts";
import { seededRandom } from "../src/testing/seeded-random.ts";
import { ERRAND_TALKS } from "../test/support/errand-talks.ts";
import { generateTaskDialogue } from "../test/support/generate-task-dialogues.ts";
import type { BenchRequest, BenchResult, BenchValue } from "./bench.ts";
import { evenBoundaries, randomBoundaries, tilingBoundaries, untrainedBoundaries } from "./topics/baselines.ts";
import { joinTalks } from "./topics/join-talks.ts";
import { type MarkedDialogue, messagesOf } from "./topics/marked-dialogue.ts";
import { readMarkedMeetings, readServiceTalks, readTiage } from "./topics/read-marked-dialogues.ts";
import { type SegmentationScore, scoreSegmentations } from "./topics/superdialseg-score.ts";

const DATA_FOLDER = `${import.meta.dirname}/../../shared/data`;
const DIALOGUES = 200;
const SEED = 71;

type Segmenter = (dialogue: MarkedDialogue) => readonly number[];

export async function run({ args }: BenchRequest): Promise<BenchResult> {
  const { values } = parseArgs({ args: [...args], options: { quick: { type: "boolean" }, data: { type: "string" } } });
  const sets = Object.entries(readSets(values.data ?? DATA_FOLDER)).filter(([, dialogues]) => dialogues.length > 0);
  const figures: Record<string, BenchValue> = {};
  const rows = sets.flatMap(([name, all]) => {
    const dialogues = values.quick === true ? all.filter((_, place) => place % 4 === 0) : all;
    return Object.entries(segmenters()).map(([contestant, segment]) => {
      const score = scoreSet(dialogues, segment);
      if (contestant === "ours") figures[`${name}: ours`] = round(100 * score.score);
      return rowOf({ name, contestant, dialogues: dialogues.length, score });
    });
  });
  return {
    name: "topics",
    title:
      "Topic boundaries without a model (SuperDialseg score: .5 F1 + .25 (1 - Pk) + .25 (1 - WindowDiff), of 100).",
    rows,
    figures,
    notes: [
      "Each measure is computed for each dialogue and averaged; F1 counts exact positions and is 0 if none is found; the",
      "window is half the mean length of a true segment, at least 2. Density: boundaries found for each true one.",
      "Learned by bench/train-topics.ts from TIAGE train, tau-bench (even tasks and odd ones) joined with another seed,",
      "generated dialogues of another seed; for meetings from these QMSum meetings, of which train-topics prints the",
      "held-out score. tau-joined, generated and errands are synthetic joins, whose true boundaries are the joins.",
      "Random and even use the true number of boundaries; the others do not.",
    ],
  };
}

function readSets(folder: string): Readonly<Record<string, readonly MarkedDialogue[]>> {
  const talks = readServiceTalks(folder);
  const random = seededRandom(SEED);
  return {
    "tiage dev": readTiage(folder, "dev"),
    qmsum: readMarkedMeetings(folder),
    "tau-joined": talks.length === 0 ? [] : joinTalks(talks, { random, dialogues: DIALOGUES }),
    generated: Array.from({ length: DIALOGUES }, (_, number) => ({
      id: `generated-${number}`,
      ...generateTaskDialogue(random),
    })),
    errands: Array.from({ length: DIALOGUES }, (_, number) => joinErrands(random, number)),
  };
}

function joinErrands(random: ReturnType<typeof seededRandom>, number: number): MarkedDialogue {
  const chosen = random.shuffle(ERRAND_TALKS).slice(0, 3 + random.integer(5));
  const starts: number[] = [];
  let length = 0;
  for (const talk of chosen) {
    if (length > 0) starts.push(length);
    length += talk.length;
  }
  const turns = chosen.flatMap((talk) =>
    talk.map((text, place) => ({ speaker: place % 2 === 0 ? "caller" : "clerk", text })),
  );
  return { id: `errands-${number}`, turns, starts };
}

function segmenters(): Readonly<Record<string, Segmenter>> {
  const random = seededRandom(SEED);
  return {
    ours: (dialogue) => findTopicBoundaries(messagesOf(dialogue)).map(({ index }) => index),
    "ours, nothing learned": untrainedBoundaries,
    "tf-idf tiling": tilingBoundaries,
    evenly: evenBoundaries,
    random: (dialogue) => randomBoundaries(dialogue, random),
    none: () => [],
  };
}

function scoreSet(dialogues: readonly MarkedDialogue[], segment: Segmenter): SegmentationScore {
  return scoreSegmentations(
    dialogues.map((dialogue) => ({
      turns: dialogue.turns.length,
      starts: dialogue.starts,
      found: segment(dialogue),
    })),
  );
}

interface Row {
  readonly name: string;
  readonly contestant: string;
  readonly dialogues: number;
  readonly score: SegmentationScore;
}

function rowOf({ name, contestant, dialogues, score }: Row): Readonly<Record<string, BenchValue>> {
  const { score: all, f1, pk, windowDiff, density } = score;
  return {
    data: name,
    dialogues,
    contestant,
    score: round(100 * all),
    f1: round(100 * f1),
    pk: round(100 * pk),
    windowDiff: round(100 * windowDiff),
    density,
  };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
