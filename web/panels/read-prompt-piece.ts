/** Parses one piece of a message in any provider's format: text, a tool call, its result, or an image. */
import { type Fields, findText, readFields, readList, readText } from "../../src/client/fields.ts";
import { formatValue } from "../api/read-entries.ts";
import { type MediaPiece, readMedia } from "./read-prompt-media.ts";

export type PromptPiece =
  | { readonly type: "text" | "reasoning"; readonly text: string }
  | { readonly type: "call"; readonly tool: string; readonly text: string }
  | { readonly type: "result"; readonly tool: string; readonly text: string; readonly failed: boolean }
  | MediaPiece
  /** Of unknown type, as JSON. */
  | { readonly type: "other"; readonly text: string };

export interface PromptBlock {
  readonly role: string;
  readonly pieces: readonly PromptPiece[];
  /** All pieces as text, for comparisons. */
  readonly text: string;
  /** Whether a cache breakpoint ends here. */
  readonly isMarked: boolean;
}

export function writePieces(pieces: readonly PromptPiece[]): string {
  return pieces.map(writePiece).join("\n").trim();
}

function writePiece(piece: PromptPiece): string {
  switch (piece.type) {
    case "call":
      return `${piece.tool}(${piece.text})`;
    case "media":
      return [piece.name, piece.mediaType, piece.bytes, piece.mark].join(" ");
    default:
      return piece.text;
  }
}

/** Tool names by call id, for the calls that have been parsed so far. */
export type CalledTools = Map<string, string>;

export function readPiece(value: unknown, tools: CalledTools): PromptPiece {
  const part = readFields(value);
  return (
    readProse(part) ??
    readCall(part, tools) ??
    readResult(part, tools) ??
    readMedia(part) ?? { type: "other", text: formatValue(value) }
  );
}

function readProse(part: Fields): PromptPiece | undefined {
  if (part.type === "thinking") return { type: "reasoning", text: readText(part.thinking) };
  if (part.type === "reasoning" && Array.isArray(part.summary)) {
    return { type: "reasoning", text: part.summary.map((each) => readText(readFields(each).text)).join("\n") };
  }
  if (typeof part.text !== "string") return undefined;
  return { type: part.type === "reasoning" || part.thought === true ? "reasoning" : "text", text: part.text };
}

const CALLS: readonly unknown[] = ["tool-call", "tool_use", "function_call", "function"];

function readCall(part: Fields, tools: CalledTools): PromptPiece | undefined {
  if (!CALLS.includes(part.type) && part.functionCall === undefined) return undefined;
  const call = { ...part, ...readFields(part.functionCall), ...readFields(part.function) };
  const tool = findText(call.toolName) ?? findText(call.name) ?? "a tool";
  tools.set(idOf(call), tool);
  return { type: "call", tool, text: writeJson(call.input ?? call.args ?? call.arguments) };
}

const RESULTS: readonly unknown[] = ["tool-result", "tool_result", "function_call_output"];

function readResult(part: Fields, tools: CalledTools): PromptPiece | undefined {
  const isResult = RESULTS.includes(part.type) || part.functionResponse !== undefined;
  if (!isResult && part.tool_call_id === undefined) return undefined;
  const result = { ...part, ...readFields(part.functionResponse) };
  const tool = findText(result.toolName) ?? findText(result.name) ?? tools.get(idOf(result)) ?? "a tool";
  const { output = result.content, error } = readFields(result.response);
  const given = error ?? output ?? result.output;
  const kind = readText(readFields(given).type);
  const failed = result.is_error === true || error !== undefined || kind.startsWith("error");
  return { type: "result", tool, text: writeOutput(given), failed };
}

function idOf({ toolCallId, tool_call_id, tool_use_id, call_id, id }: Fields): string {
  return readText(toolCallId ?? tool_call_id ?? tool_use_id ?? call_id ?? id);
}

/** Images in a list are shown by their type only. */
function writeOutput(output: unknown): string {
  if (Array.isArray(output)) return readList(output).map(writeInner).join("\n");
  const { type, value } = readFields(output);
  return typeof type === "string" && value !== undefined ? writeOutput(value) : writeJson(output);
}

function writeInner(value: unknown): string {
  const part = readFields(value);
  if (typeof part.text === "string") return part.text;
  const media = readMedia(part);
  return media === undefined ? formatValue(value) : `[${media.mediaType || "a file"}]`;
}

function writeJson(value: unknown): string {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return formatValue(value);
  try {
    return formatValue(JSON.parse(value));
  } catch {
    return value;
  }
}
