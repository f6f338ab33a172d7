/** The strict rules of OpenAI's Responses API, each with its name. Unknown items violate none of them. */
import { pathOf } from "../../check-value.ts";
import { parseDataUrl } from "../../message/decode-value.ts";
import { isJsonText } from "../../message/json.ts";
import { PROVIDER_LIMITS } from "../provider.ts";
import {
  type Complaint,
  defineRule,
  findComplaints,
  findFaults,
  findRepeats,
  isBlank,
  type JsonNode,
  type ProviderRule,
  type RuleViolation,
  takeContent,
  takeList,
  takeObjects,
  takeText,
} from "./complaint.ts";

const LIMITS = PROVIDER_LIMITS["openai-responses"];
const ROLES: readonly string[] = ["system", "developer", "user", "assistant"];

/** Maps each type of call that the host answers to the type of its output. */
const ANSWERS: ReadonlyMap<string, string> = new Map(
  ["function_call", "custom_tool_call", "computer_call", "local_shell_call", "shell_call", "apply_patch_call"].map(
    (type) => [type, `${type}_output`],
  ),
);
const OUTPUTS: ReadonlySet<string> = new Set(ANSWERS.values());

interface Item extends JsonNode {
  readonly type: string;
  readonly role: string | undefined;
  readonly content: string | readonly JsonNode[];
  /** The id of the call, or of the call that an output answers. */
  readonly callId: string | undefined;
}

export const OPENAI_RESPONSES_RULES: readonly ProviderRule<readonly Item[]>[] = [
  defineRule("known-role", `The role must be one of ${ROLES.join(", ")}.`, (items) =>
    findFaults(items, ({ role }) => role !== undefined && !ROLES.includes(role), "role"),
  ),
  defineRule("content-present", "A message must have content.", findEmpty),
  defineRule("part-fits-role", "Output parts must be in assistant messages, input parts in all others.", (items) =>
    findFaults(partsOf(items), isMisplaced, "type"),
  ),
  defineRule("media-type", "The media type must be one that the provider accepts.", findForeignMedia),
  defineRule("result-has-call", "An output must come after its call.", findOrphans),
  defineRule("result-once", "A call must have only one output.", (items) =>
    findRepeats(items.filter(isOutput), ({ callId }) => callId),
  ),
  defineRule("calls-answered", "Every call must have an output.", findOpenCalls),
  defineRule("unique-call-ids", "Call ids must be unique.", (items) =>
    findRepeats(items.filter(isCall), ({ callId }) => callId),
  ),
  defineRule("unique-item-ids", "Item ids must be unique.", findRepeatedItems),
  defineRule("call-id", "A call id must have 1 to 64 characters and no space.", (items) =>
    findFaults(items, ({ callId }) => callId !== undefined && !LIMITS.callId.test(callId), "call_id"),
  ),
  defineRule("tool-name", "A tool name must have 1 to 64 letters, digits, _ or -.", findOddNames),
  defineRule("arguments-json", "The arguments must be a JSON string.", findBadArguments),
  defineRule("reasoning-followed", "Reasoning must be followed by an assistant message or call.", (items) =>
    findFaults(items, ({ type }, index) => type === "reasoning" && !isFromAssistant(items[index + 1])),
  ),
];

export function validateOpenAiResponses(value: unknown): readonly Complaint[] {
  const read = (given: unknown) => takeList(given, "input").map(readItem);
  return findComplaints(value, { read, rules: OPENAI_RESPONSES_RULES });
}

function readItem(placed: JsonNode): Item {
  const { source } = placed;
  const type = source.type === undefined && source.role !== undefined ? "message" : takeText(placed, "type");
  const tool = ANSWERS.has(type) || OUTPUTS.has(type);
  if (type === "reasoning") takeObjects(source.summary, pathOf(placed.path, "summary"));
  if (type === "function_call") takeText(placed, "arguments");
  if (type === "function_call" || type === "custom_tool_call") takeText(placed, "name");
  if (type === "function_call_output") takeContent(placed, "output");
  return {
    ...placed,
    type,
    role: type === "message" ? takeText(placed, "role") : undefined,
    content: type === "message" ? takeContent(placed, "content") : [],
    callId: tool
      ? takeText(placed, type === "local_shell_call_output" && source.call_id === undefined ? "id" : "call_id")
      : undefined,
  };
}

function isCall(item: Item): boolean {
  return ANSWERS.has(item.type);
}

function isOutput(item: Item): boolean {
  return OUTPUTS.has(item.type);
}

function findEmpty(items: readonly Item[]): readonly RuleViolation[] {
  const messages = items.filter(({ type }) => type === "message");
  const isEmpty = ({ content }: Item) =>
    typeof content === "string" ? isBlank(content) : content.length === 0 || content.some(isBlankText);
  return findFaults(messages, isEmpty, "content");
}

function isBlankText({ source: { type, text } }: JsonNode): boolean {
  return (type === "input_text" || type === "output_text") && isBlank(text);
}

interface PlacedPart extends JsonNode {
  readonly role: string | undefined;
}

function partsOf(items: readonly Item[]): readonly PlacedPart[] {
  return items.flatMap((item) => {
    const content = item.type === "function_call_output" ? takeContent(item, "output") : item.content;
    return typeof content === "string" ? [] : content.map((part) => ({ ...part, role: item.role }));
  });
}

function isMisplaced({ source: { type }, role }: PlacedPart): boolean {
  const isInput = typeof type === "string" && type.startsWith("input_");
  if (role === "assistant") return isInput;
  const isMedium = isInput && type !== "input_text";
  return type === "output_text" || type === "refusal" || (isMedium && role !== "user" && role !== undefined);
}

function findForeignMedia(items: readonly Item[]): readonly RuleViolation[] {
  return findFaults(partsOf(items), ({ source }) => {
    const isImage = source.type === "input_image";
    const data = isImage ? source.image_url : source.type === "input_file" ? source.file_data : undefined;
    if (typeof data !== "string" || (isImage && !data.startsWith("data:"))) return false;
    const mediaType = parseDataUrl(data)?.mediaType ?? "no data URL";
    return !(isImage ? LIMITS.imageTypes : LIMITS.fileTypes).has(mediaType) && `Found ${mediaType}.`;
  });
}

function findOrphans(items: readonly Item[]): readonly RuleViolation[] {
  const waiting = new Set<string>();
  return findFaults(items, (item) => {
    const id = JSON.stringify(item.callId);
    const output = ANSWERS.get(item.type);
    if (output !== undefined) waiting.add(`${output} ${id}`);
    return isOutput(item) && !waiting.has(`${item.type} ${id}`) && `Found no call ${id} before it.`;
  });
}

/** A call with an output before it is not open; that output is reported as an orphan. */
function findOpenCalls(items: readonly Item[]): readonly RuleViolation[] {
  const answered = new Set(items.filter(isOutput).map(({ callId }) => callId));
  const check = ({ callId }: Item) => !answered.has(callId) && `Found no output for ${JSON.stringify(callId)}.`;
  return findFaults(items.filter(isCall), check);
}

function findRepeatedItems(items: readonly Item[]): readonly RuleViolation[] {
  const owned = items.filter(({ type, source }) => type !== "item_reference" && typeof source.id === "string");
  return findRepeats(owned, ({ source }) => source.id, "id");
}

function findOddNames(items: readonly Item[]): readonly RuleViolation[] {
  const named = items.filter(({ type }) => type === "function_call" || type === "custom_tool_call");
  return findFaults(named, ({ source }) => !LIMITS.toolName.test(String(source.name)), "name");
}

function findBadArguments(items: readonly Item[]): readonly RuleViolation[] {
  const calls = items.filter(({ type }) => type === "function_call");
  return findFaults(calls, ({ source }) => !isJsonText(String(source.arguments)), "arguments");
}

/** Whether the assistant produced the item, and it is not reasoning. */
function isFromAssistant(item: Item | undefined): boolean {
  if (item === undefined || item.type === "reasoning" || isOutput(item)) return false;
  return item.type !== "message" || item.role === "assistant";
}
