/**
 * The conversation that all contestants get: user and assistant alternate, every message has sixty o200k tokens, and
 * the same seed gives the same bytes. The sentences resemble work (decisions, paths, numbers, open questions), so that
 * a summarizer has something to do. It is written to a file once, so that no measured process has warmed up a
 * tokenizer.
 */
import { mkdir, open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import type { TurnMessage } from "./contestant.ts";

export const messageTokens = 60;
export const conversationSeed = 20_260;

const verbs = ["move", "split", "rename", "test", "drop", "cache", "review", "measure", "rewrite", "delay"] as const;
const things = [
  "invoice",
  "queue",
  "index",
  "report",
  "token",
  "worker",
  "schema",
  "cache",
  "filter",
  "backup",
] as const;
const places = [
  "server",
  "client",
  "store",
  "parser",
  "editor",
  "router",
  "search",
  "mobile",
  "billing",
  "admin",
] as const;
const people = ["Anna", "Omar", "Lena", "Paul", "Rosa", "Ivan", "Maya", "Hugo"] as const;
const days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"] as const;
/** Each is one token with the space before it, so that a message can be filled to the token. */
const fillers = [
  "and",
  "then",
  "also",
  "with",
  "more",
  "time",
  "work",
  "again",
  "later",
  "there",
  "when",
  "maybe",
] as const;

type Pick = <Word>(words: readonly Word[]) => Word;
type NumberBelow = (limit: number) => number;
type Sentence = (pick: Pick, below: NumberBelow) => string;

const sentences: readonly Sentence[] = [
  (pick) => `We decided to ${pick(verbs)} the ${pick(things)} in the ${pick(places)} before ${pick(days)}.`,
  (pick, below) => `The ${pick(things)} took ${below(900)} ms on the ${pick(places)}.`,
  (pick, below) => `Look at src/${pick(places)}/${pick(things)}.ts, line ${below(400)}.`,
  (pick) => `${pick(people)} will ${pick(verbs)} the ${pick(things)} by ${pick(days)}.`,
  (pick) => `Should the ${pick(places)} keep its own ${pick(things)}?`,
  (pick, below) => `Ticket ${below(9_000)} says the ${pick(things)} fails after a restart of the ${pick(places)}.`,
  // Only five wordings, because people repeat their few rules and do not state a new one every minute.
  (pick) => `Please never touch the ${pick(days)} backup.`,
  (pick, below) => `After the change ${below(100)} of ${100 + below(100)} checks pass in the ${pick(places)}.`,
];

/** Returns the message at an index from 0, without creating those before it. */
export function messageAt(index: number): TurnMessage {
  const random = randomFrom(conversationSeed + index * 7_919);
  const below: NumberBelow = (limit) => Math.floor(random() * limit);
  const pick: Pick = (words) => requireWord(words[below(words.length)]);
  const texts: string[] = [];
  let tokens = 0;
  for (;;) {
    const sentence = pick(sentences)(pick, below);
    const more = countTokens(texts.length === 0 ? sentence : ` ${sentence}`);
    if (tokens + more > messageTokens - 3) break;
    texts.push(sentence);
    tokens += more;
  }
  const rest = Array.from({ length: messageTokens - tokens - 1 }, () => pick(fillers));
  const content = `${texts.join(" ")} ${rest.join(" ")}.`;
  const counted = countTokens(content);
  if (counted !== messageTokens) throw new Error(`message ${index} has ${counted} tokens, not ${messageTokens}`);
  return { role: index % 2 === 0 ? "user" : "assistant", content };
}

/** Writes one JSON message on each line to a new file, so that another run can finish reading the old one. */
export async function writeConversation(path: string, messageCount: number): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const written = `${path}.${process.pid}`;
  const file = await open(written, "w");
  try {
    for (let start = 0; start < messageCount; start += 1_000) {
      const length = Math.min(1_000, messageCount - start);
      const lines = Array.from({ length }, (_, offset) => `${JSON.stringify(messageAt(start + offset))}\n`);
      await file.write(lines.join(""));
    }
  } finally {
    await file.close();
  }
  await rename(written, path);
}

function requireWord<Word>(word: Word | undefined): Word {
  if (word === undefined) throw new Error("the list of words is empty");
  return word;
}

/** Mulberry32: thirty-two bits of state are enough to choose words. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
