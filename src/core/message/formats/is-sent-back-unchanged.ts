/**
 * Whether an item of a reply is sent back exactly as it came. Decoding drops fields that mean nothing to a model
 * (citations, callers) and repairs what no provider accepts (blank results). A provider that binds thinking compares
 * those too, so thinking after such an item must not be sent. Unknown blocks are kept unchanged.
 */
import { isObject } from "../../check-value.ts";

/** Fields of a block that are written back unchanged. Blocks of other types are kept whole. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: ["type", "text", "cache_control", "providerOptions", "providerMetadata"],
  tool_use: ["type", "id", "name", "input", "cache_control"],
  tool_result: ["type", "tool_use_id", "content", "is_error", "cache_control"],
  image: ["type", "source", "cache_control"],
};

export function isSentBackUnchanged(item: unknown): boolean {
  if (!isObject(item)) return true;
  const { content } = item;
  if (Array.isArray(content)) return content.every(isBlockWhole);
  return typeof content !== "string" || content.trim() !== "";
}

function isBlockWhole(block: unknown): boolean {
  if (!isObject(block) || typeof block.type !== "string") return true;
  const fields = FIELDS[block.type];
  if (fields !== undefined && Object.keys(block).some((key) => !fields.includes(key))) return false;
  switch (block.type) {
    case "text":
      return typeof block.text === "string" && block.text.trim() !== "";
    case "image":
      return isObject(block.source) && block.source.type === "base64";
    case "tool_result":
      return block.is_error !== false && isResultWhole(block.content);
    case "tool-result":
      return isObject(block.output) && (block.output.type === "content" || !holdsImage(block.output.value));
    default:
      return true;
  }
}

function isResultWhole(content: unknown): boolean {
  if (typeof content === "string") return content.trim() !== "" && !holdsImage(content);
  if (!Array.isArray(content) || content.length === 0) return false;
  const isKnown = (block: unknown) => isObject(block) && (block.type === "text" || block.type === "image");
  return content.every((block) => isKnown(block) && isBlockWhole(block) && !holdsImage(textOfBlock(block)));
}

function textOfBlock(block: unknown): unknown {
  return isObject(block) && block.type === "text" ? block.text : undefined;
}

/** Images inside JSON are read as images. */
function holdsImage(value: unknown): boolean {
  const text = typeof value === "string" ? value : JSON.stringify(value ?? "");
  return /"type"\s*:\s*"image/.test(text);
}
