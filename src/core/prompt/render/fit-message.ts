/** Reduces a message to what a provider accepts. The result never depends on later messages. */
import type { FormatName } from "../../message/formats/format.ts";
import { imageMediaType } from "../../message/formats/wire-item.ts";
import { hashText } from "../../message/hash-message.ts";
import { isJsonObject, isJsonText, type JsonObject } from "../../message/json.ts";
import type {
  Extras,
  FilePart,
  ImagePart,
  MediaSource,
  Message,
  Part,
  ReasoningPart,
  Role,
  TextPart,
  ToolCallPart,
  ToolOutput,
  ToolResultPart,
  UnknownPart,
} from "../../message/message.ts";
import {
  type CompactionProvider,
  describeProviderCompaction,
  findProviderCompaction,
  type ProviderCompaction,
} from "../../message/provider-compaction.ts";
import { NO_OUTPUT, writeEmptyNote, writeMediaNote, writeSystemNote, writeToolNote } from "../notes.ts";
import { PROVIDER_LIMITS, type Provider } from "../provider.ts";
import { systemText } from "./split-system.ts";

export interface FitRules {
  readonly provider: Provider;
  readonly format: FormatName;
  /** The provider whose compactions can be sent. */
  readonly compactionsBy?: CompactionProvider | undefined;
  readonly keepsSystem: boolean;
  /** Whether the model's own images may be sent back. */
  readonly keepsAssistantMedia: boolean;
  /** Media types that a result may contain as bytes. Links and file ids are allowed in user messages only. */
  readonly resultTypes: ReadonlySet<string>;
  /** Returns the reasoning with its required fields, or nothing if it is not the provider's own. */
  fitThought(part: ReasoningPart): ReasoningPart | undefined;
  /** Returns fields that must be sent back with a part: signatures, and the type of any call but a function call. */
  keptExtras(part: TextPart | ImagePart | FilePart | ToolCallPart): Extras | undefined;
  /** Returns fields that must be sent back with a result, including the type of its call. */
  resultExtras(part: ToolResultPart, call: ToolCallPart | undefined): Extras | undefined;
  /** Whether a call or result of a tool that the provider ran can be sent in the provider's own format. */
  isOwnTool(part: ToolCallPart | ToolResultPart): boolean;
  fitInput(part: ToolCallPart): Pick<ToolCallPart, "input" | "inputText">;
  /** Whether an unknown part of the provider's own format may be sent in a message of that role. */
  takesUnknown(value: JsonObject, role: Role): boolean;
}

type Calls = Map<string, ToolCallPart>;

export function fitMessages(messages: readonly Message[], fitting: FitRules): readonly Message[] {
  const calls: Calls = new Map();
  return messages.map((message) => fitMessage(message, { fitting, calls }));
}

function fitMessage(
  message: Message,
  { fitting, calls }: { readonly fitting: FitRules; readonly calls: Calls },
): Message {
  if (message.role === "system") return fitSystem(message, fitting);
  const pairs = message.role === "assistant" ? findProviderPairs(message, fitting) : new Set<string>();
  const parts = message.parts.flatMap((part): readonly Part[] => {
    const compaction = message.role === "assistant" ? findProviderCompaction(part) : undefined;
    if (compaction !== undefined) return [fitCompaction(compaction, fitting)];
    switch (part.type) {
      case "text":
        return [withKept({ type: "text", text: part.text }, fitting.keptExtras(part))];
      case "reasoning":
        return message.role === "assistant" ? toList(fitting.fitThought(part)) : [];
      case "tool-call":
      case "tool-result":
        return [fitToolPart(part, { fitting, calls, pairs })];
      case "image":
      case "file":
        return [fitMediaOf(part, { fitting, role: message.role })];
      case "source":
        return [];
      case "unknown":
        return fitUnknown(part, { fitting, role: message.role });
      default:
        return part satisfies never;
    }
  });
  return { id: message.id, role: message.role, parts: ensureContent(parts, message), ...nameOf(message) };
}

function fitCompaction(compaction: ProviderCompaction, { compactionsBy, format }: FitRules): Part {
  if (compaction.by !== compactionsBy) return describeProviderCompaction(compaction);
  return { type: "unknown", format, value: removeCacheMark(compaction.block) };
}

interface PartPlace {
  readonly fitting: FitRules;
  readonly role: Role;
}

function fitMediaOf(part: ImagePart | FilePart, { fitting, role }: PartPlace): Part {
  const takes = role === "user" || (role === "assistant" && fitting.keepsAssistantMedia);
  if (!takes) return { type: "text", text: writeMediaNote(part) };
  const fitted = fitMedia(part, fitting.provider);
  return fitted.type === "text" ? fitted : withKept(fitted, fitting.keptExtras(part));
}

function toList<Value>(value: Value | undefined): readonly Value[] {
  return value === undefined ? [] : [value];
}

function nameOf({ name }: Message): Pick<Message, "name"> {
  return name !== undefined && /^[^\s<|\\/>]{1,64}$/.test(name) ? { name } : {};
}

export function fitSystem(message: Message, { keepsSystem }: Pick<FitRules, "keepsSystem">): Message {
  const text = systemText(message).trim() === "" ? writeEmptyNote(message.parts) : systemText(message);
  if (keepsSystem) return { id: message.id, role: "system", parts: [{ type: "text", text }] };
  return { id: message.id, role: "user", parts: [{ type: "text", text: writeSystemNote(text) }] };
}

/** Removes blank texts, and adds a short text if no part is left. */
function ensureContent(parts: readonly Part[], message: Message): readonly Part[] {
  const filled = parts.filter((part) => part.type !== "text" || part.extras !== undefined || part.text.trim() !== "");
  return filled.length > 0 ? filled : [{ type: "text", text: writeEmptyNote(message.parts) }];
}

function withKept<Kept extends Part>(part: Kept, extras: Extras | undefined): Kept {
  return extras === undefined ? part : { ...part, extras };
}

interface ToolPlace {
  readonly fitting: FitRules;
  readonly calls: Calls;
  /** Calls of provider-run tools whose result is in the same message. */
  readonly pairs: ReadonlySet<string>;
}

function fitToolPart(part: ToolCallPart | ToolResultPart, { fitting, calls, pairs }: ToolPlace): Part {
  if (part.byProvider === true) {
    return pairs.has(part.callId) ? withoutMarks(part) : { type: "text", text: writeToolNote(part) };
  }
  if (part.type === "tool-result") return fitResult(part, { fitting, call: calls.get(part.callId) });
  calls.set(part.callId, part);
  const call: ToolCallPart = {
    type: "tool-call",
    callId: fitCallId(part.callId, fitting.provider),
    tool: fitToolName(part.tool, fitting.provider),
    ...fitting.fitInput(part),
  };
  return withKept(call, fitting.keptExtras(part));
}

/** Sets the type and name of a result to those of its call. */
function fitResult(
  part: ToolResultPart,
  { fitting, call }: { readonly fitting: FitRules; readonly call: ToolCallPart | undefined },
): ToolResultPart {
  const result: ToolResultPart = {
    type: "tool-result",
    callId: fitCallId(part.callId, fitting.provider),
    tool: fitToolName(call?.tool ?? part.tool ?? "unknown", fitting.provider),
    output: fitOutput(part.output, fitting),
    failed: part.failed,
  };
  return withKept(result, fitting.resultExtras(part, call));
}

function fitOutput(output: ToolOutput, fitting: FitRules): ToolOutput {
  if (output.type === "json") return output;
  if (output.type === "text") return output.text.trim() === "" ? { type: "text", text: NO_OUTPUT } : output;
  const parts = output.parts.flatMap((part): readonly (TextPart | ImagePart | FilePart)[] => {
    if (part.type === "unknown") return [];
    if (part.type === "text") return part.text.trim() === "" ? [] : [{ type: "text", text: part.text }];
    return [fitResultMedia(part, fitting)];
  });
  return parts.length === 0 ? { type: "text", text: NO_OUTPUT } : { type: "parts", parts };
}

function fitResultMedia(
  part: ImagePart | FilePart,
  { provider, resultTypes }: FitRules,
): ImagePart | FilePart | TextPart {
  const fitted = fitMedia(part, provider);
  const held = fitted.type !== "text" && fitted.source.type === "data" && resultTypes.has(fitted.mediaType ?? "");
  return held ? fitted : { type: "text", text: writeMediaNote(part) };
}

function fitUnknown(part: UnknownPart, { fitting, role }: PartPlace): readonly Part[] {
  const own = part.format === fitting.format && isJsonObject(part.value) && fitting.takesUnknown(part.value, role);
  if (own && isJsonObject(part.value)) return [{ ...part, value: removeCacheMark(part.value) }];
  return describeUnknownPart(part);
}

/** Returns a text for another provider's compaction, and nothing for other unknown parts. */
export function describeUnknownPart(part: UnknownPart): readonly Part[] {
  const compaction = findProviderCompaction(part);
  return compaction === undefined ? [] : [describeProviderCompaction(compaction)];
}

/** Removes old cache marks, because the prompt's own breakpoints replace them. */
function removeCacheMark({ cache_control: _, ...value }: JsonObject): JsonObject {
  return value;
}

function withoutMarks<Kept extends ToolCallPart | ToolResultPart>(part: Kept): Kept {
  const extras = Object.fromEntries(Object.entries(part.extras ?? {}).filter(([name]) => name.startsWith("wire:")));
  return { ...part, extras };
}

/** Provider-run tools are sent back only unchanged, call and result together, in the provider's own format. */
function findProviderPairs(message: Message, { isOwnTool }: FitRules): ReadonlySet<string> {
  const own = (type: "tool-call" | "tool-result") =>
    message.parts.flatMap((part) =>
      part.type === type && part.byProvider === true && isOwnTool(part) ? [part.callId] : [],
    );
  const calls = own("tool-call");
  const results = own("tool-result");
  const once = (ids: readonly string[], id: string) => ids.filter((other) => other === id).length === 1;
  return new Set(calls.filter((id) => once(calls, id) && once(results, id)));
}

/** Wraps an input that is not an object, because Anthropic and Gemini accept only objects. */
export function fitObjectInput({ input }: ToolCallPart): Pick<ToolCallPart, "input"> {
  return { input: isJsonObject(input) ? input : { value: input } };
}

/** Input that is not JSON is sent as a JSON string. */
export function fitJsonInput({ input, inputText }: ToolCallPart): Pick<ToolCallPart, "input" | "inputText"> {
  return inputText === undefined || !isJsonText(inputText) ? { input } : { input, inputText };
}

/** Returns the image or file as the provider accepts it, or a short text. File ids of other providers are not sent. */
export function fitMedia(part: ImagePart | FilePart, provider: Provider): ImagePart | FilePart | TextPart {
  const image = part.type === "image" || /^image(\/|$)/.test(removeParameters(part.mediaType));
  return (image ? fitImage(part, provider) : fitFile(part, provider)) ?? { type: "text", text: writeMediaNote(part) };
}

/** Reads the type of an image from its bytes if it is not exact. A link to an image is not checked. */
function fitImage(part: ImagePart | FilePart, provider: Provider): ImagePart | undefined {
  const { source } = part;
  const stated = removeParameters(part.mediaType);
  const isVague = stated === "" || stated === "image" || stated === "image/*";
  const mediaType = isVague ? imageMediaType({ type: "image", source }) : stated;
  if (!PROVIDER_LIMITS[provider].imageTypes.has(mediaType)) return undefined;
  const image: ImagePart = { type: "image", source, mediaType };
  if (source.type === "data") return image;
  if (source.type === "url") return isWebUrl(source.url) ? image : undefined;
  return PROVIDER_LIMITS[provider].takesImageIds && isOwnFile(source, provider) ? image : undefined;
}

function fitFile(part: ImagePart | FilePart, provider: Provider): FilePart | undefined {
  const { source } = part;
  const mediaType = removeParameters(part.mediaType);
  const name = part.type === "file" ? part.name : undefined;
  const file: FilePart = { type: "file", source, mediaType, ...(name === undefined ? {} : { name }) };
  if (source.type === "reference") return isOwnFile(source, provider) ? file : undefined;
  const { fileTypes, linkedFileTypes, needsFileName } = PROVIDER_LIMITS[provider];
  if (!fileTypes.has(mediaType)) return undefined;
  const mayLink = linkedFileTypes === "all" || linkedFileTypes.has(mediaType);
  if (source.type === "url") return mayLink && isWebUrl(source.url) ? file : undefined;
  return needsFileName && name === undefined ? { ...file, name: "file.pdf" } : file;
}

function isOwnFile(source: MediaSource, provider: Provider): boolean {
  return source.type === "reference" && PROVIDER_LIMITS[provider].fileId?.test(source.id) === true;
}

function isWebUrl(url: string): boolean {
  return /^(https?|gs):\/\//.test(url);
}

/** Removes parameters: `text/plain;charset=utf-8` becomes `text/plain`. */
function removeParameters(mediaType: string | undefined): string {
  return ((mediaType ?? "").split(";")[0] ?? "").trim().toLowerCase();
}

// Call ids and tool names that a provider accepts are unchanged. Others get a hash, so that they stay distinct; so do
// names that already look hashed.
/** An id that every provider accepts, because the AI SDK may pass it to any of them. */
const ANY_PROVIDERS_ID = /^[a-zA-Z0-9_-]{1,40}$/;

const HASHED_ID = /^px-[0-9a-f]{32}$/;
const HASHED_NAME = /_px[0-9a-f]{16}$/;
/** With the hash appended, a name stays within 64 characters, the lowest limit. */
const MAX_READABLE_LENGTH = 40;

export function fitCallId(id: string, provider: Provider | "ai-sdk"): string {
  const allowed = provider === "ai-sdk" ? ANY_PROVIDERS_ID : PROVIDER_LIMITS[provider].callId;
  return allowed.test(id) && !HASHED_ID.test(id) ? id : `px-${hashText(id).slice(0, 32)}`;
}

/** Apply this to the names of the request's tools too, so that they match the calls. */
export function fitToolName(name: string, provider: Provider): string {
  if (PROVIDER_LIMITS[provider].toolName.test(name) && !HASHED_NAME.test(name)) return name;
  const readable = name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, MAX_READABLE_LENGTH);
  return `${/^[a-zA-Z_]/.test(readable) ? "" : "_"}${readable}_px${hashText(name).slice(0, 16)}`;
}
