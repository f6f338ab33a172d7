/**
 * Rows of a database of the first schema: a session with two messages and a note, and a fork with its own message.
 * Columns of later migrations are missing.
 */
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import type { Store } from "../../src/ports/store.ts";
import { aUserMessage, draftOf, isMessage, note } from "../../src/testing/store-contract/contract-log.ts";

const quote = (value: unknown): string => `'${String(value).replaceAll("'", "''")}'`;

/** Returns the statements that write these rows. `prefix` is put before table names. */
export function fillFirstSchema(prefix: string): readonly string[] {
  const head = quote(JSON.stringify(EMPTY_HEAD));
  const entry = (session: number, seq: number, draft: ReturnType<typeof draftOf> | ReturnType<typeof note>) => {
    const { id, type, at, ...content } = draft;
    const hash = draft.type === "message" ? quote(draft.hash) : "NULL";
    return `INSERT INTO ${prefix}entries (tenant, session_key, seq, type, at, id, hash, content) VALUES
      ('local', ${session}, ${seq}, ${quote(type)}, ${at}, ${quote(id)}, ${hash}, ${quote(JSON.stringify(content))})`;
  };
  const columns = "tenant, id, created_at, updated_at, last_seq, message_count, epoch, mark";
  return [
    `INSERT INTO ${prefix}sessions (${columns}) VALUES ('local', 's', 0, 0, 3, 2, 0, '')`,
    `INSERT INTO ${prefix}sessions (${columns}, parent_key, fork_at_seq, lineage)
      VALUES ('local', 'f', 0, 0, 4, 3, 0, '', 1, 3, '[[1,3]]')`,
    ...[1, 2].map(
      (
        key,
      ) => `INSERT INTO ${prefix}heads (tenant, session_key, floor_seq, folded_through_seq, view_from_seq, kept, head)
        VALUES ('local', ${key}, 0, 0, 0, '[]', ${head})`,
    ),
    entry(1, 1, draftOf(aUserMessage("One.", { id: "m1" }))),
    entry(1, 2, note("n1")),
    entry(1, 3, draftOf(aUserMessage("Two.", { id: "m2" }))),
    entry(2, 4, draftOf(aUserMessage("Instead.", { id: "m3" }))),
  ];
}

/** Reads the session back, with the statistics that the first schema did not keep. */
export async function readFirstSchema(store: Store) {
  const tenant = store.tenant("local");
  const ids = (await tenant.readEntries("f", {})).filter(isMessage).map(({ id }) => id);
  return { ids, statistics: await tenant.statistics() };
}

export const FIRST_SCHEMA_READ = {
  ids: ["m1", "m2", "m3"],
  statistics: { sessions: 2, entries: 4, messages: 3, blobs: { count: 0, bytes: 0 } },
};
