/**
 * Which file a tool call is about, and what it does to it, told by the name of the argument and of the tool. A command
 * line is about whatever it names, so it is about no file here.
 */
import type { ToolCallPart } from "../../message/message.ts";
import { extractClaims } from "../claims/extract-claims.ts";

export interface FileUse {
  /** As names are compared. */
  readonly key: string;
  /** Its last segment, as it was written. */
  readonly name: string;
  readonly use: string;
}

const ARGUMENTS = [
  "file_path",
  "filePath",
  "notebook_path",
  "path",
  "file",
  "filename",
  "target_file",
  "absolute_path",
];
const LONGEST_PATH = 250;

export function readFileUse({ input, tool }: ToolCallPart): FileUse | undefined {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return undefined;
  const fields: Readonly<Record<string, unknown>> = Object.fromEntries(Object.entries(input));
  const path = ARGUMENTS.map((name) => fields[name]).find((value) => typeof value === "string");
  if (typeof path !== "string" || path.length > LONGEST_PATH) return undefined;
  const [claim, ...others] = extractClaims(path);
  if (claim === undefined || others.length > 0 || claim.kind !== "path") return undefined;
  return { key: `path:${claim.keys[0]}`, name: lastSegment(claim.text), use: useOf(tool) };
}

function lastSegment(path: string): string {
  return path.split(/[/\\]/).findLast((segment) => segment !== "") ?? path;
}

/** By a word of the tool's name, the more telling for what comes next the later. */
const USES: readonly { readonly use: string; readonly word: RegExp }[] = [
  { use: "read", word: /^(?:read|view|open|cat|show|get|fetch)/ },
  { use: "searched", word: /^(?:grep|glob|search|find|list|ls$)/ },
  { use: "deleted", word: /^(?:delet|remov|unlink|rm$)/ },
  { use: "written", word: /^(?:writ|creat|sav)/ },
  { use: "edited", word: /^(?:edit|multiedit|replac|patch|updat|insert|append|renam|mov)/ },
];

function useOf(tool: string): string {
  const words = tool.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/).map((word) => word.toLowerCase());
  return USES.findLast(({ word: verb }) => words.some((word) => verb.test(word)))?.use ?? USED;
}

/** Looking changes nothing. */
export function isLook(file: FileUse | undefined): boolean {
  return file?.use === "read" || file?.use === "searched";
}

const USED = "used";
const CHANGES: ReadonlySet<string> = new Set(["deleted", "written", "edited"]);

/** What was done last, except that looking at a file takes nothing away from having changed it. */
export function joinUses(known: string | undefined, again: string | undefined): string | undefined {
  if (known === undefined || again === undefined) return again ?? known;
  return CHANGES.has(known) && !CHANGES.has(again) ? known : again;
}
