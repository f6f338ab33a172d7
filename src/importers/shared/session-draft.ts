/**
 * Collects what a file says about one session and writes its events. Gives every message a stable id: the file's own, or
 * one that is derived from the content and everything before it, so that equal beginnings have equal ids.
 */
import { isUsableId } from "../../core/check-value.ts";
import type { Usage } from "../../core/log/entry.ts";
import type { TranscriptFormatName } from "../../core/message/formats/tool-formats.ts";
import { hashMessage, hashText } from "../../core/message/hash-message.ts";
import type { JsonObject, JsonValue } from "../../core/message/json.ts";
import type { Message, MessageId, Part, Role } from "../../core/message/message.ts";
import type {
  TranscriptEvent,
  TranscriptMessage,
  TranscriptParent,
  TranscriptSession,
} from "../../ports/transcript.ts";
import { IdTable } from "./id-table.ts";

export interface MessageFacts {
  readonly id?: string | undefined;
  readonly role: Role;
  readonly parts: readonly Part[];
  readonly saidAt?: number | undefined;
  readonly name?: string | undefined;
  readonly extras?: Message["extras"];
  /** Other fields of the file, stored under the name of its format. */
  readonly source?: Readonly<Record<string, JsonValue | undefined>> | undefined;
  readonly usage?: Usage | undefined;
  readonly costUsd?: number | undefined;
  readonly parentId?: MessageId | undefined;
  readonly responseId?: string | undefined;
}

export interface SessionFacts {
  readonly format: TranscriptFormatName;
  /** The tool's own id of the session. Without it, the id is derived from the first messages. */
  readonly sourceId?: string | undefined;
  /** The source of the session's id, if that is not the tool's own id. */
  readonly key?: string | undefined;
  readonly title?: string | undefined;
  readonly startedAt?: number | undefined;
  readonly folder?: string | undefined;
  readonly parent?: TranscriptParent | undefined;
}

/** Digits of a hash in an id that is derived from content. */
const ID_DIGITS = 24;
const SUFFIX_DIGITS = 8;
const MAX_KEY_CHARACTERS = 120;

export class SessionDraft {
  facts: SessionFacts;
  /** The hash of each message by its id. */
  readonly #seen = new IdTable();
  #chain = "";
  #session: string | undefined;
  #lastId: MessageId | undefined;
  #isAnnounced = false;
  messages = 0;

  constructor(facts: SessionFacts) {
    this.facts = facts;
  }

  get lastId(): MessageId | undefined {
    return this.#lastId;
  }

  /** The session's id. Only for a session with a key or an id of its own, or one that has started. */
  get id(): string {
    this.#session ??= this.#name(undefined, "");
    return this.#session;
  }

  /** Writes the beginning, if it is not written yet. Without an id, the first message or text names the session. */
  *start(first?: Message, text = ""): Generator<TranscriptEvent> {
    if (this.#isAnnounced) return;
    this.#isAnnounced = true;
    this.#session ??= this.#name(first, text);
    yield this.#announce(this.#session, first);
  }

  #announce(session: string, first: Message | undefined): TranscriptSession {
    const { format, sourceId, title, startedAt = first?.saidAt, folder, parent } = this.facts;
    const known = { sourceId, title, startedAt, folder, parent };
    return { type: "session", session, format, ...withoutMissing(known) };
  }

  /** Writes a message, with the session's beginning before the first one. A message that came before is left out. */
  *add(facts: MessageFacts): Generator<TranscriptEvent> {
    const { usage, costUsd, parentId, responseId } = facts;
    const message = this.#write(facts);
    if (message === undefined) return;
    yield* this.start(message);
    this.messages += 1;
    this.#lastId = message.id;
    const known = withoutMissing({ usage, costUsd, parentId, responseId });
    const event: TranscriptMessage = { type: "message", session: this.id, message, ...known };
    yield event;
  }

  #write({ id, role, parts, saidAt, name, extras, source }: MessageFacts): Message | undefined {
    const noted = source === undefined ? {} : { [`wire:${this.facts.format}`]: withoutMissing(source) as JsonObject };
    const all = { ...extras, ...noted };
    const kept = withoutMissing({ saidAt, name, extras: Object.keys(all).length === 0 ? undefined : all });
    const bare: Message = { id: "", role, parts, ...kept };
    const hash = hashMessage(bare);
    this.#chain = hashText(`${this.#chain}\n${hash}`);
    const own = id !== undefined && isUsableId(id) ? id : `${this.facts.format}-${this.#chain.slice(0, ID_DIGITS)}`;
    const named = this.#isOther(own, hash) ? `${own}~${hash.slice(0, SUFFIX_DIGITS)}` : own;
    if (this.#seen.find(named) !== undefined) return undefined;
    this.#seen.set(named, shorten(hash));
    return { ...bare, id: named };
  }

  #isOther(id: string, hash: string): boolean {
    const known = this.#seen.find(id);
    return known !== undefined && known !== shorten(hash);
  }

  #name(first: Message | undefined, seed: string): string {
    const { format, key, sourceId } = this.facts;
    const own = key ?? sourceId;
    if (own !== undefined && isUsableId(own) && own.length <= MAX_KEY_CHARACTERS) return `${format}-${own}`;
    const text =
      own ??
      JSON.stringify([
        first?.role,
        first?.saidAt ?? this.facts.startedAt,
        first === undefined ? seed : hashMessage(first),
      ]);
    return `${format}-${hashText(text).slice(0, ID_DIGITS)}`;
  }
}

/** Six bytes of a hash as a number, which takes a tenth of the memory. */
function shorten(hash: string): number {
  return Number.parseInt(hash.slice(0, 12), 16);
}

export function withoutMissing<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as Value;
}
