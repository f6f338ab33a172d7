/**
 * Messages as the topic detector reads them: `[N] ROLE: content`, each cut, only the newest, under their real numbers,
 * so that the number in the answer is a place in the conversation. Further lines of a message are set in: a line that
 * begins with a number in brackets is always ours, whatever somebody wrote.
 */
import type { Message, Part } from "../message/message.ts";
import { outputText } from "../message/message-text.ts";

export interface TopicMessagesOptions {
  readonly maxMessages?: number | undefined;
  readonly maxCharacters?: number | undefined;
}

export const TOPIC_MAX_MESSAGES = 50;
export const TOPIC_MAX_CHARACTERS = 1_000;

export function formatTopicMessages(messages: readonly Message[], options: TopicMessagesOptions = {}): string {
  const { maxCharacters = TOPIC_MAX_CHARACTERS } = options;
  const first = firstShownIndex(messages.length, options);
  return messages
    .slice(first)
    .map((message, place) => formatMessage(message, { index: first + place, maxCharacters }))
    .join("\n");
}

/** The place of the oldest message that is shown. */
export function firstShownIndex(
  messageCount: number,
  { maxMessages = TOPIC_MAX_MESSAGES }: TopicMessagesOptions = {},
): number {
  return Math.max(0, messageCount - maxMessages);
}

function formatMessage(
  { role, parts }: Message,
  { index, maxCharacters }: { readonly index: number; readonly maxCharacters: number },
): string {
  const content = parts
    .map(partText)
    .filter((text) => text.trim() !== "")
    .join("\n");
  return `[${index}] ${role.toUpperCase()}: ${setIn(cut(content, maxCharacters))}`;
}

function partText(part: Part): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "tool-result":
      return outputText(part.output);
    case "tool-call":
      return `(calls ${part.tool})`;
    case "image":
    case "file":
      return `(${part.type})`;
    case "reasoning":
    case "source":
    case "unknown":
      return "";
    default:
      return part satisfies never;
  }
}

/** Never ends in half a character. */
function cut(text: string, characters: number): string {
  const head = text.slice(0, characters);
  return /[\ud800-\udbff]$/.test(head) && head.length < text.length ? head.slice(0, -1) : head;
}

/** Whatever may be taken for the end of a line begins a line that is set in. */
function setIn(text: string): string {
  return text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/).join("\n  ");
}
