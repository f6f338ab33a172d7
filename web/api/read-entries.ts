/** Entries of the log as the page shows them: messages with the results of their calls, and markers between them. */
import { type Fields, findNumber, findText, readFields, readList, readNumber, readText } from "./fields.ts";
import { readSummary } from "./read-summaries.ts";
import type { Block, LogItem, Marker, ShownMessage, Speaker, ToolCall } from "./values.ts";

const SPEAKERS: readonly string[] = ["user", "assistant", "system", "tool"];
const MARKERS: readonly string[] = ["summary", "truncate", "clear", "prune"];

export interface LogPlace {
  readonly sessionId: string;
}

/** An entry as it came, with its place. Pages are kept so, because a result may stand on another one than its call. */
export interface LogEntry {
  readonly seq: number;
  readonly fields: Fields;
}

export function readEntry(value: unknown): LogEntry {
  const fields = readFields(value);
  return { seq: readNumber(fields.seq), fields };
}

/** Whether something that stood before it was taken away. */
export function isDeletion({ fields }: LogEntry): boolean {
  return fields.type === "delete";
}

export function bySeq(left: LogEntry, right: LogEntry): number {
  return left.seq - right.seq;
}

/** Oldest first. */
export function showEntries(entries: readonly LogEntry[], place: LogPlace): readonly LogItem[] {
  const items: LogItem[] = [];
  for (const { fields } of entries) {
    const type = readText(fields.type);
    if (type === "message") addMessage(items, readMessage(fields, place));
    else if (MARKERS.includes(type)) items.push({ type: "marker", marker: readMarker(fields) });
  }
  return items;
}

/** Results are shown with the call that they answer, where that is on the same page. */
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

function readMessage(entry: Fields, place: LogPlace): ShownMessage {
  const seq = readNumber(entry.seq);
  const [tokens] = Object.values(readFields(entry.tokens));
  const shown = showMessage(readFields(entry.message), place);
  return {
    ...shown,
    id: readText(entry.id),
    seq,
    lastSeq: seq,
    at: shown.at ?? findNumber(entry.at),
    tokens: findNumber(tokens),
    isErased: entry.erased === true,
  };
}

/** A message without its place. */
export function showMessage(message: Fields, place: LogPlace): ShownMessage {
  const role = readText(message.role);
  const id = readText(message.id);
  return {
    id,
    role: SPEAKERS.includes(role) ? (role as Speaker) : "system",
    name: findText(message.name),
    at: findNumber(message.saidAt),
    blocks: readBlocks(message, { ...place, messageId: id }),
    isErased: false,
  };
}

interface MessagePlace extends LogPlace {
  readonly messageId: string;
}

function readBlocks(message: Fields, place: MessagePlace): readonly Block[] {
  // The server counts attachments of both kinds.
  let attached = -1;
  return readList(message.parts).flatMap((value): Block[] => {
    const part = readFields(value);
    switch (part.type) {
      case "text":
        return part.text === "" ? [] : [{ type: "text", text: readText(part.text) }];
      case "reasoning":
        return part.text === "" ? [] : [{ type: "reasoning", text: readText(part.text) }];
      case "tool-call":
      case "tool-result":
        return [{ type: "tool", call: readCall(part) }];
      case "image":
        attached += 1;
        return [showImage(part, imageUrl(place, attached))];
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

/** One that lies elsewhere is named and never fetched: whoever keeps it would learn who reads this, and when. */
function showImage(part: Fields, url: string): Block {
  const source = readFields(part.source);
  if (source.type === "data") return { type: "image", url, name: nameOf(part) };
  return { type: "attachment", label: `an image that lies elsewhere, ${readText(source.url) || "at its provider"}` };
}

/** Whoever sent it may have said what the file was called, in the shape that it was sent in. */
function nameOf({ extras }: Fields): string {
  const names = Object.values(readFields(extras)).map((each) => readText(readFields(each).filename));
  return names.find((name) => name !== "") ?? "";
}

function imageUrl({ sessionId, messageId }: MessagePlace, index: number): string {
  const [session, message] = [sessionId, messageId].map(encodeURIComponent);
  return `/api/sessions/${session}/messages/${message}/images/${index}`;
}

function readCall(part: Fields): ToolCall {
  const isResult = part.type === "tool-result";
  return {
    callId: readText(part.callId),
    tool: readText(part.tool) || "tool",
    input: isResult ? "" : writeValue(part.input),
    output: isResult ? writeOutput(readFields(part.output)) : undefined,
    failed: part.failed === true,
  };
}

function writeOutput(output: Fields): string {
  if (output.type === "text") return readText(output.text);
  if (output.type === "json") return writeValue(output.value);
  const parts = readList(output.parts).map(readFields);
  return parts.map((part) => (part.type === "text" ? readText(part.text) : `[${readText(part.type)}]`)).join("\n");
}

export function writeValue(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
}

function readMarker(entry: Fields): Marker {
  const type = readText(entry.type) as Marker["type"];
  const summary = type === "summary" ? readSummary({ record: entry.record }) : undefined;
  return {
    type,
    id: readText(entry.id),
    seq: readNumber(entry.seq),
    at: readNumber(entry.at),
    reason: summary?.reason ?? readText(entry.reason),
    summary,
  };
}
