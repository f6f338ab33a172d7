/** Finds the lines and exit code with which a tool reports a failure. Ignores file contents, such as source code. */
import { isObject } from "../../check-value.ts";
import { hasNonZeroExitCode, mentionsFailure, reportsFailure } from "../../message/failure-lines.ts";
import type { JsonValue } from "../../message/json.ts";
import type { OutputLine } from "./choose-preview.ts";
import { findFileAccess, splitName, type ToolUse } from "./tool-use.ts";

export interface Failure {
  /** Set if the output is JSON with a field for an exit code other than 0. */
  readonly exitCode?: number | undefined;
  /** Indexes of lines about the failure; repeated texts count once. */
  readonly errorLines: readonly number[];
}

const COMMANDS = new Set("bash shell run exec execute command terminal cmd test tests build script lint".split(" "));
const EXIT_KEYS = ["exitCode", "exit_code", "exitStatus", "exit_status", "returnCode", "return_code", "returncode"];
/** Only the start of a line is searched. */
const READ_CHARACTERS = 2_000;

export function findFailure(use: ToolUse, lines: readonly OutputLine[]): Failure | undefined {
  const { part } = use;
  const exitCode = part.output.type === "json" ? findExitCode(part.output.value) : undefined;
  const isKnown = part.failed || exitCode !== undefined;
  if (!isKnown && !isCommand(use)) return undefined;
  const exits = findLines(lines, hasNonZeroExitCode);
  const reports = findLines(lines, reportsFailure);
  if (!isKnown && exits.length + reports.length === 0) return undefined;
  const errors = reports.length > 0 ? reports : findLines(lines, mentionsFailure);
  return { exitCode, errorLines: [...new Set([...exits, ...errors])].sort((left, right) => left - right) };
}

function findLines(lines: readonly OutputLine[], says: (line: string) => boolean): readonly number[] {
  const said = new Map<string, number>();
  for (const [index, line] of lines.entries()) {
    const text = line.text.slice(0, READ_CHARACTERS);
    if (says(text) && !said.has(text)) said.set(text, index);
  }
  return [...said.values()];
}

function findExitCode(output: JsonValue): number | undefined {
  if (!isObject(output)) return undefined;
  const code = EXIT_KEYS.map((key) => output[key]).find((value) => typeof value === "number");
  return typeof code === "number" && code !== 0 ? code : undefined;
}

function isCommand({ tool, call }: ToolUse): boolean {
  if (findFileAccess(call) !== undefined) return false;
  if (splitName(tool).some((word) => COMMANDS.has(word))) return true;
  return isObject(call?.input) && (typeof call.input.command === "string" || typeof call.input.cmd === "string");
}
