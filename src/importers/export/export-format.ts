/** A writer of a format: returns the text of a file, in pieces, from the messages of one session. */
import type { Fields } from "../../core/check-value.ts";
import { readFields } from "../../core/check-value.ts";
import type { TranscriptFormatName } from "../../core/message/formats/tool-formats.ts";
import type { Message } from "../../core/message/message.ts";
import type { TranscriptMessage, TranscriptSession, TranscriptSummary } from "../../ports/transcript.ts";

export type ExportedEvent = TranscriptMessage | TranscriptSummary;

export interface ExportedSession {
  readonly facts: TranscriptSession;
  readonly events: AsyncIterable<ExportedEvent>;
}

export type WriteFormat = (session: ExportedSession) => AsyncGenerator<string, void, undefined>;

/** Returns the fields that an import of this format has kept beside the message. */
export function readSource({ extras }: Message, format: TranscriptFormatName): Fields {
  return readFields(extras?.[`wire:${format}`]);
}

export function toIsoTime(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString();
}

/** Drops absent fields, so that JSON has no `null` for them. */
export function writeLine(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

/** The tool's own id of the session: what an import has made the session's id from. */
export function findSourceId({ session, sourceId }: TranscriptSession, format: TranscriptFormatName): string {
  if (sourceId !== undefined) return sourceId;
  return session.startsWith(`${format}-`) ? session.slice(format.length + 1) : session;
}

/** The id of the record that several messages were read from. */
export function readRecordId(id: string): string {
  return id.replace(/#\d+$/, "");
}
