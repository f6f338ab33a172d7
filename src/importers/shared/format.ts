/** A format of session files: recognizes a file by its beginning, and opens a reader for its records. */
import type { ToolFormatName } from "../../core/message/formats/tool-formats.ts";
import type { TranscriptEvent } from "../../ports/transcript.ts";
import type { SourceRecord } from "./record.ts";

/** `lines`: JSON Lines; `list` and `object`: one JSON value; `text`: anything else. */
export type FileShape = "lines" | "list" | "object" | "text";

/** The beginning of a file. */
export interface FileSample {
  readonly shape: FileShape;
  /** Records of the first kilobytes; of a JSON object its fields. */
  readonly records: readonly unknown[];
  readonly text: string;
  /** The file has one record, so it is one conversation. */
  readonly isOneRecord: boolean;
  /** Lower case, without folders. */
  readonly name: string;
}

/** Reads one file. A record that cannot be read is a `message-invalid` error, and reading goes on with the next one. */
export interface FormatReader {
  take(record: SourceRecord): Iterable<TranscriptEvent>;
  /** Absent if every record is complete in itself. */
  end?(): Iterable<TranscriptEvent>;
}

export interface ReaderContext {
  /** Name of the file without folders, as given. */
  readonly name: string | undefined;
  readonly isOneRecord: boolean;
}

export interface TranscriptFormat {
  readonly name: ToolFormatName;
  /** For messages and docs: `Claude Code sessions (JSONL)`. */
  readonly title: string;
  recognize(sample: FileSample): boolean;
  open(context: ReaderContext): FormatReader;
}
