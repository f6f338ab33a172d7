/**
 * The lines that a stretch offers for its story: the sentences of people and assistants, and one line for each tool
 * call with what it was given and how it ended. Output of tools is bulk and data: of it only the outcome is offered.
 *
 * Secrets are replaced before anything is cut, so that no half of one is left.
 */
import type { CallId, Message, ToolCallPart, ToolResultPart } from "../../message/message.ts";
import { dateOfInstant } from "../claims/normalise-date.ts";
import { type Sentence, splitSentences } from "../facts/split-sentences.ts";
import { textPieces } from "../facts/text-pieces.ts";
import { redactSecrets } from "../secrets/redact-secrets.ts";
import type { Candidate } from "./candidate.ts";
import { findWordEnd, foldLabel, foldLine } from "./fold-line.ts";
import type { OutputPlace } from "./read-output-lines.ts";
import { describeCall, describeOutcome } from "./tool-line.ts";

export interface ReadCandidates {
  readonly candidates: readonly Candidate[];
  /** Where tools gave something back. */
  readonly outputs: readonly OutputPlace[];
}

export function* readCandidatesInSteps(messages: readonly Message[]): Generator<undefined, ReadCandidates> {
  const reading: Reading = { candidates: [], outputs: [], calls: new Map(), order: 0 };
  for (const message of messages) {
    yield* readMessage(reading, message);
    yield undefined;
  }
  for (const call of reading.calls.values()) addToolLine(reading, call);
  return reading;
}

interface Reading {
  readonly candidates: Candidate[];
  readonly outputs: OutputPlace[];
  readonly calls: Map<CallId, WaitingCall>;
  order: number;
}

interface WaitingCall {
  readonly message: Message;
  readonly part: ToolCallPart;
  readonly order: number;
  readonly result?: ToolResultPart | undefined;
}

function* readMessage(reading: Reading, message: Message): Generator<undefined, void> {
  if (message.role === "system") return;
  for (const part of message.parts) {
    reading.order += 1;
    if (part.type === "text" && message.role !== "tool") yield* readText(reading, message, part.text);
    if (part.type === "tool-call") reading.calls.set(part.callId, { message, part, order: reading.order });
    if (part.type === "tool-result") {
      const call = reading.calls.get(part.callId);
      if (call !== undefined) addToolLine(reading, { ...call, result: part });
      const { order } = reading;
      reading.outputs.push({ message, part, order, tool: call?.part.tool, date: dateOf(message) });
      reading.calls.delete(part.callId);
    }
  }
}

const SAID_WEIGHT = { user: 1.5, assistant: 1, tool: 1, system: 0 } as const;
/** Where the other side has a name too, people are talking, and one is worth as much as the other. */
function saidWeight({ role, name }: Message): number {
  return name === undefined ? SAID_WEIGHT[role] : SAID_WEIGHT.user;
}

/** A sentence among many of one message is worth less than one that was all somebody said: documents are pasted. */
const PAGE_CHARACTERS = 1_500;
const LENGTH_POWER = 0.35;
/** Code and quotations are seldom what the speaker wants to say. */
const QUOTED_WEIGHT = 0.4;
/** A line that only announces others says nothing by itself. */
const ANNOUNCING_WEIGHT = 0.3;

function* readText(reading: Reading, message: Message, text: string): Generator<undefined, void> {
  const speaker = speakerOf(message);
  const weight = saidWeight(message) * (1 + text.length / PAGE_CHARACTERS) ** -LENGTH_POWER;
  const state = { isFenced: false };
  for (const piece of textPieces(text)) {
    const sentences = splitSentences(redactSecrets(piece).text, state);
    for (const sentence of sentences) addSentence(reading, { message, speaker, sentence, weight });
    if (piece.length < text.length) yield undefined;
  }
}

interface Said {
  readonly message: Message;
  readonly speaker: string;
  readonly sentence: Sentence;
  readonly weight: number;
}

function addSentence(reading: Reading, { message, speaker, sentence, weight: said }: Said): void {
  for (const line of cutLong(foldLine(sentence.text))) {
    const weight = said * (sentence.isQuoted ? QUOTED_WEIGHT : 1) * (line.endsWith(":") ? ANNOUNCING_WEIGHT : 1);
    reading.order += 1;
    reading.candidates.push({
      body: `${speaker}: ${line}`,
      raw: sentence.text,
      order: reading.order,
      messageId: message.id,
      weight,
      date: dateOf(message),
    });
  }
}

/** A sentence that is longer is offered in several lines: choosing one of them is not choosing all. */
const LONGEST_SENTENCE = 320;

function cutLong(line: string): readonly string[] {
  const pieces: string[] = [];
  let rest = line;
  while (rest.length > LONGEST_SENTENCE) {
    const clause = Math.max(rest.lastIndexOf(", ", LONGEST_SENTENCE), rest.lastIndexOf("; ", LONGEST_SENTENCE)) + 1;
    const end = clause > LONGEST_SENTENCE / 2 ? clause : findWordEnd(rest, LONGEST_SENTENCE);
    // A run without a place to cut ends the line: it is no sentence.
    if (end === 0) return pieces;
    pieces.push(rest.slice(0, end).trim());
    rest = rest.slice(end).trim();
  }
  return rest === "" ? pieces : [...pieces, rest];
}

const CALL_WEIGHT = 1.5;
const FAILED_WEIGHT = 2;

function addToolLine(reading: Reading, { message, part, order, result }: WaitingCall): void {
  const call = describeCall(part);
  const outcome = result === undefined ? undefined : describeOutcome(part, result);
  const body = `tool ${foldLabel(part.tool)}: ${call.text}${outcome === undefined ? "" : ` → ${outcome.text}`}`;
  reading.candidates.push({
    body,
    raw: `${part.tool}\n${call.raw}\n${outcome?.raw ?? ""}`,
    order,
    messageId: message.id,
    weight: outcome?.isFailure === true ? FAILED_WEIGHT : CALL_WEIGHT,
    date: dateOf(message),
  });
}

function speakerOf({ role, name }: Message): string {
  const label = name === undefined ? "" : foldLabel(name);
  return label === "" ? (role === "user" ? "User" : "Assistant") : label;
}

function dateOf({ saidAt }: Message): string | undefined {
  return saidAt === undefined ? undefined : dateOfInstant(saidAt);
}
