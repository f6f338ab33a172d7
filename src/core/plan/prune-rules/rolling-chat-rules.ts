/** The rules of the rolling-chat preset. It has its own tail and no minimum, so it ignores the settings' numbers. */
import { isObject } from "../../check-value.ts";
import type { Prune, Replacement, Span } from "../../log/prune.ts";
import type { ViewMessage } from "../../log/view.ts";
import type { JsonValue } from "../../message/json.ts";
import type { Part, ToolCallPart } from "../../message/message.ts";
import { outputText } from "../../message/message-text.ts";
import { takeHead } from "../../message/whole-text.ts";

const WHOLE_PROMPTS = 1;
const WHOLE_AT_END = 6;
const MAX_CHARACTERS = 2_000;
const KEPT_CHARACTERS = 200;
const CONTENT: Replacement = { type: "fields", names: ["content"], text: "[truncated]" };

interface Rule {
  readonly replacement: Replacement;
  readonly reason: string;
}

/** Instructions do not count as messages. */
export function findRollingChatPrunes(messages: readonly ViewMessage[]): readonly Prune[] {
  const said = messages.filter(({ message }) => message.role !== "system");
  if (said.length <= WHOLE_PROMPTS + WHOLE_AT_END) return [];
  const prompt = said.findLast(({ message }) => message.role === "user");
  return said.slice(0, -WHOLE_AT_END).flatMap((item) => {
    if (item === prompt || item.fate === "pinned") return [];
    return item.message.parts.flatMap((part, partIndex): Prune[] => {
      const rule = item.shown.parts[partIndex] === part ? chooseRule(part) : undefined;
      if (rule === undefined) return [];
      return [{ seq: item.seq, messageId: item.message.id, partIndex, fate: "pruned", ...rule }];
    });
  });
}

function chooseRule(part: Part): Rule | undefined {
  if (part.type === "tool-call") return chooseCallRule(part);
  if (part.type === "text") return chooseTextRule(part.text, "A text");
  return part.type === "tool-result" ? chooseTextRule(outputText(part.output), "A result") : undefined;
}

function chooseTextRule(text: string, what: string): Rule | undefined {
  if (text.length <= MAX_CHARACTERS) return undefined;
  const kept: Span = [0, takeHead(text, KEPT_CHARACTERS).length];
  const reason = `${what} of more than ${MAX_CHARACTERS} characters that is neither in the newest user message nor in the last messages`;
  return { replacement: { type: "excerpt", note: "", spans: [kept] }, reason };
}

function chooseCallRule({ tool, input }: ToolCallPart): Rule | undefined {
  if (tool !== "write_files" && tool !== "write_file") return undefined;
  const contents = findContents(input);
  const isLong = (content: JsonValue) => typeof content === "string" && content.length > MAX_CHARACTERS;
  const goes = tool === "write_files" ? contents.length > 0 : contents.some(isLong);
  return goes ? { replacement: CONTENT, reason: "Files written before the last messages" } : undefined;
}

function findContents(value: JsonValue | undefined): readonly JsonValue[] {
  if (Array.isArray(value)) return value.flatMap(findContents);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, field]) => {
    if (key === "content" && field !== undefined) return [field];
    return findContents(field);
  });
}
