/** Renders a prompt for the AI SDK: ids fit every provider, and reasoning is left to the SDK. */
import { aiSdkModelFormat } from "../../message/formats/ai-sdk-model.ts";
import type { Extras, Message, Part, ToolCallPart, ToolResultPart } from "../../message/message.ts";
import { findProviderCompaction, writeCompactionForAiSdk } from "../../message/provider-compaction.ts";
import { NO_VISIBLE_TEXT, writeEmptyNote, writeToolNote } from "../notes.ts";
import { describeUnknownPart, fitCallId, fitSystem } from "./fit-message.ts";
import { CACHE_MARK, markBreakpoints, markForOpenAi, OPENAI_MARK } from "./mark-breakpoints.ts";
import { joinSystem, type PromptSource, splitSystem } from "./split-system.ts";

export interface MarkedInstructions {
  readonly role: "system";
  readonly content: string;
  readonly providerOptions:
    | { readonly anthropic: { readonly cacheControl: typeof CACHE_MARK } }
    | { readonly openai: { readonly promptCacheBreakpoint: typeof OPENAI_MARK } };
}

export interface AiSdkPrompt {
  readonly instructions?: string | MarkedInstructions;
  readonly messages: AiSdkMessage[];
  readonly providerOptions?: { readonly openai: { readonly promptCacheKey: string } };
}

export function renderAiSdk(source: PromptSource): AiSdkPrompt {
  const { system, messages, breakpoints, isSystemMarked } = splitSystem(source);
  const reader = source.compaction?.modelProvider;
  const fits = messages.map((message) => fitMessage(message, reader));
  const isOpenAi = source.marksFor === "openai";
  const fitted = isOpenAi
    ? markForOpenAi(fits, { breakpoints })
    : markBreakpoints(fits, { breakpoints, on: source.marksText === true ? "text" : "message" });
  return {
    ...(system.length === 0
      ? {}
      : { instructions: writeInstructions(joinSystem(system), { isSystemMarked, isOpenAi }) }),
    // The tests of the format check its output against the AI SDK's types.
    messages: [...aiSdkModelFormat.encode(fitted)] as AiSdkMessage[],
    ...(source.cacheKey === undefined ? {} : { providerOptions: { openai: { promptCacheKey: source.cacheKey } } }),
  };
}

function writeInstructions(
  content: string,
  { isSystemMarked, isOpenAi }: { readonly isSystemMarked: boolean; readonly isOpenAi: boolean },
): string | MarkedInstructions {
  if (!isSystemMarked) return content;
  const mark = isOpenAi
    ? { openai: { promptCacheBreakpoint: OPENAI_MARK } }
    : { anthropic: { cacheControl: CACHE_MARK } };
  return { role: "system", content, providerOptions: mark };
}

function fitMessage(message: Message, reader: string | undefined): Message {
  if (message.role === "system") return fitSystem(message, { keepsSystem: false });
  const fitted = message.parts
    .flatMap((part) => fitPart(part, reader))
    .filter((part) => part.type !== "text" || part.text.trim() !== "");
  const visible = fitted.some((part) => part.type !== "reasoning");
  const parts: readonly Part[] = visible ? fitted : [...fitted, { type: "text", text: emptyNote(message) }];
  return { id: message.id, role: message.role, parts, ...keptExtras(message.extras) };
}

function emptyNote(message: Message): string {
  return message.parts.some((part) => part.type === "reasoning") ? NO_VISIBLE_TEXT : writeEmptyNote(message.parts);
}

function fitPart(part: Part, reader: string | undefined): readonly Part[] {
  switch (part.type) {
    case "tool-call":
    case "tool-result":
      return [fitToolPart(part)];
    case "source":
      return [];
    case "unknown":
      return part.format === aiSdkModelFormat.name ? [part] : (findOwn(part, reader) ?? describeUnknownPart(part));
    default: {
      const { extras: _, ...bare } = part;
      return [{ ...bare, ...keptExtras(part.extras, true) }];
    }
  }
}

/** Returns a compaction as the AI SDK carries it to the provider that wrote it. */
function findOwn(part: Part, reader: string | undefined): readonly Part[] | undefined {
  const found = findProviderCompaction(part);
  const written = found?.by === reader ? found && writeCompactionForAiSdk(found) : undefined;
  return written && [written];
}

function fitToolPart(part: ToolCallPart | ToolResultPart): Part {
  if (part.byProvider === true && hasForeignWireExtras(part.extras)) return { type: "text", text: writeToolNote(part) };
  const { extras: _, ...bare } = part;
  return { ...bare, callId: fitCallId(part.callId, "ai-sdk"), ...keptExtras(part.extras, true) };
}

function hasForeignWireExtras(extras: Extras | undefined): boolean {
  return Object.keys(extras ?? {}).some((name) => name.startsWith("wire:") && !name.startsWith("wire:ai-sdk"));
}

/** Key of extras about a message's files and edits. They are never sent. */
const OUR_NOTES = "workspace";

/** Drops cache marks, because the prompt has its own breakpoints. Keeps only the AI SDK's wire extras, on parts. */
function keptExtras(extras: Extras | undefined, ofPart = false): { readonly extras?: Extras } {
  const kept = Object.entries(extras ?? {}).flatMap(([name, fields]) => {
    if (name === OUR_NOTES) return [];
    if (name.startsWith("wire:")) return ofPart && name === "wire:ai-sdk-model" ? [[name, fields] as const] : [];
    const { cacheControl: _, promptCacheBreakpoint: __, ...others } = fields;
    return Object.keys(others).length === 0 ? [] : [[name, others] as const];
  });
  return kept.length === 0 ? {} : { extras: Object.fromEntries(kept) };
}

// The AI SDK's model messages that we write, declared here so that the AI SDK is not imported.
export type AiSdkJson = null | string | number | boolean | AiSdkJson[] | { [key: string]: AiSdkJson | undefined };

type Options = { providerOptions?: Record<string, { [key: string]: AiSdkJson | undefined }> };
type Data =
  | { type: "data"; data: string }
  | { type: "url"; url: URL }
  | { type: "reference"; reference: Record<string, string> };

type Text = { type: "text"; text: string } & Options;
type Reasoning = { type: "reasoning"; text: string } & Options;
type File = { type: "file"; data: Data | string | URL; mediaType: string; filename?: string } & Options;
type Image = { type: "image"; image: string | URL; mediaType?: string } & Options;
type ToolCall = {
  type: "tool-call";
  toolCallId: string;
  toolName: string;
  input: unknown;
  providerExecuted?: boolean;
} & Options;
type Output =
  | { type: "text" | "error-text"; value: string }
  | { type: "json" | "error-json"; value: AiSdkJson }
  | { type: "content"; value: (Text | { type: "file"; data: Data; mediaType: string; filename?: string })[] }
  | { type: "execution-denied"; reason?: string };
type ToolResult = { type: "tool-result"; toolCallId: string; toolName: string; output: Output } & Options;

export type AiSdkMessage =
  | ({ role: "user"; content: string | (Text | Image | File)[] } & Options)
  | ({ role: "assistant"; content: string | (Text | Reasoning | File | ToolCall | ToolResult)[] } & Options)
  | ({ role: "tool"; content: ToolResult[] } & Options);
