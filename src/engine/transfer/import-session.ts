/** Imports an exported session: checks all lines, then writes them to a session that is hidden until complete. */
import { checkArgument, checkOptions, NEW_ID } from "../../core/check-options.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { type Entry, type EntryDraft, movesEpoch, type SessionId } from "../../core/log/entry.ts";
import { addCounts, foldEntry } from "../../core/log/fold-entry.ts";
import { EMPTY_HEAD, type Head } from "../../core/log/head.ts";
import { runInSteps } from "../../ports/run-in-steps.ts";
import type { EngineContext } from "../context/engine-context.ts";
import type { MessageCounts } from "../context/message-counts.ts";
import { loadCounts } from "../context/prompt-request.ts";
import { HOLD_MESSAGES } from "../session/change-view.ts";
import { claimImport, createImportConflict, type ImportClaim } from "./claim-import.ts";
import {
  createLineError,
  type ExportHeader,
  LineSum,
  readEnd,
  readEntry,
  readHeader,
  readRecord,
} from "./export-format.ts";
import { type LinePieces, splitLines } from "./split-lines.ts";

export type Lines = Iterable<string> | AsyncIterable<string>;

/** An export: lines, text, bytes or chunks, which are kept in memory, or a function that is called twice. */
export type LineSource = LinePieces | (() => LinePieces | Promise<LinePieces>);

/** The id of the imported session. */
export interface ImportOptions {
  readonly id?: SessionId | undefined;
}

/** The imported session, and how many messages it has. */
export interface ImportResult {
  readonly sessionId: SessionId;
  readonly entries: number;
  readonly messages: number;
}

export const IMPORT_RULES = { id: NEW_ID };

const BATCH_ENTRIES = 100;
const BATCH_CHARACTERS = 1_000_000;

export async function importSession(
  context: EngineContext,
  source: LineSource,
  options: ImportOptions,
): Promise<ImportResult> {
  const read = await makeReadable(source);
  const checked = await readAll(read(), async () => undefined);
  const { header, entries, messages } = checked;
  assertImportSize(context, messages);
  const counts = await loadCounts(context, {});
  const id = options.id ?? header.session.id;
  checkArgument(id, NEW_ID, "importSession: id of the session");
  const claim = await claimImport(context, { id, createdAt: header.session.createdAt });
  try {
    const base = header.head && { ...header.head, importedFork: header.session.fork };
    const batches = new Batches(context.store, { id, claim, base });
    const written = await readAll(read(), async (each) =>
      batches.add(await recount(each.entry, counts), each.characters),
    );
    if (written.sum !== checked.sum) throw createLineError(1, "the file has changed while it was read");
    await batches.end();
    await claim.finish(header.session.title);
  } catch (error) {
    await claim.abandon();
    throw error;
  }
  return { sessionId: id, entries, messages };
}

/** Checks an export before an import. Returns a source that can be read again. */
export async function checkExport(source: LineSource, options: ImportOptions): Promise<LineSource> {
  checkOptions(options, IMPORT_RULES, "importSession");
  const read = await makeReadable(source);
  await readAll(read(), async () => undefined);
  return typeof source === "function" ? source : read;
}

export function assertImportSize({ limits }: Pick<EngineContext, "limits">, messages: number): void {
  if (messages <= limits.importMessages) return;
  const setting = "limits.importMessages, or --import-messages of palimpsest serve";
  const text = `An import may have at most ${limits.importMessages} messages, and this one has more.`;
  throw new PalimpsestError("limit-exceeded", `${text} Split it, or raise the limit: ${setting}.`);
}

export async function makeReadable(source: LineSource): Promise<() => Lines> {
  if (typeof source === "function") return () => splitLines(source());
  const lines: string[] = [];
  for await (const line of splitLines(source)) lines.push(line);
  return () => lines;
}

interface CheckResult {
  readonly header: ExportHeader;
  readonly sum: string;
  readonly entries: number;
  readonly messages: number;
}

async function readAll(lines: Lines, take: (read: ReadEntry) => Promise<void>): Promise<CheckResult> {
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

async function* readExport(
  lines: Lines,
): AsyncGenerator<ReadEntry, Pick<CheckResult, "header" | "entries" | "sum">, undefined> {
  const sum = new LineSum();
  let header: ExportHeader | undefined;
  let [lineNumber, entries] = [0, 0];
  let isEnded = false;
  for await (const raw of lines) {
    const line = raw.replace(/\r$/, "");
    lineNumber += 1;
    if (isEnded && line !== "") throw createLineError(lineNumber, "there are lines after the end");
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
      throw createLineError(lineNumber, `it counts ${end.entries} entries, but there are ${entries}`);
    } else if (end.sha256 !== sum.digest()) {
      throw createLineError(lineNumber, "its checksum does not match the lines before it");
    } else {
      isEnded = true;
    }
    sum.add(line);
  }
  if (header === undefined || !isEnded) throw createLineError(lineNumber + 1, "the file ends before its last line");
  return { header, entries, sum: sum.digest() };
}

/** Counts again, because figures of a file cannot be trusted. An erased message keeps its count. */
async function recount(entry: Entry, counts: MessageCounts): Promise<Entry> {
  if (entry.type !== "message") return entry;
  const { recounts: _recounts, ...rest } = entry;
  if (entry.erased === true) return rest;
  return { ...rest, tokens: { [counts.id]: await runInSteps(counts.measureInSteps(entry.message)) } };
}

interface BatchesOptions {
  readonly id: SessionId;
  readonly claim: ImportClaim;
  readonly base: Head | undefined;
}

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
    const outcome = await this.#store.append(id, { entries: this.#entries.map(dropSeq), ...guard });
    if (outcome.type !== "appended" || outcome.lastSeq !== last.seq) throw createImportConflict(id);
    this.#epoch = guard.head?.epoch ?? this.#epoch;
    [this.#entries, this.#characters] = [[], 0];
  }

  /** Writes the rest. A fork gets its head even if no entry moves the epoch. */
  async end(): Promise<void> {
    await this.flush();
    const { id, claim, base } = this.#options;
    if (base === undefined) return;
    await claim.assertHeld();
    // Messages were counted again, so the sums of the file are not used.
    await this.#store.append(id, { entries: [], head: { ...base, totals: this.#totals } });
  }
}

/** Drops the seq: the store assigns the same one again, because the log has no gaps. */
function dropSeq({ seq: _seq, ...draft }: Entry): EntryDraft {
  return draft as EntryDraft;
}

export class LogCheck {
  messages = 0;
  readonly #ids = new Set<string>();
  /** The epoch of the session's own changes, without those of a fork's parent. */
  #epoch = 0;
  #lostSinceEpoch = 0;
  #lost = 0;
  #seq = 0;
  /** Messages that a fork's head has folded in. */
  #folded = 0;

  take(entry: Entry, { header, lineNumber }: { readonly header: ExportHeader; readonly lineNumber: number }): void {
    if (this.#ids.has(entry.id)) throw createLineError(lineNumber, `there are two entries ${JSON.stringify(entry.id)}`);
    this.#ids.add(entry.id);
    this.#seq = entry.seq;
    if (isLost(entry)) [this.#lost, this.#lostSinceEpoch] = [this.#lost + 1, this.#lostSinceEpoch + 1];
    if (entry.type === "message") {
      this.messages += 1;
      if (entry.seq <= (header.head?.foldedThroughSeq ?? 0)) this.#folded += 1;
    }
    if (!movesEpoch(entry)) return;
    if (entry.type === "undo" && entry.holdThroughCount > this.messages + this.#lost + HOLD_MESSAGES) {
      throw createLineError(
        lineNumber,
        `its hold ends after message ${entry.holdThroughCount}, but there are ${this.messages}`,
      );
    }
    if (entry.seq > (header.session.fork?.atSeq ?? 0)) this.#step(entry.epoch, lineNumber);
  }

  end({ session, head }: ExportHeader): void {
    if (session.fork === undefined || head === undefined) return;
    if (session.fork.atSeq > this.#seq)
      throw createLineError(1, `it forks at seq ${session.fork.atSeq}, but the last seq is ${this.#seq}`);
    const wrong = this.#findWrong(head);
    if (wrong !== undefined) throw createLineError(1, `head.${wrong} does not match the entries`);
  }

  #step(epoch: number, lineNumber: number): void {
    const [least, most] = [this.#epoch + 1, this.#epoch + 1 + this.#lostSinceEpoch];
    if (epoch < least || epoch > most) throw createLineError(lineNumber, `expected epoch ${least}, found ${epoch}`);
    [this.#epoch, this.#lostSinceEpoch] = [epoch, 0];
  }

  #findWrong({ foldedThroughSeq, epoch, messageCount, holdThroughCount, completedEpoch }: Head): string | undefined {
    const isAbout = (value: number, known: number) => value >= known && value <= known + this.#lost;
    if (foldedThroughSeq > this.#seq) return "foldedThroughSeq";
    if (!isAbout(epoch, this.#epoch)) return "epoch";
    if (!isAbout(messageCount, this.#folded)) return "messageCount";
    if (completedEpoch > epoch) return "completedEpoch";
    return holdThroughCount > this.messages + this.#lost + HOLD_MESSAGES ? "holdThroughCount" : undefined;
  }
}

function isLost({ id, seq }: Entry): boolean {
  return id === `lost-${seq}` || id === `unreadable-${seq}`;
}
