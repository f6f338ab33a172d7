/**
 * LangChain's content blocks except the host's tool calls: text, reasoning in LangChain's and Anthropic's spelling,
 * media, and tools that a provider ran. Other blocks are kept unchanged.
 */
import { pathOf } from "../../check-value.ts";
import { noteExtras } from "../decode-value.ts";
import type { ContentPart, Part, ReasoningPart, TextPart, ToolOutput } from "../message.ts";
import { encodeMediaBlock, findMediaBlock } from "./langchain-media.ts";
import { extrasField, optionalField } from "./wire-item.ts";
import { WireObject, WireWriter } from "./wire-object.ts";

const NAME = "langchain";
const writer = new WireWriter(NAME);
const TEXT_BLOCKS: readonly unknown[] = ["text", "text-plain", "input_text", "output_text"];

export function decodeBlocks(content: readonly unknown[], path: string): readonly ContentPart[] {
  return content.map((block, index) => decodeBlock(block, pathOf(path, index)));
}

function decodeBlock(value: unknown, path: string): ContentPart {
  if (typeof value === "string") {
    return { type: "text", text: value, ...extrasField(noteExtras(NAME, { type: "bare" })) };
  }
  const block = new WireObject(NAME, value, path);
  const { type, text } = block.fields;
  if (!TEXT_BLOCKS.includes(type) || (type !== "text" && typeof text !== "string")) {
    return findMediaBlock(block) ?? block.toUnknown();
  }
  const notes = { type: type === "text" ? undefined : String(type) };
  return { type: "text", text: block.text("text"), ...block.extras(["type", "text"], notes) };
}

export function decodeModelBlock(value: unknown, path: string): Part {
  if (typeof value === "string") return decodeBlock(value, path);
  return findModelPart(new WireObject(NAME, value, path)) ?? decodeBlock(value, path);
}

function findModelPart(block: WireObject): Part | undefined {
  switch (block.fields.type) {
    case "thinking":
      return decodeThinking(block);
    case "redacted_thinking": {
      const anthropic = { redactedData: block.text("data") };
      return { type: "reasoning", text: "", ...block.extras(["type", "data"], {}, { anthropic }) };
    }
    case "reasoning": {
      const { reasoning: text } = block.fields;
      return typeof text === "string" ? { type: "reasoning", text, ...block.extras(["type", "reasoning"]) } : undefined;
    }
    case "server_tool_call":
      return decodeServerCall(block);
    case "server_tool_call_result":
      return decodeServerResult(block);
    default:
      return undefined;
  }
}

function decodeThinking(block: WireObject): ReasoningPart {
  const { signature } = block.fields;
  const extras =
    typeof signature === "string"
      ? block.extras(["type", "thinking", "signature"], {}, { anthropic: { signature } })
      : block.extras(["type", "thinking"], { type: "thinking" });
  return { type: "reasoning", text: block.text("thinking"), ...extras };
}

function decodeServerCall(block: WireObject): Part | undefined {
  const { id, name, args } = block.fields;
  if (typeof id !== "string" || typeof name !== "string" || args === undefined) return undefined;
  const extras = block.extras(["type", "id", "name", "args"]);
  return { type: "tool-call", callId: id, tool: name, input: block.json("args"), byProvider: true, ...extras };
}

function decodeServerResult(block: WireObject): Part | undefined {
  const { toolCallId: callId, status, output } = block.fields;
  const isKnown = (status === "success" || status === "error") && output !== undefined;
  if (typeof callId !== "string" || !isKnown) return undefined;
  return {
    type: "tool-result",
    callId,
    output: { type: "json", value: block.json("output") },
    failed: status === "error",
    byProvider: true,
    ...block.extras(["type", "toolCallId", "status", "output"]),
  };
}

/** Returns the part as a block, or nothing: the host's calls are written elsewhere, and cited sources have no block. */
export function encodeBlock(part: Part): readonly unknown[] {
  switch (part.type) {
    case "text":
      return [encodeText(part)];
    case "reasoning":
      return [encodeReasoning(part)];
    case "image":
    case "file":
      return [encodeMediaBlock(part)];
    case "tool-call": {
      if (part.byProvider !== true) return [];
      return [writer.complete({ type: "server_tool_call", id: part.callId, name: part.tool, args: part.input }, part)];
    }
    case "tool-result": {
      if (part.byProvider !== true) return [];
      const [toolCallId, status, output] = [part.callId, part.failed ? "error" : "success", plainOutput(part.output)];
      return [writer.complete({ type: "server_tool_call_result", toolCallId, status, output }, part)];
    }
    case "source":
      return [];
    case "unknown":
      return part.format === NAME ? [part.value] : [];
    default:
      return part satisfies never;
  }
}

function encodeText(part: TextPart): unknown {
  const type = writer.noteOf(part, "type");
  return type === "bare"
    ? part.text
    : writer.complete({ type: type ?? "text", text: part.text }, part, ["type", "text"]);
}

function encodeReasoning(part: ReasoningPart): object {
  const { signature, redactedData } = part.extras?.anthropic ?? {};
  if (redactedData !== undefined) return writer.complete({ type: "redacted_thinking", data: redactedData }, part);
  const isThinking = signature !== undefined || writer.noteOf(part, "type") === "thinking";
  return isThinking
    ? writer.complete({ type: "thinking", thinking: part.text, ...optionalField("signature", signature) }, part)
    : writer.complete({ type: "reasoning", reasoning: part.text }, part);
}

function plainOutput(output: ToolOutput): unknown {
  if (output.type === "parts") return output.parts.flatMap(encodeBlock);
  return output.type === "json" ? output.value : output.text;
}
