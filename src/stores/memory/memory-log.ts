/** One session's entries in memory, each at the position of its seq. A fork reads the rest from its parent. */
import { type Entry, type EntryId, isEpochDraft, type MessageEntry, type SessionId } from "../../core/log/entry.ts";
import { type ErasureKind, eraseEntry, mapErasures } from "../../core/log/erase-entry.ts";
import type { Head } from "../../core/log/head.ts";
import type { Message } from "../../core/message/message.ts";
import { messageText } from "../../core/message/message-text.ts";
import { findWordKey, readWordKeysInSteps } from "../../core/recall/word-keys.ts";
import type { CounterId } from "../../core/tokens/counter.ts";
import type { AppendBatch, AppendOutcome, EntryRange, Lease, SessionHeader } from "../../ports/store.ts";
import { hasLargeParts } from "../blobs/detach-blobs.ts";
import { cutRow, listWordBlocks, type SeqRange, type WordRow, WordRows } from "../shared/word-places.ts";

interface MemoryLogOptions {
  readonly head: Head;
  readonly parent: MemoryLog | undefined;
  /** Returns the next number in the order of all of the tenant's entries. */
  readonly nextOrder: () => number;
}

export class MemoryLog {
  header: SessionHeader;
  head: Head;
  updatedAt: number;
  messageCount: number;
  fence = 0;
  heldLease: { readonly lease: Lease; readonly untilMs: number } | undefined;
  readonly #parent: MemoryLog | undefined;
  readonly #baseSeq: number;
  /** Keeps the seq and not the message, so that an erasure is seen here too. */
  #firstMessageSeq: number | undefined;
  readonly #own: Entry[] = [];
  /** For each own entry, its number in the order of all of the tenant's entries. */
  readonly #orders: number[] = [];
  readonly #largeSeqs: number[] = [];
  #ownMessageCount = 0;
  readonly #words = new WordRows<number>();
  #indexedSeq: number;
  readonly #nextOrder: () => number;
  readonly #seqById = new Map<EntryId, number>();

  constructor(header: SessionHeader, { head, parent, nextOrder }: MemoryLogOptions) {
    this.header = header;
    this.head = head;
    this.updatedAt = header.createdAt;
    this.#parent = parent;
    this.#nextOrder = nextOrder;
    this.#baseSeq = header.fork?.atSeq ?? 0;
    this.#indexedSeq = this.#baseSeq;
    this.messageCount = head.messageCount;
    const inheritedSeq = parent?.firstMessage?.seq ?? Number.POSITIVE_INFINITY;
    this.#firstMessageSeq = inheritedSeq <= this.#baseSeq ? inheritedSeq : undefined;
  }

  get firstMessage(): MessageEntry | undefined {
    const entry = this.#firstMessageSeq === undefined ? undefined : this.findAt(this.#firstMessageSeq);
    return entry?.type === "message" ? entry : undefined;
  }

  get lastSeq(): number {
    return this.#baseSeq + this.#own.length;
  }

  get ownCounts(): { readonly entries: number; readonly messages: number } {
    return { entries: this.#own.length, messages: this.#ownMessageCount };
  }

  get largeMessages(): readonly Message[] {
    return this.#largeSeqs.flatMap((seq) => {
      const entry = this.findAt(seq);
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

  findAt(seq: number): Entry | undefined {
    return seq <= this.#baseSeq ? this.#parent?.findAt(seq) : this.#own[seq - this.#baseSeq - 1];
  }

  read(range: EntryRange): readonly Entry[] {
    const first = (range.afterSeq ?? 0) + 1;
    const last = Math.min(range.throughSeq ?? this.lastSeq, this.lastSeq);
    const limit = range.limit ?? Number.POSITIVE_INFINITY;
    const step = range.newestFirst === true ? -1 : 1;
    const found: Entry[] = [];
    for (let seq = step === 1 ? first : last; seq >= first && seq <= last && found.length < limit; seq += step) {
      const entry = this.findAt(seq);
      if (entry !== undefined && (range.types === undefined || range.types.includes(entry.type))) found.push(entry);
    }
    return found;
  }

  listOwnMessages(): readonly { readonly entry: MessageEntry; readonly order: number }[] {
    return this.#own.flatMap((entry, index) =>
      entry.type === "message" ? [{ entry, order: this.#orders[index] ?? 0 }] : [],
    );
  }

  /** Indexes the words of new messages, inherited ones included. */
  *indexWords(): Generator<undefined, void> {
    yield* this.#parent?.indexWords() ?? [];
    while (this.#indexedSeq < this.lastSeq) {
      const seq = this.#indexedSeq + 1;
      const entry = this.findAt(seq);
      const keys = isReadable(entry) ? yield* readWordKeysInSteps(messageText(entry.message)) : [];
      yield undefined;
      // Another search may have indexed it in the meantime, and an erasure may have removed its text.
      if (seq <= this.#indexedSeq) continue;
      this.#indexedSeq = seq;
      if (isReadable(this.findAt(seq))) this.#words.add(seq, keys);
    }
  }

  /** Returns the places of a word in indexed messages, inherited ones included. */
  findWordRows(word: string, { afterSeq, throughSeq }: SeqRange): readonly WordRow[] {
    const own = { afterSeq: Math.max(afterSeq, this.#baseSeq), throughSeq: Math.min(throughSeq, this.lastSeq) };
    const inherited = { afterSeq, throughSeq: Math.min(throughSeq, this.#baseSeq) };
    const key = findWordKey(word);
    const rows = listWordBlocks(own).map((block) => ({ word, block, places: this.#words.find(block, key) ?? "" }));
    return [...rows.map((row) => cutRow(row, own)), ...(this.#parent?.findWordRows(word, inherited) ?? [])];
  }

  append(batch: AppendBatch): AppendOutcome {
    const isStale = this.#isStale(batch) || this.#isRepeated(batch);
    if (isStale) return { type: "stale", epoch: this.head.epoch };
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

  erase(id: EntryId, erasure: ErasureKind): void {
    const seq = this.#seqById.get(id);
    if (seq === undefined) {
      this.#parent?.erase(id, erasure);
      return;
    }
    this.#words.remove(seq);
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

  #isRepeated({ entries, expectedLastSeq }: AppendBatch): boolean {
    return expectedLastSeq !== undefined && entries.some(({ id }) => this.findEntry(id) !== undefined);
  }

  #isStale({ entries, expect, expectedLastSeq = this.lastSeq }: AppendBatch): boolean {
    if (expectedLastSeq !== this.lastSeq) return true;
    if (!entries.some(isEpochDraft)) return false;
    if (expect === undefined || expect.epoch !== this.head.epoch) return true;
    return expect.fence !== undefined && expect.fence < this.fence;
  }

  #commit(placed: readonly Entry[], batch: AppendBatch): void {
    for (const entry of placed) {
      this.#own.push(entry);
      this.#orders.push(this.#nextOrder());
      this.#seqById.set(entry.id, entry.seq);
      if (entry.type === "message") {
        this.messageCount += 1;
        this.#ownMessageCount += 1;
        if (hasLargeParts(entry.message)) this.#largeSeqs.push(entry.seq);
        this.#firstMessageSeq ??= entry.seq;
      }
      this.updatedAt = Math.max(this.updatedAt, entry.at);
    }
    if (batch.head !== undefined) this.head = batch.head;
    for (const [id, erasure] of mapErasures(batch)) this.erase(id, erasure);
  }
}

function isReadable(entry: Entry | undefined): entry is MessageEntry {
  return entry?.type === "message" && entry.erased !== true;
}
