/**
 * Keeps the readable, uncleared messages of a session up to date with its log: all of them, or the newest ones of a long
 * session. Erased messages are dropped when the log
 * records the erasure. If an erasure may leave no entry in this log, everything is read again.
 */
import { countEntryCharacters } from "../core/log/count-characters.ts";
import type { Entry } from "../core/log/entry.ts";
import type { Message, MessageId } from "../core/message/message.ts";
import type { FollowedMessages } from "../core/recall/recall-memory.ts";
import { yieldToEventLoop } from "../ports/run-in-steps.ts";

/** The log of a session, declared structurally. */
export interface FollowedLog {
  entries(range: {
    readonly afterSeq?: number | undefined;
    readonly throughSeq?: number | undefined;
    readonly types?: readonly Entry["type"][] | undefined;
    readonly limit?: number | undefined;
    readonly newestFirst?: boolean | undefined;
  }): Promise<readonly Entry[]>;
  /** Last seq hidden by a clear; it decreases when the clear ends or is undone. */
  clearedThroughSeq(): Promise<number>;
}

/** Summaries may erase the messages that they cover; other entries leave the texts alone. */
const TYPES: readonly Entry["type"][] = ["message", "delete", "summary"];
const PAGE = 50;
/** Characters of the messages that are read first, because the offline model keeps an index of them in memory. */
const MAX_CHARACTERS = 4_000_000;
/** Counted for each message besides its text. */
const MESSAGE_CHARACTERS = 200;

export class FollowedTranscript {
  readonly #log: FollowedLog;
  readonly #maxCharacters: number;
  #messages: Message[] = [];
  #seqs: number[] = [];
  #clearedThroughSeq = 0;
  #throughSeq = 0;
  #edition = 0;
  #characters = 0;
  /** True if a covered text is kept only until no other session needs it. */
  #isWithheld = false;
  #reading: Promise<unknown> = Promise.resolve();

  constructor(log: FollowedLog, maxCharacters = MAX_CHARACTERS) {
    this.#log = log;
    this.#maxCharacters = maxCharacters;
  }

  /** Runs one read at a time, so that nothing is added twice. */
  read(signal?: AbortSignal | undefined): Promise<FollowedMessages> {
    const reading = this.#reading.then(() => this.#read(signal));
    this.#reading = reading.catch(() => undefined);
    return reading;
  }

  async #read(signal: AbortSignal | undefined): Promise<FollowedMessages> {
    // A session that grew is read again from a later message.
    if (this.#isWithheld || this.#characters > 2 * this.#maxCharacters) this.#reset();
    while ((await this.#readNews(signal)) === "erased") this.#reset();
    const clearedThroughSeq = await this.#log.clearedThroughSeq();
    if (clearedThroughSeq !== this.#clearedThroughSeq) this.#edition += 1;
    this.#clearedThroughSeq = clearedThroughSeq;
    if (clearedThroughSeq === 0) return { messages: this.#messages, edition: this.#edition };
    const first = this.#seqs.findLastIndex((seq) => seq <= clearedThroughSeq) + 1;
    return { messages: this.#messages.slice(first), edition: this.#edition };
  }

  /** Messages erased before the read started come without text. */
  async #readNews(signal: AbortSignal | undefined): Promise<"erased" | "read"> {
    const isFirstRead = this.#throughSeq === 0;
    const [newest] = isFirstRead ? await this.#log.entries({ newestFirst: true, limit: 1 }) : [];
    const readSince = isFirstRead ? (newest?.seq ?? 0) : this.#throughSeq;
    if (isFirstRead) this.#throughSeq = await this.#findStart(readSince, signal);
    for (;;) {
      const page = await this.#log.entries({ afterSeq: this.#throughSeq, types: TYPES, limit: PAGE });
      const isErased = page.some((entry) => entry.type === "summary" && entry.erases === true && entry.seq > readSince);
      if (isErased) return "erased";
      for (const entry of page) this.#addEntry(entry);
      this.#throughSeq = page.at(-1)?.seq ?? this.#throughSeq;
      if (page.length < PAGE) return "read";
      await yieldToEventLoop();
      signal?.throwIfAborted();
    }
  }

  /** Returns the seq before the newest messages, which are read first. */
  async #findStart(newestSeq: number, signal: AbortSignal | undefined): Promise<number> {
    let [throughSeq, characters] = [newestSeq, 0];
    while (throughSeq > 0 && characters <= this.#maxCharacters) {
      const page = await this.#log.entries({ throughSeq, types: ["message"], newestFirst: true, limit: PAGE });
      characters += page.reduce((sum, entry) => sum + weighMessage(entry), 0);
      throughSeq = page.length < PAGE ? 0 : (page.at(-1)?.seq ?? 1) - 1;
      await yieldToEventLoop();
      signal?.throwIfAborted();
    }
    return throughSeq;
  }

  #addEntry(entry: Entry): void {
    if (entry.type === "message" && entry.erased !== true) {
      this.#characters += weighMessage(entry);
      this.#messages.push(entry.message);
      this.#seqs.push(entry.seq);
    }
    if (entry.type === "summary" && entry.erases === true) this.#isWithheld = entry.withheld !== undefined;
    if (entry.type === "delete") this.#removeMessages(entry.messageIds);
  }

  #removeMessages(messageIds: readonly MessageId[]): void {
    const isKept = this.#messages.map(({ id }) => !messageIds.includes(id));
    if (isKept.every(Boolean)) return;
    this.#messages = this.#messages.filter((_, index) => isKept[index]);
    this.#seqs = this.#seqs.filter((_, index) => isKept[index]);
    this.#edition += 1;
  }

  #reset(): void {
    this.#messages = [];
    this.#seqs = [];
    this.#throughSeq = 0;
    this.#characters = 0;
    this.#isWithheld = false;
    this.#edition += 1;
  }
}

function weighMessage(entry: Entry): number {
  return MESSAGE_CHARACTERS + countEntryCharacters([entry]);
}
