/** Takes images, files and long texts out of messages before they are written, and puts them back on reading. */
import type { Entry, EntryDraft } from "../../core/log/entry.ts";
import type { Message } from "../../core/message/message.ts";
import { BlobCollector, type BlobReference, type BlobSource, cutChunks } from "../blobs/blob.ts";
import { attachBlobs, detachBlobs } from "../blobs/detach-blobs.ts";
import { readBytes } from "./driver.ts";
import type { SqlReader } from "./sql-context.ts";
import type { StoredBlob } from "./sql-statements.ts";
import type { DetachedEntry } from "./stored-entry.ts";

/** Drafts as they will be written, and the blobs taken out of them. */
export class DetachedDrafts {
  readonly #collector = new BlobCollector();
  readonly #detached = new Map<EntryDraft, EntryDraft & { readonly blobs: readonly BlobReference[] }>();

  static async detach(drafts: readonly EntryDraft[]): Promise<DetachedDrafts> {
    const detached = new DetachedDrafts();
    for (const draft of drafts) if (draft.type === "message") await detached.#take(draft, draft.message);
    return detached;
  }

  async #take(draft: EntryDraft & { readonly type: "message" }, whole: Message): Promise<void> {
    const { message, blobs } = await detachBlobs(whole, this.#collector, { at: draft.at });
    if (blobs.length > 0) this.#detached.set(draft, { ...draft, message, blobs });
  }

  /** Returns the draft to write: the given one if nothing was taken out of it. */
  findWritten(draft: EntryDraft): EntryDraft {
    return this.#detached.get(draft) ?? draft;
  }

  /** Lists the hashes of a draft's blobs, each once. */
  listHashes(draft: EntryDraft): readonly string[] {
    return listHashes(this.#detached.get(draft)?.blobs);
  }

  /** Lists the blobs of these drafts, sorted by hash. */
  listBlobs(drafts: readonly EntryDraft[]): readonly StoredBlob[] {
    const hashes = new Set(drafts.flatMap((draft) => this.listHashes(draft)));
    return [...hashes].sort().flatMap((hash) => {
      const bytes = this.#collector.blobs.get(hash)?.bytes;
      return bytes === undefined ? [] : [{ hash, bytes: bytes.length, chunks: cutChunks(bytes) }];
    });
  }
}

export function listHashes(blobs: readonly BlobReference[] | undefined): readonly string[] {
  return [...new Set(blobs?.map(({ name }) => name))];
}

export interface AttachEntryOptions {
  readonly tenant: string;
  readonly sql: SqlReader;
  /** Skips media, for readers that only need text. */
  readonly onlyTexts?: boolean | undefined;
  /** Called for an entry that has lost a blob. */
  readonly onLost?: ((entry: Entry) => void) | undefined;
}

/** Restores entries as they were given. Entries without blobs cost nothing. */
export async function attachEntries(
  entries: readonly DetachedEntry[],
  options: AttachEntryOptions,
): Promise<readonly Entry[]> {
  if (entries.every(({ blobs }) => blobs === undefined)) return entries;
  const source = cacheReads(options);
  const attached: Entry[] = [];
  for (const detached of entries) attached.push(await attachEntry(detached, source, options));
  return attached;
}

async function attachEntry(
  { blobs, ...entry }: DetachedEntry,
  source: BlobSource,
  { sql, onlyTexts, onLost }: AttachEntryOptions,
): Promise<Entry> {
  if (blobs === undefined || entry.type !== "message") return entry as Entry;
  const onMissing = (name: string) => {
    onLost?.(entry);
    sql.warnings.warn(`The blob ${name}, which belongs to message ${JSON.stringify(entry.id)}, is missing or damaged.`);
  };
  const message = await attachBlobs({ message: entry.message, blobs }, source, { onlyTexts, onMissing });
  return { ...entry, message };
}

/** Reads each blob once, however many messages refer to it. */
function cacheReads({ tenant, sql: { driver, statements } }: AttachEntryOptions): BlobSource {
  const known = new Map<string, Promise<Uint8Array | undefined>>();
  const read = async (hash: string): Promise<Uint8Array | undefined> => {
    const [rows = []] = await driver.read([statements.readBlob(tenant, hash)]);
    return rows.length === 0 ? undefined : Buffer.concat(rows.map((row) => readBytes(row, "data")));
  };
  return {
    find(hash) {
      const found = known.get(hash) ?? read(hash);
      known.set(hash, found);
      return found;
    },
  };
}
