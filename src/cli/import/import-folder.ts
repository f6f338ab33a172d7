/**
 * Imports the files of a folder one after the other. Each is stored as it is read, and a repeated import recognizes what
 * is stored, so an interrupted one continues where it stopped.
 */
import { PalimpsestError } from "../../core/errors.ts";
import { findTranscripts } from "../../importers/folder/find-transcripts.ts";
import type { TranscriptFile } from "../../importers/folder/transcript-file.ts";
import { recognizeTranscript } from "../../importers/read-transcript.ts";
import type { Invocation } from "../terminal/command.ts";
import { EXIT_CODES, EXIT_DONE } from "../terminal/command.ts";
import { describeCount, explainError } from "../terminal/terminal-text.ts";
import { describeProblems, describeTotals, type FolderTotals, type ImportedFile } from "./describe-import.ts";

/** Imports or only reads the bytes of one file. */
export type TakeFile = (bytes: AsyncIterable<Uint8Array>, name: string) => Promise<ImportedFile>;

interface RefusedFile {
  readonly path: string;
  readonly reason: string;
}

const PROGRESS_MS = 1_000;

export async function importFolder(invocation: Invocation, folder: string, take: TakeFile): Promise<number> {
  const { flag, terminal } = invocation;
  const files = await findTranscripts(folder);
  const progress = new Progress(terminal.note, files);
  const totals = new Map<string, FolderTotals>();
  const others: RefusedFile[] = [];
  for (const file of files) {
    progress.begin(file);
    const imported = await takeFile(file, take, progress);
    if ("reason" in imported) others.push({ path: file.path, reason: imported.reason });
    else {
      addTo(totals, imported);
      if (flag("json")) await terminal.print(JSON.stringify({ path: file.path, ...imported }));
      for (const line of describeProblems(imported)) terminal.note(`${file.path}: ${line}`);
    }
    progress.end(imported);
  }
  await printOthers(invocation, others);
  if (!flag("json")) for (const line of describeTotals(totals)) await invocation.say(line);
  return endFolder(folder, totals);
}

/** Names the files of other tools. Files of no known format may be anything, and are counted. */
async function printOthers({ flag, terminal }: Invocation, others: readonly RefusedFile[]): Promise<void> {
  const unknown = others.filter(({ reason }) => reason.endsWith(UNKNOWN));
  for (const { path, reason } of others) {
    if (flag("json")) await terminal.print(JSON.stringify({ path, refused: reason }));
    else if (!reason.endsWith(UNKNOWN))
      terminal.note(`not imported: ${reason.includes(path) ? reason : `${path}: ${reason}`}`);
  }
  if (unknown.length === 0 || flag("json")) return;
  terminal.note(
    unknown.length === 1 ? "1 other file has no known format" : `${unknown.length} other files have no known format`,
  );
}

const UNKNOWN = "has no known format";

function endFolder(folder: string, totals: ReadonlyMap<string, FolderTotals>): number {
  if (totals.size === 0) {
    throw new PalimpsestError("message-invalid", `import: there is no session file of a known format in ${folder}.`);
  }
  return [...totals.values()].some(({ skipped }) => skipped > 0) ? EXIT_CODES["message-invalid"] : EXIT_DONE;
}

/** A file that is not a transcript does not end the import of the others. */
async function takeFile(
  file: TranscriptFile,
  take: TakeFile,
  progress: Progress,
): Promise<ImportedFile | { readonly reason: string }> {
  try {
    const { bytes } = await recognizeTranscript(file.open(), { name: file.name });
    return await take(progress.count(bytes), file.name);
  } catch (error) {
    if (error instanceof PalimpsestError && error.code === "message-invalid")
      return { reason: shortenReason(error.message) };
    if (error instanceof Error && "syscall" in error) return { reason: explainError(error) };
    throw error;
  }
}

/** The list of formats would be repeated for every file. */
function shortenReason(message: string): string {
  return message.replace(/^import: /, "").replace(/\. Accepted are .*$/s, "");
}

function addTo(
  totals: Map<string, FolderTotals>,
  { format = "no messages", sessions, messages, added, skipped }: ImportedFile,
): void {
  const row = totals.get(format) ?? { files: 0, sessions: 0, messages: 0, added: 0, calls: 0, results: 0, skipped: 0 };
  totals.set(format, {
    files: row.files + 1,
    sessions: row.sessions + sessions.length,
    messages: row.messages + messages,
    added: row.added + added,
    calls: row.calls + sessions.reduce((sum, { calls }) => sum + calls, 0),
    results: row.results + sessions.reduce((sum, { results }) => sum + results, 0),
    skipped: row.skipped + skipped,
  });
}

/** Notes how far the import is, once a second. */
class Progress {
  readonly #note: (line: string) => void;
  readonly #files: number;
  readonly #bytes: number;
  #begun = 0;
  #read = 0;
  #messages = 0;
  #path = "";
  #notedAt = performance.now();

  constructor(note: (line: string) => void, files: readonly TranscriptFile[]) {
    this.#note = note;
    this.#files = files.length;
    this.#bytes = files.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  begin({ path }: TranscriptFile): void {
    this.#begun += 1;
    this.#path = path;
  }

  end(imported: ImportedFile | { readonly reason: string }): void {
    if ("messages" in imported) this.#messages += imported.messages;
    this.#show();
  }

  async *count(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of bytes) {
      this.#read += piece.length;
      this.#show();
      yield piece;
    }
  }

  #show(): void {
    if (performance.now() - this.#notedAt < PROGRESS_MS) return;
    this.#notedAt = performance.now();
    const megabytes = (count: number) => `${(count / 1_000_000).toFixed(1)}`;
    const files = `${this.#begun} of ${describeCount(this.#files, "file", "files")}`;
    const read = `${megabytes(this.#read)} of ${megabytes(this.#bytes)} MB`;
    this.#note(`${files}, ${read}, ${describeCount(this.#messages, "message", "messages")}: ${this.#path}`);
  }
}
