/** Reads opencode's storage folder, in which a session, its messages and their parts are a file each. */
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { type Fields, findNumber, findText, isObject, readFields } from "../../core/check-value.ts";
import type { TranscriptFile } from "./transcript-file.ts";

/** Whether a folder with these entries is the storage. */
export function isOpencodeStorage(names: readonly string[]): boolean {
  return names.includes("session") && names.includes("message") && names.includes("part");
}

/** Returns a file for each session, with the content that `opencode export` would write. */
export async function findOpencodeSessions(storage: string, shown: string): Promise<readonly TranscriptFile[]> {
  const found: TranscriptFile[] = [];
  for (const project of await listNames(join(storage, "session"))) {
    for (const name of await listNames(join(storage, "session", project))) {
      const path = join(storage, "session", project, name);
      const open = () => exportSession(storage, path);
      found.push({ path: join(shown, "session", project, name), name: basename(name), bytes: 0, open });
    }
  }
  return found;
}

async function* exportSession(storage: string, path: string): AsyncGenerator<Uint8Array> {
  const info = await readJson(path);
  yield Buffer.from(`{"info":${JSON.stringify(info)},"messages":[`);
  let separator = "";
  for (const message of await listMessages(storage, findText(info.id) ?? "")) {
    const parts = await listParts(storage, message);
    yield Buffer.from(`${separator}${JSON.stringify({ info: message, parts })}`);
    separator = ",";
  }
  yield Buffer.from("]}");
}

async function listMessages(storage: string, sessionId: string): Promise<readonly Fields[]> {
  const messages = await readAll(storage, ["message", sessionId]);
  const timeOf = ({ time }: Fields) => findNumber(readFields(time).created) ?? 0;
  return messages.toSorted((one, other) => timeOf(one) - timeOf(other));
}

/** Parts are in a folder of their message or, in older versions, all in one. */
async function listParts(storage: string, { id, sessionID }: Fields): Promise<readonly Fields[]> {
  const [messageId, sessionId] = [findText(id) ?? "", findText(sessionID) ?? ""];
  const own = await readAll(storage, ["part", messageId]);
  if (own.length > 0) return own;
  const nested = await readAll(storage, ["part", sessionId, messageId]);
  return nested.length > 0 ? nested : (await readAll(storage, ["part"])).filter((part) => part.messageID === messageId);
}

/** The ids in the files are names of folders. An id that could lead out of the storage names nothing in it. */
const PLAIN_NAME = /^[\w-][\w.-]*$/;

async function readAll(storage: string, names: readonly string[]): Promise<readonly Fields[]> {
  if (!names.every((name) => PLAIN_NAME.test(name))) return [];
  const folder = join(storage, ...names);
  const values: Fields[] = [];
  for (const name of await listFiles(folder)) values.push(await readJson(join(folder, name)));
  return values.filter((value) => Object.keys(value).length > 0);
}

/** Links and special files are left out: they may be outside of the storage, or never end. */
async function listFiles(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith(".json"));
    return files.map(({ name }) => name).toSorted();
  } catch {
    return [];
  }
}

/** A file that is no JSON object is left out. */
async function readJson(path: string): Promise<Fields> {
  try {
    const value: unknown = JSON.parse(await readFile(path, "utf8"));
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

async function listNames(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).toSorted();
  } catch {
    return [];
  }
}
