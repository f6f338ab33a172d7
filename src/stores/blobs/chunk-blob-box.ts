/**
 * Blobs as rows of a table, cut into chunks because databases bound the size of a row. A blob is named by its hash, so
 * it is kept once and never changes. What the table is, and which owner's rows it shows, is the store's.
 */
import type { BlobBox } from "./blob.ts";

/** D1 takes rows of one to two megabytes. */
export const CHUNK_BYTES = 512 * 1_024;

export interface ChunkTable {
  has(name: string): Promise<boolean>;
  /** All chunks or none, in order. Writing what is there already changes nothing. */
  write(name: string, chunks: readonly Uint8Array[]): Promise<void>;
  /** In order; none for a name that is not there. */
  read(name: string): Promise<readonly Uint8Array[]>;
  remove(name: string): Promise<void>;
}

export function createChunkBlobBox(table: ChunkTable, chunkBytes = CHUNK_BYTES): BlobBox {
  return {
    async put({ bytes, sha256: name }) {
      if (await table.has(name)) return { name, isNew: false };
      await table.write(name, cutChunks(bytes, chunkBytes));
      return { name, isNew: true };
    },
    async find(name) {
      const chunks = await table.read(name);
      return chunks.length === 0 ? undefined : Buffer.concat(chunks);
    },
    remove: (name) => table.remove(name),
  };
}

/** At least one chunk, so that nothing is told from not there. */
function cutChunks(bytes: Uint8Array, chunkBytes: number): readonly Uint8Array[] {
  const count = Math.max(1, Math.ceil(bytes.length / chunkBytes));
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes));
}
