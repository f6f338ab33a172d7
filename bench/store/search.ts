/**
 * Searches a million messages: newest first for words of three characters and more, with and without filters, common,
 * rare and absent; for one and two characters; and by relevance. A tenth of the messages are in one long session.
 */
import { join } from "node:path";
import type { SearchQuery } from "../../src/ports/store.ts";
import { fillStore } from "./fill-store.ts";
import { mustBe, type StorePart, type StoreRequest } from "./part.ts";
import type { Reading } from "./read-apart.ts";
import { findSlowest, readingRow, runReadings } from "./run-readings.ts";
import { ABSENT_WORDS, COMMON_PHRASE, COMMON_WORD, MIDDLING_WORD, rareWord } from "./spoken-texts.ts";

const LONG_SESSION = 100_000;
const SESSIONS = 9_000;
const MESSAGES_EACH = 100;
const QUICKER = 20;
const TIMES = 100;
const LIMIT = 50;
const NEWEST_MS = 50;
const OTHER_MS = 300;

export async function measureSearch({ folder, isQuick, say }: StoreRequest): Promise<StorePart> {
  const scale = isQuick ? QUICKER : 1;
  const path = join(folder, "search.db");
  const long = { id: "long", messages: LONG_SESSION / scale };
  const sessions = Array.from({ length: SESSIONS / scale }, (_, index) => ({
    id: `session-${index}`,
    messages: MESSAGES_EACH,
  }));
  const messages = long.messages + sessions.length * MESSAGES_EACH;
  const half = sessions.length / 2;
  await fillStore({ path, sessions: [...sessions.slice(0, half), long, ...sessions.slice(half)], say });
  const groups = [newestReadings(messages), shortReadings(), rankedReadings()];
  const { readings } = await runReadings({ path, readings: groups.flat(), times: TIMES });
  const worstOf = (group: readonly Reading[]) =>
    findSlowest(readings.filter(({ name }) => group.some((reading) => reading.name === name)));
  const [newest, short, ranked] = groups.map(worstOf);
  return {
    rows: readings.map((reading) => readingRow("search", reading, messages)),
    musts: [
      { text: "newest first, three characters and more, any filter", worst: newest, atMost: NEWEST_MS },
      { text: "one and two characters", worst: short, atMost: OTHER_MS },
      { text: "by relevance", worst: ranked, atMost: OTHER_MS },
    ].map(({ text, worst, atMost }) =>
      mustBe({
        text: `search over ${messages} messages, ${text}, p99 of the slowest kind`,
        value: worst?.p99Ms,
        unit: " ms",
        atMost,
        beside: worst?.text,
      }),
    ),
    notes: [
      `search: ${TIMES} searches of each kind in a separate process, ${LIMIT} hits at most, everything indexed; cpuP99Ms is CPU time`,
    ],
  };
}

function newestReadings(messages: number): readonly Reading[] {
  const rare = [0.1, 0.3, 0.5, 0.7, 0.9].map((share) => rareWord(Math.floor(messages * share)));
  const inLong = { sessionId: "long" };
  const inSmall = { sessionId: "session-1" };
  return [
    reading("a common word", [COMMON_WORD]),
    reading("a less common word", [MIDDLING_WORD]),
    reading("a word of one message", rare),
    reading("an absent word", ABSENT_WORDS),
    reading("two words in a row", [COMMON_PHRASE]),
    reading("a common word, by role", [COMMON_WORD], { role: "assistant" }),
    reading("a word of one message, with another role", rare, { role: "assistant" }),
    reading("an unused role", [COMMON_WORD], { role: "tool" }),
    reading("a common word, in a session of 100", [COMMON_WORD], inSmall),
    reading("an absent word, in a session of 100", ABSENT_WORDS, inSmall),
    reading("a common word, in the long session", [COMMON_WORD], inLong),
    reading("a less common word, in the long session", [MIDDLING_WORD], inLong),
    reading("an absent word, in the long session", ABSENT_WORDS, inLong),
    reading("a word of other sessions, in the long session", rare.slice(-1), inLong),
    reading("a common word, in the long session, by an unused role", [COMMON_WORD], {
      ...inLong,
      role: "tool",
    }),
  ];
}

function shortReadings(): readonly Reading[] {
  return [
    reading("one character", ["a", "x"]),
    reading("two characters", ["st", "ou"]),
    reading("two rare characters", ["qx", "xq"]),
    reading("two absent characters", ["zz", "字字"]),
    reading("two characters, in the long session", ["st"], { sessionId: "long" }),
    reading("two absent characters, in the long session", ["zz"], { sessionId: "long" }),
    reading("two characters, by an unused role", ["st"], { role: "tool" }),
  ];
}

function rankedReadings(): readonly Reading[] {
  const order = "relevance";
  return [
    reading("by relevance: a common word", [COMMON_WORD], { order }),
    reading("by relevance: two words, common and less common", [`${COMMON_WORD} ${MIDDLING_WORD}`], { order }),
    reading("by relevance: an absent word", ABSENT_WORDS, { order }),
    reading("by relevance: a common word, in the long session", [COMMON_WORD], { order, sessionId: "long" }),
    reading("by relevance: two characters", ["st"], { order }),
  ];
}

function reading(name: string, texts: readonly string[], filter: Partial<SearchQuery> = {}): Reading {
  return { name, calls: texts.map((text) => ({ verb: "search", query: { ...filter, text, limit: LIMIT } })) };
}
