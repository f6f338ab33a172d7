/** Renders a prompt for the Gemini API. Function responses are a turn of their own, in the order of their calls. */
import { findWireExtras } from "../../message/decode-value.ts";
import { encodeGemini } from "../../message/formats/gemini.ts";
import { GENERATED_CALL_ID, hasGeneratedCallId } from "../../message/formats/match-calls-by-name.ts";
import { isJsonObject, type JsonObject } from "../../message/json.ts";
import type {
  Extras,
  FilePart,
  ImagePart,
  Part,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from "../../message/message.ts";
import { PROVIDER_LIMITS } from "../provider.ts";
import { type FitRules, fitMessages, fitObjectInput } from "./fit-message.ts";
import { type MergedTurn, mergeTurns } from "./merge-turns.ts";
import type { GeminiContent } from "./provider-types.ts";
import { type PromptSource, splitSystem } from "./split-system.ts";

/** The part of a request to the Gemini API that holds the conversation. */
export interface GeminiPrompt {
  systemInstruction?: { parts: { text: string }[] };
  contents: GeminiContent[];
}

const KNOWN_KEYS = [
  ...["text", "thought", "functionCall", "functionResponse"],
  ...["inlineData", "fileData", "executableCode", "codeExecutionResult"],
];

const FITTING: FitRules = {
  provider: "gemini",
  format: "gemini",
  keepsSystem: false,
  keepsAssistantMedia: true,
  resultTypes: new Set([...PROVIDER_LIMITS.gemini.imageTypes, "application/pdf"]),
  fitThought,
  keptExtras,
  resultExtras: (_, call) => (call !== undefined && hasGeneratedCallId(call) ? GENERATED_CALL_ID : undefined),
  isOwnTool,
  fitInput: fitObjectInput,
  takesUnknown: (value) => KNOWN_KEYS.every((key) => value[key] === undefined),
};

export function renderGemini(source: PromptSource): GeminiPrompt {
  const { system, messages } = splitSystem(source);
  const turns = mergeTurns(fitMessages(messages, FITTING), (role) => role);
  return {
    ...(system.length === 0 ? {} : { systemInstruction: { parts: system.map((text) => ({ text })) } }),
    // The contents follow the API's rules; kinds of parts that are newer than the type are kept.
    contents: turns.map((turn, index) => encodeTurn(turn, turns[index - 1])) as GeminiContent[],
  };
}

function encodeTurn({ role, parts }: MergedTurn, before: MergedTurn | undefined): JsonObject {
  const ordered = role === "tool" ? orderByCalls(before?.parts ?? [], parts) : parts;
  const [item] = encodeGemini([{ id: "", role, parts: ordered }]);
  return item ?? { role: role === "assistant" ? "model" : "user", parts: [] };
}

/** Responses without ids are identified by their order alone. */
function orderByCalls(calls: readonly Part[], results: readonly Part[]): readonly Part[] {
  const places = new Map(calls.flatMap((part, index) => (part.type === "tool-call" ? [[part.callId, index]] : [])));
  const placeOf = (part: Part) => (part.type === "tool-result" ? places.get(part.callId) : undefined) ?? calls.length;
  return results.toSorted((left, right) => placeOf(left) - placeOf(right));
}

function signatureOf(part: TextPart | ImagePart | FilePart | ReasoningPart | ToolCallPart): Extras | undefined {
  const signature = part.extras?.google?.thoughtSignature;
  const filled = typeof signature === "string" && signature !== "";
  return filled ? { google: { thoughtSignature: signature } } : undefined;
}

function fitThought(part: ReasoningPart): ReasoningPart | undefined {
  const extras = signatureOf(part);
  return extras === undefined ? undefined : { type: "reasoning", text: part.text, extras };
}

function keptExtras(part: TextPart | ImagePart | FilePart | ToolCallPart): Extras | undefined {
  const signature = signatureOf(part);
  return part.type === "tool-call" && hasGeneratedCallId(part) ? { ...signature, ...GENERATED_CALL_ID } : signature;
}

function isOwnTool(part: ToolCallPart | ToolResultPart): boolean {
  const notes = findWireExtras(part.extras, "gemini");
  if (part.type === "tool-call") return isJsonObject(notes?.executableCode) && isJsonObject(part.input);
  const { output } = part;
  return isJsonObject(notes?.codeExecutionResult) && output.type === "json" && isJsonObject(output.value);
}
