/** Writes one session as a file of another tool, or as a list of messages. */
import { FORMAT_NAMES } from "../core/message/formats/format.ts";
import type { ExportFormatName } from "../core/message/formats/tool-formats.ts";
import type { TranscriptEvent } from "../ports/transcript.ts";
import type { ExportedEvent, ExportedSession, WriteFormat } from "./export/export-format.ts";
import { writeAider } from "./export/write-aider.ts";
import { writeClaudeCode, writeCodex } from "./export/write-lines.ts";
import { writeClaudeAi, writeCline, writeGeminiCli, writeMessages, writeOpencode } from "./export/write-objects.ts";
import { writePi } from "./export/write-pi.ts";

const TOOL_WRITERS: Readonly<Record<Exclude<ExportFormatName, (typeof FORMAT_NAMES)[number]>, WriteFormat>> = {
  "claude-code": writeClaudeCode,
  codex: writeCodex,
  "gemini-cli": writeGeminiCli,
  opencode: writeOpencode,
  pi: writePi,
  cline: writeCline,
  aider: writeAider,
  "claude-ai": writeClaudeAi,
};

/** The first event is the session. Returns the text of the file in pieces. */
export async function* writeTranscript(
  events: AsyncIterable<TranscriptEvent>,
  format: ExportFormatName,
): AsyncGenerator<string, void, undefined> {
  const iterator = events[Symbol.asyncIterator]();
  const { value: facts } = await iterator.next();
  if (facts?.type !== "session") return;
  const session: ExportedSession = { facts, events: listWritten(iterator) };
  const name = FORMAT_NAMES.find((each) => each === format);
  yield* name === undefined ? TOOL_WRITERS[format as keyof typeof TOOL_WRITERS](session) : writeMessages(name, session);
}

async function* listWritten(events: AsyncIterator<TranscriptEvent>): AsyncGenerator<ExportedEvent> {
  for (let next = await events.next(); next.done !== true; next = await events.next()) {
    const { value } = next;
    if (value.type === "message" || value.type === "summary") yield value;
  }
}
