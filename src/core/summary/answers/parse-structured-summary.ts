/**
 * Parses a structured summary from a model's answer: JSON alone, in a code fence, or inside prose, in the current or an
 * older shape. Does not repair JSON that is cut off. A failure has the path of the fault, and the narrative if it is
 * readable.
 */
import { type Fields, isObject, pathOf } from "../../check-value.ts";
import { takeHead } from "../../message/whole-text.ts";
import type { ActionItem } from "../record/record.ts";
import { redactSecrets } from "../secrets/redact-secrets.ts";
import {
  ACTION_ITEMS_LIMIT,
  CONTEXT_LIMITS,
  type ContextList,
  KEY_POINTS_LIMIT,
  type ListLimit,
  OWNER_LIMIT,
  SUMMARY_LIMIT,
  type TextLimit,
} from "../strategies/structured.ts";
import { stripScratchpad } from "./clean-answer.ts";
import { parseJsonOrUndefined } from "./recognize-answer.ts";

export type StructuredActionItem = Omit<ActionItem, "status">;

export interface StructuredContext extends Readonly<Record<ContextList, readonly string[]>> {
  readonly actionItems: readonly StructuredActionItem[];
}

export interface StructuredSummary {
  readonly summary: string;
  readonly keyPoints: readonly string[];
  readonly context: StructuredContext;
}

export type StructuredOutcome =
  | { readonly type: "ok"; readonly value: StructuredSummary }
  | {
      readonly type: "malformed";
      readonly reason: string;
      /** The start of the answer, safe to log. */
      readonly excerpt: string;
      /** The summary's text if only its lists are invalid, or the whole answer if it is prose. */
      readonly narrative?: string | undefined;
      readonly isProse?: true | undefined;
    };

export const EXCERPT_CHARACTERS = 200;

const MAX_ANSWER_CHARACTERS = 1_000_000;
const MAX_OBJECTS = 20;

export function parseStructuredSummary(answer: string): StructuredOutcome {
  const read = readAnswer(answer);
  if ("summary" in read) return { type: "ok", value: read };
  return { type: "malformed", ...read, excerpt: excerptOf(answer) };
}

interface Flaw {
  readonly reason: string;
  readonly narrative?: string | undefined;
  readonly isProse?: true | undefined;
}

function readAnswer(answer: string): StructuredSummary | Flaw {
  if (answer.length > MAX_ANSWER_CHARACTERS)
    return { reason: `the answer has ${answer.length} characters, and at most ${MAX_ANSWER_CHARACTERS} are read` };
  const { text } = stripScratchpad(answer);
  if (text.trim() === "") return { reason: "the answer is empty" };
  const { objects, isCutOff } = findObjects(text);
  // The last of several drafts is the final version.
  const decoded = isCutOff ? [] : objects.slice(-MAX_OBJECTS).map(decodeObject);
  const whole = decoded.findLast((one) => "summary" in one);
  if (whole !== undefined) return whole;
  if (!isMeantAsJson(text)) return { reason: "the answer has no JSON object", narrative: answer, isProse: true };
  return decoded.at(-1) ?? { reason: isCutOff ? "the JSON is cut off" : "the JSON is invalid" };
}

/** Distinguishes JSON from prose with braces: JSON begins with a brace or bracket, or has the field `summary`. */
function isMeantAsJson(text: string): boolean {
  return /^\s*(?:```\w*\s*)?[[{]/.test(text) || /"summary"\s*:/.test(text);
}

/** Finds the outermost objects of a text in one pass. Quotes count only inside an object. */
function findObjects(text: string): { readonly objects: readonly string[]; readonly isCutOff: boolean } {
  const objects: string[] = [];
  let place = 0;
  for (;;) {
    const start = text.indexOf("{", place);
    if (start < 0) return { objects, isCutOff: false };
    const end = findObjectEnd(text, start);
    if (end === undefined) return { objects, isCutOff: true };
    objects.push(text.slice(start, end));
    place = end;
  }
}

function findObjectEnd(text: string, start: number): number | undefined {
  let depth = 0;
  let isQuoted = false;
  for (let index = start; index < text.length; index += 1) {
    const character = text[index];
    if (isQuoted && character === "\\") index += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && character === "{") depth += 1;
    else if (!isQuoted && character === "}") depth -= 1;
    if (depth === 0) return index + 1;
  }
  return undefined;
}

function decodeObject(text: string): StructuredSummary | Flaw {
  const value = parseJsonOrUndefined(text);
  if (!isObject(value)) return { reason: "the JSON is invalid" };
  return catchFault(
    () => decodeSummary(value),
    (reason) => ({
      reason,
      narrative: catchFault(
        () => decodeNarrative(value),
        () => undefined,
      ),
    }),
  );
}

function catchFault<Value, Other>(decode: () => Value, otherwise: (reason: string) => Other): Value | Other {
  try {
    return decode();
  } catch (error) {
    if (error instanceof Fault) return otherwise(error.message);
    throw error;
  }
}

/** Thrown and caught inside this file only. */
class Fault extends Error {
  constructor(path: string, expected: string) {
    super(`${path}: expected ${expected}`);
  }
}

function decodeSummary(value: Fields): StructuredSummary {
  const summary = decodeNarrative(value);
  const keyPoints = decodeTexts(findSpelledField(value, "keyPoints"), { ...KEY_POINTS_LIMIT, path: "keyPoints" });
  return { summary, keyPoints, context: decodeContext(value) };
}

function decodeNarrative(value: Fields): string {
  return decodeLimitedText(findSpelledField(value, "summary"), { ...SUMMARY_LIMIT, path: "summary" });
}

function decodeContext(value: Fields): StructuredContext {
  const context = findSpelledField(value, "context") ?? {};
  if (!isObject(context)) throw new Fault("context", "an object");
  const find = (name: string): unknown => findSpelledField(context, name) ?? findSpelledField(value, name);
  const list = (name: ContextList): readonly string[] =>
    decodeTexts(find(name), { ...CONTEXT_LIMITS[name], path: pathOf("context", name) });
  return {
    participants: list("participants"),
    decisions: list("decisions"),
    actionItems: decodeActionItems(find("actionItems")),
    unresolved: list("unresolved"),
    domainEntities: list("domainEntities"),
  };
}

/** Returns a field by its name or by the same name in snake case. */
function findSpelledField(value: Fields, name: string): unknown {
  const spelled = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const key = [name, spelled].find((candidate) => Object.hasOwn(value, candidate));
  return key === undefined || value[key] === null ? undefined : value[key];
}

function decodeLimitedText(value: unknown, { path, maxCharacters }: TextLimit & { readonly path: string }): string {
  const text = typeof value === "string" ? value.trim() : undefined;
  if (text === undefined || text === "" || text.length > maxCharacters) {
    throw new Fault(path, `a text of 1 to ${maxCharacters} characters, got ${describeSize(value)}`);
  }
  return text;
}

function decodeList(value: unknown, { path, maxItems }: ListLimit & { readonly path: string }): readonly unknown[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new Fault(path, `an array, got ${describeSize(value)}`);
  if (value.length > maxItems) throw new Fault(path, `at most ${maxItems} items, got ${value.length}`);
  return value;
}

function decodeTexts(value: unknown, limit: ListLimit & { readonly path: string }): readonly string[] {
  return decodeList(value, limit).map((item, index) =>
    decodeLimitedText(item, { ...limit, path: pathOf(limit.path, index) }),
  );
}

function decodeActionItems(value: unknown): readonly StructuredActionItem[] {
  const limit = { ...ACTION_ITEMS_LIMIT, path: "context.actionItems" };
  return decodeList(value, limit).map((item, index) => decodeActionItem(item, pathOf(limit.path, index)));
}

function decodeActionItem(value: unknown, path: string): StructuredActionItem {
  const fields = typeof value === "string" ? { task: value } : value;
  if (!isObject(fields)) throw new Fault(path, `an object, got ${describeSize(value)}`);
  const task = decodeLimitedText(findSpelledField(fields, "task"), {
    ...ACTION_ITEMS_LIMIT,
    path: pathOf(path, "task"),
  });
  const owner = findText(findSpelledField(fields, "owner"), pathOf(path, "owner"));
  const due = findText(findSpelledField(fields, "due"), pathOf(path, "due"));
  return { task, ...(owner === undefined ? {} : { owner }), ...(due === undefined ? {} : { due }) };
}

/** Returns undefined for null and an empty text. */
function findText(value: unknown, path: string): string | undefined {
  const isAbsent = value === undefined || (typeof value === "string" && value.trim() === "");
  return isAbsent ? undefined : decodeLimitedText(value, { ...OWNER_LIMIT, path });
}

/** Returns the kind and the size of a value, never its content. */
function describeSize(value: unknown): string {
  if (typeof value === "string") return `${value.trim().length} characters`;
  if (Array.isArray(value)) return `an array of ${value.length}`;
  return value === undefined || value === null ? "nothing" : `a ${typeof value}`;
}

/** Long enough that a secret at the end of the excerpt is redacted before it is cut. */
const REDACTED_CHARACTERS = 20 * EXCERPT_CHARACTERS;

export function excerptOf(answer: string): string {
  const safe = redactSecrets(takeHead(answer, REDACTED_CHARACTERS)).text;
  const line = safe.replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, () => " ").trim();
  return takeHead(line, EXCERPT_CHARACTERS);
}
