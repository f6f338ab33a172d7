/**
 * Follows a stored log while the messages of a file arrive, and says of each whether it is stored. The log may have the
 * beginning of the file, all of it, or another continuation.
 */
import type { MessageEntry, SessionId } from "../../core/log/entry.ts";
import { hashMessage } from "../../core/message/hash-message.ts";
import type { Message, Part } from "../../core/message/message.ts";
import type { TenantStore } from "../../ports/store.ts";

const PAGE = 50;
/** Ends the id of what a file added later to a message that is stored already. */
const CONTINUATION = "+";

export type StoredMatch =
  | { readonly type: "same" }
  /** The file's message has more parts than the stored one. The rest is a message of its own. */
  | { readonly type: "grown"; readonly rest: Message | undefined; readonly hasUsage: boolean }
  | { readonly type: "new" }
  /** The log continues differently after `atSeq`. */
  | { readonly type: "diverged"; readonly atSeq: number };

type GrownMatch = Extract<StoredMatch, { readonly type: "grown" }>;

export class StoredLog {
  readonly #store: TenantStore;
  readonly id: SessionId;
  #page: readonly MessageEntry[] = [];
  /** Seq of the last message that the file and the log share. */
  #atSeq: number;

  constructor(store: TenantStore, id: SessionId, atSeq: number) {
    this.#store = store;
    this.id = id;
    this.#atSeq = atSeq;
  }

  get atSeq(): number {
    return this.#atSeq;
  }

  async match(message: Message): Promise<StoredMatch> {
    const next = await this.#peek();
    const stored = next?.id === message.id ? next : await this.#store.findMessage(this.id, message.id);
    if (stored === undefined) return next === undefined ? { type: "new" } : this.#diverge();
    const match = await this.#compare(message, stored);
    if (match.type !== "diverged") this.#moveTo(stored);
    return match;
  }

  /** Whether the file has arrived at the end of the log. */
  async isAtEnd(): Promise<boolean> {
    return (await this.#peek()) === undefined;
  }

  #diverge(): StoredMatch {
    return { type: "diverged", atSeq: this.#atSeq };
  }

  async #compare(message: Message, stored: MessageEntry): Promise<StoredMatch> {
    if (stored.erased === true || stored.hash === "" || stored.hash === hashMessage(message)) return { type: "same" };
    const rest = findRest(message.parts, stored.message.parts);
    if (rest === undefined || message.role !== stored.message.role) return this.#diverge();
    const isCounted = stored.usage !== undefined;
    return { type: "grown", ...(await this.#findContinuation({ ...message, parts: rest }, isCounted)) };
  }

  /**
   * Parts that were added to the stored message by earlier imports are messages of their own. All of them are one
   * response, whose usage is stored once.
   */
  async #findContinuation(message: Message, hasUsage: boolean): Promise<Pick<GrownMatch, "rest" | "hasUsage">> {
    const next = { ...message, id: `${message.id}${CONTINUATION}` };
    const stored = await this.#store.findMessage(this.id, next.id);
    if (stored === undefined) return { rest: next, hasUsage };
    const rest = findRest(next.parts, stored.message.parts);
    const isCounted = hasUsage || stored.usage !== undefined;
    if (rest === undefined || rest.length === 0) return { rest: undefined, hasUsage: isCounted };
    return this.#findContinuation({ ...next, parts: rest }, isCounted);
  }

  /** Returns the next stored message. What was added to earlier messages is passed over. */
  async #peek(): Promise<MessageEntry | undefined> {
    for (;;) {
      const next = this.#page.find(({ seq, id }) => seq > this.#atSeq && !id.endsWith(CONTINUATION));
      if (next !== undefined) return next;
      const afterSeq = Math.max(this.#atSeq, this.#page.at(-1)?.seq ?? 0);
      const entries = await this.#store.readEntries(this.id, { afterSeq, types: ["message"], limit: PAGE });
      if (entries.length === 0) return undefined;
      this.#page = entries.filter((entry) => entry.type === "message");
    }
  }

  #moveTo({ seq }: MessageEntry): void {
    if (seq < this.#atSeq || seq > (this.#page.at(-1)?.seq ?? 0)) this.#page = [];
    this.#atSeq = seq;
  }
}

/** Returns the parts after those that are known; undefined if the known ones are not the first. */
function findRest(parts: readonly Part[], known: readonly Part[]): readonly Part[] | undefined {
  const isPrefix = known.length < parts.length && known.every((part, index) => isSamePart(part, parts[index]));
  return isPrefix ? parts.slice(known.length) : undefined;
}

function isSamePart(part: Part, other: Part | undefined): boolean {
  if (other === undefined) return false;
  const hashOf = (each: Part) => hashMessage({ id: "", role: "assistant", parts: [each] });
  return hashOf(part) === hashOf(other);
}
