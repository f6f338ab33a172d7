/**
 * One file of lines with the sessions in it and the index beside it. Whoever uses it does so under its `serial`, after
 * `refresh`; nothing here waits for anybody else. Readers of other processes follow the file as it grows.
 */
import type { SessionId } from "../../core/log/entry.ts";
import type { BlobBox } from "../blobs/blob.ts";
import { decodeLineAt, decodeWhole, encodeLines } from "./coded-lines.ts";
import type { ReadIndex } from "./entry-columns.ts";
import { hashOfLine, requireKnownFormat } from "./line-facts.ts";
import { type FileStamp, LineFile } from "./line-file.ts";
import { onMedium, removedError } from "./medium-error.ts";
import { nextRun } from "./next-run.ts";
import { readBatches, type ScannedBatch } from "./read-batches.ts";
import { rewriteLines } from "./rewrite-lines.ts";
import { Serial } from "./serial.ts";
import type { Place, SessionIndex } from "./session-index.ts";
import { SessionTable } from "./session-table.ts";
import type { LineCodec, StoredLine } from "./stored-line.ts";
import { VolumeChanged } from "./volume-changed.ts";
import type { VolumeHost } from "./volume-host.ts";
import { type IndexState, removeFile, VolumeIndex } from "./volume-index.ts";
import { VolumeReport } from "./volume-report.ts";

/** Files shorter than this are read faster than an index beside them. */
const SMALLEST_INDEXED_BYTES = 2 ** 16;
/** So much of a file may be without an index: it is read again when the file is opened. */
const UNINDEXED_BYTES = 2 ** 18;
const UNINDEXED_LINES = 1_024;

export interface VolumeOptions {
  readonly path: string;
  /** Of the index beside it, without an extension. */
  readonly indexPath: string;
  readonly codec: LineCodec;
  readonly blobs: BlobBox;
  readonly host: VolumeHost;
}

export class Volume {
  readonly path: string;
  readonly blobs: BlobBox;
  readonly serial = new Serial();
  readonly #index: VolumeIndex;
  readonly #codec: LineCodec;
  readonly #host: VolumeHost;
  readonly #report: VolumeReport;
  readonly #file: LineFile;
  #table = new SessionTable();
  #stamp: FileStamp | undefined;
  /** Where the last whole batch ends. */
  #end = 0;
  /** Bytes after it when the file was last looked at. */
  #tailBytes = 0;
  #needsNewline = false;
  #isFollowed = false;
  /** An append failed and could not be cut away: what stands there counts for nothing. */
  #hasLeftover = false;
  /** The index was found wrong, and nobody has made it again yet. */
  #ignoresIndex = false;

  constructor({ path, indexPath, codec, blobs, host }: VolumeOptions) {
    this.path = path;
    this.blobs = blobs;
    this.#index = new VolumeIndex(indexPath);
    this.#codec = codec;
    this.#host = host;
    this.#report = new VolumeReport(path, host);
    const onSyncFailure = (error: unknown) => this.#report.undurable(error);
    this.#file = new LineFile({ path, fsync: host.fsync, onSyncFailure });
  }

  get exists(): boolean {
    return this.#stamp !== undefined;
  }

  /** How much the index takes in memory. */
  get entryCount(): number {
    return this.#table.sessions.reduce((sum, { entries }) => sum + entries.count, 0);
  }

  /** Columns of the index; see `EntryColumns`. */
  get readIndex(): ReadIndex {
    return this.#index.read;
  }

  get sessions(): readonly SessionIndex[] {
    return this.#table.sessions;
  }

  /** Takes in what was written since. The one writer knows its own lines and asks nobody. */
  async refresh(): Promise<void> {
    if (this.#isFollowed && this.#host.isWriter) return;
    const stamp = await this.#file.findStamp();
    if (stamp === undefined) await this.#forget();
    else if (this.#stamp?.inode !== stamp.inode || stamp.size < this.#end) await this.#load(stamp);
    else await this.#catchUp(stamp);
    this.#isFollowed = this.#host.isWriter;
  }

  async findSession(id: SessionId): Promise<SessionIndex | undefined> {
    for (const session of this.#table.candidates(id)) {
      if ((await this.idOf(session)) === id) return session;
    }
    return undefined;
  }

  async idOf(session: SessionIndex): Promise<SessionId> {
    if (session.id === undefined) {
      const [line] = await this.readLines([session.facts.anyLine]);
      session.id = line?.sessionId ?? (await this.distrust());
    }
    return session.id;
  }

  /** In the order asked for. A line that is not what the index says makes the volume read anew, once. */
  async readLines(places: readonly Place[]): Promise<readonly (StoredLine | undefined)[]> {
    const lines = new Map<Place, StoredLine | undefined>();
    const sorted = [...places].sort((left, right) => left.offset - right.offset);
    for (let start = 0; start < sorted.length; ) {
      const run = nextRun(sorted, start);
      start += run.places.length;
      const bytes = await this.#file.read(run.offset, run.length);
      for (const place of run.places) {
        lines.set(place, decodeLineAt(this.#codec, bytes, { ...place, offset: place.offset - run.offset }));
      }
    }
    return places.map((place) => lines.get(place));
  }

  /**
   * For what should be there and is not: either the index is wrong, or a line was damaged since, or another process put
   * a new file in the place of this one.
   */
  async distrust(): Promise<never> {
    const known = this.#stamp;
    if (this.#host.isWriter) await this.#dropIndex();
    await this.#forget();
    this.#ignoresIndex = true;
    await this.refresh();
    if (known?.inode === this.#stamp?.inode) this.#report.wrongIndex();
    throw new VolumeChanged(this.path);
  }

  async create(): Promise<void> {
    if (!this.exists) await this.#file.create();
    this.#isFollowed = false;
    await this.refresh();
  }

  /** One batch: all of it or nothing. */
  async append(lines: readonly StoredLine[]): Promise<void> {
    const encoded = encodeLines(this.#codec, lines);
    const newline = this.#needsNewline ? [Buffer.from("\n")] : [];
    const stamp = await this.#requireUnchanged();
    try {
      await this.#file.append(Buffer.concat([...newline, ...encoded]), { end: this.#end, stamp });
      this.#hasLeftover = false;
    } catch (error) {
      this.#hasLeftover = true;
      throw error;
    }
    let offset = this.#end + newline.length;
    for (const [index, line] of lines.entries()) {
      const length = (encoded[index]?.length ?? 1) - 1;
      this.#apply(line, { offset, length });
      offset += length + 1;
    }
    this.#end = offset;
    this.#tailBytes = 0;
    this.#needsNewline = false;
    await this.#saveIndex(UNINDEXED_BYTES);
  }

  /**
   * Writes the file anew: every line as `edit` gives it back, those it drops left out, damaged ones too, and a batch
   * after them. Then what only the dropped and changed lines referred to goes.
   */
  async rewrite(edit: (line: StoredLine) => StoredLine | undefined, moreLines: readonly StoredLine[] = []) {
    await this.#requireUnchanged();
    const more = encodeLines(this.#codec, moreLines);
    const rewriting = { batches: this.#batches(0, this.#end), codec: this.#codec, edit, more, moreLines };
    let gone: readonly string[] = [];
    try {
      await this.#dropIndex();
      await this.#file.replace(async (write) => {
        gone = await rewriteLines(rewriting, write);
      });
    } finally {
      // Also after a failure: the index that was in use is not there any more.
      await this.#forget();
    }
    await this.refresh();
    for (const name of gone) await this.blobs.remove(name);
  }

  /** Removes the file, then what stands beside it. */
  async remove(): Promise<void> {
    await onMedium({ verb: "remove", path: this.path }, () => removeFile(this.path));
    await this.#forget();
    await this.#dropIndex();
  }

  async close(): Promise<void> {
    if (this.#host.isWriter && this.exists) await this.#saveIndex(SMALLEST_INDEXED_BYTES);
    await this.#file.close();
  }

  /** The file as it stands under its name, still the one that was read. */
  async #requireUnchanged(): Promise<FileStamp> {
    const stamp = await this.#file.findStamp();
    if (stamp === undefined) throw removedError({ verb: "write to", path: this.path });
    const isOther = stamp.inode !== this.#stamp?.inode || stamp.size < this.#end;
    const isLonger = stamp.size > this.#end + this.#tailBytes && !this.#hasLeftover;
    if (!isOther && !isLonger) return stamp;
    this.#isFollowed = false;
    await this.refresh();
    throw new VolumeChanged(this.path);
  }

  async #load(stamp: FileStamp): Promise<void> {
    await this.#forget();
    const state = this.#ignoresIndex ? undefined : await this.#index.load();
    if (state !== undefined && state !== "wrong" && (await this.#agrees(state, stamp))) {
      this.#table = SessionTable.restore(state);
      for (const place of state.holes) this.#report.damagedLine(place, "it was damaged when the index was made");
      this.#end = state.end;
    } else if (state !== undefined) this.#report.wrongIndex();
    await this.#catchUp(stamp);
  }

  async #catchUp(stamp: FileStamp): Promise<void> {
    // Whoever goes on after a last line that lacked its newline has put it there.
    const from = this.#end + (this.#needsNewline && stamp.size > this.#end ? 1 : 0);
    for await (const batch of this.#batches(from, stamp.size)) this.#take(batch);
    this.#stamp = stamp;
    this.#tailBytes = stamp.size - this.#end;
    if (!this.#host.isWriter) return;
    if (this.#tailBytes > 0) this.#report.unfinishedBatch(this.#tailBytes);
    await this.#saveIndex(UNINDEXED_BYTES);
  }

  #batches(from: number, to: number): AsyncGenerator<ScannedBatch, void> {
    return readBatches(this.#file.scan(from, to), this.#codec);
  }

  #take({ lines, end, isTerminated }: ScannedBatch): void {
    for (const { line, offset, length, lostKind } of lines) {
      if (typeof line === "string") this.#skip({ offset, length }, line, lostKind);
      else this.#apply(line, { offset, length });
    }
    this.#end = end;
    this.#needsNewline = !isTerminated;
  }

  #apply(line: StoredLine, place: Place): void {
    requireKnownFormat(line, this.path);
    if (!this.#table.apply(line, place)) this.#skip(place, "its place is taken by another line");
  }

  #skip(place: Place, reason: string, lostKind?: number | undefined): void {
    this.#table.addHole(place, lostKind);
    this.#report.damagedLine(place, reason);
  }

  /** Whether the last line that the index knows is the line that stands there in the file. */
  async #agrees({ end, last }: IndexState, { size }: FileStamp): Promise<boolean> {
    if (end > size || last.length === 0) return false;
    const line = decodeWhole(this.#codec, await this.#file.read(last.offset, last.length + 1));
    return line !== undefined && hashOfLine(line) === last.idHash;
  }

  /** Best effort: without an index the file is read, and it says so when that happens. */
  async #saveIndex(unindexedBytes: number): Promise<void> {
    const { unindexedLines, indexedEnd } = this.#table;
    const isDue = this.#end - indexedEnd >= unindexedBytes || unindexedLines >= UNINDEXED_LINES;
    if (!isDue || this.#end < SMALLEST_INDEXED_BYTES || unindexedLines === 0 || this.#needsNewline) return;
    try {
      await this.#table.save(this.#index, this.#end);
      this.#ignoresIndex = false;
    } catch (error) {
      this.#report.unsavedIndex(error);
    }
  }

  async #dropIndex(): Promise<void> {
    await onMedium({ verb: "remove the index of", path: this.path }, () => this.#index.remove());
  }

  async #forget(): Promise<void> {
    await this.#file.close();
    this.#table = new SessionTable();
    this.#stamp = undefined;
    this.#isFollowed = false;
    this.#end = 0;
    this.#tailBytes = 0;
    this.#needsNewline = false;
    this.#hasLeftover = false;
  }
}
