/** Shows a reply while it streams: its text, and one line for each other event. Escapes control characters. */
import type { ChatChunk } from "../../client/index.ts";
import type { Invocation } from "../terminal/command.ts";
import { escapeControls } from "../terminal/terminal-text.ts";

/** Returns `sessionId` if the reply is in another session. */
export async function showReply(parts: AsyncIterable<ChatChunk>, { terminal, flag }: Invocation) {
  const isSilent = flag("json");
  const compactions: unknown[] = [];
  let [text, line] = ["", ""];
  let sessionId: string | undefined;
  let error: string | undefined;
  let metadata: unknown;
  const put = async (piece: string): Promise<void> => {
    text += piece;
    if (isSilent) return;
    const shown = piece.split("\n").map(escapeControls).join("\n");
    line = shown.slice(shown.lastIndexOf("\n") + 1);
    await terminal.write?.(shown);
  };
  const note = async (text: string): Promise<void> => {
    if (isSilent) return;
    if (line !== "") await terminal.write?.("\n");
    line = "";
    terminal.note(text);
  };
  for await (const part of parts) {
    if (part.type === "text-delta") await put(String(part.delta));
    else if (part.type === "data-session") sessionId = findTextField(part.data, "id") ?? sessionId;
    else if (part.type === "error") error = String(part.errorText);
    else if (part.type === "message-metadata" || part.type === "finish") metadata = part.messageMetadata ?? metadata;
    if (part.type === "data-compaction" && findTextField(part.data, "stage") === "done") compactions.push(part.data);
    const event = describePart(part);
    if (event !== undefined) await note(event);
  }
  if (!isSilent && terminal.write !== undefined && !text.endsWith("\n")) await terminal.write("\n");
  if (!isSilent && terminal.write === undefined)
    for (const each of text.split("\n")) await terminal.print(escapeControls(each));
  if (error !== undefined && !isSilent) terminal.note(`The reply failed: ${error}`);
  return { text, sessionId, compactions, error, metadata };
}

function describePart({ type, data, toolName }: ChatChunk): string | undefined {
  switch (type) {
    case "data-compaction":
      return describeCompaction(Object(data));
    case "data-retry":
      return `(retrying: ${findTextField(data, "reason") ?? "the model did not answer"})`;
    case "data-session":
      return Object(data).forked === undefined ? undefined : `(continued in a fork: ${findTextField(data, "id")})`;
    case "tool-input-available":
      return `(calls ${String(toolName)})`;
    default:
      return undefined;
  }
}

function describeCompaction({ stage, tokensBefore, tokensAfter, reason }: Readonly<Record<string, unknown>>) {
  if (stage !== "done") return undefined;
  return `(compacted: ${String(tokensBefore)} → ${String(tokensAfter)} tokens. ${String(reason)})`;
}

function findTextField(data: unknown, name: string): string | undefined {
  const value: unknown = Object(data)[name];
  return typeof value === "string" ? value : undefined;
}
