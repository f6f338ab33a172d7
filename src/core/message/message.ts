/**
 * The message format. Messages are values: they are never changed, only replaced in a view. Unknown parts are kept
 * unchanged, so that a new kind of part never breaks a conversation.
 *
 * Other formats are read in `formats/`; broken sequences are repaired in `repair-messages.ts`.
 */
import type { JsonObject, JsonValue } from "./json.ts";

declare const flavor: unique symbol;
/** Accepts plain strings and strings of the same flavor, but no string of another flavor. */
export type Flavored<Name extends string> = string & { readonly [flavor]?: Name };

export type MessageId = Flavored<"message">;
export type CallId = Flavored<"call">;

export const ROLES = ["system", "user", "assistant", "tool"] as const;
/** Who wrote a message. */
export type Role = (typeof ROLES)[number];

export function isRole(value: unknown): value is Role {
  return ROLES.some((role) => role === value);
}

/**
 * Uninterpreted fields of the source, by provider ("anthropic", "openai", "google": the AI SDK's `providerOptions`) or
 * by wire format ("wire:openai-chat": fields of that format that have no name here). A format writes back what is under
 * its own names, so that decoding and encoding is lossless.
 */
export type Extras = Readonly<Record<string, JsonObject>>;

export interface TextPart {
  readonly type: "text";
  readonly text: string;
  readonly extras?: Extras | undefined;
}

/** A model's thinking. Signatures and encrypted thinking in `extras` must be sent back unchanged or not at all. */
export interface ReasoningPart {
  readonly type: "reasoning";
  readonly text: string;
  readonly extras?: Extras | undefined;
}

export interface ToolCallPart {
  readonly type: "tool-call";
  readonly callId: CallId;
  readonly tool: string;
  readonly input: JsonValue;
  /** The model's own spelling of the input, if `JSON.stringify(input)` would give other bytes. */
  readonly inputText?: string | undefined;
  /** The provider ran the tool itself (web search, code execution); its result may be in the same message. */
  readonly byProvider?: boolean | undefined;
  readonly extras?: Extras | undefined;
}

export interface ToolResultPart {
  readonly type: "tool-result";
  readonly callId: CallId;
  /** The tool's name if the source repeats it. */
  readonly tool?: string | undefined;
  readonly output: ToolOutput;
  readonly failed: boolean;
  readonly byProvider?: boolean | undefined;
  readonly extras?: Extras | undefined;
}

/** Tool output: plain text, a structured value, or parts such as text and an image. */
export type ToolOutput =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "json"; readonly value: JsonValue }
  | { readonly type: "parts"; readonly parts: readonly ContentPart[] };

/** Where the bytes of an image or file are. `base64` has no `data:` prefix. */
export type MediaSource =
  | { readonly type: "data"; readonly base64: string }
  | { readonly type: "url"; readonly url: string }
  | { readonly type: "reference"; readonly id: string };

export interface ImagePart {
  readonly type: "image";
  readonly source: MediaSource;
  readonly mediaType?: string | undefined;
  readonly widthPixels?: number | undefined;
  readonly heightPixels?: number | undefined;
  readonly extras?: Extras | undefined;
}

export interface FilePart {
  readonly type: "file";
  readonly source: MediaSource;
  readonly mediaType: string;
  readonly name?: string | undefined;
  readonly extras?: Extras | undefined;
}

/** A page or document that a model cited. */
export interface SourcePart {
  readonly type: "source";
  readonly id: string;
  readonly url?: string | undefined;
  readonly title?: string | undefined;
  readonly mediaType?: string | undefined;
  readonly name?: string | undefined;
  readonly extras?: Extras | undefined;
}

/** A part that this version does not know, unchanged. It is sent only in its own `format`. */
export interface UnknownPart {
  readonly type: "unknown";
  readonly format: string;
  readonly value: JsonValue;
}

/** A part that users, models and tools may all write. */
export type ContentPart = TextPart | ImagePart | FilePart | UnknownPart;

/** A piece of a message: text, reasoning, tool call, tool result, image, file, source, or an unknown kind. */
export type Part =
  | TextPart
  | ReasoningPart
  | ToolCallPart
  | ToolResultPart
  | ImagePart
  | FilePart
  | SourcePart
  | UnknownPart;

/**
 * Tool results are in messages with role `tool` only, except results of tools that the provider ran, which may be next
 * to their call in an assistant message. Tool calls and reasoning are in assistant messages.
 */
export interface Message {
  readonly id: MessageId;
  readonly role: Role;
  readonly parts: readonly Part[];
  /** When it was sent, in epoch milliseconds, if the source contains the time. */
  readonly saidAt?: number | undefined;
  /** The speaker's name, if several people or agents share a role. */
  readonly name?: string | undefined;
  readonly extras?: Extras | undefined;
}

/** Returns the message with these parts; the same object if none of them changed. */
export function withParts(message: Message, parts: readonly Part[]): Message {
  const isSame = parts.length === message.parts.length && parts.every((part, index) => part === message.parts[index]);
  return isSame ? message : { ...message, parts };
}

/** Lists calls that wait for a result from the host. Calls that the provider ran do not wait. */
export function listCallIds(message: Message): readonly CallId[] {
  return message.parts.flatMap((part) => (part.type === "tool-call" && part.byProvider !== true ? [part.callId] : []));
}

export function listAnsweredIds(message: Message): readonly CallId[] {
  return message.parts.flatMap((part) =>
    part.type === "tool-result" && part.byProvider !== true ? [part.callId] : [],
  );
}

/** Whether an assistant message has only reasoning; the assistant's next message belongs to it. */
export function hasOnlyThinking({ role, parts }: Message): boolean {
  return role === "assistant" && parts.length > 0 && parts.every((part) => part.type === "reasoning");
}

/** Whether the message can be one of several with parallel calls. It has no text, because text comes before calls. */
export function continuesCalls({ role, parts }: Message): boolean {
  if (role !== "assistant" || parts.length === 0) return false;
  return parts.every((part) => part.type === "tool-call" || part.type === "reasoning");
}
