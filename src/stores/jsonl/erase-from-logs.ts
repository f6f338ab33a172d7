/**
 * Takes texts from the files of a session and of those it inherits from. Each file is written anew beside its old self
 * and put in its place at once. Inherited texts go first: a crash in between leaves less text than was asked for and
 * never a delete entry whose text is still there.
 */
import type { EntryId, SessionId } from "../../core/log/entry.ts";
import { eraseEntry } from "../../core/log/erase-entry.ts";
import type { SessionLog } from "./session-log.ts";
import type { EntryLine, StoredLine } from "./stored-line.ts";
import type { Volume } from "./volume.ts";

interface Erasure {
  readonly ids: ReadonlySet<EntryId>;
  /** Written at the end of the session's own file in the same move. */
  readonly more: readonly StoredLine[];
}

interface VolumeChange {
  readonly idsBySession: Map<SessionId, ReadonlySet<EntryId>>;
  readonly more: StoredLine[];
}

export async function eraseFromLogs(log: SessionLog, { ids, more }: Erasure): Promise<void> {
  const changes = new Map<Volume, VolumeChange>();
  const changeOf = (volume: Volume): VolumeChange => {
    const change = changes.get(volume) ?? { idsBySession: new Map(), more: [] };
    changes.set(volume, change);
    return change;
  };
  for (const { log: owner, ids: owned } of await findOwners(log, ids)) {
    const change = changeOf(owner.volume);
    change.idsBySession.set(owner.id, owned);
    const isReplaced = owner === log && more.some(({ kind }) => kind === "head");
    // Older heads quote what is erased; only the newest is needed, and it is written anew.
    if (!isReplaced) change.more.push({ kind: "head", sessionId: owner.id, head: await owner.readHead() });
  }
  const own = changeOf(log.volume);
  own.more.push(...more);
  if (!own.idsBySession.has(log.id) && more.some(({ kind }) => kind === "head"))
    own.idsBySession.set(log.id, new Set());
  changes.delete(log.volume);
  for (const [volume, change] of changes) await applyChange(volume, change);
  await applyChange(log.volume, own);
}

export function erasedLine({ blobs: _, entry, ...line }: EntryLine): EntryLine {
  return { ...line, entry: eraseEntry(entry) };
}

async function applyChange(volume: Volume, { idsBySession, more }: VolumeChange): Promise<void> {
  await volume.rewrite((line) => {
    const ids = idsBySession.get(line.sessionId);
    if (ids === undefined) return line;
    if (line.kind === "head") return undefined;
    return line.kind === "entry" && ids.has(line.entry.id) ? erasedLine(line) : line;
  }, more);
}

interface Owner {
  readonly log: SessionLog;
  readonly ids: ReadonlySet<EntryId>;
}

/** In whose files the entries stand, the oldest ancestor first. */
async function findOwners(log: SessionLog, ids: ReadonlySet<EntryId>): Promise<readonly Owner[]> {
  const { parent, session } = log;
  const inherited = new Set<EntryId>();
  const own = new Set<EntryId>();
  for (const id of ids) {
    const entry = await log.findEntry(id);
    if (entry !== undefined) (entry.seq <= session.facts.baseSeq ? inherited : own).add(id);
  }
  const older = parent === undefined || inherited.size === 0 ? [] : await findOwners(parent, inherited);
  return own.size === 0 ? older : [...older, { log, ids: own }];
}
