/**
 * Where the entries of one session stand in their file, in columns by place, 29 bytes an entry. Columns that the index
 * file has are read from there run by run, when somebody asks for their places; the table from hashed ids to places is
 * built when ids have been asked for often.
 */
import { crc32 } from "node:zlib";
import { invariant } from "../../core/errors.ts";
import { IdTable } from "./id-table.ts";
import { HOLE, isReadable } from "./stored-line.ts";

export interface EntryPlace {
  readonly kind: number;
  readonly turn: number;
  readonly offset: number;
  readonly length: number;
  readonly idHash: number;
}

/** A stretch of columns in the index file. */
export interface IndexedRun {
  readonly count: number;
  /** Where it begins in the index file. */
  readonly at: number;
  readonly sum: number;
}

/** Reads from the index file; fewer bytes than asked for where it is shorter. */
export type ReadIndex = (at: number, bytes: number) => Promise<Buffer>;

interface Columns {
  readonly offsets: Float64Array;
  readonly turns: Float64Array;
  readonly idHashes: Float64Array;
  readonly lengths: Uint32Array;
  readonly kinds: Uint8Array;
}

interface Run {
  readonly start: number;
  count: number;
  indexed: IndexedRun | undefined;
  columns: Columns | undefined;
}

const FIRST_CAPACITY = 64;
const ENTRY_BYTES = 29;
/** Looking through a column of a hundred thousand takes a tenth of a millisecond, building the table fifty times that. */
const LOOKUPS_WITHOUT_TABLE = 16;

export class EntryColumns {
  count = 0;
  readonly #runs: Run[] = [];
  /** Where the last one was found: whoever asks next asks nearby. */
  #lastRun = 0;
  #table: IdTable | undefined;
  #lookups = 0;

  /** Runs of the index file, none of them read. */
  restore(runs: readonly IndexedRun[]): void {
    for (const indexed of runs) {
      this.#runs.push({ start: this.count, count: indexed.count, indexed, columns: undefined });
      this.count += indexed.count;
    }
  }

  get indexedRuns(): readonly IndexedRun[] {
    return this.#runs.flatMap(({ indexed }) => indexed ?? []);
  }

  push({ kind, turn, offset, length, idHash }: EntryPlace): void {
    const { run, columns } = this.#openRun();
    const index = run.count;
    columns.kinds[index] = kind;
    columns.turns[index] = turn;
    columns.offsets[index] = offset;
    columns.lengths[index] = length;
    columns.idHashes[index] = idHash;
    run.count += 1;
    if (isReadable(kind)) this.#table?.add(idHash, this.count);
    this.count += 1;
  }

  /** A place whose line is lost. */
  pushHole(kind: number = HOLE): void {
    this.push({ kind, turn: 0, offset: 0, length: 0, idHash: 0 });
  }

  isLoaded(position: number): boolean {
    return this.#runAt(position)?.columns !== undefined;
  }

  /** Reads the columns of one position, or of all, in one go. False where the index file is not what it was. */
  async load(read: ReadIndex, position?: number): Promise<boolean> {
    const runs = position === undefined ? this.#runs : [this.#runAt(position)];
    const cold = runs.flatMap((run) => (run?.indexed === undefined || run.columns !== undefined ? [] : [run]));
    const starts = cold.map(({ indexed }) => indexed?.at ?? 0);
    const start = Math.min(...starts);
    const end = Math.max(...cold.map(({ count }, index) => (starts[index] ?? 0) + count * ENTRY_BYTES));
    const bytes = cold.length === 0 ? Buffer.alloc(0) : await read(start, end - start);
    return cold.every((run) => {
      const at = (run.indexed?.at ?? 0) - start;
      const columns = bytes.subarray(at, at + run.count * ENTRY_BYTES);
      if (columns.length !== run.count * ENTRY_BYTES || crc32(columns) !== run.indexed?.sum) return false;
      run.columns = decodeColumns(columns, run.count);
      return true;
    });
  }

  kindAt(position: number): number {
    const found = this.#find(position);
    return found?.columns.kinds[found.index] ?? HOLE;
  }

  turnOf(position: number): number {
    const found = this.#find(position);
    return found?.columns.turns[found.index] ?? 0;
  }

  offsetAt(position: number): number {
    const found = this.#find(position);
    return found?.columns.offsets[found.index] ?? 0;
  }

  lengthAt(position: number): number {
    const found = this.#find(position);
    return found?.columns.lengths[found.index] ?? 0;
  }

  /** Positions whose id has this hash, nearly always none or one. All columns must be in memory. */
  findByHash(idHash: number): readonly number[] {
    this.#lookups += 1;
    if (this.#table === undefined && this.#lookups <= LOOKUPS_WITHOUT_TABLE) return this.#scanFor(idHash);
    this.#table ??= this.#buildTable();
    return this.#table.find(idHash);
  }

  /** What the index file does not have yet, as it would stand there. */
  encodeNew(): Buffer | undefined {
    const run = this.#runs.at(-1);
    if (run?.columns === undefined || run.indexed !== undefined || run.count === 0) return undefined;
    return encodeColumns(run.columns, run.count);
  }

  /** What `encodeNew` gave stands in the index file now; undefined takes that back. */
  markIndexed(place: { readonly at: number; readonly bytes: Buffer } | undefined): void {
    const run = this.#runs.at(-1);
    if (run !== undefined) run.indexed = place && { count: run.count, at: place.at, sum: crc32(place.bytes) };
  }

  /** The run that is not in the index file, with room for one more. */
  #openRun(): { readonly run: Run; readonly columns: Columns } {
    const last = this.#runs.at(-1);
    if (last?.columns !== undefined && last.indexed === undefined) {
      const columns = last.count < last.columns.kinds.length ? last.columns : grown(last.columns);
      last.columns = columns;
      return { run: last, columns };
    }
    const columns = createColumns(FIRST_CAPACITY);
    const run: Run = { start: this.count, count: 0, indexed: undefined, columns };
    this.#runs.push(run);
    return { run, columns };
  }

  #find(position: number): { readonly columns: Columns; readonly index: number } | undefined {
    const run = this.#runAt(position);
    if (run === undefined) return undefined;
    invariant(run.columns !== undefined, "columns are loaded before they are read");
    return { columns: run.columns, index: position - run.start };
  }

  #runAt(position: number): Run | undefined {
    if (position < 0 || position >= this.count) return undefined;
    const near = this.#runs[this.#lastRun];
    if (near !== undefined && position >= near.start && position < near.start + near.count) return near;
    let low = 0;
    let high = this.#runs.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#runs[middle]?.start ?? 0) <= position) low = middle;
      else high = middle - 1;
    }
    this.#lastRun = low;
    return this.#runs[low];
  }

  #scanFor(idHash: number): readonly number[] {
    const found: number[] = [];
    for (const { start, count, columns } of this.#runs) {
      invariant(columns !== undefined, "columns are loaded before ids are looked for");
      const { idHashes, kinds } = columns;
      for (let at = idHashes.indexOf(idHash); at >= 0 && at < count; at = idHashes.indexOf(idHash, at + 1)) {
        if (isReadable(kinds[at] ?? HOLE)) found.push(start + at);
      }
    }
    return found;
  }

  #buildTable(): IdTable {
    const table = new IdTable(this.count);
    for (const { start, count, columns } of this.#runs) {
      invariant(columns !== undefined, "columns are loaded before ids are looked for");
      for (let index = 0; index < count; index += 1) {
        if (isReadable(columns.kinds[index] ?? HOLE)) table.add(columns.idHashes[index] ?? 0, start + index);
      }
    }
    return table;
  }
}

function createColumns(capacity: number): Columns {
  return {
    offsets: new Float64Array(capacity),
    turns: new Float64Array(capacity),
    idHashes: new Float64Array(capacity),
    lengths: new Uint32Array(capacity),
    kinds: new Uint8Array(capacity),
  };
}

function grown(columns: Columns): Columns {
  const larger = createColumns(columns.kinds.length * 2);
  larger.offsets.set(columns.offsets);
  larger.turns.set(columns.turns);
  larger.idHashes.set(columns.idHashes);
  larger.lengths.set(columns.lengths);
  larger.kinds.set(columns.kinds);
  return larger;
}

function encodeColumns({ offsets, turns, idHashes, lengths, kinds }: Columns, count: number): Buffer {
  const columns = [offsets, turns, idHashes, lengths, kinds].map((column) => column.subarray(0, count));
  return Buffer.concat(
    columns.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength)),
  );
}

/** Copies, because columns of eight bytes must begin at a multiple of eight. */
function decodeColumns(bytes: Buffer, count: number): Columns {
  const { buffer } = new Uint8Array(bytes);
  return {
    offsets: new Float64Array(buffer, 0, count),
    turns: new Float64Array(buffer, count * 8, count),
    idHashes: new Float64Array(buffer, count * 16, count),
    lengths: new Uint32Array(buffer, count * 24, count),
    kinds: new Uint8Array(buffer, count * 28, count),
  };
}
