/** Imports a file: a Palimpsest export unchanged, other files as messages in a format that the server recognizes. */
import { ClientError } from "../../src/client/client-error.ts";
import { readFields, readText } from "../../src/client/fields.ts";
import { readJsonFile, readTranscripts, type SkippedItem } from "../../src/client/read-transcripts.ts";
import { describeError, isPermanentError } from "../api/errors.ts";
import { importLines, importMessages, readSession, renameSession } from "../api/sessions.ts";
import { announce } from "../ui/announcement.ts";
import { formatCount } from "../ui/format.ts";

const MAX_NAMED = 3;

/** The server already has the session of this export. */
export class SessionExistsError extends Error {
  readonly sessionId: string;

  constructor(sessionId: string) {
    super("This conversation already exists.");
    this.sessionId = sessionId;
  }
}

/** Returns the id of the first session of the file that was imported. */
export async function importFile(file: File): Promise<string> {
  if (await isExport(file)) return importExport(file);
  const { transcripts, leftOut } = readTranscripts(readJsonFile(await file.text()));
  const [ids, refused]: [string[], SkippedItem[]] = [[], []];
  const name = file.name.replace(/\.\w+$/, "");
  // The file's first session should be the newest in the list.
  for (const transcript of transcripts.toReversed()) {
    const title = transcript.title ?? name;
    try {
      ids.push(await importMessages({ ...transcript, title }));
    } catch (error) {
      // A session that the server rejects does not stop the others.
      if (transcripts.length === 1 || !isPermanentError(error)) throw error;
      refused.unshift({ title, reason: describeError(error) });
    }
  }
  const id = ids.at(-1);
  const skipped = [...leftOut, ...refused];
  if (id === undefined) throw new Error(describeEmpty(file.name, skipped));
  if (skipped.length > 0) announce(`${formatCount(ids.length, "conversation")} imported. ${describeSkipped(skipped)}`);
  return id;
}

function describeEmpty(name: string, skipped: readonly SkippedItem[]): string {
  const expected = "expected an export or messages as JSON";
  return `No messages in ${name}${skipped.length === 0 ? `: ${expected}.` : `. ${describeSkipped(skipped)}`}`;
}

/** Lists only the first few names; a file can contain thousands. */
function describeSkipped(skipped: readonly SkippedItem[]): string {
  const named = skipped.slice(0, MAX_NAMED).map(({ title, reason }) => `${title} (${reason.replace(/\.$/, "")})`);
  const others = skipped.length > MAX_NAMED ? `, and ${formatCount(skipped.length - MAX_NAMED, "other")}` : "";
  return `${formatCount(skipped.length, "conversation")} skipped: ${named.join(", ")}${others}.`;
}

async function importExport(file: File): Promise<string> {
  try {
    return await importLines(readLines(file));
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== "session-exists") throw error;
    // A running import has the same code, and cannot be opened yet.
    const session = await readSession((await readHeader(file)).id).catch(() => undefined);
    throw session === undefined ? error : new SessionExistsError(session.id);
  }
}

/** Imports the export again under another id. */
export async function importCopy(file: File): Promise<string> {
  const { title } = await readHeader(file);
  // `crypto.randomUUID` needs a secure context. The prefix distinguishes the id from the server's ids.
  const id = await importLines(
    readLines(file),
    `copy-${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`,
  );
  if (title !== "") await renameSession(id, `${title} (copy)`);
  return id;
}

/** Reads the first line of the export. */
async function readHeader(file: File): Promise<{ readonly id: string; readonly title: string }> {
  const { value: line } = await readLines(file).next();
  const { id, title } = readFields(readFields(readJsonFile(line ?? "")).session);
  return { id: readText(id), title: readText(title) };
}

async function* readLines(file: File): AsyncGenerator<string> {
  let rest = "";
  const reader = file.stream().pipeThrough(new TextDecoderStream()).getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const lines = `${rest}${next.value}`.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}

/** The first line of an export names its format. */
async function isExport(file: File): Promise<boolean> {
  const head = await file.slice(0, 4_000).text();
  return head.split("\n")[0]?.includes('"palimpsest-session"') === true;
}
