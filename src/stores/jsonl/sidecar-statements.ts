/** Statements of the sidecar only. A session's `mark` is its file, an entry's `content` the place of its line. */
import type { Role } from "../../core/message/message.ts";
import { checksumEntry, setFigures, sumText } from "../sql/checksums.ts";
import { type Statement, sql } from "../sql/driver.ts";
import type { MarkedPlace, SessionPlace } from "../sql/sql-statements.ts";
import type { StoredEntry } from "../sql/stored-entry.ts";
import { selectIndexed } from "../sqlite/sqlite-search-statements.ts";
import { setFirst, setPreview } from "../sqlite/sqlite-statements.ts";
import type { FileName } from "./folder-layout.ts";
import type { FileState } from "./open-files.ts";

const selectSessionKey = ({ tenant, id }: SessionPlace) =>
  sql`(SELECT session_key FROM sessions WHERE tenant = ${tenant} AND id = ${id})`;

export function saveFile({ key, stamp, end, needsNewline, last, holes }: FileState): Statement {
  return sql`
    UPDATE files SET inode = ${stamp.inode}, size = ${stamp.size}, modified_ms = ${stamp.modifiedMs},
      end_offset = ${end}, needs_newline = ${needsNewline ? 1 : 0},
      last_line = ${last === undefined ? null : JSON.stringify(last)}, holes = ${JSON.stringify(holes)}
    WHERE file_key = ${key}`;
}

export function deleteFile(name: FileName): Statement {
  return sql`DELETE FROM files WHERE name = ${name}`;
}

export interface IndexedEntry extends StoredEntry {
  readonly seq: number;
  /** Its number among all entries of the tenant; null for the next one, `none` for entries without a text. */
  readonly entryNumber: number | null | "none";
}

export function insertEntry({ tenant, id: sessionId }: MarkedPlace, entry: IndexedEntry): Statement {
  const { seq, type, at, id, hash, content, tokens, entryNumber } = entry;
  const key =
    entryNumber === "none"
      ? sql`(SELECT min(0, coalesce(min(entry_key), 0)) - 1 FROM entries)`
      : // A copied file has the numbers of its original.
        sql`iif(EXISTS (SELECT 1 FROM entries WHERE entry_key = ${entryNumber}), NULL, ${entryNumber})`;
  return sql`
    INSERT INTO entries (entry_key, tenant, session_key, seq, type, at, id, hash, content, tokens, checksum)
    SELECT ${key}, s.tenant, s.session_key, ${seq}, ${type}, ${at}, ${id}, ${hash}, ${content}, ${tokens},
      ${checksumEntry(entry) + seq} + s.session_key
    FROM sessions s WHERE s.tenant = ${tenant} AND s.id = ${sessionId}`;
}

/** Sets columns of a session and adjusts its checksum. */
export function updateFigures({ tenant, id }: SessionPlace, columns: Parameters<typeof setFigures>[0]): Statement {
  return sql`UPDATE sessions SET ${setFigures(columns)} WHERE tenant = ${tenant} AND id = ${id}`;
}

/** Deletes markers of messages that cannot be read. */
export function deleteLostMarkers({ tenant, id }: SessionPlace, fromSeq: number): readonly Statement[] {
  const place = { tenant, id };
  const lost = sql`tenant = ${tenant} AND session_key = ${selectSessionKey(place)} AND seq >= ${fromSeq} AND content LIKE 'lost %'`;
  return [
    updateFigures(place, { message_count: sql`message_count - (SELECT count(*) FROM entries WHERE ${lost})` }),
    sql`DELETE FROM entries WHERE ${lost}`,
    // A message may follow at a seq that is indexed already.
    ...forgetWords(place),
  ];
}

/** Changes of a session by new lines. */
export interface SessionUpdate {
  readonly place: MarkedPlace;
  readonly lastSeq: number;
  readonly messages: number;
  readonly updatedAt: number | null;
  readonly firstMessage: { readonly seq: number; readonly role: Role; readonly preview: string } | undefined;
  readonly epoch: number | null;
  readonly fence: number;
}

export function updateSession(change: SessionUpdate): Statement {
  const { place, lastSeq, messages, updatedAt, epoch, fence, firstMessage } = change;
  const figures = setFigures({
    last_seq: sql`${lastSeq}`,
    message_count: sql`message_count + ${messages}`,
    updated_at: sql`max(updated_at, coalesce(${updatedAt}, updated_at))`,
    epoch: sql`coalesce(${epoch}, epoch)`,
    ...(firstMessage && setFirst(firstMessage.role, sql`${firstMessage.seq}`)),
  });
  return sql`
    UPDATE sessions SET fence = max(fence, ${fence}), ${figures}
      ${firstMessage === undefined ? sql`` : setPreview(firstMessage.preview)}
    WHERE tenant = ${place.tenant} AND id = ${place.id}`;
}

/** Detaches the forks of a missing file, which keep their own entries. */
export function separateForks(place: SessionPlace): Statement {
  // Their checksum is removed, because no statement can compute one from a lineage.
  return sql`UPDATE sessions SET parent_key = NULL, lineage = '[]', checksum = NULL
    WHERE tenant = ${place.tenant} AND parent_key = ${selectSessionKey(place)}`;
}

function forgetWords(place: SessionPlace): readonly Statement[] {
  const isOwn = sql`tenant = ${place.tenant} AND session_key = ${selectSessionKey(place)}`;
  return [sql`DELETE FROM word_progress WHERE ${isOwn}`, sql`DELETE FROM word_places WHERE ${isOwn}`];
}

/** Removes the entries of a session that has forks. */
export function deleteSessionEntries(place: SessionPlace): readonly Statement[] {
  const isOwn = sql`first_seq > coalesce(fork_at_seq, 0)`;
  const entries = sql`SELECT entry_key FROM entries WHERE tenant = ${place.tenant} AND session_key = ${selectSessionKey(place)}`;
  return [
    sql`DELETE FROM text_index WHERE rowid IN (${selectIndexed(sql`t.entry_key IN (${entries})`)})`,
    ...forgetWords(place),
    sql`DELETE FROM token_counts WHERE tenant = ${place.tenant} AND session_key = ${selectSessionKey(place)}`,
    sql`DELETE FROM entries WHERE tenant = ${place.tenant} AND session_key = ${selectSessionKey(place)}`,
    sql`UPDATE sessions SET ${setFigures({
      last_seq: sql`coalesce(fork_at_seq, 0)`,
      message_count: sql`inherited_messages`,
      epoch: sql`0`,
      first_role: sql`iif(${isOwn}, NULL, first_role)`,
      first_seq: sql`iif(${isOwn}, NULL, first_seq)`,
    })}, preview = iif(${isOwn}, '', preview), preview_checksum = iif(${isOwn}, ${sumText("")}, preview_checksum)
      WHERE tenant = ${place.tenant} AND id = ${place.id}`,
  ];
}
