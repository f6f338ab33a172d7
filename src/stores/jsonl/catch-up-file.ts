/** Brings the sidecar's index of one file up to date: with the lines that were added, or with all of them. */
import { PalimpsestError } from "../../core/errors.ts";
import type { SessionId } from "../../core/log/entry.ts";
import { sql } from "../sql/driver.ts";
import { foldLog } from "../sql/restore-head.ts";
import { toStoredHead } from "../sql/stored-session.ts";
import { SQLITE_STATEMENTS } from "../sqlite/sqlite-statements.ts";
import type { FileName } from "./folder-layout.ts";
import { LineIndexer } from "./index-lines.ts";
import { checksumOf, type LinePlace } from "./line.ts";
import { type FileStamp, scanLines } from "./line-file.ts";
import type { FileState, OpenFile, OpenFiles } from "./open-files.ts";
import { readBatches, type ScannedBatch } from "./read-batches.ts";
import type { Sidecar } from "./sidecar.ts";
import { deleteFile, deleteSessionEntries, saveFile, separateForks, updateFigures } from "./sidecar-statements.ts";
import { refuseNewerFormat } from "./stored-line.ts";

/** Number of statements written at once, which takes a few milliseconds. */
const PORTION = 500;

/** Indexes the session that a fork in the file `child` inherits from. */
export type IndexParent = (fork: { readonly parentId: SessionId; readonly child: FileName }) => Promise<void>;

export interface CatchUpOptions {
  readonly files: OpenFiles;
  readonly sidecar: Sidecar;
  readonly indexParent: IndexParent;
  readonly known?: FileState | undefined;
  /** Whether the index of the file is wrong, so that all lines are read again. */
  readonly isDistrusted?: boolean | undefined;
}

export function isSameFile(known: FileStamp, now: FileStamp): boolean {
  return known.inode === now.inode && known.size === now.size && known.modifiedMs === now.modifiedMs;
}

/** Returns the new state, or undefined if the file is missing. Runs under the file's `serial`. */
export async function catchUpFile(open: OpenFile, options: CatchUpOptions): Promise<FileState | undefined> {
  const { files, sidecar } = options;
  const stamp = await open.file.findStamp();
  const known = options.known ?? (await sidecar.findFile(open.name));
  if (stamp === undefined) {
    if (known !== undefined) await dropFile(sidecar, open.name, { isMissing: true });
    return undefined;
  }
  const isSuspect = files.suspects.has(open.name);
  if (!sidecar.isPrivate) files.suspects.delete(open.name);
  const isDistrusted = options.isDistrusted === true || isSuspect;
  if (known !== undefined && !isDistrusted && (await hasLastLine(open, known, stamp))) {
    const scanned = await scan(open, { ...options, state: known, stamp }).catch(ignoreConflict);
    if (scanned !== undefined) return scanned;
  }
  const wasIndexed = isDistrusted ? known?.stamp.inode === stamp.inode : known !== undefined && known.end > 0;
  const isWrong = isSuspect || wasIndexed;
  await dropFile(sidecar, open.name);
  const state = await scan(open, { ...options, state: await sidecar.addFile(open.name), stamp });
  // Damage to the file itself has its own warning.
  const isDamaged = state.holes.length > (known?.holes.length ?? 0) || state.end < stamp.size;
  if (isWrong && !isDamaged) warnWrongIndex(files, open);
  return state;
}

/** SQLite's result code for a row that already exists: the sidecar has more lines than it recorded. */
const CONSTRAINT = 19;

function ignoreConflict(error: unknown): undefined {
  const code = error instanceof Error && "errcode" in error ? Number(error.errcode) & 0xff : undefined;
  if (code !== CONSTRAINT) throw error;
}

function ignoreFull(error: unknown): void {
  if (!(error instanceof PalimpsestError && error.details.reason === "disk-full")) throw error;
}

/**
 * Hides a file's rows in the sidecar, and returns the keys of its sessions, whose rows are left to the caller. A
 * session with forks stays, without entries, until it is indexed again.
 */
export async function hideFile(
  sidecar: Sidecar,
  name: FileName,
  { isMissing = false } = {},
): Promise<readonly number[]> {
  const hidden: number[] = [];
  // The row of the file goes first, so that a file is indexed again if only some of its sessions were removed.
  await sidecar.write([deleteFile(name)]);
  for (const id of await sidecar.listSessionIds(name)) {
    const place = { ...sidecar.placeOf(id), mark: name };
    if (isMissing) await sidecar.write([separateForks(place)]);
    const key = await sidecar.hideSession(id);
    if (key === undefined) await sidecar.write(deleteSessionEntries(place));
    else hidden.push(key);
  }
  return hidden;
}

/** Removes a file's rows from the sidecar. Once it resolves, the file's entries can have their numbers again. */
export async function dropFile(sidecar: Sidecar, name: FileName, options?: { readonly isMissing: boolean }) {
  for (const key of await hideFile(sidecar, name, options)) await sidecar.removeHidden(key);
}

function warnWrongIndex(files: OpenFiles, { file: { path } }: OpenFile): void {
  const text = `The index of ${path} does not match the file; it is rebuilt.`;
  files.host.warn({ text, path, counted: "rebuiltIndexes" });
}

/** Returns whether the last line that was indexed is still there. */
export async function hasLastLine({ file }: OpenFile, { end, last }: FileState, { size }: FileStamp): Promise<boolean> {
  if (size < end) return false;
  if (last === undefined) return end === 0;
  const bytes = await file.read((reader) => reader.read(last.offset, last.length));
  return bytes.length === last.length && checksumOf(bytes) === last.sum;
}

interface ScanOptions extends CatchUpOptions {
  readonly state: FileState;
  readonly stamp: FileStamp;
}

async function scan(open: OpenFile, options: ScanOptions): Promise<FileState> {
  const { files, sidecar, stamp } = options;
  const { name, file } = open;
  let { state } = options;
  const holes: LinePlace[] = [...state.holes];
  const indexer = createIndexer(open, { ...options, onHole: (place) => holes.push(place) });
  // If the last line had no newline, the program that wrote more has added it.
  const from = state.end + (state.needsNewline && stamp.size > state.end ? 1 : 0);
  const save = (size: number) => sidecar.write([...indexer.take(), saveFile({ ...state, stamp: { ...stamp, size } })]);
  await file.read(async (reader) => {
    for await (const batch of readBatches(scanLines(reader, { from, to: stamp.size }), files.layout.codec)) {
      for (const scanned of batch.lines) {
        if (typeof scanned.line !== "string") refuseNewerFormat(scanned.line, file.path);
        await indexer.add(scanned);
      }
      state = advance(state, batch, holes);
      if (indexer.size >= PORTION) await save(-1);
    }
  });
  const isUnchanged = indexer.size === 0 && stamp.size === options.state.end;
  // Without new lines the file can be read on a full disk: only its time has changed.
  await (isUnchanged ? save(stamp.size).catch(ignoreFull) : save(stamp.size));
  for (const id of indexer.headless) await foldHead(id, { ...options, name });
  if (files.host.isWriter && stamp.size > state.end) warnUnfinished(files, file.path, stamp.size - state.end);
  return { ...state, stamp };
}

interface IndexerOptions extends Omit<CatchUpOptions, "known" | "isDistrusted"> {
  readonly state: FileState;
  readonly onHole?: ((place: LinePlace) => void) | undefined;
  readonly hasNewIds?: boolean | undefined;
}

export function createIndexer(
  { name, blobs }: OpenFile,
  { files, sidecar, indexParent, state, onHole, hasNewIds }: IndexerOptions,
): LineIndexer {
  return new LineIndexer({
    sidecar,
    file: { key: state.key, name, blobs },
    hasNewIds,
    holds: (id) => files.layout.nameFor(id) === name,
    indexParent: (parentId) => indexParent({ parentId, child: name }),
    onSkip: ({ offset, length }, reason) => {
      onHole?.({ offset, length });
      files.warnDamagedLine(name, { offset, reason });
    },
  });
}

function advance(state: FileState, { lines, end, isTerminated }: ScannedBatch, holes: readonly LinePlace[]): FileState {
  const last = lines.at(-1);
  const lastLine = last?.bytes && { offset: last.offset, length: last.length, sum: checksumOf(last.bytes) };
  return { ...state, end, needsNewline: !isTerminated, last: lastLine ?? state.last, holes };
}

function warnUnfinished(files: OpenFiles, path: string, bytes: number): void {
  const text = `${path} ends in ${bytes} bytes of a write that a crash cut off. It was never acknowledged, and the next write replaces it.`;
  files.host.warn({ text, path, counted: "unfinishedBatches" });
}

/** Computes a head again from the remaining entries, because its line was lost. */
async function foldHead(
  id: SessionId,
  { sidecar, files, name }: Pick<ScanOptions, "sidecar" | "files"> & { readonly name: FileName },
): Promise<void> {
  const session = await sidecar.findSession(id);
  if (session === undefined) return;
  const { head } = await foldLog(session, sidecar.sql);
  const place = { ...sidecar.placeOf(id), mark: name };
  await sidecar.write([
    SQLITE_STATEMENTS.updateHead(place, toStoredHead(head)),
    updateFigures(place, { epoch: sql`${head.epoch}` }),
  ]);
  const path = files.layout.pathOf(name);
  const text = `The head of session ${JSON.stringify(id)} was lost and is computed again from its entries.`;
  files.host.warn({ text, path, counted: "rebuiltHeads" });
}
