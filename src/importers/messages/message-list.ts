/** Decodes the items of one list in batches. The first batch decides the format, which later ones keep if they can. */
import { type Fields, findText, isObject, readFields } from "../../core/check-value.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { RECENT_MESSAGES } from "../../core/message/formats/decode-input.ts";
import { detectFormat } from "../../core/message/formats/detect-format.ts";
import { FORMAT_NAMES, type FormatName } from "../../core/message/formats/format.ts";
import { FORMATS } from "../../core/message/formats/formats.ts";
import { matchCallsByName } from "../../core/message/formats/match-calls-by-name.ts";
import type { Message } from "../../core/message/message.ts";
import type { TranscriptSkip } from "../../ports/transcript.ts";
import type { MessageFacts } from "../shared/session-draft.ts";
import { describeSkip } from "../shared/skip.ts";
import { readTime, readUsage } from "../shared/values.ts";

export interface ListItem {
  readonly value: unknown;
  readonly place: string;
  readonly line?: number | undefined;
}

export type DecodedItem = MessageFacts;

export class MessageList {
  readonly #given: FormatName | undefined;
  #found: FormatName | undefined;
  #before: readonly Message[] = [];
  #count = 0;

  constructor(given: FormatName | undefined) {
    this.#given = given;
  }

  get format(): FormatName | undefined {
    return this.#given ?? this.#found;
  }

  *decode(items: readonly ListItem[]): Generator<DecodedItem | TranscriptSkip> {
    const values = items.map(({ value }) => value);
    this.#found = this.#given ?? chooseFormat(values, this.#found);
    const decoded: { readonly item: ListItem; readonly messages: readonly Message[] }[] = [];
    for (const item of items) {
      const read = this.#decodeItem(item, this.#found);
      if ("type" in read) yield read;
      else decoded.push({ item, messages: read.messages });
    }
    const matched = this.#match(decoded.flatMap(({ messages }) => messages));
    let index = 0;
    for (const { item, messages } of decoded) {
      const own = matched.slice(index, index + messages.length);
      index += messages.length;
      yield* describeMessages(own, readFields(item.value));
    }
  }

  #decodeItem(item: ListItem, format: FormatName): TranscriptSkip | { readonly messages: readonly Message[] } {
    this.#count += 1;
    const fallbackId = `item-${this.#count}`;
    try {
      const messages = FORMATS[format].decode(item.value, { path: item.place, fallbackId });
      // Ids of the list's own are kept; the others are derived later.
      return { messages: messages.map((each) => (each.id.startsWith(fallbackId) ? { ...each, id: "" } : each)) };
    } catch (error) {
      return describeSkip(item, error);
    }
  }

  #match(messages: readonly Message[]): readonly Message[] {
    const isMatched = this.#found !== undefined && FORMATS[this.#found].matchesCallsByName === true;
    const matched = isMatched ? matchCallsByName([...this.#before, ...messages]).slice(this.#before.length) : messages;
    this.#before = [...this.#before, ...matched].slice(-RECENT_MESSAGES);
    return matched;
  }
}

function chooseFormat(values: readonly unknown[], earlier: FormatName | undefined): FormatName {
  const readable = values.filter((value) => FORMAT_NAMES.some((name) => FORMATS[name].recognize(value) !== "no"));
  if (earlier !== undefined && readable.every((value) => FORMATS[earlier].recognize(value) !== "no")) return earlier;
  try {
    return detectFormat(readable) ?? earlier ?? "ai-sdk-model";
  } catch (error) {
    if (!(error instanceof PalimpsestError)) throw error;
    return earlier ?? findCommonest(readable);
  }
}

/** Returns the format that reads most items. */
function findCommonest(values: readonly unknown[]): FormatName {
  const countOf = (name: FormatName) => values.filter((value) => FORMATS[name].recognize(value) !== "no").length;
  const counted = FORMAT_NAMES.map((name) => ({ name, count: countOf(name) }));
  return counted.reduce((best, each) => (each.count > best.count ? each : best)).name;
}

/** A response's usage belongs to its last message. */
function* describeMessages(messages: readonly Message[], fields: Fields): Generator<DecodedItem> {
  const saidAt = readTime(fields.timestamp ?? fields.created_at ?? fields.createdAt ?? fields.ts);
  const usage = readItemUsage(fields);
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  for (const [index, { id, ...message }] of messages.entries()) {
    const own = id === "" ? undefined : id;
    yield { saidAt, ...message, id: own, ...(index === last ? { usage } : {}) };
  }
}

/** Reads the usage of a response of OpenAI, Anthropic or LangChain. */
function readItemUsage(fields: Fields) {
  const data = isObject(fields.data) ? fields.data : isObject(fields.kwargs) ? fields.kwargs : fields;
  const usage = readFields(data.usage ?? data.usage_metadata);
  const named = readFields(data.response_metadata);
  const model = findText(data.model) ?? findText(named.model_name) ?? findText(named.model);
  const details = readFields(usage.prompt_tokens_details ?? usage.input_tokens_details ?? usage.input_token_details);
  const isAnthropic = usage.cache_read_input_tokens !== undefined || usage.cache_creation_input_tokens !== undefined;
  const input = usage.prompt_tokens ?? usage.input_tokens;
  return readUsage({
    model,
    ...(isAnthropic ? { plain: input } : { input }),
    output: usage.completion_tokens ?? usage.output_tokens,
    cacheRead: usage.cache_read_input_tokens ?? details.cached_tokens ?? details.cache_read,
    cacheWrite: usage.cache_creation_input_tokens ?? details.cache_creation,
  });
}
