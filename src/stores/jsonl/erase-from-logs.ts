/**
 * Takes texts from the files of a session and of those it inherits from. Each file is written anew beside its old self
 * and put in its place at once. Inherited texts go first: a crash in between leaves less text than was asked for and
 * never a delete entry whose text is still there.
 */
import type { EntryId, SessionId } from "../../core/log/entry.ts";
import { type Erasure, eraseEntry } from "../../core/log/erase-entry.ts";
import type { SessionLog } from "./session-log.ts";
import type { EntryLine, StoredLine } from "./stored-line.ts";
import type { Volume } from "./volume.ts";

interface ErasedLogs {
  readonly erasures: Erasures;
  /** Written at the end of the session's own file in the same move. */
  readonly more: readonly StoredLine[];
}

type Erasures = ReadonlyMap<EntryId, Erasure>;

interface VolumeChange {
  readonly erasuresBySession: Map<SessionId, Erasures>;
  readonly more: StoredLine[];
}

export async function eraseFromLogs(log: SessionLog, { erasures, more }: ErasedLogs): Promise<void> {
  const changes = new Map<Volume, VolumeChange>();
  const changeOf = (volume: Volume): VolumeChange => {
    const change = changes.get(volume) ?? { erasuresBySession: new Map(), more: [] };
    changes.set(volume, change);
    return change;
  };
  for (const { log: owner, erasures: owned } of await findOwners(log, erasures)) {
    const change = changeOf(owner.volume);
    change.erasuresBySession.set(owner.id, owned);
    const isReplaced = owner === log && more.some(({ kind }) => kind === "head");
    // Older heads quote what is erased; only the newest is needed, and it is written anew.
    if (!isReplaced) change.more.push({ kind: "head", sessionId: owner.id, head: await owner.readHead() });
  }
  const own = changeOf(log.volume);
  own.more.push(...more);
  if (!own.erasuresBySession.has(log.id) && more.some(({ kind }) => kind === "head"))
    own.erasuresBySession.set(log.id, new Map());
  changes.delete(log.volume);
  for (const [volume, change] of changes) await applyChange(volume, change);
  await applyChange(log.volume, own);
}

export function erasedLine({ blobs: _, entry, ...line }: EntryLine, erasure: Erasure): EntryLine {
  return { ...line, entry: eraseEntry(entry, erasure) };
}

async function applyChange(volume: Volume, { erasuresBySession, more }: VolumeChange): Promise<void> {
  await volume.rewrite((line) => {
    const erasures = erasuresBySession.get(line.sessionId);
    if (erasures === undefined) return line;
    if (line.kind === "head") return undefined;
    const erasure = line.kind === "entry" ? erasures.get(line.entry.id) : undefined;
    return line.kind === "entry" && erasure ? erasedLine(line, erasure) : line;
  }, more);
}

interface Owner {
  readonly log: SessionLog;
  readonly erasures: Erasures;
}

/** In whose files the entries stand, the oldest ancestor first. */
async function findOwners(log: SessionLog, erasures: Erasures): Promise<readonly Owner[]> {
  const { parent, session } = log;
  const inherited = new Map<EntryId, Erasure>();
  const own = new Map<EntryId, Erasure>();
  for (const [id, erasure] of erasures) {
    const entry = await log.findEntry(id);
    if (entry !== undefined) (entry.seq <= session.facts.baseSeq ? inherited : own).set(id, erasure);
  }
  const older = parent === undefined || inherited.size === 0 ? [] : await findOwners(parent, inherited);
  return own.size === 0 ? older : [...older, { log, erasures: own }];
}
