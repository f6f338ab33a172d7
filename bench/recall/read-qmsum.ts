/**
 * Reads meetings of the QMSum data set: the turns of a transcript, and queries with the spans of turns that answer
 * them.
 */
import type { Message } from "../../src/core/message/message.ts";
import { listJson, listOf, objectOf, readJson } from "./read-json.ts";

export interface Meeting {
  readonly name: string;
  /** One message for each turn; its id is its index. */
  readonly messages: readonly Message[];
  /** `speaker: words`, one for each turn. */
  readonly lines: readonly string[];
  /** The words alone. */
  readonly texts: readonly string[];
  /** The turns that each query is about. */
  readonly queries: readonly (readonly number[])[];
}

export function readQmsum(folder: string): readonly Meeting[] | undefined {
  const files = listJson(folder);
  return files.length === 0 ? undefined : files.map((file) => readMeeting(folder, file));
}

function readMeeting(folder: string, file: string): Meeting {
  const { meeting_transcripts: transcripts, specific_query_list: queries } = objectOf(readJson(folder, file));
  const turns = listOf(transcripts).map(({ speaker, content }) => ({ name: String(speaker), text: String(content) }));
  return {
    name: file.replace(/\.json$/, ""),
    messages: turns.map(({ name, text }, index) => ({
      id: String(index),
      role: "user",
      name,
      parts: [{ type: "text", text }],
    })),
    lines: turns.map(({ name, text }) => `${name}: ${text}`),
    texts: turns.map(({ text }) => text),
    queries: listOf(queries).map(({ relevant_text_span: spans }) => turnsOf(spans)),
  };
}

function turnsOf(spans: unknown): readonly number[] {
  const turns = new Set<number>();
  for (const span of Array.isArray(spans) ? spans : []) {
    const [first, last] = Array.isArray(span) ? span.map(Number) : [];
    for (let turn = first ?? 0; turn <= (last ?? -1); turn += 1) turns.add(turn);
  }
  return [...turns];
}
