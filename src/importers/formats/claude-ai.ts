/** Claude.ai's data export: a list of conversations with `chat_messages`. */
import {
  type Fields,
  findText,
  invalidMessage,
  isObject,
  readFields,
  readList,
  readText,
} from "../../core/check-value.ts";
import type { Part, ToolOutput } from "../../core/message/message.ts";
import type { TranscriptEvent } from "../../ports/transcript.ts";
import type { FileSample, FormatReader, TranscriptFormat } from "../shared/format.ts";
import type { SourceRecord } from "../shared/record.ts";
import { type MessageFacts, SessionDraft } from "../shared/session-draft.ts";
import { describeSkip } from "../shared/skip.ts";
import { asJson, readTime } from "../shared/values.ts";

export const claudeAiFormat: TranscriptFormat = {
  name: "claude-ai",
  title: "Claude.ai data export (conversations.json)",
  recognize: ({ records }: FileSample) => records.some((value) => Array.isArray(readFields(value).chat_messages)),
  open: () => new ClaudeAiReader(),
};

class ClaudeAiReader implements FormatReader {
  *take({ value, place }: SourceRecord): Generator<TranscriptEvent> {
    const { chat_messages: messages, ...chat } = readFields(value);
    if (!Array.isArray(messages)) throw invalidMessage(`${place}.chat_messages`, "a list", messages);
    const [sourceId, title] = [findText(chat.uuid), findText(chat.name)];
    const draft = new SessionDraft({ format: "claude-ai", sourceId, title, startedAt: readTime(chat.created_at) });
    for (const [index, message] of messages.entries()) {
      const path = `${place}.chat_messages[${index}]`;
      try {
        for (const facts of readMessage(message, path)) yield* draft.add(facts);
      } catch (error) {
        yield describeSkip({ place: path }, error);
      }
    }
  }
}

function readMessage(value: unknown, place: string): readonly MessageFacts[] {
  if (!isObject(value)) throw invalidMessage(place, "an object", value);
  const { sender } = value;
  if (sender !== "human" && sender !== "assistant")
    throw invalidMessage(`${place}.sender`, "human or assistant", sender);
  const role = sender === "human" ? "user" : "assistant";
  const id = findText(value.uuid);
  const [saidAt, parentId] = [readTime(value.created_at), findText(value.parent_message_uuid)];
  const blocks = readList(value.content).flatMap((block, index) =>
    readBlock(readFields(block), `${place}.content[${index}]`),
  );
  const text = readText(value.text);
  const hasText = blocks.some(({ type }) => type === "text") || text === "";
  const parts = [...blocks, ...(hasText ? [] : [{ type: "text" as const, text }]), ...readFiles(value)];
  const runs = splitRounds(parts);
  if (runs.length === 0) return [];
  return runs.map((run, index): MessageFacts => {
    const isAnswer = run.every(({ type }) => type === "tool-result");
    const name = id === undefined || runs.length === 1 ? id : `${id}#${index}`;
    return { id: name, role: isAnswer ? "tool" : role, saidAt, parentId, parts: run };
  });
}

/** Results are between the texts of one message; each run of them is a message. */
function splitRounds(parts: readonly Part[]): readonly (readonly Part[])[] {
  const runs: Part[][] = [];
  for (const part of parts) {
    const run = runs.at(-1);
    const isSame = run !== undefined && (run[0]?.type === "tool-result") === (part.type === "tool-result");
    if (isSame) run.push(part);
    else runs.push([part]);
  }
  return runs;
}

function readBlock(block: Fields, place: string): readonly Part[] {
  switch (block.type) {
    case "text":
      return readText(block.text) === "" ? [] : [{ type: "text", text: readText(block.text) }];
    case "thinking":
      return [{ type: "reasoning", text: readText(block.thinking) }];
    case "tool_use": {
      const [callId, tool] = [findText(block.id) ?? place, findText(block.name)];
      if (tool === undefined) throw invalidMessage(`${place}.name`, "the name of a tool", block.name);
      return [{ type: "tool-call", callId, tool, input: asJson(block.input, `${place}.input`) }];
    }
    case "tool_result": {
      const [callId, tool] = [findText(block.tool_use_id) ?? place, findText(block.name)];
      const named = tool === undefined ? {} : { tool };
      return [
        {
          type: "tool-result",
          callId,
          ...named,
          output: readOutput(block.content, place),
          failed: block.is_error === true,
        },
      ];
    }
    default:
      return block.type === undefined ? [] : [{ type: "unknown", format: "claude-ai", value: asJson(block, place) }];
  }
}

function readOutput(content: unknown, place: string): ToolOutput {
  if (typeof content === "string") return { type: "text", text: content };
  const list = readList(content).map(readFields);
  const isText = list.length > 0 && list.every(({ type, text }) => type === "text" && typeof text === "string");
  if (isText) return { type: "text", text: list.map(({ text }) => readText(text)).join("\n") };
  return { type: "json", value: asJson(content, place) };
}

/** The export has the extracted text of attachments, and the names of files. */
function readFiles({ attachments, files }: Fields): readonly Part[] {
  const texts = readList(attachments)
    .map(readFields)
    .flatMap((file): readonly Part[] => {
      const text = readText(file.extracted_content);
      const name = readText(file.file_name);
      return text === "" ? [] : [{ type: "text", text: name === "" ? text : `${name}\n${text}` }];
    });
  const named = readList(files)
    .map(readFields)
    .flatMap((file): readonly Part[] => {
      const [name, id] = [findText(file.file_name), findText(file.file_uuid)];
      if (name === undefined && id === undefined) return [];
      return [
        {
          type: "file",
          source: { type: "reference", id: id ?? name ?? "" },
          mediaType: "application/octet-stream",
          ...(name === undefined ? {} : { name }),
        },
      ];
    });
  return [...texts, ...named];
}
