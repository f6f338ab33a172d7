/** Reads one message of ChatGPT. A message to a tool is a call, and the tool's message after it is the result. */
import { type Fields, findText, isObject, readFields, readList, readText } from "../../core/check-value.ts";
import type { Part, Role } from "../../core/message/message.ts";
import type { MessageFacts } from "../shared/session-draft.ts";
import { asJson, readArguments, readTime } from "../shared/values.ts";

const ROLES: readonly Role[] = ["user", "assistant", "system", "tool"];

export interface NodePlace {
  readonly id: string;
  readonly parent: string | undefined;
  /** The ids of calls, by the node that made them. */
  readonly calls: Map<string, string>;
}

export function readChatGptMessage(message: Fields, { id, parent, calls }: NodePlace): readonly MessageFacts[] {
  const author = readFields(message.author);
  const role = ROLES.find((each) => each === author.role);
  const parts = readParts(readFields(message.content));
  const recipient = findText(message.recipient);
  if (role === undefined || parts.length === 0) return [];
  const model = findText(readFields(message.metadata).model_slug);
  const facts = { id, saidAt: readTime(message.create_time), parentId: parent, source: { model } };
  const name = findText(author.name);
  if (role === "assistant" && recipient !== undefined && recipient !== "all") {
    calls.set(id, recipient);
    const input = readArguments(describe(parts), id);
    return [{ ...facts, role, parts: [{ type: "tool-call", callId: id, tool: recipient, ...input }] }];
  }
  if (role === "tool") return [readAnswer(facts, { name, parts, parent, calls })];
  // Settings of the user's account are instructions, not something that was said in this conversation.
  const isSetting = readFields(message.content).content_type === "user_editable_context";
  return [{ ...facts, role: isSetting ? "system" : role, parts, ...(name === undefined ? {} : { name }) }];
}

interface Answer {
  readonly name: string | undefined;
  readonly parts: readonly Part[];
  readonly parent: string | undefined;
  readonly calls: Map<string, string>;
}

/** A tool's message without a call before it is kept as what the assistant showed. */
function readAnswer(facts: Omit<MessageFacts, "role" | "parts">, { name, parts, parent, calls }: Answer): MessageFacts {
  const tool = parent === undefined ? undefined : calls.get(parent);
  if (parent === undefined || tool === undefined)
    return { ...facts, role: "assistant", parts, ...(name === undefined ? {} : { name }) };
  calls.delete(parent);
  const output = { type: "text", text: describe(parts) } as const;
  return {
    ...facts,
    role: "tool",
    parts: [{ type: "tool-result", callId: parent, tool: name ?? tool, output, failed: false }],
  };
}

function describe(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

function readParts(content: Fields): readonly Part[] {
  const { content_type: type, parts, text, result, thoughts } = content;
  if (type === "thoughts") {
    return readList(thoughts).map((each): Part => {
      const { summary, content: said } = readFields(each);
      return { type: "reasoning", text: [readText(summary), readText(said)].filter((line) => line !== "").join("\n") };
    });
  }
  if (type === "user_editable_context") {
    const said = [readText(content.user_profile), readText(content.user_instructions)].filter((line) => line !== "");
    return said.length === 0 ? [] : [{ type: "text", text: said.join("\n") }];
  }
  const listed = readList(parts).flatMap(readPart);
  const single = readText(text) || readText(result) || readText(content.content);
  return listed.length > 0 || single === "" ? listed : [{ type: "text", text: single }];
}

/** Images are files of the export that are named here; the reference is kept. */
function readPart(part: unknown): readonly Part[] {
  if (typeof part === "string") return part === "" ? [] : [{ type: "text", text: part }];
  const { text, asset_pointer: pointer } = readFields(part);
  if (typeof text === "string" && text !== "") return [{ type: "text", text }];
  if (typeof pointer === "string") return [{ type: "image", source: { type: "reference", id: pointer } }];
  return isObject(part) ? [{ type: "unknown", format: "chatgpt", value: asJson(part, "content.parts") }] : [];
}
