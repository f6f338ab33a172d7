/** Recognizes a session file by its beginning and reads it as a stream of events, in bounded memory. */
import { PalimpsestError } from "../core/errors.ts";
import { FORMAT_NAMES } from "../core/message/formats/format.ts";
import { TOOL_FORMATS, type ToolFormatName } from "../core/message/formats/tool-formats.ts";
import type { TranscriptEvent, TranscriptOptions, TranscriptSource } from "../ports/transcript.ts";
import { findFormat, listFormats, TOOL_READERS } from "./formats.ts";
import { hasMessages, MessagesReader } from "./messages/messages.ts";
import { findOtherTool } from "./other-tools.ts";
import type { FileSample, FormatReader } from "./shared/format.ts";
import { PeekedBytes, readBytes } from "./shared/read-bytes.ts";
import type { ReadRecord } from "./shared/record.ts";
import { describeSkip } from "./shared/skip.ts";
import { readJsonLines, splitLines } from "./shared/split-lines.ts";
import { readJsonList, readJsonObject } from "./shared/split-list.ts";
import { takeSample } from "./take-sample.ts";

/**
 * Reads a session file of another tool. The first event is known before anything else is read, so an unknown file is
 * refused at once. A record that cannot be read is an event, and reading goes on.
 */
export async function* readTranscript(
  source: TranscriptSource,
  options: TranscriptOptions = {},
): AsyncGenerator<TranscriptEvent, void, undefined> {
  const bytes = new PeekedBytes(readBytes(source));
  try {
    const sample = await takeSample(bytes, options.name);
    const reader = openReader(sample, options);
    for await (const records of readRecords(bytes, sample)) {
      for (const record of records) yield* takeSafely(reader, record);
    }
    yield* reader.end?.() ?? [];
  } finally {
    await bytes.close();
  }
}

export interface RecognizedTranscript {
  readonly format: ToolFormatName | "messages";
  /** The whole file. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Names the format of a file by its beginning. Throws `message-invalid` for a file of no known format. */
export async function recognizeTranscript(
  source: TranscriptSource,
  options: TranscriptOptions = {},
): Promise<RecognizedTranscript> {
  const bytes = new PeekedBytes(readBytes(source));
  try {
    const sample = await takeSample(bytes, options.name);
    const format = findFormat(sample)?.name ?? requireMessagesIn(sample, options);
    return { format, bytes: bytes.readAll() };
  } catch (error) {
    await bytes.close();
    throw error;
  }
}

function* takeSafely(reader: FormatReader, record: ReadRecord): Generator<TranscriptEvent> {
  const { place, line } = record;
  if ("problem" in record) {
    yield { type: "skipped", place, reason: record.problem, ...(line === undefined ? {} : { line }) };
    return;
  }
  try {
    yield* reader.take(record);
  } catch (error) {
    yield describeSkip(record, error);
  }
}

function openReader(sample: FileSample, { name, format: given }: TranscriptOptions): FormatReader {
  const context = { name, isOneRecord: sample.isOneRecord };
  const tool = TOOL_FORMATS.find((each) => each === given);
  if (tool !== undefined) return TOOL_READERS[tool].open(context);
  const messages = FORMAT_NAMES.find((each) => each === given);
  if (messages !== undefined) return new MessagesReader(context, messages);
  const found = given === undefined ? findFormat(sample) : undefined;
  if (found !== undefined) return found.open(context);
  requireMessagesIn(sample, { name });
  return new MessagesReader(context, undefined);
}

function requireMessagesIn(sample: FileSample, { name }: TranscriptOptions): "messages" {
  const other = findOtherTool(sample);
  if (other === undefined && hasMessages(sample)) return "messages";
  const file = name ?? "the file";
  const isBroken = sample.shape === "object" && sample.records.length === 0;
  const unknown = isBroken ? "is not valid JSON" : "has no known format";
  const reason = other === undefined ? unknown : `was written by ${other}, which is not supported`;
  const text = `import: ${file} ${reason}. Accepted are ${listFormats()}.`;
  throw new PalimpsestError("message-invalid", text, { details: other === undefined ? {} : { tool: other } });
}

function readRecords(bytes: PeekedBytes, { shape }: FileSample): AsyncIterable<readonly ReadRecord[]> {
  switch (shape) {
    case "lines":
      return readJsonLines(bytes.readAll());
    case "list":
      return readJsonList(bytes.readAll());
    case "object":
      return readJsonObject(bytes.readAll());
    case "text":
      return readTextLines(bytes);
    default:
      return shape satisfies never;
  }
}

async function* readTextLines(bytes: PeekedBytes): AsyncGenerator<readonly ReadRecord[], void, undefined> {
  const decoder = new TextDecoder();
  for await (const lines of splitLines(bytes.readAll())) {
    yield lines.map(({ line, bytes: text }): ReadRecord => {
      const place = `line ${line}`;
      return text === undefined
        ? { place, line, problem: "it is too long" }
        : { place, line, value: { text: decoder.decode(text) } };
    });
  }
}
