/**
 * Reads turns that need nothing from earlier messages: talk between strangers, small talk between people who know each
 * other, and commands.
 */
import { messageText } from "../../src/core/message/message-text.ts";
import { RecallIndex } from "../../src/core/recall/recall-index.ts";
import { readTiage } from "../topics/read-marked-dialogues.ts";
import type { Chat } from "./read-locomo.ts";

export interface TurnWithoutNeed {
  readonly text: string;
  /** Everything that could be recalled. */
  readonly index: RecallIndex;
}

const FROM_TIAGE = 100;
const FROM_CHATS = 70;
/** Small talk is short. */
const MAX_WORDS = 12;
/** This many messages before a turn are in its prompt, so they are not searched. */
const SHOWN = 20;
/** Index of the first turn that is tried, so that there is much to recall. */
const FIRST = 150;

export function readTurnsWithoutNeed(dataFolder: string, chats: readonly Chat[]): readonly TurnWithoutNeed[] {
  const indexes = chats.map(({ messages }) => {
    const index = new RecallIndex();
    index.add(messages);
    return index;
  });
  const strangers = readTiage(dataFolder, "dev").flatMap(({ turns }) => turns.map(({ text }) => text));
  const texts = [...pickEvenly(strangers, FROM_TIAGE), ...COMMANDS];
  const others = texts.flatMap((text, at) => {
    const index = indexes[at % indexes.length];
    return index === undefined ? [] : [{ text, index }];
  });
  return [...others, ...pickEvenly(chats.flatMap(readSmallTalk), FROM_CHATS)];
}

/** Builds an index for each turn, because nothing later than the turn may be found. */
function readSmallTalk({ messages }: Chat): readonly TurnWithoutNeed[] {
  return messages.slice(FIRST).flatMap((message, at) => {
    const text = messageText(message);
    if (text.split(/\s+/).length > MAX_WORDS || /\b(?:remember|last time)\b/i.test(text)) return [];
    const index = new RecallIndex();
    index.add(messages.slice(0, FIRST + at - SHOWN));
    return [{ text, index }];
  });
}

function pickEvenly<Item>(items: readonly Item[], count: number): readonly Item[] {
  const step = Math.max(1, Math.floor(items.length / count));
  return items.filter((_, at) => at % step === 0).slice(0, count);
}

const COMMANDS = [
  "continue",
  "Go on, please.",
  "yes",
  "ok, do it",
  "Thanks, that works!",
  "run the tests",
  "commit this",
  "Fix the lint errors.",
  "please proceed with the next step",
  "Write a haiku about autumn.",
  "What is the capital of France?",
  "Translate this to German.",
  "Make it shorter.",
  "Can you explain that in simpler words?",
  "Add a test for it.",
  "Looks good, push it.",
  "Refactor this function.",
  "What's 17 * 23?",
  "Give me three ideas for dinner.",
  "hmm, not sure",
  "Can you make the button blue?",
  "Weiter so!",
  "Danke dir!",
  "sigue, por favor",
  "继续",
  "ありがとう",
  "Sounds good, let's do that.",
  "Try again.",
  "No, that's wrong.",
  "Good morning! How are you today?",
];
