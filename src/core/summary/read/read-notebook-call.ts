/**
 * Recognizes tool calls that run or edit a notebook cell. A call with a known name but unexpected arguments is reported
 * (`arguments-drift`), because without cell and file the state of the notebook is unknown.
 */
import { type ArgumentSchema, decodeArguments } from "../../message/decode-arguments.ts";
import type { Message, ToolCallPart, ToolOutput, ToolResultPart } from "../../message/message.ts";
import { outputText } from "../../message/message-text.ts";

export type NotebookCall =
  | { readonly type: "run"; readonly notebook: string; readonly cell: string }
  | {
      readonly type: "edit";
      readonly notebook: string;
      /** For an insertion, the cell next to the new one. */
      readonly cell: string | undefined;
      readonly edit: "insert" | "change" | "delete";
    }
  | NotebookArgumentDrift;

export interface NotebookArgumentDrift {
  readonly type: "drift";
  readonly tool: NotebookTool;
  readonly problem: string;
}

export type NotebookTool = "RunNotebookCell" | "EditNotebook" | "NotebookEdit";

/** Tool names of editors, in lower case without separators. */
const TOOLS: ReadonlyMap<string, NotebookTool> = new Map([
  ["runnotebookcell", "RunNotebookCell"],
  ["copilotrunnotebookcell", "RunNotebookCell"],
  ["editnotebook", "EditNotebook"],
  ["editnotebookfile", "EditNotebook"],
  ["copiloteditnotebook", "EditNotebook"],
  ["notebookedit", "NotebookEdit"],
]);

const filePath = { names: ["filePath", "notebook_path"] };
const cellId = { names: ["cellId", "cell_id"] };
const EDITS = { insert: "insert", edit: "change", replace: "change", delete: "delete" } as const;
const editType = { names: ["editType", "edit_mode"], values: Object.keys(EDITS) };

const SCHEMAS = {
  RunNotebookCell: { filePath, cellId },
  EditNotebook: { filePath, cellId, editType },
  NotebookEdit: {
    filePath: { names: ["notebook_path", "filePath"] },
    cellId: { ...cellId, isOptional: true },
    editType: { ...editType, isOptional: true },
  },
} as const satisfies Readonly<Record<NotebookTool, ArgumentSchema>>;

export function readNotebookCall({ tool, input }: Pick<ToolCallPart, "tool" | "input">): NotebookCall | undefined {
  const name = TOOLS.get(tool.toLowerCase().replaceAll(/[^a-z]/gu, ""));
  if (name === undefined) return undefined;
  const decoded = decodeArguments<ArgumentSchema>(input, SCHEMAS[name]);
  if (decoded.type === "drift") return { ...decoded, tool: name };
  const { filePath: notebook = "", cellId: cell, editType: edit = "replace" } = decoded.values;
  if (name === "RunNotebookCell") return { type: "run", notebook, cell: cell ?? "" };
  return { type: "edit", notebook, cell, edit: isEdit(edit) ? EDITS[edit] : "change" };
}

function isEdit(word: string): word is keyof typeof EDITS {
  return Object.hasOwn(EDITS, word);
}

export interface CellState {
  readonly cell: string;
  readonly state: string;
}

/** Returns undefined if the state of the cell is unknown. */
export function readCellState(call: NotebookCall, result: ToolResultPart): CellState | undefined {
  switch (call.type) {
    case "run":
      return {
        cell: nameOf(call.notebook, call.cell),
        state: result.failed ? "failed" : describeOutput(result.output),
      };
    case "edit": {
      if (result.failed) return undefined;
      const place = call.edit === "insert" ? `new at ${call.cell ?? "the start"}` : (call.cell ?? "at the start");
      return { cell: nameOf(call.notebook, place), state: STATES[call.edit] };
    }
    case "drift":
      return undefined;
    default:
      return call satisfies never;
  }
}

const STATES = { insert: "inserted, not run since", change: "edited, not run since", delete: "deleted" } as const;

function nameOf(notebook: string, cell: string): string {
  return `${notebook} cell ${cell}`;
}

function describeOutput(output: ToolOutput): string {
  if (output.type === "json") return "ran, data";
  const media =
    output.type === "parts" ? output.parts.find(({ type }) => type === "image" || type === "file") : undefined;
  if (media !== undefined) return `ran, ${media.type}`;
  return outputText(output).trim() === "" ? "ran, no output" : "ran, text";
}

export function findNotebookArgumentDrifts(messages: readonly Message[]): readonly NotebookArgumentDrift[] {
  const drifts = messages.flatMap(({ parts }) =>
    parts.flatMap((part) => {
      const call = part.type === "tool-call" ? readNotebookCall(part) : undefined;
      return call?.type === "drift" ? [call] : [];
    }),
  );
  return [...new Map(drifts.map((drift) => [`${drift.tool} ${drift.problem}`, drift])).values()];
}
