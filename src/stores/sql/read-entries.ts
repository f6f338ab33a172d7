/** Reads entries of a log from its own and its inherited segments. */
import type { Entry, EntryId } from "../../core/log/entry.ts";
import type { EntryRange } from "../../ports/store.ts";
import type { Row } from "./driver.ts";
import type { SqlReader } from "./sql-context.ts";
import type { Segment } from "./sql-statements.ts";
import { readStoredEntries } from "./stored-blobs.ts";
import { type DetachedEntry, fromStoredEntry } from "./stored-entry.ts";
import { toStoredText } from "./stored-text.ts";

interface RangeOfSegments {
  readonly range: EntryRange;
  readonly sql: SqlReader;
}

/** Reads a range of entries; `segments` are newest first. */
export async function readSegments(
  segments: readonly Segment[],
  { range, sql }: RangeOfSegments,
): Promise<readonly Entry[]> {
  const { driver, statements } = sql;
  const { limit = Number.POSITIVE_INFINITY, newestFirst = false } = range;
  const found: Row[] = [];
  for (const segment of newestFirst ? segments : segments.toReversed()) {
    const left = limit - found.length;
    if (left <= 0) break;
    const wanted = { ...range, limit: Number.isFinite(left) ? left : undefined };
    const [rows = []] = await driver.read([statements.readEntries(segment, wanted)]);
    for (const row of rows) found.push(row);
  }
  return readStoredEntries(found, { tenant: segments[0]?.tenant ?? "", sql });
}

/** A stored entry and the key of the session that owns it. */
export interface OwnedEntry {
  readonly entry: DetachedEntry;
  readonly key: number;
}

export async function findEntries(
  segments: readonly Segment[],
  { ids, sql: { driver, statements, contents } }: { readonly ids: readonly EntryId[] } & Pick<RangeOfSegments, "sql">,
): Promise<ReadonlyMap<EntryId, OwnedEntry>> {
  if (ids.length === 0) return new Map();
  const stored = ids.map(toStoredText);
  const results = await driver.read(segments.map((segment) => statements.readEntriesById(segment, stored)));
  const keys = results.flatMap((rows, index) => rows.map(() => segments[index]?.key ?? 0));
  const rows = results.flat();
  const entries = contents === undefined ? rows.map(fromStoredEntry) : await contents.readEntries(rows, {});
  return new Map(entries.map((entry, index) => [entry.id, { entry, key: keys[index] ?? 0 }]));
}
