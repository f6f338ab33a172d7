/** The texts of a message, each as it was meant: what was said, what a call was given, what a tool gave back. */
import type { JsonValue } from "../../message/json.ts";
import type { Message, Part, ToolOutput } from "../../message/message.ts";

export interface MessageTexts {
  readonly said: readonly string[];
  readonly thought: readonly string[];
  /** Every text and number that a call was given. */
  readonly called: readonly string[];
  /** Names of tools, and of the fields of what they take and give. */
  readonly labels: readonly string[];
  readonly given: readonly string[];
  /** Names and addresses of attachments and sources. */
  readonly attached: readonly string[];
}

export function messageTexts(message: Message): MessageTexts {
  const texts = { said: [], thought: [], called: [], labels: [], given: [], attached: [] } as Record<
    keyof MessageTexts,
    string[]
  >;
  for (const part of message.parts) addPart(texts, part);
  return texts;
}

function addPart(texts: Record<keyof MessageTexts, string[]>, part: Part): void {
  switch (part.type) {
    case "text":
      texts.said.push(part.text);
      return;
    case "reasoning":
      texts.thought.push(part.text);
      return;
    case "tool-call":
      texts.labels.push(part.tool, ...keys(part.input));
      texts.called.push(...leaves(part.input));
      return;
    case "tool-result":
      texts.given.push(...outputTexts(part.output));
      if (part.output.type === "json") texts.labels.push(...keys(part.output.value));
      return;
    case "image":
    case "file":
      if (part.source.type === "url") texts.attached.push(part.source.url);
      if (part.type === "file" && part.name !== undefined) texts.attached.push(part.name);
      return;
    case "source":
      texts.attached.push(...[part.url, part.title, part.name].filter((text) => text !== undefined));
      return;
    case "unknown":
      texts.attached.push(...leaves(part.value));
      return;
    default:
      part satisfies never;
  }
}

function outputTexts(output: ToolOutput): readonly string[] {
  if (output.type === "text") return [output.text];
  if (output.type === "json") return leaves(output.value);
  return output.parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
}

/** Texts and numbers of a value, without the escapes that writing it as JSON would put between them. */
function leaves(root: JsonValue): readonly string[] {
  return walk(root).flatMap(({ value }) =>
    typeof value === "string" || typeof value === "number" ? [String(value)] : [],
  );
}

function keys(root: JsonValue): readonly string[] {
  return walk(root).flatMap(({ key }) => key ?? []);
}

interface Field {
  readonly key?: string | undefined;
  readonly value: JsonValue | undefined;
}

/** Without recursion: a value may be deeper than the stack. */
function walk(root: JsonValue): readonly Field[] {
  const fields: Field[] = [{ value: root }];
  for (let index = 0; index < fields.length; index += 1) {
    const value = fields[index]?.value;
    if (typeof value !== "object" || value === null) continue;
    const isList = Array.isArray(value);
    for (const [key, field] of Object.entries(value)) fields.push(isList ? { value: field } : { key, value: field });
  }
  return fields;
}
