/**
 * What a call did to which files, told from its tool's name and its input alone, for tools of any make: a verb in the
 * name, paths under the usual keys, and the lines that were asked for. A call that leaves any doubt is no access.
 */
import { canonicalJson } from "../../message/canonical-json.ts";
import type { JsonObject, JsonValue } from "../../message/json.ts";
import type { ToolCallPart } from "../../message/message.ts";
import { nameWords } from "./tool-use.ts";

export interface FileAccess {
  readonly kind: "read" | "write";
  readonly paths: readonly string[];
  readonly lines: LineRange;
  /** What else was asked: the same page read for another question gives another answer. */
  readonly rest: string;
}

export interface LineRange {
  readonly first: number;
  readonly last: number;
}

const READING = new Set("read view cat open fetch get show load download browse visit".split(" "));
const WRITING = new Set(
  "write edit create update patch replace insert append save delete remove rename move put modify undo".split(" "),
);
const PATH_KEYS = new Set([
  ...["path", "paths", "file", "files", "filename", "filenames", "filepath", "filepaths", "url", "urls", "uri"],
  ...["absolutepath", "relativepath", "notebookpath", "targetfile"],
]);
const FIRST_KEYS = new Set(["offset", "start", "startline", "linestart", "fromline"]);
const LAST_KEYS = new Set(["end", "endline", "lineend", "toline"]);
const RANGE_KEYS = new Set(["viewrange", "linerange", "range", "lines"]);
/** Words to the reader of the call, not to the tool. */
const REMARK_KEYS = new Set(["description", "explanation"]);

export function findFileAccess(call: ToolCallPart | undefined): FileAccess | undefined {
  if (call === undefined || !isObject(call.input)) return undefined;
  const kind = kindOf(call.tool, call.input);
  const paths = findPaths(call.input);
  if (kind === undefined || paths.length === 0) return undefined;
  return { kind, paths, ...linesAndRest(call.input) };
}

/** The files and pages that an input names, as it names them. */
export function findPaths(input: JsonObject): readonly string[] {
  const found = Object.entries(input).flatMap(([key, value]): readonly string[] => {
    if (!PATH_KEYS.has(plainKey(key))) return [];
    if (!Array.isArray(value)) return typeof value === "string" ? [value] : [];
    return value.flatMap((item: JsonValue) => {
      if (typeof item === "string") return [item];
      return isObject(item) ? findPaths(item) : [];
    });
  });
  return [...new Set(found.map((path) => path.replace(/^(?:\.\/)+/, "")))].filter((path) => path !== "");
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Some tools take what to do as a word of their input; it says more than their name. */
function kindOf(tool: string, input: JsonObject): FileAccess["kind"] | undefined {
  const verb = [input.command, input.action, input.operation].find((value) => typeof value === "string");
  const said = typeof verb === "string" && /^\w+$/.test(verb) ? kindOfWords(nameWords(verb)) : undefined;
  return said ?? kindOfWords(nameWords(tool));
}

function kindOfWords(words: readonly string[]): FileAccess["kind"] | undefined {
  if (words.some((word) => WRITING.has(word))) return "write";
  return words.some((word) => READING.has(word)) ? "read" : undefined;
}

function linesAndRest(input: JsonObject): Pick<FileAccess, "lines" | "rest"> {
  let [first, last, limit] = [1, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const rest: [string, unknown][] = [];
  for (const [key, value] of Object.entries(input)) {
    const plain = plainKey(key);
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

function plainKey(key: string): string {
  return key.replace(/[_-]/g, "").toLowerCase();
}
