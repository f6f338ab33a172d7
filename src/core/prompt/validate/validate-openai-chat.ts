/** The strict rules of OpenAI's chat completions, each with its name. Unknown parts violate none of them. */
import { type Fields, isObject, pathOf } from "../../check-value.ts";
import { parseDataUrl } from "../../message/decode-value.ts";
import { isJsonText } from "../../message/json.ts";
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

interface Item extends Placed {
  readonly role: string;
  readonly content: string | readonly Placed[];
  readonly calls: readonly Call[];
  /** The call that a tool message answers. */
  readonly answers: string | undefined;
}

export const OPENAI_CHAT_RULES: readonly Rule<readonly Item[]>[] = [
  {
    name: "known-role",
    says: `A role is one of ${ROLES.join(", ")}.`,
    find: (items) => findFaults(items, ({ role }) => !ROLES.includes(role), "role"),
  },
  { name: "content-present", says: "A message says something.", find: findEmpty },
  { name: "part-fits-role", says: "Media are the user's, refusals the assistant's.", find: findMisplacedParts },
  { name: "media-type", says: "Images, audio and files are of a type that is accepted.", find: findForeignMedia },
  {
    name: "result-has-call",
    says: "A tool message answers a call of the assistant message before it.",
    find: findOrphans,
  },
  { name: "result-once", says: "A call is answered once.", find: findRepeatedResults },
  {
    name: "calls-answered",
    says: "Every call is answered before the next message that is no result.",
    find: findOpenCalls,
  },
  {
    name: "unique-call-ids",
    says: "No two calls share an id.",
    find: (items) => findRepeats(callsOf(items), ({ id }) => id, "id"),
  },
  {
    name: "call-id",
    says: "A call id has one to forty characters and no space.",
    find: (items) => findFaults(callsOf(items), ({ id }) => !LIMITS.callId.test(id), "id"),
  },
  {
    name: "tool-name",
    says: "A tool's name has letters, digits, _ and -, at most 64.",
    find: (items) => findFaults(callsOf(items), ({ name }) => !LIMITS.toolName.test(name) && name),
  },
  {
    name: "arguments-json",
    says: "Arguments are JSON, written as text.",
    find: (items) => findFaults(callsOf(items), ({ arguments: text }) => text !== undefined && !isJsonText(text)),
  },
  {
    name: "participant-name",
    says: "A participant's name has no space and none of < | \\ / >.",
    find: (items) =>
      findFaults(items, ({ source: { name } }) => name !== undefined && !isParticipantName(name), "name"),
  },
];

export function validateOpenAiChat(value: unknown): readonly Complaint[] {
  const read = (given: unknown) => takeList(given, "messages").map(readItem);
  return complain(value, { read, rules: OPENAI_CHAT_RULES });
}

function readItem(placed: Placed): Item {
  const role = takeText(placed, "role");
  return {
    ...placed,
    role,
    content: takeContent(placed, "content"),
    calls: readCalls(placed),
    answers: role === "tool" ? takeText(placed, "tool_call_id") : undefined,
  };
}

function readCalls(placed: Placed): readonly Call[] {
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

/** A result may be empty; an assistant message may hold only calls, a refusal or audio. */
function findEmpty(items: readonly Item[]): readonly Fault[] {
  const check = ({ role, content, calls, source }: Item) => {
    if (typeof content !== "string" && content.some(isBlankText)) return true;
    const isEmpty = typeof content === "string" ? isBlank(content) && role !== "tool" : content.length === 0;
    const isUnwritten = source.content === undefined || source.content === null || content === "";
    const hasOther = calls.length > 0 || isObject(source.audio) || typeof source.refusal === "string";
    return isEmpty && !(role === "assistant" && hasOther && isUnwritten);
  };
  return findFaults(items, check, "content");
}

function isBlankText({ source }: Placed): boolean {
  return source.type === "text" && isBlank(source.text);
}

function partsOf(items: readonly Item[]): readonly (Placed & { readonly role: string })[] {
  return items.flatMap(({ content, role }) =>
    typeof content === "string" ? [] : content.map((part) => ({ ...part, role })),
  );
}

function findMisplacedParts(items: readonly Item[]): readonly Fault[] {
  const check = ({ source: { type }, role }: Placed & { readonly role: string }) => {
    const allowed = (Object.hasOwn(PARTS_OF_ROLE, role) ? PARTS_OF_ROLE[role] : undefined) ?? ["text"];
    return KNOWN_PARTS.includes(type) && !allowed.includes(type) && `Not in a ${role} message.`;
  };
  return findFaults(partsOf(items), check, "type");
}

function findForeignMedia(items: readonly Item[]): readonly Fault[] {
  return findFaults(partsOf(items), ({ source }) => {
    const mediaType = findForeignType(source);
    return mediaType !== undefined && `It is ${mediaType}.`;
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

/** A link does not tell its type; a data URL that is not base64 is not an image. */
function urlType(url: string): string | undefined {
  return url.startsWith("data:") ? "no base64" : undefined;
}

/** Returns the assistant message that a tool message answers: the nearest before it, with only results between. */
function findAsking(items: readonly Item[], index: number): Item | undefined {
  for (let before = index - 1; before >= 0; before -= 1) {
    const item = items[before];
    if (item?.role !== "tool") return item?.role === "assistant" ? item : undefined;
  }
  return undefined;
}

function findOrphans(items: readonly Item[]): readonly Fault[] {
  const check = ({ answers }: Item, index: number) => {
    const isOrphan = answers !== undefined && !findAsking(items, index)?.calls.some(({ id }) => id === answers);
    return isOrphan && `There is no call ${JSON.stringify(answers)}.`;
  };
  return findFaults(items, check, "tool_call_id");
}

function answersAfter(items: readonly Item[], index: number): readonly Item[] {
  let end = index + 1;
  while (items[end]?.role === "tool") end += 1;
  return items.slice(index + 1, end);
}

function findRepeatedResults(items: readonly Item[]): readonly Fault[] {
  return items.flatMap(({ calls }, index) => {
    if (calls.length === 0) return [];
    return findRepeats(answersAfter(items, index), ({ answers }) => answers, "tool_call_id");
  });
}

function findOpenCalls(items: readonly Item[]): readonly Fault[] {
  return items.flatMap(({ calls }, index) => {
    if (calls.length === 0) return [];
    const answered = new Set(answersAfter(items, index).map(({ answers }) => answers));
    return findFaults(calls, ({ id }) => !answered.has(id) && `Nothing answers ${JSON.stringify(id)}.`);
  });
}

function isParticipantName(name: unknown): boolean {
  return typeof name === "string" && /^[^\s<|\\/>]{1,64}$/.test(name);
}
