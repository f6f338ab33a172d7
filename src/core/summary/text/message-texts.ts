/** Returns the texts of a message by kind: user and assistant text, tool inputs, tool outputs. */

import { chooseFailureLines, findFailureLines } from "../../message/failure-lines.ts";
import type { JsonObject, JsonValue } from "../../message/json.ts";
import { FormCache } from "../../message/known-forms.ts";
import type { Message, Part, TextPart, ToolOutput } from "../../message/message.ts";
import { outputText } from "../../message/message-text.ts";

export interface MessageTexts {
  readonly spoken: readonly string[];
  readonly reasoning: readonly string[];
  readonly inputs: readonly string[];
  /** Names of tools, and field names of their inputs and outputs. */
  readonly labels: readonly string[];
  readonly outputs: readonly string[];
  readonly attached: readonly string[];
}

export function messageTexts(message: Message): MessageTexts {
  const texts = { spoken: [], reasoning: [], inputs: [], labels: [], outputs: [], attached: [] } as Record<
    keyof MessageTexts,
    string[]
  >;
  for (const part of message.parts) addPartText(texts, part);
  return texts;
}

function addPartText(texts: Record<keyof MessageTexts, string[]>, part: Part): void {
  switch (part.type) {
    case "text":
      texts.spoken.push(part.text);
      return;
    case "reasoning":
      texts.reasoning.push(part.text);
      return;
    case "tool-call":
      texts.labels.push(part.tool);
      addValue(part.input, texts.inputs, texts.labels);
      return;
    case "tool-result":
      if (part.tool !== undefined) texts.labels.push(part.tool);
      addOutput(texts, part.output);
      return;
    case "image":
    case "file":
      if (part.source.type === "url") texts.attached.push(part.source.url);
      if (part.type === "file" && part.name !== undefined) texts.attached.push(part.name);
      return;
    case "source":
      texts.attached.push(...[part.url, part.title, part.name].filter((text) => text !== undefined));
      return;
    case "unknown":
      addValue(part.value, texts.attached);
      return;
    default:
      part satisfies never;
  }
}

function addOutput(texts: Record<keyof MessageTexts, string[]>, output: ToolOutput): void {
  if (output.type === "text") texts.outputs.push(output.text);
  else if (output.type === "json") addValue(output.value, texts.outputs, texts.labels);
  else for (const part of output.parts) if (part.type === "text") texts.outputs.push(part.text);
}

/** Uses neither recursion nor spreading, because a large value would overflow the stack. */
function addValue(root: JsonValue, leaves: string[], keys?: string[]): void {
  const open: (readonly JsonValue[] | JsonObject)[] = [];
  const visit = (value: JsonValue | undefined): void => {
    if (typeof value === "string") leaves.push(value);
    else if (typeof value === "number") leaves.push(String(value));
    else if (typeof value === "object" && value !== null) open.push(value);
  };
  visit(root);
  for (let index = 0; index < open.length; index += 1) {
    const value = open[index] ?? [];
    for (const [key, field] of Object.entries(value)) {
      if (!Array.isArray(value)) keys?.push(key);
      visit(field);
    }
  }
}

const END_CHARACTERS = 8_000;
const FAILURE_CHARACTERS = 2_000;

/** Caches the ends of an output, which several readers need. */
const endsByOutput = new WeakMap<ToolOutput, string>();

export function outputEnds(output: ToolOutput): string {
  const known = endsByOutput.get(output);
  if (known !== undefined) return known;
  const ends = takeEndsAndFailures(outputText(output));
  endsByOutput.set(output, ends);
  return ends;
}

/** Returns the ends of a text, and the lines about failures between them. */
export function takeEndsAndFailures(text: string): string {
  const [head, tail] = splitEnds(text, END_CHARACTERS);
  if (tail === undefined) return text;
  const lines = findFailureLines(text).filter(
    ({ start, end }) => end > END_CHARACTERS && start < text.length - END_CHARACTERS,
  );
  const failures = chooseFailureLines(text, lines, FAILURE_CHARACTERS).map(([start, end]) => text.slice(start, end));
  return [head, ...failures, tail].join("\n");
}

/** Returns the beginning and the end of a text, each cut between words. */
export function takeTextEnds(text: string, characters: number): string {
  return splitEnds(text, characters).join("\n");
}

function splitEnds(text: string, characters: number): readonly [head: string, tail?: string] {
  if (text.length <= characters * 2) return [text];
  const head = text.slice(0, characters);
  const tail = text.slice(-characters);
  const headEnd = Math.max(head.lastIndexOf(" "), head.lastIndexOf("\n"));
  const tailStart = tail.search(/\s/);
  return [headEnd > 0 ? head.slice(0, headEnd) : head, tailStart > 0 ? tail.slice(tailStart) : tail];
}

/** Tags of two or more words, which HTML seldom has: `<system-reminder>`, `<ide_selection>`. */
const OPENING = /^<([a-z]+(?:[-_][a-z]+)+)>/;
const CLOSING = /<\/([a-z]+(?:[-_][a-z]+)+)>$/;
const MAX_TAG_CHARACTERS = 60;
/** The arguments of a command, which the user wrote. */
const OWN_TAG = "command-args";
const SAID_BY_PROGRAM = /^(?:\[Request interrupted[^\]\n]{0,80}\]$|Base directory for this skill: )/;
const MAX_BLOCKS = 100;

/**
 * Returns the part of a user message that the user wrote. Removes reminders and command output that programs add in
 * tags or after fixed words, only at either end, because tags inside a sentence are code.
 */
export function takeUserText(text: string): string {
  let own = text.trim();
  if (SAID_BY_PROGRAM.test(own)) return "";
  const kept: string[] = [];
  for (let block = 0; block < MAX_BLOCKS; block += 1) {
    const left = withoutFirst(own, kept) ?? withoutLast(own);
    if (left === undefined) break;
    own = left.trim();
  }
  if (kept.length === 0 && own.length === text.trim().length) return text;
  return [...kept, own].filter((piece) => piece !== "").join("\n");
}

function withoutFirst(text: string, kept: string[]): string | undefined {
  const [opening, tag = ""] = OPENING.exec(text.slice(0, MAX_TAG_CHARACTERS)) ?? [];
  if (opening === undefined) return undefined;
  const end = text.indexOf(`</${tag}>`);
  if (end < 0) return undefined;
  const inside = text.slice(opening.length, end).trim();
  if (tag === OWN_TAG && inside !== "") kept.push(inside);
  return text.slice(end + tag.length + 3);
}

function withoutLast(text: string): string | undefined {
  const tag = CLOSING.exec(text.slice(-MAX_TAG_CHARACTERS))?.[1];
  const start = tag === undefined ? -1 : text.lastIndexOf(`<${tag}>`);
  return start < 0 ? undefined : text.slice(0, start);
}

/** Returns the same object for the same part, because other caches use it as a key. */
const known = new FormCache<TextPart>();

export function takeUserPart(part: TextPart): TextPart {
  const before = known.get(part);
  if (before !== undefined) return before;
  const text = takeUserText(part.text);
  const own = text === part.text ? part : { ...part, text };
  known.set(part, own);
  return own;
}
