/**
 * Parses a prompt in any provider's format into blocks. Results often contain only the id of their call, so tool names
 * are looked up by that id.
 */
import { type Fields, findText, readFields, readList } from "../../src/client/fields.ts";
import { type CalledTools, type PromptBlock, type PromptPiece, readPiece, writePieces } from "./read-prompt-piece.ts";

export function readPrompt(prompt: unknown): readonly PromptBlock[] {
  const fields = readFields(prompt);
  const tools: CalledTools = new Map();
  const instructions = fields.instructions ?? fields.system ?? fields.systemInstruction ?? fields.system_instruction;
  const first =
    instructions === undefined ? [] : [makeBlock("instructions", instructions, readContent(instructions, tools))];
  const items = [fields.messages, fields.input, fields.contents].flatMap(readList);
  return [...first, ...items.map((item) => readItem(item, tools))];
}

function readItem(item: unknown, tools: CalledTools): PromptBlock {
  const message = readFields(item);
  const role = findText(message.role) ?? findText(message.type) ?? "item";
  return makeBlock(role, item, readPieces(message, tools));
}

function readPieces(message: Fields, tools: CalledTools): readonly PromptPiece[] {
  const content = message.content ?? message.parts;
  // An item without content is a piece itself, and a message with a call id is one result.
  if ((content === undefined && message.tool_calls === undefined) || message.tool_call_id !== undefined) {
    return [readPiece(message, tools)];
  }
  const calls = readList(message.tool_calls).map((call) => readPiece(call, tools));
  return [...readContent(content, tools), ...calls];
}

function readContent(content: unknown, tools: CalledTools): readonly PromptPiece[] {
  if (content === undefined || content === null || content === "") return [];
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (Array.isArray(content)) return content.map((part) => readPiece(part, tools));
  const { content: inner, parts } = readFields(content);
  return inner === undefined && parts === undefined ? [readPiece(content, tools)] : readContent(inner ?? parts, tools);
}

function makeBlock(role: string, source: unknown, pieces: readonly PromptPiece[]): PromptBlock {
  const isMarked = /"cache_?control"/i.test(JSON.stringify(source) ?? "");
  return { role, pieces, text: writePieces(pieces), isMarked };
}
