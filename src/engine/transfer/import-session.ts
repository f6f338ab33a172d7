/**
 * Takes up a session that was exported. The lines are read twice: first all of them are checked and nothing is written,
 * then they are written in batches under a title that keeps the session out of sight until it is whole. Whoever ends in
 * between leaves nothing that anybody is shown, and the next import of the same session starts from nothing. How many
 * tokens a message has is counted here: a file may say anything.
 */

import { checkOptions, ID } from "../../core/check-options.ts";
import { type Entry, type EntryDraft, movesEpoch, type SessionId } from "../../core/log/entry.ts";
import { addCounts, foldEntry } from "../../core/log/fold-entry.ts";
import { EMPTY_HEAD, type Head } from "../../core/log/head.ts";
import type { EngineContext } from "../context/engine-context.ts";
import type { MessageCounts } from "../context/message-counts.ts";
import { loadCounts } from "../context/prompt-size.ts";
import { runInSteps } from "../context/run-in-steps.ts";
import { LogCheck } from "./check-log.ts";
import { claimImport, disturbed, type ImportClaim } from "./claim-import.ts";
import { damaged, type ExportHeader, LineSum, readEnd, readEntry, readHeader, readRecord } from "./export-format.ts";
import { type Pieces, splitLines } from "./split-lines.ts";

type Lines = Iterable<string> | AsyncIterable<string>;

/**
 * What an export gave: lines with or without their newlines, the whole text, or pieces of it that end anywhere, as
 * texts or bytes. What can be read only once is kept in memory meanwhile; what a function gives is not, and it is
 * called twice.
 */
export type LineSource = Pieces | (() => Pieces | Promise<Pieces>);

export interface ImportOptions {
  /** The session's id here; the one that it was exported with otherwise. */
  readonly id?: SessionId | undefined;
}

export interface Imported {
  readonly sessionId: SessionId;
  readonly entries: number;
  readonly messages: number;
}

export const IMPORT_RULES = { id: ID };

const BATCH_ENTRIES = 100;
const BATCH_CHARACTERS = 1_000_000;

export async function importSession(
  context: EngineContext,
  source: LineSource,
  options: ImportOptions,
): Promise<Imported> {
  const read = await makeReadable(source);
  const checked = await readAll(read(), async () => undefined);
  const { header, entries, messages } = checked;
  const counts = await loadCounts(context, {});
  const id = options.id ?? header.session.id;
  const claim = await claimImport(context, { id, createdAt: header.session.createdAt });
  try {
    const batches = new Batches(context.store, { id, claim, base: readInherited(header) });
    const written = await readAll(read(), async (each) =>
      batches.add(await recount(each.entry, counts), each.characters),
    );
    if (written.sum !== checked.sum) throw damaged(1, "the file has changed while it was read");
    await batches.end();
    await claim.finish(header.session.title);
  } catch (error) {
    await claim.abandon();
    throw error;
  }
  return { sessionId: id, entries, messages };
}

/** Whether an export can be imported, before there is anything to import it into; what it gives can be read again. */
export async function checkExport(source: LineSource, options: ImportOptions): Promise<LineSource> {
  checkOptions(options, IMPORT_RULES, "importSession");
  const read = await makeReadable(source);
  await readAll(read(), async () => undefined);
  return typeof source === "function" ? source : read;
}

export async function makeReadable(source: LineSource): Promise<() => Lines> {
  if (typeof source === "function") return () => splitLines(source());
  const lines: string[] = [];
  for await (const line of splitLines(source)) lines.push(line);
  return () => lines;
}

interface Checked {
  readonly header: ExportHeader;
  readonly sum: string;
  readonly entries: number;
  readonly messages: number;
}

/** Reads to the end, and checks what each entry is and what they are together before it hands one on. */
async function readAll(lines: Lines, take: (read: ReadEntry) => Promise<void>): Promise<Checked> {
  const check = new LogCheck();
  const reading = readExport(lines);
  for (;;) {
    const { done, value } = await reading.next();
    if (done === true) {
      check.end(value.header);
      return { ...value, messages: check.messages };
    }
    check.take(value.entry, value);
    await take(value);
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
): AsyncGenerator<ReadEntry, Pick<Checked, "header" | "entries" | "sum">, undefined> {
  const sum = new LineSum();
  let header: ExportHeader | undefined;
  let [lineNumber, entries] = [0, 0];
  let isEnded = false;
  for await (const raw of lines) {
    const line = raw.replace(/\r$/, "");
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
  return { header, entries, sum: sum.digest() };
}

/** An erased message cannot be counted any more; its figure is in no prompt. */
async function recount(entry: Entry, counts: MessageCounts): Promise<Entry> {
  if (entry.type !== "message") return entry;
  const { recounts: _recounts, ...rest } = entry;
  if (entry.erased === true) return rest;
  await runInSteps(counts.countInSteps(entry.message));
  return { ...rest, tokens: { [counts.id]: counts.count(entry.message) } };
}

interface BatchesOptions {
  readonly id: SessionId;
  readonly claim: ImportClaim;
  /** The head that a fork brings along; that of another session is the fold of its entries. */
  readonly base: Head | undefined;
}

/** What is written together, with the head after it. */
class Batches {
  readonly #store: EngineContext["store"];
  readonly #options: BatchesOptions;
  #head: Head = EMPTY_HEAD;
  /** Tokens of the messages that the head of a fork sums up, by counter. */
  #totals: Head["totals"] = {};
  #epoch = 0;
  #entries: Entry[] = [];
  #characters = 0;

  constructor(store: EngineContext["store"], options: BatchesOptions) {
    this.#store = store;
    this.#options = options;
  }

  async add(entry: Entry, characters: number): Promise<void> {
    const { base } = this.#options;
    if (base === undefined) this.#head = foldEntry(this.#head, entry);
    else if (entry.type === "message" && entry.seq <= base.foldedThroughSeq) {
      this.#totals = addCounts(this.#totals, entry.tokens);
    }
    this.#entries.push(entry);
    this.#characters += characters;
    if (this.#entries.length >= BATCH_ENTRIES || this.#characters >= BATCH_CHARACTERS) await this.flush();
  }

  async flush(): Promise<void> {
    const last = this.#entries.at(-1);
    if (last === undefined) return;
    const { id, claim, base } = this.#options;
    const head = base ?? this.#head;
    const expect = { epoch: this.#epoch, fence: claim.fence };
    const guard = this.#entries.some(movesEpoch) ? { expect, head } : {};
    await claim.assertHeld();
    const outcome = await this.#store.append(id, { entries: this.#entries.map(draftOf), ...guard });
    if (outcome.type !== "appended" || outcome.lastSeq !== last.seq) throw disturbed(id);
    this.#epoch = guard.head?.epoch ?? this.#epoch;
    [this.#entries, this.#characters] = [[], 0];
  }

  /** Writes the rest. A fork has its head even where no entry moves the epoch. */
  async end(): Promise<void> {
    await this.flush();
    const { id, claim, base } = this.#options;
    if (base === undefined) return;
    await claim.assertHeld();
    // Messages were counted again, so the sums of the file do not hold here.
    await this.#store.append(id, { entries: [], head: { ...base, totals: this.#totals } });
  }
}

/** The store gives it the same place again, because the log has no gaps. */
function draftOf({ seq: _seq, ...draft }: Entry): EntryDraft {
  return draft as EntryDraft;
}

/** The head of a fork: what it owes to its parent is in no entry, and it stands alone from now on. */
function readInherited({ head, session }: ExportHeader): Head | undefined {
  return head && { ...head, importedFork: session.fork };
}
