/** Blobs in pieces, because databases bound the size of a row: D1 takes rows of one to two megabytes. */
const CHUNK_BYTES = 512 * 1_024;

/** At least one chunk, so that nothing is told from not there. */
export function cutChunks(bytes: Uint8Array, chunkBytes = CHUNK_BYTES): readonly Uint8Array[] {
  const count = Math.max(1, Math.ceil(bytes.length / chunkBytes));
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes));
}
