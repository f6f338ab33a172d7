/** LibreChat's exports: messages with `isCreatedByUser`, as a list or nested in their parents. The newest branch is read. */
import { type Fields, findText, isObject, readFields, readList, readText } from "../../core/check-value.ts";
import type { TranscriptEvent } from "../../ports/transcript.ts";
import type { FileSample, FormatReader, TranscriptFormat } from "../shared/format.ts";
import type { SourceRecord } from "../shared/record.ts";
import { type MessageFacts, SessionDraft } from "../shared/session-draft.ts";
import { readTime } from "../shared/values.ts";

export const libreChatFormat: TranscriptFormat = {
  name: "librechat",
  title: "LibreChat export (JSON)",
  recognize: ({ records }: FileSample) =>
    records.some((value) => isShared(value) || readList(readFields(value).messages).some(isShared)),
  open: () => new LibreChatReader(),
};

function isShared(value: unknown): boolean {
  const { messageId, isCreatedByUser } = readFields(value);
  return typeof messageId === "string" && typeof isCreatedByUser === "boolean";
}

class LibreChatReader implements FormatReader {
  /** Messages of a bare list, which is one conversation. */
  readonly #bare: Fields[] = [];

  *take({ value }: SourceRecord): Generator<TranscriptEvent> {
    const fields = readFields(value);
    if (isShared(fields)) this.#bare.push(fields);
    else yield* writeConversation(fields, readList(fields.messages).filter(isObject));
  }

  *end(): Generator<TranscriptEvent> {
    if (this.#bare.length > 0) yield* writeConversation({}, this.#bare);
  }
}

function* writeConversation(fields: Fields, list: readonly Fields[]): Generator<TranscriptEvent> {
  const all = listNested(list);
  const byId = new Map(all.map((each) => [readText(each.messageId), each]));
  const branch: Fields[] = [];
  const seen = new Set<Fields>();
  for (let next = all.at(-1); next !== undefined && !seen.has(next); next = byId.get(readText(next.parentMessageId))) {
    seen.add(next);
    branch.unshift(next);
  }
  const draft = new SessionDraft({
    format: "librechat",
    sourceId: findText(fields.conversationId),
    title: findText(fields.title),
  });
  for (const each of branch) for (const facts of readMessage(each)) yield* draft.add(facts);
}

/** Lists messages with those nested in them, parents first. */
function listNested(list: readonly Fields[]): readonly Fields[] {
  const found: Fields[] = [];
  const waiting = list.toReversed();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    found.push(next);
    waiting.push(...readList(next.children).filter(isObject).toReversed());
  }
  return found;
}

function readMessage(fields: Fields): readonly MessageFacts[] {
  const text = readText(fields.text) || readList(fields.content).map(readBlock).filter(Boolean).join("\n");
  if (text === "") return [];
  const isUser = fields.isCreatedByUser === true;
  const name = isUser ? undefined : findText(fields.sender);
  return [
    {
      id: findText(fields.messageId),
      role: isUser ? "user" : "assistant",
      saidAt: readTime(fields.createdAt),
      parentId: findText(fields.parentMessageId),
      parts: [{ type: "text", text }],
      source: { model: isUser ? undefined : findText(fields.model) },
      ...(name === undefined ? {} : { name }),
    },
  ];
}

function readBlock(value: unknown): string {
  const { text } = readFields(value);
  return readText(text) || readText(readFields(text).value);
}
