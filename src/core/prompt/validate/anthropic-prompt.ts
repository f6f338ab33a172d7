/** Reads what may be a part of a request to Anthropic's Messages API into turns of blocks, each with its path. */
import { isObject, pathOf, type SourceObject } from "../../message/formats/decode-value.ts";
import { type Placed, takeContent, takeList, takeObjects, takeText } from "./wire-value.ts";

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
  const request: SourceObject = isObject(value) ? value : {};
  return {
    system: readBlocks({ source: request, path: "" }, "system"),
    turns: takeList(value, "messages").map(readTurn),
    tools: request.tools === undefined ? [] : takeObjects(request.tools, "tools"),
  };
}

function readTurn(placed: Placed): Turn {
  return { role: takeText(placed, "role"), blocks: readBlocks(placed, "content"), path: placed.path };
}

/** A text alone stands for one block of it. */
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
