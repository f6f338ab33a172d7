/**
 * What is too large to stand in a row: images, files, long texts. A blob is kept once for each content, and a message
 * keeps a reference in its place. How the bytes are kept is the box's: a file each, or chunks of a table.
 */

/** Where something was taken out of a message, and what it was. */
export interface BlobReference {
  /** Which part of the message, counted from 0. */
  readonly part: number;
  /** Which part of a tool result's parts, where it was inside one. */
  readonly inner?: number | undefined;
  /** What the box calls it. */
  readonly name: string;
  /**
   * SHA-256 of the bytes in hexadecimal digits: what is read back is what was put in, or it is missing. Absent where
   * somebody else put it there.
   */
  readonly sha256?: string | undefined;
  /** `base64`: the bytes of a medium. `text`: words in UTF-8. */
  readonly as: "base64" | "text";
}

export interface Blob {
  readonly bytes: Uint8Array;
  readonly sha256: string;
  readonly mediaType: string | undefined;
  /** Epoch milliseconds: a part of the name in boxes that name by time. */
  readonly at: number;
}

export interface BlobSink {
  /** The same content gives the same name. What it takes is durable before any row that refers to it, or with it. */
  put(blob: Blob): Promise<{ readonly name: string; readonly isNew: boolean }>;
}

export interface BlobSource {
  /** Undefined for what is not there. Fails only where the medium does. */
  find(name: string): Promise<Uint8Array | undefined>;
}

/**
 * Keeps the blobs of one owner: a session's file, a tenant's rows. Nothing of another owner can be read through it.
 */
export interface BlobBox extends BlobSink, BlobSource {
  /** Removing what is not there is no failure. */
  remove(name: string): Promise<void>;
}
