/** Describes a removed part on one short line: the tool, and the argument that identifies its call. */
import { isObject } from "../../check-value.ts";
import type { JsonValue } from "../../message/json.ts";
import type { Part } from "../../message/message.ts";
import { describeMedia } from "../../message/message-text.ts";
import { takeHead } from "../../message/whole-text.ts";
import { findPaths, type ToolUse } from "./tool-use.ts";

const QUERY_KEYS = ["command", "cmd", "query", "pattern", "q", "search", "name", "id", "prompt"];
const MAX_LINE_CHARACTERS = 80;
const MAX_PATH_CHARACTERS = 60;

/** Returns texts such as `Output of read_file (src/index.ts)` or `An attached file (report.pdf)`. */
export function describePart(part: Part, use: ToolUse | undefined): string {
  const detail = use === undefined ? readName(part) : findKeyArgument(use.call?.input ?? null);
  return `${describeKind(part, use)}${detail === undefined ? "" : ` (${fitOneLine(detail)})`}${describeMediaParts(part)}`;
}

/** Returns a text such as `, with image: image/png` for a result that contains more than text. */
function describeMediaParts(part: Part): string {
  if (part.type !== "tool-result" || part.output.type !== "parts") return "";
  const media = part.output.parts.flatMap((inner) => (inner.type === "text" ? [] : [describeMedia(inner)]));
  return media.length === 0 ? "" : `, with ${fitOneLine(media.join(" and "))}`;
}

/** Describes the part without the detail, so that similar prunes share one reason. */
export function describeKind(part: Part, use: ToolUse | undefined): string {
  if (use !== undefined) return `Output of ${fitOneLine(use.tool)}`;
  return `An ${part.type === "image" ? "image" : "attached file"}`;
}

/** Prefers a path, then a query, then any other text. */
export function findKeyArgument(input: JsonValue): string | undefined {
  if (!isObject(input)) return undefined;
  const [path, ...others] = findPaths(input);
  if (path !== undefined) return `${shortenPath(path)}${others.length === 0 ? "" : ` and ${others.length} more`}`;
  const queries = QUERY_KEYS.map((key) => (Object.hasOwn(input, key) ? input[key] : undefined));
  return [...queries, ...Object.values(input)]
    .filter((value) => typeof value === "string")
    .find((text) => text.trim() !== "");
}

/** Shortens a path to its end, which identifies it best. */
function shortenPath(path: string): string {
  if (path.length <= MAX_PATH_CHARACTERS) return path;
  const steps = path.split("/");
  while (steps.length > 1 && steps.join("/").length > MAX_PATH_CHARACTERS) steps.shift();
  return `…/${steps.join("/")}`;
}

function readName(part: Part): string | undefined {
  return part.type === "file" ? part.name : undefined;
}

function fitOneLine(text: string): string {
  const line = takeHead(text, MAX_LINE_CHARACTERS * 4)
    .replace(/\s+/g, " ")
    .trim();
  return line.length <= MAX_LINE_CHARACTERS ? line : `${takeHead(line, MAX_LINE_CHARACTERS)}…`;
}
