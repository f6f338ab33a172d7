/**
 * Codex rollouts, with records inside an envelope or, in older versions, bare. Each record is an item of OpenAI's
 * Responses API and one message. The count of tokens that follows a response belongs to its last message. Events repeat
 * what the items say, and count only in files that have no items.
 */
import { type Fields, findText, invalidMessage, isObject, readFields } from "../../core/check-value.ts";
import { openAiResponsesFormat } from "../../core/message/formats/openai-responses.ts";
import type { TranscriptEvent } from "../../ports/transcript.ts";
import type { FileSample, FormatReader, TranscriptFormat } from "../shared/format.ts";
import type { SourceRecord } from "../shared/record.ts";
import { type MessageFacts, SessionDraft, withoutMissing } from "../shared/session-draft.ts";
import { readTime, readUsage } from "../shared/values.ts";
import { CodexItems } from "./codex-items.ts";

export const codexFormat: TranscriptFormat = {
  name: "codex",
  title: "Codex rollout or session log (JSONL)",
  recognize,
  open: () => new CodexReader(),
};

const BARE_TYPES: ReadonlySet<unknown> = new Set(["function_call", "function_call_output", "reasoning"]);

function recognize({ shape, records }: FileSample): boolean {
  if (shape !== "lines") return false;
  return records.some((value) => {
    const record = readFields(value);
    const { type, payload, kind, dir } = record;
    if (isObject(payload) && (type === "session_meta" || type === "response_item" || type === "turn_context"))
      return true;
    if (typeof dir === "string" && typeof kind === "string" && typeof record.ts === "string") return true;
    if (record.record_type === "state") return true;
    return isBareHead(record) || isLoose(record);
  });
}

/** The first line of an old rollout. */
function isBareHead({ id, timestamp, instructions, git, type }: Fields): boolean {
  const isHead = typeof id === "string" && typeof timestamp === "string" && type === undefined;
  return isHead && (git !== undefined || instructions !== undefined);
}

/** Old calls and results by the tool's name. */
function isLoose({ type, function: called, name, timestamp, created_at: createdAt }: Fields): boolean {
  if (typeof (timestamp ?? createdAt) !== "string") return false;
  if (type === "tool_call" || type === "function_call") return isObject(called);
  if (BARE_TYPES.has(type)) return true;
  return (type === "tool_result" || type === "function_result") && typeof name === "string";
}

class CodexReader implements FormatReader {
  readonly #draft = new SessionDraft({ format: "codex" });
  readonly #items = new CodexItems();
  #model: string | undefined;
  /** The newest response, until its count of tokens or the next response comes. */
  #response: MessageFacts[] = [];
  #hasOutput = false;
  /** Messages of events, for files without items. */
  readonly #spoken: MessageFacts[] = [];
  #hasItems = false;
  #hasMeta = false;

  *take({ value, place }: SourceRecord): Generator<TranscriptEvent> {
    if (!isObject(value)) throw invalidMessage(place, "an object", value);
    const saidAt = readTime(value.timestamp ?? value.ts ?? value.created_at);
    const isWrapped = isObject(value.payload);
    const payload = readFields(isWrapped ? value.payload : value);
    if (value.dir !== undefined) this.#takeLogged(value, payload, saidAt);
    else if (!isWrapped) yield* this.#takeBare(value, saidAt, place);
    else if (value.type === "session_meta") this.#takeMeta(payload, saidAt);
    else if (value.type === "turn_context") this.#model = findText(payload.model) ?? this.#model;
    else if (value.type === "response_item") yield* this.#takeItem(payload, saidAt, place);
    else if (value.type === "event_msg") yield* this.#takeEvent(payload, saidAt);
    else if (value.type === "compacted") yield* this.#takeCompacted(payload, saidAt, place);
  }

  *end(): Generator<TranscriptEvent> {
    yield* this.#flush();
    if (!this.#hasItems) for (const facts of this.#spoken) yield* this.#draft.add(facts);
  }

  /** A rollout that continues another one also has the first lines of the other one. The first names the session. */
  #takeMeta(meta: Fields, saidAt: number | undefined): void {
    if (this.#hasMeta) return;
    this.#hasMeta = true;
    const startedAt = readTime(meta.timestamp) ?? saidAt;
    const sourceId = findText(meta.id) ?? findText(meta.session_id);
    const folder = findText(meta.cwd);
    this.#draft.facts = { ...this.#draft.facts, ...withoutMissing({ sourceId, startedAt, folder }) };
  }

  *#takeBare(value: Fields, saidAt: number | undefined, place: string): Generator<TranscriptEvent> {
    if (isBareHead(value)) return this.#takeMeta(value, saidAt);
    this.#model = findText(value.model) ?? this.#model;
    if (value.record_type !== undefined) return;
    const isMessage = value.role !== undefined;
    if (value.type === undefined && !isMessage) throw invalidMessage(place, "a record with a type", value);
    yield* this.#takeItem(value, saidAt, place);
  }

  *#takeItem(payload: Fields, saidAt: number | undefined, place: string): Generator<TranscriptEvent> {
    const item = this.#items.prepare(payload, place);
    if (item === undefined) return;
    this.#hasItems = true;
    const decoded = openAiResponsesFormat.decode(item, { path: place, fallbackId: "" });
    for (const { id: _, ...message } of decoded) {
      const id = findText(payload.id);
      const source = { id, model: message.role === "assistant" ? this.#model : undefined };
      yield* this.#addMessage({ ...message, id, saidAt, source, responseId: findText(payload.id) });
    }
  }

  /** A response is over when the model speaks again after a result, or the user or the system speaks. */
  *#addMessage(facts: MessageFacts): Generator<TranscriptEvent> {
    if (facts.role === "assistant" && this.#hasOutput) yield* this.#flush();
    if (facts.role === "user" || facts.role === "system") yield* this.#flush();
    if (facts.role === "assistant" || this.#response.length > 0) {
      this.#response.push(facts);
      this.#hasOutput = this.#hasOutput || facts.role === "tool";
    } else yield* this.#draft.add(facts);
  }

  *#flush(): Generator<TranscriptEvent> {
    const held = this.#response;
    [this.#response, this.#hasOutput] = [[], false];
    for (const facts of held) yield* this.#draft.add(facts);
  }

  *#takeEvent(event: Fields, saidAt: number | undefined): Generator<TranscriptEvent> {
    const { type, message, text } = event;
    if (type === "user_message" && typeof message === "string") this.#speak("user", message, saidAt);
    else if (type === "agent_message" && typeof message === "string") this.#speak("assistant", message, saidAt);
    else if (type === "agent_reasoning" && typeof text === "string") this.#think(text, saidAt);
    else if (type === "token_count") yield* this.#takeUsage(readFields(readFields(event.info).last_token_usage));
    else if (type === "turn.completed") yield* this.#takeUsage(readFields(event.usage));
  }

  *#takeUsage(figures: Fields): Generator<TranscriptEvent> {
    const { input_tokens: input, output_tokens: output, cached_input_tokens: cacheRead } = figures;
    const cacheWrite = figures.cache_write_input_tokens;
    const usage = readUsage({ model: this.#model, input, output, cacheRead, cacheWrite });
    const index = this.#response.findLastIndex(({ role }) => role === "assistant");
    const last = this.#response[index];
    if (usage === undefined || last === undefined || last.usage !== undefined) return;
    this.#response[index] = { ...last, usage };
    if (!this.#hasOutput && last.parts.every(({ type }) => type !== "tool-call")) yield* this.#flush();
  }

  *#takeCompacted(payload: Fields, saidAt: number | undefined, place: string): Generator<TranscriptEvent> {
    yield* this.#flush();
    const text = findText(payload.message);
    if (text === undefined) return;
    yield* this.#draft.start(undefined, text);
    const id = findText(payload.window_id) ?? `compacted-${this.#draft.lastId ?? place}`;
    yield { type: "summary", session: this.#draft.id, id, text, ...withoutMissing({ at: saidAt }) };
  }

  /** A log of the terminal: what the user sent and what the agent answered, between many events of the screen. */
  #takeLogged(record: Fields, payload: Fields, saidAt: number | undefined): void {
    if (record.kind === "session_start") {
      this.#model = findText(record.model);
      this.#draft.facts = {
        ...this.#draft.facts,
        ...withoutMissing({ startedAt: saidAt, folder: findText(record.cwd) }),
      };
    }
    const event = readFields(payload.msg);
    if (event.type === "session_configured") this.#takeMeta({ id: event.session_id }, saidAt);
    if (event.type === "agent_message" && typeof event.message === "string")
      this.#speak("assistant", event.message, saidAt);
    if (event.type === "agent_reasoning" && typeof event.text === "string") this.#think(event.text, saidAt);
    if (record.kind !== "op" || payload.type !== "user_input" || !Array.isArray(payload.items)) return;
    for (const item of payload.items.map(readFields)) {
      if (typeof item.text === "string") this.#speak("user", item.text, saidAt);
    }
  }

  #speak(role: "user" | "assistant", text: string, saidAt: number | undefined): void {
    if (this.#hasItems) this.#spoken.length = 0;
    else this.#spoken.push({ role, saidAt, parts: [{ type: "text", text }] });
  }

  #think(text: string, saidAt: number | undefined): void {
    if (!this.#hasItems) this.#spoken.push({ role: "assistant", saidAt, parts: [{ type: "reasoning", text }] });
  }
}
