/**
 * Reads the facts of a stretch by code: what the user demands, what is to do and what is done, what was decided, which
 * names were used, which commands ran and how they ended. The same messages give the same facts, in the order in which
 * they were first said, and the work is linear in their size.
 *
 * It goes by turns of phrase and by shapes, so it misses what is said between the lines; a summarizer may add to it,
 * and nothing it finds is taken away by one.
 */
import { groupTurns } from "../../message/group-turns.ts";
import type { CallId, Message, Part } from "../../message/message.ts";
import { finish } from "../../tokens/count-text.ts";
import { extractClaims } from "../claims/extract-claims.ts";
import type { Claim, Fact, FactSheet } from "../record.ts";
import { redactSecrets } from "../secrets/redact-secrets.ts";
import { addFact, limitFacts } from "./fact-list.ts";
import { readCommand, readErrors, readOutcome, readToolItems } from "./find-outcomes.ts";
import { readSentence, readUserSentence, type Statement } from "./find-statements.ts";
import { type FactDraft, makeFact } from "./make-fact.ts";
import { messageTexts } from "./message-texts.ts";
import { resolveItems } from "./resolve-items.ts";
import { splitSentences } from "./split-sentences.ts";

export function extractFacts(messages: readonly Message[]): FactSheet {
  return finish(extractFactsInSteps(messages));
}

/** Reads as `extractFacts` does, and yields after each message so that the caller can let others run. */
export function* extractFactsInSteps(messages: readonly Message[]): Generator<undefined, FactSheet> {
  const turns = groupTurns(messages);
  const reading: Reading = { facts: new Map(), commands: new Map(), hasGoal: false };
  for (const [turn, { items }] of turns.entries()) {
    for (const message of items) {
      readMessage(reading, message, turn);
      yield undefined;
    }
  }
  return { facts: limitFacts(resolveItems([...reading.facts.values()])), turns: turns.length };
}

interface Reading {
  readonly facts: Map<string, Fact>;
  /** Which command each call that waits for its result was made with. */
  readonly commands: Map<CallId, string>;
  hasGoal: boolean;
}

type Draft = Pick<FactDraft, "kind" | "text" | "status" | "identity">;

function readMessage(reading: Reading, message: Message, turn: number): void {
  const add = (draft: Draft): void => {
    const fact = makeFact({ ...draft, source: message.id, saidBy: message.role, turn });
    if (fact !== undefined) addFact(reading.facts, fact);
  };
  if (message.name !== undefined) add({ kind: "participant", text: message.name });
  for (const part of message.parts) for (const statement of readPart(reading, message, part)) add(redacted(statement));
  for (const claim of namesOf(message)) {
    add({ kind: "identifier", text: claim.text, identity: `${claim.kind}:${claim.keys[0]}` });
  }
}

/** Words of the system are instructions, which are not summarised. */
function readPart(reading: Reading, { role }: Message, part: Part): readonly Draft[] {
  switch (part.type) {
    case "text":
      return role === "system" || role === "tool" ? [] : readText(reading, redactSecrets(part.text).text, role);
    case "tool-call": {
      const command = readCommand(part);
      if (command !== undefined) reading.commands.set(part.callId, command);
      return readToolItems(part);
    }
    case "tool-result": {
      const command = reading.commands.get(part.callId);
      const outcome = command === undefined ? [] : [{ ...readOutcome(command, part), identity: command }];
      return [...outcome, ...readErrors(part)];
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

function readText(reading: Reading, text: string, role: "user" | "assistant"): readonly Draft[] {
  const sentences = splitSentences(text);
  const found = sentences.flatMap(role === "user" ? readUserSentence : readSentence);
  const request = role === "user" && !reading.hasGoal ? firstWords(sentences.map((sentence) => sentence.text)) : "";
  if (request === "") return found.slice(0, MOST_STATEMENTS);
  reading.hasGoal = true;
  return [{ kind: "goal", text: request }, ...found.slice(0, MOST_STATEMENTS)];
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
function namesOf(message: Message): readonly Claim[] {
  if (message.role === "system") return [];
  const { said, called, given, attached } = messageTexts(message);
  const texts = [...said.map((text) => text.slice(0, LONGEST_SAID)), ...called, ...given, ...attached].map(ends);
  const names = new Map<string, Claim>();
  for (const claim of texts.flatMap((text) => extractClaims(redactSecrets(text).text))) {
    const key = `${claim.kind}:${claim.keys[0]}`;
    if (isName(claim) && !names.has(key)) names.set(key, claim);
  }
  return [...names.values()];
}

const LONGEST_SAID = 200_000;
const END_CHARACTERS = 8_000;

function ends(text: string): string {
  if (text.length <= END_CHARACTERS * 2) return text;
  return `${text.slice(0, END_CHARACTERS)}\n${text.slice(-END_CHARACTERS)}`;
}

/** Small numbers and times say nothing by themselves. */
function isName({ kind, text }: Claim): boolean {
  if (kind === "time" || text.length > LONGEST_NAME_TEXT) return false;
  return kind !== "number" || (text.match(/\d/g)?.length ?? 0) >= 3;
}

const LONGEST_NAME_TEXT = 250;
