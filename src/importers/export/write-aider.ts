/** Writes a session as aider's Markdown, which holds only what was said. */
import { readList } from "../../core/check-value.ts";
import type { Usage } from "../../core/log/entry.ts";
import { messageText } from "../../core/message/message-text.ts";
import { type ExportedSession, readSource, toIsoTime } from "./export-format.ts";

export async function* writeAider({ facts, events }: ExportedSession): AsyncGenerator<string, void, undefined> {
  const startedAt = toIsoTime(facts.startedAt)?.slice(0, "2026-01-31T23:59:59".length).replace("T", " ");
  if (startedAt !== undefined) yield `\n# aider chat started at ${startedAt}\n\n`;
  let pending: Usage | undefined;
  for await (const event of events) {
    if (event.type === "summary" || event.message.role === "system" || event.message.role === "tool") continue;
    const { message, usage } = event;
    const notes = readList(readSource(message, "aider").notes).filter((line) => typeof line === "string");
    if (notes.length > 0) yield `${notes.map((line) => `> ${line}  \n`).join("")}\n`;
    else if (pending !== undefined) yield writeTokens(pending);
    pending = usage;
    const text = messageText({ ...message, parts: message.parts.filter(({ type }) => type === "text") });
    if (message.role === "assistant") yield `${text}\n\n`;
    else
      yield `${text
        .split("\n")
        .map((line) => `#### ${line}  \n`)
        .join("")}\n`;
  }
  if (pending !== undefined) yield writeTokens(pending);
}

function writeTokens({ inputTokens = 0, outputTokens = 0 }: Usage): string {
  const format = (count: number) => count.toLocaleString("en-US");
  return `> Tokens: ${format(inputTokens)} sent, ${format(outputTokens)} received.  \n\n`;
}
