/** Imports a file: a Palimpsest export, or a session file of another tool in a format that the server recognizes. */
import { ClientError } from "../../src/client/client-error.ts";
import { readFields, readText } from "../../src/client/fields.ts";
import { importBlob, readSession, renameSession } from "../api/sessions.ts";
import { announce } from "../ui/announcement.ts";
import { formatCount } from "../ui/format.ts";

const MAX_NAMED = 3;
/** The first line of an export is shorter, unless it is a fork's, which has a summary. */
const HEAD_BYTES = 1_000_000;

/** The server already has the session of this export. */
export class SessionExistsError extends Error {
  readonly sessionId: string;

  constructor(sessionId: string) {
    super("This conversation already exists.");
    this.sessionId = sessionId;
  }
}

/** Returns the id of the first session of the file. */
export async function importFile(file: File): Promise<string> {
  if (await isExport(file)) return importExport(file);
  const { sessionId, sessions, skipped, problems } = await importBlob(file);
  const unread =
    skipped === 0 ? "" : `${formatCount(skipped, "record")} skipped: ${describeProblems(problems, skipped)}.`;
  if (sessionId === undefined) throw new Error(`There are no messages in ${file.name}. ${unread}`.trim());
  const found = sessions.length === 1 ? "" : `${formatCount(sessions.length, "conversation")} imported. `;
  if (found + unread !== "") announce(`${found}${unread}`.trim());
  return sessionId;
}

/** Lists only the first few; a file can have thousands. */
function describeProblems(
  problems: readonly { readonly place: string; readonly reason: string }[],
  skipped: number,
): string {
  const named = problems
    .slice(0, MAX_NAMED)
    .map(({ place, reason }) => (reason.startsWith(place) ? reason : `${place}: ${reason}`));
  const others = skipped > named.length ? `, and ${formatCount(skipped - named.length, "other")}` : "";
  return `${named.join("; ")}${others}`;
}

async function importExport(file: File): Promise<string> {
  try {
    return (await importBlob(file)).sessionId ?? "";
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
  const copyId = `copy-${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
  const { sessionId: id = copyId } = await importBlob(file, copyId);
  if (title !== "") await renameSession(id, `${title} (copy)`);
  return id;
}

/** Reads the first line of the export. */
async function readHeader(file: File): Promise<{ readonly id: string; readonly title: string }> {
  const [line = ""] = (await file.slice(0, HEAD_BYTES).text()).split("\n");
  const { id, title } = readFields(readFields(JSON.parse(line)).session);
  return { id: readText(id), title: readText(title) };
}

/** The first line of an export names its format. */
async function isExport(file: File): Promise<boolean> {
  const head = await file.slice(0, HEAD_BYTES).text();
  return head.split("\n")[0]?.includes('"palimpsest-session"') === true;
}
