/**
 * One session's log, read from its file: its own entries by their places, what it inherits through its parent. It lives
 * for one operation, while the files that it reads are held.
 */
import type { Entry, EntryId, MessageEntry, SessionId } from "../../core/log/entry.ts";
import { foldEntries } from "../../core/log/fold-entry.ts";
import { EMPTY_HEAD, type Head } from "../../core/log/head.ts";
import { createUnreadableEntry, readUnreadableSeq } from "../../core/log/unreadable-entry.ts";
import type { EntryRange, SessionHeader } from "../../ports/store.ts";
import { attachBlobs } from "../blobs/detach-blobs.ts";
import { hashId } from "./hash-id.ts";
import { lostRole } from "./lost-line.ts";
import { Recounts } from "./recounts.ts";
import type { Place, SessionIndex } from "./session-index.ts";
import { type EntryLine, HOLE, isReadable, numberOfKind, type StoredLine } from "./stored-line.ts";
import type { Volume } from "./volume.ts";
import type { VolumeHost } from "./volume-host.ts";

/** Which of an entry's blobs are put back: whoever looks for words needs no images. */
export type Attached = "all" | "texts" | "none";

export interface SessionLogOptions {
  readonly id: SessionId;
  readonly volume: Volume;
  readonly session: SessionIndex;
  readonly parent: SessionLog | undefined;
  readonly host: VolumeHost;
}

export class SessionLog {
  readonly id: SessionId;
  readonly volume: Volume;
  readonly session: SessionIndex;
  readonly parent: SessionLog | undefined;
  readonly #host: VolumeHost;

  constructor({ id, volume, session, parent, host }: SessionLogOptions) {
    this.id = id;
    this.volume = volume;
    this.session = session;
    this.parent = parent;
    this.#host = host;
  }

  get lastSeq(): number {
    return this.session.lastSeq;
  }

  async readHeader(): Promise<SessionHeader> {
    return (await readHeader(this.volume, this.session)).header;
  }

  /** How many messages it has, inherited ones included. */
  async countMessages(): Promise<number> {
    return (await readHeader(this.volume, this.session)).inheritedMessages + this.session.messageCount;
  }

  async readHead(): Promise<Head> {
    const { session } = this;
    session.knownHead ??= (await this.#findHead()) ?? (await this.#foldHead());
    return session.knownHead;
  }

  /** The number of the kind at a place whose columns are loaded; see `LINE_KINDS`. */
  kindAt(seq: number): number {
    const { session, parent } = this;
    if (seq <= session.facts.baseSeq) return parent?.kindAt(seq) ?? HOLE;
    return session.kindAt(seq);
  }

  isLoaded(seq: number): boolean {
    const { session, parent } = this;
    if (seq <= session.facts.baseSeq) return parent?.isLoaded(seq) ?? true;
    return session.entries.isLoaded(session.positionOf(seq));
  }

  async load(seq: number): Promise<void> {
    const { session, parent, volume } = this;
    if (seq <= session.facts.baseSeq) await parent?.load(seq);
    else if (!(await session.entries.load(volume.readIndex, session.positionOf(seq)))) await volume.distrust();
  }

  /** The number of one of its own entries among all of the tenant's. */
  turnOf(seq: number): number {
    return this.session.entries.turnOf(this.session.positionOf(seq));
  }

  get firstMessageSeq(): number | undefined {
    const inherited = this.parent?.firstMessageSeq;
    if (inherited !== undefined && inherited <= this.session.facts.baseSeq) return inherited;
    return this.session.facts.firstMessageSeq;
  }

  /**
   * Which places a range stands for, in the order it asks for. Those whose line cannot be read are left out, or with
   * `withLost` those of messages are among them.
   */
  async findSeqs(range: EntryRange, { withLost = false } = {}): Promise<readonly number[]> {
    const { afterSeq = 0, throughSeq, types, limit, newestFirst } = range;
    const first = Math.max(1, afterSeq + 1);
    const last = Math.min(throughSeq ?? this.lastSeq, this.lastSeq);
    const kinds = types && new Set(types.map(numberOfKind));
    const step = newestFirst === true ? -1 : 1;
    const seqs: number[] = [];
    for (let seq = step === 1 ? first : last; seq >= first && seq <= last; seq += step) {
      if (seqs.length >= (limit ?? Number.POSITIVE_INFINITY)) break;
      if (!this.isLoaded(seq)) await this.load(seq);
      const kind = this.kindAt(seq);
      const isWanted = isReadable(kind) ? (kinds?.has(kind) ?? true) : withLost && lostRole(kind) !== undefined;
      if (isWanted) seqs.push(seq);
    }
    return seqs;
  }

  async read(range: EntryRange, { withLost = false } = {}): Promise<readonly Entry[]> {
    return this.readAt(await this.findSeqs(range, { withLost }));
  }

  /** The entries at these places, in this order; a marker for a message that cannot be read. */
  async readAt(seqs: readonly number[], attached: Attached = "all"): Promise<readonly Entry[]> {
    const { session, parent } = this;
    const inherited = seqs.filter((seq) => seq <= session.facts.baseSeq);
    const own = seqs.filter((seq) => seq > session.facts.baseSeq);
    const entries = [
      ...((inherited.length > 0 && (await parent?.readAt(inherited, attached))) || []),
      ...(await this.#readOwn(own, attached)),
    ];
    if (inherited.length === 0 || own.length === 0) return entries;
    const bySeq = new Map(entries.map((entry) => [entry.seq, entry]));
    return seqs.flatMap((seq) => bySeq.get(seq) ?? []);
  }

  async findEntry(id: EntryId): Promise<Entry | undefined> {
    const { session, parent, volume } = this;
    if (!(await session.entries.load(volume.readIndex))) await volume.distrust();
    for (const position of session.entries.findByHash(hashId(id))) {
      const [entry] = await this.#readOwn([session.facts.baseSeq + position + 1], "all");
      if (entry?.id === id) return entry;
    }
    const inherited = await parent?.findEntry(id);
    if (inherited !== undefined && inherited.seq <= session.facts.baseSeq) return inherited;
    const lostSeq = readUnreadableSeq(id);
    return lostSeq !== undefined && lostSeq > session.facts.baseSeq ? this.#standInAt(lostSeq) : undefined;
  }

  #standInAt(seq: number): MessageEntry | undefined {
    const role = lostRole(this.session.kindAt(seq));
    return role && createUnreadableEntry({ seq, role, at: this.session.facts.firstAt ?? 0 });
  }

  async #readOwn(seqs: readonly number[], attached: Attached): Promise<readonly Entry[]> {
    for (const seq of seqs) if (!this.isLoaded(seq)) await this.load(seq);
    const present = seqs.filter((seq) => isReadable(this.session.kindAt(seq)));
    const entries = await this.#readPresent(present, attached);
    if (present.length === seqs.length) return entries;
    const bySeq = new Map(entries.map((entry) => [entry.seq, entry]));
    return seqs.flatMap((seq) => bySeq.get(seq) ?? this.#standInAt(seq) ?? []);
  }

  async #readPresent(seqs: readonly number[], attached: Attached): Promise<readonly Entry[]> {
    const { session, volume } = this;
    const places = seqs.map((seq) => this.#placeOf(seq));
    const lines = await volume.readLines(places);
    await this.#loadRecounts(places);
    const entries: Entry[] = [];
    for (const [index, line] of lines.entries()) {
      const seq = seqs[index] ?? 0;
      if (!this.#isAt(line, seq)) await volume.distrust();
      else entries.push(await this.#assemble(line, { seq, attached, recounts: session.recounts }));
    }
    return entries;
  }

  /** Lines that somebody else wrote have no seq of their own. */
  #isAt(line: StoredLine | undefined, seq: number): line is EntryLine {
    if (line?.kind !== "entry" || line.sessionId !== this.id) return false;
    return line.entry.seq === seq || line.entry.seq === 0;
  }

  #placeOf(seq: number): Place {
    const { entries } = this.session;
    const position = this.session.positionOf(seq);
    return { offset: entries.offsetAt(position), length: entries.lengthAt(position) };
  }

  async #assemble(
    { entry, blobs }: EntryLine,
    options: { readonly seq: number; readonly attached: Attached; readonly recounts: Recounts | undefined },
  ): Promise<Entry> {
    const { seq, attached, recounts } = options;
    if (entry.type !== "message") return entry.seq === seq ? entry : { ...entry, seq };
    const added = recounts?.find(seq);
    const counted = added === undefined ? {} : { recounts: { ...entry.recounts, ...added } };
    if (blobs === undefined || attached === "none") return { ...entry, ...counted, seq };
    const message = await attachBlobs({ message: entry.message, blobs }, this.volume.blobs, {
      onlyTexts: attached === "texts",
      onMissing: (name) => this.#tellMissing(name, seq),
    });
    return { ...entry, ...counted, seq, message };
  }

  #tellMissing(name: string, seq: number): void {
    const text = `${name}, which belongs to entry ${seq} of session ${JSON.stringify(this.id)}, is missing or damaged.`;
    this.#host.warn({ text, path: this.volume.path, counted: "missingBlobs" });
  }

  /** Counts stand after what they count, so those before the first of these places are of no use. */
  async #loadRecounts(places: readonly Place[]): Promise<void> {
    const { counts } = this.session;
    if (counts.length === 0 || places.length === 0) return;
    const recounts = this.session.recounts ?? new Recounts(counts.length);
    this.session.recounts = recounts;
    const firstOffset = Math.min(...[places[0], places.at(-1)].map((place) => place?.offset ?? 0));
    let from = recounts.fromIndex;
    while (from > 0 && (counts[from - 1]?.offset ?? 0) > firstOffset) from -= 1;
    const older = await this.#readCounts(counts.slice(from, recounts.fromIndex));
    for (const { counterId, counts: added } of older.toReversed()) recounts.take(counterId, added, { isOlder: true });
    const newer = await this.#readCounts(counts.slice(recounts.endIndex));
    for (const { counterId, counts: added } of newer) recounts.take(counterId, added);
    recounts.fromIndex = from;
    recounts.endIndex = counts.length;
  }

  async #readCounts(places: readonly Place[]) {
    const lines = await this.volume.readLines(places);
    // A line of counts that is damaged costs counting again, and nothing else.
    return lines.flatMap((line) => (line?.kind === "counts" ? [line] : []));
  }

  async #findHead(): Promise<Head | undefined> {
    const { head, lastEpochOffset } = this.session.facts;
    if (head === undefined || head.offset < lastEpochOffset) return undefined;
    const [line] = await this.volume.readLines([head]);
    return line?.kind === "head" ? line.head : this.volume.distrust();
  }

  /** The head's line is lost, or there never was one: the entries that are left say what it was. */
  async #foldHead(): Promise<Head> {
    const { parent, session } = this;
    if (parent === undefined && session.facts.lastEpochOffset < 0) return EMPTY_HEAD;
    const text = `The head of session ${JSON.stringify(this.id)} is lost and was folded again from its entries.`;
    this.#host.warn({ text, path: this.volume.path, counted: "rebuiltHeads" });
    const inherited = foldEntries(
      (await parent?.read({ throughSeq: session.facts.baseSeq }, { withLost: true })) ?? [],
    );
    const base = parent === undefined ? EMPTY_HEAD : { ...inherited, epoch: 0, undoable: [], redoable: [] };
    return foldEntries(await this.read({ afterSeq: session.facts.baseSeq }, { withLost: true }), base);
  }
}

export async function readHeader(
  volume: Volume,
  session: SessionIndex,
): Promise<{ readonly header: SessionHeader; readonly inheritedMessages: number }> {
  if (session.knownHeader !== undefined) return session.knownHeader;
  if (session.facts.header === undefined) {
    // Somebody else wrote the session, or its first line is lost: it began with its first entry.
    const id = await volume.idOf(session);
    return { header: { id, createdAt: session.facts.firstAt ?? 0 }, inheritedMessages: 0 };
  }
  const [line] = await volume.readLines([session.facts.header]);
  if (line?.kind !== "session") return volume.distrust();
  session.knownHeader = { header: line.header, inheritedMessages: line.inheritedMessages };
  return session.knownHeader;
}
