/**
 * Reads messages for functions that work without a store: our own unchanged, and any other known format with ids,
 * speakers and times. Items without an id get `message-0`, `message-1`, … by place. Input that no format can read is an
 * error with its path; nothing is repaired.
 */
import { type Fields, isObject } from "../../check-value.ts";
import { PalimpsestError } from "../../errors.ts";
import { isRole, type Message, type Part } from "../message.ts";
import { fallbackId } from "../message-ids.ts";
import { decodeInput } from "./decode-input.ts";

export interface DecodedMessages {
  readonly messages: readonly Message[];
  /** Index of each message's item in the caller's list. */
  readonly places: readonly number[];
}

/** A message in any supported format: AI SDK, OpenAI, Anthropic, Gemini, LangChain, plain, or our own. */
export type AnyMessage = Message | object;

export interface ReadMessagesOptions {
  /** Number of earlier messages. Generated ids such as `message-3` continue after them. */
  readonly firstIndex?: number | undefined;
}

export function readMessages(
  input: readonly AnyMessage[],
  { firstIndex = 0 }: ReadMessagesOptions = {},
): DecodedMessages {
  if (!Array.isArray(input)) {
    const found = input === null ? "null" : typeof input;
    const text = `messages: expected a list of messages such as [{ role: "user", content: "…" }], found ${found}.`;
    throw new PalimpsestError("message-invalid", text, { details: { path: "messages" } });
  }
  if (input.every(isOwnMessage)) return { messages: input, places: input.map((_, place) => place) };
  const decoded = decodeInput(input, { fallbackId: (index) => fallbackId(index + firstIndex) });
  const messages: Message[] = [];
  const places: number[] = [];
  for (const [place, group] of decoded.messages.entries()) {
    for (const message of group) {
      messages.push(withSpeaker(message, input[place]));
      places.push(place);
    }
  }
  return { messages, places };
}

const OWN_KEYS: ReadonlySet<string> = new Set(["id", "role", "parts", "saidAt", "name", "extras"]);

/** A text-only UI message has the same form and the same meaning. */
export function isOwnMessage(item: unknown): item is Message {
  if (!isObject(item) || typeof item.id !== "string" || !isRole(item.role) || !Array.isArray(item.parts)) return false;
  for (const key of Object.keys(item)) if (!OWN_KEYS.has(key)) return false;
  return item.parts.every(isOwnPart);
}

function isOwnPart(part: unknown): part is Part {
  if (!isObject(part)) return false;
  switch (part.type) {
    case "text":
    case "reasoning":
      return typeof part.text === "string" && part.state === undefined && part.providerMetadata === undefined;
    case "tool-call":
      return typeof part.callId === "string" && typeof part.tool === "string";
    case "tool-result":
      return typeof part.callId === "string" && isObject(part.output);
    case "image":
    case "file":
      return isObject(part.source) && typeof part.source.type === "string";
    case "source":
      return typeof part.id === "string";
    case "unknown":
      return typeof part.format === "string";
    default:
      return false;
  }
}

function withSpeaker(message: Message, item: unknown): Message {
  if (!isObject(item)) return message;
  const saidAt = message.saidAt ?? findTime(item);
  const name = message.name ?? (message.role === "tool" ? undefined : findSpeakerName(item));
  if (saidAt === message.saidAt && name === message.name) return message;
  return { ...message, ...(saidAt === undefined ? {} : { saidAt }), ...(name === undefined ? {} : { name }) };
}

function findSpeakerName(item: Fields): string | undefined {
  const { name, author, metadata } = item;
  const found = name ?? author ?? (isObject(metadata) ? (metadata.name ?? metadata.author) : undefined);
  return typeof found === "string" && found.trim() !== "" ? found : undefined;
}

const TIME_KEYS = ["saidAt", "createdAt", "created_at", "timestamp", "created", "date", "time"];

function findTime(item: Fields): number | undefined {
  for (const source of [item, item.metadata, item.additional_kwargs]) {
    if (!isObject(source)) continue;
    for (const key of TIME_KEYS) {
      const time = readTime(source[key]);
      if (time !== undefined) return time;
    }
  }
  return undefined;
}

/** Smaller numbers are seconds: as milliseconds they would be days of 1970. */
const FIRST_MILLISECONDS = 100_000_000_000;
const WRITTEN_TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(Z|[+-]\d\d:?\d\d)?)?$/;

/** Reads epoch seconds or milliseconds, a `Date`, or ISO 8601; without a zone it is UTC. */
function readTime(value: unknown): number | undefined {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.getTime();
  if (typeof value === "number" && Number.isFinite(value) && value > 0) {
    return value < FIRST_MILLISECONDS ? value * 1_000 : value;
  }
  const match = typeof value === "string" ? WRITTEN_TIME.exec(value.trim()) : null;
  if (match === null) return undefined;
  const [, day = "", clock = "00:00", zone = "Z"] = match;
  const time = Date.parse(`${day}T${clock}${zone}`);
  return Number.isNaN(time) ? undefined : time;
}
