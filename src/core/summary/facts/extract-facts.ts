/**
 * Extracts the facts of a stretch by code: demands, open and done items, decisions, names, commands and their outcomes.
 * Deterministic and linear; matches phrases and shapes. A summarizer can add facts and not remove them.
 */

import { PIECE_CHARACTERS } from "../../language/text-pieces.ts";
import type { CallId, Message, Part, TextPart, ToolResultPart } from "../../message/message.ts";
import { isGreeting } from "../read/find-demands.ts";
import {
  isFailureReport,
  isTalkName,
  readSentence,
  readTalkSentence,
  readUserSentence,
  type Statement,
} from "../read/find-statements.ts";
import { type CallFiles, readNamesInSteps } from "../read/read-names.ts";
import { type NotebookCall, readCellState, readNotebookCall } from "../read/read-notebook-call.ts";
import { readCommand, readErrors, readOutcome, readToolItems } from "../read/tool-use.ts";
import type { Fact, FactId, FactKind, FactSheet } from "../record/record.ts";
import { redactMessagesInSteps } from "../secrets/redact-messages.ts";
import { redactSecrets } from "../secrets/redact-secrets.ts";
import { outputEnds, takeUserPart } from "../text/message-texts.ts";
import { createSentenceReader, type SentenceReader } from "../text/sentence-reader.ts";
import type { Sentence } from "../text/split-sentences.ts";
import { addFact, limitFacts, listEvictedConstraints } from "./fact-list.ts";
import { type FactDraft, makeFact } from "./make-fact.ts";
import { describeUse } from "./name-weight.ts";
import { resolveItems } from "./resolve-items.ts";

export function* extractFactsInSteps(
  given: readonly Message[],
  { sentences = createSentenceReader() }: ExtractOptions = {},
): Generator<undefined, FactSheet> {
  const messages = yield* redactMessagesInSteps(given);
  const reading: Reading = {
    sentences,
    facts: new Map(),
    commands: new Map(),
    cells: new Map(),
    files: new Map(),
    messages: 0,
    hasGoal: isTalk(messages),
    isTalk: isTalk(messages),
    isSpoken: !messages.some(hasCalls),
    evicted: [],
    mostFacts: MAX_FACTS_READ,
  };
  let turns = 0;
  for (const message of messages) {
    // Counts turns as `groupTurns` does.
    if (turns === 0 || message.role === "user") turns += 1;
    reading.messages += 1;
    yield* readMessage(reading, message, turns - 1);
    if (reading.facts.size > reading.mostFacts) dropLeast(reading);
    yield undefined;
  }
  const found = resolveItems([...reading.facts.values()]);
  const facts = limitFacts(found);
  const evicted = [...reading.evicted, ...listEvictedConstraints(found, facts)];
  return { facts, turns, messages: reading.messages, ...(evicted.length === 0 ? {} : { evicted }) };
}

/** A long log has tens of thousands of names, and choosing among all of them at the end would be slow. */
const MAX_FACTS_READ = 4_000;
const SPARE_TIMES = 3;

function dropLeast(reading: Reading): void {
  const { facts, evicted } = reading;
  const all = [...facts.values()];
  const limited = limitFacts(all, SPARE_TIMES);
  evicted.push(...listEvictedConstraints(all, limited));
  const kept = new Set(limited);
  for (const [id, fact] of facts) if (!kept.has(fact)) facts.delete(id);
  // If most facts are kept, checking all of them after each message would be slow.
  reading.mostFacts = Math.max(MAX_FACTS_READ, 2 * facts.size);
}

/** Returns true for a talk between named people, whose first words are not a goal. */
function isTalk(messages: readonly Message[]): boolean {
  const names = new Set(messages.flatMap(({ name }) => name ?? []));
  if (names.size < 2) return false;
  return messages.every(({ name, role, parts }) => (name !== undefined || role === "system") && !hasCalls({ parts }));
}

function hasCalls({ parts }: Pick<Message, "parts">): boolean {
  return parts.some(({ type }) => type === "tool-call");
}

export interface ExtractOptions {
  /** Caches the sentences of the messages for several readers. */
  readonly sentences?: SentenceReader | undefined;
}

interface Reading {
  readonly sentences: SentenceReader;
  readonly facts: Map<string, Fact>;
  /** Commands and cells of calls without a result so far. */
  readonly commands: Map<CallId, string>;
  readonly cells: Map<CallId, NotebookCall>;
  readonly files: CallFiles;
  messages: number;
  hasGoal: boolean;
  readonly isTalk: boolean;
  /** True without tool calls: a bare date is then not a fact. */
  readonly isSpoken: boolean;
  readonly evicted: FactId[];
  /** Limit above which the least important facts are dropped. */
  mostFacts: number;
}

type Draft = Pick<FactDraft, "kind" | "text" | "status" | "identity" | "named">;

type Add = (draft: Draft) => void;

function* readMessage(reading: Reading, message: Message, turn: number): Generator<undefined, void> {
  const add: Add = (draft) => {
    const owner = reading.isTalk && OWNED.has(draft.kind) ? nameOf(message) : undefined;
    const fact = makeFact({ ...draft, source: message.id, saidBy: message.role, turn, owner });
    if (fact !== undefined) addFact(reading.facts, fact);
  };
  if (message.name !== undefined) add({ kind: "participant", text: message.name });
  for (const part of message.parts) {
    if (part.type === "text") yield* readText(reading, { part, message, turn, add });
    else for (const statement of readToolPart(reading, part)) add(redacted(statement));
  }
  yield undefined;
  const names = yield* readNamesInSteps(message, reading.files);
  for (const name of names) {
    if (reading.isTalk ? !isTalkName(name.claim) : reading.isSpoken && name.claim.kind === "date") continue;
    add({ kind: "identifier", text: name.claim.text, identity: name.key, named: describeUse(name, reading.messages) });
  }
}

function nameOf({ name = "" }: Message): string | undefined {
  const label = name
    .slice(0, LONGEST_NAME)
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}:;()[\]<>"→]+/gu, " ")
    .trim();
  return label === "" ? undefined : label;
}

const LONGEST_NAME = 40;
/** Kinds whose owner is recorded in a talk. */
const OWNED: ReadonlySet<FactKind> = new Set(["constraint", "goal", "decision", "definition", "open-item", "question"]);

function readToolPart(reading: Reading, part: Exclude<Part, TextPart>): readonly Draft[] {
  switch (part.type) {
    case "tool-call": {
      const command = readCommand(part);
      if (command !== undefined) reading.commands.set(part.callId, command);
      const notebook = readNotebookCall(part);
      if (notebook !== undefined) reading.cells.set(part.callId, notebook);
      return readToolItems(part);
    }
    case "tool-result": {
      const command = reading.commands.get(part.callId);
      const ends = outputEnds(part.output);
      const outcome = command === undefined ? [] : [{ ...readOutcome(command, part, ends), identity: command }];
      return [...outcome, ...readCell(reading, part), ...readErrors(part, ends)];
    }
    case "reasoning":
    case "image":
    case "file":
    case "source":
    case "unknown":
      return [];
    default:
      return part satisfies never;
  }
}

function readCell({ cells }: Reading, result: ToolResultPart): readonly Draft[] {
  const call = cells.get(result.callId);
  const left = call === undefined ? undefined : readCellState(call, result);
  if (left === undefined) return [];
  return [{ kind: "notebook-cell", text: `${left.cell} → ${left.state}`, identity: left.cell }];
}

interface SpokenText {
  readonly part: TextPart;
  readonly message: Message;
  readonly turn: number;
  readonly add: Add;
}

/** Ignores system messages, which are instructions. */
function* readText(reading: Reading, { part: said, message, turn, add }: SpokenText): Generator<undefined, void> {
  const { role } = message;
  if (role === "system" || role === "tool") return;
  const part = role === "user" ? takeUserPart(said) : said;
  let room = MAX_STATEMENTS;
  for (const sentences of reading.sentences.piecesOf(part)) {
    if (role === "user" && !reading.hasGoal) addGoal(reading, sentences, add);
    const found = sentences.flatMap((sentence) => readStatements(sentence, message, reading.isTalk)).slice(0, room);
    for (const statement of found) add(redacted(statement));
    room -= found.length;
    if (sentences.some(({ text, isFromSummary }) => isFromSummary !== true && isFailureReport(text)))
      dropLastDone(reading.facts, turn);
    if (room <= 0) return;
    if (part.text.length > PIECE_CHARACTERS) yield undefined;
  }
}

/** Removes the last done item after a message such as "That did not work". */
function dropLastDone(facts: Map<string, Fact>, turn: number): void {
  const done = [...facts.values()].filter(
    ({ kind, status, lastTurn }) => kind === "open-item" && status === "done" && lastTurn >= turn - 1,
  );
  const last = done.at(-1);
  if (last === undefined) return;
  for (const { id, source } of done) if (source === last.source) facts.delete(id);
}

function readStatements(sentence: Sentence, { role, name }: Message, isTalk: boolean): readonly Statement[] {
  if (isTalk) return readTalkSentence(sentence, name);
  return role === "user" ? readUserSentence(sentence) : readSentence(sentence);
}

function addGoal(reading: Reading, sentences: readonly Sentence[], add: Add): void {
  const own = sentences.filter(({ isFromSummary }) => isFromSummary !== true);
  const request = firstWords(own.map(({ text }) => text));
  if (request === "" || isGreeting(request) || isAgreement(request)) return;
  reading.hasGoal = true;
  add({ kind: "goal", text: redactSecrets(request).text });
}

/** Returns true for a request that only answers, such as "Yes, that was it". */
function isAgreement(request: string): boolean {
  return AGREEING.test(request) && request.split(" ").length <= LONGEST_AGREEING_WORDS;
}

const AGREEING = /^(?:yes|yep|yeah|no|nope|ok|okay|sure|thanks|thank you|right|correct|exactly)\b/i;
const LONGEST_AGREEING_WORDS = 4;

/** Limit for one message, because a pasted document has many demands that are not the user's. */
const MAX_STATEMENTS = 40;
const GOAL_CHARACTERS = 400;

function firstWords(sentences: readonly string[]): string {
  let text = "";
  for (const sentence of sentences) {
    if (text !== "" && text.length + sentence.length > GOAL_CHARACTERS) break;
    text = text === "" ? sentence : `${text} ${sentence}`;
  }
  return text;
}

function redacted<Some extends Statement | Draft>(statement: Some): Some {
  return { ...statement, text: redactSecrets(statement.text).text };
}
