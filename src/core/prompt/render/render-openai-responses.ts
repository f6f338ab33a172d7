/**
 * Renders a prompt for OpenAI's Responses API. Reasoning is sent only encrypted, directly before its text or call.
 * Messages and function calls have no ids, because an item with an id is refused if its reasoning is missing.
 */
import { listWords } from "../../language/list-words.ts";
import { findWireExtras } from "../../message/decode-value.ts";
import { continuesThought, encodeOpenAiResponses } from "../../message/formats/openai-responses.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../message/json.ts";
import type {
  Extras,
  Message,
  Part,
  ReasoningPart,
  Role,
  ToolCallPart,
  ToolResultPart,
} from "../../message/message.ts";
import { NO_VISIBLE_TEXT } from "../notes.ts";
import { PROVIDER_LIMITS } from "../provider.ts";
import { type FitRules, fitJsonInput, fitMessages } from "./fit-message.ts";
import { markForOpenAi } from "./mark-breakpoints.ts";
import type { OpenAiInputItem } from "./provider-types.ts";
import { cacheKeyOf, joinSystem, type PromptSource, splitSystem } from "./split-system.ts";

/** The part of a request to OpenAI's Responses API that holds the conversation. */
export interface OpenAiResponsesPrompt {
  instructions?: string;
  input: OpenAiInputItem[];
  prompt_cache_key?: string;
}

const FORMAT = "openai-responses";
const WIRE = "wire:openai-responses";
const { imageTypes, fileTypes } = PROVIDER_LIMITS[FORMAT];

/** Types of calls that are not function calls and keep their type. */
const OWN_CALLS: ReadonlySet<unknown> = new Set(
  listWords("custom_tool_call computer_call local_shell_call shell_call apply_patch_call"),
);

const FITTING: FitRules = {
  provider: FORMAT,
  format: FORMAT,
  compactionsBy: "openai",
  keepsSystem: true,
  keepsAssistantMedia: false,
  resultTypes: new Set([...imageTypes, ...fileTypes]),
  fitThought,
  keptExtras: (part) => (part.type === "tool-call" ? kindExtras(part) : undefined),
  resultExtras,
  isOwnTool: () => false,
  fitInput: fitJsonInput,
  takesUnknown,
};

export function renderOpenAiResponses(source: PromptSource): OpenAiResponsesPrompt {
  const { system, messages, breakpoints } = splitSystem(source);
  const fitted = fitMessages(messages, FITTING);
  // Instructions are not a block in this format, so they cannot be marked.
  const marked = source.marksFor === "openai" ? markForOpenAi(fitted, { breakpoints, wire: FORMAT }) : fitted;
  const ordered = keepFollowedReasoning(marked);
  return {
    ...(system.length === 0 ? {} : { instructions: joinSystem(system) }),
    // The items follow the API's rules; kinds of items that are newer than the type are kept.
    input: [...encodeOpenAiResponses(ordered)] as OpenAiInputItem[],
    ...cacheKeyOf(source),
  };
}

function fitThought({ text, extras }: ReasoningPart): ReasoningPart | undefined {
  const { itemId, reasoningEncryptedContent } = extras?.openai ?? {};
  if (typeof reasoningEncryptedContent !== "string" || reasoningEncryptedContent === "") return undefined;
  const named = { reasoningEncryptedContent, ...(typeof itemId === "string" ? { itemId } : {}) };
  const more = findWireExtras(extras, FORMAT)?.type === "more";
  const note = typeof itemId === "string" ? {} : { [WIRE]: { type: more ? "more" : "reasoning" } };
  return { type: "reasoning", text, extras: { openai: named, ...note } };
}

function kindOf(call: ToolCallPart | undefined): JsonValue | undefined {
  const type = findWireExtras(call?.extras, FORMAT)?.type;
  return OWN_CALLS.has(type) ? type : undefined;
}

/** Items of these types need their own ids and states; a custom call does not. */
function kindExtras(call: ToolCallPart): Extras | undefined {
  const type = kindOf(call);
  if (type === undefined) return undefined;
  return { [WIRE]: type === "custom_tool_call" ? { type } : { ...findWireExtras(call.extras, FORMAT) } };
}

function resultExtras(part: ToolResultPart, call: ToolCallPart | undefined): Extras | undefined {
  const kind = kindOf(call);
  if (kind === undefined) return undefined;
  const type = `${String(kind)}_output`;
  const own = findWireExtras(part.extras, FORMAT);
  return { [WIRE]: own?.type === type && kind !== "custom_tool_call" ? own : { type } };
}

/** Whether an unknown item of the list, or a wrapped unknown part of a message, can be sent. */
function takesUnknown(value: JsonObject, role: Role): boolean {
  const inner = isJsonObject(value.content_part) ? value.content_part : undefined;
  const { type } = inner ?? value;
  if (typeof type !== "string" || /^(input|output)_|^refusal$|^message$|^reasoning$/.test(type)) return false;
  if (inner !== undefined) return role === "user";
  return !type.endsWith("_output") && type !== "function_call" && !OWN_CALLS.has(type);
}

/** Removes reasoning without a text or call after it, and repeated ids. */
function keepFollowedReasoning(messages: readonly Message[]): readonly Message[] {
  const filter = new ThoughtFilter();
  for (const message of messages) filter.push(message);
  return filter.messages;
}

class ThoughtFilter {
  readonly messages: Message[] = [];
  readonly #sentIds = new Set<JsonValue>();
  #waiting: readonly Part[] = [];
  #said = false;

  push(message: Message): void {
    if (message.role === "assistant") this.#pushAssistant(message);
    else this.#pushOther(message);
  }

  #pushOther(message: Message): void {
    if (this.#waiting.length > 0 && !this.#said) this.#say(message.id, [{ type: "text", text: NO_VISIBLE_TEXT }]);
    this.#waiting = [];
    this.#said = false;
    const parts = message.parts.filter((part) => this.#isFirst(findItemId(part)));
    if (parts.length > 0) this.messages.push({ ...message, parts });
  }

  #pushAssistant(message: Message): void {
    const led: Part[] = [];
    let row: readonly Part[] = [];
    for (const part of [...this.#waiting, ...message.parts]) {
      if (part.type === "reasoning") {
        const before = row.at(-1);
        // Of consecutive reasoning items, only the last is directly before its text or call.
        row = before !== undefined && continuesThought(part, before) ? [...row, part] : [part];
      } else if (this.#isFirst(findItemId(part))) {
        led.push(...(this.#isFirst(findItemId(row[0])) ? row : []), part);
        row = [];
      }
    }
    this.#waiting = row;
    if (led.length > 0) this.#say(message.id, led);
  }

  #say(id: string, parts: readonly Part[]): void {
    this.messages.push({ id, role: "assistant", parts });
    this.#said = true;
  }

  #isFirst(id: JsonValue | undefined): boolean {
    if (id === undefined) return true;
    const first = !this.#sentIds.has(id);
    this.#sentIds.add(id);
    return first;
  }
}

/** Returns the id under which a part is sent as an item; most parts have none. */
function findItemId(part: Part | undefined): JsonValue | undefined {
  if (part?.type === "reasoning") return part.extras?.openai?.itemId;
  return part?.type === "unknown" && isJsonObject(part.value) ? part.value.id : undefined;
}
