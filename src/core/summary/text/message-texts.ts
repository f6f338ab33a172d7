/** The texts of a message, each as it was meant: what was said, what a call was given, what a tool gave back. */
import type { JsonObject, JsonValue } from "../../message/json.ts";
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
      texts.labels.push(part.tool);
      addValue(part.input, { leaves: texts.called, keys: texts.labels });
      return;
    case "tool-result":
      if (part.tool !== undefined) texts.labels.push(part.tool);
      addOutput(texts, part.output);
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
      addValue(part.value, { leaves: texts.attached });
      return;
    default:
      part satisfies never;
  }
}

function addOutput(texts: Record<keyof MessageTexts, string[]>, output: ToolOutput): void {
  if (output.type === "text") texts.given.push(output.text);
  else if (output.type === "json") addValue(output.value, { leaves: texts.given, keys: texts.labels });
  else for (const part of output.parts) if (part.type === "text") texts.given.push(part.text);
}

interface ValueTexts {
  /** Texts and numbers of a value, without the escapes that writing it as JSON would put between them. */
  readonly leaves: string[];
  readonly keys?: string[] | undefined;
}

/** Without recursion and without spreading: a value may be deeper than the stack, and wider. */
function addValue(root: JsonValue, { leaves, keys }: ValueTexts): void {
  const open: (readonly JsonValue[] | JsonObject)[] = [];
  const visit = (value: JsonValue | undefined): void => {
    if (typeof value === "string") leaves.push(value);
    else if (typeof value === "number") leaves.push(String(value));
    else if (typeof value === "object" && value !== null) open.push(value);
  };
  visit(root);
  for (let index = 0; index < open.length; index += 1) {
    const value = open[index];
    if (isList(value)) for (const item of value) visit(item);
    else {
      for (const [key, field] of Object.entries(value ?? {})) {
        keys?.push(key);
        visit(field);
      }
    }
  }
}

/** `Array.isArray` forgets that a list may be readonly. */
function isList(value: readonly JsonValue[] | JsonObject | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
