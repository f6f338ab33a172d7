/** The strict rules of Anthropic's Messages API. Unknown blocks violate none of them. */
import { isObject, pathOf } from "../../check-value.ts";
import { PROVIDER_LIMITS } from "../provider.ts";
import {
  type AnthropicPrompt,
  type Block,
  findCacheFaults,
  findMisplacedThoughts,
  findTooManyMarks,
  findTrailingThoughts,
  findUnsignedThoughts,
  readAnthropic,
  type Turn,
} from "./anthropic-rules.ts";
import { type Complaint, complain, type Fault, findRepeats, isBlank, malformed, type Rule } from "./complaint.ts";
import { MalformedValue } from "./wire-value.ts";

const LIMITS = PROVIDER_LIMITS.anthropic;

export const ANTHROPIC_RULES: readonly Rule<AnthropicPrompt>[] = [
  { name: "known-role", says: "A role is user or assistant.", find: findUnknownRoles },
  { name: "system-in-place", says: "System text is beside the messages, not one of them.", find: findSystemTurns },
  { name: "first-user", says: "The first message is the user's.", find: findWrongStart },
  { name: "alternation", says: "User and assistant take turns.", find: findRepeatedRoles },
  { name: "content-present", says: "A message has content.", find: findEmpty },
  { name: "text-not-blank", says: "A text has more than white space.", find: findBlankTexts },
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
    find: (prompt) =>
      findRepeats(callsOf(prompt), {
        key: ({ source }) => String(source.id),
        path: ({ path }) => pathOf(path, "id"),
      }),
  },
  { name: "call-id", says: "A call id has letters, digits, _ and - only.", find: findOddIds },
  { name: "tool-name", says: "A tool's name has letters, digits, _ and -, at most 128.", find: findOddNames },
  { name: "input-object", says: "A call's input is an object.", find: findBadInputs },
  { name: "media-type", says: "Images and documents are of a type that is accepted.", find: findForeignMedia },
  { name: "thinking-signed", says: "A thought carries its signature.", find: findUnsignedThoughts },
  {
    name: "thinking-first",
    says: "A message that thinks and calls begins with its thoughts.",
    find: findMisplacedThoughts,
  },
  { name: "thinking-not-last", says: "A thought is not the last block of its message.", find: findTrailingThoughts },
  { name: "cache-marks", says: "There are at most four cache marks.", find: findTooManyMarks },
  { name: "cache-mark-place", says: "Thoughts carry no cache mark.", find: findCacheFaults },
];

export function validateAnthropic(value: unknown): readonly Complaint[] {
  try {
    return complain(readAnthropic(value), ANTHROPIC_RULES);
  } catch (error) {
    if (error instanceof MalformedValue) return [malformed(error.fault)];
    throw error;
  }
}

function callsOf({ turns }: AnthropicPrompt): readonly Block[] {
  return turns.flatMap((turn) => turn.blocks.filter((block) => block.type === "tool_use"));
}

function findUnknownRoles({ turns }: AnthropicPrompt): readonly Fault[] {
  return turns.flatMap(({ role, path }) =>
    role === "user" || role === "assistant" || role === "system" ? [] : [{ path: pathOf(path, "role") }],
  );
}

function findSystemTurns({ turns }: AnthropicPrompt): readonly Fault[] {
  return turns.flatMap(({ role, path }) => (role === "system" ? [{ path: pathOf(path, "role") }] : []));
}

function spoken({ turns }: AnthropicPrompt): readonly Turn[] {
  return turns.filter(({ role }) => role === "user" || role === "assistant");
}

function findWrongStart(prompt: AnthropicPrompt): readonly Fault[] {
  const [first] = spoken(prompt);
  return first?.role === "assistant" ? [{ path: pathOf(first.path, "role") }] : [];
}

function findRepeatedRoles(prompt: AnthropicPrompt): readonly Fault[] {
  return spoken(prompt).flatMap((turn, index, turns) =>
    turns[index - 1]?.role === turn.role
      ? [{ path: pathOf(turn.path, "role"), detail: `Two ${turn.role} messages.` }]
      : [],
  );
}

function findEmpty({ turns }: AnthropicPrompt): readonly Fault[] {
  return turns.flatMap(({ blocks, path }) => (blocks.length === 0 ? [{ path: pathOf(path, "content") }] : []));
}

function findBlankTexts({ turns, system }: AnthropicPrompt): readonly Fault[] {
  const blocks = [...system, ...turns.flatMap((turn) => turn.blocks.flatMap((block) => [block, ...block.inner]))];
  return blocks.flatMap(({ type, source, path }) =>
    type === "text" && isBlank(String(source.text)) ? [{ path }] : [],
  );
}

function findTrailingSpace({ turns }: AnthropicPrompt): readonly Fault[] {
  const last = turns.at(-1);
  const block = last?.role === "assistant" ? last.blocks.at(-1) : undefined;
  return block?.type === "text" && /\S\s+$/.test(String(block.source.text)) ? [{ path: block.path }] : [];
}

const ASSISTANT_BLOCKS: readonly string[] = [
  "thinking",
  "redacted_thinking",
  "tool_use",
  "server_tool_use",
  "mcp_tool_use",
];
const USER_BLOCKS: readonly string[] = ["tool_result", "image", "document", "search_result"];

function findMisplacedBlocks({ turns }: AnthropicPrompt): readonly Fault[] {
  return turns.flatMap(({ role, blocks }) => {
    const foreign = role === "assistant" ? USER_BLOCKS : ASSISTANT_BLOCKS;
    return blocks.flatMap(({ type, path }) =>
      foreign.includes(type) ? [{ path: pathOf(path, "type"), detail: `Not in a ${role} message.` }] : [],
    );
  });
}

function idsOf(
  turn: Turn | undefined,
  { type, key }: { readonly type: string; readonly key: string },
): readonly string[] {
  return turn?.blocks.flatMap((block) => (block.type === type ? [String(block.source[key])] : [])) ?? [];
}

function findOrphans({ turns }: AnthropicPrompt): readonly Fault[] {
  return turns.flatMap((turn, index) => {
    if (turn.role !== "user") return [];
    const asked = idsOf(turns[index - 1], { type: "tool_use", key: "id" });
    return turn.blocks.flatMap(({ type, source, path }) =>
      type === "tool_result" && !asked.includes(String(source.tool_use_id))
        ? [
            {
              path: pathOf(path, "tool_use_id"),
              detail: `There is no call ${JSON.stringify(source.tool_use_id)}.`,
            },
          ]
        : [],
    );
  });
}

function findRepeatedResults({ turns }: AnthropicPrompt): readonly Fault[] {
  return turns.flatMap(({ role, blocks }) =>
    role === "user"
      ? findRepeats(
          blocks.filter((block) => block.type === "tool_result"),
          { key: ({ source }) => String(source.tool_use_id), path: ({ path }) => path },
        )
      : [],
  );
}

function findOpenCalls({ turns }: AnthropicPrompt): readonly Fault[] {
  return turns.flatMap((turn, index) => {
    if (turn.role !== "assistant") return [];
    const next = turns[index + 1];
    const answered = next?.role === "user" ? idsOf(next, { type: "tool_result", key: "tool_use_id" }) : [];
    return turn.blocks.flatMap(({ type, source, path }) =>
      type === "tool_use" && !answered.includes(String(source.id))
        ? [{ path, detail: `Nothing answers ${JSON.stringify(source.id)}.` }]
        : [],
    );
  });
}

function findLateResults({ turns }: AnthropicPrompt): readonly Fault[] {
  return turns.flatMap(({ role, blocks }) => {
    const firstOther = blocks.findIndex((block) => block.type !== "tool_result");
    if (role !== "user" || firstOther === -1) return [];
    return blocks.slice(firstOther).flatMap(({ type, path }) => (type === "tool_result" ? [{ path }] : []));
  });
}

/** Calls and results of provider-run tools come in pairs inside one message. */
function findOpenServerCalls({ turns }: AnthropicPrompt): readonly Fault[] {
  return turns.flatMap(({ role, blocks }) => {
    if (role !== "assistant") return [];
    const results = new Set(blocks.flatMap((block) => (isServerResult(block) ? [block.source.tool_use_id] : [])));
    const calls = new Set(blocks.flatMap((block) => (isServerCall(block) ? [block.source.id] : [])));
    return blocks.flatMap((block) => {
      const loose =
        (isServerCall(block) && !results.has(block.source.id)) ||
        (isServerResult(block) && !calls.has(block.source.tool_use_id));
      return loose ? [{ path: block.path }] : [];
    });
  });
}

function isServerCall({ type }: Block): boolean {
  return type === "server_tool_use" || type === "mcp_tool_use";
}

function isServerResult({ type }: Block): boolean {
  return type.endsWith("_tool_result");
}

function findSilentFailures({ turns }: AnthropicPrompt): readonly Fault[] {
  return turns.flatMap(({ blocks }) =>
    blocks.flatMap(({ type, source, inner, path }) => {
      const says = typeof source.content === "string" ? !isBlank(source.content) : inner.length > 0;
      return type === "tool_result" && source.is_error === true && !says ? [{ path }] : [];
    }),
  );
}

function findOddIds({ turns }: AnthropicPrompt): readonly Fault[] {
  return turns.flatMap(({ blocks }) =>
    blocks.flatMap(({ type, source, path }) => {
      const id = type === "tool_use" ? source.id : undefined;
      return typeof id === "string" && !LIMITS.callId.test(id) ? [{ path: pathOf(path, "id") }] : [];
    }),
  );
}

function findOddNames(prompt: AnthropicPrompt): readonly Fault[] {
  return [...callsOf(prompt), ...prompt.tools].flatMap(({ source, path }) =>
    LIMITS.toolName.test(String(source.name)) ? [] : [{ path: pathOf(path, "name") }],
  );
}

function findBadInputs(prompt: AnthropicPrompt): readonly Fault[] {
  return callsOf(prompt).flatMap(({ source, path }) =>
    isObject(source.input) ? [] : [{ path: pathOf(path, "input") }],
  );
}

function findForeignMedia({ turns }: AnthropicPrompt): readonly Fault[] {
  const blocks = turns.flatMap((turn) => turn.blocks.flatMap((block) => [block, ...block.inner]));
  return blocks.flatMap(({ type, source, path }) => {
    const from = source.source;
    if ((type !== "image" && type !== "document") || !isObject(from)) return [];
    const bytes = from.type === "base64" || from.type === "text";
    const accepted = type === "image" ? LIMITS.imageTypes : LIMITS.fileTypes;
    const fits =
      !bytes ||
      (accepted.has(String(from.media_type)) && (from.media_type === "text/plain") === (from.type === "text"));
    return fits ? [] : [{ path, detail: `It is ${String(from.media_type)}.` }];
  });
}
