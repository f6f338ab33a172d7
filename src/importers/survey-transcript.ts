/** Counts what a session file contains, in the shape of an import's result, without storing anything. */
import type { TranscriptFormatName } from "../core/message/formats/tool-formats.ts";
import type { TranscriptEvent, TranscriptOptions, TranscriptSkip, TranscriptSource } from "../ports/transcript.ts";
import { readTranscript } from "./read-transcript.ts";

export interface SurveyedSession {
  readonly sessionId: string;
  readonly format: TranscriptFormatName;
  readonly sourceId?: string | undefined;
  title?: string | undefined;
  messages: number;
  /** All of them: nothing is compared with a store. */
  added: number;
  calls: number;
  results: number;
  summaries: number;
}

export interface TranscriptSurvey {
  readonly format?: TranscriptFormatName | undefined;
  readonly sessions: readonly SurveyedSession[];
  readonly messages: number;
  readonly added: number;
  readonly skipped: number;
  readonly problems: readonly Omit<TranscriptSkip, "type">[];
}

const MAX_PROBLEMS = 100;

export async function surveyTranscript(
  source: TranscriptSource,
  options: TranscriptOptions,
): Promise<TranscriptSurvey> {
  const sessions = new Map<string, SurveyedSession>();
  const problems: Omit<TranscriptSkip, "type">[] = [];
  let skipped = 0;
  for await (const event of readTranscript(source, options)) {
    if (event.type !== "skipped") countEvent(sessions, event);
    else {
      skipped += 1;
      const { type: _, ...problem } = event;
      if (problems.length < MAX_PROBLEMS) problems.push(problem);
    }
  }
  const all = [...sessions.values()];
  const messages = all.reduce((sum, each) => sum + each.messages, 0);
  const [first] = all;
  return {
    ...(first === undefined ? {} : { format: first.format }),
    sessions: all,
    messages,
    added: messages,
    skipped,
    problems,
  };
}

function countEvent(sessions: Map<string, SurveyedSession>, event: Exclude<TranscriptEvent, TranscriptSkip>): void {
  if (event.type === "session") {
    const { session: sessionId, format, sourceId, title } = event;
    const known = { ...(sourceId === undefined ? {} : { sourceId }), ...(title === undefined ? {} : { title }) };
    const counts = { messages: 0, added: 0, calls: 0, results: 0, summaries: 0 };
    if (!sessions.has(sessionId)) sessions.set(sessionId, { sessionId, format, ...known, ...counts });
    return;
  }
  const session = sessions.get(event.session);
  if (session === undefined) return;
  if (event.type === "title") session.title ??= event.title;
  else if (event.type === "summary") session.summaries += 1;
  else {
    session.messages += 1;
    session.added += 1;
    for (const { type } of event.message.parts) {
      if (type === "tool-call") session.calls += 1;
      if (type === "tool-result") session.results += 1;
    }
  }
}
