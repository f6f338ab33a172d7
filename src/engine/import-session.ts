/**
 * Takes up a session that was exported. The lines are read twice: first all of them are checked and nothing is written,
 * then they are written in batches under a title that keeps the session out of sight until it is whole. Whoever ends in
 * between leaves nothing that anybody is shown, and the next import of the same session starts from nothing.
 */
import { PalimpsestError } from "../core/errors.ts";
import { type Entry, type EntryDraft, movesEpoch, type SessionId } from "../core/log/entry.ts";
import { foldEntry } from "../core/log/fold-entry.ts";
import { EMPTY_HEAD, type Head } from "../core/log/head.ts";
import type { TenantStore } from "../ports/store.ts";
import { damaged, type ExportHeader, LineSum, readEnd, readEntry, readHeader, readRecord } from "./export-format.ts";
import { IMPORTING } from "./list-sessions.ts";

type Lines = Iterable<string> | AsyncIterable<string>;

/** Lines with or without their newlines. What can be read only once is kept in memory meanwhile; a function is not. */
export type LineSource = Lines | (() => Lines);

export interface ImportOptions {
  /** The session's id here; the one that it was exported with otherwise. */
  readonly id?: SessionId | undefined;
}

export interface Imported {
  readonly sessionId: SessionId;
  readonly entries: number;
  readonly messages: number;
}

const BATCH_ENTRIES = 100;
const BATCH_CHARACTERS = 1_000_000;

export async function importSession(store: TenantStore, source: LineSource, options: ImportOptions): Promise<Imported> {
  const read = await makeReadable(source);
  const checked = await checkAll(read());
  const id = options.id ?? checked.header.session.id;
  await makeRoom(store, id);
  const { title, createdAt } = checked.header.session;
  const base = checked.movesEpoch ? EMPTY_HEAD : baseOf(checked.header);
  const created = await store.createSession({ id, title: IMPORTING, createdAt }, base);
  if (created === "exists") throw sessionExists(id);
  try {
    await writeAll(store, id, { lines: read(), header: checked.header });
    await store.renameSession(id, title);
  } catch (error) {
    // Where this fails too, the session stays out of sight.
    await store.deleteSession(id).catch(() => false);
    throw error;
  }
  return { sessionId: id, entries: checked.entries, messages: checked.messages };
}

async function makeReadable(source: LineSource): Promise<() => Lines> {
  if (typeof source === "function") return source;
  if (Array.isArray(source)) return () => source;
  const lines: string[] = [];
  for await (const line of source) lines.push(line);
  return () => lines;
}

interface Checked {
  readonly header: ExportHeader;
  readonly entries: number;
  readonly messages: number;
  /** Whether any entry moves the epoch: the head then comes with it. */
  readonly movesEpoch: boolean;
}

/** Reads to the end and folds as the writing will, so that what is broken is found before anything is written. */
async function checkAll(lines: Lines): Promise<Checked> {
  const ids = new Set<string>();
  const folding = new Folding();
  let messages = 0;
  const reading = readExport(lines);
  for (;;) {
    const { done, value } = await reading.next();
    if (done === true) return { ...value, messages, movesEpoch: folding.movesEpoch };
    const { entry, lineNumber, header } = value;
    if (ids.has(entry.id)) throw damaged(lineNumber, `there are two entries ${JSON.stringify(entry.id)}`);
    ids.add(entry.id);
    if (entry.type === "message") messages += 1;
    folding.check(entry, { header, lineNumber });
  }
}

class Folding {
  head: Head = EMPTY_HEAD;
  movesEpoch = false;

  check(entry: Entry, { header, lineNumber }: { readonly header: ExportHeader; readonly lineNumber: number }): void {
    this.movesEpoch ||= movesEpoch(entry);
    if (header.session.fork !== undefined) return;
    if (movesEpoch(entry) && entry.epoch <= this.head.epoch) {
      throw damaged(lineNumber, `an epoch after ${this.head.epoch} should follow, and it is ${entry.epoch}`);
    }
    try {
      this.head = foldEntry(this.head, entry);
    } catch (error) {
      throw damaged(lineNumber, "the entry lacks what entries of its kind have", error);
    }
  }
}

interface ReadEntry {
  readonly entry: Entry;
  readonly header: ExportHeader;
  readonly lineNumber: number;
  readonly characters: number;
}

/** Entries in order; at the end what was said of them all, once that holds. */
async function* readExport(
  lines: Lines,
): AsyncGenerator<ReadEntry, { readonly header: ExportHeader; readonly entries: number }, undefined> {
  const sum = new LineSum();
  let header: ExportHeader | undefined;
  let [lineNumber, entries] = [0, 0];
  let isEnded = false;
  for await (const raw of lines) {
    const line = raw.replace(/\r?\n$/, "");
    lineNumber += 1;
    if (isEnded && line !== "") throw damaged(lineNumber, "something follows the end");
    if (isEnded) continue;
    const value = readRecord(line, lineNumber);
    const end = header && readEnd(value);
    if (header === undefined) {
      header = readHeader(value);
    } else if (end === undefined) {
      entries += 1;
      const entry = readEntry(value, { lineNumber, seq: entries });
      yield { entry, header, lineNumber, characters: line.length };
    } else if (end.entries !== entries) {
      throw damaged(lineNumber, `it counts ${end.entries} entries, and there are ${entries}`);
    } else if (end.sha256 !== sum.digest()) {
      throw damaged(lineNumber, "its checksum does not match the lines before it");
    } else {
      isEnded = true;
    }
    sum.add(line);
  }
  if (header === undefined || !isEnded) throw damaged(lineNumber + 1, "the file ends before its last line");
  return { header, entries };
}

/** What an import left that ended in the middle makes room; anything else stays. */
async function makeRoom(store: TenantStore, id: SessionId): Promise<void> {
  const found = await store.findSession(id);
  if (found === undefined) return;
  if (found.header.title !== IMPORTING || !(await store.deleteSession(id))) throw sessionExists(id);
}

function sessionExists(id: SessionId): PalimpsestError {
  const text = `import: there is a session ${JSON.stringify(id)} already; give the import another id.`;
  return new PalimpsestError("session-exists", text);
}

interface Writing {
  readonly lines: Lines;
  readonly header: ExportHeader;
}

async function writeAll(store: TenantStore, id: SessionId, { lines, header }: Writing): Promise<void> {
  let [head, batch, characters]: [Head, Entry[], number] = [EMPTY_HEAD, [], 0];
  let epoch = 0;
  const flush = async () => {
    const last = batch.at(-1);
    if (last === undefined) return;
    const guard = batch.some(movesEpoch) ? { expect: { epoch }, head: header.head ?? head } : {};
    const outcome = await store.append(id, { entries: batch.map(draftOf), ...guard });
    if (outcome.type !== "appended" || outcome.lastSeq !== last.seq) throw disturbed(id);
    epoch = guard.head?.epoch ?? epoch;
    [batch, characters] = [[], 0];
  };
  for await (const read of readExport(lines)) {
    head = header.head === undefined ? foldEntry(head, read.entry) : head;
    batch.push(read.entry);
    characters += read.characters;
    if (batch.length >= BATCH_ENTRIES || characters >= BATCH_CHARACTERS) await flush();
  }
  await flush();
}

/** The store gives it the same place again, because the log has no gaps. */
function draftOf({ seq: _seq, ...draft }: Entry): EntryDraft {
  return draft as EntryDraft;
}

function disturbed(id: SessionId): PalimpsestError {
  const text = `import: somebody else wrote to the session ${JSON.stringify(id)} at the same time; import it again.`;
  return new PalimpsestError("store-conflict", text);
}

/** What a fork without changes of its own owes to its parent. What was said is folded in again when it is read. */
function baseOf({ head }: ExportHeader): Head {
  if (head === undefined) return EMPTY_HEAD;
  const { summary, truncation, clearedThroughSeq, preambleClearedThroughSeq, keptRequests, pins, prunes } = head;
  const view = { summary, truncation, clearedThroughSeq, preambleClearedThroughSeq, keptRequests, pins, prunes };
  return { ...EMPTY_HEAD, ...view, calibration: head.calibration };
}
