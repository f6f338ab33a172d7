/** Reads one message of pi. */
import { type Fields, findText, invalidMessage, isObject, readFields, readList } from "../../core/check-value.ts";
import type { JsonObject } from "../../core/message/json.ts";
import type { ContentPart, Part, ToolOutput } from "../../core/message/message.ts";
import type { MessageFacts } from "../shared/session-draft.ts";
import { asAmount, asJson, pickFields, readTime, readUsage } from "../shared/values.ts";

export function readPiMessage(entry: Fields, place: string): MessageFacts {
  const given = entry.type === "custom_message" ? { role: "custom", ...entry } : entry.message;
  if (!isObject(given)) throw invalidMessage(`${place}.message`, "an object", given);
  const parentId = findText(entry.parentId);
  const facts = { id: findText(entry.id), saidAt: readTime(given.timestamp ?? entry.timestamp), parentId };
  const source = { entryAt: findText(entry.timestamp), parentId };
  switch (given.role) {
    case "assistant":
      return { ...facts, ...readAnswer(given, place, source) };
    case "toolResult":
      return { ...facts, role: "tool", parts: [readResult(given, place)], source };
    case "bashExecution":
      return {
        ...facts,
        role: "user",
        parts: [{ type: "text", text: describeCommand(given) }],
        source: { ...source, shell: asJson(given, place) },
      };
    case "user":
    case "custom":
    case "hookMessage":
      return {
        ...facts,
        role: "user",
        parts: readContent(given.content, place),
        source: { ...source, ...pickFields(given, ["customType"], place) },
      };
    default:
      throw invalidMessage(`${place}.message.role`, "a role of pi", given.role);
  }
}

function readAnswer(message: Fields, place: string, source: JsonObject) {
  const { usage: given, model } = message;
  const { input, output, cacheRead, cacheWrite, cost } = readFields(given);
  const parts = readList(message.content).map((block, index) =>
    readBlock(readFields(block), `${place}.content[${index}]`),
  );
  const own = pickFields(message, ["api", "provider", "model", "stopReason", "errorMessage"], place);
  const usage = readUsage({ model, plain: input, output, cacheRead, cacheWrite });
  return {
    role: "assistant" as const,
    parts,
    usage,
    costUsd: asAmount(readFields(cost).total),
    responseId: findText(message.responseId),
    source: { ...source, ...own },
  };
}

function readBlock(block: Fields, place: string): Part {
  switch (block.type) {
    case "thinking": {
      const signature = findText(block.thinkingSignature);
      const extras = signature === undefined ? {} : { extras: { "wire:pi": { signature } } };
      return { type: "reasoning", text: findText(block.thinking) ?? "", ...extras };
    }
    case "toolCall": {
      const [callId, tool] = [findText(block.id), findText(block.name)];
      if (callId === undefined || tool === undefined)
        throw invalidMessage(place, "a call with an id and a name", block);
      return { type: "tool-call", callId, tool, input: asJson(block.arguments, `${place}.arguments`) };
    }
    default:
      return readContentBlock(block, place);
  }
}

function readContentBlock(block: Fields, place: string): ContentPart {
  const { type, text, data, mimeType } = block;
  if (type === "text" && typeof text === "string") return { type, text };
  if (type === "image" && typeof data === "string") {
    return {
      type,
      source: { type: "data", base64: data },
      ...(typeof mimeType === "string" ? { mediaType: mimeType } : {}),
    };
  }
  return { type: "unknown", format: "pi", value: asJson(block, place) };
}

function readContent(content: unknown, place: string): readonly ContentPart[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content)) throw invalidMessage(`${place}.content`, "a text or a list", content);
  return content.map((block, index) => readContentBlock(readFields(block), `${place}.content[${index}]`));
}

function readResult(message: Fields, place: string): Part {
  const callId = findText(message.toolCallId);
  if (callId === undefined) throw invalidMessage(`${place}.toolCallId`, "the id of a call", message.toolCallId);
  const parts = readContent(message.content, place);
  const [only, ...others] = parts;
  const isText = only?.type === "text" && others.length === 0;
  const output: ToolOutput = isText ? { type: "text", text: only.text } : { type: "parts", parts };
  const tool = findText(message.toolName);
  return {
    type: "tool-result",
    callId,
    ...(tool === undefined ? {} : { tool }),
    output,
    failed: message.isError === true,
  };
}

/** The user ran the command and showed it to the model. */
function describeCommand({ command, output }: Fields): string {
  return `Ran \`${findText(command) ?? ""}\`\n\`\`\`\n${findText(output) ?? ""}\n\`\`\``;
}
