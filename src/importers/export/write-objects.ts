/** Writes a session as one JSON value: Gemini CLI, opencode, Cline, Claude.ai, and lists of messages. */
import { findText, readFields } from "../../core/check-value.ts";
import type { Usage } from "../../core/log/entry.ts";
import { toDataUrl } from "../../core/message/decode-value.ts";
import { anthropicFormat } from "../../core/message/formats/anthropic.ts";
import type { FormatName } from "../../core/message/formats/format.ts";
import { FORMATS } from "../../core/message/formats/formats.ts";
import { geminiFormat } from "../../core/message/formats/gemini.ts";
import type { Message, Part, ToolCallPart, ToolOutput, ToolResultPart } from "../../core/message/message.ts";
import { outputText } from "../../core/message/message-text.ts";
import type { TranscriptMessage, TranscriptSummary } from "../../ports/transcript.ts";
import { type ExportedSession, findSourceId, readRecordId, readSource, toIsoTime } from "./export-format.ts";

/** Writes the items of a list one by one, each on a line. */
async function* writeItems(items: AsyncIterable<unknown> | Iterable<unknown>): AsyncGenerator<string, void, undefined> {
  let separator = "\n";
  yield "[";
  for await (const item of items) {
    yield `${separator}${JSON.stringify(item)}`;
    separator = ",\n";
  }
  yield "\n]";
}

export async function* writeMessages(
  format: FormatName,
  { events }: ExportedSession,
): AsyncGenerator<string, void, undefined> {
  const messages: Message[] = [];
  for await (const event of events) if (event.type === "message") messages.push(event.message);
  yield* writeItems(FORMATS[format].encode(messages));
  yield "\n";
}

export async function* writeCline({ events }: ExportedSession): AsyncGenerator<string, void, undefined> {
  yield* writeItems(listClineItems(events));
  yield "\n";
}

async function* listClineItems(events: ExportedSession["events"]): AsyncGenerator<object> {
  for await (const event of events) {
    if (event.type === "summary") {
      yield { role: "user", content: event.text, ts: event.at, isSummary: true, condenseId: event.id };
      continue;
    }
    const { message, usage, costUsd } = event;
    const { model = usage?.model } = readSource(message, "cline");
    const modelInfo = model === undefined || message.role !== "assistant" ? undefined : { modelId: model };
    const metrics = usage && { tokens: writeClineTokens(usage), cost: costUsd };
    for (const item of message.role === "system" ? [] : anthropicFormat.encode([message])) {
      const { role, content } = readFields(item);
      yield { role, content, ts: message.saidAt, modelInfo, metrics };
    }
  }
}

function writeClineTokens({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Usage) {
  return { prompt: inputTokens, completion: outputTokens, cached: cacheReadTokens, cacheWrites: cacheWriteTokens };
}

/** A record that holds a response of the model and the results of its calls. */
interface Exchange {
  readonly first: TranscriptMessage;
  readonly all: readonly TranscriptMessage[];
}

/** Joins messages that were read from one record, and results to the response before them. */
async function* groupExchanges(events: ExportedSession["events"]): AsyncGenerator<Exchange> {
  let open: TranscriptMessage[] = [];
  for await (const event of events) {
    if (event.type === "summary") continue;
    const [first] = open;
    const isSameRecord = first !== undefined && readRecordId(first.message.id) === readRecordId(event.message.id);
    const isResult = event.message.role === "tool" && first?.message.role === "assistant";
    if (first !== undefined && !isSameRecord && !isResult) {
      yield { first, all: open };
      open = [];
    }
    open.push(event);
  }
  const [first] = open;
  if (first !== undefined) yield { first, all: open };
}

export async function* writeGeminiCli({ facts, events }: ExportedSession): AsyncGenerator<string, void, undefined> {
  const head = { sessionId: findSourceId(facts, "gemini-cli"), projectHash: "", startTime: toIsoTime(facts.startedAt) };
  yield `${JSON.stringify(head).slice(0, -1)},"messages":`;
  yield* writeItems(listGeminiRecords(events));
  yield "}\n";
}

async function* listGeminiRecords(events: ExportedSession["events"]): AsyncGenerator<object> {
  for await (const { first, all } of groupExchanges(events)) {
    const { message, usage } = first;
    if (message.role === "system" || message.role === "tool") continue;
    const shared = { id: readRecordId(message.id), timestamp: toIsoTime(message.saidAt) };
    const said = message.parts.filter(({ type }) => type !== "reasoning" && type !== "tool-call");
    const content = writeGeminiContent(said);
    if (message.role === "user") {
      yield { ...shared, type: "user", content };
      continue;
    }
    const results = all.flatMap((each) => each.message.parts).filter((part) => part.type === "tool-result");
    const thoughts = message.parts.flatMap((part) => (part.type === "reasoning" ? [{ description: part.text }] : []));
    const calls = message.parts
      .filter((part) => part.type === "tool-call")
      .map((call) => writeGeminiCall(call, results));
    const model = findText(readSource(message, "gemini-cli").model) ?? usage?.model;
    const tokens = usage && { input: usage.inputTokens, output: usage.outputTokens, cached: usage.cacheReadTokens };
    yield {
      ...shared,
      type: "gemini",
      content,
      thoughts,
      tokens,
      model,
      toolCalls: calls.length === 0 ? undefined : calls,
    };
  }
}

function writeGeminiContent(parts: readonly Part[]): unknown {
  const [only, ...others] = parts;
  if (only === undefined) return "";
  if (only.type === "text" && others.length === 0) return only.text;
  const items = geminiFormat.encode([{ id: "", role: "user", parts }]);
  return items.flatMap((item) => readFields(item).parts);
}

function writeGeminiCall({ callId: id, tool: name, input: args }: ToolCallPart, results: readonly ToolResultPart[]) {
  const result = results.find(({ callId }) => callId === id);
  if (result === undefined) return { id, name, args };
  const functionResponse = { id, name, response: writeGeminiOutput(result.output) };
  return { id, name, args, result: [{ functionResponse }], status: result.failed ? "error" : "success" };
}

function writeGeminiOutput(output: ToolOutput): unknown {
  return output.type === "json" ? output.value : { output: outputText(output) };
}

export async function* writeOpencode({ facts, events }: ExportedSession): AsyncGenerator<string, void, undefined> {
  const time = facts.startedAt === undefined ? undefined : { created: facts.startedAt };
  const info = { id: findSourceId(facts, "opencode"), title: facts.title, directory: facts.folder, time };
  yield `{"info":${JSON.stringify(info)},"messages":`;
  yield* writeItems(listOpencodeRecords(events));
  yield "}\n";
}

async function* listOpencodeRecords(events: ExportedSession["events"]): AsyncGenerator<object> {
  const held: TranscriptMessage[] = [];
  for await (const event of events) {
    const isSame = event.type === "message" && held[0] !== undefined && isSameOpencodeRecord(held[0], event);
    if (!isSame && held.length > 0) yield writeOpencodeRecord(held.splice(0));
    if (event.type === "message") held.push(event);
    else yield writeOpencodeSummary(event);
  }
  if (held.length > 0) yield writeOpencodeRecord(held);
}

function writeOpencodeSummary({ id, text, at }: TranscriptSummary) {
  const time = at === undefined ? undefined : { created: at };
  return { info: { id, role: "assistant", summary: true, time }, parts: [{ type: "text", text }] };
}

function isSameOpencodeRecord(first: TranscriptMessage, event: TranscriptMessage): boolean {
  if (readRecordId(first.message.id) === readRecordId(event.message.id)) return true;
  return event.message.role === "tool" && first.message.role === "assistant";
}

function writeOpencodeRecord(events: readonly TranscriptMessage[]): object {
  const [first] = events;
  const message = first?.message;
  const { model, provider, mode } = message === undefined ? {} : readSource(message, "opencode");
  const time = message?.saidAt === undefined ? undefined : { created: message.saidAt };
  const role = message?.role === "user" ? "user" : "assistant";
  const id = readRecordId(message?.id ?? "");
  const info = { id, role, time, parentID: first?.parentId, modelID: model, providerID: provider, mode };
  if (role === "user") return { info, parts: (message?.parts ?? []).flatMap(writeOpencodePart) };
  const results = events.flatMap((event) => event.message.parts).filter((part) => part.type === "tool-result");
  const answers = events.filter((event) => event.message.role === "assistant");
  return { info, parts: answers.flatMap((event) => writeOpencodeStep(event, results)) };
}

function writeOpencodeStep(
  { message, usage, costUsd }: TranscriptMessage,
  results: readonly ToolResultPart[],
): readonly object[] {
  const parts = message.parts.flatMap((part) =>
    part.type === "tool-call" ? [writeOpencodeCall(part, results)] : writeOpencodePart(part),
  );
  const tokens = usage && writeOpencodeTokens(usage);
  return [
    { type: "step-start" },
    ...parts,
    ...(tokens === undefined ? [] : [{ type: "step-finish", tokens, cost: costUsd }]),
  ];
}

function writeOpencodeTokens({
  inputTokens = 0,
  outputTokens: output,
  cacheReadTokens: read,
  cacheWriteTokens: write,
}: Usage) {
  return { input: Math.max(0, inputTokens - (read ?? 0) - (write ?? 0)), output, cache: { read, write } };
}

function writeOpencodeCall({ callId: callID, tool, input }: ToolCallPart, results: readonly ToolResultPart[]): object {
  const result = results.find(({ callId }) => callId === callID);
  if (result === undefined) return { type: "tool", callID, tool, state: { status: "running", input } };
  const text = outputText(result.output);
  const state = result.failed ? { status: "error", input, error: text } : { status: "completed", input, output: text };
  return { type: "tool", callID, tool, state };
}

function writeOpencodePart(part: Part): readonly object[] {
  if (part.type === "text" || part.type === "reasoning") return [{ type: part.type, text: part.text }];
  if (part.type !== "image" && part.type !== "file") return [];
  const mime = part.mediaType ?? "image/png";
  const filename = part.type === "file" ? part.name : undefined;
  if (part.source.type === "reference") return [];
  const url = part.source.type === "url" ? part.source.url : toDataUrl({ mediaType: mime, base64: part.source.base64 });
  return [{ type: "file", mime, url, filename }];
}

export async function* writeClaudeAi({ facts, events }: ExportedSession): AsyncGenerator<string, void, undefined> {
  const head = { uuid: findSourceId(facts, "claude-ai"), name: facts.title, created_at: toIsoTime(facts.startedAt) };
  yield `[${JSON.stringify(head).slice(0, -1)},"chat_messages":`;
  yield* writeItems(listClaudeAiRecords(events));
  yield "}]\n";
}

async function* listClaudeAiRecords(events: ExportedSession["events"]): AsyncGenerator<object> {
  for await (const { first, all } of groupExchanges(events)) {
    const { message, parentId } = first;
    if (message.role === "system") continue;
    const parts = all.flatMap((each) => each.message.parts);
    const sender = message.role === "user" ? "human" : "assistant";
    const known = { created_at: toIsoTime(message.saidAt), parent_message_uuid: parentId };
    const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
    const files = parts.flatMap((part) =>
      part.type === "file"
        ? [{ file_name: part.name, file_uuid: part.source.type === "reference" ? part.source.id : undefined }]
        : [],
    );
    yield { uuid: readRecordId(message.id), sender, text, ...known, content: parts.flatMap(writeClaudeAiPart), files };
  }
}

function writeClaudeAiPart(part: Part): readonly object[] {
  switch (part.type) {
    case "text":
      return [{ type: "text", text: part.text }];
    case "reasoning":
      return [{ type: "thinking", thinking: part.text }];
    case "tool-call":
      return [{ type: "tool_use", id: part.callId, name: part.tool, input: part.input }];
    case "tool-result": {
      const content = part.output.type === "json" ? part.output.value : outputText(part.output);
      return [{ type: "tool_result", tool_use_id: part.callId, name: part.tool, content, is_error: part.failed }];
    }
    case "unknown":
      return part.format === "claude-ai" ? [readFields(part.value)] : [];
    default:
      return [];
  }
}
