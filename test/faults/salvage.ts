/**
 * A process that reads everything that is still readable from stores, and reports the content of each entry and whether
 * it matches its hash. It is a separate process because damaged files may crash it.
 */
import { createHash } from "node:crypto";
import { writeSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { PalimpsestError } from "../../src/core/errors.ts";
import type { Entry, MessageEntry } from "../../src/core/log/entry.ts";
import { hashMessage } from "../../src/core/message/hash-message.ts";
import type { TenantStore } from "../../src/ports/store.ts";
import { openJsonlStore } from "../../src/stores/jsonl/jsonl-store.ts";
import { openPlace, type Place } from "./place.ts";

export interface SalvagedEntry {
  /** Session and id. */
  readonly key: string;
  readonly print: string;
  /** False if a message does not match its hash. Other entries have no hash. */
  readonly isTrue: boolean;
}

export type SalvageLine =
  | { readonly type: "read"; readonly entries: readonly SalvagedEntry[]; readonly complaints: readonly string[] }
  /** The store could not be opened, for this reason. */
  | { readonly type: "refused"; readonly complaint: string };

const MAX_SESSIONS = 1_000;

async function salvage(place: Place): Promise<SalvageLine> {
  const complaints: string[] = place.kind === "sqlite" ? examine(place.path) : [];
  const note = (error: unknown): undefined => {
    // Any other error is a bug and ends the process.
    if (!(error instanceof PalimpsestError)) throw error;
    complaints.push(error.message);
  };
  try {
    const store =
      place.kind === "jsonl"
        ? openJsonlStore({ folder: place.path, onWarning: ({ text }) => complaints.push(text) })
        : await openPlace(place);
    const tenant = store.tenant("local");
    const sessions = (await tenant.listSessions({ limit: MAX_SESSIONS }).catch(note)) ?? [];
    const entries: SalvagedEntry[] = [];
    for (const { id } of sessions) {
      const last = (await tenant.findSession(id).catch(note))?.lastSeq ?? 0;
      entries.push(
        ...(await readSpan(tenant, { id, after: 0, through: last, note })).map((entry) => describe(id, entry)),
      );
      await tenant.readView(id).catch(note);
    }
    await tenant.search({ text: "words of", limit: 5 }).catch(note);
    await store.close();
    return { type: "read", entries, complaints };
  } catch (error) {
    note(error);
    return { type: "refused", complaint: complaints.at(-1) ?? "" };
  }
}

interface Span {
  readonly id: string;
  readonly after: number;
  readonly through: number;
  readonly note: (error: unknown) => undefined;
}

/** Reads an unreadable range in halves, down to the broken entry. */
async function readSpan(tenant: TenantStore, { id, after, through, note }: Span): Promise<readonly Entry[]> {
  const entries = await tenant.readEntries(id, { afterSeq: after, throughSeq: through }).catch(note);
  if (entries !== undefined) return entries;
  if (through - after <= 1) return [];
  const middle = Math.floor((after + through) / 2);
  return [
    ...(await readSpan(tenant, { id, after, through: middle, note })),
    ...(await readSpan(tenant, { id, after: middle, through, note })),
  ];
}

function describe(session: string, entry: Entry): SalvagedEntry {
  const { recounts: _, ...rest } = { recounts: undefined, ...entry };
  const isTrue = entry.type !== "message" || entry.erased === true || hasItsHash(entry);
  return {
    key: `${session} ${entry.id}`,
    print: createHash("sha256").update(JSON.stringify(rest)).digest("hex").slice(0, 16),
    isTrue,
  };
}

/** A changed byte can make it impossible to hash an entry. */
function hasItsHash({ message, hash }: MessageEntry): boolean {
  try {
    return hashMessage(message) === hash;
  } catch {
    return false;
  }
}

/** Returns the findings of the database's own check. */
function examine(path: string): string[] {
  try {
    const database = new DatabaseSync(path);
    const found = database.prepare("PRAGMA integrity_check(1)").all();
    database.close();
    return found.flatMap((row) => (row.integrity_check === "ok" ? [] : [String(row.integrity_check)]));
  } catch (error) {
    return [String(error)];
  }
}

if (import.meta.main) {
  const places: readonly Place[] = JSON.parse(process.argv[2] ?? "[]");
  for (const place of places) writeSync(1, `${JSON.stringify(await salvage(place))}\n`);
}
