/** What is known of one session without reading its lines: where they stand, how many there are, and the newest fence. */
import type { SessionId } from "../../core/log/entry.ts";
import type { Head } from "../../core/log/head.ts";
import type { SessionHeader } from "../../ports/store.ts";
import { EntryColumns, type IndexedRun } from "./entry-columns.ts";
import type { LineRecord } from "./line-record.ts";
import type { Recounts } from "./recounts.ts";
import { isEntryKind, isEpochKind, LINE_KINDS, type LineKind, numberOfKind } from "./stored-line.ts";

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
  readonly runs: readonly IndexedRun[];
}

const MESSAGE = numberOfKind("message");

export class SessionIndex {
  facts: SessionFacts;
  readonly entries = new EntryColumns();
  /** Lines of counts, in order. */
  readonly counts: Place[] = [];
  /** Read from its lines when first asked for. */
  id: SessionId | undefined;
  knownHeader: { readonly header: SessionHeader; readonly inheritedMessages: number } | undefined;
  knownHead: Head | undefined;
  recounts: Recounts | undefined;

  constructor(idHash: number, anyLine: Place) {
    const numbers = { fence: 0, baseSeq: 0, ownMessages: 0, updatedAt: 0, lastTurn: 0, lastEpochOffset: -1 };
    this.facts = { ...numbers, idHash, anyLine };
  }

  static restore({ counts, runs, ...facts }: SessionState): SessionIndex {
    const session = new SessionIndex(facts.idHash, facts.anyLine);
    session.facts = facts;
    session.counts.push(...counts);
    session.entries.restore(runs);
    return session;
  }

  toState(): SessionState {
    return { ...this.facts, counts: this.counts, runs: this.entries.indexedRuns };
  }

  get lastSeq(): number {
    return this.facts.baseSeq + this.entries.count;
  }

  /** The place that the next entry takes. */
  get nextSeq(): number {
    return this.lastSeq + 1;
  }

  positionOf(seq: number): number {
    return seq - this.facts.baseSeq - 1;
  }

  /** Takes in a line. False where its place is taken by another. */
  apply(record: LineRecord): boolean {
    if (isEntryKind(record.kind)) return this.#applyEntry(record);
    this.#applyOther(LINE_KINDS[record.kind], record);
    return true;
  }

  #applyEntry(record: LineRecord): boolean {
    const { facts, entries } = this;
    const baseSeq = facts.header === undefined && entries.count === 0 ? record.seq - 1 : facts.baseSeq;
    if (record.seq <= baseSeq + entries.count) return false;
    while (record.seq > baseSeq + entries.count + 1) entries.pushHole();
    entries.push(record);
    const isMessage = record.kind === MESSAGE;
    this.facts = {
      ...facts,
      baseSeq,
      updatedAt: Math.max(facts.updatedAt, record.at),
      firstAt: facts.firstAt ?? record.at,
      lastTurn: Math.max(facts.lastTurn, record.turn),
      lastEpochOffset: isEpochKind(record.kind) ? record.offset : facts.lastEpochOffset,
      ownMessages: facts.ownMessages + (isMessage ? 1 : 0),
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
