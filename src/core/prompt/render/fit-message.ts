/**
 * A message with only what a provider takes: names and ids that fit, media of accepted types, no foreign thoughts, no
 * blank text, and a short text where nothing else would be left. What it makes of a message depends on that message
 * and on the calls before it, never on what comes after.
 */
import { isJsonObject } from "../../message/formats/decode-value.ts";
import type { FormatName } from "../../message/formats/format.ts";
import type { JsonObject } from "../../message/json.ts";
import type {
  Extras,
  FilePart,
  ImagePart,
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
import { describeCompaction, findCompaction } from "../../message/provider-compaction.ts";
import type { Provider } from "../provider.ts";
import { isJsonText } from "../validate/wire-value.ts";
import { fitMedia } from "./fit-media.ts";
import { fitCallId, fitToolName } from "./fit-names.ts";
import { absentNote, mediaNote, NO_OUTPUT, providerToolNote, systemNote } from "./notes.ts";
import { systemText } from "./split-system.ts";

export interface Fitting {
  readonly provider: Provider;
  readonly format: FormatName;
  /** System messages in the middle keep their role. */
  readonly keepsSystem: boolean;
  /** The model's own images may go back to it. */
  readonly keepsAssistantMedia: boolean;
  /** The types of media that a result may hold as bytes; links and file ids go nowhere but to the user's messages. */
  readonly resultTypes: ReadonlySet<string>;
  /** The thought with what must go back with it, or nothing where it is not the provider's own. */
  fitThought(part: ReasoningPart): ReasoningPart | undefined;
  /** What must go back with a part: signatures, and the kind of a call that is not the usual. */
  keptExtras(part: TextPart | ImagePart | FilePart | ToolCallPart): Extras | undefined;
  /** What must go back with a result, which is of the kind of its call. */
  resultExtras(part: ToolResultPart, call: ToolCallPart | undefined): Extras | undefined;
  /** Whether what the provider ran itself is told in its own wire's words. */
  isOwnTool(part: ToolCallPart | ToolResultPart): boolean;
  fitInput(part: ToolCallPart): Pick<ToolCallPart, "input" | "inputText">;
  /** Whether an unknown part of the provider's own wire may be sent on in a message of that role. */
  takesUnknown(value: JsonObject, role: Role): boolean;
}

/** The calls so far, by the id under which they came. */
type Calls = Map<string, ToolCallPart>;

export function fitMessages(messages: readonly Message[], fitting: Fitting): readonly Message[] {
  const calls: Calls = new Map();
  return messages.map((message) => fitMessage(message, { fitting, calls }));
}

function fitMessage(
  message: Message,
  { fitting, calls }: { readonly fitting: Fitting; readonly calls: Calls },
): Message {
  if (message.role === "system") return fitSystem(message, fitting);
  const pairs = message.role === "assistant" ? findProviderPairs(message, fitting) : new Set<string>();
  const parts = message.parts.flatMap((part): readonly Part[] => {
    switch (part.type) {
      case "text":
        return [withKept({ type: "text", text: part.text }, fitting.keptExtras(part))];
      case "reasoning":
        return message.role === "assistant" ? listOf(fitting.fitThought(part)) : [];
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
  return { id: message.id, role: message.role, parts: withWords(parts, message), ...nameOf(message) };
}

interface PartPlace {
  readonly fitting: Fitting;
  readonly role: Role;
}

function fitMediaOf(part: ImagePart | FilePart, { fitting, role }: PartPlace): Part {
  const takes = role === "user" || (role === "assistant" && fitting.keepsAssistantMedia);
  if (!takes) return { type: "text", text: mediaNote(part) };
  const fitted = fitMedia(part, fitting.provider);
  return fitted.type === "text" ? fitted : withKept(fitted, fitting.keptExtras(part));
}

function listOf<Value>(value: Value | undefined): readonly Value[] {
  return value === undefined ? [] : [value];
}

function nameOf({ name }: Message): Pick<Message, "name"> {
  return name !== undefined && /^[^\s<|\\/>]{1,64}$/.test(name) ? { name } : {};
}

function fitSystem(message: Message, { keepsSystem }: Fitting): Message {
  const text = systemText(message).trim() === "" ? absentNote(message.parts) : systemText(message);
  if (keepsSystem) return { id: message.id, role: "system", parts: [{ type: "text", text }] };
  return { id: message.id, role: "user", parts: [{ type: "text", text: systemNote(text) }] };
}

/** Without blank texts; with a word for what cannot be shown where nothing is left. */
function withWords(parts: readonly Part[], message: Message): readonly Part[] {
  const filled = parts.filter((part) => part.type !== "text" || part.extras !== undefined || part.text.trim() !== "");
  return filled.length > 0 ? filled : [{ type: "text", text: absentNote(message.parts) }];
}

function withKept<Kept extends Part>(part: Kept, extras: Extras | undefined): Kept {
  return extras === undefined ? part : { ...part, extras };
}

interface ToolPlace {
  readonly fitting: Fitting;
  readonly calls: Calls;
  /** Calls of tools that the provider ran whose result stands in the same message. */
  readonly pairs: ReadonlySet<string>;
}

function fitToolPart(part: ToolCallPart | ToolResultPart, { fitting, calls, pairs }: ToolPlace): Part {
  if (part.byProvider === true) {
    return pairs.has(part.callId) ? withoutMarks(part) : { type: "text", text: providerToolNote(part) };
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

/** A result is of the kind of its call and bears its name, whatever it says itself. */
function fitResult(
  part: ToolResultPart,
  { fitting, call }: { readonly fitting: Fitting; readonly call: ToolCallPart | undefined },
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

function fitOutput(output: ToolOutput, fitting: Fitting): ToolOutput {
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
  { provider, resultTypes }: Fitting,
): ImagePart | FilePart | TextPart {
  const fitted = fitMedia(part, provider);
  const held = fitted.type !== "text" && fitted.source.type === "data" && resultTypes.has(fitted.mediaType ?? "");
  return held ? fitted : { type: "text", text: mediaNote(part) };
}

function fitUnknown(part: UnknownPart, { fitting, role }: PartPlace): readonly Part[] {
  const own = part.format === fitting.format && isJsonObject(part.value) && fitting.takesUnknown(part.value, role);
  if (own && isJsonObject(part.value)) return [{ ...part, value: withoutCacheMark(part.value) }];
  const compaction = findCompaction(part);
  return compaction === undefined ? [] : [describeCompaction(compaction)];
}

/** Cache marks are placed by the prompt's own breakpoints; old ones would add up to more than a request may have. */
function withoutCacheMark({ cache_control: _, ...value }: JsonObject): JsonObject {
  return value;
}

function withoutMarks<Kept extends ToolCallPart | ToolResultPart>(part: Kept): Kept {
  const extras = Object.fromEntries(Object.entries(part.extras ?? {}).filter(([name]) => name.startsWith("wire:")));
  return { ...part, extras };
}

/** What the provider ran goes back to it only as it came, call and result together, in its own wire's words. */
function findProviderPairs(message: Message, { isOwnTool }: Fitting): ReadonlySet<string> {
  const own = (type: "tool-call" | "tool-result") =>
    message.parts.flatMap((part) =>
      part.type === type && part.byProvider === true && isOwnTool(part) ? [part.callId] : [],
    );
  const calls = own("tool-call");
  const results = own("tool-result");
  const once = (ids: readonly string[], id: string) => ids.filter((other) => other === id).length === 1;
  return new Set(calls.filter((id) => once(calls, id) && once(results, id)));
}

/** Anthropic and Gemini take objects only. */
export function objectInput({ input }: ToolCallPart): Pick<ToolCallPart, "input"> {
  return { input: isJsonObject(input) ? input : { value: input } };
}

/** A spelling that is no JSON goes as a JSON text of itself. */
export function jsonInput({ input, inputText }: ToolCallPart): Pick<ToolCallPart, "input" | "inputText"> {
  return inputText === undefined || !isJsonText(inputText) ? { input } : { input, inputText };
}
