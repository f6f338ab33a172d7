/**
 * What tools were made to do and how it ended: commands with their exit, errors in the words they came in, and the
 * items of a list that a tool keeps. Output is data: nothing in it is taken for a wish of the user.
 */
import type { JsonValue } from "../../message/json.ts";
import type { ToolCallPart, ToolResultPart } from "../../message/message.ts";
import { outputEnds } from "../text/output-ends.ts";
import type { Statement } from "./find-statements.ts";

/** What a call runs, where it runs a command line. */
export function readCommand(call: ToolCallPart): string | undefined {
  const { input } = call;
  if (!isRecord(input)) return undefined;
  const value = input.command ?? input.cmd ?? input.script;
  const line = Array.isArray(value) ? value.filter((word) => typeof word === "string").join(" ") : value;
  return typeof line === "string" && line.trim() !== "" ? firstLine(line) : undefined;
}

/** What these read of a result can be given, where it was read already. */
export function readOutcome(command: string, result: ToolResultPart, ends = outputEnds(result.output)): Statement {
  const exit = readExit(result, ends);
  const end = exit === undefined ? (result.failed ? "failed" : "ran") : `exit ${exit}`;
  return { kind: "command", text: `${command} → ${end}` };
}

/** The exit code that the output names. */
export function readExit(result: ToolResultPart, ends = outputEnds(result.output)): string | undefined {
  return EXIT.exec(ends)?.[1];
}

/** The first lines of an output that say what went wrong. */
export function readErrors(result: ToolResultPart, ends = outputEnds(result.output)): readonly Statement[] {
  const lines = ends.split("\n");
  const errors = lines.map((line) => line.trim()).filter((line) => line.length < LONGEST_ERROR && ERROR.test(line));
  const first = lines.find((line) => line.trim() !== "")?.trim();
  const found = errors.length === 0 && result.failed && first !== undefined ? [first] : errors.slice(0, MOST_ERRORS);
  return found.map((text) => ({ kind: "error", text }));
}

/** Items with a status in what a call says: the shape of most tools that keep a list of things to do. */
export function readToolItems(call: ToolCallPart): readonly Statement[] {
  if (!isRecord(call.input)) return [];
  return Object.values(call.input).flatMap((value) => (Array.isArray(value) ? value.flatMap(readItem) : []));
}

const LONGEST_ERROR = 400;
const MOST_ERRORS = 2;
const READ_CHARACTERS = 8_000;
const EXIT = /\bexit(?:ed with)?(?: code| status)?["']?[:= ]{1,3}(\d{1,3})\b/i;
const ERROR =
  /(?:^|[\s([])(?:[A-Za-z]{0,40}(?:Error|Exception)|error|fatal|panic|FAILED?|E[A-Z]{4,12})(?:\[\w{1,12}\])?(?::|\b.*?: )|^Traceback/;

function readItem(value: JsonValue): readonly Statement[] {
  if (!isRecord(value) || typeof value.status !== "string") return [];
  const text = [value.content, value.task, value.step, value.title, value.text, value.description].find(
    (candidate) => typeof candidate === "string",
  );
  const status = ITEM_STATUS[value.status.toLowerCase().replaceAll(/[\s-]/g, "_")];
  return typeof text === "string" && status !== undefined ? [{ kind: "open-item", text, status }] : [];
}

const ITEM_STATUS: Readonly<Record<string, "open" | "done">> = {
  pending: "open",
  todo: "open",
  open: "open",
  in_progress: "open",
  blocked: "open",
  completed: "done",
  complete: "done",
  done: "done",
};

function isRecord(value: JsonValue): value is Readonly<Record<string, JsonValue>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function firstLine(text: string): string {
  return text.slice(0, READ_CHARACTERS).trim().split("\n", 1)[0] ?? "";
}
