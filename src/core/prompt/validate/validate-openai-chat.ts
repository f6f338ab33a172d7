/** The strict rules of OpenAI's chat completions, each with its name. Unknown parts violate none of them. */

import { isObject, pathOf } from "../../check-value.ts";
import { parseDataUrl } from "../../message/decode-value.ts";
import { isJsonText } from "../../message/json.ts";
import { PROVIDER_LIMITS } from "../provider.ts";
import { type Complaint, complain, type Fault, findRepeats, isBlank, malformed, type Rule } from "./complaint.ts";
import { MalformedValue, type Placed, takeContent, takeList, takeObject, takeObjects, takeText } from "./wire-value.ts";

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
  { name: "known-role", says: `A role is one of ${ROLES.join(", ")}.`, find: findUnknownRoles },
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
    find: (items) => findRepeats(callsOf(items), { key: (call) => call.id, path: (call) => pathOf(call.path, "id") }),
  },
  { name: "call-id", says: "A call id has one to forty characters and no space.", find: findOddIds },
  { name: "tool-name", says: "A tool's name has letters, digits, _ and -, at most 64.", find: findOddNames },
  { name: "arguments-json", says: "Arguments are JSON, written as text.", find: findBadArguments },
  {
    name: "participant-name",
    says: "A participant's name has no space and none of < | \\ / >.",
    find: findOddParticipants,
  },
];

export function validateOpenAiChat(value: unknown): readonly Complaint[] {
  try {
    return complain(takeList(value, "messages").map(readItem), OPENAI_CHAT_RULES);
  } catch (error) {
    if (error instanceof MalformedValue) return [malformed(error.fault)];
    throw error;
  }
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

function findUnknownRoles(items: readonly Item[]): readonly Fault[] {
  return items.flatMap(({ role, path }) => (ROLES.includes(role) ? [] : [{ path: pathOf(path, "role") }]));
}

/** A result may be empty; an assistant message may hold only calls, a refusal or audio. */
function findEmpty(items: readonly Item[]): readonly Fault[] {
  return items.flatMap(({ role, content, calls, source, path }) => {
    const absent = source.content === undefined || source.content === null;
    const empty = typeof content === "string" ? isBlank(content) && role !== "tool" : content.length === 0;
    const blankPart = typeof content !== "string" && content.some((part) => isBlankText(part));
    const excused =
      role === "assistant" && (calls.length > 0 || isObject(source.audio) || typeof source.refusal === "string");
    const faulty = blankPart || (empty && !(excused && (absent || content === "")));
    return faulty ? [{ path: pathOf(path, "content") }] : [];
  });
}

function isBlankText({ source }: Placed): boolean {
  return source.type === "text" && (typeof source.text !== "string" || isBlank(source.text));
}

function partsOf(items: readonly Item[]): readonly (Placed & { readonly role: string })[] {
  return items.flatMap(({ content, role }) =>
    typeof content === "string" ? [] : content.map((part) => ({ ...part, role })),
  );
}

function findMisplacedParts(items: readonly Item[]): readonly Fault[] {
  return partsOf(items).flatMap(({ source, path, role }) => {
    const allowed = (Object.hasOwn(PARTS_OF_ROLE, role) ? PARTS_OF_ROLE[role] : undefined) ?? ["text"];
    const misplaced = KNOWN_PARTS.includes(source.type) && !allowed.includes(source.type);
    return misplaced ? [{ path: pathOf(path, "type"), detail: `Not in a ${role} message.` }] : [];
  });
}

function findForeignMedia(items: readonly Item[]): readonly Fault[] {
  return partsOf(items).flatMap(({ source, path }) => {
    if (source.type === "image_url" && isObject(source.image_url)) {
      const url = source.image_url.url;
      const mediaType = typeof url === "string" ? (parseDataUrl(url)?.mediaType ?? urlType(url)) : "none";
      return mediaType === undefined || LIMITS.imageTypes.has(mediaType)
        ? []
        : [{ path, detail: `It is ${mediaType}.` }];
    }
    if (source.type === "input_audio" && isObject(source.input_audio)) {
      const { format } = source.input_audio;
      return format === "wav" || format === "mp3" ? [] : [{ path, detail: `It is ${String(format)}.` }];
    }
    if (source.type === "file" && isObject(source.file) && typeof source.file.file_data === "string") {
      const mediaType = parseDataUrl(source.file.file_data)?.mediaType ?? "none";
      return mediaType === "application/pdf" ? [] : [{ path, detail: `It is ${mediaType}.` }];
    }
    return [];
  });
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
  return items.flatMap(({ answers, path }, index) => {
    if (answers === undefined) return [];
    const known = findAsking(items, index)?.calls.some((call) => call.id === answers) ?? false;
    return known
      ? []
      : [{ path: pathOf(path, "tool_call_id"), detail: `There is no call ${JSON.stringify(answers)}.` }];
  });
}

function answersAfter(items: readonly Item[], index: number): readonly Item[] {
  let end = index + 1;
  while (items[end]?.role === "tool") end += 1;
  return items.slice(index + 1, end);
}

function findRepeatedResults(items: readonly Item[]): readonly Fault[] {
  return items.flatMap((item, index) =>
    item.calls.length === 0
      ? []
      : findRepeats(answersAfter(items, index), {
          key: (answer) => answer.answers,
          path: (answer) => pathOf(answer.path, "tool_call_id"),
        }),
  );
}

function findOpenCalls(items: readonly Item[]): readonly Fault[] {
  return items.flatMap((item, index) => {
    if (item.calls.length === 0) return [];
    const answered = new Set(answersAfter(items, index).map((answer) => answer.answers));
    return item.calls
      .filter((call) => !answered.has(call.id))
      .map((call) => ({ path: call.path, detail: `Nothing answers ${JSON.stringify(call.id)}.` }));
  });
}

function findOddIds(items: readonly Item[]): readonly Fault[] {
  return callsOf(items).flatMap(({ id, path }) => (LIMITS.callId.test(id) ? [] : [{ path: pathOf(path, "id") }]));
}

function findOddNames(items: readonly Item[]): readonly Fault[] {
  return callsOf(items).flatMap(({ name, path }) => (LIMITS.toolName.test(name) ? [] : [{ path, detail: name }]));
}

function findBadArguments(items: readonly Item[]): readonly Fault[] {
  return callsOf(items).flatMap(({ arguments: text, path }) =>
    text === undefined || isJsonText(text) ? [] : [{ path }],
  );
}

function findOddParticipants(items: readonly Item[]): readonly Fault[] {
  return items.flatMap(({ source, path }) => {
    const { name } = source;
    const fits = name === undefined || (typeof name === "string" && /^[^\s<|\\/>]{1,64}$/.test(name));
    return fits ? [] : [{ path: pathOf(path, "name") }];
  });
}
