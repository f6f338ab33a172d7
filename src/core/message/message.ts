/**
 * What was said. Messages are values: they are never changed, only replaced in a view by something that says why.
 * Parts that we do not know are carried through untouched, so that a new kind of part never costs a conversation.
 *
 * This file holds the shape and the smallest questions about it. Reading other people's shapes is `formats/`,
 * mending broken sequences is `repair-messages.ts`.
 */
import type { JsonObject, JsonValue } from "./json.ts";

declare const flavour: unique symbol;
/** A string that remembers what it names: plain strings fit, another flavour does not. */
export type Flavoured<Name extends string> = string & { readonly [flavour]?: Name };

export type MessageId = Flavoured<"message">;
export type CallId = Flavoured<"call">;

export type Role = "system" | "user" | "assistant" | "tool";

/**
 * What the source said and we do not interpret, by provider ("anthropic", "openai", "google": the AI SDK's
 * `providerOptions`) or by wire format ("wire:openai-chat": fields of that wire that have no name here). A format takes
 * back what is under its own names, so that a trip there and back loses nothing.
 */
export type Extras = Readonly<Record<string, JsonObject>>;

export interface TextPart {
  readonly type: "text";
  readonly text: string;
  readonly extras?: Extras | undefined;
}

/** What a model thought. Signatures and encrypted thoughts are in `extras`; they must go back unchanged or not at all. */
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
  /** The model's own spelling of the input, kept where `JSON.stringify(input)` would give other bytes. */
  readonly inputText?: string | undefined;
  /** The provider ran the tool itself (web search, code execution); its result may stand in the same message. */
  readonly byProvider?: boolean | undefined;
  readonly extras?: Extras | undefined;
}

export interface ToolResultPart {
  readonly type: "tool-result";
  readonly callId: CallId;
  /** The tool's name where the source repeats it. */
  readonly tool?: string | undefined;
  readonly output: ToolOutput;
  readonly failed: boolean;
  readonly byProvider?: boolean | undefined;
  readonly extras?: Extras | undefined;
}

/** What a tool gave back: plain text, a structured value, or parts such as text beside an image. */
export type ToolOutput =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "json"; readonly value: JsonValue }
  | { readonly type: "parts"; readonly parts: readonly (TextPart | ImagePart | FilePart | UnknownPart)[] };

/** Where the bytes of an image or file are. `base64` carries no `data:` prefix. */
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

/** Something a model cited: a page or a document. */
export interface SourcePart {
  readonly type: "source";
  readonly id: string;
  readonly url?: string | undefined;
  readonly title?: string | undefined;
  readonly mediaType?: string | undefined;
  readonly name?: string | undefined;
  readonly extras?: Extras | undefined;
}

/** A part that this version does not know, as it came. It is sent on only where `format` is spoken. */
export interface UnknownPart {
  readonly type: "unknown";
  readonly format: string;
  readonly value: JsonValue;
}

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
 * Tool results live in messages of role `tool`, and only there (results of tools that the provider ran may also stand
 * beside their call in an assistant message). Tool calls and reasoning live in assistant messages.
 */
export interface Message {
  readonly id: MessageId;
  readonly role: Role;
  readonly parts: readonly Part[];
  /** When it was said, in epoch milliseconds, where the source knows. */
  readonly saidAt?: number | undefined;
  /** Who said it, where several people or agents share a role. */
  readonly name?: string | undefined;
  readonly extras?: Extras | undefined;
}

/** The calls that wait for a result from the host. Calls that the provider ran itself wait for nobody. */
export function callIds(message: Message): readonly CallId[] {
  return message.parts.flatMap((part) => (part.type === "tool-call" && part.byProvider !== true ? [part.callId] : []));
}

/** The calls that this message answers for the host. */
export function answeredIds(message: Message): readonly CallId[] {
  return message.parts.flatMap((part) =>
    part.type === "tool-result" && part.byProvider !== true ? [part.callId] : [],
  );
}

/** An assistant message that is thought and nothing else: what is said next belongs to it. */
export function isThought({ role, parts }: Message): boolean {
  return role === "assistant" && parts.length > 0 && parts.every((part) => part.type === "reasoning");
}

/**
 * Whether an assistant message can be one of several that make parallel calls: some wires write each call as an item of
 * its own. Words are not part of that: where they and calls make one message, wires put the words first.
 */
export function continuesCalls({ role, parts }: Message): boolean {
  if (role !== "assistant" || parts.length === 0) return false;
  return parts.every((part) => part.type === "tool-call" || part.type === "reasoning");
}
