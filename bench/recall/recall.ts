/**
 * Measures what recall adds to a summary when the question is known. Recalled passages with a summary that is smaller
 * by their size are compared with a summary of the full size, and with other ways to choose whole turns for the
 * question. Also measures whether the messages with the answer are in the prompt, whether they are among the first that
 * are ranked, how often nothing is recalled for turns that need nothing, and which names that an agent needs next are in
 * its prompt when a turn starts. Compares each figure with its target. No model is called.
 */
import { existsSync } from "node:fs";
import type { Message } from "../../src/core/message/message.ts";
import { messageText } from "../../src/core/message/message-text.ts";
import { rankPassages } from "../../src/core/recall/rank-passages.ts";
import { rankTurnsInSteps } from "../../src/core/recall/rank-turns.ts";
import { RecallIndex } from "../../src/core/recall/recall-index.ts";
import { recallPassages } from "../../src/core/recall/recall-passages.ts";
import { summarizeOffline } from "../../src/core/summary/offline/summarize-offline.ts";
import { runSteps } from "../../src/core/tokens/count-text.ts";
import { countTokens } from "../../src/core/tokens/count-tokens.ts";
import { createPlainSearch } from "../offline-model/plain-search.ts";
import { mean } from "../shared/averages.ts";
import { measureTurnStarts, type NamesAtTurnStarts } from "./agents/turn-starts.ts";
import { readSessions } from "./agents.ts";
import { readTurnsWithoutNeed } from "./no-need.ts";
import { type Chat, type Question, readLocomo } from "./read-locomo.ts";
import { measureInStore } from "./recall-in-store.ts";
import { judgeRecall } from "./recall-musts.ts";
import type { MeasureRecall } from "./recall-part.ts";
import { scoreAnswers } from "./score-answers.ts";

const ABOUT_TIME = 2;
const SIZES = [500, 1_000];

export const measurePassages: MeasureRecall = async ({ dataFolder, quick }) => {
  const data = readLocomo(`${dataFolder}/locomo`);
  if (data === undefined) return undefined;
  const chats = (quick ? data.chats.slice(0, 1) : data.chats).map(prepareChat);
  const contestants = [...CONTESTANTS].map(([name, choose]) => ({
    name,
    scores: SIZES.map((size) => scoreChats(chats, choose, size)),
  }));
  const [ours] = contestants;
  const turns = readTurnsWithoutNeed(dataFolder, data.chats);
  const silent = mean(turns.map(({ text, index }) => Number(recallFor(index, text, SIZES[0] ?? 0).length === 0)));
  const asked = chats.flatMap(({ chat, index }) => chat.questions.map(({ question }) => ({ text: question, index })));
  const answered = mean(asked.map(({ text, index }) => Number(recallFor(index, text, SIZES[0] ?? 0).length > 0)));
  const ranks = hitRates(chats, rankMessages);
  const agents = `${dataFolder}/claude-code`;
  const starts = quick || !existsSync(agents) ? undefined : await measureTurnStarts(readSessions(agents));
  const stored = await measureInStore(
    chats.map(({ chat }) => chat),
    SIZES[0] ?? 0,
  );
  const figures = {
    recallFacts500: ours?.scores[0]?.facts ?? 0,
    recallDates500: ours?.scores[0]?.dates ?? 0,
    recallEvidence500: ours?.scores[0]?.evidence ?? 0,
    recallFacts1000: ours?.scores[1]?.facts ?? 0,
    recallDates1000: ours?.scores[1]?.dates ?? 0,
    recallEvidence1000: ours?.scores[1]?.evidence ?? 0,
    ...Object.fromEntries(Object.entries(ranks).map(([name, rate]) => [`recall ${name}`, rate])),
    recallNothingForNoNeed: silent,
    recallSomethingForQuestions: answered,
    ...Object.fromEntries(Object.entries(stored).map(([name, rate]) => [`recall in one session, ${name}`, rate])),
    ...(starts === undefined ? {} : describeStarts(starts)),
  };
  return {
    rows: [
      ...contestants.flatMap(({ name, scores }) => scores.map((score, at) => rowOf(name, SIZES[at] ?? 0, score))),
      ...[
        ["summary alone", scoreTexts(chats, ({ summaryOf, size }) => summaryOf(size))] as const,
        ["notes (a model's)", scoreTexts(chats, ({ chat }) => chat.observations.join("\n"))] as const,
      ].map(([name, score]) => rowOf(name, 0, score)),
      ...Object.entries({
        "ours, whole messages": ranks,
        "ours, best sentences": hitRates(chats, rankSentences),
        BM25: hitRates(chats, rankByBm25),
      }).map(([ranking, rates]) => ({ ranking, ...rates })),
    ],
    figures,
    notes: [
      ...judgeRecall(figures, { search: contestants[1]?.scores[0], tail: contestants[2]?.scores[0] }),
      `Recall: ${chats.length} chats. All texts of a chat have the size of the notes that a large model wrote about it. Passages chosen for the question have the number of tokens in the column "tokens"; the rest is a summary by code.`,
      `Hit@k: at least one message with the answer is among the first k messages, or its sitting is among the first k sittings. Turns that need nothing: ${turns.length}, from TIAGE, small talk in LoCoMo and a list of commands. Target: nothing is recalled for at least 0.95 of them.`,
      'Recall uses the same relevance floor for questions and for turns that need nothing. "facts by chat" has one share for each chat, because a mean can hide a chat that got worse.',
      "In one session: all chats are appended to one session, and its store returns the candidates.",
      "Names at turn starts: names that the next 30 calls of a coding agent need, in a prompt of 4,000 tokens (o200k) right after a typed request, from 32,000 tokens on.",
    ],
  };
};

function describeStarts({ starts, blocks, names, withRecall, withoutRecall, tail }: NamesAtTurnStarts) {
  return {
    "turn starts": starts,
    "turn starts with recalled passages": blocks,
    "names needed": names,
    "names with recall": withRecall,
    "names without recall": withoutRecall,
    "names in the tail": tail,
  };
}

interface PreparedChat {
  readonly chat: Chat;
  readonly index: RecallIndex;
  readonly size: number;
  readonly search: (question: string) => readonly string[];
  readonly byId: ReadonlyMap<string, Message>;
  readonly summaryOf: (tokens: number) => string;
}

function prepareChat(chat: Chat): PreparedChat {
  const index = new RecallIndex();
  index.add(chat.messages);
  const summaries = new Map<number, string>();
  const summaryOf = (tokens: number): string => {
    const text = summaries.get(tokens) ?? summarizeOffline(chat.messages, { budgetTokens: tokens }).text;
    summaries.set(tokens, text);
    return text;
  };
  const byId = new Map(chat.messages.map((message) => [message.id, message]));
  const size = countTokens(chat.observations.join("\n"));
  return { chat, index, size, search: createPlainSearch(chat.messages), byId, summaryOf };
}

interface Chosen {
  readonly text: string;
  readonly ids: readonly string[];
}

type Choose = (prepared: PreparedChat, question: string, tokens: number) => Chosen;

const CONTESTANTS: ReadonlyMap<string, Choose> = new Map<string, Choose>([
  [
    "recall",
    ({ index }, text, budgetTokens) => {
      const found = recallPassages(index, { text, budgetTokens, without: new Set(), count: countTokens });
      return { text: found.text, ids: found.passages.map(({ messageId }) => messageId) };
    },
  ],
  ["BM25 over turns", (prepared, question, tokens) => takeTurns(prepared, rankByBm25(prepared, question), tokens)],
  ["tail", (prepared, _, tokens) => takeTurns(prepared, prepared.chat.messages.map(({ id }) => id).reverse(), tokens)],
]);

function takeTurns({ byId }: PreparedChat, ranked: readonly string[], tokens: number): Chosen {
  const taken: string[] = [];
  const ids: string[] = [];
  let room = tokens;
  for (const id of ranked) {
    const message = byId.get(id);
    if (message === undefined) continue;
    const line = `${new Date(message.saidAt ?? 0).toDateString()} ${message.name}: ${messageText(message)}`;
    const cost = countTokens(`${line}\n`);
    if (cost > room) break;
    room -= cost;
    taken.push(line);
    ids.push(id);
  }
  return { text: taken.join("\n"), ids };
}

interface Score {
  readonly facts: number;
  readonly dates: number;
  readonly evidence: number;
  readonly byChat: string;
}

function scoreChats(chats: readonly PreparedChat[], choose: Choose, tokens: number): Score {
  return scoreEach(chats, (prepared, { question }) => {
    const { text, ids } = choose(prepared, question, tokens);
    return { text: `${prepared.summaryOf(prepared.size - tokens)}\n${text}`, ids };
  });
}

function scoreTexts(chats: readonly PreparedChat[], write: (prepared: PreparedChat) => string): Score {
  return scoreEach(chats, (prepared) => ({ text: write(prepared), ids: [] }));
}

function scoreEach(
  chats: readonly PreparedChat[],
  write: (prepared: PreparedChat, question: Question) => Chosen,
): Score {
  const judged = chats.map((prepared) =>
    prepared.chat.questions.map((question) => {
      const { text, ids } = write(prepared, question);
      const [answer] = scoreAnswers(text, [question]);
      const found = question.evidence.filter((id) => ids.includes(id)).length;
      const evidence = question.evidence.length === 0 ? undefined : found / question.evidence.length;
      return { question, share: answer?.share, evidence };
    }),
  );
  const sharesOf = (each: (typeof judged)[number], isTime: boolean): readonly number[] =>
    each.flatMap(({ question, share }) => ((question.category === ABOUT_TIME) === isTime ? (share ?? []) : []));
  return {
    facts: mean(judged.flatMap((each) => sharesOf(each, false))),
    dates: mean(judged.flatMap((each) => sharesOf(each, true))),
    evidence: mean(judged.flat().flatMap(({ evidence }) => evidence ?? [])),
    byChat: judged.map((each) => mean(sharesOf(each, false)).toFixed(2)).join(" "),
  };
}

function rowOf(chosen: string, tokens: number, { facts, dates, evidence, byChat }: Score) {
  return { chosen, tokens, facts, dates, "evidence in the prompt": evidence, "facts by chat": byChat };
}

type Rank = (prepared: PreparedChat, question: string) => readonly string[];

const rankMessages: Rank = ({ index }, question) =>
  runSteps(rankTurnsInSteps(index, question, {})).turns.map(({ source }) => source);
const rankSentences: Rank = ({ index }, question) => [
  ...new Set(rankPassages(index, question, { most: 400 }).ranked.map(({ passage }) => passage.source)),
];
const rankByBm25: Rank = ({ search }, question) => search(question);

/** The messages of one sitting of a chat have ids such as `D3:7`. */
const sittingOf = (id: string): string => id.split(":")[0] ?? id;

function hitRates(chats: readonly PreparedChat[], rank: Rank): Readonly<Record<string, number>> {
  const hits = chats.flatMap((prepared) =>
    prepared.chat.questions.flatMap(({ question, evidence }) => {
      if (evidence.length === 0) return [];
      const turns = rank(prepared, question);
      const sittings = [...new Set(turns.map(sittingOf))];
      const isHit = (found: readonly string[], wanted: readonly string[]) =>
        Number(found.some((id) => wanted.includes(id)));
      const wanted = evidence.map(sittingOf);
      return [
        [
          isHit(turns.slice(0, 1), evidence),
          isHit(turns.slice(0, 5), evidence),
          isHit(sittings.slice(0, 1), wanted),
          isHit(sittings.slice(0, 5), wanted),
        ],
      ];
    }),
  );
  const names = ["hit@1", "hit@5", "hit@1 by sitting", "hit@5 by sitting"];
  return Object.fromEntries(names.map((name, at) => [name, mean(hits.map((hit) => hit[at] ?? 0))]));
}

function recallFor(index: RecallIndex, text: string, budgetTokens: number) {
  return recallPassages(index, { text, budgetTokens, without: new Set(), count: countTokens }).passages;
}
