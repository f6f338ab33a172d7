/**
 * Stores the sessions of another tool's file as its events arrive. Messages that are stored already are recognized by
 * their ids, so an import can be interrupted at any moment and repeated, and a longer version of a file adds what is new.
 */
import { NEW_ID, oneOf, TEXT } from "../../core/check-options.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { SessionId } from "../../core/log/entry.ts";
import { TRANSCRIPT_FORMATS, type TranscriptFormatName } from "../../core/message/formats/tool-formats.ts";
import type { TranscriptEvent, TranscriptSession, TranscriptSource } from "../../ports/transcript.ts";
import type { EngineContext } from "../context/engine-context.ts";
import { loadCounts } from "../context/prompt-request.ts";
import { TITLE_RULE } from "../session-list/list-sessions.ts";
import { assertImportSize } from "./import-session.ts";
import { SessionImport, type WriterParts } from "./session-import.ts";
import type { ImportProblem, TranscriptImport } from "./transcript-import.ts";

/** Options of `palimpsest.importTranscript`. */
export interface ImportTranscriptOptions {
  /** The id of the session, or of the first one. Default: an id that is derived from the file's own. */
  readonly id?: SessionId | undefined;
  readonly title?: string | undefined;
  /** The name of the file, which helps to recognize it. */
  readonly name?: string | undefined;
  /** Reads the file as this format instead of recognizing it. */
  readonly format?: TranscriptFormatName | undefined;
}

export const IMPORT_TRANSCRIPT_RULES = {
  id: NEW_ID,
  title: TITLE_RULE,
  name: TEXT,
  format: oneOf(...TRANSCRIPT_FORMATS),
};

/** Number of problems that a result lists; the others are counted. */
export const MAX_PROBLEMS = 100;
/** Entries and characters of all sessions together that wait to be written. */
const BATCH_ENTRIES = 100;
const BATCH_CHARACTERS = 1_000_000;

export async function storeTranscript(
  context: EngineContext,
  source: TranscriptSource,
  options: ImportTranscriptOptions,
): Promise<TranscriptImport> {
  const { readTranscript } = context;
  if (readTranscript === undefined) {
    throw new PalimpsestError("config-invalid", "importTranscript: this engine was opened without importers.");
  }
  const run = new ImportRun({ context, counts: await loadCounts(context, {}) }, options);
  const { name, format } = options;
  for await (const event of readTranscript(source, { name, format })) await run.take(event);
  return run.end();
}

class ImportRun {
  readonly #parts: WriterParts;
  readonly #options: ImportTranscriptOptions;
  readonly #writers = new Map<string, SessionImport>();
  readonly #waiting = new Set<SessionImport>();
  readonly #problems: ImportProblem[] = [];
  #skipped = 0;
  #messages = 0;

  constructor(parts: Omit<WriterParts, "report">, options: ImportTranscriptOptions) {
    this.#parts = { ...parts, report: (problem) => this.#report(problem) };
    this.#options = options;
  }

  async take(event: TranscriptEvent): Promise<void> {
    if (event.type === "skipped") {
      const { type: _, ...problem } = event;
      return this.#report(problem);
    }
    if (event.type === "session") return this.#open(event);
    const writer = this.#writers.get(event.session);
    if (writer === undefined) return;
    this.#waiting.add(writer);
    if (event.type === "title") await writer.rename(event.title);
    else if (event.type === "summary") await writer.summarize(event);
    else {
      this.#messages += 1;
      assertImportSize(this.#parts.context, this.#messages);
      await writer.add(event);
    }
    await this.#flushFull();
  }

  async end(): Promise<TranscriptImport> {
    for (const writer of this.#writers.values()) await writer.end();
    const sessions = [...this.#writers.values()].flatMap((writer) => writer.describe());
    const [first] = sessions;
    return {
      ...(first === undefined ? {} : { sessionId: first.sessionId, format: first.format }),
      sessions,
      messages: this.#messages,
      added: sessions.reduce((sum, { added }) => sum + added, 0),
      skipped: this.#skipped,
      problems: this.#problems,
    };
  }

  /** A fork begins where its parent is written. */
  async #open(event: TranscriptSession): Promise<void> {
    if (this.#writers.has(event.session)) return;
    const parent = event.parent === undefined ? undefined : this.#writers.get(event.parent.session);
    await parent?.flush();
    const isFirst = this.#writers.size === 0;
    const { id, title } = isFirst ? this.#options : {};
    this.#writers.set(event.session, new SessionImport(this.#parts, event, { id, title, parent }));
  }

  async #flushFull(): Promise<void> {
    let [entries, characters] = [0, 0];
    for (const { waiting } of this.#waiting)
      [entries, characters] = [entries + waiting.entries, characters + waiting.characters];
    if (entries < BATCH_ENTRIES && characters < BATCH_CHARACTERS) return;
    for (const writer of this.#waiting) await writer.flush();
    this.#waiting.clear();
  }

  #report(problem: ImportProblem): void {
    this.#skipped += 1;
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push(problem);
  }
}
