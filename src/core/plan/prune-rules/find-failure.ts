/**
 * What a tool said of going wrong. A result is a failure when its host says so, when it gives an exit code other than
 * zero, or when it is the output of a command with lines that speak of errors. What was read from a file is not: a
 * source text may be full of such lines.
 */
import type { JsonValue } from "../../message/json.ts";
import { findFileAccess, isObject } from "./file-access.ts";
import type { Line } from "./split-lines.ts";
import { nameWords, type ToolUse } from "./tool-use.ts";

export interface Failure {
  /** Where the output gives it as a value of its own; otherwise one of the lines says it. */
  readonly exitCode?: number | undefined;
  /** Indexes of the lines that say what went wrong, each text once. */
  readonly errorLines: readonly number[];
}

const COMMANDING = new Set("bash shell run exec execute command terminal cmd test tests build script lint".split(" "));
const ERROR = new RegExp(
  [
    String.raw`\b\w*(?:error|exception)s?\b`,
    String.raw`\b(?:traceback|panic(?:ked)?|fatal|fail(?:ed|s|ing|ures?)?|abort(?:ed)?|killed|segmentation fault)\b`,
    String.raw`\b(?:cannot|can't|could not|unable to|no such|not found|denied|refused|timed out|undefined reference)\b`,
    "[✗✖❌]",
  ].join("|"),
  "i",
);
const HARMLESS =
  /\b(?:0|no|zero|without(?: any)?) (?:errors?|failures?|failed|failing|exceptions?)\b|\b(?:errors?|failures?|failed)[:=] ?0\b/gi;
const EXIT_CODE = /\b(?:exit(?:ed)?(?: with)?(?: code| status)?|return ?code)[ :=]{1,3}(-?\d{1,10})\b/i;
const EXIT_KEYS = ["exitCode", "exit_code", "exitStatus", "exit_status", "returnCode", "return_code", "returncode"];
/** Longer lines could not be shown whole, and nobody writes an error in them. */
const LONGEST_LINE = 2_000;

export function findFailure(use: ToolUse, lines: readonly Line[]): Failure | undefined {
  const { part } = use;
  const exitCode = part.output.type === "json" ? findExitCode(part.output.value) : undefined;
  if (!part.failed && exitCode === undefined && !isCommand(use)) return undefined;
  const errorLines = findErrorLines(lines);
  return part.failed || exitCode !== undefined || errorLines.length > 0 ? { exitCode, errorLines } : undefined;
}

/** What is said twice is kept once. */
function findErrorLines(lines: readonly Line[]): readonly number[] {
  const said = new Map<string, number>();
  for (const [index, { text }] of lines.entries()) if (isErrorLine(text) && !said.has(text)) said.set(text, index);
  return [...said.values()];
}

export function isErrorLine(text: string): boolean {
  if (text.length > LONGEST_LINE) return false;
  const exitCode = EXIT_CODE.exec(text)?.[1];
  if (exitCode !== undefined && Number(exitCode) !== 0) return true;
  return ERROR.test(text) && ERROR.test(text.replace(HARMLESS, ""));
}

/** An exit code other than zero, where a structured output has one. */
function findExitCode(output: JsonValue): number | undefined {
  if (!isObject(output)) return undefined;
  const code = EXIT_KEYS.map((key) => output[key]).find((value) => typeof value === "number");
  return typeof code === "number" && code !== 0 ? code : undefined;
}

function isCommand({ tool, call }: ToolUse): boolean {
  if (findFileAccess(call) !== undefined) return false;
  if (nameWords(tool).some((word) => COMMANDING.has(word))) return true;
  return isObject(call?.input) && (typeof call.input.command === "string" || typeof call.input.cmd === "string");
}
