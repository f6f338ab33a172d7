/** Turns entries of the log into rows: messages with the results of their tool calls, and markers between them. */
import { type Fields, findNumber, readFields, readList, readText } from "../../src/client/fields.ts";
import type { Block, Entry, LogItem, Marker, Message, ShownMessage, SummaryRecord, ToolCall } from "./values.ts";

const MARKERS: readonly string[] = ["summary", "truncate", "clear", "prune"];

/** Whether the entry deletes an earlier one. */
export function isDeletion({ type }: Entry): boolean {
  return type === "delete";
}

/**
 * Ids of the changes that are undone now; `undos` are undo entries, the newest first. A redo is the undo of an undo, so
 * an undo that was itself undone does not count.
 */
export function findUndoneIds(
  undos: readonly { readonly id: string; readonly undoes?: unknown }[],
): ReadonlySet<string> {
  const undone = new Set<string>();
  for (const { id, undoes } of undos) if (!undone.has(id)) undone.add(readText(undoes));
  return undone;
}

/** Expects and returns the oldest first. */
export function toLogItems(entries: readonly Entry[], sessionId: string): readonly LogItem[] {
  const items: LogItem[] = [];
  for (const entry of entries) {
    if (entry.message !== undefined) addMessage(items, showEntry(entry, entry.message, sessionId));
    else if (MARKERS.includes(entry.type)) items.push({ type: "marker", marker: showMarker(entry) });
  }
  return items;
}

/** Shows a result with the call that it answers, if that call is on the same page. */
function addMessage(items: LogItem[], message: ShownMessage): void {
  if (message.role !== "tool") {
    items.push({ type: "message", message });
    return;
  }
  const index = items.findLastIndex((item) => item.type === "message" && hasOpenCall(item.message, message));
  const item = items[index];
  if (item?.type !== "message") items.push({ type: "message", message });
  else items[index] = { type: "message", message: answerCalls(item.message, message) };
}

function hasOpenCall({ blocks }: ShownMessage, results: ShownMessage): boolean {
  const answered = new Set(callsOf(results).map(({ callId }) => callId));
  return blocks.some((block) => block.type === "tool" && answered.has(block.call.callId));
}

function answerCalls(message: ShownMessage, results: ShownMessage): ShownMessage {
  const answers = new Map(callsOf(results).map((call) => [call.callId, call]));
  const blocks = message.blocks.map((block): Block => {
    const answer = block.type === "tool" ? answers.get(block.call.callId) : undefined;
    if (block.type !== "tool" || answer === undefined) return block;
    return { type: "tool", call: { ...block.call, output: answer.output, failed: answer.failed } };
  });
  const tokens = (message.tokens ?? 0) + (results.tokens ?? 0);
  return { ...message, blocks, tokens, lastSeq: results.lastSeq };
}

function callsOf({ blocks }: ShownMessage): readonly ToolCall[] {
  return blocks.flatMap((block) => (block.type === "tool" ? [block.call] : []));
}

function showEntry({ id, seq, at, tokens, erased }: Entry, message: Message, sessionId: string): ShownMessage {
  return {
    ...toShownMessage(message, sessionId),
    id,
    seq,
    lastSeq: seq,
    at: message.saidAt ?? at,
    tokens: findNumber(Object.values(tokens ?? {})[0]),
    isErased: erased === true,
  };
}

/** A message without its position in the log. */
export function toShownMessage(message: Message, sessionId: string): ShownMessage {
  const { id, role, name, saidAt: at } = message;
  return { id, role, name, at, blocks: showParts(message, sessionId), isErased: false };
}

function showParts({ id, parts }: Message, sessionId: string): readonly Block[] {
  // The server counts images and files together.
  let attached = -1;
  return parts.flatMap((part): Block[] => {
    switch (part.type) {
      case "text":
      case "reasoning":
        return part.text === "" ? [] : [{ type: part.type, text: readText(part.text) }];
      case "tool-call":
      case "tool-result":
        return [{ type: "tool", call: showCall(part) }];
      case "image":
        attached += 1;
        return [showImage(part, imageUrl([sessionId, id], attached))];
      case "file":
        attached += 1;
        return [{ type: "attachment", label: readText(part.name) || readText(part.mediaType) || "a file" }];
      case "source":
        return [{ type: "attachment", label: readText(part.title) || readText(part.url) || "a source" }];
      default:
        return [];
    }
  });
}

/** An image on another server is named and never fetched: its owner would learn who reads the page, and when. */
function showImage(part: Fields, url: string): Block {
  const source = readFields(part.source);
  if (source.type === "data") return { type: "image", url, name: fileNameOf(part) };
  return { type: "attachment", label: `external image, ${readText(source.url) || "stored by its provider"}` };
}

/** Finds the file name in any format of an image. */
function fileNameOf({ extras }: Fields): string {
  const names = Object.values(readFields(extras)).map((each) => readText(readFields(each).filename));
  return names.find((name) => name !== "") ?? "";
}

function imageUrl(ids: readonly [sessionId: string, messageId: string], index: number): string {
  const [session, message] = ids.map(encodeURIComponent);
  return `/api/sessions/${session}/messages/${message}/images/${index}`;
}

function showCall(part: Fields): ToolCall {
  const isResult = part.type === "tool-result";
  return {
    callId: readText(part.callId),
    tool: readText(part.tool) || "tool",
    input: isResult ? "" : formatValue(part.input),
    output: isResult ? formatOutput(readFields(part.output)) : undefined,
    failed: part.failed === true,
  };
}

function formatOutput(output: Fields): string {
  if (output.type === "text") return readText(output.text);
  if (output.type === "json") return formatValue(output.value);
  const parts = readList(output.parts).map(readFields);
  return parts.map((part) => (part.type === "text" ? readText(part.text) : `[${readText(part.type)}]`)).join("\n");
}

export function formatValue(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
}

function showMarker({ type, id, seq, at, reason, record }: Entry): Marker {
  const summary = type === "summary" ? (record as SummaryRecord) : undefined;
  return { type: type as Marker["type"], id, seq, at, reason: summary?.reason ?? readText(reason), summary };
}
