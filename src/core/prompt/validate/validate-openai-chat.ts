/** The strict rules of OpenAI's chat completions, each with its name. Unknown parts violate none of them. */
import { type Fields, isObject, pathOf } from "../../check-value.ts";
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
  takeObject,
  takeObjects,
  takeText,
} from "./complaint.ts";

const LIMITS = PROVIDER_LIMITS.openai;
const ROLES: readonly string[] = ["system", "developer", "user", "assistant", "tool"];

const KNOWN_PARTS: readonly unknown[] = ["text", "refusal", "image_url", "input_audio", "file"];
const PARTS_OF_ROLE: Readonly<Record<string, readonly unknown[]>> = {
  user: ["text", "image_url", "input_audio", "file"],
  assistant: ["text", "refusal"],
};

interface Call {
  readonly id: string;
  readonly name: string;
  /** Absent for custom tools, whose input is free text. */
  readonly arguments: string | undefined;
  readonly path: string;
}

interface Item extends JsonNode {
  readonly role: string;
  readonly content: string | readonly JsonNode[];
  readonly calls: readonly Call[];
  /** The call that a tool message answers. */
  readonly answers: string | undefined;
}

export const OPENAI_CHAT_RULES: readonly ProviderRule<readonly Item[]>[] = [
  defineRule("known-role", `The role must be one of ${ROLES.join(", ")}.`, (items) =>
    findFaults(items, ({ role }) => !ROLES.includes(role), "role"),
  ),
  defineRule("content-present", "A message must have content.", findEmpty),
  defineRule(
    "part-fits-role",
    "Only a user message may have media, and only an assistant message may have a refusal.",
    findMisplacedParts,
  ),
  defineRule("media-type", "The media type must be one that the provider accepts.", findForeignMedia),
  defineRule("result-has-call", "A tool message must answer a call before it.", findOrphans),
  defineRule("result-once", "A call must have only one result.", findRepeatedResults),
  defineRule("calls-answered", "A call must have its result before the next message.", findOpenCalls),
  defineRule("unique-call-ids", "Call ids must be unique.", (items) =>
    findRepeats(callsOf(items), ({ id }) => id, "id"),
  ),
  defineRule("call-id", "A call id must have 1 to 40 characters and no space.", (items) =>
    findFaults(callsOf(items), ({ id }) => !LIMITS.callId.test(id), "id"),
  ),
  defineRule("tool-name", "A tool name must have 1 to 64 letters, digits, _ or -.", (items) =>
    findFaults(callsOf(items), ({ name }) => !LIMITS.toolName.test(name) && name),
  ),
  defineRule("arguments-json", "The arguments must be a JSON string.", (items) =>
    findFaults(callsOf(items), ({ arguments: text }) => text !== undefined && !isJsonText(text)),
  ),
  defineRule(
    "participant-name",
    "The name of a participant must not contain spaces or the characters < | \\ / >.",
    (items) => findFaults(items, ({ source: { name } }) => name !== undefined && !isParticipantName(name), "name"),
  ),
];

export function validateOpenAiChat(value: unknown): readonly Complaint[] {
  const read = (given: unknown) => takeList(given, "messages").map(readItem);
  return findComplaints(value, { read, rules: OPENAI_CHAT_RULES });
}

function readItem(placed: JsonNode): Item {
  const role = takeText(placed, "role");
  return {
    ...placed,
    role,
    content: takeContent(placed, "content"),
    calls: readCalls(placed),
    answers: role === "tool" ? takeText(placed, "tool_call_id") : undefined,
  };
}

function readCalls(placed: JsonNode): readonly Call[] {
  const { source, path } = placed;
  if (source.tool_calls === undefined || source.tool_calls === null) return [];
  return takeObjects(source.tool_calls, pathOf(path, "tool_calls")).map((call) => {
    const custom = call.source.type === "custom";
    const inner = takeObject(call, custom ? "custom" : "function");
    return {
      id: takeText(call, "id"),
      name: takeText(inner, "name"),
      arguments: custom ? undefined : takeText(inner, "arguments"),
      path: call.path,
    };
  });
}

function callsOf(items: readonly Item[]): readonly Call[] {
  return items.flatMap((item) => item.calls);
}

/** Allows empty results, and assistant messages with only calls, a refusal or audio. */
function findEmpty(items: readonly Item[]): readonly RuleViolation[] {
  const check = ({ role, content, calls, source }: Item) => {
    if (typeof content !== "string" && content.some(isBlankText)) return true;
    const isEmpty = typeof content === "string" ? isBlank(content) && role !== "tool" : content.length === 0;
    const isUnwritten = source.content === undefined || source.content === null || content === "";
    const hasOther = calls.length > 0 || isObject(source.audio) || typeof source.refusal === "string";
    return isEmpty && !(role === "assistant" && hasOther && isUnwritten);
  };
  return findFaults(items, check, "content");
}

function isBlankText({ source }: JsonNode): boolean {
  return source.type === "text" && isBlank(source.text);
}

function partsOf(items: readonly Item[]): readonly (JsonNode & { readonly role: string })[] {
  return items.flatMap(({ content, role }) =>
    typeof content === "string" ? [] : content.map((part) => ({ ...part, role })),
  );
}

function findMisplacedParts(items: readonly Item[]): readonly RuleViolation[] {
  const check = ({ source: { type }, role }: JsonNode & { readonly role: string }) => {
    const allowed = (Object.hasOwn(PARTS_OF_ROLE, role) ? PARTS_OF_ROLE[role] : undefined) ?? ["text"];
    return KNOWN_PARTS.includes(type) && !allowed.includes(type) && `Found in a message with role ${role}.`;
  };
  return findFaults(partsOf(items), check, "type");
}

function findForeignMedia(items: readonly Item[]): readonly RuleViolation[] {
  return findFaults(partsOf(items), ({ source }) => {
    const mediaType = findForeignType(source);
    return mediaType !== undefined && `Found ${mediaType}.`;
  });
}

/** Returns the type of a part that is not accepted. */
function findForeignType({ type, image_url: image, input_audio: audio, file }: Fields): string | undefined {
  if (type === "image_url" && isObject(image)) {
    const { url } = image;
    const mediaType = typeof url === "string" ? (parseDataUrl(url)?.mediaType ?? urlType(url)) : "none";
    return mediaType === undefined || LIMITS.imageTypes.has(mediaType) ? undefined : mediaType;
  }
  if (type === "input_audio" && isObject(audio)) {
    return audio.format === "wav" || audio.format === "mp3" ? undefined : String(audio.format);
  }
  if (type !== "file" || !isObject(file) || typeof file.file_data !== "string") return undefined;
  const mediaType = parseDataUrl(file.file_data)?.mediaType ?? "none";
  return mediaType === "application/pdf" ? undefined : mediaType;
}

/** Returns undefined for a web link, whose type is unknown. */
function urlType(url: string): string | undefined {
  return url.startsWith("data:") ? "no base64" : undefined;
}

/** Returns the assistant message that a tool message answers. Only other tool messages may be between them. */
function findAsking(items: readonly Item[], index: number): Item | undefined {
  for (let before = index - 1; before >= 0; before -= 1) {
    const item = items[before];
    if (item?.role !== "tool") return item?.role === "assistant" ? item : undefined;
  }
  return undefined;
}

function findOrphans(items: readonly Item[]): readonly RuleViolation[] {
  const check = ({ answers }: Item, index: number) => {
    const isOrphan = answers !== undefined && !findAsking(items, index)?.calls.some(({ id }) => id === answers);
    return isOrphan && `Found no call ${JSON.stringify(answers)}.`;
  };
  return findFaults(items, check, "tool_call_id");
}

function findAnswersAfter(items: readonly Item[], index: number): readonly Item[] {
  let end = index + 1;
  while (items[end]?.role === "tool") end += 1;
  return items.slice(index + 1, end);
}

function findRepeatedResults(items: readonly Item[]): readonly RuleViolation[] {
  return items.flatMap(({ calls }, index) => {
    if (calls.length === 0) return [];
    return findRepeats(findAnswersAfter(items, index), ({ answers }) => answers, "tool_call_id");
  });
}

function findOpenCalls(items: readonly Item[]): readonly RuleViolation[] {
  return items.flatMap(({ calls }, index) => {
    if (calls.length === 0) return [];
    const answered = new Set(findAnswersAfter(items, index).map(({ answers }) => answers));
    return findFaults(calls, ({ id }) => !answered.has(id) && `Found no result for ${JSON.stringify(id)}.`);
  });
}

function isParticipantName(name: unknown): boolean {
  return typeof name === "string" && /^[^\s<|\\/>]{1,64}$/.test(name);
}
