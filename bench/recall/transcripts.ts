/**
 * Measures what a summary by code keeps of people's chats that are given as text: each message begins with its date and
 * speaker, or the whole chat is pasted as one message. The questions, sizes and scores are those of the part `people`;
 * the same chats with names and times as fields are the reference.
 */

import type { Message } from "../../src/core/message/message.ts";
import { messageText } from "../../src/core/message/message-text.ts";
import { summarizeOffline } from "../../src/core/summary/offline/summarize-offline.ts";
import { countTokens } from "../../src/core/tokens/count-tokens.ts";
import { mean } from "../shared/averages.ts";
import { ABOUT_TIME } from "./people.ts";
import { type Chat, readLocomo } from "./read-locomo.ts";
import type { MeasureRecall } from "./recall-part.ts";
import { type ScoredQuestion, scoreAnswers } from "./score-answers.ts";

const MIN_FACTS = 0.72;
const MIN_DATES = 0.75;

interface Spoken {
  readonly name: string;
  readonly at: Date;
  readonly text: string;
  /** True for the first turn of a day. */
  readonly isNewDay: boolean;
}

interface Style {
  readonly name: string;
  /** True if all turns are one message. */
  readonly isPasted: boolean;
  readonly write: (turn: Spoken) => string;
}

const pad = (number: number): string => String(number).padStart(2, "0");
const clock = (at: Date): string => `${pad(at.getUTCHours())}:${pad(at.getUTCMinutes())}`;
const halfDay = (at: Date): string =>
  `${at.getUTCHours() % 12 || 12}:${pad(at.getUTCMinutes())} ${at.getUTCHours() < 12 ? "am" : "pm"}`;
const longDay = (at: Date): string =>
  at.toLocaleDateString("en-GB", { timeZone: "UTC", day: "numeric", month: "long", year: "numeric" });
const usDay = (at: Date): string =>
  at.toLocaleDateString("en-US", { timeZone: "UTC", weekday: "long", month: "long", day: "numeric", year: "numeric" });

const STYLES: readonly Style[] = [
  {
    name: "each message: [1:56 pm on 8 May 2023] Ann: …",
    isPasted: false,
    write: ({ name, at, text }) => `[${halfDay(at)} on ${longDay(at)}] ${name}: ${text}`,
  },
  {
    name: "each message: **Ann**, 2023/05/08 13:56: …",
    isPasted: false,
    write: ({ name, at, text }) =>
      `**${name}**, ${at.toISOString().slice(0, 10).replaceAll("-", "/")} ${clock(at)}: ${text}`,
  },
  {
    name: "pasted: days as headings, Ann: …",
    isPasted: true,
    write: ({ name, at, text, isNewDay }) => `${isNewDay ? `\n## ${usDay(at)}\n` : ""}${name}: ${text}`,
  },
  {
    name: "pasted: 08/05/2023, 13:56 - Ann: …",
    isPasted: true,
    write: ({ name, at, text }) =>
      `${pad(at.getUTCDate())}/${pad(at.getUTCMonth() + 1)}/${at.getUTCFullYear()}, ${clock(at)} - ${name}: ${text}`,
  },
  {
    name: "pasted: Ann [13:56], text below, days between",
    isPasted: true,
    write: ({ name, at, text, isNewDay }) =>
      `${isNewDay ? `\n----- ${longDay(at)} -----\n` : ""}\n${name} [${clock(at)}]\n${text}`,
  },
  {
    name: "pasted: 2023-05-08T13:56:00Z Ann: …",
    isPasted: true,
    write: ({ name, at, text }) => `${at.toISOString().slice(0, 19)}Z ${name}: ${text}`,
  },
];

export const measureTranscripts: MeasureRecall = async ({ dataFolder, quick }) => {
  const data = readLocomo(`${dataFolder}/locomo`);
  if (data === undefined) return undefined;
  const chats = quick ? data.chats.slice(0, 1) : data.chats;
  const contestants = [{ name: "names and times as fields", messagesOf: ({ messages }: Chat) => messages }].concat(
    STYLES.map((style) => ({ name: style.name, messagesOf: (chat) => writeAs(style, chat) })),
  );
  const rows = contestants.map(({ name, messagesOf }) => {
    const scored = chats.flatMap((chat) => scoreChat(chat, messagesOf(chat)));
    return { transcripts: name, facts: shareOf(scored, false), dates: shareOf(scored, true) };
  });
  const asText = rows.slice(1);
  const [facts, dates] = [Math.min(...asText.map((row) => row.facts)), Math.min(...asText.map((row) => row.dates))];
  return {
    rows,
    figures: { transcriptFacts: facts, transcriptDates: dates },
    notes: [
      `Transcripts: the chats of the part people as text; the figures are those of the worst style. Target: facts ${MIN_FACTS} (${verdict(facts >= MIN_FACTS)}), dates ${MIN_DATES} (${verdict(dates >= MIN_DATES)}).`,
    ],
  };
};

function verdict(holds: boolean): string {
  return holds ? "holds" : "FAILS";
}

function scoreChat(chat: Chat, messages: readonly Message[]): readonly ScoredQuestion[] {
  const budgetTokens = countTokens(chat.observations.join("\n"));
  return scoreAnswers(summarizeOffline(messages, { budgetTokens }).text, chat.questions);
}

function shareOf(scored: readonly ScoredQuestion[], isAboutTime: boolean): number {
  return mean(
    scored.filter(({ question }) => (question.category === ABOUT_TIME) === isAboutTime).map(({ share }) => share),
  );
}

function writeAs({ isPasted, write }: Style, { messages }: Chat): readonly Message[] {
  const turns = messages.map((message, index) => {
    const at = new Date(message.saidAt ?? 0);
    const before = messages[index - 1]?.saidAt;
    const isNewDay = before === undefined || longDay(new Date(before)) !== longDay(at);
    return write({ name: message.name ?? "", at, text: messageText(message), isNewDay });
  });
  if (isPasted) return [{ id: "pasted", role: "user", parts: [{ type: "text", text: turns.join("\n") }] }];
  return messages.map(({ id, role }, index) => ({ id, role, parts: [{ type: "text", text: turns[index] ?? "" }] }));
}
