/**
 * Reads a request of a provider's API: its conversation, and what surrounds it. Cache marks and notices that a client
 * renews with each request are left out of the conversation, because they would make the same message look changed.
 */
import type { FormatName } from "../../core/message/formats/format.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/message/json.ts";
import type { Provider } from "../../core/prompt/provider.ts";
import type { Vendor } from "./gateway-options.ts";

/** One of the three APIs that carry a whole conversation in each request. */
export interface Dialect {
  readonly provider: Extract<Provider, "openai" | "openai-responses" | "anthropic">;
  readonly format: FormatName;
  readonly vendor: Vendor;
  /** The field with the conversation. */
  readonly list: "messages" | "input";
  /** Fields other than the conversation that the model reads. */
  readonly surroundings: readonly string[];
  readonly maxOutput: readonly string[];
}

export const DIALECTS = {
  "/v1/chat/completions": {
    provider: "openai",
    format: "openai-chat",
    vendor: "openai",
    list: "messages",
    surroundings: ["tools", "response_format"],
    maxOutput: ["max_completion_tokens", "max_tokens"],
  },
  "/v1/responses": {
    provider: "openai-responses",
    format: "openai-responses",
    vendor: "openai",
    list: "input",
    surroundings: ["instructions", "tools", "text"],
    maxOutput: ["max_output_tokens"],
  },
  "/v1/messages": {
    provider: "anthropic",
    format: "anthropic",
    vendor: "anthropic",
    list: "messages",
    surroundings: ["system", "tools"],
    maxOutput: ["max_tokens"],
  },
} as const satisfies Readonly<Record<string, Dialect>>;

/** The address of OpenAI's own compaction has the same fields. */
export const COMPACT_PATH = "/v1/responses/compact";

export interface GatewayRequest {
  readonly dialect: Dialect;
  readonly body: JsonObject;
  readonly model: string | undefined;
  /** Leading system messages, which stay unchanged. */
  readonly head: readonly JsonObject[];
  readonly history: readonly JsonObject[];
  /** Everything else that the model reads, as text. Only its tokens matter. */
  readonly surroundings: string;
  readonly maxOutputTokens: number | undefined;
  /** Cache marks outside of the conversation. The API accepts four in total. */
  readonly marks: number;
}

/** Returns undefined if the request does not contain its whole conversation. */
export function readGatewayRequest(dialect: Dialect, body: JsonObject): GatewayRequest | undefined {
  // These continue a conversation that only the provider has.
  if (body.previous_response_id != null || body.conversation != null) return undefined;
  const given = body[dialect.list];
  const items: JsonValue | undefined = typeof given === "string" ? [{ role: "user", content: given }] : given;
  const list = Array.isArray(items) ? items.filter(isJsonObject) : [];
  if (!Array.isArray(items) || list.length < items.length) return undefined;
  const first = list.findIndex(({ role }) => role !== "system" && role !== "developer");
  if (first === -1) return undefined;
  const head = list.slice(0, first);
  const surrounding = dialect.surroundings.map((field) => body[field]).filter((value) => value !== undefined);
  return {
    dialect,
    body,
    model: typeof body.model === "string" ? body.model : undefined,
    head,
    history: list.slice(first).map(cleanMessage).map(readSystemAsUser).filter(hasContent),
    surroundings: [...head, ...surrounding].map((value) => JSON.stringify(value)).join("\n"),
    maxOutputTokens: findCount(body, dialect.maxOutput),
    marks: surrounding.reduce<number>((sum, value) => sum + countMarks(value), 0),
  };
}

function findCount(body: JsonObject, fields: readonly string[]): number | undefined {
  const values = fields.map((field) => body[field]);
  return values.find((value): value is number => typeof value === "number" && Number.isInteger(value) && value > 0);
}

function countMarks(value: JsonValue | undefined): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countMarks(item), 0);
  if (!isJsonObject(value)) return 0;
  const inner = Object.values(value).reduce<number>((sum, item) => sum + countMarks(item), 0);
  return inner + (value.cache_control == null ? 0 : 1);
}

/** A text that Claude Code adds to its newest message and drops from earlier ones. */
const NOTICE = /^\s*<total_tokens>[^<]*<\/total_tokens>\s*$/;

/** Leaves out what clients change between two requests. */
export function cleanMessage(message: JsonObject): JsonObject {
  const { cache_control: _, ...others } = message;
  const { content } = message;
  if (!Array.isArray(content)) return others;
  const blocks: readonly JsonValue[] = content;
  return { ...others, content: blocks.filter((block) => !isNotice(block)).map(cleanBlock) };
}

/**
 * Turns a system message in the middle into a message of the user. Summaries leave out what the system says, because it
 * usually comes with each request; here it would be lost. An untouched request keeps its roles.
 */
function readSystemAsUser(message: JsonObject): JsonObject {
  return message.role === "system" || message.role === "developer" ? { ...message, role: "user" } : message;
}

function isNotice(block: JsonValue): boolean {
  return isJsonObject(block) && block.type === "text" && typeof block.text === "string" && NOTICE.test(block.text);
}

function cleanBlock(block: JsonValue): JsonValue {
  if (!isJsonObject(block)) return block;
  const { cache_control: _, ...others } = block;
  return Array.isArray(others.content) ? { ...others, content: others.content.map(cleanBlock) } : others;
}

/** False for a message that consisted of notices. */
function hasContent({ content, tool_calls }: JsonObject): boolean {
  return !Array.isArray(content) || content.length > 0 || tool_calls !== undefined;
}
