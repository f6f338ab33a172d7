/** Pairs each tool result with its call, and reads which files a call accessed. */
import { isObject } from "../../check-value.ts";
import type { ViewMessage } from "../../log/view.ts";
import { canonicalJson, type JsonObject, type JsonValue } from "../../message/json.ts";
import type { ToolCallPart, ToolResultPart } from "../../message/message.ts";

/** Identifies one part of one message. Broken logs repeat messages, so the part object alone is not enough. */
export type PartPlace = `${number}/${number}`;

export interface ToolUse {
  readonly item: ViewMessage;
  readonly part: ToolResultPart;
  readonly place: PartPlace;
  readonly tool: string;
  readonly call: ToolCallPart | undefined;
}

/** Lists every result of the view, oldest first. */
export function findToolUses(messages: readonly ViewMessage[]): readonly ToolUse[] {
  const calls = new Map<string, ToolCallPart>();
  return messages.flatMap((item) =>
    item.message.parts.flatMap((part, partIndex): ToolUse[] => {
      if (part.type === "tool-call") calls.set(part.callId, part);
      if (part.type !== "tool-result") return [];
      const call = calls.get(part.callId);
      const tool = part.tool ?? call?.tool ?? "a tool";
      return [{ item, part, place: formatPartPlace(item, partIndex), tool, call }];
    }),
  );
}

export function formatPartPlace({ seq }: ViewMessage, partIndex: number): PartPlace {
  return `${seq}/${partIndex}`;
}

/** Splits a name into lower-case words: `readFile` and `read_file` both give `read` and `file`. */
export function splitName(name: string): readonly string[] {
  return name
    .split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/)
    .filter((word) => word !== "")
    .map((word) => word.toLowerCase());
}

/** The files that a call read or wrote, found from its tool's name and input alone. */
export interface FileAccess {
  readonly kind: "read" | "write";
  readonly paths: readonly string[];
  readonly lines: LineRange;
  /** The other arguments as JSON. Two reads with different arguments can have different results. */
  readonly rest: string;
}

export interface LineRange {
  readonly first: number;
  readonly last: number;
}

const READ_WORDS = new Set("read view cat open fetch get show load download browse visit".split(" "));
const WRITE_WORDS = new Set(
  "write edit create update patch replace insert append save delete remove rename move put modify undo".split(" "),
);
const PATH_KEYS = new Set([
  ...["path", "paths", "file", "files", "filename", "filenames", "filepath", "filepaths", "url", "urls", "uri"],
  ...["absolutepath", "relativepath", "notebookpath", "targetfile"],
]);
const FIRST_KEYS = new Set(["offset", "start", "startline", "linestart", "fromline"]);
const LAST_KEYS = new Set(["end", "endline", "lineend", "toline"]);
const RANGE_KEYS = new Set(["viewrange", "linerange", "range", "lines"]);
/** Arguments that only explain the call to people. */
const REMARK_KEYS = new Set(["description", "explanation"]);

export function findFileAccess(call: ToolCallPart | undefined): FileAccess | undefined {
  if (call === undefined || !isObject(call.input)) return undefined;
  const kind = readKind(call.tool, call.input);
  const paths = findPaths(call.input);
  if (kind === undefined || paths.length === 0) return undefined;
  return { kind, paths, ...readLinesAndRest(call.input) };
}

export function findPaths(input: JsonObject): readonly string[] {
  const found = Object.entries(input).flatMap(([key, value]): readonly string[] => {
    if (!PATH_KEYS.has(normalizeKey(key))) return [];
    if (!Array.isArray(value)) return typeof value === "string" ? [value] : [];
    return value.flatMap((item: JsonValue) => {
      if (typeof item === "string") return [item];
      return isObject(item) ? findPaths(item) : [];
    });
  });
  return [...new Set(found.map((path) => path.replace(/^(?:\.\/)+/, "")))].filter((path) => path !== "");
}

/** Some tools take a verb as an argument, which is more specific than their name. */
function readKind(tool: string, input: JsonObject): FileAccess["kind"] | undefined {
  const verb = [input.command, input.action, input.operation].find((value) => typeof value === "string");
  const said = typeof verb === "string" && /^\w+$/.test(verb) ? readKindFromWords(splitName(verb)) : undefined;
  return said ?? readKindFromWords(splitName(tool));
}

function readKindFromWords(words: readonly string[]): FileAccess["kind"] | undefined {
  if (words.some((word) => WRITE_WORDS.has(word))) return "write";
  return words.some((word) => READ_WORDS.has(word)) ? "read" : undefined;
}

function readLinesAndRest(input: JsonObject): Pick<FileAccess, "lines" | "rest"> {
  let [first, last, limit] = [1, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const rest: [string, unknown][] = [];
  for (const [key, value] of Object.entries(input)) {
    const plain = normalizeKey(key);
    if (PATH_KEYS.has(plain) || REMARK_KEYS.has(plain)) continue;
    const [start, end] = RANGE_KEYS.has(plain) && Array.isArray(value) ? value : [];
    if (typeof start === "number" && typeof end === "number") [first, last] = [start, end < 0 ? last : end];
    else if (typeof value !== "number") rest.push([key, value]);
    else if (FIRST_KEYS.has(plain)) first = value;
    else if (LAST_KEYS.has(plain)) last = value < 0 ? last : value;
    else if (plain === "limit") limit = value;
    else rest.push([key, value]);
  }
  return { lines: { first, last: Math.min(last, first + limit - 1) }, rest: canonicalJson(Object.fromEntries(rest)) };
}

function normalizeKey(key: string): string {
  return key.replace(/[_-]/g, "").toLowerCase();
}
