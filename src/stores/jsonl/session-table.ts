/** The sessions of one file, as its lines or the index beside it tell them. */
import type { SessionId } from "../../core/log/entry.ts";
import type { EntryColumns } from "./entry-columns.ts";
import { hashId } from "./hash-id.ts";
import { describeLine } from "./line-facts.ts";
import { type Place, SessionIndex } from "./session-index.ts";
import type { StoredLine } from "./stored-line.ts";
import type { IndexState, VolumeIndex } from "./volume-index.ts";

export class SessionTable {
  readonly sessions: SessionIndex[] = [];
  readonly #byHash = new Map<number, SessionIndex[]>();
  /** Lines that cannot be read. */
  readonly #holes: Place[] = [];
  #last: IndexState["last"] = { offset: 0, length: 0, idHash: 0 };
  #columnBytes = 0;
  /** Up to here the index knows the file. */
  indexedEnd = 0;
  unindexedLines = 0;

  static restore(state: IndexState): SessionTable {
    const table = new SessionTable();
    for (const session of state.sessions) table.#add(SessionIndex.restore(session));
    table.#holes.push(...state.holes);
    table.#last = state.last;
    table.#columnBytes = state.columnBytes;
    table.indexedEnd = state.end;
    return table;
  }

  /** Those that may have this id: nearly always none or one. */
  candidates(id: SessionId): readonly SessionIndex[] {
    return this.#byHash.get(hashId(id)) ?? [];
  }

  /** False where the place of the line is taken. */
  apply(line: StoredLine, place: Place): boolean {
    const { sessionId } = line;
    const known = this.candidates(sessionId).find(({ id }) => id === undefined || id === sessionId);
    const session = known ?? this.#add(new SessionIndex(hashId(sessionId), place));
    session.id = sessionId;
    const record = { ...place, ...describeLine(line, { nextSeq: session.nextSeq, offset: place.offset }) };
    if (!session.apply(record)) return false;
    this.#last = { ...place, idHash: record.idHash };
    this.unindexedLines += 1;
    return true;
  }

  /** With what the line seems to have been, where it took a place in a session that has the file for itself. */
  addHole(place: Place, lostKind?: number | undefined): void {
    this.#holes.push(place);
    this.unindexedLines += 1;
    const [session, ...others] = this.sessions;
    if (lostKind !== undefined && others.length === 0) session?.lose(lostKind);
  }

  /** Brings the index up to `end`. */
  async save(index: VolumeIndex, end: number): Promise<void> {
    const added: { readonly entries: EntryColumns; readonly bytes: Buffer }[] = [];
    let columnBytes = this.#columnBytes;
    for (const { entries } of this.sessions) {
      const bytes = entries.encodeNew();
      if (bytes === undefined) continue;
      entries.markIndexed({ at: columnBytes, bytes });
      added.push({ entries, bytes });
      columnBytes += bytes.length;
    }
    const sessions = this.sessions.map((session) => session.toState());
    const state = { end, last: this.#last, columnBytes, holes: this.#holes, sessions };
    try {
      await index.save(state, { columns: Buffer.concat(added.map(({ bytes }) => bytes)), at: this.#columnBytes });
    } catch (error) {
      for (const { entries } of added) entries.markIndexed(undefined);
      throw error;
    }
    this.#columnBytes = columnBytes;
    this.indexedEnd = end;
    this.unindexedLines = 0;
  }

  #add(session: SessionIndex): SessionIndex {
    this.sessions.push(session);
    const { idHash } = session.facts;
    this.#byHash.set(idHash, [...(this.#byHash.get(idHash) ?? []), session]);
    return session;
  }
}
