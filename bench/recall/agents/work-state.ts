/** Finds the state of an agent's work before a place: the files that it edited, and its open todos. */
import type { JsonValue } from "../../../src/core/message/json.ts";
import type { Message, ToolCallPart } from "../../../src/core/message/message.ts";

const EDITS: ReadonlySet<string> = new Set(["Edit", "MultiEdit", "Write", "NotebookEdit"]);

export function editedFiles(messages: readonly Message[]): ReadonlySet<string> {
  return new Set(
    callsOf(messages).flatMap(({ tool, input }) => {
      const path = textField(input, "file_path") ?? textField(input, "notebook_path");
      return EDITS.has(tool) && path !== undefined ? [path.slice(path.lastIndexOf("/") + 1)] : [];
    }),
  );
}

/** Returns the items of the newest list that are not completed. */
export function openTodos(messages: readonly Message[]): readonly string[] {
  const newest = callsOf(messages).findLast(({ tool }) => tool === "TodoWrite");
  const todos = newest === undefined ? undefined : field(newest.input, "todos");
  if (!Array.isArray(todos)) return [];
  return todos.flatMap((todo: JsonValue) =>
    textField(todo, "status") === "completed" ? [] : (textField(todo, "content") ?? []),
  );
}

function callsOf(messages: readonly Message[]): readonly ToolCallPart[] {
  return messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "tool-call" ? [part] : [])));
}

function field(value: JsonValue, name: string): JsonValue | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, JsonValue>>)[name]
    : undefined;
}

function textField(value: JsonValue, name: string): string | undefined {
  const found = field(value, name);
  return typeof found === "string" ? found : undefined;
}
