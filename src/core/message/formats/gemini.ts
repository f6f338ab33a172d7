/**
 * The Gemini API's contents. Its calls often have no ids: a list that may hold such is read with
 * `decodeGeminiContents`, or its messages are given to `matchCallsByName` afterwards. No id is ever invented on the
 * wire.
 */
import type { Message } from "../message.ts";
import { isObject, pathOf } from "./decode-value.ts";
import type { Format } from "./format.ts";
import { decodeGemini } from "./gemini-decode.ts";
import { encodeGemini } from "./gemini-encode.ts";
import { matchCallsByName } from "./match-calls-by-name.ts";

export const geminiFormat: Format = {
  name: "gemini",
  recognise,
  decode: decodeGemini,
  encode: encodeGemini,
};

/** A whole list of contents, with each response matched to its call. */
export function decodeGeminiContents(
  items: readonly unknown[],
  { path, fallbackId }: { readonly path: string; readonly fallbackId: (index: number) => string },
): readonly Message[] {
  const decoded = items.flatMap((item, index) =>
    decodeGemini(item, { path: pathOf(path, index), fallbackId: fallbackId(index) }),
  );
  return matchCallsByName(decoded);
}

/** UI messages of the AI SDK have parts too; theirs name their type, and their assistant is no model. */
function recognise(item: unknown): "sure" | "possible" | "no" {
  if (!isObject(item) || !Array.isArray(item.parts) || item.content !== undefined) return "no";
  if (!item.parts.every((part) => isObject(part) && part.type === undefined)) return "no";
  if (item.role === "model" || item.role === "function") return "sure";
  if (item.role !== undefined && item.role !== "user" && item.role !== "system") return "no";
  return item.parts.length > 0 && item.role === "user" ? "sure" : "possible";
}
