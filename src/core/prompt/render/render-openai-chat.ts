/** Renders a prompt for OpenAI's chat completions: system messages in place, and no reasoning. */
import { findWireExtras } from "../../message/decode-value.ts";
import { encodeOpenAiChat } from "../../message/formats/openai-chat.ts";
import type { JsonObject } from "../../message/json.ts";
import type { Extras, FilePart, ImagePart, Role, TextPart, ToolCallPart } from "../../message/message.ts";
import { type FitRules, fitJsonInput, fitMessages } from "./fit-message.ts";
import { markForOpenAi, OPENAI_MARK } from "./mark-breakpoints.ts";
import type { OpenAiMessage } from "./provider-types.ts";
import { cacheKeyOf, type PromptSource, splitSystem } from "./split-system.ts";

/** The part of a request to OpenAI's chat completions that holds the conversation. */
export interface OpenAiPrompt {
  messages: OpenAiMessage[];
  prompt_cache_key?: string;
}

const KNOWN_PARTS: ReadonlySet<string> = new Set(["text", "refusal", "image_url", "input_audio", "file"]);

const FITTING: FitRules = {
  provider: "openai",
  format: "openai-chat",
  keepsSystem: true,
  keepsAssistantMedia: false,
  resultTypes: new Set(),
  fitThought: () => undefined,
  keptExtras,
  resultExtras: () => undefined,
  isOwnTool: () => false,
  fitInput: fitJsonInput,
  takesUnknown,
};

export function renderOpenAiChat(source: PromptSource): OpenAiPrompt {
  const { system, messages, breakpoints, isSystemMarked } = splitSystem(source);
  const isMarked = source.marksFor === "openai";
  const fitted = fitMessages(messages, FITTING);
  const marked = isMarked ? markForOpenAi(fitted, { breakpoints, wire: "openai-chat" }) : fitted;
  const leading = system.map((text, index) => ({
    role: "system",
    content: isMarked && isSystemMarked && index === system.length - 1 ? [markedText(text)] : text,
  }));
  // The messages follow the API's rules; kinds of parts that are newer than the type are kept.
  return { messages: [...leading, ...encodeOpenAiChat(marked)] as OpenAiMessage[], ...cacheKeyOf(source) };
}

function markedText(text: string): JsonObject {
  return { type: "text", text, prompt_cache_breakpoint: OPENAI_MARK };
}

function keptExtras(part: TextPart | ImagePart | FilePart | ToolCallPart): Extras | undefined {
  const custom = part.type === "tool-call" && findWireExtras(part.extras, "openai-chat")?.type === "custom";
  return custom ? { "wire:openai-chat": { type: "custom" } } : undefined;
}

function takesUnknown({ type }: JsonObject, role: Role): boolean {
  return role === "user" && typeof type === "string" && !KNOWN_PARTS.has(type);
}
