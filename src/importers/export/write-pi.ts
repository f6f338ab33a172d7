/** Writes a session as pi's JSON Lines. */
import { readFields } from "../../core/check-value.ts";
import type { Usage } from "../../core/log/entry.ts";
import type { Part, ToolResultPart } from "../../core/message/message.ts";
import { outputText } from "../../core/message/message-text.ts";
import type { TranscriptMessage } from "../../ports/transcript.ts";
import { type ExportedSession, findSourceId, readSource, toIsoTime, writeLine } from "./export-format.ts";

const VERSION = 3;

export async function* writePi({ facts, events }: ExportedSession): AsyncGenerator<string, void, undefined> {
  const [id, cwd] = [findSourceId(facts, "pi"), facts.folder ?? ""];
  yield writeLine({ type: "session", version: VERSION, id, timestamp: toIsoTime(facts.startedAt), cwd });
  let parentId: string | null = null;
  for await (const event of events) {
    if (event.type === "summary") {
      const { text, tokensBefore, firstKeptId, at } = event;
      const known = { summary: text, tokensBefore, firstKeptEntryId: firstKeptId };
      yield writeLine({ type: "compaction", id: event.id, parentId, timestamp: toIsoTime(at), ...known });
      parentId = event.id;
      continue;
    }
    for (const { id: entryId, message } of writeEntries(event)) {
      yield writeLine({ type: "message", id: entryId, parentId, timestamp: toIsoTime(event.message.saidAt), message });
      parentId = entryId;
    }
  }
}

/** Pi has one result in a message. */
function writeEntries(event: TranscriptMessage): readonly { readonly id: string; readonly message: object }[] {
  const { message } = event;
  const timestamp = message.saidAt;
  const results = message.parts.filter((part) => part.type === "tool-result");
  if (message.role === "tool") {
    return results.map((part, index) => ({
      id: results.length === 1 ? message.id : `${message.id}#${index}`,
      message: { ...writeResult(part), timestamp },
    }));
  }
  if (message.role === "system") return [];
  const { shell } = readSource(message, "pi");
  if (shell !== undefined) return [{ id: message.id, message: readFields(shell) }];
  if (message.role === "user")
    return [{ id: message.id, message: { role: "user", content: message.parts.flatMap(writePart), timestamp } }];
  return [{ id: message.id, message: { ...writeAnswer(event), timestamp } }];
}

function writeAnswer({ message, usage, costUsd, responseId }: TranscriptMessage) {
  const {
    api = "unknown",
    provider = "unknown",
    model = usage?.model,
    stopReason = "stop",
    errorMessage,
  } = readSource(message, "pi");
  const known = { api, provider, model, responseId, stopReason, errorMessage };
  return {
    role: "assistant",
    content: message.parts.flatMap(writePart),
    ...known,
    usage: usage && writeUsage(usage, costUsd),
  };
}

function writeUsage(
  { inputTokens = 0, outputTokens: output, cacheReadTokens: cacheRead, cacheWriteTokens: cacheWrite }: Usage,
  total: number | undefined,
) {
  const input = Math.max(0, inputTokens - (cacheRead ?? 0) - (cacheWrite ?? 0));
  return { input, output, cacheRead, cacheWrite, cost: total === undefined ? undefined : { total } };
}

function writeResult(part: ToolResultPart) {
  const content =
    part.output.type === "parts"
      ? part.output.parts.flatMap(writePart)
      : [{ type: "text", text: outputText(part.output) }];
  return { role: "toolResult", toolCallId: part.callId, toolName: part.tool, content, isError: part.failed };
}

function writePart(part: Part): readonly object[] {
  switch (part.type) {
    case "text":
      return [{ type: "text", text: part.text }];
    case "reasoning":
      return [
        { type: "thinking", thinking: part.text, thinkingSignature: readFields(part.extras?.["wire:pi"]).signature },
      ];
    case "tool-call":
      return [{ type: "toolCall", id: part.callId, name: part.tool, arguments: part.input }];
    case "image":
      return part.source.type === "data" ? [{ type: "image", data: part.source.base64, mimeType: part.mediaType }] : [];
    case "unknown":
      return part.format === "pi" ? [readFields(part.value)] : [];
    default:
      return [];
  }
}
