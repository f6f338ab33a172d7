/** Lists of messages in any format that the engine decodes: bare, in requests and responses, or one conversation a line. */
import { type Fields, findText, isObject, readFields, readList } from "../../core/check-value.ts";
import { FORMAT_NAMES, type FormatName } from "../../core/message/formats/format.ts";
import { FORMATS } from "../../core/message/formats/formats.ts";
import { hashText } from "../../core/message/hash-message.ts";
import type { TranscriptEvent } from "../../ports/transcript.ts";
import type { FileSample, FormatReader, ReaderContext } from "../shared/format.ts";
import type { SourceRecord } from "../shared/record.ts";
import { SessionDraft } from "../shared/session-draft.ts";
import { type DecodedItem, type ListItem, MessageList } from "./message-list.ts";

/** Keys under which files have a list of messages. */
const LISTS = ["messages", "contents", "input", "conversation", "history"] as const;

/** Whether the beginning of a file has messages in a known format. */
export function hasMessages({ records }: FileSample): boolean {
  return records.some((value) => (isConversation(value) ? listItems(value) : [value]).some(isMessage));
}

const CALL_TYPE = /^(?:message|reasoning|\w+_call|\w+_call_output)$/;
const LANGCHAIN_TYPES: ReadonlySet<unknown> = new Set(["human", "ai", "system", "tool", "function"]);

/** Many objects have a type; only those with the other fields of a message are messages. */
function isMessage(value: unknown): boolean {
  const { role, type, content, parts, tool_calls: calls, call_id: callId, summary, data, lc } = readFields(value);
  const isTyped =
    typeof type === "string" && CALL_TYPE.test(type) && [content, callId, summary].some((each) => each !== undefined);
  const isLangChain = lc === 1 || (LANGCHAIN_TYPES.has(type) && (isObject(data) || content !== undefined));
  const isSaid = typeof role === "string" && [content, parts, calls].some((each) => each !== undefined);
  if (!isTyped && !isLangChain && !isSaid) return false;
  return FORMAT_NAMES.some((name) => FORMATS[name].recognize(value) !== "no");
}

/** Items that are read before their format is decided. */
const BATCH_ITEMS = 200;

export class MessagesReader implements FormatReader {
  readonly #names = new SessionNames();
  readonly #context: ReaderContext;
  readonly #format: FormatName | undefined;
  #items: ListItem[] = [];
  /** The conversation that the bare items of the file are. */
  #bare: Conversation | undefined;

  constructor(context: ReaderContext, format: FormatName | undefined) {
    this.#context = context;
    this.#format = format;
  }

  *take(record: SourceRecord): Generator<TranscriptEvent> {
    const { value, place, line } = record;
    if (isConversation(value)) yield* this.#takeConversation(value, record);
    else {
      this.#items.push({ value, place, line });
      if (this.#items.length >= BATCH_ITEMS) yield* this.#writeItems();
    }
  }

  *end(): Generator<TranscriptEvent> {
    yield* this.#writeItems();
    if (this.#bare !== undefined) yield* this.#bare.end();
  }

  *#writeItems(): Generator<TranscriptEvent> {
    if (this.#items.length === 0) return;
    this.#bare ??= new Conversation(this.#names, { title: this.#title(), format: this.#format });
    const items = this.#items;
    this.#items = [];
    yield* this.#bare.add(items);
  }

  *#takeConversation(fields: Fields, { place, line }: SourceRecord): Generator<TranscriptEvent> {
    const isOnly = this.#context.isOneRecord;
    const title = findText(fields.title) ?? (isOnly ? this.#title() : undefined);
    const conversation = new Conversation(this.#names, { title, format: this.#format });
    const inside = isOnly ? "messages" : `${place}.messages`;
    const items = listItems(fields).map((value, index) => ({ value, place: `${inside}[${index}]`, line }));
    yield* conversation.add(items);
    yield* conversation.end();
  }

  #title(): string | undefined {
    return this.#context.name?.replace(/\.\w+$/, "");
  }
}

/** An object that is not a message itself and has messages. */
function isConversation(value: unknown): value is Fields {
  if (!isObject(value) || typeof value.role === "string" || Array.isArray(value.parts)) return false;
  return listItems(value).length > 0;
}

/** Instructions come first. A response follows the request that it is stored with. */
function listItems(fields: Fields): readonly unknown[] {
  const { system, instructions, choices, output, input } = fields;
  const found = LISTS.map((name) => readList(fields[name])).find((list) => list.length > 0) ?? [];
  const asked =
    found.length === 0 && typeof input === "string" && Array.isArray(output)
      ? [{ role: "user", content: input }]
      : found;
  const rules = system ?? instructions;
  const hasRules = typeof rules === "string" || Array.isArray(rules);
  const { model, usage } = fields;
  const answers = readList(choices)
    .slice(0, 1)
    .map((choice) => addUsage(readFields(choice).message, { model, usage }));
  const said = [...asked, ...answers, ...(Array.isArray(output) ? output : [])];
  return said.length > 0 && hasRules ? [{ role: "system", content: rules }, ...said] : said;
}

function addUsage(message: unknown, { model, usage }: Fields): unknown {
  return isObject(message)
    ? { ...message, ...(usage === undefined ? {} : { usage }), ...(model === undefined ? {} : { model }) }
    : message;
}

interface ConversationFacts {
  readonly title: string | undefined;
  readonly format: FormatName | undefined;
}

/** One list. Its first messages, up to the user's first, name the session. */
class Conversation {
  readonly #names: SessionNames;
  readonly #facts: ConversationFacts;
  readonly #list: MessageList;
  #draft: SessionDraft | undefined;
  #first: DecodedItem[] = [];

  constructor(names: SessionNames, facts: ConversationFacts) {
    this.#names = names;
    this.#facts = facts;
    this.#list = new MessageList(facts.format);
  }

  *add(items: readonly ListItem[]): Generator<TranscriptEvent> {
    for (const decoded of this.#list.decode(items)) {
      if ("type" in decoded) yield decoded;
      else if (this.#draft === undefined) yield* this.#hold(decoded);
      else yield* this.#draft.add(decoded);
    }
  }

  *end(): Generator<TranscriptEvent> {
    if (this.#draft === undefined && this.#first.length > 0) yield* this.#begin();
  }

  *#hold(decoded: DecodedItem): Generator<TranscriptEvent> {
    this.#first.push(decoded);
    if (decoded.role === "user") yield* this.#begin();
  }

  *#begin(): Generator<TranscriptEvent> {
    const format = this.#list.format ?? "ai-sdk-model";
    const text = JSON.stringify(this.#first.map(({ id, role, parts, saidAt }) => [id, role, parts, saidAt]));
    this.#draft = new SessionDraft({ format, key: this.#names.create(text), title: this.#facts.title });
    const held = this.#first;
    this.#first = [];
    for (const each of held) yield* this.#draft.add(each);
  }
}

const DIGITS = 24;

/** Names sessions by their beginning. Equal beginnings in one file are counted. */
class SessionNames {
  readonly #counts = new Map<string, number>();

  create(text: string): string {
    const digest = hashText(text).slice(0, DIGITS);
    const count = (this.#counts.get(digest) ?? 0) + 1;
    this.#counts.set(digest, count);
    return count === 1 ? digest : `${digest}-${count}`;
  }
}
