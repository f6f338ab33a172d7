/**
 * One session's entries in memory. Seqs are positions, so reading a range is a slice; a fork holds only its own
 * entries and asks its parent for the rest.
 */
import { type Entry, type EntryId, isEpochDraft, type MessageEntry, type SessionId } from "../../core/log/entry.ts";
import { type Erasure, eraseEntry, erasuresOf } from "../../core/log/erase-entry.ts";
import type { Head } from "../../core/log/head.ts";
import type { Message } from "../../core/message/message.ts";
import type { CounterId } from "../../core/tokens/counter.ts";
import type { AppendBatch, AppendOutcome, EntryRange, Lease, SessionHeader } from "../../ports/store.ts";
import { mayHoldBlobs } from "../blobs/detach-blobs.ts";

interface MemoryLogOptions {
  readonly head: Head;
  readonly parent: MemoryLog | undefined;
  /** Counts the entries of all of a tenant's sessions. */
  readonly nextTurn: () => number;
}

export class MemoryLog {
  header: SessionHeader;
  head: Head;
  updatedAt: number;
  messageCount: number;
  fence = 0;
  leased: { readonly lease: Lease; readonly untilMs: number } | undefined;
  readonly #parent: MemoryLog | undefined;
  readonly #baseSeq: number;
  /** A place and no message, so that what is erased there is erased here. */
  #firstMessageSeq: number | undefined;
  readonly #own: Entry[] = [];
  /** For each own entry, how many entries the tenant had with it. */
  readonly #turns: number[] = [];
  /** Of messages with something large in them. */
  readonly #largeSeqs: number[] = [];
  #ownMessageCount = 0;
  readonly #nextTurn: () => number;
  readonly #seqById = new Map<EntryId, number>();

  constructor(header: SessionHeader, { head, parent, nextTurn }: MemoryLogOptions) {
    this.header = header;
    this.head = head;
    this.updatedAt = header.createdAt;
    this.#parent = parent;
    this.#nextTurn = nextTurn;
    this.#baseSeq = header.fork?.atSeq ?? 0;
    this.messageCount = head.messageCount;
    const inheritedSeq = parent?.firstMessage?.seq ?? Number.POSITIVE_INFINITY;
    this.#firstMessageSeq = inheritedSeq <= this.#baseSeq ? inheritedSeq : undefined;
  }

  get firstMessage(): MessageEntry | undefined {
    const entry = this.#firstMessageSeq === undefined ? undefined : this.at(this.#firstMessageSeq);
    return entry?.type === "message" ? entry : undefined;
  }

  get lastSeq(): number {
    return this.#baseSeq + this.#own.length;
  }

  get ownCounts(): { readonly entries: number; readonly messages: number } {
    return { entries: this.#own.length, messages: this.#ownMessageCount };
  }

  /** Own messages with something large in them. */
  get largeMessages(): readonly Message[] {
    return this.#largeSeqs.flatMap((seq) => {
      const entry = this.at(seq);
      return entry?.type === "message" ? [entry.message] : [];
    });
  }

  get sessionId(): SessionId {
    return this.header.id;
  }

  findEntry(id: EntryId): Entry | undefined {
    const seq = this.#seqById.get(id);
    if (seq !== undefined) return this.#own[seq - this.#baseSeq - 1];
    const inherited = this.#parent?.findEntry(id);
    return inherited !== undefined && inherited.seq <= this.#baseSeq ? inherited : undefined;
  }

  findMessage(id: EntryId): MessageEntry | undefined {
    const entry = this.findEntry(id);
    return entry?.type === "message" ? entry : undefined;
  }

  at(seq: number): Entry | undefined {
    return seq <= this.#baseSeq ? this.#parent?.at(seq) : this.#own[seq - this.#baseSeq - 1];
  }

  read(range: EntryRange): readonly Entry[] {
    const first = (range.afterSeq ?? 0) + 1;
    const last = Math.min(range.throughSeq ?? this.lastSeq, this.lastSeq);
    const limit = range.limit ?? Number.POSITIVE_INFINITY;
    const step = range.newestFirst === true ? -1 : 1;
    const found: Entry[] = [];
    for (let seq = step === 1 ? first : last; seq >= first && seq <= last && found.length < limit; seq += step) {
      const entry = this.at(seq);
      if (entry !== undefined && (range.types === undefined || range.types.includes(entry.type))) found.push(entry);
    }
    return found;
  }

  /** What was said in this session itself, and when among everything that was said to the tenant. */
  ownMessages(): readonly { readonly entry: MessageEntry; readonly turn: number }[] {
    return this.#own.flatMap((entry, index) =>
      entry.type === "message" ? [{ entry, turn: this.#turns[index] ?? 0 }] : [],
    );
  }

  append(batch: AppendBatch): AppendOutcome {
    const stale = this.#findStale(batch);
    if (stale) return { type: "stale", epoch: this.head.epoch };
    const placed = new Map<EntryId, Entry>();
    const answered: Entry[] = [];
    for (const draft of batch.entries) {
      const known = placed.get(draft.id) ?? this.findEntry(draft.id);
      if (known === undefined) {
        const entry = { ...draft, seq: this.lastSeq + placed.size + 1 } as Entry;
        placed.set(entry.id, entry);
        answered.push(entry);
      } else if (draft.type === "message" && known.type === "message" && known.hash === draft.hash) {
        answered.push(known);
      } else {
        return { type: "conflict", entryId: draft.id };
      }
    }
    this.#commit([...placed.values()], batch);
    return { type: "appended", entries: answered, lastSeq: this.lastSeq };
  }

  erase(id: EntryId, erasure: Erasure): void {
    const seq = this.#seqById.get(id);
    if (seq === undefined) {
      this.#parent?.erase(id, erasure);
      return;
    }
    const index = seq - this.#baseSeq - 1;
    const entry = this.#own[index];
    if (entry !== undefined) this.#own[index] = eraseEntry(entry, erasure);
  }

  addCounts(counterId: CounterId, counts: ReadonlyMap<number, number>): void {
    for (const [seq, tokens] of counts) {
      if (seq <= this.#baseSeq) this.#parent?.addCounts(counterId, new Map([[seq, tokens]]));
      const index = seq - this.#baseSeq - 1;
      const entry = this.#own[index];
      if (entry?.type === "message")
        this.#own[index] = { ...entry, recounts: { ...entry.recounts, [counterId]: tokens } };
    }
  }

  #findStale({ entries, expect }: AppendBatch): boolean {
    if (!entries.some(isEpochDraft)) return false;
    if (expect === undefined || expect.epoch !== this.head.epoch) return true;
    return expect.fence !== undefined && expect.fence < this.fence;
  }

  #commit(placed: readonly Entry[], batch: AppendBatch): void {
    for (const entry of placed) {
      this.#own.push(entry);
      this.#turns.push(this.#nextTurn());
      this.#seqById.set(entry.id, entry.seq);
      if (entry.type === "message") {
        this.messageCount += 1;
        this.#ownMessageCount += 1;
        if (mayHoldBlobs(entry.message)) this.#largeSeqs.push(entry.seq);
        this.#firstMessageSeq ??= entry.seq;
      }
      this.updatedAt = Math.max(this.updatedAt, entry.at);
    }
    if (batch.head !== undefined) this.head = batch.head;
    for (const [id, erasure] of erasuresOf(batch)) this.erase(id, erasure);
  }
}
