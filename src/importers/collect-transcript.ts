/** Reads a session file whole: all sessions with their messages, for callers that do not need a stream. */
import type { TranscriptFormatName } from "../core/message/formats/tool-formats.ts";
import type {
  TranscriptMessage,
  TranscriptOptions,
  TranscriptSession,
  TranscriptSkip,
  TranscriptSource,
  TranscriptSummary,
} from "../ports/transcript.ts";
import { readTranscript } from "./read-transcript.ts";

/** One session of a file, with everything that the file says about it. */
export interface CollectedSession extends Omit<TranscriptSession, "type"> {
  /** In order. `message` can be passed to `fit` and `append`; a message with `usage` ends a response of the model. */
  readonly messages: readonly TranscriptMessage[];
  /** Compactions by the tool itself. */
  readonly summaries: readonly TranscriptSummary[];
}

/** The sessions of a file. */
export interface Transcript {
  /** Absent if the file has no messages. */
  readonly format?: TranscriptFormatName | undefined;
  readonly sessions: readonly CollectedSession[];
  /** Records that could not be read, with their places. */
  readonly problems: readonly TranscriptSkip[];
}

interface OpenSession extends Omit<TranscriptSession, "type" | "title"> {
  title?: string | undefined;
  readonly messages: TranscriptMessage[];
  readonly summaries: TranscriptSummary[];
}

export async function collectTranscript(source: TranscriptSource, options?: TranscriptOptions): Promise<Transcript> {
  const sessions = new Map<string, OpenSession>();
  const problems: TranscriptSkip[] = [];
  for await (const event of readTranscript(source, options)) {
    if (event.type === "skipped") problems.push(event);
    else if (event.type === "session") {
      const { type: _, ...session } = event;
      if (!sessions.has(event.session)) sessions.set(event.session, { ...session, messages: [], summaries: [] });
    } else {
      const session = sessions.get(event.session);
      if (event.type === "message") session?.messages.push(event);
      else if (event.type === "summary") session?.summaries.push(event);
      else if (session !== undefined) session.title ??= event.title;
    }
  }
  const [first] = sessions.values();
  return { ...(first === undefined ? {} : { format: first.format }), sessions: [...sessions.values()], problems };
}
