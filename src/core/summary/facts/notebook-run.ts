/**
 * Recognises the run of a notebook's cell in a tool call. The arguments are checked, not trusted: a call that bears the
 * name and has another shape is a drift, which somebody should hear of, because without its cell and its file nothing
 * of the notebook's state can be carried on.
 */
import type { JsonValue } from "../../message/json.ts";
import type { Message, ToolCallPart } from "../../message/message.ts";

export type NotebookCall =
  | { readonly type: "run"; readonly notebook: string; readonly cell: string }
  | { readonly type: "drift"; readonly problem: string };

/** Undefined where the call runs no cell. */
export function readNotebookCall({ tool, input }: Pick<ToolCallPart, "tool" | "input">): NotebookCall | undefined {
  if (tool.toLowerCase().replaceAll(/[^a-z]/gu, "") !== "runnotebookcell") return undefined;
  if (!isRecord(input)) return { type: "drift", problem: "its arguments are no object" };
  const { filePath, cellId } = input;
  if (!isWord(filePath)) return { type: "drift", problem: "filePath is no text" };
  if (!isWord(cellId)) return { type: "drift", problem: "cellId is no text" };
  return { type: "run", notebook: filePath, cell: cellId };
}

/** What is wrong with the first call among the messages that should run a cell and cannot be read. */
export function findNotebookDrift(messages: readonly Message[]): string | undefined {
  for (const { parts } of messages) {
    for (const part of parts) {
      const call = part.type === "tool-call" ? readNotebookCall(part) : undefined;
      if (call?.type === "drift") return call.problem;
    }
  }
  return undefined;
}

function isWord(value: JsonValue | undefined): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function isRecord(value: JsonValue): value is Readonly<Record<string, JsonValue>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
