/** The strict rules of Anthropic's Messages API. Unknown blocks violate none of them. */
import { isObject, pathOf } from "../../check-value.ts";
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

const LIMITS = PROVIDER_LIMITS.anthropic;
const MAX_MARKS = 4;
const ASSISTANT_BLOCKS = ["thinking", "redacted_thinking", "tool_use", "server_tool_use", "mcp_tool_use"];
const USER_BLOCKS = ["tool_result", "image", "document", "search_result"];

interface Block extends JsonNode {
  readonly type: string;
  /** The role of its message; `system` for system text. */
  readonly role: string;
  /** The blocks inside a tool result. */
  readonly inner: readonly Block[];
}

interface Turn {
  readonly role: string;
  readonly blocks: readonly Block[];
  readonly path: string;
}

interface AnthropicPrompt {
  readonly system: readonly Block[];
  readonly turns: readonly Turn[];
  /** The blocks of all turns. */
  readonly blocks: readonly Block[];
  /** Calls of the host's tools. */
  readonly calls: readonly Block[];
  readonly tools: readonly JsonNode[];
}

export const ANTHROPIC_RULES: readonly ProviderRule<AnthropicPrompt>[] = [
  defineRule("known-role", "The role must be user or assistant.", ({ turns }) =>
    findFaults(turns, (turn) => !isKnownTurn(turn) && turn.role !== "system", "role"),
  ),
  defineRule("system-in-place", "System text must be in the field `system`, not in a message.", ({ turns }) =>
    findFaults(turns, ({ role }) => role === "system", "role"),
  ),
  defineRule("first-user", "The first message must be from the user.", ({ turns }) =>
    findFaults(
      turns.filter(isKnownTurn).slice(0, 1),
      (turn) => turn.role === "assistant" && !beginsCompacted(turn),
      "role",
    ),
  ),
  defineRule("alternation", "User and assistant messages must alternate.", findRepeatedRoles),
  defineRule("content-present", "A message must have content.", ({ turns }) =>
    findFaults(turns, ({ blocks }) => blocks.length === 0, "content"),
  ),
  defineRule("text-not-blank", "A text must not be blank.", ({ system, blocks }) =>
    findFaults([...system, ...withInner(blocks)], ({ type, source }) => type === "text" && isBlank(source.text)),
  ),
  defineRule("no-trailing-space", "The last text must not end in white space.", findTrailingSpace),
  defineRule(
    "block-fits-role",
    "Calls and thinking belong in assistant messages, results and media in user messages.",
    findMisplacedBlocks,
  ),
  defineRule("result-has-call", "A result must answer a call of the previous message.", findOrphans),
  defineRule("result-once", "A call must have only one result.", findRepeatedResults),
  defineRule("calls-answered", "A call must have its result in the next message.", findOpenCalls),
  defineRule("results-first", "Results must come first in their message.", findLateResults),
  defineRule(
    "server-call-answered",
    "The call of a provider-run tool must have its result in the same message.",
    findOpenServerCalls,
  ),
  defineRule("failure-has-content", "A failed result must have content.", findSilentFailures),
  defineRule("unique-call-ids", "Call ids must be unique.", ({ calls }) =>
    findRepeats(calls, ({ source }) => source.id, "id"),
  ),
  defineRule("call-id", "A call id may contain only letters, digits, _ and -.", ({ calls }) =>
    findFaults(calls, ({ source }) => !LIMITS.callId.test(String(source.id)), "id"),
  ),
  defineRule("tool-name", "A tool name must have 1 to 128 letters, digits, _ or -.", ({ calls, tools }) =>
    findFaults<JsonNode>([...calls, ...tools], ({ source }) => !LIMITS.toolName.test(String(source.name)), "name"),
  ),
  defineRule("input-object", "The input of a call must be an object.", ({ calls }) =>
    findFaults(calls, ({ source }) => !isObject(source.input), "input"),
  ),
  defineRule("media-type", "The media type must be one that the provider accepts.", findForeignMedia),
  defineRule("thinking-signed", "Thinking must have a signature.", findUnsignedThoughts),
  defineRule(
    "thinking-first",
    "A message with thinking and calls must begin with the thinking.",
    findMisplacedThoughts,
  ),
  defineRule("thinking-not-last", "Thinking must not be the last block of a message.", ({ turns }) =>
    turns.flatMap(({ blocks }) => findFaults(blocks.slice(-1), isThought)),
  ),
  defineRule("compaction-first", "A signed compaction must be the first block.", ({ blocks }) =>
    findFaults(blocks.slice(1), ({ type, source }) => type === "compaction" && typeof source.signature === "string"),
  ),
  defineRule("cache-marks", "A request may have at most four cache marks.", findTooManyMarks),
  defineRule("cache-mark-place", "Thinking must not have a cache mark.", ({ blocks }) =>
    findFaults(blocks, (block) => isThought(block) && isMarked(block)),
  ),
];

export function validateAnthropic(value: unknown): readonly Complaint[] {
  return findComplaints(value, { read: readPrompt, rules: ANTHROPIC_RULES });
}

function readPrompt(value: unknown): AnthropicPrompt {
  const request = isObject(value) ? value : {};
  const system = readBlocks({ source: request, path: "" }, { key: "system", role: "system" });
  const turns = takeList(value, "messages").map(readTurn);
  const blocks = turns.flatMap((turn) => turn.blocks);
  const calls = blocks.filter(({ type }) => type === "tool_use");
  return {
    system,
    turns,
    blocks,
    calls,
    tools: request.tools === undefined ? [] : takeObjects(request.tools, "tools"),
  };
}

function readTurn(placed: JsonNode): Turn {
  const role = takeText(placed, "role");
  return { role, blocks: readBlocks(placed, { key: "content", role }), path: placed.path };
}

/** Reads a plain string as one text block. */
function readBlocks(
  placed: JsonNode,
  { key, role }: { readonly key: string; readonly role: string },
): readonly Block[] {
  const content = takeContent(placed, key);
  const path = placed.path === "" ? key : pathOf(placed.path, key);
  if (typeof content !== "string") return content.map((block) => readBlock(block, role));
  return [{ type: "text", role, source: { type: "text", text: content }, path, inner: [] }];
}

function readBlock(placed: JsonNode, role: string): Block {
  const type = takeText(placed, "type");
  if (type === "text") takeText(placed, "text");
  if (type === "tool_use" || type === "server_tool_use") takeText(placed, "id");
  if (type === "tool_use") takeText(placed, "name");
  if (type === "tool_result") takeText(placed, "tool_use_id");
  const nested = type === "tool_result" && typeof placed.source.content !== "string";
  return { ...placed, type, role, inner: nested ? readBlocks(placed, { key: "content", role }) : [] };
}

function withInner(blocks: readonly Block[]): readonly Block[] {
  return blocks.flatMap((block) => [block, ...block.inner]);
}

/** A compaction stands for the messages before it. */
function beginsCompacted({ blocks }: Turn): boolean {
  return blocks[0]?.type === "compaction";
}

function isKnownTurn({ role }: Turn): boolean {
  return role === "user" || role === "assistant";
}

function findRepeatedRoles({ turns }: AnthropicPrompt): readonly RuleViolation[] {
  const check = ({ role }: Turn, index: number, spoken: readonly Turn[]) =>
    spoken[index - 1]?.role === role && `Found two ${role} messages in a row.`;
  return findFaults(turns.filter(isKnownTurn), check, "role");
}

function findTrailingSpace({ turns }: AnthropicPrompt): readonly RuleViolation[] {
  const last = turns.at(-1)?.blocks.slice(-1) ?? [];
  return findFaults(last, ({ role, type, source }) => {
    return role === "assistant" && type === "text" && /\S\s+$/.test(String(source.text));
  });
}

function findMisplacedBlocks({ blocks }: AnthropicPrompt): readonly RuleViolation[] {
  const check = ({ role, type }: Block) =>
    (role === "assistant" ? USER_BLOCKS : ASSISTANT_BLOCKS).includes(type) && `Found in a message with role ${role}.`;
  return findFaults(blocks, check, "type");
}

function idsOf(turn: Turn | undefined, type: string, key: string): readonly unknown[] {
  return turn?.blocks.filter((block) => block.type === type).map(({ source }) => source[key]) ?? [];
}

function findOrphans({ turns }: AnthropicPrompt): readonly RuleViolation[] {
  return turns.flatMap((turn, index) => {
    const asked = idsOf(turns[index - 1], "tool_use", "id");
    const check = ({ role, type, source: { tool_use_id: id } }: Block) =>
      role === "user" && type === "tool_result" && !asked.includes(id) && `Found no call ${JSON.stringify(id)}.`;
    return findFaults(turn.blocks, check, "tool_use_id");
  });
}

function findRepeatedResults({ turns }: AnthropicPrompt): readonly RuleViolation[] {
  return turns.flatMap(({ role, blocks }) => {
    const results = blocks.filter(({ type }) => role === "user" && type === "tool_result");
    return findRepeats(results, ({ source }) => source.tool_use_id);
  });
}

function findOpenCalls({ turns }: AnthropicPrompt): readonly RuleViolation[] {
  return turns.flatMap((turn, index) => {
    const next = turns[index + 1];
    const answered = next?.role === "user" ? idsOf(next, "tool_result", "tool_use_id") : [];
    const calls = turn.blocks.filter(({ role, type }) => role === "assistant" && type === "tool_use");
    return findFaults(
      calls,
      ({ source: { id } }) => !answered.includes(id) && `Found no result for ${JSON.stringify(id)}.`,
    );
  });
}

function findLateResults({ turns }: AnthropicPrompt): readonly RuleViolation[] {
  return turns.flatMap(({ role, blocks }) => {
    const firstOther = blocks.findIndex(({ type }) => type !== "tool_result");
    if (role !== "user" || firstOther === -1) return [];
    return findFaults(blocks.slice(firstOther), ({ type }) => type === "tool_result");
  });
}

/** The call and result of a provider-run tool must be in one message. */
function findOpenServerCalls({ turns }: AnthropicPrompt): readonly RuleViolation[] {
  return turns.flatMap(({ role, blocks }) => {
    if (role !== "assistant") return [];
    const calls = new Set(blocks.filter(isServerCall).map(({ source }) => source.id));
    const results = new Set(blocks.filter(isServerResult).map(({ source }) => source.tool_use_id));
    return findFaults(blocks, (block) => {
      if (isServerCall(block)) return !results.has(block.source.id);
      return isServerResult(block) && !calls.has(block.source.tool_use_id);
    });
  });
}

function isServerCall({ type }: Block): boolean {
  return type === "server_tool_use" || type === "mcp_tool_use";
}

function isServerResult({ type }: Block): boolean {
  return type.endsWith("_tool_result");
}

function findSilentFailures({ blocks }: AnthropicPrompt): readonly RuleViolation[] {
  return findFaults(blocks, ({ type, source, inner }) => {
    const isSilent = typeof source.content === "string" ? isBlank(source.content) : inner.length === 0;
    return type === "tool_result" && source.is_error === true && isSilent;
  });
}

function findForeignMedia({ blocks }: AnthropicPrompt): readonly RuleViolation[] {
  return findFaults(withInner(blocks), ({ type, source: { source: from } }) => {
    if ((type !== "image" && type !== "document") || !isObject(from)) return false;
    const isData = from.type === "base64" || from.type === "text";
    const accepted = type === "image" ? LIMITS.imageTypes : LIMITS.fileTypes;
    const isOfType = (from.media_type === "text/plain") === (from.type === "text");
    return isData && !(accepted.has(String(from.media_type)) && isOfType) && `Found ${String(from.media_type)}.`;
  });
}

function isThought({ type }: Block): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

function findUnsignedThoughts({ blocks }: AnthropicPrompt): readonly RuleViolation[] {
  return findFaults(blocks.filter(isThought), ({ type, source }) => {
    const proof = type === "thinking" ? source.signature : source.data;
    return typeof proof !== "string" || proof === "";
  });
}

function findMisplacedThoughts({ turns }: AnthropicPrompt): readonly RuleViolation[] {
  const calling = turns.filter(({ blocks }) => blocks.some(({ type }) => type === "tool_use"));
  return calling.flatMap(({ blocks: [first, ...others] }) => {
    return first === undefined || isThought(first) ? [] : findFaults(others, isThought);
  });
}

function isMarked({ source }: JsonNode): boolean {
  return isObject(source.cache_control);
}

function findTooManyMarks({ tools, system, blocks }: AnthropicPrompt): readonly RuleViolation[] {
  const markable = [...tools, ...system, ...blocks.flatMap((block) => [...block.inner, block])];
  const marked = markable.filter(isMarked);
  return findFaults(marked.slice(MAX_MARKS, MAX_MARKS + 1), () => `Found ${marked.length}.`);
}
