/** Reads lines at the places of the sidecar, checked by checksum and row. A mismatch throws `LinesChangedError`. */
import { PalimpsestError } from "../../core/errors.ts";
import type { Entry, MessageEntry } from "../../core/log/entry.ts";
import { createUnreadableEntry } from "../../core/log/unreadable-entry.ts";
import type { BlobBox } from "../blobs/blob.ts";
import { attachBlobs } from "../blobs/detach-blobs.ts";
import { compareEntry, compareHead } from "../sql/checksums.ts";
import { type Row, readNumberColumn, readTextColumn } from "../sql/driver.ts";
import type { StoredContents } from "../sql/sql-context.ts";
import { addRecounts } from "../sql/stored-entry.ts";
import { writeHead } from "../sql/stored-head.ts";
import { toStoredText } from "../sql/stored-text.ts";
import type { FileName } from "./folder-layout.ts";
import { checksumOf, decodeLine, type LinePlace, MAX_LINE_BYTES } from "./line.ts";
import type { LineFile, LineReader } from "./line-file.ts";
import type { EntryLine, LineCodec, StoredLine } from "./stored-line.ts";

/** A line does not match the sidecar: the file was rewritten or damaged since, or the sidecar is wrong. */
export class LinesChangedError extends Error {
  /** Empty if the sidecar does not name the file. */
  readonly file: FileName;
  /** Whether the file has already been indexed again. */
  readonly isIndexed: boolean;

  constructor(file: FileName, { isIndexed = false } = {}) {
    super(`The lines of ${file} are not where the index says.`);
    this.file = file;
    this.isIndexed = isIndexed;
  }
}

export interface MissingBlob {
  readonly name: string;
  readonly entry: Entry;
  /** Path of the file that refers to it. */
  readonly path: string;
}

export interface FileSource {
  readonly codec: LineCodec;
  open(name: FileName): { readonly file: LineFile; readonly blobs: BlobBox };
  onMissingBlob(blob: MissingBlob): void;
  /** Returns whether a missing file is an error, and not one that a deletion is removing. */
  isRequired(name: FileName): boolean;
}

/** Writes the place of an entry's line, as the sidecar keeps it. */
export function writeLinePlace(fileKey: number, { offset, length }: LinePlace): string {
  return `${fileKey} ${offset} ${length}`;
}

/** Returns the place of a head's line with the line's checksum, so that equal texts always refer to equal heads. */
export function writeHeadPlace(fileKey: number, place: LinePlace & { readonly sum: string }): string {
  return `${writeLinePlace(fileKey, place)} ${place.sum}`;
}

/** Writes the text that replaces the place of a message that cannot be read. */
export function writeLost(role: "user" | "assistant"): string {
  return `lost ${role}`;
}

const PLACE = /^(\d{1,15}) (\d{1,15}) (\d{1,15})(?: ([0-9a-f]{8}))?$/;
const HEADS_KEPT = 64;

interface FilePlace extends LinePlace {
  readonly fileKey: number;
  readonly sum: string | undefined;
}

type FindName = (fileKey: number) => Promise<FileName | undefined>;

export class LineContents implements StoredContents {
  readonly #files: FileSource;
  readonly #nameOf: FindName;
  /** Texts of heads by place: a session's head is read with every operation and changes rarely. */
  readonly #heads = new Map<string, string>();

  constructor(files: FileSource, nameOf: FindName) {
    this.#files = files;
    this.#nameOf = nameOf;
  }

  reportDamage(): never {
    throw new LinesChangedError("");
  }

  async readHead(row: Row): Promise<Row> {
    if (compareHead(row) === "changed") this.reportDamage();
    const stored = readTextColumn(row, "head");
    const place = parsePlace(stored);
    // A head whose line was lost is kept by the sidecar itself.
    if (place === undefined && stored.startsWith("{")) return row;
    if (place === undefined) throw new LinesChangedError("");
    const text = this.#heads.get(stored) ?? (await this.#readHead(place));
    this.#heads.delete(stored);
    this.#heads.set(stored, text);
    if (this.#heads.size > HEADS_KEPT) for (const [oldest] of [...this.#heads].slice(0, 1)) this.#heads.delete(oldest);
    return { ...row, head: text };
  }

  async readEntries(
    rows: readonly Row[],
    { onlyTexts }: { readonly onlyTexts?: boolean | undefined },
  ): Promise<readonly Entry[]> {
    if (rows.some((row) => compareEntry(row) === "changed")) this.reportDamage();
    const places = rows.map((row) => parsePlace(readTextColumn(row, "content")));
    const byFile = Map.groupBy(
      places.filter((place) => place !== undefined),
      ({ fileKey }) => fileKey,
    );
    const lines = new Map<FilePlace, { readonly line: StoredLine; readonly name: FileName }>();
    for (const [fileKey, wanted] of byFile) {
      const name = await this.#requireName(fileKey);
      const found = await this.#withFile(name, (reader) => readPlaces(reader, wanted));
      for (const [place, bytes] of found) lines.set(place, { line: this.#decode(bytes, name), name });
    }
    const entries: Entry[] = [];
    for (const [index, row] of rows.entries()) {
      const place = places[index];
      const found = place && lines.get(place);
      if (found === undefined) entries.push(buildMarker(row));
      else entries.push(await this.#assemble(requireEntry(found.line, row, found.name), { row, onlyTexts, ...found }));
    }
    return entries;
  }

  async #readHead({ fileKey, offset, length, sum }: FilePlace): Promise<string> {
    const name = await this.#requireName(fileKey);
    const bytes = await this.#withFile(name, (reader) => reader.read(offset, length));
    if (checksumOf(bytes) !== sum) throw new LinesChangedError(name);
    const line = this.#decode(bytes, name);
    if (line.kind !== "head") throw new LinesChangedError(name);
    return writeHead(line.head);
  }

  async #assemble(
    { entry, blobs }: EntryLine,
    { row, name, onlyTexts }: { readonly row: Row; readonly name: FileName; readonly onlyTexts?: boolean | undefined },
  ): Promise<Entry> {
    const seq = readNumberColumn(row, "seq");
    if (entry.type !== "message") return entry.seq === seq ? entry : { ...entry, seq };
    const recounts = addRecounts(row, entry.recounts);
    const whole: MessageEntry = { ...entry, ...(recounts && { recounts }), seq };
    if (blobs === undefined) return whole;
    const { file, blobs: box } = this.#files.open(name);
    const onMissing = (blob: string) => this.#files.onMissingBlob({ name: blob, entry: whole, path: file.path });
    return { ...whole, message: await attachBlobs({ message: entry.message, blobs }, box, { onlyTexts, onMissing }) };
  }

  #decode(bytes: Buffer, name: FileName): StoredLine {
    const { codec } = this.#files;
    const decoded = decodeLine(bytes);
    if (typeof decoded === "string" || (codec.needsSum && !decoded.hasSum)) throw new LinesChangedError(name);
    const line = codec.decode(decoded.value);
    if (line === undefined) throw new LinesChangedError(name);
    return line;
  }

  async #requireName(fileKey: number): Promise<FileName> {
    const name = await this.#nameOf(fileKey);
    if (name === undefined) throw new LinesChangedError("");
    return name;
  }

  async #withFile<Result>(name: FileName, work: (reader: LineReader) => Promise<Result>): Promise<Result> {
    try {
      return await this.#files.open(name).file.read(work);
    } catch (error) {
      const isMissing = error instanceof PalimpsestError && error.details.reason === "missing-file";
      throw isMissing && !this.#files.isRequired(name) ? new LinesChangedError(name) : error;
    }
  }
}

function parsePlace(text: string): FilePlace | undefined {
  const [found, fileKey, offset, length, sum] = PLACE.exec(text) ?? [];
  if (found === undefined) return undefined;
  const bytes = Math.min(Number(length), MAX_LINE_BYTES);
  return { fileKey: Number(fileKey), offset: Number(offset), length: bytes, sum };
}

function buildMarker(row: Row): MessageEntry {
  const role = (["user", "assistant"] as const).find((each) => readTextColumn(row, "content") === writeLost(each));
  if (role === undefined) throw new LinesChangedError("");
  return createUnreadableEntry({ seq: readNumberColumn(row, "seq"), role, at: readNumberColumn(row, "at") });
}

/** Lines of other programs have no seq; a second line with the same id is stored under a longer id. */
function requireEntry(line: StoredLine, row: Row, name: FileName): EntryLine {
  if (line.kind !== "entry") throw new LinesChangedError(name);
  const { seq, id } = line.entry;
  const isPlaced = seq === 0 || seq === readNumberColumn(row, "seq");
  if (!isPlaced || !readTextColumn(row, "id").startsWith(toStoredText(id))) throw new LinesChangedError(name);
  return line;
}

const GAP_BYTES = 2 ** 12;
const RUN_BYTES = 2 ** 20;

/** Reads places that are close together at once. */
async function readPlaces<Wanted extends LinePlace>(
  reader: LineReader,
  places: readonly Wanted[],
): Promise<ReadonlyMap<Wanted, Buffer>> {
  const found = new Map<Wanted, Buffer>();
  const sorted = places.toSorted((left, right) => left.offset - right.offset);
  for (let start = 0; start < sorted.length; ) {
    const run = takeRun(sorted, start);
    start += run.length;
    const offset = run[0]?.offset ?? 0;
    const end = Math.max(...run.map((place) => place.offset + place.length));
    const bytes = await reader.read(offset, end - offset);
    for (const place of run) {
      found.set(place, bytes.subarray(place.offset - offset, place.offset - offset + place.length));
    }
  }
  return found;
}

function takeRun<Wanted extends LinePlace>(sorted: readonly Wanted[], start: number): readonly Wanted[] {
  const offset = sorted[start]?.offset ?? 0;
  let end = offset;
  let next = start;
  for (let place = sorted[next]; place !== undefined; place = sorted[next]) {
    const placeEnd = place.offset + place.length;
    if (next > start && (place.offset - end > GAP_BYTES || placeEnd - offset > RUN_BYTES)) break;
    end = Math.max(end, placeEnd);
    next += 1;
  }
  return sorted.slice(start, next);
}
