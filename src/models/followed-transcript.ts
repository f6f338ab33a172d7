/**
 * Everything that was said in a session, as far as it can still be read and was not cleared, kept up to date by what is
 * new in its log. What was erased is dropped when the log says so; where it may go without a word in this log, all is
 * read again.
 */
import type { Entry } from "../core/log/entry.ts";
import type { Message, MessageId } from "../core/message/message.ts";
import type { FollowedMessages } from "../core/recall/recall-memory.ts";
import { rest } from "./breathe.ts";

/** The log of a session, told by its shape. */
export interface FollowedLog {
  entries(range: {
    readonly afterSeq?: number | undefined;
    readonly types?: readonly Entry["type"][] | undefined;
    readonly limit?: number | undefined;
    readonly newestFirst?: boolean | undefined;
  }): Promise<readonly Entry[]>;
  /** The last seq that a clear hides; it falls again when the clear ends or is undone. */
  clearedThroughSeq(): Promise<number>;
}

/** Summaries may erase what they stand for; of everything else that changes a view the words stay. */
const TYPES: readonly Entry["type"][] = ["message", "delete", "summary"];
const PAGE = 200;

export class FollowedTranscript {
  readonly #log: FollowedLog;
  #messages: Message[] = [];
  /** The place of each message in the log. */
  #seqs: number[] = [];
  #clearedThroughSeq = 0;
  #throughSeq = 0;
  #edition = 0;
  /** Text that a summary stands for is still here because another session needs it: it goes when that one lets go. */
  #isWithheld = false;
  #reading: Promise<unknown> = Promise.resolve();

  constructor(log: FollowedLog) {
    this.#log = log;
  }

  /** One after the other: two that read at once would take everything twice. */
  read(signal?: AbortSignal | undefined): Promise<FollowedMessages> {
    const reading = this.#reading.then(() => this.#read(signal));
    this.#reading = reading.catch(() => undefined);
    return reading;
  }

  async #read(signal: AbortSignal | undefined): Promise<FollowedMessages> {
    if (this.#isWithheld) this.#startAnew();
    while ((await this.#readNews(signal)) === "erased") this.#startAnew();
    const clearedThroughSeq = await this.#log.clearedThroughSeq();
    if (clearedThroughSeq !== this.#clearedThroughSeq) this.#edition += 1;
    this.#clearedThroughSeq = clearedThroughSeq;
    if (clearedThroughSeq === 0) return { messages: this.#messages, edition: this.#edition };
    const first = this.#seqs.findLastIndex((seq) => seq <= clearedThroughSeq) + 1;
    return { messages: this.#messages.slice(first), edition: this.#edition };
  }

  /** What was erased before the reading began comes without its text. */
  async #readNews(signal: AbortSignal | undefined): Promise<"erased" | "read"> {
    const isAnew = this.#throughSeq === 0;
    const [newest] = isAnew ? await this.#log.entries({ newestFirst: true, limit: 1 }) : [];
    const readSince = isAnew ? (newest?.seq ?? 0) : this.#throughSeq;
    for (;;) {
      const page = await this.#log.entries({ afterSeq: this.#throughSeq, types: TYPES, limit: PAGE });
      const isErased = page.some((entry) => entry.type === "summary" && entry.erases === true && entry.seq > readSince);
      if (isErased) return "erased";
      for (const entry of page) this.#take(entry);
      this.#throughSeq = page.at(-1)?.seq ?? this.#throughSeq;
      if (page.length < PAGE) return "read";
      await rest(signal);
    }
  }

  #take(entry: Entry): void {
    if (entry.type === "message" && entry.erased !== true) {
      this.#messages.push(entry.message);
      this.#seqs.push(entry.seq);
    }
    if (entry.type === "summary" && entry.erases === true) this.#isWithheld = entry.withheld !== undefined;
    if (entry.type === "delete") this.#forget(entry.messageIds);
  }

  #forget(messageIds: readonly MessageId[]): void {
    const isKept = this.#messages.map(({ id }) => !messageIds.includes(id));
    if (isKept.every(Boolean)) return;
    this.#messages = this.#messages.filter((_, index) => isKept[index]);
    this.#seqs = this.#seqs.filter((_, index) => isKept[index]);
    this.#edition += 1;
  }

  #startAnew(): void {
    this.#messages = [];
    this.#seqs = [];
    this.#throughSeq = 0;
    this.#isWithheld = false;
    this.#edition += 1;
  }
}
