/**
 * Reads the facts of a stretch by code: what the user demands, what is to do and what is done, what was decided, which
 * names were used, which commands ran and how they ended. The same messages give the same facts, in the order in which
 * they were first said, names in that of their last use, and the work is linear in their size.
 *
 * It goes by turns of phrase and by shapes, so it misses what is said between the lines; a summarizer may add to it,
 * and nothing it finds is taken away by one.
 */
import { groupTurns } from "../../message/group-turns.ts";
import type { CallId, Message, Part, Role, TextPart, ToolResultPart } from "../../message/message.ts";
import { finish } from "../../tokens/count-text.ts";
import { extractClaims } from "../claims/extract-claims.ts";
import type { Claim, Fact, FactSheet } from "../record.ts";
import { redactSecrets } from "../secrets/redact-secrets.ts";
import { addFact, limitFacts } from "./fact-list.ts";
import { readCommand, readErrors, readOutcome, readToolItems } from "./find-outcomes.ts";
import { readSentence, readUserSentence, type Statement } from "./find-statements.ts";
import { type FactDraft, makeFact } from "./make-fact.ts";
import { messageTexts } from "./message-texts.ts";
import { readNotebookCall } from "./notebook-run.ts";
import { outputEnds, textEnds } from "./output-ends.ts";
import { resolveItems } from "./resolve-items.ts";
import { type Sentence, splitSentences } from "./split-sentences.ts";
import { batchTexts, textPieces } from "./text-pieces.ts";

export function extractFacts(messages: readonly Message[]): FactSheet {
  return finish(extractFactsInSteps(messages));
}

/** Reads as `extractFacts` does, and yields after each message, and within long ones, so that the caller can let others run. */
export function* extractFactsInSteps(
  messages: readonly Message[],
  onNames?: NameListener,
): Generator<undefined, FactSheet> {
  const turns = groupTurns(messages);
  const reading: Reading = { facts: new Map(), commands: new Map(), cells: new Map(), hasGoal: false };
  for (const [turn, { items }] of turns.entries()) {
    for (const message of items) {
      const names = yield* readMessage(reading, message, turn);
      onNames?.(message, names);
      yield undefined;
    }
  }
  return { facts: limitFacts(resolveItems([...reading.facts.values()])), turns: turns.length };
}

/** Told of the names that each message uses, each once. */
export type NameListener = (message: Message, names: readonly Claim[]) => void;

interface Reading {
  readonly facts: Map<string, Fact>;
  /** Which command each call that waits for its result was made with. */
  readonly commands: Map<CallId, string>;
  /** The same for cells of notebooks. */
  readonly cells: Map<CallId, string>;
  hasGoal: boolean;
}

type Draft = Pick<FactDraft, "kind" | "text" | "status" | "identity">;

type Add = (draft: Draft) => void;

function* readMessage(reading: Reading, message: Message, turn: number): Generator<undefined, readonly Claim[]> {
  const add: Add = (draft) => {
    const fact = makeFact({ ...draft, source: message.id, saidBy: message.role, turn });
    if (fact !== undefined) addFact(reading.facts, fact);
  };
  if (message.name !== undefined) add({ kind: "participant", text: message.name });
  for (const part of message.parts) {
    if (part.type === "text") yield* readText(reading, { text: part.text, role: message.role, add });
    else for (const statement of readToolPart(reading, part)) add(redacted(statement));
  }
  yield undefined;
  const names = yield* namesOf(message);
  for (const claim of names) {
    add({ kind: "identifier", text: claim.text, identity: `${claim.kind}:${claim.keys[0]}` });
  }
  return names;
}

function readToolPart(reading: Reading, part: Exclude<Part, TextPart>): readonly Draft[] {
  switch (part.type) {
    case "tool-call": {
      const command = readCommand(part);
      if (command !== undefined) reading.commands.set(part.callId, command);
      const notebook = readNotebookCall(part);
      if (notebook?.type === "run") reading.cells.set(part.callId, `${notebook.notebook} cell ${notebook.cell}`);
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

function readCell({ cells }: Reading, { callId, failed }: ToolResultPart): readonly Draft[] {
  const cell = cells.get(callId);
  if (cell === undefined) return [];
  return [{ kind: "notebook-cell", text: `${cell} → ${failed ? "failed" : "ran"}`, identity: cell }];
}

interface Spoken {
  readonly text: string;
  readonly role: Role;
  readonly add: Add;
}

/** Words of the system are instructions, which are not summarised. */
function* readText(reading: Reading, { text, role, add }: Spoken): Generator<undefined, void> {
  if (role === "system" || role === "tool") return;
  const state = { isFenced: false };
  let room = MOST_STATEMENTS;
  for (const piece of textPieces(text)) {
    const sentences = splitSentences(redactSecrets(piece).text, state);
    if (role === "user" && !reading.hasGoal) addGoal(reading, sentences, add);
    for (const statement of readStatements(sentences, { role, most: room })) {
      add(redacted(statement));
      room -= 1;
    }
    if (room <= 0) return;
    if (piece.length < text.length) yield undefined;
  }
}

function readStatements(
  sentences: readonly Sentence[],
  { role, most }: { readonly role: Role; readonly most: number },
): readonly Statement[] {
  const found: Statement[] = [];
  for (const sentence of sentences) {
    if (found.length >= most) break;
    found.push(...(role === "user" ? readUserSentence(sentence) : readSentence(sentence)));
  }
  return found.slice(0, most);
}

function addGoal(reading: Reading, sentences: readonly Sentence[], add: Add): void {
  const request = firstWords(sentences.map((sentence) => sentence.text));
  if (request === "") return;
  reading.hasGoal = true;
  add({ kind: "goal", text: redactSecrets(request).text });
}

/** A pasted document demands much, and not of us: only so much of one message is taken for the speaker's own. */
const MOST_STATEMENTS = 40;
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

/** Each name once a message. Of what tools gave back only the ends are read: the middle is bulk. */
function* namesOf(message: Message): Generator<undefined, readonly Claim[]> {
  if (message.role === "system") return [];
  const { said, called, given, attached } = messageTexts(message);
  const names = new Map<string, Claim>();
  let isFirst = true;
  const texts = [...said, called.join("\n"), given.join("\n"), attached.join("\n")];
  for (const batch of batchTexts(texts.map(textEnds))) {
    if (!isFirst) yield undefined;
    isFirst = false;
    const { text } = redactSecrets(batch);
    for (const claim of extractClaims(text)) {
      const key = `${claim.kind}:${claim.keys[0]}`;
      if (!names.has(key) && isName(claim) && !isTag(text, claim)) names.set(key, claim);
    }
  }
  return [...names.values()];
}

/** `</note>` is markup and no path. */
function isTag(text: string, { start }: Claim): boolean {
  return text.charAt(start - 1) === "<" && text.charAt(start) === "/";
}

/** Times, years and small numbers say nothing by themselves. */
function isName({ kind, text }: Claim): boolean {
  if (kind === "time" || text.length > LONGEST_NAME_TEXT || USELESS.test(text)) return false;
  return kind !== "number" || (text.match(/\d/g)?.length ?? 0) >= LEAST_DIGITS;
}

const LEAST_DIGITS = 5;

const LONGEST_NAME_TEXT = 250;
/** Options of commands, endings of files, single letters and the place for nothing: they lead nowhere. */
const USELESS = /^(?:--?[a-z][a-z-]*|\.[a-z]{1,4}|[/\\.~]*[a-z]?|\/dev\/null)$/i;
