/** Gemini CLI's chats: one JSON object, or JSON Lines in which a later line with the same id replaces an earlier one. */
import { type Fields, findText, invalidMessage, isObject, readFields, readList } from "../../core/check-value.ts";
import { geminiFormat } from "../../core/message/formats/gemini.ts";
import type { Message, Part, ToolOutput } from "../../core/message/message.ts";
import type { TranscriptEvent } from "../../ports/transcript.ts";
import type { FileSample, FormatReader, TranscriptFormat } from "../shared/format.ts";
import type { SourceRecord } from "../shared/record.ts";
import { type MessageFacts, SessionDraft, withoutMissing } from "../shared/session-draft.ts";
import { describeSkip } from "../shared/skip.ts";
import { asJson, readTime, readUsage } from "../shared/values.ts";

export const geminiCliFormat: TranscriptFormat = {
  name: "gemini-cli",
  title: "Gemini CLI chat (JSON or JSONL)",
  recognize,
  open: () => new GeminiReader(),
};

function recognize({ records }: FileSample): boolean {
  const [first] = records.map(readFields);
  if (first === undefined) return false;
  if (typeof first.sessionId === "string" && typeof first.projectHash === "string") return true;
  const turns = [...readList(first.messages), ...readList(first.history)].map(readFields);
  return turns.some(({ type, role }) => type === "gemini" || role === "gemini");
}

/** Messages that are held, because a later line may replace them. */
const MAX_HELD = 2_000;

class GeminiReader implements FormatReader {
  readonly #draft = new SessionDraft({ format: "gemini-cli" });
  #held = new Map<string, { readonly record: Fields; readonly place: string }>();

  *take({ value, place }: SourceRecord): Generator<TranscriptEvent> {
    if (!isObject(value)) throw invalidMessage(place, "an object", value);
    const { $set: changes, $rewindTo: rewound } = value;
    if (typeof rewound === "string") return this.#rewind(rewound);
    if (value.type === undefined && value.role === undefined) this.#readHead(isObject(changes) ? changes : value);
    const isHead = value.sessionId !== undefined || value.messages !== undefined || value.history !== undefined;
    const list = isHead
      ? [...readList(value.messages), ...readList(value.history)]
      : readList(readFields(changes).messages);
    for (const [index, record] of list.entries()) this.#hold(record, `${place}.messages[${index}]`);
    if (!isHead && changes === undefined) this.#hold(value, place);
    if (this.#held.size > MAX_HELD) yield* this.#write(MAX_HELD / 2);
  }

  *end(): Generator<TranscriptEvent> {
    yield* this.#write(0);
  }

  #readHead({ sessionId, startTime, start_time: started }: Fields): void {
    const facts = { sourceId: findText(sessionId), startedAt: readTime(startTime ?? started) };
    this.#draft.facts = { ...this.#draft.facts, ...withoutMissing(facts) };
  }

  #rewind(id: string): void {
    const ids = [...this.#held.keys()];
    const from = ids.indexOf(id);
    if (from >= 0) for (const each of ids.slice(from)) this.#held.delete(each);
  }

  #hold(record: unknown, place: string): void {
    const id = findText(readFields(record).id) ?? `unnamed ${place}`;
    this.#held.set(id, { record: readFields(record), place });
  }

  *#write(keep: number): Generator<TranscriptEvent> {
    const held = [...this.#held];
    const ready = held.slice(0, held.length - keep);
    this.#held = new Map(held.slice(held.length - keep));
    for (const [, { record, place }] of ready) {
      try {
        for (const facts of readMessage(record, place)) yield* this.#draft.add(facts);
      } catch (error) {
        yield describeSkip({ place }, error);
      }
    }
  }
}

/** Returns nothing for notices of the program, which are not part of the conversation. */
function readMessage(record: Fields, place: string): readonly MessageFacts[] {
  const { type, role = type } = record;
  const id = findText(record.id);
  const saidAt = readTime(record.timestamp ?? record.ts);
  if (role === "info" || role === "error" || role === "warning") return [];
  if (role === "user") return [{ id, role, saidAt, parts: readContent(record, place) }];
  if (role !== "gemini" && role !== "model" && role !== "assistant")
    throw invalidMessage(`${place}.type`, "user or gemini", role);
  return readAnswer(record, { id, saidAt, place });
}

interface AnswerPlace {
  readonly id: string | undefined;
  readonly saidAt: number | undefined;
  readonly place: string;
}

function readAnswer(record: Fields, { id, saidAt, place }: AnswerPlace): readonly MessageFacts[] {
  const calls = readList(record.toolCalls).map((call, index) =>
    readCall(readFields(call), `${place}.toolCalls[${index}]`),
  );
  const thoughts = readList(record.thoughts).map((each): Part => {
    const { subject, description } = readFields(each);
    const text = [findText(subject), findText(description)].filter((line) => line !== undefined).join("\n");
    return { type: "reasoning", text };
  });
  const parts = [...thoughts, ...readContent(record, place).filter(isSaid), ...calls.map(({ call }) => call)];
  const usage = readTokens(record);
  const source = { model: findText(record.model) };
  const ids = (number: number) => (id === undefined ? undefined : `${id}#${number}`);
  const results = calls.flatMap(({ result }) => (result === undefined ? [] : [result]));
  const answer: MessageFacts = {
    id: results.length === 0 ? id : ids(0),
    role: "assistant",
    saidAt,
    parts,
    usage,
    source,
  };
  return results.length === 0 ? [answer] : [answer, { id: ids(1), role: "tool", saidAt, parts: results }];
}

function isSaid(part: Part): boolean {
  return part.type !== "text" || part.text !== "";
}

function readTokens({ tokens, model }: Fields) {
  const { input, output, cached, thoughts } = readFields(tokens);
  const whole = typeof output === "number" && typeof thoughts === "number" ? output + thoughts : output;
  return readUsage({ model, input, output: whole, cacheRead: cached });
}

/** Content is a text, one part or parts of the Gemini API; parts are decoded as a message of it. */
function readContent({ content, parts = content }: Fields, place: string): readonly Part[] {
  if (parts === undefined || parts === null) return [];
  if (typeof parts === "string") return [{ type: "text", text: parts }];
  const list = Array.isArray(parts) ? parts.map((part) => (typeof part === "string" ? { text: part } : part)) : [parts];
  const decoded = geminiFormat.decode({ role: "user", parts: list }, { path: place, fallbackId: "" });
  return decoded.flatMap((message: Message) => message.parts);
}

function readCall(fields: Fields, place: string) {
  const tool = findText(fields.name);
  if (tool === undefined) throw invalidMessage(`${place}.name`, "the name of a tool", fields.name);
  const callId = findText(fields.id) ?? `call ${place}`;
  const call: Part = { type: "tool-call", callId, tool, input: asJson(fields.args, `${place}.args`) };
  const output = readOutput(fields, place);
  if (output === undefined) return { call, result: undefined };
  const failed = fields.status === "error" || fields.status === "cancelled";
  const result: Part = { type: "tool-result", callId, tool, output, failed };
  return { call, result };
}

function readOutput({ result, resultDisplay }: Fields, place: string): ToolOutput | undefined {
  const response = readList(result).map((each) => readFields(readFields(each).functionResponse).response);
  const [first] = response.filter((each) => each !== undefined);
  const text = readFields(first).output ?? readFields(first).error;
  if (typeof text === "string" && isObject(first) && Object.keys(first).length === 1) return { type: "text", text };
  if (first !== undefined) return { type: "json", value: asJson(first, `${place}.result`) };
  if (typeof result === "string") return { type: "text", text: result };
  return typeof resultDisplay === "string" ? { type: "text", text: resultDisplay } : undefined;
}
