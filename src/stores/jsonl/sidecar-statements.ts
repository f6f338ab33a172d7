/** Statements of the sidecar only. A session's `mark` is its file, an entry's `content` the place of its line. */
import type { Role } from "../../core/message/message.ts";
import { moveSessionSum, sumEntry } from "../sql/checksums.ts";
import { type Statement, sql } from "../sql/driver.ts";
import type { MarkedPlace, SessionPlace } from "../sql/sql-statements.ts";
import type { StoredEntry } from "../sql/stored-entry.ts";
import { selectIndexed } from "../sqlite/sqlite-search-statements.ts";
import type { FileName } from "./folder-layout.ts";
import type { FileState } from "./open-files.ts";

const keyOf = ({ tenant, id }: SessionPlace) =>
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
  readonly turn: number | null | "none";
}

export function insertEntry({ tenant, id: sessionId }: MarkedPlace, entry: IndexedEntry): Statement {
  const { seq, type, at, id, hash, content, tokens, turn } = entry;
  const key =
    turn === "none"
      ? sql`(SELECT min(0, coalesce(min(entry_key), 0)) - 1 FROM entries)`
      : // A copied file has the numbers of its original.
        sql`iif(EXISTS (SELECT 1 FROM entries WHERE entry_key = ${turn}), NULL, ${turn})`;
  return sql`
    INSERT INTO entries (entry_key, tenant, session_key, seq, type, at, id, hash, content, tokens, checksum)
    SELECT ${key}, s.tenant, s.session_key, ${seq}, ${type}, ${at}, ${id}, ${hash}, ${content}, ${tokens},
      ${sumEntry(entry) + seq} + s.session_key
    FROM sessions s WHERE s.tenant = ${tenant} AND s.id = ${sessionId}`;
}

/** Deletes markers of messages that cannot be read. */
export function deleteLostMarkers({ tenant, id }: SessionPlace, fromSeq: number): readonly Statement[] {
  const place = { tenant, id };
  const lost = sql`tenant = ${tenant} AND session_key = ${keyOf(place)} AND seq >= ${fromSeq} AND content LIKE 'lost %'`;
  return [
    sql`UPDATE sessions SET message_count = message_count - (SELECT count(*) FROM entries WHERE ${lost}),
      checksum = checksum - 3 * (SELECT count(*) FROM entries WHERE ${lost})
      WHERE tenant = ${tenant} AND id = ${id}`,
    sql`DELETE FROM entries WHERE ${lost}`,
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
  return sql`
    UPDATE sessions SET last_seq = ${lastSeq}, message_count = message_count + ${messages},
      ${moveSessionSum({ lastSeq: sql`${lastSeq} - last_seq`, messageCount: sql`${messages}`, epoch: sql`${epoch}` })},
      updated_at = max(updated_at, coalesce(${updatedAt}, updated_at)), epoch = coalesce(${epoch}, epoch),
      fence = max(fence, ${fence}),
      first_role = iif(first_seq IS NULL, ${firstMessage?.role ?? null}, first_role),
      preview = iif(first_seq IS NULL, ${firstMessage?.preview ?? ""}, preview),
      first_seq = coalesce(first_seq, ${firstMessage?.seq ?? null})
    WHERE tenant = ${place.tenant} AND id = ${place.id}`;
}

/** Forks of a missing file keep their own entries. */
export function separateForks(place: SessionPlace): Statement {
  return sql`UPDATE sessions SET parent_key = NULL, lineage = '[]'
    WHERE tenant = ${place.tenant} AND parent_key = ${keyOf(place)}`;
}

/** Removes the entries of a session that has forks. */
export function deleteSessionEntries(place: SessionPlace): readonly Statement[] {
  const entries = sql`SELECT entry_key FROM entries WHERE tenant = ${place.tenant} AND session_key = ${keyOf(place)}`;
  return [
    sql`DELETE FROM text_index WHERE rowid IN (${selectIndexed(sql`t.entry_key IN (${entries})`)})`,
    sql`DELETE FROM token_counts WHERE tenant = ${place.tenant} AND session_key = ${keyOf(place)}`,
    sql`DELETE FROM entries WHERE tenant = ${place.tenant} AND session_key = ${keyOf(place)}`,
    sql`UPDATE sessions SET last_seq = coalesce(fork_at_seq, 0), message_count = inherited_messages, epoch = 0,
      checksum = 8 * coalesce(fork_at_seq, 0) + 14 * inherited_messages,
      first_role = iif(first_seq > coalesce(fork_at_seq, 0), NULL, first_role),
      preview = iif(first_seq > coalesce(fork_at_seq, 0), '', preview),
      first_seq = iif(first_seq > coalesce(fork_at_seq, 0), NULL, first_seq)
      WHERE tenant = ${place.tenant} AND id = ${place.id}`,
  ];
}
