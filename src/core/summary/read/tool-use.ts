/** Reads actions and outcomes of tools: commands, errors, to-do items. Treats output as data, not instructions. */
import { isObject } from "../../check-value.ts";
import { listWords } from "../../language/list-words.ts";
import type { JsonValue } from "../../message/json.ts";
import type { ToolCallPart, ToolResultPart } from "../../message/message.ts";
import { extractClaims } from "../claims/extract-claims.ts";
import { outputEnds } from "../text/message-texts.ts";
import type { FactStatement } from "./find-statements.ts";

export function findCommand(call: ToolCallPart): string | undefined {
  const { input } = call;
  if (!isObject(input)) return undefined;
  const value = input.command ?? input.cmd ?? input.script;
  const line = Array.isArray(value) ? value.filter((word) => typeof word === "string").join(" ") : value;
  return typeof line === "string" && line.trim() !== "" ? firstLine(line) : undefined;
}

export function readOutcome(command: string, result: ToolResultPart, ends = outputEnds(result.output)): FactStatement {
  const exit = readExit(result, ends);
  const end = exit === undefined ? (result.failed ? "failed" : "ran") : `exit ${exit}`;
  return { kind: "command", text: `${command} → ${end}` };
}

export function readExit(result: ToolResultPart, ends = outputEnds(result.output)): string | undefined {
  return EXIT.exec(ends)?.[1];
}

export function readErrors(result: ToolResultPart, ends = outputEnds(result.output)): readonly FactStatement[] {
  const lines = ends.split("\n");
  const errors = lines
    .map((line) => line.trim())
    .filter((line) => line.length < MAX_ERROR_CHARACTERS && ERROR.test(line));
  const first = lines.find((line) => line.trim() !== "")?.trim();
  const found = errors.length === 0 && result.failed && first !== undefined ? [first] : errors.slice(0, MAX_ERRORS);
  return found.map((text) => ({ kind: "error", text }));
}

/** Reads the items of a to-do tool with their status. */
export function readToolItems(call: ToolCallPart): readonly FactStatement[] {
  if (!isObject(call.input)) return [];
  return Object.values(call.input).flatMap((value) => (Array.isArray(value) ? value.flatMap(readTodoItem) : []));
}

const MAX_ERROR_CHARACTERS = 400;
const MAX_ERRORS = 2;
const READ_CHARACTERS = 8_000;
const EXIT = /\bexit(?:ed with)?(?: code| status)?["']?[:= ]{1,3}(\d{1,3})\b/i;
const ERROR =
  /(?:^|[\s([])(?:[A-Za-z]{0,40}(?:Error|Exception)|error|fatal|panic|FAILED?|E[A-Z]{4,12})(?:\[\w{1,12}\])?(?::|\b.*?: )|^Traceback/;

function readTodoItem(value: JsonValue): readonly FactStatement[] {
  if (!isObject(value) || typeof value.status !== "string") return [];
  const text = [value.content, value.task, value.step, value.title, value.text, value.description].find(
    (candidate) => typeof candidate === "string",
  );
  const status = ITEM_STATUS.get(value.status.toLowerCase().replaceAll(/[\s-]/g, "_"));
  return typeof text === "string" && status !== undefined ? [{ kind: "open-item", text, status }] : [];
}

const ITEM_STATUS: ReadonlyMap<string, "open" | "done"> = new Map([
  ...listWords("pending todo open in_progress blocked").map((word) => [word, "open"] as const),
  ...listWords("completed complete done").map((word) => [word, "done"] as const),
]);

function firstLine(text: string): string {
  return text.slice(0, READ_CHARACTERS).trim().split("\n", 1)[0] ?? "";
}

export interface FileUse {
  readonly key: string;
  /** The last segment of the path. */
  readonly name: string;
  readonly use: string;
}

const ARGUMENTS = listWords("file_path filePath notebook_path path file filename target_file absolute_path");
const MAX_PATH_CHARACTERS = 250;

/** Returns the file of a call and how it is used; undefined for a command line, which may name several files. */
export function readFileUse({ input, tool }: ToolCallPart): FileUse | undefined {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return undefined;
  const fields: Readonly<Record<string, unknown>> = Object.fromEntries(Object.entries(input));
  const path = ARGUMENTS.map((name) => fields[name]).find((value) => typeof value === "string");
  if (typeof path !== "string" || path.length > MAX_PATH_CHARACTERS) return undefined;
  const [claim, ...others] = extractClaims(path);
  if (claim === undefined || others.length > 0 || claim.kind !== "path") return undefined;
  return { key: `path:${claim.keys[0]}`, name: lastSegment(claim.text), use: useOf(tool) };
}

export function lastSegment(path: string): string {
  return path.split(/[/\\]/).findLast((segment) => segment !== "") ?? path;
}

/** Uses by a word of the tool's name. The last row that matches counts. */
const USES: readonly { readonly use: string; readonly word: RegExp }[] = [
  { use: "read", word: /^(?:read|view|open|cat|show|get|fetch)/ },
  { use: "searched", word: /^(?:grep|glob|search|find|list|ls$)/ },
  { use: "deleted", word: /^(?:delet|remov|unlink|rm$)/ },
  { use: "written", word: /^(?:writ|creat|sav)/ },
  { use: "edited", word: /^(?:edit|multiedit|replac|patch|updat|insert|append|renam|mov)/ },
];

function useOf(tool: string): string {
  const words = splitToolName(tool);
  return USES.findLast(({ word: verb }) => words.some((word) => verb.test(word)))?.use ?? USED;
}

/** Returns the words of names such as `readFile`, `read_file` and `fs.read-file`, in lower case. */
export function splitToolName(tool: string): readonly string[] {
  return tool.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/).map((word) => word.toLowerCase());
}

export function isReadOnlyUse(file: FileUse | undefined): boolean {
  return file?.use === "read" || file?.use === "searched";
}

const USED = "used";
const CHANGES: ReadonlySet<string> = new Set(["deleted", "written", "edited"]);

/** Returns true for a file that a tool edited, wrote or deleted. */
export function isChangedFile({ use = "" }: { readonly use?: string | undefined }): boolean {
  return CHANGES.has(use);
}

/** Returns the newer use, unless a read would replace a change. */
export function joinUses(known: string | undefined, again: string | undefined): string | undefined {
  if (known === undefined || again === undefined) return again ?? known;
  return CHANGES.has(known) && !CHANGES.has(again) ? known : again;
}
