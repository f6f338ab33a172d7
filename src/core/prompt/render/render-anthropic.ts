/** Renders a prompt for Anthropic's Messages API: alternating turns of blocks, thinking only with its signature. */
import { listWords } from "../../language/list-words.ts";
import { findWireExtras } from "../../message/decode-value.ts";
import { encodeAnthropic } from "../../message/formats/anthropic.ts";
import type { JsonObject } from "../../message/json.ts";
import type { Extras, Message, ReasoningPart, Role, ToolCallPart, ToolResultPart } from "../../message/message.ts";
import { PROVIDER_LIMITS } from "../provider.ts";
import { type FitRules, fitMessages, fitObjectInput } from "./fit-message.ts";
import { CACHE_MARK, markBreakpoints } from "./mark-breakpoints.ts";
import { type MergedTurn, mergeTurns } from "./merge-turns.ts";
import type { AnthropicMessage, AnthropicText } from "./provider-types.ts";
import { type PromptSource, splitSystem } from "./split-system.ts";

/** The part of a request to Anthropic's Messages API that holds the conversation. */
export interface AnthropicPrompt {
  system?: AnthropicText[];
  messages: AnthropicMessage[];
}

const { imageTypes, fileTypes } = PROVIDER_LIMITS.anthropic;

const KNOWN_BLOCKS: ReadonlySet<string> = new Set(
  listWords("text thinking redacted_thinking tool_use tool_result server_tool_use mcp_tool_use"),
);
const USER_BLOCKS: ReadonlySet<string> = new Set(["image", "document", "search_result"]);

const FITTING: FitRules = {
  provider: "anthropic",
  format: "anthropic",
  compactionsBy: "anthropic",
  keepsSystem: false,
  keepsAssistantMedia: false,
  resultTypes: new Set([...imageTypes, ...fileTypes]),
  fitThought,
  keptExtras: () => undefined,
  resultExtras: () => undefined,
  isOwnTool,
  fitInput: fitObjectInput,
  takesUnknown,
};

export function renderAnthropic(source: PromptSource): AnthropicPrompt {
  const { system, messages, breakpoints, isSystemMarked } = splitSystem(source);
  const fitted = fitMessages(messages, FITTING).map(trimTrailingSpace);
  const marked = markBreakpoints(fitted, { breakpoints, on: source.marksText === true ? "text" : "block" });
  const turns = mergeTurns(marked, (role) => (role === "tool" ? "user" : role));
  return {
    ...(system.length === 0 ? {} : { system: encodeSystem(system, isSystemMarked) }),
    // The messages follow the API's rules; kinds of blocks that are newer than the type are kept.
    messages: turns.map(encodeTurn) as AnthropicMessage[],
  };
}

function encodeSystem(system: readonly string[], isMarked: boolean): AnthropicText[] {
  return system.map((text, index) => {
    const block = { type: "text", text } as const;
    return isMarked && index === system.length - 1 ? { ...block, cache_control: CACHE_MARK } : block;
  });
}

function encodeTurn({ role, parts }: MergedTurn): JsonObject {
  const [item] = encodeAnthropic([{ id: "", role, parts }]);
  return item ?? { role, content: [] };
}

/**
 * Trims the end of every assistant message: the API rejects trailing space in the last one, and a message must stay the
 * same in later prompts.
 */
function trimTrailingSpace(message: Message): Message {
  const place = message.parts.findLastIndex((part) => part.type !== "reasoning");
  const last = message.parts[place];
  if (message.role !== "assistant" || last?.type !== "text" || last.text === last.text.trimEnd()) return message;
  return { ...message, parts: message.parts.with(place, { ...last, text: last.text.trimEnd() }) };
}

function fitThought({ text, extras }: ReasoningPart): ReasoningPart | undefined {
  const { signature, redactedData } = extras?.anthropic ?? {};
  const proof = (fields: JsonObject): Extras => ({ anthropic: fields });
  if (isFilled(redactedData)) return { type: "reasoning", text: "", extras: proof({ redactedData }) };
  return isFilled(signature) ? { type: "reasoning", text, extras: proof({ signature }) } : undefined;
}

function isFilled(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isOwnTool(part: ToolCallPart | ToolResultPart): boolean {
  const type = findWireExtras(part.extras, "anthropic")?.type;
  if (part.type === "tool-call") return type === "server_tool_use" || type === "mcp_tool_use";
  return typeof type === "string" && type.endsWith("_tool_result");
}

function takesUnknown({ type }: JsonObject, role: Role): boolean {
  if (typeof type !== "string" || KNOWN_BLOCKS.has(type) || type.endsWith("_tool_result")) return false;
  return role === "user" || (role === "assistant" && !USER_BLOCKS.has(type));
}
