/**
 * Reads the candidate lines of a `talk` conversation: compressed sentences with speaker and dates, without greetings
 * and noise.
 */

import { findCalendarDay, writeDay } from "../../language/calendar-day.ts";
import { type ResolvedDate, resolveRelativeDates } from "../../language/relative-dates.ts";
import { PIECE_CHARACTERS } from "../../language/text-pieces.ts";
import { contentWords } from "../../language/words.ts";
import type { Message, MessageId, TextPart } from "../../message/message.ts";
import { cutLongLine, foldLabel, foldLine, foldSentence } from "../text/fold-line.ts";
import type { Sentence, SentenceReader } from "../text/split-sentences.ts";
import { LINE_WEIGHTS, TALK_LINE_WEIGHTS } from "../weights.ts";
import type { Candidate } from "./candidate.ts";
import { compressSentence, smoothSentence } from "./compress-sentence.ts";
import { isCourtesy } from "./read-user-words.ts";
import { cleanSpokenSentence } from "./spoken-words.ts";
import { createEnglishDetector, detectEnglish, type EnglishDetector, weighCues } from "./weigh-cues.ts";

export function* readTalkInSteps(
  messages: readonly Message[],
  sentences: SentenceReader,
): Generator<undefined, readonly Candidate[]> {
  const labels = new Map<string, string>();
  for (const { name } of messages) if (name !== undefined && !labels.has(name)) labels.set(name, foldLabel(name));
  const names = new Set([...labels.values()].flatMap(namesOf));
  const language = createEnglishDetector();
  const reading: Reading = { sentences, labels, names, candidates: [], language, isEnglish: true, order: 0 };
  for (const message of messages.slice(0, FIRST_MESSAGES)) detectLanguage(reading, message);
  for (const [turn, message] of messages.entries()) {
    if (message.role === "system" || message.role === "tool") continue;
    yield* readTalkTurn(reading, message, turn);
    yield undefined;
  }
  return reading.candidates;
}

/** Number of messages that decide the language of the first one. */
const FIRST_MESSAGES = 16;
/** Every fourth of the later messages is sampled. */
const SAMPLE_EVERY = 4;

function detectLanguage(reading: Reading, { role, parts }: Message): void {
  if (role === "system" || role === "tool") return;
  for (const part of parts) if (part.type === "text") reading.isEnglish = detectEnglish(reading.language, part.text);
}

/** Returns the whole name, its first word, and a short form. */
function namesOf(name: string): readonly string[] {
  const whole = name.toLowerCase();
  const [first = whole] = whole.split(" ");
  return [whole, first, ...(first.length >= LONG_NAME ? [first.slice(0, SHORT_FORM)] : [])];
}

const LONG_NAME = 5;
const SHORT_FORM = 3;

interface Reading {
  readonly sentences: SentenceReader;
  readonly labels: ReadonlyMap<string, string>;
  readonly names: ReadonlySet<string>;
  readonly candidates: Candidate[];
  readonly language: EnglishDetector;
  isEnglish: boolean;
  order: number;
  /** The last question, until another person answers. */
  asked?: Question | undefined;
}

interface Question {
  readonly text: string;
  readonly raw: string;
  readonly speaker: string;
  readonly messageId: MessageId;
  readonly turn: number;
}

interface Turn {
  readonly message: Message;
  readonly turn: number;
  readonly speaker: string;
  readonly weight: number;
  readonly day: string | undefined;
  /** Dates in the whole text. */
  readonly dates: readonly ResolvedDate[];
  readonly answers: Question | undefined;
  hasAnswered: boolean;
  /** A bare "yes" or "no", if the message has nothing else. */
  agreement?: Sentence | undefined;
}

function* readTalkTurn(reading: Reading, message: Message, turn: number): Generator<undefined, void> {
  const speaker = speakerOf(reading, message);
  const { asked } = reading;
  const isAnswer = asked !== undefined && asked.speaker !== speaker && turn - asked.turn <= LATEST_ANSWER;
  for (const part of message.parts) {
    if (part.type !== "text") continue;
    if (turn % SAMPLE_EVERY === 0) reading.isEnglish = detectEnglish(reading.language, part.text);
    const dates = message.saidAt === undefined ? [] : resolveRelativeDates(part.text, message.saidAt);
    const weight = weigh(message, part);
    const answers = isAnswer ? asked : undefined;
    const said: Turn = { message, turn, speaker, weight, dates, day: dayOf(message), answers, hasAnswered: false };
    for (const sentences of reading.sentences.piecesOf(part)) {
      for (const sentence of sentences) readSentence(reading, said, sentence);
      if (part.text.length > PIECE_CHARACTERS) yield undefined;
    }
    addAgreement(reading, said);
  }
}

/** Maximum distance in messages between a question and its answer. */
const LATEST_ANSWER = 2;

function speakerOf({ labels }: Reading, { role, name }: Message): string {
  const label = name === undefined ? "" : labels.get(name);
  return label === undefined || label === "" ? (role === "user" ? "User" : "Assistant") : label;
}

function dayOf({ saidAt }: Message): string | undefined {
  const day = saidAt === undefined ? undefined : findCalendarDay(saidAt);
  return day && writeDay(day);
}

function weigh({ role, name }: Message, { text }: TextPart): number {
  if (name !== undefined) return 1;
  return (
    (role === "assistant" ? TALK_LINE_WEIGHTS.byModel : 1) *
    (1 + text.length / LINE_WEIGHTS.pageCharacters) ** -LINE_WEIGHTS.lengthPower
  );
}

const SHORT_CHARACTERS = 40;

function readSentence(reading: Reading, said: Turn, sentence: Sentence): void {
  const { message, turn, speaker } = said;
  if (message.role === "assistant" && message.name === undefined && isCourtesy(sentence.text)) return;
  const folded = foldSentence(sentence);
  const isPlain = reading.isEnglish && !sentence.isQuoted;
  const text = isPlain ? compressSentence(folded, reading.names) : dropPeriod(folded, sentence);
  if (text === "" && AGREEMENT.test(folded)) said.agreement ??= sentence;
  if (text === "") return;
  const isAsked = /[?？؟]$/.test(text);
  if (isAsked && isQuotable(text)) reading.asked = { text, raw: sentence.text, speaker, messageId: message.id, turn };
  const answer =
    isAsked || said.answers === undefined
      ? 1
      : said.hasAnswered
        ? TALK_LINE_WEIGHTS.restOfAnswer
        : TALK_LINE_WEIGHTS.answer;
  const question = isAsked || said.hasAnswered ? undefined : said.answers;
  said.hasAnswered ||= !isAsked;
  const weight = said.weight * answer * (sentence.isQuoted ? LINE_WEIGHTS.quoted : weighCues(folded));
  const pieces = cutLongLine(text, TALK_LINE_WEIGHTS.longestCharacters);
  const whole = isPlain && pieces.length === 1 && text.length < folded.length ? folded : undefined;
  for (const piece of pieces) {
    addLine(reading, { said, sentence, line: piece.replace(/[,;]$/, ""), whole, weight, question });
  }
}

function dropPeriod(line: string, { isQuoted }: Sentence): string {
  return isQuoted ? line : line.replace(/(?<![.。])[.。۔]$/, "");
}

/** Returns true for a question that names its subject and is short enough to precede an answer. */
function isQuotable(question: string): boolean {
  return question.length <= MAX_QUESTION_CHARACTERS && contentWords(question).length >= MIN_WORDS;
}

const MAX_QUESTION_CHARACTERS = 120;
const MIN_WORDS = 2;

function addAgreement(reading: Reading, said: Turn): void {
  const { answers: question, agreement: sentence, hasAnswered, weight } = said;
  if (hasAnswered || question === undefined || sentence === undefined || !POLAR.test(question.text)) return;
  const [line = ""] = AGREEMENT.exec(foldLine(sentence.text)) ?? [];
  addLine(reading, { said, sentence, line, whole: undefined, weight: weight * TALK_LINE_WEIGHTS.agreement, question });
}

const AGREEMENT = /^(?:yes|yeah|yep|yup|no|nope|nah|exactly|definitely|absolutely|of course|not yet|never)\b/i;
const POLAR = /^(?:do|does|did|is|are|was|were|have|has|had|can|could|will|would|should|am|shall|may|any|you|so)\b/i;

interface Line {
  readonly said: Turn;
  readonly sentence: Sentence;
  readonly line: string;
  /** The uncompressed sentence, if the line is shorter. */
  readonly whole: string | undefined;
  readonly weight: number;
  readonly question: Question | undefined;
}

function addLine(reading: Reading, { said, sentence, line, whole, weight, question }: Line): void {
  const { message, turn, speaker, day } = said;
  const shown = withDates(said, sentence, line);
  const words = shown.text.length > SHORT_CHARACTERS ? TALK_LINE_WEIGHTS.answerWords : contentWords(shown.text).length;
  const asked = question !== undefined && words < TALK_LINE_WEIGHTS.answerWords ? question : undefined;
  if (words === 0 && asked === undefined) return;
  const isFragment = words < MIN_WORDS && asked === undefined;
  const label = `${speaker}: ${asked === undefined ? "" : `(${asked.text}) `}`;
  const write = (text: string): string => `${label}${withDates(said, sentence, text).text}`;
  const quiet = (text: string): string => dropPeriod(cleanSpokenSentence(text).trim(), sentence).trim();
  reading.order += 1;
  reading.candidates.push({
    body: `${label}${shown.text}`,
    ...(whole === undefined ? {} : { fuller: [() => write(smoothSentence(whole)), () => write(quiet(whole))] }),
    raw: [sentence.text, ...shown.dates, ...(asked === undefined ? [] : [asked.raw])].join("\n"),
    order: reading.order,
    turn,
    messageId: message.id,
    messageIds: asked === undefined ? [message.id] : [asked.messageId, message.id],
    weight: weight * (line.endsWith(":") ? LINE_WEIGHTS.announcing : 1) * (isFragment ? TALK_LINE_WEIGHTS.fragment : 1),
    date: day,
  });
}

interface ShownDates {
  readonly text: string;
  readonly dates: readonly string[];
}

/**
 * Writes the date after a relative phrase, marked as computed: `last Friday (= 5 May 2023)`. Omits it if the whole
 * message gives another date, because verification would not accept it.
 */
function withDates({ message: { saidAt }, dates: inMessage }: Turn, sentence: Sentence, line: string): ShownDates {
  if (saidAt === undefined || inMessage.length === 0) return { text: line, dates: [] };
  const known = new Set(inMessage.map(({ phrase, date }) => `${phrase}\n${date}`));
  const dates: string[] = [];
  let text = line;
  for (const { phrase, date } of resolveRelativeDates(sentence.text, saidAt)) {
    const found = text.toLowerCase().indexOf(phrase.toLowerCase());
    if (found < 0 || !known.has(`${phrase}\n${date}`)) continue;
    const end = found + phrase.length;
    text = `${text.slice(0, end)} (= ${date})${text.slice(end)}`;
    dates.push(date);
  }
  return { text, dates };
}
