/**
 * A unit: the messages between two places where a topic could begin, stored as weighted words, files, tools and times.
 * It begins with a user message, or with an assistant's text in a turn without tools, so no topic begins inside a round
 * or inside the work on one request.
 */
import { findSubjectFields } from "../language/thesaurus.ts";
import { termsOf } from "../language/words.ts";
import type { JsonValue } from "../message/json.ts";
import { hasOnlyThinking, type Message, type Part } from "../message/message.ts";
import { outputText } from "../message/message-text.ts";
import { findCue, type TopicCue, type Traits, traitsOf } from "./turn-traits.ts";

export interface TopicUnit {
  /** Index of its first message. */
  readonly index: number;
  readonly cue: TopicCue | undefined;
  /** Traits of its first message. */
  readonly traits: Traits;
  readonly workType: WorkType | undefined;
  /** Number of words in its first message, function words included. */
  readonly words: number;
  /** The terms of its first message. */
  readonly opening: ReadonlySet<string>;
  readonly terms: Map<string, number>;
  /** Weight of the terms in each subject field. */
  readonly fields: Map<number, number>;
  readonly files: Set<string>;
  readonly tools: Set<string>;
  readonly startedAt: number | undefined;
  endedAt: number | undefined;
}

const SPOKEN_CHARACTERS = 2_000;
const TOOL_CHARACTERS = 400;
const MAX_TERMS = 250;
const MAX_FILES = 60;
const MAX_TOOLS = 40;
const SPOKEN_WEIGHT = 1;
const TOOL_WEIGHT = 0.3;
const DEEPEST_INPUT = 3;
const MAX_VALUES = 20;
const FILE = /[\w.@~-]*(?:\/[\w.@-]+)+|\b[\w-]+\.[a-z][a-z0-9]{0,4}\b/gi;

export function startsUnit(
  message: Message,
  before: { readonly message: Message | undefined; readonly usedTools: boolean },
): boolean {
  if (before.message === undefined || message.role === "user") return true;
  if (message.role !== "assistant" || before.usedTools || hasOnlyThinking(before.message)) return false;
  return message.parts.some(isSpoken) && !message.parts.some(isTool);
}

export function usesTools({ parts }: Message): boolean {
  return parts.some(isTool);
}

export function createUnit(message: Message, index: number): TopicUnit {
  const text = spokenText(message);
  const unit: TopicUnit = {
    index,
    cue: findCue(text),
    traits: traitsOf(text),
    workType: findWorkType(text),
    words: countSpacedWords(text),
    opening: new Set(topicTerms(text)),
    terms: new Map(),
    fields: new Map(),
    files: new Set(),
    tools: new Set(),
    startedAt: timeOf(message),
    endedAt: undefined,
  };
  addToUnit(unit, message);
  return unit;
}

export function addToUnit(unit: TopicUnit, message: Message): void {
  unit.endedAt = timeOf(message) ?? unit.endedAt;
  addText(unit, spokenText(message), SPOKEN_WEIGHT);
  for (const part of message.parts) addPartTerms(unit, part);
}

function addPartTerms(unit: TopicUnit, part: Part): void {
  if (part.type === "tool-call") {
    if (unit.tools.size < MAX_TOOLS) unit.tools.add(part.tool.slice(0, TOOL_CHARACTERS).toLowerCase());
    for (const text of textsIn(part.input)) addText(unit, text.slice(0, TOOL_CHARACTERS), TOOL_WEIGHT);
  } else if (part.type === "tool-result") {
    addTextTerms(unit, outputText(part.output).slice(0, TOOL_CHARACTERS), TOOL_WEIGHT);
  }
}

function addText(unit: TopicUnit, text: string, weight: number): void {
  addTextTerms(unit, text, weight);
  for (const [file] of text.matchAll(FILE)) {
    if (unit.files.size < MAX_FILES) unit.files.add(file.toLowerCase());
  }
}

function addTextTerms(unit: TopicUnit, text: string, weight: number): void {
  for (const term of topicTerms(text)) {
    const known = unit.terms.get(term);
    if (known === undefined && unit.terms.size >= MAX_TERMS) continue;
    unit.terms.set(term, (known ?? 0) + weight);
    if (known === undefined) addFields(unit, term, weight);
  }
}

/** Ignores numbers with one or two digits, which do not indicate a topic. */
function topicTerms(text: string): readonly string[] {
  return termsOf(text).filter((term) => !/^\d{1,2}$/.test(term));
}

function addFields({ fields }: TopicUnit, term: string, weight: number): void {
  const found = findSubjectFields(term);
  for (const field of found) fields.set(field, (fields.get(field) ?? 0) + weight / found.size);
}

function countSpacedWords(text: string): number {
  let words = 0;
  for (const _ of text.matchAll(/\S+/g)) words += 1;
  return words;
}

/** Returns the strings in a tool's input, up to `DEEPEST_INPUT` levels. */
function textsIn(value: JsonValue, depth = 0): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null || depth >= DEEPEST_INPUT) return [];
  return Object.values(value)
    .slice(0, MAX_VALUES)
    .flatMap((inner) => (inner === undefined ? [] : textsIn(inner, depth + 1)));
}

function spokenText({ parts }: Message): string {
  let text = "";
  for (const part of parts) {
    if (part.type === "text" && text.length < SPOKEN_CHARACTERS) text += `${part.text.slice(0, SPOKEN_CHARACTERS)}\n`;
  }
  return text.slice(0, SPOKEN_CHARACTERS);
}

function timeOf({ saidAt }: Message): number | undefined {
  return saidAt !== undefined && Number.isFinite(saidAt) ? saidAt : undefined;
}

function isSpoken(part: Part): boolean {
  return part.type === "text" && part.text.trim() !== "";
}

function isTool(part: Part): boolean {
  return part.type === "tool-call" || part.type === "tool-result";
}

/** The kind of work that a request asks for. A change is weak evidence for a new topic: tests often follow a build. */
export type WorkType = "fix" | "build" | "test" | "write" | "review" | "ship" | "explain";

const OPENING_CHARACTERS = 160;

const PATTERNS: readonly (readonly [WorkType, RegExp])[] = [
  ["fix", /\b(?:fix|bug|broken|crash(?:es|ed)?|fails?|failing|error|wrong|debug|repair|regression|kaputt|fehler)\b/u],
  ["test", /\b(?:tests?|testing|coverage|benchmark|measure)\b/u],
  ["write", /\b(?:readme|docs?|documentation|changelog|release notes|write[- ]?up|blog|translate)\b/u],
  ["review", /\b(?:review|refactor|clean ?up|simplify|rename|audit|lint)\b/u],
  ["ship", /\b(?:commit|push|merge|rebase|deploy|release|publish|pull request)\b/u],
  ["build", /\b(?:add|build|create|implement|make|introduce|support|new feature|set up|design)\b/u],
  ["explain", /\b(?:explain|why|how does|what does|where is|tell me|show me)\b/u],
];

export function findWorkType(text: string): WorkType | undefined {
  const opening = text.slice(0, OPENING_CHARACTERS).toLowerCase();
  return PATTERNS.find(([, pattern]) => pattern.test(opening))?.[0];
}
