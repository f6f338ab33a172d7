/**
 * Decides what a batch becomes in a session's file, and writes it: one append, or one new file where text goes for
 * good. Nothing is written before everything is decided.
 */
import { type Entry, type EntryDraft, type EntryId, isEpochDraft } from "../../core/log/entry.ts";
import { mapErasures } from "../../core/log/erase-entry.ts";
import type { AppendBatch, AppendOutcome } from "../../ports/store.ts";
import type { BlobBox } from "../blobs/blob.ts";
import { type DetachOptions, detachBlobs } from "../blobs/detach-blobs.ts";
import { erasedLine, eraseFromLogs } from "./erase-from-logs.ts";
import { mediumError } from "./medium-error.ts";
import type { SessionLog } from "./session-log.ts";
import type { EntryLine, StoredLine } from "./stored-line.ts";

export type MediaOptions = Omit<DetachOptions, "at">;

export interface AppendOptions {
  readonly media: MediaOptions;
  /** The first of so many numbers among all of the tenant's entries; undefined where the file itself numbers them. */
  readonly takeTurns: (count: number) => Promise<number | undefined>;
}

export async function appendBatch(log: SessionLog, batch: AppendBatch, options: AppendOptions): Promise<AppendOutcome> {
  if (batch.entries.some(isEpochDraft)) {
    const { epoch } = await log.readHead();
    if (isStale(batch, { epoch, fence: log.session.facts.fence })) return { type: "stale", epoch };
  }
  const placing = await placeEntries(log, batch.entries);
  if ("conflict" in placing) return { type: "conflict", entryId: placing.conflict };
  const { placed, answered } = placing;
  const lastSeq = log.lastSeq + placed.length;
  await commit(log, { ...options, batch, placed });
  return { type: "appended", entries: answered, lastSeq };
}

function isStale({ expect }: AppendBatch, now: { readonly epoch: number; readonly fence: number }): boolean {
  if (expect === undefined || expect.epoch !== now.epoch) return true;
  return expect.fence !== undefined && expect.fence < now.fence;
}

type Placing =
  | { readonly placed: readonly Entry[]; readonly answered: readonly Entry[] }
  | { readonly conflict: EntryId };

async function placeEntries(log: SessionLog, drafts: readonly EntryDraft[]): Promise<Placing> {
  const placed = new Map<EntryId, Entry>();
  const answered: Entry[] = [];
  for (const draft of drafts) {
    const known = placed.get(draft.id) ?? (await log.findEntry(draft.id));
    if (known === undefined) {
      const entry = { ...draft, seq: log.lastSeq + placed.size + 1 } as Entry;
      placed.set(entry.id, entry);
      answered.push(entry);
    } else if (draft.type === "message" && known.type === "message" && known.hash === draft.hash) {
      answered.push(known);
    } else {
      return { conflict: draft.id };
    }
  }
  return { placed: [...placed.values()], answered };
}

interface Commit extends AppendOptions {
  readonly batch: AppendBatch;
  readonly placed: readonly Entry[];
}

async function commit(log: SessionLog, { batch, placed, media, takeTurns }: Commit): Promise<void> {
  const { volume, id: sessionId } = log;
  const written: string[] = [];
  try {
    const erasures = mapErasures(batch);
    const lines: StoredLine[] = [];
    const firstTurn = await takeTurns(placed.length);
    for (const [index, entry] of placed.entries()) {
      const turn = firstTurn === undefined ? undefined : firstTurn + index;
      const line: EntryLine = { kind: "entry", sessionId, entry, turn };
      const erasure = erasures.get(entry.id);
      lines.push(
        erasure ? erasedLine(line, erasure) : await detachEntry(line, remembering(volume.blobs, written), media),
      );
    }
    if (batch.head !== undefined) lines.push({ kind: "head", sessionId, head: batch.head });
    if (erasures.size > 0) await eraseFromLogs(log, { erasures, more: lines });
    else if (lines.length > 0) await volume.append(lines);
  } catch (error) {
    // Best effort: a blob that nothing refers to is only a file too many.
    await Promise.all(written.map((name) => volume.blobs.remove(name).catch(() => undefined)));
    throw mediumError({ verb: "write to", path: volume.path }, error);
  }
}

async function detachEntry(line: EntryLine, box: BlobBox, media: MediaOptions): Promise<EntryLine> {
  const { entry } = line;
  if (entry.type !== "message") return line;
  const { message, blobs } = await detachBlobs(entry.message, box, { ...media, at: entry.at });
  return blobs.length === 0 ? line : { ...line, entry: { ...entry, message }, blobs };
}

/** Notes which blobs are new, so that a failed append takes them back. */
function remembering(box: BlobBox, written: string[]): BlobBox {
  return {
    ...box,
    async put(blob) {
      const { name, isNew } = await box.put(blob);
      if (isNew) written.push(name);
      return { name, isNew };
    },
  };
}
