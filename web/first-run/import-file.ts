/** A file as a session: an export of ours goes in as it is, anything else as messages that the server recognises. */
import { appendMessages, createSession, deleteSession, importLines } from "../api/sessions.ts";
import { readTranscripts, type Transcript } from "./read-transcripts.ts";

/** The server takes so many messages in one request. */
const MOST_MESSAGES = 500;

/** The session that a reader is shown then: the first of those that the file holds. */
export async function importFile(file: File): Promise<string> {
  if (await isExport(file)) return importLines(readLines(file));
  const transcripts = readTranscripts(readValue(await file.text()));
  const ids: string[] = [];
  const title = file.name.replace(/\.\w+$/, "");
  // The newest in the list of conversations is the one that stood first.
  for (const transcript of transcripts.toReversed())
    ids.push(await importOne({ ...transcript, title: transcript.title ?? title }));
  const id = ids.at(-1);
  if (id !== undefined) return id;
  throw new Error(`There are no messages in ${file.name}: expected an export, or a list of messages as JSON.`);
}

/** Whole or not at all. */
async function importOne({ title, messages, format }: Transcript & { readonly title: string }): Promise<string> {
  const { id } = await createSession({ title });
  try {
    for (let first = 0; first < messages.length; first += MOST_MESSAGES) {
      await appendMessages(id, { messages: messages.slice(first, first + MOST_MESSAGES), format });
    }
  } catch (error) {
    await deleteSession(id);
    throw error;
  }
  return id;
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

function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return readJsonLines(text);
  }
}

function readJsonLines(text: string): readonly unknown[] {
  try {
    return text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [JSON.parse(line)]));
  } catch {
    throw new Error("The file is neither JSON nor lines of JSON.");
  }
}
