/** The result of an import of other tools' sessions. */
import type { SessionId } from "../../core/log/entry.ts";
import type { TranscriptFormatName } from "../../core/message/formats/tool-formats.ts";
import type { TranscriptSkip } from "../../ports/transcript.ts";

/** One session of a file, with the number of its messages and of those that were new. */
export interface ImportedSession {
  readonly sessionId: SessionId;
  readonly format: TranscriptFormatName;
  readonly sourceId?: string | undefined;
  readonly title?: string | undefined;
  /** Messages of the session in the file. */
  readonly messages: number;
  /** Messages that were not stored before. */
  readonly added: number;
  readonly calls: number;
  readonly results: number;
  /** Compactions by the tool itself. */
  readonly summaries: number;
}

/** A record that could not be read, with its place and the reason. */
export type ImportProblem = Omit<TranscriptSkip, "type">;

/** The sessions of an imported file, and how many messages were new. */
export interface TranscriptImport {
  /** The first session of the file. Absent if the file has no messages. */
  readonly sessionId?: SessionId | undefined;
  readonly format?: TranscriptFormatName | undefined;
  readonly sessions: readonly ImportedSession[];
  readonly messages: number;
  readonly added: number;
  /** Number of records that could not be read. */
  readonly skipped: number;
  /** The first of them, with their places and reasons. */
  readonly problems: readonly ImportProblem[];
}
