/**
 * Detects the format of a list. One item with a mark that only one format has decides for all. Without marks, the first
 * format that can read every item is chosen: plain `{ role, content }` lists are `ai-sdk-model`, unless they begin with
 * our cover in Anthropic's shape. A growing list may change its format when its first marked item arrives; plain items
 * read the same in every format.
 */
import { invalidMessage, isObject, pathOf } from "../../check-value.ts";
import { PalimpsestError } from "../../errors.ts";
import { FORMAT_NAMES, type FormatName } from "./format.ts";
import { FORMATS } from "./formats.ts";

interface Sighting {
  readonly name: FormatName;
  readonly path: string;
}

/** Whether a text is a cover that Palimpsest wrote (`read-cover.ts`). */
export type IsCover = (text: string) => boolean;

/**
 * Returns undefined only for an empty list. Throws `message-invalid` if no format reads all items or two are certain.
 *
 * @example
 * ```ts
 * console.log(detectFormat([{ type: "function_call", call_id: "c1", name: "read", arguments: "{}" }]));
 * ```
 */
export function detectFormat(items: readonly unknown[], isCover?: IsCover): FormatName | undefined {
  let candidates: readonly FormatName[] = FORMAT_NAMES;
  let found: Sighting | undefined;
  let unreadable: number | undefined;
  for (const [index, item] of items.entries()) {
    let isReadable = false;
    for (const name of FORMAT_NAMES) {
      const view = FORMATS[name].recognize(item);
      if (view !== "no") isReadable = true;
      else if (candidates.includes(name)) candidates = candidates.filter((each) => each !== name);
      if (view === "sure") found = requireSame(found, { name, path: pathOfItem(index) });
    }
    if (!isReadable) throw explainUnreadable(item, pathOfItem(index));
    if (candidates.length === 0) unreadable ??= index;
  }
  if (items.length === 0) return undefined;
  if (found !== undefined) return requireAll(items, found);
  const [first] = candidates;
  if (first === undefined) throw createMismatch(items, unreadable ?? 0);
  return candidates.includes("anthropic") && beginsWithCoverBlock(items, isCover) ? "anthropic" : first;
}

/** Of the formats that plain items may be in, only Anthropic's has a cover as a content block. */
function beginsWithCoverBlock(items: readonly unknown[], isCover: IsCover = () => false): boolean {
  const item = items.find((each) => isObject(each) && each.role !== "system");
  const [block] = isObject(item) && item.role === "user" && Array.isArray(item.content) ? item.content : [];
  return isObject(block) && typeof block.text === "string" && isCover(block.text);
}

/** Checks that a format recognized by one item can read all of them. */
function requireAll(items: readonly unknown[], { name, path }: Sighting): FormatName {
  const other = items.findIndex((item) => FORMATS[name].recognize(item) === "no");
  if (other < 0) return name;
  throw invalidMessage(pathOfItem(other), `a message of the format ${name}, like ${path}`, items[other]);
}

const ROLES = ["system", "developer", "user", "assistant", "tool", "function", "model"];

/** Names the field that is most likely wrong, assuming `{ role, content }`. */
function explainUnreadable(item: unknown, path: string): PalimpsestError {
  if (!isObject(item)) return invalidMessage(path, 'a message such as { role: "user", content: "…" }', item);
  const isUnknownRole = typeof item.role === "string" && !ROLES.includes(item.role);
  if (isUnknownRole || (item.role === undefined && item.type === undefined)) {
    return invalidMessage(pathOf(path, "role"), `one of ${ROLES.join(", ")}`, item.role);
  }
  if (typeof item.content !== "string" && !Array.isArray(item.content) && item.parts === undefined) {
    return invalidMessage(pathOf(path, "content"), "a string or a list of parts", item.content);
  }
  return invalidMessage(path, `a message of one of the formats ${FORMAT_NAMES.join(", ")}`, item);
}

function requireSame(found: Sighting | undefined, seen: Sighting): Sighting {
  if (found === undefined || found.name === seen.name) return found ?? seen;
  if (FORMATS[seen.name].variantOf === found.name) return seen;
  if (FORMATS[found.name].variantOf === seen.name) return found;
  const text = `${found.path} has the format ${found.name}, but ${seen.path} has ${seen.name}. Use one format.`;
  throw new PalimpsestError("message-invalid", text, { details: { path: seen.path, paths: [found.path, seen.path] } });
}

function createMismatch(items: readonly unknown[], index: number): PalimpsestError {
  return invalidMessage(pathOfItem(index), "a message of the same format as those before it", items[index]);
}

function pathOfItem(index: number): string {
  return `messages[${index}]`;
}
