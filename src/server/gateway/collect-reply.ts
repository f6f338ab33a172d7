/** Puts a reply together, whole or from server-sent events, in the form in which a client would send it back. */
import { createParser } from "eventsource-parser";
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/message/json.ts";
import type { Dialect } from "./read-request.ts";

export interface CollectedReply {
  /** Empty if the upstream sent no complete reply. */
  readonly items: readonly JsonObject[];
  readonly usage: JsonObject | undefined;
  /** Text that arrived, even of an incomplete reply. */
  readonly text: string;
}

export interface ReplyCollector {
  /** Takes the next piece of the decoded body. */
  add(text: string): void;
  finish(): CollectedReply;
}

type Fields = { -readonly [Key in keyof JsonObject]: JsonObject[Key] };

/** Reads the events of one API. */
interface EventReader {
  read(event: JsonObject): void;
  finish(): CollectedReply;
}

export function createCollector({ provider }: Dialect, isStream: boolean): ReplyCollector {
  if (!isStream) return collectWhole(provider);
  const reader = READERS[provider]();
  const parser = createParser({
    onEvent: ({ data }) => {
      const event = parseObject(data);
      if (event !== undefined) reader.read(event);
    },
  });
  return { add: (text) => parser.feed(text), finish: () => reader.finish() };
}

const READERS: Readonly<Record<Dialect["provider"], () => EventReader>> = {
  openai: readChatEvents,
  "openai-responses": readResponseEvents,
  anthropic: readMessageEvents,
};

function collectWhole(provider: Dialect["provider"]): ReplyCollector {
  const pieces: string[] = [];
  return {
    add: (text) => pieces.push(text),
    finish() {
      const body = parseObject(pieces.join("")) ?? {};
      const items = readWhole(provider, body);
      return { items, usage: objectOf(body.usage), text: "" };
    },
  };
}

function readWhole(provider: Dialect["provider"], body: JsonObject): readonly JsonObject[] {
  if (provider === "openai-responses") return objectsOf(body.output);
  if (provider === "anthropic")
    return Array.isArray(body.content) ? [{ role: "assistant", content: body.content }] : [];
  const message = objectOf(objectsOf(body.choices)[0]?.message);
  return message === undefined ? [] : [message];
}

/** OpenAI's chat completions: pieces of the first choice. */
function readChatEvents(): EventReader {
  const message: Fields = { role: "assistant", content: null };
  const calls = new Map<number, { id?: JsonValue; type: string; function: { name: string; arguments: string } }>();
  let usage: JsonObject | undefined;
  let isComplete = false;
  const append = (field: string, value: JsonValue | undefined) => {
    if (typeof value === "string") message[field] = `${message[field] ?? ""}${value}`;
  };
  return {
    read(event) {
      usage = objectOf(event.usage) ?? usage;
      const choice = objectsOf(event.choices).find(({ index = 0 }) => index === 0);
      const delta = objectOf(choice?.delta) ?? {};
      for (const field of ["content", "refusal", "reasoning_content"]) append(field, delta[field]);
      for (const piece of objectsOf(delta.tool_calls)) {
        const place = Number(piece.index ?? 0);
        const call = calls.get(place) ?? { type: "function", function: { name: "", arguments: "" } };
        calls.set(place, call);
        if (piece.id !== undefined) call.id = piece.id;
        const { name, arguments: input } = objectOf(piece.function) ?? {};
        if (typeof name === "string") call.function.name += name;
        if (typeof input === "string") call.function.arguments += input;
      }
      if (typeof choice?.finish_reason === "string") isComplete = true;
    },
    finish() {
      const whole = inOrder(calls);
      const item = whole.length === 0 ? message : { ...message, tool_calls: whole as unknown as JsonValue };
      return { items: isComplete ? [item] : [], usage, text: String(message.content ?? "") };
    },
  };
}

/** OpenAI's responses: the last event has all items. */
function readResponseEvents(): EventReader {
  let last: JsonObject | undefined;
  let text = "";
  return {
    read(event) {
      if (event.type === "response.output_text.delta" && typeof event.delta === "string") text += event.delta;
      if (event.type === "response.completed" || event.type === "response.incomplete") last = objectOf(event.response);
    },
    finish: () => ({ items: objectsOf(last?.output), usage: objectOf(last?.usage), text }),
  };
}

const DELTA_FIELDS: Readonly<Record<string, string>> = {
  text_delta: "text",
  thinking_delta: "thinking",
  signature_delta: "signature",
};

/** Anthropic's messages: blocks by index, each with its deltas. */
function readMessageEvents(): EventReader {
  const blocks = new Map<number, Fields>();
  const inputs = new Map<number, string>();
  let usage: JsonObject | undefined;
  let isComplete = false;
  const addDelta = (index: number, delta: JsonObject) => {
    const block = blocks.get(index);
    if (block === undefined) return;
    const field = DELTA_FIELDS[String(delta.type)];
    if (field !== undefined) block[field] = `${block[field] ?? ""}${delta[field] ?? ""}`;
    if (delta.type === "input_json_delta") inputs.set(index, `${inputs.get(index) ?? ""}${delta.partial_json ?? ""}`);
    if (delta.type === "citations_delta" && delta.citation !== undefined) {
      block.citations = [...(Array.isArray(block.citations) ? block.citations : []), delta.citation];
    }
  };
  return {
    read(event) {
      const index = Number(event.index ?? 0);
      if (event.type === "message_start") usage = objectOf(objectOf(event.message)?.usage);
      else if (event.type === "content_block_start") blocks.set(index, { ...objectOf(event.content_block) });
      else if (event.type === "content_block_delta") addDelta(index, objectOf(event.delta) ?? {});
      else if (event.type === "message_delta") usage = { ...usage, ...objectOf(event.usage) };
      else if (event.type === "message_stop") isComplete = true;
    },
    finish() {
      for (const [index, block] of blocks) blocks.set(index, addInput(block, inputs.get(index)));
      const content = inOrder(blocks);
      const texts = content.map(({ text }) => (typeof text === "string" ? text : ""));
      return { items: isComplete ? [{ role: "assistant", content }] : [], usage, text: texts.join("") };
    },
  };
}

/** Returns the values by their index. An upstream chooses the indexes, so an array would be as long as the largest. */
function inOrder<Value>(values: ReadonlyMap<number, Value>): readonly Value[] {
  return [...values].toSorted(([one], [other]) => one - other).map(([, value]) => value);
}

function addInput(block: JsonObject, input: string | undefined): JsonObject {
  return input === undefined || input === "" ? block : { ...block, input: parseObject(input) ?? block.input };
}

function parseObject(text: string): JsonObject | undefined {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    // Not JSON, such as OpenAI's last line `[DONE]`.
    return undefined;
  }
}

function objectOf(value: JsonValue | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
