/**
 * Recognizes requests in which a client compacts its conversation itself. Claude Code asks for a summary in tags as the
 * last text of the conversation, or says so in a header. Codex ends its list with an item of its own, or uses an
 * address of its own.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/message/json.ts";
import { COMPACT_PATH, type GatewayRequest } from "./read-request.ts";

/** How the client asks, and what it expects: a text, an item of the reply, or a new list. */
export type CompactionForm = "text" | "item" | "list";

export interface CompactionRequest {
  readonly form: CompactionForm;
  /** The conversation without the request for its compaction. */
  readonly history: readonly JsonObject[];
}

export function findCompactionRequest(
  { dialect, history }: Pick<GatewayRequest, "dialect" | "history">,
  { headers, target }: { readonly headers: Headers; readonly target: string },
): CompactionRequest | undefined {
  if (dialect.provider === "openai-responses") {
    if (target.split("?")[0] === COMPACT_PATH) return { form: "list", history };
    return history.at(-1)?.type === "compaction_trigger" ? { form: "item", history: history.slice(0, -1) } : undefined;
  }
  if (dialect.provider !== "anthropic") return undefined;
  const instruction = findLastText(history.at(-1));
  const isAsked = isInstruction(instruction) || headers.get("x-claude-code-request-class") === "compaction";
  return isAsked ? { form: "text", history: dropLastText(history) } : undefined;
}

/** A summary of a part of the conversation only is the model's work. */
function isInstruction(text: string): boolean {
  const tags = ["<analysis>", "<summary>"].every((tag) => text.includes(tag));
  return tags && /\bsummary of (?:the|this|our) conversation\b/i.test(text);
}

function findLastText(message: JsonObject | undefined): string {
  const { role, content } = message ?? {};
  const last: JsonValue | undefined = Array.isArray(content) ? content.at(-1) : content;
  const text = isJsonObject(last) ? last.text : last;
  return role === "user" && typeof text === "string" ? text : "";
}

/** The instruction may be a message, or the last block of one with tool results. */
function dropLastText(history: readonly JsonObject[]): readonly JsonObject[] {
  const last = history.at(-1);
  const others = history.slice(0, -1);
  const content: readonly JsonValue[] = Array.isArray(last?.content) ? last.content : [];
  return content.length > 1 ? [...others, { ...last, content: content.slice(0, -1) }] : others;
}
