/**
 * Finds conversations between people inside messages, pasted as a whole or one message each. Returns each turn as a
 * message with the name and the time in its text. A turn keeps the id of its message, so that it cites the message.
 *
 * A label and a colon alone prove nothing ("Note: …", `Status: done`). Names count if several lines begin with them and
 * contain sentences, or if there is a time next to them.
 */
import type { Message, TextPart } from "../../message/message.ts";
import {
  createTimeReader,
  readTranscriptHeader,
  type TranscriptHeader,
  type TranscriptTime,
} from "./transcript-header.ts";

/** Returns the messages themselves if none has a transcript. */
export function* splitTranscriptsInSteps(messages: readonly Message[]): Generator<undefined, readonly Message[]> {
  const headed = yield* readHeadedMessages(messages);
  let isSplit = headed !== messages;
  const split: Message[] = [];
  for (const message of headed) {
    const turns = yield* splitPasted(message);
    if (turns !== undefined) isSplit = true;
    for (const turn of turns ?? [message]) split.push(turn);
  }
  return isSplit ? split : messages;
}

/** Returns the text of a message that has one text and nothing else. */
function onlyText({ role, parts }: Message): TextPart | undefined {
  const [part, more] = parts;
  return (role === "user" || role === "assistant") && part?.type === "text" && more === undefined ? part : undefined;
}

interface Line {
  readonly header: TranscriptHeader | undefined;
  readonly text: string;
  /** The words after the header. */
  readonly said: string;
}

/** Reads messages that each begin with a name or a time. */
function* readHeadedMessages(messages: readonly Message[]): Generator<undefined, readonly Message[]> {
  const lines = new Map<Message, Line>();
  let texts = 0;
  for (const [index, message] of messages.entries()) {
    const part = message.name === undefined ? onlyText(message) : undefined;
    if (part === undefined) continue;
    texts += 1;
    const line = readStart(part.text);
    if (line !== undefined) lines.set(message, line);
    if (index % STEP_LINES === STEP_LINES - 1) yield undefined;
  }
  const keys = [...lines.keys()];
  for (const [index, line] of withoutPrograms([...lines.values()]).entries()) lines.set(keys[index] as Message, line);
  const isName = findSpeakers([...lines.values()], { minSpeakers: 1 });
  if (lines.size < texts * MIN_HEADED_SHARE || isName === undefined) return messages;
  const readAt = createInstantReader([...lines.values()], messages[0]?.saidAt);
  return messages.map((message) => {
    const line = lines.get(message);
    return line === undefined ? message : withHeader(message, line, { isName, readAt });
  });
}

/** Returns the lines of a log without the names of its programs, whose lines hardly ever are sentences. */
function withoutPrograms(lines: readonly Line[]): readonly Line[] {
  const byHandle = lines.filter(({ header }) => header?.isHandle === true);
  if (byHandle.length === 0 || saysSentences(byHandle)) return lines;
  return lines.map((line) => {
    const { header, text } = line;
    return header?.isHandle === true ? { header: { time: header.time, end: 0 }, text, said: text } : line;
  });
}

/** Reads the header of a message. A date on its own line may precede the line with the name. */
function readStart(text: string): Line | undefined {
  const line = takeLine(text);
  const header = readTranscriptHeader(line);
  if (header === undefined) return undefined;
  if (header.name !== undefined) return { header, text, said: text.slice(header.end) };
  const rest = text.slice(line.length + 1);
  const next = header.isDateLine === true ? readTranscriptHeader(takeLine(rest)) : undefined;
  if (next?.name === undefined) return { header, text, said: header.isDateLine === true ? rest : text };
  const time = { ...header.time, ...next.time, day: next.time?.day ?? header.time?.day };
  return { header: { ...next, time }, text, said: rest.slice(next.end) };
}

function takeLine(text: string): string {
  const end = text.indexOf("\n");
  return end < 0 ? text : text.slice(0, end);
}

interface HeaderReading {
  readonly isName: (name: string) => boolean;
  readonly readAt: (time: TranscriptTime) => number | undefined;
}

function withHeader(message: Message, { header, said }: Line, { isName, readAt }: HeaderReading): Message {
  if (header === undefined) return message;
  const { name, time } = header;
  const isSpoken = name !== undefined && isName(name);
  if (name !== undefined && !isSpoken) return message;
  const saidAt = time === undefined ? undefined : readAt(time);
  const text = said.trim() === "" ? [] : [{ type: "text" as const, text: said.trim() }];
  return {
    ...message,
    ...(isSpoken ? { name } : {}),
    ...(saidAt === undefined ? {} : { saidAt }),
    ...(isSpoken || header.isDateLine === true ? { parts: text } : {}),
  };
}

function createInstantReader(
  lines: readonly Line[],
  startAt: number | undefined,
): (time: TranscriptTime) => number | undefined {
  const reader = createTimeReader(
    lines.flatMap(({ header }) => header?.time ?? []),
    startAt,
  );
  return (time) => reader.read(time);
}

/** Splits a message that contains a whole transcript. */
function* splitPasted(message: Message): Generator<undefined, readonly Message[] | undefined> {
  const part = message.role === "user" ? onlyText(message) : undefined;
  if (part === undefined || !part.text.includes("\n")) return undefined;
  const lines: Line[] = [];
  let fence = "";
  const isSubtitle = part.text.startsWith("WEBVTT");
  for (const [index, written] of joinClocks(part.text).split(/\r?\n/).entries()) {
    if (index % STEP_LINES === STEP_LINES - 1) yield undefined;
    if (CUE_LINE.test(written) || (isSubtitle && CUE_NUMBER.test(written))) continue;
    const text = isSubtitle ? written.replace(/<\/v>\s*$/, "") : written;
    const mark = FENCE.exec(text);
    if (mark !== null) fence = fence === "" ? (mark[1] ?? "") || "text" : "";
    // A fence with a language contains code.
    const isCode = mark !== null || (fence !== "" && fence !== "text");
    const header = isCode ? undefined : readTranscriptHeader(text);
    lines.push({ header, text, said: text.slice(header?.end ?? 0) });
  }
  const read = withoutPrograms(lines);
  const isName = findSpeakers(read, { minSpeakers: 2 });
  if (isName === undefined || !isMostlyHeaded(read, isName)) return undefined;
  yield undefined;
  return joinTurns(message, read, { isName, readAt: createInstantReader(lines, message.saidAt) });
}

/** Matches lines of subtitles without words: their title and times. */
const CUE_LINE = /^\s*(?:WEBVTT\b.*|[\d:.,]{5,16} --> [\d:.,]{5,16}.*)$/;
const CUE_NUMBER = /^\d{1,6}$/;

/** Joins a name and the clock time on the line below it, as some programs copy them. */
function joinClocks(text: string): string {
  return text.replaceAll(
    /^(\p{Lu}[^\n:]{1,40})\r?\n[ \t]*(\d{1,2}:\d{2}(?:[ \u202f]?[AaPp][Mm])?)[ \t]*$/gmu,
    "$1  $2",
  );
}

const FENCE = /^\s{0,3}(?:```|~~~)\s*(\w*)/;
const STEP_LINES = 256;
/** Share of the messages that must begin with a header. */
const MIN_HEADED_SHARE = 0.5;

interface OpenTurn {
  readonly name: string | undefined;
  readonly saidAt: number | undefined;
  readonly lines: string[];
}

function joinTurns(message: Message, lines: readonly Line[], { isName, readAt }: HeaderReading): readonly Message[] {
  const turns: OpenTurn[] = [];
  let day: number | undefined;
  for (const { header, text, said } of lines) {
    const isSpoken = header?.name !== undefined && isName(header.name);
    const hasTime = header?.time !== undefined && (isSpoken || header.name === undefined);
    day = hasTime ? (readAt(header.time) ?? day) : day;
    if (header?.isDateLine === true) turns.push({ name: undefined, saidAt: day, lines: [] });
    else if (isSpoken || hasTime) turns.push({ name: isSpoken ? header.name : undefined, saidAt: day, lines: [said] });
    else (turns.at(-1) ?? openFirst(turns)).lines.push(text);
  }
  return turns.flatMap((turn) => writeTurn(message, turn));
}

/** The words before the first header are the user's own. */
function openFirst(turns: OpenTurn[]): OpenTurn {
  const first: OpenTurn = { name: undefined, saidAt: undefined, lines: [] };
  turns.push(first);
  return first;
}

function writeTurn(message: Message, { name, saidAt, lines }: OpenTurn): readonly Message[] {
  const text = lines.join("\n").trim();
  if (text === "") return [];
  const time = saidAt === undefined ? {} : { saidAt };
  return [{ ...message, ...(name === undefined ? {} : { name }), ...time, parts: [{ type: "text", text }] }];
}

/**
 * Returns a function that recognizes the names of speakers, or undefined if the lines are not a transcript. Without
 * times, names must be repeated and their lines contain sentences.
 */
function findSpeakers(
  lines: readonly Line[],
  { minSpeakers }: { readonly minSpeakers: number },
): ((name: string) => boolean) | undefined {
  const named = lines.filter(({ header }) => header?.name !== undefined);
  const timed = lines.filter(({ header }) => header?.time !== undefined);
  const uses = new Map<string, number>();
  for (const { header } of named) uses.set(header?.name ?? "", (uses.get(header?.name ?? "") ?? 0) + 1);
  const stamped = new Set(named.flatMap(({ header }) => (header?.time === undefined ? [] : (header.name ?? []))));
  const stampedTurns = named.filter(({ header }) => stamped.has(header?.name ?? "")).length;
  const repeated = named.filter(({ header }) => (uses.get(header?.name ?? "") ?? 0) > 1);
  const speakers = new Set(repeated.map(({ header }) => header?.name ?? ""));
  const hasDays = timed.some(({ header }) => header?.time?.day !== undefined);
  const minTurns = hasDays ? MIN_STAMPED : MIN_PLAIN;
  const isTalk = repeated.length >= minTurns && speakers.size >= (hasDays ? 1 : minSpeakers) && saysSentences(repeated);
  if (stampedTurns >= MIN_STAMPED) return (name) => stamped.has(name) || (isTalk && speakers.has(name));
  if (isTalk) return (name) => speakers.has(name) || repeated.length >= LONG_TALK;
  return timed.length >= MIN_STAMPED ? () => false : undefined;
}

const MIN_STAMPED = 2;
const MIN_PLAIN = 4;
/** In a conversation with this many turns, a name that occurs once is a speaker too. */
const LONG_TALK = 12;

function saysSentences(turns: readonly Line[]): boolean {
  const sentences = turns.filter(({ said }) => SENTENCE.test(said) || said.split(/\s+/).length >= LONG_WORDS);
  return sentences.length >= turns.length * MIN_SENTENCE_SHARE;
}

const SENTENCE = /\p{L}[.!?…。！？]["'”’)]*(?:\s|$)|[。！？]/u;
const LONG_WORDS = 7;
const MIN_SENTENCE_SHARE = 0.5;

function isMostlyHeaded(lines: readonly Line[], isName: (name: string) => boolean): boolean {
  const full = lines.filter(({ text }) => text.trim() !== "");
  const headed = full.filter(
    ({ header }) => header !== undefined && (header.name === undefined || isName(header.name)),
  );
  return headed.length >= full.length * MIN_HEADED_LINES;
}

const MIN_HEADED_LINES = 0.15;
