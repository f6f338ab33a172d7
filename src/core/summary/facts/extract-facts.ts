/**
 * Extracts the facts of a stretch without a model: demands, open and done items, decisions, names, commands and their
 * outcomes. Deterministic and linear; matches phrases and shapes. A summarizer can add facts but not remove them.
 */

import { PIECE_CHARACTERS } from "../../language/text-pieces.ts";
import type { CallId, Message, MessageId, Part, TextPart, ToolResultPart } from "../../message/message.ts";
import { isGreeting } from "../read/find-demands.ts";
import { isChange, isChangeOfMind, weighHint } from "../read/find-reversals.ts";
import {
  type FactStatement,
  isAnnouncement,
  isFailureReport,
  isFinishedReport,
  isTalkName,
  readSentence,
  readTalkSentence,
  readUserSentence,
} from "../read/find-statements.ts";
import { type CallFiles, readNamesInSteps } from "../read/read-names.ts";
import { type NotebookCall, readCellState, readNotebookCall } from "../read/read-notebook-call.ts";
import { isAgreement, readUserWords } from "../read/read-user-words.ts";
import { cleanSpokenSentence } from "../read/spoken-words.ts";
import { findCommand, readErrors, readOutcome, readToolItems } from "../read/tool-use.ts";
import type { Fact, FactId, FactKind, StretchSheet } from "../record/record.ts";
import { redactMessagesInSteps } from "../secrets/redact-messages.ts";
import { redactSecrets } from "../secrets/redact-secrets.ts";
import { outputEnds, takeUserPart } from "../text/message-texts.ts";
import { createSentenceReader, type Sentence, type SentenceReader } from "../text/split-sentences.ts";
import { splitTranscriptsInSteps } from "../text/split-transcripts.ts";
import { addFact, describeUse, limitFacts, listEvictedConstraints } from "./fact-list.ts";
import { type FactDraft, makeFact } from "./make-fact.ts";
import { resolveItems } from "./resolve-items.ts";
import { createGoalTracker, type GoalTracker } from "./track-goals.ts";

export function* extractFactsInSteps(
  messages: readonly Message[],
  { sentences = createSentenceReader(), turns: given }: ExtractOptions = {},
): Generator<undefined, StretchSheet> {
  const said = given ?? (yield* splitTranscriptsInSteps(yield* redactMessagesInSteps(messages)));
  const reading: Reading = {
    sentences,
    facts: new Map(),
    commands: new Map(),
    cells: new Map(),
    files: new Map(),
    messages: 0,
    lastId: undefined,
    goals: createGoalTracker(findRequestText),
    isTalk: isTalk(said),
    isSpoken: !said.some(hasCalls),
    evicted: [],
    hints: [],
    mostFacts: MAX_FACTS_READ,
  };
  let turns = 0;
  let lastId: string | undefined;
  for (const message of said) {
    // Counts turns as `groupTurns` does, and a pasted transcript as one message.
    const isNext = message.id !== lastId;
    lastId = message.id;
    if (turns === 0 || (message.role === "user" && isNext)) turns += 1;
    if (isNext) reading.messages += 1;
    yield* readMessage(reading, message, turns - 1);
    if (reading.facts.size > reading.mostFacts) dropLeast(reading);
    yield undefined;
  }
  addGoals(reading);
  const found = resolveItems([...reading.facts.values()]);
  const facts = limitFacts(found);
  const evicted = [...reading.evicted, ...listEvictedConstraints(found, facts)];
  const goalChanges = reading.goals.changes();
  return {
    ...{ facts, turns, messages: reading.messages },
    ...(evicted.length === 0 ? {} : { evicted }),
    ...(goalChanges === undefined ? {} : { goalChanges }),
    ...(reading.hints.length === 0 ? {} : { hints: reading.hints.slice(-MAX_HINTS) }),
  };
}

/** The newest hints are kept. */
const MAX_HINTS = 400;

function addGoals({ goals: { goals }, facts, isSpoken }: Reading): void {
  for (const { text, place, ...goal } of goals) {
    const marks = { isStanding: goal.isStanding, isGuess: isSpoken && goal.isGuess === true };
    const fact = makeFact({ kind: "goal", text: redactSecrets(text).text, saidBy: "user", ...marks, ...place });
    if (fact !== undefined) addFact(facts, fact);
  }
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

/** Returns true for a conversation between named people, whose first words are not a goal. */
function isTalk(messages: readonly Message[]): boolean {
  const named = messages.filter(({ name }) => name !== undefined);
  if (new Set(named.map(({ name }) => name)).size < 2) return false;
  // The words before a pasted transcript have no name.
  const ids = new Set(named.map(({ id }) => id));
  return messages.every(({ id, role, parts }) => (ids.has(id) || role === "system") && !hasCalls({ parts }));
}

function hasCalls({ parts }: Pick<Message, "parts">): boolean {
  return parts.some(({ type }) => type === "tool-call");
}

export interface ExtractOptions {
  /** Caches the sentences of the messages for several readers. */
  readonly sentences?: SentenceReader | undefined;
  /** The messages without secrets and with their transcripts split, if the caller has them. */
  readonly turns?: readonly Message[] | undefined;
}

interface Reading {
  readonly sentences: SentenceReader;
  readonly facts: Map<string, Fact>;
  /** Commands and notebook cells, by the call that contains them. */
  readonly commands: Map<CallId, string>;
  readonly cells: Map<CallId, NotebookCall>;
  readonly files: CallFiles;
  messages: number;
  lastId: MessageId | undefined;
  readonly goals: GoalTracker;
  readonly isTalk: boolean;
  /** True if no message calls a tool: a bare date is then not a fact. */
  readonly isSpoken: boolean;
  readonly evicted: FactId[];
  readonly hints: Fact[];
  /** Limit above which the least important facts are dropped. */
  mostFacts: number;
}

type Draft = Pick<FactDraft, "kind" | "text" | "status" | "identity" | "named">;

type Add = (draft: Draft) => void;

function* readMessage(reading: Reading, message: Message, turn: number): Generator<undefined, void> {
  const add: Add = (draft) => {
    const isOwned = draft.kind === "user-message" || (reading.isTalk && OWNED.has(draft.kind));
    const owner = isOwned ? nameOf(message) : undefined;
    const fact = makeFact({ ...draft, source: message.id, saidBy: message.role, turn, owner });
    if (fact !== undefined) addFact(reading.facts, fact);
  };
  if (message.name !== undefined) add({ kind: "participant", text: message.name });
  for (const part of message.parts) {
    if (part.type === "text") yield* readSpokenText(reading, { part, message, turn, add });
    else for (const statement of readToolPart(reading, part)) add(redacted(statement));
  }
  // The turns of a pasted transcript have the id of its message; only the first one is the user's.
  const words = reading.isTalk || message.id === reading.lastId ? "" : readUserWords(message);
  reading.lastId = message.id;
  if (words !== "") add(redacted({ kind: "user-message", text: words }));
  yield undefined;
  const names = yield* readNamesInSteps(message, reading.files);
  for (const name of names) {
    if (reading.isTalk ? !isTalkName(name.claim) : reading.isSpoken && name.claim.kind === "date") continue;
    add({ kind: "identifier", text: name.claim.text, identity: name.key, named: describeUse(name, reading.messages) });
  }
}

function nameOf({ name = "" }: Message): string | undefined {
  const label = name
    .slice(0, MAX_NAME_CHARACTERS)
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}:;()[\]<>"→]+/gu, " ")
    .trim();
  return label === "" ? undefined : label;
}

const MAX_NAME_CHARACTERS = 40;
/** Kinds whose owner is recorded in a conversation between people. */
const OWNED: ReadonlySet<FactKind> = new Set(["constraint", "goal", "decision", "definition", "open-item", "question"]);

function readToolPart(reading: Reading, part: Exclude<Part, TextPart>): readonly Draft[] {
  switch (part.type) {
    case "tool-call": {
      const command = findCommand(part);
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
function* readSpokenText(reading: Reading, { part: said, message, turn, add }: SpokenText): Generator<undefined, void> {
  const { role } = message;
  if (role === "system" || role === "tool") return;
  const part = role === "user" ? takeUserPart(said) : said;
  let room = MAX_STATEMENTS;
  const isDocument = role === "user" && part.text.length > MAX_TYPED_CHARACTERS;
  for (const sentences of reading.sentences.piecesOf(part)) {
    const isFirst = room === MAX_STATEMENTS;
    if (role === "user" && !reading.isTalk && isFirst) {
      readGoals(reading, sentences, { source: message.id, turn });
      // In a new process the first message takes longer, because its patterns are compiled.
      yield undefined;
    }
    const found = sentences
      .flatMap((sentence, place) => {
        if (role === "user" && !reading.isTalk && isChangeOfMind(sentence.text) && !sentence.isQuoted)
          return [{ kind: "decision" as const, text: firstWords(sentences.slice(place).map(({ text }) => text)) }];
        const before = sentences[place - 1]?.text;
        if (role === "user" && !reading.isTalk && before !== undefined && isAnswerToChange(sentence, before))
          return [{ kind: "decision" as const, text: sentence.text }];
        // The boxes of a long text belong to a template.
        return isDocument && sentence.box !== undefined ? [] : readStatements(sentence, message, reading.isTalk);
      })
      .slice(0, room);
    if (!reading.isTalk) noteHints(reading, sentences, { message, turn });
    for (const statement of found) noteStatement(reading, statement, { message, turn, add });
    room -= found.length;
    if (sentences.some(({ text, isFromSummary }) => isFromSummary !== true && isFailureReport(text)))
      dropLastDone(reading.facts, turn);
    if (room <= 0) return;
    if (part.text.length > PIECE_CHARACTERS) yield undefined;
  }
}

function noteHints(
  { hints }: Reading,
  sentences: readonly Sentence[],
  { message, turn }: Pick<SpokenText, "message" | "turn">,
): void {
  const isUser = message.role === "user";
  for (const { text, isQuoted, isFromSummary } of sentences) {
    if (isQuoted || isFromSummary === true || text.length > MAX_HINT_CHARACTERS) continue;
    const weight = isUser ? weighHint(text) : 0;
    const drafts: readonly Pick<FactDraft, "kind" | "status">[] = [
      ...(weight > 0 ? [{ kind: "decision" } as const] : []),
      ...(weight < 2 && isFinishedReport(text) ? [{ kind: "open-item", status: "done" } as const] : []),
    ];
    if (drafts.length === 0) continue;
    const said = { text: redactSecrets(text).text, source: message.id, saidBy: message.role, turn };
    for (const draft of drafts) {
      const hint = makeFact({ ...draft, ...said });
      if (hint !== undefined) hints.push(hint);
    }
    if (hints.length > 2 * MAX_HINTS) hints.splice(0, MAX_HINTS);
  }
}

const MAX_HINT_CHARACTERS = 200;

/** Returns true for "Memcached then." after "We won't use Redis anymore." */
function isAnswerToChange({ text, isQuoted }: Sentence, before: string): boolean {
  const isShort = !isQuoted && text.split(" ").length <= MAX_ANSWER_WORDS && /[.!]$/.test(text);
  return isShort && !isAgreement(text) && isChange(before) && !isGreeting(text);
}

const MAX_ANSWER_WORDS = 4;

/** Removes the last done item after a message such as "That did not work". */
function dropLastDone(facts: Map<string, Fact>, turn: number): void {
  const done = [...facts.values()].filter(
    ({ kind, status, lastTurn }) => kind === "open-item" && status === "done" && lastTurn >= turn - 1,
  );
  const last = done.at(-1);
  if (last === undefined) return;
  for (const { id, source } of done) if (source === last.source) facts.delete(id);
}

function readStatements(sentence: Sentence, { role, name }: Message, isTalk: boolean): readonly FactStatement[] {
  if (isTalk) return readTalkSentence(sentence, name);
  if (role === "user") return readUserSentence(sentence);
  const stated = readSentence(sentence);
  return isAnnouncement(sentence.text) ? stated.filter(({ status }) => status !== "open") : stated;
}

/** Adds a statement, and updates the goals if it sets or finishes one. */
function noteStatement(
  reading: Reading,
  statement: FactStatement,
  { message, turn, add }: Omit<SpokenText, "part">,
): void {
  const { kind, status } = statement;
  const text = reading.isTalk ? cleanSpokenSentence(statement.text) : statement.text;
  if (kind === "goal" && !reading.isTalk) reading.goals.setAim(text, { source: message.id, turn });
  else add(redacted({ ...statement, text }));
  if (status === "done" && message.role === "assistant") reading.goals.noteDone(text);
}

type GoalPlace = Parameters<GoalTracker["readUser"]>[1];

function readGoals({ goals }: Reading, sentences: readonly Sentence[], place: GoalPlace): void {
  const own = sentences.filter(({ isFromSummary }) => isFromSummary !== true);
  goals.readUser(
    own.map(({ text }) => text),
    place,
  );
}

function findRequestText(sentences: readonly string[]): string {
  const request = firstWords(sentences);
  return isGreeting(request) || isAgreement(request) || COMMAND.test(request) ? "" : request;
}

/** A command of the program that the user types in, such as "/model". */
const COMMAND = /^\/[\w:-]+$/;

/** Characters above which a message of the user is a document. */
const MAX_TYPED_CHARACTERS = 4_000;
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

function redacted<Some extends FactStatement | Draft>(statement: Some): Some {
  return { ...statement, text: redactSecrets(statement.text).text };
}
