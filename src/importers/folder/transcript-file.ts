/** A file of a folder that may be a session file. */
export interface TranscriptFile {
  /** Path within the folder. */
  readonly path: string;
  readonly name: string;
  readonly bytes: number;
  open(): AsyncIterable<Uint8Array>;
}
