/**
 * Measures how often the offline model cites a message that has the answer: questions about real chats of two people,
 * each with its evidence messages. The bench ranks the messages of the model's three best sentences and reads the
 * citations of its answer; the baseline is plain BM25 over whole messages. It shows that the right text is quoted, not
 * that a reader finds the answer in it. Times are CPU times.
 *
 * `--data <folder>` measures other data of the same kind.
 */
import { parseArgs } from "node:util";
import type { Message } from "../src/core/message/message.ts";
import { answerOfflineInSteps } from "../src/core/recall/answer-offline.ts";
import { rankPassages } from "../src/core/recall/rank-passages.ts";
import { RecallIndex } from "../src/core/recall/recall-index.ts";
import { runSteps } from "../src/core/tokens/count-text.ts";
import type { BenchRequest, BenchResult } from "./bench.ts";
import { createPlainSearch } from "./offline-model/plain-search.ts";
import { type Question, readLocomo } from "./recall/read-locomo.ts";

const DATA_FOLDER = `${import.meta.dirname}/../../shared/data`;
const MAX_CITED = 3;
const ANSWER_TOKENS = 500;
const TITLE = "Questions about people's chats: is a message with the answer among the three that are cited?";
const CATEGORIES: Readonly<Record<number, string>> = { 1: "several steps", 2: "time", 3: "inference", 4: "one step" };

interface JudgedQuestion {
  readonly question: Question;
  readonly contestant: string;
  /** True if at least one of the evidence messages is cited. */
  readonly hit: boolean;
  /** The share of the evidence messages that are cited. */
  readonly recall: number;
}

export async function run({ args }: BenchRequest): Promise<BenchResult> {
  const { values } = parseArgs({ args: [...args], options: { data: { type: "string" } } });
  const data = readLocomo(`${values.data ?? DATA_FOLDER}/locomo`);
  if (data === undefined) return { name: "offline-model", title: TITLE, rows: [], notes: ["The data is missing."] };
  const judged: JudgedQuestion[] = [];
  let cpuMs = 0;
  for (const { messages, questions } of data.chats) {
    const asked = questions.filter(({ evidence }) => evidence.length > 0);
    const start = process.cpuUsage();
    judged.push(...judgeOurs(messages, asked));
    const { user, system } = process.cpuUsage(start);
    cpuMs += (user + system) / 1_000;
    const search = createPlainSearch(messages);
    judged.push(
      ...asked.map((question) => judge("plain BM25", question, search(question.question).slice(0, MAX_CITED))),
    );
  }
  const contestants = [...new Set(judged.map(({ contestant }) => contestant))];
  const of = (name: string): readonly JudgedQuestion[] => judged.filter(({ contestant }) => contestant === name);
  return {
    name: "offline-model",
    title: TITLE,
    rows: contestants.map((name) => rowOf(name, of(name))),
    figures: {
      hitAt3: mean(of(RANKED).map(({ hit }) => Number(hit))),
      recallAt3: mean(of(RANKED).map(({ recall }) => recall)),
      questions: of(RANKED).length,
      "ranking and answering a question, reading the chat included, ms": cpuMs / Math.max(1, of(RANKED).length),
    },
    notes: ["The ranking's constants were chosen on the first three chats of this data.", ...data.notes],
  };
}

const RANKED = "offline model, ranked";
const CITED = "offline model, cited";

function judgeOurs(messages: readonly Message[], questions: readonly Question[]): readonly JudgedQuestion[] {
  const index = new RecallIndex();
  index.add(messages);
  return questions.flatMap((question) => {
    const { ranked } = rankPassages(index, question.question, { most: 60 });
    const best = [...new Set(ranked.map(({ passage }) => passage.source))].slice(0, MAX_CITED);
    const material = { question: question.question, index, messages, budgetTokens: ANSWER_TOKENS };
    const { cited } = runSteps(answerOfflineInSteps(material));
    return [judge(RANKED, question, best), judge(CITED, question, cited)];
  });
}

function judge(contestant: string, question: Question, ids: readonly string[]): JudgedQuestion {
  const found = question.evidence.filter((id) => ids.includes(id)).length;
  return { contestant, question, hit: found > 0, recall: found / question.evidence.length };
}

function rowOf(contestant: string, judged: readonly JudgedQuestion[]): Readonly<Record<string, string | number>> {
  const byCategory = Object.entries(CATEGORIES).map(([category, name]): [string, number] => [
    `hit@3, ${name}`,
    mean(judged.filter(({ question }) => question.category === Number(category)).map(({ hit }) => Number(hit))),
  ]);
  return {
    contestant,
    "hit@3": mean(judged.map(({ hit }) => Number(hit))),
    "recall@3": mean(judged.map(({ recall }) => recall)),
    ...Object.fromEntries(byCategory),
  };
}

function mean(figures: readonly number[]): number {
  return figures.length === 0 ? 0 : figures.reduce((sum, figure) => sum + figure, 0) / figures.length;
}
