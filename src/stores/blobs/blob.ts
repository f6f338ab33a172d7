/** Images, files and long texts outside of their messages. Equal content is stored once. */

/** Where content was taken out of a message, and what kind it was. */
export interface BlobReference {
  readonly part: number;
  /** Index inside a tool result's parts, if the content was there. */
  readonly inner?: number | undefined;
  readonly name: string;
  /** SHA-256 in hexadecimal digits; other content counts as missing. Absent for files of other programs. */
  readonly sha256?: string | undefined;
  /** `base64`: the bytes of an image or file. `text`: UTF-8 text. */
  readonly as: "base64" | "text";
}

export interface Blob {
  readonly bytes: Uint8Array;
  readonly sha256: string;
  readonly mediaType: string | undefined;
  /** Epoch milliseconds; part of the name in stores whose blob names start with the time. */
  readonly at: number;
}

export interface BlobSink {
  /** Stores a blob durably before, or with, the row that refers to it. The same content gets the same name. */
  put(blob: Blob): Promise<{ readonly name: string; readonly isNew: boolean }>;
}

export interface BlobSource {
  /** Returns undefined for an unknown name. Fails only if the medium fails. */
  find(name: string): Promise<Uint8Array | undefined>;
}

/** Keeps the blobs of one session's file or one tenant's rows, without access to those of others. */
export interface BlobBox extends BlobSink, BlobSource {
  /** Removes a blob. Removing an unknown name does nothing. */
  remove(name: string): Promise<void>;
}

export class BlobCollector implements BlobSink {
  /** By hash, which is also the name. */
  readonly blobs = new Map<string, Blob>();

  async put(blob: Blob): Promise<{ readonly name: string; readonly isNew: boolean }> {
    const { sha256: name } = blob;
    const isNew = !this.blobs.has(name);
    if (isNew) this.blobs.set(name, blob);
    return { name, isNew };
  }
}

const CHUNK_BYTES = 512 * 1_024;

/** Cuts bytes into chunks that fit into rows. Empty content has one chunk too, unlike missing content. */
export function cutChunks(bytes: Uint8Array, chunkBytes = CHUNK_BYTES): readonly Uint8Array[] {
  const count = Math.max(1, Math.ceil(bytes.length / chunkBytes));
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes));
}
