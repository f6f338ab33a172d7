/**
 * Compares summaries by code with those that a coding agent's model wrote, at the places where its sessions were
 * compacted and at the same size: the words that users typed, the names that the next calls need, the files that were
 * edited, and the todos that were open. Each summary folds in the one before it, as in a session.
 *
 * Also measures how much of a text is in lines of names without an explanation, which people skip.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Message } from "../../src/core/message/message.ts";
import { messageText } from "../../src/core/message/message-text.ts";
import { summarizeOffline } from "../../src/core/summary/offline/summarize-offline.ts";
import type { SummaryRecord } from "../../src/core/summary/record/record.ts";
import { countText } from "../../src/core/tokens/count-text.ts";
import { loadCounter } from "../../src/counters/load-counter.ts";
import type { ReplaySession } from "../cost/read-sessions.ts";
import { mean } from "../shared/averages.ts";
import { findNeededNames } from "./agents/find-cuts.ts";
import { findNames } from "./agents/find-names.ts";
import { hasName, isExplaining, judgeLines } from "./agents/judge-lines.ts";
import { typedText } from "./agents/typed-words.ts";
import { editedFiles, openTodos } from "./agents/work-state.ts";
import { readSessions } from "./agents.ts";
import { distinctWords } from "./measure-words.ts";
import type { MeasureRecall } from "./recall-part.ts";

const QUICK_SESSIONS = 4;
const OURS = "Palimpsest";

export const measureCompactions: MeasureRecall = async ({ dataFolder, quick }) => {
  const folder = join(dataFolder, "claude-code");
  if (!existsSync(folder)) return undefined;
  const counter = await loadCounter("o200k");
  const sessions = [...readSessions(folder)].filter(({ compactions }) => compactions.length > 0);
  const scores = sessions.slice(0, quick ? QUICK_SESSIONS : undefined).flatMap((session) => {
    let previous: SummaryRecord | undefined;
    return placesOf(session).flatMap((place) => {
      const own = messageText(place.summary);
      const budgetTokens = countText(own, counter);
      previous = summarizeOffline(place.stretch, { budgetTokens, previous, counter });
      return [scoreText(OURS, previous.text, place), scoreText("the agent's own summary", own, place)];
    });
  });
  const ours = averageScores(scores, OURS);
  const own = scores.filter(({ contestant }) => contestant === OURS);
  return {
    rows: [ours, averageScores(scores, "the agent's own summary")].map((row) => ({ part: "compactions", ...row })),
    figures: {
      "compactions.words": ours.words,
      "compactions.wordsSoFar": ours["words so far"],
      "compactions.names": ours.names,
      "compactions.explained": ours.explained,
      "compactions.files": ours.files,
      "compactions.todos": ours.todos,
      "compactions.bareNames": ours["bare names"],
      "compactions.largestNamesLine": Math.max(...own.map(({ largestLine }) => largestLine)),
      "compactions.mostNames": Math.max(...own.map(({ mostNames }) => mostNames)),
    },
    notes: [
      `Compactions: ${scores.length / 2} of coding agents, each text as large as the summary that the agent's model wrote there (o200k); means over compactions.`,
      "Words: content words that users typed since the last compaction, and so far; not in blocks that programs inject, code fences, or texts of more than 20 lines.",
      "Names: those that the next 30 calls need, as for agents; explained: in a line that explains them. Files: edited since the last compaction, by file name. Todos: share of the words of an open todo that are in one line. Bare names: share of the text in lines with more than three names that do not explain them.",
      "largestNamesLine: the largest share of a text that a line of the list of names has, at most .2; mostNames: the most names on one of these lines, at most ten.",
    ],
  };
};

interface Place {
  readonly summary: Message;
  /** `stretch` has the messages since the last compaction, `soFar` all messages before this one. */
  readonly stretch: readonly Message[];
  readonly soFar: readonly Message[];
  readonly needed: ReadonlySet<string>;
}

function placesOf({ messages, compactions }: ReplaySession): readonly Place[] {
  let start = 0;
  const places = compactions.flatMap(({ index, summary }) => {
    if (summary === undefined || index === start) return [];
    const place = { index, summary, stretch: messages.slice(start, index), soFar: messages.slice(0, index) };
    start = index;
    return [place];
  });
  return findNeededNames(messages, places);
}

/** A figure is undefined if there is nothing to find. */
interface Score {
  readonly contestant: string;
  readonly words: number | undefined;
  readonly "words so far": number | undefined;
  readonly names: number | undefined;
  readonly explained: number | undefined;
  readonly files: number | undefined;
  readonly todos: number | undefined;
  readonly "bare names": number | undefined;
  /** The largest share of the text in a line of its list of names, and the most names on such a line. */
  readonly largestLine: number;
  readonly mostNames: number;
}

const MEASURES = ["words", "words so far", "names", "explained", "files", "todos", "bare names"] as const;

function scoreText(contestant: string, text: string, { stretch, soFar, needed }: Place): Score {
  const lines = text.split("\n");
  const found = [...judgeLines(lines, needed).values()];
  const words = distinctWords(text);
  const typed = (messages: readonly Message[]): number | undefined =>
    shareOf([...distinctWords(messages.map(typedText).join("\n"))], (word) => words.has(word));
  return {
    contestant,
    words: typed(stretch),
    "words so far": typed(soFar),
    names: shareOf(found, ({ anywhere }) => anywhere),
    explained: shareOf(found, ({ explained }) => explained),
    files: shareOf([...editedFiles(stretch)], (file) => hasName(text, file)),
    todos: meanOf(openTodos(stretch).map((todo) => bestLine(lines, todo))),
    "bare names": lines.filter(isBare).reduce((sum, { length }) => sum + length + 1, 0) / text.length,
    ...measureList(text),
  };
}

function shareOf<Item>(items: readonly Item[], isFound: (item: Item) => boolean): number | undefined {
  return items.length === 0 ? undefined : items.filter(isFound).length / items.length;
}

function meanOf(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : mean(values);
}

function bestLine(lines: readonly string[], text: string): number {
  const wanted = [...distinctWords(text)];
  return Math.max(0, ...lines.map((line) => shareOf(wanted, (word) => distinctWords(line).has(word)) ?? 1));
}

const FEW_NAMES = 3;

function isBare(line: string): boolean {
  return findNames(line).size > FEW_NAMES && !isExplaining(line);
}

const NAMES_HEADING = "\nNames:\n";

function measureList(text: string): Pick<Score, "largestLine" | "mostNames"> {
  const start = text.indexOf(NAMES_HEADING);
  const lines = start < 0 ? [] : text.slice(start + NAMES_HEADING.length).split("\n");
  return {
    largestLine: Math.max(0, ...lines.map(({ length }) => length / text.length)),
    mostNames: Math.max(0, ...lines.map((line) => findNames(line).size)),
  };
}

function averageScores(scores: readonly Score[], contestant: string) {
  const own = scores.filter((score) => score.contestant === contestant);
  const means = MEASURES.map((measure) => {
    const values = own.flatMap((score) => score[measure] ?? []);
    return [measure, Math.round((meanOf(values) ?? 1) * 1_000) / 1_000] as const;
  });
  return { contestant, ...(Object.fromEntries(means) as Record<(typeof MEASURES)[number], number>) };
}
