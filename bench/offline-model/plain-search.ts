/** The simplest baseline: BM25 over whole messages and unchanged words, with its usual constants. */
import type { Message } from "../../src/core/message/message.ts";
import { messageText } from "../../src/core/message/message-text.ts";

const SATURATION = 1.2;
const LENGTH_SHARE = 0.75;

export function createPlainSearch(messages: readonly Message[]): (question: string) => readonly string[] {
  const documents = messages.map((message) => ({
    id: message.id,
    words: wordsIn(`${message.name ?? ""} ${messageText(message)}`),
  }));
  const meanLength = documents.reduce((sum, { words }) => sum + words.length, 0) / Math.max(1, documents.length);
  const holders = new Map<string, number>();
  for (const { words } of documents) for (const word of new Set(words)) holders.set(word, (holders.get(word) ?? 0) + 1);
  const scoreOf = (words: readonly string[], word: string): number => {
    const count = words.filter((each) => each === word).length;
    const held = holders.get(word) ?? 0;
    const rarity = Math.log(1 + (documents.length - held + 0.5) / (held + 0.5));
    const length = 1 - LENGTH_SHARE + (LENGTH_SHARE * words.length) / meanLength;
    return (rarity * count * (SATURATION + 1)) / (count + SATURATION * length);
  };
  return (question) => {
    const asked = new Set(wordsIn(question));
    return documents
      .map(({ id, words }) => ({ id, score: [...asked].reduce((sum, word) => sum + scoreOf(words, word), 0) }))
      .sort((left, right) => right.score - left.score)
      .map(({ id }) => id);
  };
}

function wordsIn(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
