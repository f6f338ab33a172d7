/**
 * The neutral form of other tools' session files: a stream of events in the order of the file. Readers of recorded
 * sessions need nothing else: an import stores the events, a replay prices them.
 *
 * Promises that hold for every format:
 * - A `session` event comes before every other event of its session. Sessions of one file may alternate.
 * - Ids depend on the content alone, so that reading a file again, or a longer version of it, gives the same ids.
 * - Nothing is invented: a time, model, usage or parent that the file does not have is absent. Where a format has no
 *   ids, an id is derived from the content and everything before it.
 * - A message with `usage` is the last message of one provider response, so each is one request of the session.
 */
import type { Usage } from "../core/log/entry.ts";
import type { ExportFormatName, TranscriptFormatName } from "../core/message/formats/tool-formats.ts";
import type { Message, MessageId } from "../core/message/message.ts";

/** Names a session within the stream, and the session in which an import stores it. */
export type TranscriptSessionId = string;

/** Where a session continues another one of the same file. */
export interface TranscriptParent {
  readonly session: TranscriptSessionId;
  /** The last message that both share; absent if they share none. */
  readonly afterMessageId?: MessageId | undefined;
  /** A `fork` shares the parent's messages up to there. A `subagent` was started there and shares none. */
  readonly kind: "fork" | "subagent";
}

/** The beginning of a session, before all its other events. */
export interface TranscriptSession {
  readonly type: "session";
  readonly session: TranscriptSessionId;
  readonly format: TranscriptFormatName;
  /** The tool's own id of the session. */
  readonly sourceId?: string | undefined;
  readonly title?: string | undefined;
  /** Epoch milliseconds. */
  readonly startedAt?: number | undefined;
  /** The folder in which the tool worked. */
  readonly folder?: string | undefined;
  readonly parent?: TranscriptParent | undefined;
}

/** A message of a session. One with `usage` ends a response of the model. */
export interface TranscriptMessage {
  readonly type: "message";
  readonly session: TranscriptSessionId;
  /** `saidAt` is its time in the file, and `extras["source:<format>"]` has what the file says besides. */
  readonly message: Message;
  /** The model and the tokens of the response that ends with this message. `inputTokens` counts the whole prompt. */
  readonly usage?: Usage | undefined;
  /** The dollars that the file gives for the response. */
  readonly costUsd?: number | undefined;
  /** The message that it follows in the tool's own tree. */
  readonly parentId?: MessageId | undefined;
  /** The provider's id of the response or request. */
  readonly responseId?: string | undefined;
}

/** A compaction by the tool itself. What it says is the tool's, never the user's. */
export interface TranscriptSummary {
  readonly type: "summary";
  readonly session: TranscriptSessionId;
  readonly id: string;
  readonly text: string;
  readonly at?: number | undefined;
  readonly trigger?: "auto" | "manual" | undefined;
  /** Tokens of the prompt before the compaction. */
  readonly tokensBefore?: number | undefined;
  /** The first message that the tool kept verbatim, if the file names it. */
  readonly firstKeptId?: MessageId | undefined;
}

/** The newest title of a session, if it comes after the session's beginning. */
export interface TranscriptTitle {
  readonly type: "title";
  readonly session: TranscriptSessionId;
  readonly title: string;
}

/** A record of the file that could not be read. */
export interface TranscriptSkip {
  readonly type: "skipped";
  /** `line 17`, or the path of the record in a JSON file. */
  readonly place: string;
  readonly line?: number | undefined;
  readonly reason: string;
}

/** One event of a session file that is read as a stream. */
export type TranscriptEvent =
  | TranscriptSession
  | TranscriptMessage
  | TranscriptSummary
  | TranscriptTitle
  | TranscriptSkip;

type Piece = string | Uint8Array;

/** A file's text or bytes, whole or in pieces. Pieces may end anywhere. */
export type TranscriptSource = Piece | Iterable<Piece> | AsyncIterable<Piece>;

/** Options for reading a session file. */
export interface TranscriptOptions {
  /** The name of the file, which helps to recognize it. */
  readonly name?: string | undefined;
  /** Reads the file as this format instead of recognizing it. */
  readonly format?: TranscriptFormatName | undefined;
}

/** Recognizes and reads session files. Throws `message-invalid` for a file that is none, with a list of the formats. */
export type TranscriptReader = (
  source: TranscriptSource,
  options?: TranscriptOptions,
) => AsyncIterable<TranscriptEvent>;

/** Writes one session, whose event comes first, as the text of a file, in pieces. */
export type TranscriptExporter = (
  events: AsyncIterable<TranscriptEvent>,
  format: ExportFormatName,
) => AsyncIterable<string>;
