/** What is known of one session without reading its lines: where they stand, how many there are, and the newest fence. */
import type { SessionId } from "../../core/log/entry.ts";
import type { Head } from "../../core/log/head.ts";
import type { SessionHeader } from "../../ports/store.ts";
import { EntryColumns, type IndexedRun } from "./entry-columns.ts";
import type { LineRecord } from "./line-record.ts";
import { lostRole, UNKNOWN_LOST } from "./lost-line.ts";
import type { Recounts } from "./recounts.ts";
import { HOLE, isEntryKind, isEpochKind, LINE_KINDS, type LineKind, numberOfKind } from "./stored-line.ts";

export interface Place {
  readonly offset: number;
  readonly length: number;
}

interface SessionFacts {
  readonly idHash: number;
  /** Any line of this session: it says whose it is. */
  readonly anyLine: Place;
  /** Where the newest line of each of these stands. */
  readonly header?: Place | undefined;
  readonly head?: Place | undefined;
  readonly lease?: Place | undefined;
  readonly fence: number;
  /** Entries up to here are the parent's. */
  readonly baseSeq: number;
  readonly ownMessages: number;
  readonly updatedAt: number;
  readonly firstAt?: number | undefined;
  readonly firstMessageSeq?: number | undefined;
  readonly lastTurn: number;
  /** The newest entry that moved the epoch. Its head stands after it, unless that line is lost. */
  readonly lastEpochOffset: number;
}

/** As the index keeps it. */
export interface SessionState extends SessionFacts {
  readonly counts: readonly Place[];
  readonly lost: readonly number[];
  readonly runs: readonly IndexedRun[];
}

const MESSAGE = numberOfKind("message");

export class SessionIndex {
  facts: SessionFacts;
  readonly entries = new EntryColumns();
  /** Lines of counts, in order. */
  readonly counts: Place[] = [];
  /** Kinds of the damaged lines after the last entry that could be read: each has taken a place. */
  readonly lost: number[] = [];
  /** Read from its lines when first asked for. */
  id: SessionId | undefined;
  knownHeader: { readonly header: SessionHeader; readonly inheritedMessages: number } | undefined;
  knownHead: Head | undefined;
  recounts: Recounts | undefined;

  constructor(idHash: number, anyLine: Place) {
    const numbers = { fence: 0, baseSeq: 0, ownMessages: 0, updatedAt: 0, lastTurn: 0, lastEpochOffset: -1 };
    this.facts = { ...numbers, idHash, anyLine };
  }

  static restore({ counts, lost, runs, ...facts }: SessionState): SessionIndex {
    const session = new SessionIndex(facts.idHash, facts.anyLine);
    session.facts = facts;
    session.counts.push(...counts);
    session.lost.push(...lost);
    session.entries.restore(runs);
    return session;
  }

  toState(): SessionState {
    return { ...this.facts, counts: this.counts, lost: this.lost, runs: this.entries.indexedRuns };
  }

  get lastSeq(): number {
    return this.facts.baseSeq + this.entries.count + this.lost.length;
  }

  /** The place that the next entry takes. */
  get nextSeq(): number {
    return this.lastSeq + 1;
  }

  /** Its own messages, with those that cannot be read. */
  get messageCount(): number {
    return this.facts.ownMessages + countLost(this.lost);
  }

  positionOf(seq: number): number {
    return seq - this.facts.baseSeq - 1;
  }

  /** The number of the kind at a place whose columns are loaded; see `LINE_KINDS`. */
  kindAt(seq: number): number {
    const { entries, lost } = this;
    const position = this.positionOf(seq);
    return position < entries.count ? entries.kindAt(position) : (lost[position - entries.count] ?? HOLE);
  }

  /** A damaged line stands after everything else. */
  lose(kind: number): void {
    this.lost.push(kind);
  }

  /** Takes in a line. False where its place is taken by another. */
  apply(record: LineRecord): boolean {
    if (isEntryKind(record.kind)) return this.#applyEntry(record);
    this.#applyOther(LINE_KINDS[record.kind], record);
    return true;
  }

  #applyEntry(record: LineRecord): boolean {
    const { facts, entries } = this;
    // Without its first line nobody knows where a session begins: with its first entry, or with what is lost before it.
    const firstSeq = Math.max(1, record.seq - this.lost.length);
    const baseSeq = facts.header === undefined && entries.count === 0 ? firstSeq - 1 : facts.baseSeq;
    if (record.seq <= baseSeq + entries.count) return false;
    const gap = record.seq - baseSeq - entries.count - 1;
    const lost = Array.from({ length: gap }, (_, index) => this.lost[index] ?? UNKNOWN_LOST);
    this.lost.length = 0;
    for (const kind of lost) entries.pushHole(kind);
    entries.push(record);
    const isMessage = record.kind === MESSAGE;
    this.facts = {
      ...facts,
      baseSeq,
      updatedAt: Math.max(facts.updatedAt, record.at),
      firstAt: facts.firstAt ?? record.at,
      lastTurn: Math.max(facts.lastTurn, record.turn),
      lastEpochOffset: isEpochKind(record.kind) ? record.offset : facts.lastEpochOffset,
      ownMessages: facts.ownMessages + countLost(lost) + (isMessage ? 1 : 0),
      firstMessageSeq: facts.firstMessageSeq ?? (isMessage ? record.seq : undefined),
    };
    return true;
  }

  #applyOther(kind: LineKind | undefined, { offset, length, at, seq }: LineRecord): void {
    const { facts, entries } = this;
    const place = { offset, length };
    if (kind === "session") {
      const baseSeq = entries.count === 0 ? seq : facts.baseSeq;
      this.facts = { ...facts, header: place, baseSeq, updatedAt: Math.max(facts.updatedAt, at) };
      this.knownHeader = undefined;
    } else if (kind === "head") {
      this.facts = { ...facts, head: place };
      this.knownHead = undefined;
    } else if (kind === "lease") this.facts = { ...facts, lease: place, fence: Math.max(facts.fence, seq) };
    else if (kind === "counts") this.counts.push(place);
  }
}

function countLost(kinds: readonly number[]): number {
  return kinds.filter((kind) => lostRole(kind) !== undefined).length;
}
