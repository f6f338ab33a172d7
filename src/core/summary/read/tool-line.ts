/**
 * A tool call in a few words: the argument that says what it was about, and how it ended (its exit code, the line that
 * says what went wrong, or the last line of a command). Everything is quoted from the call and its result.
 */
import type { JsonValue } from "../../message/json.ts";
import type { ToolCallPart, ToolResultPart } from "../../message/message.ts";
import { redactSecrets } from "../secrets/redact-secrets.ts";
import { foldLine, shortenWords } from "../text/fold-line.ts";
import { messageTexts } from "../text/message-texts.ts";
import { endsWithFailures } from "../text/output-ends.ts";
import { isLook, readFileUse } from "./file-use.ts";
import { readCommand, readErrors, readExit } from "./find-outcomes.ts";

export interface Description {
  readonly text: string;
  readonly raw: string;
}

export interface Outcome extends Description {
  readonly isFailure: boolean;
}

/** Says no more than the exit code, which is said already. */
const ONLY_EXIT = /^\W{0,8}(?:error\W{1,3})?(?:exit|exited)(?: with)?(?: code| status)?\W{1,3}\d{1,3}\W{0,4}$/i;
const LONGEST_ARGUMENT = 160;
const LONGEST_OUTCOME = 140;
const READ_CHARACTERS = 4_000;

export interface CallDescription extends Description {
  /** Whether it only looks at something. */
  readonly isLook: boolean;
}

export function describeCall(call: ToolCallPart): CallDescription {
  const raw = redactSecrets((readCommand(call) ?? findArgument(call.input) ?? "").slice(0, READ_CHARACTERS)).text;
  return { raw, text: shortenWords(foldLine(raw), LONGEST_ARGUMENT), isLook: isLook(readFileUse(call)) };
}

export function describeOutcome(call: ToolCallPart, result: ToolResultPart): Outcome | undefined {
  const exit = readExit(result);
  const ends = quotableEnds(result);
  const error = readErrors(result, ends).find(({ text }) => !ONLY_EXIT.test(text));
  const isFailure = result.failed || (exit !== undefined && exit !== "0");
  const isCommand = readCommand(call) !== undefined;
  const line =
    (isFailure || isCommand ? error?.text : undefined) ?? (isCommand || isFailure ? lastLine(ends) : undefined) ?? "";
  const raw = redactSecrets(line.slice(0, READ_CHARACTERS)).text;
  const quoted = shortenWords(foldLine(raw), LONGEST_OUTCOME);
  const end = exit !== undefined && exit !== "0" ? `exit ${exit}` : result.failed ? "failed" : "";
  const text = [end, quoted].filter((piece) => piece !== "").join(": ");
  return text === "" ? undefined : { text, raw: `exit ${exit ?? ""}\n${raw}`, isFailure };
}

/** Names of the arguments that say what a call is about, the more telling first. */
const TELLING = [
  "file_path",
  "path",
  "filePath",
  "notebook_path",
  "filename",
  "file",
  "url",
  "query",
  "pattern",
  "description",
  "title",
  "name",
  "id",
  "prompt",
];

function findArgument(input: JsonValue): string | undefined {
  if (typeof input === "string") return input;
  if (typeof input !== "object" || input === null || Array.isArray(input)) return undefined;
  const fields = Object.entries(input).filter(
    ([key, value]) => typeof value === "string" || isTellingNumber(key, value),
  );
  const telling = TELLING.flatMap((name) => fields.find(([key]) => key === name)?.[1] ?? []);
  const others = fields.filter(([key, value]) => !TELLING.includes(key) && String(value).length <= LONGEST_ARGUMENT);
  const values = [...telling, ...others.map(([, value]) => value)].map(String).filter((value) => value.trim() !== "");
  return values.length === 0 ? undefined : values.slice(0, MOST_ARGUMENTS).join("; ");
}

const MOST_ARGUMENTS = 3;

/** Where to begin and how much to give says nothing of what a call is about. */
function isTellingNumber(key: string, value: unknown): boolean {
  return typeof value === "number" && !/limit|offset|timeout|line/i.test(key);
}

/** The texts of a structured value without the escapes that writing it out would put into them. */
function quotableEnds(result: ToolResultPart): string {
  const message = { id: "", role: "tool", parts: [result] } as const;
  return endsWithFailures(messageTexts(message).given.join("\n"));
}

function lastLine(text: string): string | undefined {
  return text.split("\n").findLast((line) => line.trim() !== "" && !ONLY_EXIT.test(line));
}
