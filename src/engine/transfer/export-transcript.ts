/** Exports a session as a file of another tool: reads its log as the events that an import of the file would give. */
import { PalimpsestError, sessionNotFound } from "../../core/errors.ts";
import type { Entry, SessionId } from "../../core/log/entry.ts";
import type { ExportFormatName } from "../../core/message/formats/tool-formats.ts";
import { redactMessageInSteps } from "../../core/summary/secrets/redact-messages.ts";
import { redactSecrets } from "../../core/summary/secrets/redact-secrets.ts";
import { runInSteps } from "../../ports/run-in-steps.ts";
import type { TenantStore } from "../../ports/store.ts";
import type { TranscriptEvent } from "../../ports/transcript.ts";
import type { EngineContext } from "../context/engine-context.ts";
import { findVisible } from "../session-list/list-sessions.ts";
import type { ExportOptions } from "./export-session.ts";
import { IMPORTED_SUMMARY } from "./imported-summary.ts";

/** Options of `exportTranscript`. */
export interface ExportTranscriptOptions extends ExportOptions {
  /** The tool or format of messages in which the file is written. */
  readonly format: ExportFormatName;
}

const PAGE = 50;

export async function* exportTranscript(
  { store, writeTranscript }: Pick<EngineContext, "store" | "writeTranscript">,
  id: SessionId,
  { format, secrets }: ExportTranscriptOptions,
): AsyncGenerator<string, void, undefined> {
  if (writeTranscript === undefined) {
    throw new PalimpsestError("config-invalid", "exportTranscript: this engine was opened without importers.");
  }
  yield* writeTranscript(readEvents(store, id, secrets !== "keep"), format);
}

async function* readEvents(store: TenantStore, id: SessionId, isRedacted: boolean): AsyncGenerator<TranscriptEvent> {
  const found = await findVisible(store, id);
  if (found === undefined) throw sessionNotFound(id);
  const { title, createdAt: startedAt } = found.header;
  yield { type: "session", session: id, format: "palimpsest", startedAt, ...(title === undefined ? {} : { title }) };
  for (let afterSeq = 0; ; ) {
    const entries = await store.readEntries(id, { afterSeq, types: ["message", "note"], limit: PAGE });
    for (const entry of entries) yield* describeEntry(entry, id, isRedacted);
    const last = entries.at(-1);
    if (last === undefined) return;
    afterSeq = last.seq;
  }
}

/** Erased messages have no text to export. */
async function* describeEntry(entry: Entry, session: SessionId, isRedacted: boolean): AsyncGenerator<TranscriptEvent> {
  if (entry.type === "message" && entry.erased !== true) {
    const { usage } = entry;
    const message = isRedacted ? await runInSteps(redactMessageInSteps(entry.message)) : entry.message;
    yield { type: "message", session, message, ...(usage === undefined ? {} : { usage }) };
  }
  if (entry.type !== "note" || entry.kind !== IMPORTED_SUMMARY) return;
  const { trigger, tokensBefore, firstKeptId, id: named } = entry.details ?? {};
  yield {
    type: "summary",
    session,
    id: typeof named === "string" ? named : entry.id,
    text: isRedacted ? redactSecrets(entry.text).text : entry.text,
    at: entry.at,
    ...(trigger === "auto" || trigger === "manual" ? { trigger } : {}),
    ...(typeof tokensBefore === "number" ? { tokensBefore } : {}),
    ...(typeof firstKeptId === "string" ? { firstKeptId } : {}),
  };
}
