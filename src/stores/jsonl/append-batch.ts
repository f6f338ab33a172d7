/** Writes a batch as one append, or as a new file if text is erased. The caller has exclusive access to the file. */
import { sessionNotFound } from "../../core/errors.ts";
import type { Entry, EntryId, SessionId } from "../../core/log/entry.ts";
import { type ErasureKind, eraseEntry, mapErasures } from "../../core/log/erase-entry.ts";
import type { AppendBatch, AppendOutcome } from "../../ports/store.ts";
import type { BlobBox } from "../blobs/blob.ts";
import { detachBlobs } from "../blobs/detach-blobs.ts";
import { buildAnswer, isRepeated, isStale, planSeqs, toErasedEntry } from "../sql/append-batch.ts";
import type { Statement } from "../sql/driver.ts";
import { findEntries, type OwnedEntry } from "../sql/read-entries.ts";
import type { SessionRow } from "../sql/stored-session.ts";
import { SQLITE_STATEMENTS } from "../sqlite/sqlite-statements.ts";
import type { FileName } from "./folder-layout.ts";
import type { IndexedFolder } from "./indexed-folder.ts";
import { mediumError } from "./medium-error.ts";
import type { Sidecar } from "./sidecar.ts";
import type { EntryLine, StoredLine } from "./stored-line.ts";
import { appendLines, type FileWrite, rewriteFile } from "./write-lines.ts";

export interface AppendContext {
  readonly id: SessionId;
  readonly folder: IndexedFolder;
  readonly sidecar: Sidecar;
}

export async function appendBatch(batch: AppendBatch, context: AppendContext): Promise<AppendOutcome> {
  const session = await requireSession(context);
  if (isStale(batch, session)) return { type: "stale", epoch: session.epoch };
  const ids = batch.entries.map(({ id }) => id);
  const known = await findEntries(session.segments, { ids, sql: context.sidecar.sql });
  if (isRepeated(batch, known)) return { type: "stale", epoch: session.epoch };
  const plan = planSeqs(batch.entries, known);
  if (plan.type === "conflict") return plan;
  const placed = plan.placed.map((draft, index) => ({ ...draft, seq: session.lastSeq + index + 1 }) as Entry);
  await commit({ ...context, session, batch, placed });
  const lastSeq = session.lastSeq + placed.length;
  return { type: "appended", entries: buildAnswer(plan, lastSeq), lastSeq };
}

export async function requireSession({ id, sidecar }: AppendContext): Promise<SessionRow> {
  const session = await sidecar.findSession(id);
  if (session !== undefined) return session;
  throw sessionNotFound(id);
}

interface SessionContext extends AppendContext {
  readonly session: SessionRow;
}

interface Commit extends SessionContext {
  readonly batch: AppendBatch;
  readonly placed: readonly Entry[];
}

async function commit(commit: Commit): Promise<void> {
  const { id: sessionId, batch, placed, folder, sidecar } = commit;
  const name = folder.layout.nameFor(sessionId);
  const { blobs, file } = folder.files.open(name);
  const written: string[] = [];
  try {
    const erasures = mapErasures(batch);
    const lines: StoredLine[] = [];
    const firstNumber = folder.reserveEntryNumbers(placed.length);
    for (const [index, entry] of placed.entries()) {
      const entryNumber = firstNumber === undefined ? undefined : firstNumber + index;
      const line: EntryLine = { kind: "entry", sessionId, entry, turn: entryNumber };
      const erasure = erasures.get(entry.id);
      lines.push(erasure ? eraseLine(line, erasure) : await detachLine(line, recordNew(blobs, written), folder));
    }
    if (batch.head !== undefined) lines.push({ kind: "head", sessionId, head: batch.head });
    if (erasures.size > 0) await eraseEntries(erasures, { ...commit, more: lines });
    else if (lines.length > 0) await appendLines(lines, { folder, sidecar, name });
  } catch (error) {
    // Best effort: a blob that nothing refers to only takes space.
    await Promise.all(written.map((blob) => blobs.remove(blob).catch(() => undefined)));
    throw mediumError({ verb: "write to", path: file.path }, error);
  }
}

async function detachLine(line: EntryLine, box: BlobBox, { host }: IndexedFolder): Promise<EntryLine> {
  const { entry } = line;
  if (entry.type !== "message") return line;
  const { message, blobs } = await detachBlobs(entry.message, box, { ...host.media, at: entry.at });
  return blobs.length === 0 ? line : { ...line, entry: { ...entry, message }, blobs };
}

/** Records which blobs are new, so that a failed append removes them. */
function recordNew(box: BlobBox, written: string[]): BlobBox {
  return {
    ...box,
    async put(blob) {
      const { name, isNew } = await box.put(blob);
      if (isNew) written.push(name);
      return { name, isNew };
    },
  };
}

type Erasures = ReadonlyMap<EntryId, ErasureKind>;

interface FileErasure {
  /** By session. Older heads of these sessions are dropped too, because they quote what is erased. */
  readonly sessions: Map<SessionId, Erasures>;
  readonly more: StoredLine[];
  readonly statements: Statement[];
}

/**
 * Removes texts from the files of a session and of those that it inherits from. Inherited texts are removed first: a
 * crash in between removes less text than requested, and never leaves a delete entry whose text is still there.
 */
async function eraseEntries(
  erasures: Erasures,
  { id, session, folder, sidecar, more }: Commit & { readonly more: readonly StoredLine[] },
): Promise<void> {
  const files = new Map<FileName, FileErasure>();
  const findErasure = (sessionId: SessionId): FileErasure => {
    const name = folder.layout.nameFor(sessionId);
    const erasure = files.get(name) ?? { sessions: new Map(), more: [], statements: [] };
    files.set(name, erasure);
    return erasure;
  };
  const hasHead = more.some(({ kind }) => kind === "head");
  const known = await findEntries(session.segments, { ids: [...erasures.keys()], sql: sidecar.sql });
  const owners = Map.groupBy(known.values(), ({ key }) => key);
  for (const { key } of session.segments.toReversed()) {
    const owned = owners.get(key);
    const owner = owned && (await sidecar.findSessionId(key));
    if (owner === undefined) continue;
    const erasure = findErasure(owner);
    erasure.sessions.set(owner, selectErasures(erasures, owned ?? []));
    const place = { ...sidecar.placeOf(owner), mark: folder.layout.nameFor(owner) };
    for (const each of owned ?? []) {
      const erased = toErasedEntry(each, erasures.get(each.entry.id));
      erasure.statements.push(...SQLITE_STATEMENTS.eraseEntry(place, { ...erased, blobs: [] }));
    }
    const places = (owned ?? []).map(({ entry: { seq, type } }) => ({ key, seq, type }));
    erasure.statements.push(...SQLITE_STATEMENTS.eraseWords(place, places));
    const stored = owner === id && hasHead ? undefined : await sidecar.tenant.findSession(owner);
    if (stored !== undefined) erasure.more.push({ kind: "head", sessionId: owner, head: stored.head });
  }
  const own = findErasure(id);
  own.more.push(...more);
  if (hasHead && !own.sessions.has(id)) own.sessions.set(id, new Map());
  const name = folder.layout.nameFor(id);
  for (const [parent, erasure] of files) {
    if (parent !== name)
      await folder.writeFile(sidecar, parent, () => eraseFromFile(erasure, { folder, sidecar, name: parent }));
  }
  await eraseFromFile(own, { folder, sidecar, name });
}

/** A message of the parent after the fork may have the same id, and stays. */
function selectErasures(erasures: Erasures, owned: readonly OwnedEntry[]): Erasures {
  const ids = new Set(owned.map(({ entry }) => entry.id));
  return new Map([...erasures].filter(([id]) => ids.has(id)));
}

async function eraseFromFile({ sessions, more, statements }: FileErasure, writing: FileWrite): Promise<void> {
  const edit = (line: StoredLine): StoredLine | undefined => {
    const erasures = sessions.get(line.sessionId);
    if (erasures === undefined) return line;
    if (line.kind === "head") return undefined;
    const erasure = line.kind === "entry" ? erasures.get(line.entry.id) : undefined;
    return line.kind === "entry" && erasure ? eraseLine(line, erasure) : line;
  };
  await rewriteFile({ ...writing, edit, more, erase: statements });
}

function eraseLine({ blobs: _, entry, ...line }: EntryLine, erasure: ErasureKind): EntryLine {
  return { ...line, entry: eraseEntry(entry, erasure) };
}
