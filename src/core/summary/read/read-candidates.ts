/** Reads candidate lines: sentences, and one line for each tool call. Replaces secrets before any cut. */

import { dateOfInstant } from "../../language/normalize-date.ts";
import { PIECE_CHARACTERS } from "../../language/text-pieces.ts";
import { contentWords } from "../../language/words.ts";
import type { CallId, Message, MessageId, TextPart, ToolCallPart, ToolResultPart } from "../../message/message.ts";
import { redactSecrets } from "../secrets/redact-secrets.ts";
import { cutLongLine, foldLabel, foldSentence } from "../text/fold-line.ts";
import { takeUserPart } from "../text/message-texts.ts";
import { createSentenceReader, joinItems, type Sentence, type SentenceReader } from "../text/split-sentences.ts";
import { LINE_WEIGHTS, WORK_LINE_WEIGHTS } from "../weights.ts";
import type { Candidate, ConversationKind } from "./candidate.ts";
import { isAnnouncement } from "./find-statements.ts";
import type { OutputPlace } from "./read-output-lines.ts";
import { readTalkInSteps } from "./read-talk.ts";
import { hasOnlyApproval, isCourtesy } from "./read-user-words.ts";
import {
  createFailureTracker,
  describeCall,
  describeOutcome,
  type FailureTracker,
  type SolvedFailure,
  type ToolOutcome,
} from "./tool-line.ts";
import { findCommand, isReadOnlyUse, readFileUse } from "./tool-use.ts";

export interface CandidateLines {
  readonly candidates: readonly Candidate[];
  readonly outputs: readonly OutputPlace[];
}

export function* readCandidatesInSteps(
  messages: readonly Message[],
  { kind, sentences = createSentenceReader() }: CandidateOptions,
): Generator<undefined, CandidateLines> {
  if (kind === "talk") return { candidates: yield* readTalkInSteps(messages, sentences), outputs: [] };
  const failures = createFailureTracker();
  const reading: Reading = { sentences, candidates: [], outputs: [], calls: new Map(), failures, order: 0 };
  for (const message of messages) {
    yield* readMessage(reading, message);
    yield undefined;
  }
  for (const call of reading.calls.values()) addToolLine(reading, call);
  return reading;
}

export interface CandidateOptions {
  readonly kind: ConversationKind;
  /** Caches the sentences of the messages for several readers. */
  readonly sentences?: SentenceReader | undefined;
}

interface Reading {
  readonly sentences: SentenceReader;
  readonly candidates: Candidate[];
  readonly outputs: OutputPlace[];
  readonly calls: Map<CallId, WaitingCall>;
  readonly failures: FailureTracker;
  order: number;
}

interface WaitingCall {
  readonly message: Message;
  readonly part: ToolCallPart;
  readonly order: number;
  readonly result?: ToolResultPart | undefined;
  readonly answerId?: MessageId | undefined;
}

function* readMessage(reading: Reading, message: Message): Generator<undefined, void> {
  if (message.role === "system") return;
  for (const part of message.parts) {
    reading.order += 1;
    if (part.type === "text" && message.role !== "tool") {
      yield* readTextPart(reading, message, message.role === "user" ? takeUserPart(part) : part);
    }
    if (part.type === "tool-call") reading.calls.set(part.callId, { message, part, order: reading.order });
    if (part.type === "tool-result") {
      const call = reading.calls.get(part.callId);
      if (call !== undefined) addToolLine(reading, { ...call, result: part, answerId: message.id });
      const { order } = reading;
      const caller = { tool: call?.part.tool, callerId: call?.message.id };
      reading.outputs.push({ message, part, order, ...caller, date: dateOf(message) });
      reading.calls.delete(part.callId);
    }
  }
}

/** An assistant with a name is a person, whose sentences weigh as much as the user's. */
function weighSpeaker({ role, name }: Message): number {
  return name === undefined && role === "assistant" ? WORK_LINE_WEIGHTS.byAssistant : WORK_LINE_WEIGHTS.byUser;
}

function* readTextPart(reading: Reading, message: Message, part: TextPart): Generator<undefined, void> {
  const speaker = speakerOf(message);
  const weight =
    weighSpeaker(message) * (1 + part.text.length / LINE_WEIGHTS.pageCharacters) ** -LINE_WEIGHTS.lengthPower;
  for (const sentences of reading.sentences.piecesOf(part)) {
    for (const sentence of joinItems(sentences)) addSentence(reading, { message, speaker, sentence, weight });
    if (part.text.length > PIECE_CHARACTERS) yield undefined;
  }
}

/** Returns true for bare approval of the user, and for words of an agent that say nothing by themselves: "Let me look.", "Found it!", "We have:" */
function isEmptyTalk({ text, isQuoted, box, isFromSummary }: Sentence, { role, name }: Message): boolean {
  if (isQuoted || box !== undefined || isFromSummary === true) return false;
  if (role === "user") return hasOnlyApproval(text);
  if (name !== undefined) return false;
  if (isAnnouncement(text) || isCourtesy(text) || /[:：]$/.test(text)) return true;
  return text.length < MAX_EXCLAMATION_CHARACTERS && !/\d/.test(text) && contentWords(text).length < MIN_CONTENT_WORDS;
}

const MAX_EXCLAMATION_CHARACTERS = 40;
const MIN_CONTENT_WORDS = 3;

interface SpokenSentence {
  readonly message: Message;
  readonly speaker: string;
  readonly sentence: Sentence;
  readonly weight: number;
}

function addSentence(reading: Reading, { message, speaker, sentence, weight: said }: SpokenSentence): void {
  if (isEmptyTalk(sentence, message)) return;
  for (const line of cutLongLine(foldSentence(sentence), WORK_LINE_WEIGHTS.longestCharacters)) {
    const announces = /[:：]$/.test(line) || sentence.isHeading === true;
    const weight = said * (sentence.isQuoted ? LINE_WEIGHTS.quoted : 1) * (announces ? LINE_WEIGHTS.announcing : 1);
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

function addToolLine(reading: Reading, { message, part, order, result, answerId }: WaitingCall): void {
  const call = describeCall(part);
  const outcome = result === undefined ? undefined : describeOutcome(part, result);
  if (call.text === "" && outcome === undefined) return;
  const answerIds = outcome === undefined || answerId === undefined ? [] : [answerId];
  const solved = noteFailures(reading, { part, result, outcome, messageIds: [message.id, ...answerIds] });
  const end = outcome === undefined ? "" : ` → ${outcome.text}`;
  const tool = `tool ${foldLabel(part.tool)}${call.text === "" ? "" : `: ${call.text}`}`;
  const body = `${tool}${end}${solved === undefined ? "" : ` (${solved.text})`}`;
  const hasFailed = outcome?.isFailure === true || solved !== undefined;
  const calm = call.isReadOnlyUse ? WORK_LINE_WEIGHTS.look : WORK_LINE_WEIGHTS.call;
  reading.candidates.push({
    body,
    raw: `${part.tool}\n${call.raw}\n${outcome?.raw ?? ""}\n${solved?.text ?? ""}`,
    order,
    messageId: message.id,
    messageIds: [...new Set([...(solved?.messageIds ?? []), message.id, ...answerIds])],
    weight: hasFailed ? WORK_LINE_WEIGHTS.failedCall : calm,
    date: dateOf(message),
  });
}

interface EndedCall {
  readonly part: ToolCallPart;
  readonly result: ToolResultPart | undefined;
  readonly outcome: ToolOutcome | undefined;
  readonly messageIds: readonly MessageId[];
}

function noteFailures(
  { failures }: Reading,
  { part, result, outcome, messageIds }: EndedCall,
): SolvedFailure | undefined {
  const file = readFileUse(part);
  if (file !== undefined && !isReadOnlyUse(file) && result?.failed !== true) failures.noteChange(file.name);
  const command = findCommand(part);
  if (command === undefined || result === undefined) return undefined;
  const error = outcome?.isFailure === true ? outcome.text : undefined;
  return failures.noteRun({ command: redactSecrets(command).text, error, messageIds });
}

function speakerOf({ role, name }: Message): string {
  const label = name === undefined ? "" : foldLabel(name);
  return label === "" ? (role === "user" ? "User" : "Assistant") : label;
}

function dateOf({ saidAt }: Message): string | undefined {
  return saidAt === undefined ? undefined : dateOfInstant(saidAt);
}
