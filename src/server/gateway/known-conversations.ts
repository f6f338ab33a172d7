/**
 * Remembers the newest requests of each conversation, so that only what a client has added is read and compared. It is
 * a cache: without it, the same session is found by comparing the whole list with the log.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/message/json.ts";
import type { QuietTokens } from "../../core/plan/triggers/find-quiet-tokens.ts";

/** The first `items` of a list are the log up to `seq`. */
export interface ListMark {
  readonly items: number;
  readonly seq: number;
}

export interface KnownConversation {
  readonly sessionId: string;
  /** Seq after which the log has the list; 0 unless the client has compacted the conversation. */
  readonly baseSeq: number;
  /** The list of the newest request, with the reply to it once that is stored. */
  readonly history: readonly JsonObject[];
  /** Ascending. A later request has shown that the log has nothing else up to here. */
  readonly marks: readonly ListMark[];
  /** Of the newest request and its reply. Another server may have appended between them. */
  readonly newMarks: readonly ListMark[];
  readonly size: PromptSize | undefined;
}

/** Measured for the newest prompt, if it was the client's own list. */
export interface PromptSize {
  readonly tokens: number;
  /** Number of items of the list. */
  readonly items: number;
  readonly bodyBytes: number;
  readonly surroundings: string;
  readonly model: string | undefined;
  readonly quiet: QuietTokens;
  readonly at: number;
}

export interface FoundConversation {
  readonly known: KnownConversation;
  /** How many items of the list are the same. */
  readonly shared: number;
}

const MAX_CONVERSATIONS = 1_000;
/** Conversations with the same beginning that are compared with a list. */
const MAX_ALIKE = 8;
/** Limit for the text of all lists. The conversations that were used longest ago are forgotten first. */
const MAX_CHARACTERS = 64_000_000;
const MAX_MARKS = 32;

interface Held extends KnownConversation {
  readonly characters: number;
}

export class KnownConversations {
  /** By the name of the beginning; the newest is the last. */
  readonly #byName = new Map<string, readonly Held[]>();
  #characters = 0;

  /** Returns the conversation that shares the most items with a list. */
  find(name: string, history: readonly JsonObject[]): FoundConversation | undefined {
    let best: FoundConversation | undefined;
    for (const known of this.#byName.get(name) ?? []) {
      const shared = countShared(known.history, history);
      if (shared > (best?.shared ?? 0)) best = { known, shared };
    }
    return best;
  }

  /** Returns what is known of a session. */
  findSession(name: string, sessionId: string): KnownConversation | undefined {
    return this.#byName.get(name)?.find((known) => known.sessionId === sessionId);
  }

  /** Replaces what was known of the session. */
  remember(name: string, known: KnownConversation): void {
    const characters = known.history.reduce((sum, item) => sum + countItem(item), 0);
    const alike = this.#byName.get(name) ?? [];
    const others = alike.filter(({ sessionId }) => sessionId !== known.sessionId);
    const held = { ...known, marks: known.marks.slice(-MAX_MARKS), characters };
    this.#set(name, [...others, held].slice(-MAX_ALIKE));
    for (const oldest of this.#byName.keys()) {
      if (this.#byName.size <= MAX_CONVERSATIONS && this.#characters <= MAX_CHARACTERS) break;
      this.#set(oldest, []);
    }
  }

  forget(name: string): void {
    this.#set(name, []);
  }

  #set(name: string, list: readonly Held[]): void {
    const sum = (held: readonly Held[]) => held.reduce((total, { characters }) => total + characters, 0);
    this.#characters += sum(list) - sum(this.#byName.get(name) ?? []);
    this.#byName.delete(name);
    if (list.length > 0) this.#byName.set(name, list);
  }
}

/** Returns the last checked mark that both lists have. */
export function findMark({ known, shared }: FoundConversation): ListMark | undefined {
  return known.marks.findLast(({ items }) => items <= shared);
}

/** Returns the marks that a request has checked by continuing a session. */
export function listChecked({ known, shared }: FoundConversation, sessionId: string): readonly ListMark[] {
  const marks = known.sessionId === sessionId ? [...known.marks, ...known.newMarks] : known.marks;
  return marks.filter(({ items }) => items <= shared);
}

function countShared(known: readonly JsonObject[], history: readonly JsonObject[]): number {
  let shared = 0;
  while (shared < known.length && shared < history.length && isEqual(known[shared], history[shared])) shared += 1;
  return shared;
}

/** Compares values by their fields, in any order. Equal texts are compared faster than they are hashed. */
export function isEqual(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (one === other) return true;
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length && one.every((item, at) => isEqual(item, other[at]));
  }
  if (!isJsonObject(one) || !isJsonObject(other)) return false;
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => isEqual(one[key], other[key]));
}

/** Items are shared by the lists of a conversation, so each is counted once. */
const counted = new WeakMap<object, number>();

function countItem(item: JsonObject): number {
  const characters = counted.get(item) ?? countCharacters(item);
  counted.set(item, characters);
  return characters;
}

function countCharacters(value: JsonValue | undefined): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce<number>((sum, each) => sum + countCharacters(each), 1);
}

/** How long a provider's cache is certain to keep a prefix. */
const WARM_MS = 4 * 60_000;
/** Cache marks and other small fields may come and go between two requests. */
const SLACK_TOKENS = 500;
const MEDIA_TYPES = /^(?:input_)?(?:image|file|document|audio|video)/;

/** Whether a list can be forwarded before it is planned: by its bytes, it cannot cause a compaction. */
export function isQuiet(
  { known, shared }: FoundConversation,
  next: Pick<PromptSize, "bodyBytes" | "surroundings" | "model" | "at"> & Pick<KnownConversation, "history">,
): boolean {
  const { size } = known;
  if (size === undefined || shared < size.items || next.model !== size.model) return false;
  if (next.surroundings !== size.surroundings || next.history.slice(shared).some(hasMedia)) return false;
  const { warmTokens, coldTokens } = size.quiet;
  // A token has at least one byte.
  const atMost = size.tokens + Math.max(0, next.bodyBytes - size.bodyBytes) + SLACK_TOKENS;
  return atMost < (next.at - size.at < WARM_MS ? warmTokens : coldTokens);
}

/** Media may have more tokens than bytes. */
function hasMedia(value: JsonValue): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (isJsonObject(value) && typeof value.type === "string" && MEDIA_TYPES.test(value.type)) return true;
  return Object.values(value).some((each) => each !== undefined && hasMedia(each));
}
