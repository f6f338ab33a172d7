/**
 * Measures how often checking by code finds what a summary lost or got wrong, and how often it raises a false alarm:
 * protected facts removed, paths, numbers and dates changed slightly, carefully written texts of people and models, and
 * repair under a budget. Each case is compared with a plain search for the exact words, in the same run.
 *
 * `--quick` makes fewer cases of fewer conversations, `--seed <number>` other cases, `--data <folder>` uses other data of
 * the same kinds, `--only forgotten|near-miss|flipped|alarms|repair` runs one part, `--show` prints misses to stderr.
 */
import { parseArgs } from "node:util";
import { seededRandom } from "../src/testing/seeded-random.ts";
import type { BenchRequest, BenchResult } from "./bench.ts";
import { readConversations } from "./verify/conversations.ts";
import { measureAlarms } from "./verify/false-alarms.ts";
import { measureFlipped } from "./verify/flipped.ts";
import { measureForgotten } from "./verify/forgotten-facts.ts";
import { measureNearMisses } from "./verify/near-miss.ts";
import { measureRepairs } from "./verify/repairs.ts";
import { createSubjects, type Subjects } from "./verify/subjects.ts";

const DATA_FOLDER = `${import.meta.dirname}/../../shared/data`;
const CASES = 1_000;
const QUICK_CASES = 150;

type Part = Required<Pick<BenchResult, "rows" | "figures">>;
type Show = (lines: readonly string[]) => void;

export async function run({ args }: BenchRequest): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean" },
      show: { type: "boolean" },
      data: { type: "string" },
      only: { type: "string" },
      seed: { type: "string" },
    },
  });
  const quick = values.quick === true;
  const conversations = readConversations(values.data ?? DATA_FOLDER, quick);
  const seed = Number(values.seed ?? 1);
  const cases = quick ? QUICK_CASES : CASES;
  const show: Show = (lines) => {
    if (values.show === true) for (const line of lines) process.stderr.write(`${line}\n`);
  };
  const parts: Part[] = [];
  for (const [name, measure] of Object.entries(PARTS)) {
    if (values.only !== undefined && values.only !== name) continue;
    if (conversations.length === 0) break;
    parts.push(measure(createSubjects(conversations, { random: seededRandom(seed), cases }), show));
  }
  return {
    name: "verify",
    title: `Errors that the verification of summaries finds, compared with a search for the exact words: ${cases} cases each, seed ${seed}.`,
    rows: parts.flatMap(({ rows }) => rows),
    figures: Object.assign({}, ...parts.map(({ figures }) => figures)),
    notes: conversations.length === 0 ? ["Not measured: the data is missing."] : NOTES,
  };
}

const NOTES = [
  "`found` is the share of cases in which the fault was found; for false alarms the share of claims called unsupported; for repair the share of cases or sentences that meet the condition.",
  "`exactSubstring` is the same for a plain search for the exact words. It finds every near miss, because those that are in the source by chance are replaced (`supportedByChance` counts them), but it also raises more false alarms.",
];

const PARTS: Readonly<Record<string, (subjects: Subjects, show: Show) => Part>> = {
  forgotten: (subjects, show) => {
    const { rows, deletedFound, paraphrasedFound, missed } = measureForgotten(subjects);
    show(
      missed.map(
        ({ fact, subject }) => `${subject.conversation.name} ${subject.budgetTokens} ${fact.kind}: ${fact.text}`,
      ),
    );
    return { rows, figures: { deletedFactFound: deletedFound, scatteredFactFound: paraphrasedFound } };
  },
  "near-miss": (subjects, show) => {
    const { rows, found, missed, literal } = measureNearMisses(subjects);
    show(
      missed.map(({ edit, subject }) => `${subject.conversation.name} ${edit.way}: ${edit.before} -> ${edit.after}`),
    );
    const { path, number, date } = found;
    return {
      rows,
      figures: {
        changedPathFound: path,
        changedNumberFound: number,
        changedDateFound: date,
        supportedByChance: literal,
      },
    };
  },
  flipped: (subjects, show) => {
    const { rows, found, missed } = measureFlipped(subjects);
    show(missed);
    return { rows, figures: { turnedStatementFound: found } };
  },
  alarms: (subjects, show) => {
    const { rows, shares, alarms } = measureAlarms(subjects.conversations, () => true);
    show(alarms.map(({ label, kind, claim, around }) => `${label} ${kind} «${claim}»: ${around}`));
    return { rows, figures: { qmsumFalseAlarms: shares["qmsum answer"] ?? null } };
  },
  repair: (subjects) => {
    const { rows, cleanShare, completeShare, keptShare } = measureRepairs(subjects);
    return {
      rows,
      figures: { repairedClean: cleanShare, repairedComplete: completeShare, trueSentencesKept: keptShare },
    };
  },
};
