/** A file as a session: an export of ours goes in as it is, anything else as messages that the server recognises. */
import { ClientError } from "../../src/client/client-error.ts";
import { readJsonFile } from "../../src/client/read-json-file.ts";
import { type LeftOut, readTranscripts } from "../../src/client/read-transcripts.ts";
import { isRefusal, sayError } from "../api/errors.ts";
import { readFields, readText } from "../api/fields.ts";
import { importLines, importMessages, readOneSession, renameSession } from "../api/sessions.ts";
import { announce } from "../ui/announcement.ts";
import { writeCount } from "../ui/format.ts";

const MOST_NAMED = 3;

/** The file is the export of a conversation that this server has. */
export class AlreadyThere extends Error {
  readonly sessionId: string;

  constructor(sessionId: string) {
    super("This conversation is here already.");
    this.sessionId = sessionId;
  }
}

/** The session that a reader is shown then: the first of those that the file holds. */
export async function importFile(file: File): Promise<string> {
  if (await isExport(file)) return importExport(file);
  const { transcripts, leftOut } = readTranscripts(readJsonFile(await file.text()));
  const [ids, refused]: [string[], LeftOut[]] = [[], []];
  const name = file.name.replace(/\.\w+$/, "");
  // The newest in the list of conversations is the one that stood first.
  for (const transcript of transcripts.toReversed()) {
    const title = transcript.title ?? name;
    try {
      ids.push(await importMessages({ ...transcript, title }));
    } catch (error) {
      // One that the server cannot read does not keep the others out.
      if (transcripts.length === 1 || !isRefusal(error)) throw error;
      refused.unshift({ title, reason: sayError(error) });
    }
  }
  const id = ids.at(-1);
  const left = [...leftOut, ...refused];
  if (id === undefined) throw new Error(sayNothing(file.name, left));
  if (left.length > 0) announce(`${writeCount(ids.length, "conversation")} read in. ${sayLeft(left)}`);
  return id;
}

function sayNothing(name: string, left: readonly LeftOut[]): string {
  const expected = "expected an export, or a list of messages as JSON";
  return `There are no messages in ${name}${left.length === 0 ? `: ${expected}.` : `. ${sayLeft(left)}`}`;
}

/** The first few by name; a file may hold thousands. */
function sayLeft(left: readonly LeftOut[]): string {
  const named = left.slice(0, MOST_NAMED).map(({ title, reason }) => `${title} (${reason.replace(/\.$/, "")})`);
  const others = left.length > MOST_NAMED ? `, and ${writeCount(left.length - MOST_NAMED, "other")}` : "";
  return `${writeCount(left.length, "was", "were")} left out: ${named.join(", ")}${others}.`;
}

async function importExport(file: File): Promise<string> {
  try {
    return await importLines(readLines(file));
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== "session-exists") throw error;
    // One that is just being imported has the same code, and cannot be opened yet.
    const session = await readOneSession((await readHeader(file)).id).catch(() => undefined);
    throw session === undefined ? error : new AlreadyThere(session.id);
  }
}

/** The same export once more, beside the one that is there. */
export async function importCopy(file: File): Promise<string> {
  const { title } = await readHeader(file);
  // A page that is not served securely has no better source of ids; one of ours begins like no other session.
  const id = await importLines(
    readLines(file),
    `copy-${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`,
  );
  if (title !== "") await renameSession(id, `${title} (copy)`);
  return id;
}

/** Of what was exported, as its first line says. */
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

/** The first line of an export says what it is. */
async function isExport(file: File): Promise<boolean> {
  const head = await file.slice(0, 4_000).text();
  return head.split("\n")[0]?.includes('"palimpsest-session"') === true;
}
