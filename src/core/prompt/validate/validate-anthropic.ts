/** The strict rules of Anthropic's Messages API. Unknown blocks violate none of them. */
import { isObject, pathOf } from "../../check-value.ts";
import { PROVIDER_LIMITS } from "../provider.ts";
import {
  type Complaint,
  complain,
  type Fault,
  findFaults,
  findRepeats,
  isBlank,
  type Placed,
  type Rule,
  takeContent,
  takeList,
  takeObjects,
  takeText,
} from "./complaint.ts";

const LIMITS = PROVIDER_LIMITS.anthropic;
const MAX_MARKS = 4;
const ASSISTANT_BLOCKS = ["thinking", "redacted_thinking", "tool_use", "server_tool_use", "mcp_tool_use"];
const USER_BLOCKS = ["tool_result", "image", "document", "search_result"];

interface Block extends Placed {
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
  readonly tools: readonly Placed[];
}

export const ANTHROPIC_RULES: readonly Rule<AnthropicPrompt>[] = [
  {
    name: "known-role",
    says: "A role is user or assistant.",
    find: ({ turns }) => findFaults(turns, (turn) => !isSpoken(turn) && turn.role !== "system", "role"),
  },
  {
    name: "system-in-place",
    says: "System text is beside the messages, not one of them.",
    find: ({ turns }) => findFaults(turns, ({ role }) => role === "system", "role"),
  },
  {
    name: "first-user",
    says: "The first message is the user's.",
    find: ({ turns }) => findFaults(turns.filter(isSpoken).slice(0, 1), ({ role }) => role === "assistant", "role"),
  },
  { name: "alternation", says: "User and assistant take turns.", find: findRepeatedRoles },
  {
    name: "content-present",
    says: "A message has content.",
    find: ({ turns }) => findFaults(turns, ({ blocks }) => blocks.length === 0, "content"),
  },
  {
    name: "text-not-blank",
    says: "A text has more than white space.",
    find: ({ system, blocks }) =>
      findFaults([...system, ...withInner(blocks)], ({ type, source }) => type === "text" && isBlank(source.text)),
  },
  { name: "no-trailing-space", says: "A final assistant text does not end in white space.", find: findTrailingSpace },
  {
    name: "block-fits-role",
    says: "Calls and thoughts are the assistant's, results and media the user's.",
    find: findMisplacedBlocks,
  },
  { name: "result-has-call", says: "A result answers a call of the message directly before.", find: findOrphans },
  { name: "result-once", says: "A call is answered once.", find: findRepeatedResults },
  { name: "calls-answered", says: "Every call is answered in the very next message.", find: findOpenCalls },
  { name: "results-first", says: "Results come before anything else in their message.", find: findLateResults },
  {
    name: "server-call-answered",
    says: "A tool that the provider ran has its result in the same message.",
    find: findOpenServerCalls,
  },
  { name: "failure-says-why", says: "A failed result says what went wrong.", find: findSilentFailures },
  {
    name: "unique-call-ids",
    says: "No two calls share an id.",
    find: ({ calls }) => findRepeats(calls, ({ source }) => source.id, "id"),
  },
  {
    name: "call-id",
    says: "A call id has letters, digits, _ and - only.",
    find: ({ calls }) => findFaults(calls, ({ source }) => !LIMITS.callId.test(String(source.id)), "id"),
  },
  {
    name: "tool-name",
    says: "A tool's name has letters, digits, _ and -, at most 128.",
    find: ({ calls, tools }) =>
      findFaults<Placed>([...calls, ...tools], ({ source }) => !LIMITS.toolName.test(String(source.name)), "name"),
  },
  {
    name: "input-object",
    says: "A call's input is an object.",
    find: ({ calls }) => findFaults(calls, ({ source }) => !isObject(source.input), "input"),
  },
  { name: "media-type", says: "Images and documents are of a type that is accepted.", find: findForeignMedia },
  { name: "thinking-signed", says: "A thought carries its signature.", find: findUnsignedThoughts },
  {
    name: "thinking-first",
    says: "A message that thinks and calls begins with its thoughts.",
    find: findMisplacedThoughts,
  },
  {
    name: "thinking-not-last",
    says: "A thought is not the last block of its message.",
    find: ({ turns }) => turns.flatMap(({ blocks }) => findFaults(blocks.slice(-1), isThought)),
  },
  { name: "cache-marks", says: "There are at most four cache marks.", find: findTooManyMarks },
  {
    name: "cache-mark-place",
    says: "Thoughts carry no cache mark.",
    find: ({ blocks }) => findFaults(blocks, (block) => isThought(block) && isMarked(block)),
  },
];

export function validateAnthropic(value: unknown): readonly Complaint[] {
  return complain(value, { read: readPrompt, rules: ANTHROPIC_RULES });
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

function readTurn(placed: Placed): Turn {
  const role = takeText(placed, "role");
  return { role, blocks: readBlocks(placed, { key: "content", role }), path: placed.path };
}

/** A plain text counts as one text block. */
function readBlocks(placed: Placed, { key, role }: { readonly key: string; readonly role: string }): readonly Block[] {
  const content = takeContent(placed, key);
  const path = placed.path === "" ? key : pathOf(placed.path, key);
  if (typeof content !== "string") return content.map((block) => readBlock(block, role));
  return [{ type: "text", role, source: { type: "text", text: content }, path, inner: [] }];
}

function readBlock(placed: Placed, role: string): Block {
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

function isSpoken({ role }: Turn): boolean {
  return role === "user" || role === "assistant";
}

function findRepeatedRoles({ turns }: AnthropicPrompt): readonly Fault[] {
  const check = ({ role }: Turn, index: number, spoken: readonly Turn[]) =>
    spoken[index - 1]?.role === role && `Two ${role} messages.`;
  return findFaults(turns.filter(isSpoken), check, "role");
}

function findTrailingSpace({ turns }: AnthropicPrompt): readonly Fault[] {
  const last = turns.at(-1)?.blocks.slice(-1) ?? [];
  return findFaults(last, ({ role, type, source }) => {
    return role === "assistant" && type === "text" && /\S\s+$/.test(String(source.text));
  });
}

function findMisplacedBlocks({ blocks }: AnthropicPrompt): readonly Fault[] {
  const check = ({ role, type }: Block) =>
    (role === "assistant" ? USER_BLOCKS : ASSISTANT_BLOCKS).includes(type) && `Not in a ${role} message.`;
  return findFaults(blocks, check, "type");
}

function idsOf(turn: Turn | undefined, type: string, key: string): readonly unknown[] {
  return turn?.blocks.filter((block) => block.type === type).map(({ source }) => source[key]) ?? [];
}

function findOrphans({ turns }: AnthropicPrompt): readonly Fault[] {
  return turns.flatMap((turn, index) => {
    const asked = idsOf(turns[index - 1], "tool_use", "id");
    const check = ({ role, type, source: { tool_use_id: id } }: Block) =>
      role === "user" && type === "tool_result" && !asked.includes(id) && `There is no call ${JSON.stringify(id)}.`;
    return findFaults(turn.blocks, check, "tool_use_id");
  });
}

function findRepeatedResults({ turns }: AnthropicPrompt): readonly Fault[] {
  return turns.flatMap(({ role, blocks }) => {
    const results = blocks.filter(({ type }) => role === "user" && type === "tool_result");
    return findRepeats(results, ({ source }) => source.tool_use_id);
  });
}

function findOpenCalls({ turns }: AnthropicPrompt): readonly Fault[] {
  return turns.flatMap((turn, index) => {
    const next = turns[index + 1];
    const answered = next?.role === "user" ? idsOf(next, "tool_result", "tool_use_id") : [];
    const calls = turn.blocks.filter(({ role, type }) => role === "assistant" && type === "tool_use");
    return findFaults(
      calls,
      ({ source: { id } }) => !answered.includes(id) && `Nothing answers ${JSON.stringify(id)}.`,
    );
  });
}

function findLateResults({ turns }: AnthropicPrompt): readonly Fault[] {
  return turns.flatMap(({ role, blocks }) => {
    const firstOther = blocks.findIndex(({ type }) => type !== "tool_result");
    if (role !== "user" || firstOther === -1) return [];
    return findFaults(blocks.slice(firstOther), ({ type }) => type === "tool_result");
  });
}

/** Calls and results of provider-run tools come in pairs inside one message. */
function findOpenServerCalls({ turns }: AnthropicPrompt): readonly Fault[] {
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

function findSilentFailures({ blocks }: AnthropicPrompt): readonly Fault[] {
  return findFaults(blocks, ({ type, source, inner }) => {
    const isSilent = typeof source.content === "string" ? isBlank(source.content) : inner.length === 0;
    return type === "tool_result" && source.is_error === true && isSilent;
  });
}

function findForeignMedia({ blocks }: AnthropicPrompt): readonly Fault[] {
  return findFaults(withInner(blocks), ({ type, source: { source: from } }) => {
    if ((type !== "image" && type !== "document") || !isObject(from)) return false;
    const isData = from.type === "base64" || from.type === "text";
    const accepted = type === "image" ? LIMITS.imageTypes : LIMITS.fileTypes;
    const isOfType = (from.media_type === "text/plain") === (from.type === "text");
    return isData && !(accepted.has(String(from.media_type)) && isOfType) && `It is ${String(from.media_type)}.`;
  });
}

function isThought({ type }: Block): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

function findUnsignedThoughts({ blocks }: AnthropicPrompt): readonly Fault[] {
  return findFaults(blocks.filter(isThought), ({ type, source }) => {
    const proof = type === "thinking" ? source.signature : source.data;
    return typeof proof !== "string" || proof === "";
  });
}

function findMisplacedThoughts({ turns }: AnthropicPrompt): readonly Fault[] {
  const calling = turns.filter(({ blocks }) => blocks.some(({ type }) => type === "tool_use"));
  return calling.flatMap(({ blocks: [first, ...others] }) => {
    return first === undefined || isThought(first) ? [] : findFaults(others, isThought);
  });
}

function isMarked({ source }: Placed): boolean {
  return isObject(source.cache_control);
}

function findTooManyMarks({ tools, system, blocks }: AnthropicPrompt): readonly Fault[] {
  const markable = [...tools, ...system, ...blocks.flatMap((block) => [...block.inner, block])];
  const marked = markable.filter(isMarked);
  return findFaults(marked.slice(MAX_MARKS, MAX_MARKS + 1), () => `There are ${marked.length}.`);
}
