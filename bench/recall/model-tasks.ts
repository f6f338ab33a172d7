/** Reads the conversations on which writers of summaries are compared: each has a budget and scores a prompt. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Message } from "../../src/core/message/message.ts";
import { countMessage } from "../../src/core/tokens/count-message.ts";
import { estimate } from "../../src/core/tokens/estimate.ts";
import { parseSession } from "../cost/read-sessions.ts";
import { mean } from "../shared/averages.ts";
import { findCuts } from "./agents/find-cuts.ts";
import { judgeLines } from "./agents/judge-lines.ts";
import { distinctWords } from "./measure-words.ts";
import { type Chat, readLocomo } from "./read-locomo.ts";
import { type Meeting, readQmsum } from "./read-qmsum.ts";
import type { RecallOptions } from "./recall-part.ts";
import { scoreAnswers } from "./score-answers.ts";

export interface ModelTask {
  readonly kind: "chats" | "meetings" | "agents";
  readonly messages: readonly Message[];
  readonly budgetTokens: number;
  readonly score: (lines: readonly string[]) => number;
}

const TALK_TOKENS = 8_000;
const AGENT_TOKENS = 16_000;
const AGENT_FROM = 32_000;
const AGENT_STEP = 48_000;
const EVERY_MEETING = 3;
const QUICK = 2;

export function readModelTasks({ dataFolder, quick }: RecallOptions): readonly ModelTask[] {
  const chats = readLocomo(`${dataFolder}/locomo`)?.chats ?? [];
  const meetings = (readQmsum(`${dataFolder}/qmsum/val`) ?? []).filter((_, place) => place % EVERY_MEETING === 0);
  const all = [chats.map(chatTask), meetings.map(meetingTask), agentTasks(join(dataFolder, "claude-code"))];
  return all.flatMap((tasks) => (quick ? tasks.slice(0, QUICK) : tasks));
}

function chatTask({ messages, questions }: Chat): ModelTask {
  const score = (lines: readonly string[]): number =>
    mean(scoreAnswers(lines.join("\n"), questions).map(({ share }) => share));
  return { kind: "chats", messages, budgetTokens: TALK_TOKENS, score };
}

/** Scores the share of the words of the answering turns, weighted by rarity, that are anywhere in the prompt. */
function meetingTask({ messages, texts, queries }: Meeting): ModelTask {
  const words = texts.map(distinctWords);
  const counts = new Map<string, number>();
  for (const each of words) for (const word of each) counts.set(word, (counts.get(word) ?? 0) + 1);
  const rarity = (word: string): number => Math.log(texts.length / (counts.get(word) ?? 1));
  const wanted = queries
    .map((turns) => new Set(turns.flatMap((turn) => [...(words[turn] ?? [])])))
    .filter(({ size }) => size > 0);
  const score = (lines: readonly string[]): number => {
    const found = distinctWords(lines.join("\n"));
    return mean(
      wanted.map((query) => {
        const sum = (list: Iterable<string>): number => [...list].reduce((total, word) => total + rarity(word), 0);
        return sum([...query].filter((word) => found.has(word))) / Math.max(sum(query), Number.MIN_VALUE);
      }),
    );
  };
  return { kind: "meetings", messages, budgetTokens: TALK_TOKENS, score };
}

function agentTasks(folder: string): readonly ModelTask[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  return files.toSorted().flatMap((name) => {
    const { messages } = parseSession(readFileSync(join(folder, name), "utf8"), name);
    const tokensOf = (message: Message): number => countMessage(message, estimate);
    const cuts = findCuts(messages, { fromTokens: AGENT_FROM, stepTokens: AGENT_STEP, tokensOf });
    return cuts.map(({ index, needed }): ModelTask => {
      const score = (lines: readonly string[]): number =>
        mean([...judgeLines(lines, needed).values()].map(({ anywhere }) => (anywhere ? 1 : 0)));
      return { kind: "agents", messages: messages.slice(0, index), budgetTokens: AGENT_TOKENS, score };
    });
  });
}
