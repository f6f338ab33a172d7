/**
 * Writes a progress note by code: files created and edited, builds, tool counts, and the first sentences of the
 * assistant. Quotes no tool output, and lists no file of a failed or pending call. The same messages give the same
 * note.
 */
import { isObject } from "../../core/check-value.ts";
import type { JsonValue } from "../../core/message/json.ts";
import type { Message, ToolCallPart, ToolResultPart } from "../../core/message/message.ts";
import { takeHead } from "../../core/message/whole-text.ts";
import { findCommand, readExit, splitToolName } from "../../core/summary/read/tool-use.ts";
import { splitSentences } from "../../core/summary/text/split-sentences.ts";

const MAX_SENTENCES = 5;
const MAX_SENTENCE_CHARACTERS = 200;
const MAX_NAMES = 20;
const MAX_NAME_CHARACTERS = 200;

const READING = new Set("read view cat open show load".split(" "));
const CREATING = new Set("write create save put".split(" "));
const EDITING = new Set("edit update patch replace insert append modify".split(" "));
const PATH_KEYS = new Set(["path", "file", "filename", "filepath", "targetfile", "notebookpath"]);
const BUILD = /\b(?:build|compile|tsc|make|cargo|gradle|mvn|typecheck)\b/i;

interface ToolUse {
  readonly call: ToolCallPart;
  readonly result: ToolResultPart | undefined;
}

/** Returns undefined if no tool is called, or tools only read. */
export function writeProgressNote(messages: readonly Message[]): string | undefined {
  const uses = pairUses(messages);
  const counts = countTools(uses);
  if (counts.length === 0) return undefined;
  const { created, edited } = findFiles(uses);
  const lines = [
    "[Progress so far]",
    ...listUnderTitle("Files created", created),
    ...listUnderTitle("Files edited", edited),
    ...describeBuilds(uses),
    ...listUnderTitle("Tools used", counts),
    ...listUnderTitle("Said", firstSentences(messages), " "),
  ];
  return lines.join("\n");
}

function pairUses(messages: readonly Message[]): readonly ToolUse[] {
  const parts = messages.flatMap((message) => message.parts);
  const results = new Map(parts.flatMap((part) => (part.type === "tool-result" ? [[part.callId, part] as const] : [])));
  return parts.flatMap((part) => (part.type === "tool-call" ? [{ call: part, result: results.get(part.callId) }] : []));
}

function findFiles(uses: readonly ToolUse[]): {
  readonly created: readonly string[];
  readonly edited: readonly string[];
} {
  const known = new Set<string>();
  const [created, edited] = [new Set<string>(), new Set<string>()];
  for (const { call, result } of uses) {
    if (result === undefined || result.failed) continue;
    const words = splitToolName(call.tool);
    const isEdit = words.some((word) => EDITING.has(word));
    const isWrite = words.some((word) => CREATING.has(word));
    for (const path of findPaths(call.input)) {
      if ((isEdit || (isWrite && known.has(path))) && !created.has(path)) edited.add(path);
      else if (isWrite && !known.has(path)) created.add(path);
      known.add(path);
    }
  }
  return { created: [...created], edited: [...edited] };
}

const DEEPEST = 3;

function findPaths(input: JsonValue | undefined, depth = 0): readonly string[] {
  if (depth > DEEPEST) return [];
  if (Array.isArray(input)) return input.flatMap((item) => findPaths(item, depth + 1));
  if (!isObject(input)) return [];
  return Object.entries(input).flatMap(([key, value]): readonly string[] => {
    if (typeof value !== "string") return findPaths(value, depth + 1);
    const isPath = PATH_KEYS.has(key.replace(/[_-]/g, "").toLowerCase());
    return isPath && value.trim() !== "" ? [value.replace(/^(?:\.\/)+/, "")] : [];
  });
}

/** Counts tools in the order of first use, without those that only read. */
function countTools(uses: readonly ToolUse[]): readonly string[] {
  const doing = uses.filter(({ call }) => !isReading(call.tool));
  const byTool = Map.groupBy(doing, ({ call }) => call.tool);
  return [...byTool].map(([tool, calls]) => `${tool} ${calls.length}`);
}

function isReading(tool: string): boolean {
  const words = splitToolName(tool);
  return words.some((word) => READING.has(word)) && !words.some((word) => CREATING.has(word) || EDITING.has(word));
}

function describeBuilds(uses: readonly ToolUse[]): readonly string[] {
  const builds = uses.filter(({ call }) => BUILD.test(findCommand(call) ?? splitToolName(call.tool).join(" ")));
  const last = builds.at(-1);
  return last === undefined ? [] : [`Build attempts: ${builds.length}, the last ${describeResult(last.result)}`];
}

function describeResult(result: ToolResultPart | undefined): string {
  if (result === undefined) return "is still running";
  const exit = readExit(result);
  const isFailure = result.failed || (exit !== undefined && Number(exit) !== 0);
  const end = isFailure ? "failed" : "succeeded";
  return exit === undefined ? end : `${end} (exit ${exit})`;
}

function firstSentences(messages: readonly Message[]): readonly string[] {
  const said = messages.filter(({ role }) => role === "assistant").flatMap(({ parts }) => parts);
  const firsts = said.flatMap((part) => {
    const first = part.type === "text" ? splitSentences(part.text).find(({ isQuoted }) => !isQuoted) : undefined;
    return first === undefined ? [] : [takeHead(first.text, MAX_SENTENCE_CHARACTERS)];
  });
  return firsts.slice(-MAX_SENTENCES);
}

function listUnderTitle(title: string, names: readonly string[], separator = ", "): readonly string[] {
  if (names.length === 0) return [];
  const shown = names.slice(0, MAX_NAMES).map((name) => takeHead(name.replaceAll(/\s+/gu, " "), MAX_NAME_CHARACTERS));
  const more = names.length > MAX_NAMES ? [`and ${names.length - MAX_NAMES} more`] : [];
  return [`${title}: ${[...shown, ...more].join(separator)}`];
}
