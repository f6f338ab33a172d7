/** Writes a tool call in a few words, quoting only call and result: its best argument and its outcome. */
import { listWords } from "../../language/list-words.ts";
import type { JsonValue } from "../../message/json.ts";
import type { MessageId, ToolCallPart, ToolResultPart } from "../../message/message.ts";
import { redactSecrets } from "../secrets/redact-secrets.ts";
import { foldLine, shortenWords, withoutJsonMarks } from "../text/fold-line.ts";
import { messageTexts, takeEndsAndFailures } from "../text/message-texts.ts";
import { findCommand, isReadOnlyUse, readErrors, readExit, readFileUse } from "./tool-use.ts";

export interface Description {
  readonly text: string;
  readonly raw: string;
}

export interface ToolOutcome extends Description {
  readonly isFailure: boolean;
}

/** Matches a line with only the exit code, which the description already has. */
const ONLY_EXIT = /^\W{0,8}(?:error\W{1,3})?(?:exit|exited)(?: with)?(?: code| status)?\W{1,3}\d{1,3}\W{0,4}$/i;
const MAX_ARGUMENT_CHARACTERS = 160;
const MAX_OUTCOME_CHARACTERS = 140;
const READ_CHARACTERS = 4_000;

export interface CallDescription extends Description {
  readonly isReadOnlyUse: boolean;
}

export function describeCall(call: ToolCallPart): CallDescription {
  const raw = redactSecrets((findCommand(call) ?? findArgument(call.input) ?? "").slice(0, READ_CHARACTERS)).text;
  return {
    raw,
    text: shortenWords(foldLine(raw), MAX_ARGUMENT_CHARACTERS),
    isReadOnlyUse: isReadOnlyUse(readFileUse(call)),
  };
}

export function describeOutcome(call: ToolCallPart, result: ToolResultPart): ToolOutcome | undefined {
  const exit = readExit(result);
  const ends = quotableEnds(result);
  const error = readErrors(result, ends).find(({ text }) => !ONLY_EXIT.test(text));
  const isFailure = result.failed || (exit !== undefined && exit !== "0");
  const isCommand = findCommand(call) !== undefined;
  const line =
    (isFailure || isCommand ? error?.text : undefined) ?? (isCommand || isFailure ? lastLine(ends) : undefined) ?? "";
  const raw = redactSecrets(line.slice(0, READ_CHARACTERS)).text;
  const quoted = shortenWords(withoutJsonMarks(foldLine(raw)), MAX_OUTCOME_CHARACTERS);
  const end = exit !== undefined && exit !== "0" ? `exit ${exit}` : result.failed ? "failed" : "";
  const text = [end, quoted].filter((piece) => piece !== "").join(": ");
  return text === "" ? undefined : { text, raw: `exit ${exit ?? ""}\n${raw}`, isFailure };
}

/** Argument names, the most informative first. */
const BEST_KEYS = listWords(
  "file_path path filePath notebook_path filename file url query pattern description title name id prompt",
);

function findArgument(input: JsonValue): string | undefined {
  if (typeof input === "string") return input;
  if (typeof input !== "object" || input === null || Array.isArray(input)) return undefined;
  const fields = Object.entries(input).filter(
    ([key, value]) => typeof value === "string" || isInformativeNumber(key, value),
  );
  const telling = BEST_KEYS.flatMap((name) => fields.find(([key]) => key === name)?.[1] ?? []);
  const others = fields.filter(
    ([key, value]) => !BEST_KEYS.includes(key) && String(value).length <= MAX_ARGUMENT_CHARACTERS,
  );
  const values = [...telling, ...others.map(([, value]) => value)].map(String).filter((value) => value.trim() !== "");
  return values.length === 0 ? undefined : values.slice(0, MAX_ARGUMENTS).join("; ");
}

const MAX_ARGUMENTS = 3;

function isInformativeNumber(key: string, value: unknown): boolean {
  return typeof value === "number" && !/limit|offset|timeout|line/i.test(key);
}

/** Returns the ends of the output, as text without JSON escapes. */
function quotableEnds(result: ToolResultPart): string {
  const message = { id: "", role: "tool", parts: [result] } as const;
  return takeEndsAndFailures(messageTexts(message).outputs.join("\n"));
}

function lastLine(text: string): string | undefined {
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !ONLY_EXIT.test(line));
  return lines.findLast((line) => !DULL.test(line)) ?? lines.findLast((line) => /[\p{L}\p{N}]/u.test(line));
}

/** Matches a command that is echoed, a note of a shell, markup, and lines without a word. */
const DULL = /^\s*(?:\[[\w:.-]+\] )?[$+] |^\s*Shell cwd was reset|^\s*<\/?[a-z][^>]*>|^[^\p{L}\p{N}]*$/iu;

interface RunCommand {
  readonly command: string;
  readonly error?: string | undefined;
  readonly messageIds: readonly MessageId[];
}

export interface SolvedFailure {
  readonly text: string;
  readonly messageIds: readonly MessageId[];
}

export interface FailureTracker {
  noteChange(file: string): void;
  /** Returns how an earlier failure of the same command was solved, if this run succeeded. */
  noteRun(run: RunCommand): SolvedFailure | undefined;
}

interface Failure {
  readonly error: string;
  readonly messageIds: readonly MessageId[];
  readonly changed: Set<string>;
}

/** Maximum number of unsolved failures; the oldest are dropped. */
const MAX_FAILURES = 40;
const MAX_FILES = 4;
const MAX_ERROR_CHARACTERS = 100;

/** Records commands that failed and later succeeded, with the error and the files changed in between. */
export function createFailureTracker(): FailureTracker {
  const open = new Map<string, Failure>();
  return {
    noteChange(file) {
      for (const { changed } of open.values()) if (changed.size < MAX_FILES) changed.add(file);
    },
    noteRun({ command, error, messageIds }) {
      const key = dropOutputHandling(command);
      const failure = open.get(key);
      open.delete(key);
      if (error !== undefined) {
        open.set(key, { error, messageIds, changed: failure?.changed ?? new Set() });
        const [oldest] = open.keys();
        if (open.size > MAX_FAILURES && oldest !== undefined) open.delete(oldest);
        return undefined;
      }
      return failure === undefined ? undefined : { text: describeFailedTool(failure), messageIds: failure.messageIds };
    },
  };
}

/** Removes the handling of output: `npm test 2>&1 | tail -5` becomes `npm test`. */
function dropOutputHandling(command: string): string {
  return command.split(/\s(?:2?>|\|)/, 1)[0]?.trim() ?? command;
}

function describeFailedTool({ error, changed }: Failure): string {
  const said = error.length <= MAX_ERROR_CHARACTERS ? error : undefined;
  const why = said === undefined || said === "" ? "it had failed before" : `it had failed: ${said}`;
  return changed.size === 0 ? why : `${why}; changed since then: ${[...changed].join(" ")}`;
}
