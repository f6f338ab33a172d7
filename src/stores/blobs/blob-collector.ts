/** Blobs in memory: gathered to be written together with the rows that refer to them, or only to be counted. */
import type { Blob, BlobSink } from "./blob.ts";

export class BlobCollector implements BlobSink {
  /** By their hashes, which are their names. */
  readonly blobs = new Map<string, Blob>();

  async put(blob: Blob): Promise<{ readonly name: string; readonly isNew: boolean }> {
    const { sha256: name } = blob;
    const isNew = !this.blobs.has(name);
    if (isNew) this.blobs.set(name, blob);
    return { name, isNew };
  }
}
