/** Writes lines to a file, synced, and then to the sidecar. If that fails, the file is cut back. */
import { type Row, readNumberColumn, readTextColumn, type Statement, sql } from "../sql/driver.ts";
import { catchUpFile, createIndexer } from "./catch-up-file.ts";
import { recordErasure, removeErasedBlobs } from "./erased-blobs.ts";
import type { FileName } from "./folder-layout.ts";
import type { IndexedFolder } from "./indexed-folder.ts";
import { checksumOf, detachFromBatch, encodeBatch } from "./line.ts";
import { scanLines } from "./line-file.ts";
import { removedError } from "./medium-error.ts";
import type { FileState, LastLine, OpenFile } from "./open-files.ts";
import { readBatches, type ScannedLine } from "./read-batches.ts";
import { LinesChangedError, writeHeadPlace, writeLinePlace } from "./read-lines.ts";
import type { Sidecar } from "./sidecar.ts";
import { saveFile } from "./sidecar-statements.ts";
import { listBlobs, type StoredLine } from "./stored-line.ts";

export interface FileWrite {
  readonly folder: IndexedFolder;
  readonly sidecar: Sidecar;
  readonly name: FileName;
}

/** Creates an empty file, unless it exists. Runs under the file's `serial`. */
export async function createFile({ folder, sidecar, name }: FileWrite): Promise<void> {
  const open = folder.files.open(name);
  if ((await open.file.findStamp()) === undefined) await open.file.create();
  open.state = await catchUpFile(open, folder.catchUp(sidecar));
}

/** Appends one batch: all of it or nothing. Runs under the file's `serial`. */
export async function appendLines(lines: readonly StoredLine[], writing: FileWrite): Promise<void> {
  const { folder, sidecar, name } = writing;
  const open = folder.files.open(name);
  const { state, stamp } = await requireUnchanged(writing);
  const newline = state.needsNewline ? [Buffer.from("\n")] : [];
  const encoded = encodeBatch(lines.map((line) => folder.layout.codec.encode(line)));
  const written = await writeBytes(open, Buffer.concat([...newline, ...encoded]), { end: state.end, stamp });
  try {
    const placed = placeLines(lines, { encoded, offset: state.end + newline.length });
    const { statements, end, last } = await indexPlaced(placed, { ...writing, state });
    const next: FileState = { ...state, stamp: written, end, last, needsNewline: false };
    if (!(await sidecar.write([...statements, saveFile(next)]))) throw new LinesChangedError(name);
    open.state = next;
    folder.host.keepReserve(end);
  } catch (error) {
    open.hasLeftover = true;
    await open.file.cut(state.end).then(
      () => {
        open.hasLeftover = false;
        open.state = undefined;
      },
      () => undefined,
    );
    throw error;
  }
}

async function writeBytes(open: OpenFile, bytes: Buffer, at: Parameters<OpenFile["file"]["append"]>[1]) {
  open.hasLeftover = true;
  const stamp = await open.file.append(bytes, at);
  open.hasLeftover = false;
  return stamp;
}

/** Returns the file that has the name now, if it is unchanged since it was indexed. */
async function requireUnchanged({ folder, sidecar, name }: FileWrite) {
  const open = folder.files.open(name);
  const stamp = await open.file.findStamp();
  if (stamp === undefined) throw removedError({ verb: "write to", path: open.file.path });
  const { state } = open;
  const isSame = state !== undefined && state.stamp.inode === stamp.inode && stamp.size >= state.end;
  if (isSame && (stamp.size === state.stamp.size || open.hasLeftover === true)) return { state, stamp };
  open.state = await catchUpFile(open, folder.catchUp(sidecar));
  throw new LinesChangedError(name, { isIndexed: true });
}

function placeLines(
  lines: readonly StoredLine[],
  { encoded, offset }: { readonly encoded: readonly Buffer[]; readonly offset: number },
): readonly ScannedLine[] {
  let next = offset;
  return lines.map((line, index) => {
    const bytes = encoded[index]?.subarray(0, -1) ?? Buffer.alloc(0);
    const placed = { line, offset: next, length: bytes.length, bytes };
    next += bytes.length + 1;
    return placed;
  });
}

async function indexPlaced(placed: readonly ScannedLine[], writing: FileWrite & { readonly state: FileState }) {
  const { folder, sidecar, name, state } = writing;
  const open = folder.files.open(name);
  const indexer = createIndexer(open, { ...folder.catchUp(sidecar), state, hasNewIds: true });
  for (const each of placed) await indexer.add(each);
  const { offset = state.end, length = -1, bytes = Buffer.alloc(0) } = placed.at(-1) ?? {};
  const last = length < 0 ? state.last : { offset, length, sum: checksumOf(bytes) };
  return { statements: indexer.take(), end: offset + length + 1, last };
}

export interface Rewrite extends FileWrite {
  /** Returns the line itself if it stays, and undefined if it is removed. */
  readonly edit: (line: StoredLine) => StoredLine | undefined;
  /** Lines written after the others. */
  readonly more: readonly StoredLine[];
  /** Removes the erased rows from the sidecar. */
  readonly erase: readonly Statement[];
}

/** Rewrites the file without removed lines, damaged lines and unused blobs. Runs under the file's `serial`. */
export async function rewriteFile(rewrite: Rewrite): Promise<void> {
  const { folder, sidecar, name, more } = rewrite;
  const open = folder.files.open(name);
  const { state } = await requireUnchanged(rewrite);
  const encoded = encodeBatch(more.map((line) => folder.layout.codec.encode(line)));
  let copied: CopiedLines | undefined;
  await open.file.replace(async (write) => {
    copied = await copyLines({ ...rewrite, end: state.end }, write);
    for (const bytes of encoded) await write(bytes);
    await recordErasure(open, copied.unusedBlobs(more));
  });
  const stamp = await open.file.findStamp();
  // The file is rewritten now. If the sidecar cannot be updated, the file is indexed again.
  open.state = undefined;
  if (copied === undefined || stamp === undefined) throw new LinesChangedError(name);
  const placed = placeLines(more, { encoded, offset: copied.end });
  const moved: FileState = { ...state, end: copied.end, last: copied.last, needsNewline: false, holes: [] };
  const moves = await movePlaces(copied.places, { ...rewrite, key: state.key });
  await sidecar.write([...rewrite.erase, ...moves, saveFile({ ...moved, stamp: { ...stamp, size: -1 } })]);
  const { statements, end, last } = await indexPlaced(placed, { ...rewrite, state: moved });
  const next = { ...moved, stamp, end, last };
  await sidecar.write([...statements, saveFile(next)]);
  open.state = next;
  await removeErasedBlobs(open, copied.unusedBlobs(more));
  await sidecar.purge();
}

interface CopiedLines {
  /** New places by old offset. */
  readonly places: ReadonlyMap<number, LastLine>;
  readonly end: number;
  readonly last: FileState["last"];
  unusedBlobs(more: readonly StoredLine[]): readonly string[];
}

async function copyLines(
  { folder, name, edit, end }: Rewrite & { readonly end: number },
  write: (bytes: Buffer) => Promise<void>,
): Promise<CopiedLines> {
  const { codec } = folder.layout;
  const places = new Map<number, LastLine>();
  const [gone, kept] = [new Set<string>(), new Set<string>()];
  let [offset, last]: [number, FileState["last"]] = [0, undefined];
  await folder.files.open(name).file.read(async (reader) => {
    for await (const { lines } of readBatches(scanLines(reader, { from: 0, to: end }), codec)) {
      for (const scanned of lines) {
        const { line, bytes } = scanned;
        if (typeof line === "string" || bytes === undefined) continue;
        const edited = edit(line);
        for (const blob of listBlobs(line)) (edited === line ? kept : gone).add(blob);
        if (edited === undefined) continue;
        const [encoded] = edited === line ? [detachFromBatch(bytes)] : encodeBatch([codec.encode(edited)]);
        if (encoded === undefined) continue;
        await write(encoded);
        last = { offset, length: encoded.length - 1, sum: checksumOf(encoded.subarray(0, -1)) };
        places.set(scanned.offset, last);
        offset += encoded.length;
      }
    }
  });
  const unusedBlobs = (more: readonly StoredLine[]) => {
    const used = new Set([...kept, ...more.flatMap(listBlobs)]);
    return [...gone].filter((blob) => !used.has(blob));
  };
  return { places, end: offset, last, unusedBlobs };
}

/** Entries in one statement. */
const MOVED_AT_ONCE = 2_000;

/** Gives the entries and heads of a file the new places of their lines. */
async function movePlaces(
  places: ReadonlyMap<number, LastLine>,
  { sidecar, name, key }: FileWrite & { readonly key: number },
): Promise<readonly Statement[]> {
  const inFile = sql`session_key IN (SELECT session_key FROM sessions WHERE mark = ${name})`;
  const entries = await sidecar.read(sql`SELECT entry_key AS row_key, content AS place FROM entries WHERE ${inFile}`);
  const heads = await sidecar.read(sql`SELECT session_key AS row_key, head AS place FROM heads WHERE ${inFile}`);
  const move = (rows: readonly Row[], write: (place: LastLine) => string) =>
    rows.flatMap((row) => {
      const [fileKey, offset] = readTextColumn(row, "place").split(" ");
      const place = Number(fileKey) === key ? places.get(Number(offset)) : undefined;
      return place === undefined ? [] : [[readNumberColumn(row, "row_key"), write(place)]];
    });
  const movedEntries = chunk(move(entries, (place) => writeLinePlace(key, place)));
  const movedHeads = chunk(move(heads, (place) => writeHeadPlace(key, place)));
  return [
    ...movedEntries.map(
      (
        pairs,
      ) => sql`UPDATE entries SET content = v.value ->> 1, checksum = NULL FROM json_each(${JSON.stringify(pairs)}) v
        WHERE entries.entry_key = v.value ->> 0`,
    ),
    ...movedHeads.map(
      (pairs) => sql`UPDATE heads SET head = v.value ->> 1, checksum = NULL FROM json_each(${JSON.stringify(pairs)}) v
        WHERE heads.session_key = v.value ->> 0`,
    ),
  ];
}

function chunk<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  const count = Math.ceil(items.length / MOVED_AT_ONCE);
  return Array.from({ length: count }, (_, index) => items.slice(index * MOVED_AT_ONCE, (index + 1) * MOVED_AT_ONCE));
}
