/** The strict rules of OpenAI's Responses API, each with its name. Unknown items violate none of them. */
import { pathOf } from "../../check-value.ts";
import { parseDataUrl } from "../../message/decode-value.ts";
import { isJsonText } from "../../message/json.ts";
import { PROVIDER_LIMITS } from "../provider.ts";
import { type Complaint, complain, type Fault, findRepeats, isBlank, malformed, type Rule } from "./complaint.ts";
import { MalformedValue, type Placed, takeContent, takeList, takeObjects, takeText } from "./wire-value.ts";

const LIMITS = PROVIDER_LIMITS["openai-responses"];
const ROLES: readonly string[] = ["system", "developer", "user", "assistant"];

/** Kinds of calls that the host answers, with the kind of item that answers each. */
const ANSWERS: ReadonlyMap<string, string> = new Map(
  ["function_call", "custom_tool_call", "computer_call", "local_shell_call", "shell_call", "apply_patch_call"].map(
    (type) => [type, `${type}_output`],
  ),
);
const OUTPUTS: ReadonlySet<string> = new Set(ANSWERS.values());

interface Item extends Placed {
  readonly type: string;
  readonly role: string | undefined;
  readonly content: string | readonly Placed[];
  /** The id of the call, or of the call that it answers. */
  readonly callId: string | undefined;
}

export const OPENAI_RESPONSES_RULES: readonly Rule<readonly Item[]>[] = [
  { name: "known-role", says: `A role is one of ${ROLES.join(", ")}.`, find: findUnknownRoles },
  { name: "content-present", says: "A message says something.", find: findEmpty },
  { name: "part-fits-role", says: "Output is the assistant's, input is everybody else's.", find: findMisplacedParts },
  { name: "media-type", says: "Images and files are of a type that is accepted.", find: findForeignMedia },
  { name: "result-has-call", says: "An output comes after the call that it answers.", find: findOrphans },
  {
    name: "result-once",
    says: "A call is answered once.",
    find: (items) => findRepeats(items.filter(isOutput), { key: (item) => item.callId, path: (item) => item.path }),
  },
  { name: "calls-answered", says: "Every call has its output.", find: findOpenCalls },
  {
    name: "unique-call-ids",
    says: "No two calls share an id.",
    find: (items) => findRepeats(items.filter(isCall), { key: (item) => item.callId, path: (item) => item.path }),
  },
  { name: "unique-item-ids", says: "No two items share an id.", find: findRepeatedItems },
  { name: "call-id", says: "A call id has one to 64 characters and no space.", find: findOddIds },
  { name: "tool-name", says: "A tool's name has letters, digits, _ and -, at most 64.", find: findOddNames },
  { name: "arguments-json", says: "Arguments are JSON, written as text.", find: findBadArguments },
  {
    name: "reasoning-followed",
    says: "A thought is followed by what the assistant made of it.",
    find: findLooseThoughts,
  },
];

export function validateOpenAiResponses(value: unknown): readonly Complaint[] {
  try {
    return complain(takeList(value, "input").map(readItem), OPENAI_RESPONSES_RULES);
  } catch (error) {
    if (error instanceof MalformedValue) return [malformed(error.fault)];
    throw error;
  }
}

function readItem(placed: Placed): Item {
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

function findUnknownRoles(items: readonly Item[]): readonly Fault[] {
  return items.flatMap(({ role, path }) =>
    role === undefined || ROLES.includes(role) ? [] : [{ path: pathOf(path, "role") }],
  );
}

function findEmpty(items: readonly Item[]): readonly Fault[] {
  return items.flatMap(({ type, content, path }) => {
    if (type !== "message") return [];
    const empty = typeof content === "string" ? isBlank(content) : content.length === 0 || content.some(isBlankText);
    return empty ? [{ path: pathOf(path, "content") }] : [];
  });
}

function isBlankText({ source }: Placed): boolean {
  const texts = source.type === "input_text" || source.type === "output_text";
  return texts && (typeof source.text !== "string" || isBlank(source.text));
}

function partsOf(items: readonly Item[]): readonly (Placed & { readonly role: string | undefined })[] {
  return items.flatMap((item) => {
    const content = item.type === "function_call_output" ? takeContent(item, "output") : item.content;
    return typeof content === "string" ? [] : content.map((part) => ({ ...part, role: item.role }));
  });
}

function findMisplacedParts(items: readonly Item[]): readonly Fault[] {
  return partsOf(items).flatMap(({ source, path, role }) => {
    const output = source.type === "output_text" || source.type === "refusal";
    const input = typeof source.type === "string" && source.type.startsWith("input_");
    const media = input && source.type !== "input_text";
    const faulty = role === "assistant" ? input : output || (media && role !== "user" && role !== undefined);
    return faulty ? [{ path: pathOf(path, "type") }] : [];
  });
}

function findForeignMedia(items: readonly Item[]): readonly Fault[] {
  return partsOf(items).flatMap(({ source, path }) => {
    const image = source.type === "input_image";
    const data = image ? source.image_url : source.type === "input_file" ? source.file_data : undefined;
    if (typeof data !== "string" || (image && !data.startsWith("data:"))) return [];
    const mediaType = parseDataUrl(data)?.mediaType ?? "no data URL";
    return (image ? LIMITS.imageTypes : LIMITS.fileTypes).has(mediaType)
      ? []
      : [{ path, detail: `It is ${mediaType}.` }];
  });
}

function findOrphans(items: readonly Item[]): readonly Fault[] {
  const waiting = new Set<string>();
  return items.flatMap((item) => {
    const id = JSON.stringify(item.callId);
    const output = ANSWERS.get(item.type);
    if (output !== undefined) waiting.add(`${output} ${id}`);
    const orphan = isOutput(item) && !waiting.has(`${item.type} ${id}`);
    return orphan ? [{ path: item.path, detail: `There is no call ${id} before it.` }] : [];
  });
}

/** An output before its call is an orphan, and the call needs no other. */
function findOpenCalls(items: readonly Item[]): readonly Fault[] {
  const answered = new Set(items.filter(isOutput).map((item) => item.callId));
  return items.flatMap(({ type, callId, path }) =>
    ANSWERS.has(type) && !answered.has(callId) ? [{ path, detail: `Nothing answers ${JSON.stringify(callId)}.` }] : [],
  );
}

function findRepeatedItems(items: readonly Item[]): readonly Fault[] {
  return findRepeats(
    items.filter((item) => item.type !== "item_reference"),
    {
      key: ({ source }) => (typeof source.id === "string" ? source.id : undefined),
      path: ({ path }) => pathOf(path, "id"),
    },
  );
}

function findOddIds(items: readonly Item[]): readonly Fault[] {
  return items.flatMap(({ callId, path }) =>
    callId === undefined || LIMITS.callId.test(callId) ? [] : [{ path: pathOf(path, "call_id") }],
  );
}

function findOddNames(items: readonly Item[]): readonly Fault[] {
  return items.flatMap(({ type, source, path }) => {
    const named = type === "function_call" || type === "custom_tool_call";
    return named && !LIMITS.toolName.test(String(source.name)) ? [{ path: pathOf(path, "name") }] : [];
  });
}

function findBadArguments(items: readonly Item[]): readonly Fault[] {
  return items.flatMap(({ type, source, path }) =>
    type === "function_call" && !isJsonText(String(source.arguments)) ? [{ path: pathOf(path, "arguments") }] : [],
  );
}

function findLooseThoughts(items: readonly Item[]): readonly Fault[] {
  return items.flatMap((item, index) =>
    item.type === "reasoning" && !isAssistants(items[index + 1]) ? [{ path: item.path }] : [],
  );
}

/** Whether the assistant produced the item: a message, a call, or another kind of item; not further reasoning. */
function isAssistants(item: Item | undefined): boolean {
  if (item === undefined || item.type === "reasoning" || isOutput(item)) return false;
  return item.type !== "message" || item.role === "assistant";
}
