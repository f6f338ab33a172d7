/**
 * The Gemini API's contents. Its calls often have no ids: the messages of a list are given to `matchCallsByName`
 * afterwards. No id is ever invented on the wire.
 */
import { type Fields, isObject } from "../../check-value.ts";
import type { Format } from "./format.ts";
import { decodeGemini } from "./gemini-decode.ts";
import { encodeGemini } from "./gemini-encode.ts";

export const geminiFormat: Format = {
  name: "gemini",
  alternation: {
    writeUserItem: (text) => ({ role: "user", parts: [{ text }] }),
    joinItems,
    beginsTurn: () => false,
  },
  matchesCallsByName: true,
  recognise,
  decode: decodeGemini,
  encode: encodeGemini,
};

/** UI messages of the AI SDK have parts too; theirs name their type, and their assistant is no model. */
function recognise(item: unknown): "sure" | "possible" | "no" {
  if (!isObject(item) || !Array.isArray(item.parts) || item.content !== undefined) return "no";
  if (!item.parts.every((part) => isObject(part) && part.type === undefined)) return "no";
  if (item.role === "model" || item.role === "function") return "sure";
  if (item.role !== undefined && item.role !== "user" && item.role !== "system") return "no";
  return item.parts.length > 0 && item.role === "user" ? "sure" : "possible";
}

/** The responses of a round must be in a content of their own. */
function joinItems(first: Fields, second: Fields): object | undefined {
  const [before, after] = [partsOf(first), partsOf(second)];
  if (before.some(isResponse) !== after.some(isResponse)) return undefined;
  return { ...first, parts: [...before, ...after] };
}

function partsOf({ parts }: Fields): readonly unknown[] {
  return Array.isArray(parts) ? parts : [];
}

function isResponse(part: unknown): boolean {
  return isObject(part) && part.functionResponse !== undefined;
}
