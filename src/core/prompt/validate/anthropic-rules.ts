/** Reads requests to Anthropic, and checks thinking and cache marks. */
import { type Fields, isObject, pathOf } from "../../check-value.ts";
import type { Fault } from "./complaint.ts";
import { type Placed, takeContent, takeList, takeObjects, takeText } from "./wire-value.ts";

export function isThought({ type }: Block): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

export function findUnsignedThoughts({ turns }: AnthropicPrompt): readonly Fault[] {
  return turns.flatMap(({ blocks }) =>
    blocks.flatMap((block) => {
      const proof = block.type === "thinking" ? block.source.signature : block.source.data;
      return isThought(block) && (typeof proof !== "string" || proof === "") ? [{ path: block.path }] : [];
    }),
  );
}

export function findMisplacedThoughts({ turns }: AnthropicPrompt): readonly Fault[] {
  return turns.flatMap(({ blocks }) => {
    const [first] = blocks;
    const calls = blocks.some((block) => block.type === "tool_use");
    if (first === undefined || isThought(first) || !calls) return [];
    return blocks.filter(isThought).map(({ path }) => ({ path }));
  });
}

export function findTrailingThoughts({ turns }: AnthropicPrompt): readonly Fault[] {
  return turns.flatMap(({ blocks }) => {
    const last = blocks.at(-1);
    return last !== undefined && isThought(last) ? [{ path: last.path }] : [];
  });
}

// Rules for cache marks: how many a request may have, and where none may be.
const MAX_MARKS = 4;

export function findTooManyMarks(prompt: AnthropicPrompt): readonly Fault[] {
  const marked = markable(prompt).filter(isMarked);
  const fifth = marked[MAX_MARKS];
  return fifth === undefined ? [] : [{ path: fifth.path, detail: `There are ${marked.length}.` }];
}

export function findCacheFaults({ turns }: AnthropicPrompt): readonly Fault[] {
  return turns.flatMap(({ blocks }) =>
    blocks.flatMap((block) => (isThought(block) && isMarked(block) ? [{ path: block.path }] : [])),
  );
}

function markable({ system, turns, tools }: AnthropicPrompt): readonly Placed[] {
  const blocks = turns.flatMap((turn) => turn.blocks.flatMap((block) => [...block.inner, block]));
  return [...tools, ...system, ...blocks];
}

function isMarked({ source }: Placed): boolean {
  return isObject(source.cache_control);
}

/** A block of a request to Anthropic's Messages API, with its path. */
export interface Block extends Placed {
  readonly type: string;
  /** The blocks inside a tool result. */
  readonly inner: readonly Block[];
}

export interface Turn {
  readonly role: string;
  readonly blocks: readonly Block[];
  readonly path: string;
}

export interface AnthropicPrompt {
  readonly system: readonly Block[];
  readonly turns: readonly Turn[];
  readonly tools: readonly Placed[];
}

export function readAnthropic(value: unknown): AnthropicPrompt {
  const request: Fields = isObject(value) ? value : {};
  return {
    system: readBlocks({ source: request, path: "" }, "system"),
    turns: takeList(value, "messages").map(readTurn),
    tools: request.tools === undefined ? [] : takeObjects(request.tools, "tools"),
  };
}

function readTurn(placed: Placed): Turn {
  return { role: takeText(placed, "role"), blocks: readBlocks(placed, "content"), path: placed.path };
}

/** A plain text counts as one text block. */
function readBlocks(placed: Placed, key: string): readonly Block[] {
  const content = takeContent(placed, key);
  const path = placed.path === "" ? key : pathOf(placed.path, key);
  if (typeof content === "string") return [{ type: "text", source: { type: "text", text: content }, path, inner: [] }];
  return content.map(readBlock);
}

function readBlock(placed: Placed): Block {
  const type = takeText(placed, "type");
  if (type === "text") takeText(placed, "text");
  if (type === "tool_use" || type === "server_tool_use") takeText(placed, "id");
  if (type === "tool_use") takeText(placed, "name");
  if (type === "tool_result") takeText(placed, "tool_use_id");
  const nested = type === "tool_result" && typeof placed.source.content !== "string";
  return { ...placed, type, inner: nested ? readBlocks(placed, "content") : [] };
}
