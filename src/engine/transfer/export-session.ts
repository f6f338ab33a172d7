/** Exports a session as lines that another store can import, in pages up to the end that the log had at the start. */
import { PalimpsestError } from "../../core/errors.ts";
import type { Entry, SessionId } from "../../core/log/entry.ts";
import { makeUnreadableId } from "../../core/log/unreadable-entry.ts";
import { hashMessage } from "../../core/message/hash-message.ts";
import { redactMessage } from "../../core/summary/secrets/redact-messages.ts";
import { redactSecrets } from "../../core/summary/secrets/redact-secrets.ts";
import { yieldToEventLoop } from "../../ports/run-in-steps.ts";
import type { StoredSession, TenantStore } from "../../ports/store.ts";
import { sessionNotFound } from "../context/errors.ts";
import { isHidden } from "../session-list/list-sessions.ts";
import { EXPORT_FORMAT, EXPORT_VERSION, type ExportHeader, encodeLine, LineSum } from "./export-format.ts";

export interface ExportOptions {
  /** `redact` (the default) replaces keys, tokens and passwords of known formats. `keep` exports everything. */
  readonly secrets?: "redact" | "keep" | undefined;
}

const PAGE = 200;

export async function* exportSession(
  store: TenantStore,
  id: SessionId,
  { secrets = "redact" }: ExportOptions,
): AsyncGenerator<string, void, undefined> {
  const session = await store.findSession(id);
  if (session === undefined || isHidden(session.header.title)) throw sessionNotFound(id);
  const sum = new LineSum();
  const send = (line: string) => {
    sum.add(line);
    return line;
  };
  const header = headerOf(session, secrets === "keep" ? "kept" : "redacted");
  yield send(encodeLine(secrets === "keep" ? header : redactTexts(header)));
  let entries = 0;
  for await (const entry of readLog(store, session)) {
    yield send(encodeLine({ entry: secrets === "keep" ? bare(entry) : redactEntry(bare(entry)) }));
    entries += 1;
    // A fast reader must not block the event loop.
    await yieldToEventLoop();
  }
  yield encodeLine({ end: { entries, sha256: sum.digest() } });
}

/** Yields an entry for every seq. A marker replaces an entry that a damaged store has lost. */
async function* readLog(
  store: TenantStore,
  { header, lastSeq }: StoredSession,
): AsyncGenerator<Entry, void, undefined> {
  let [afterSeq, at] = [0, header.createdAt];
  while (afterSeq < lastSeq) {
    const page = await readPage(store, header.id, { afterSeq, throughSeq: lastSeq, limit: PAGE });
    for (const entry of page) {
      while (afterSeq + 1 < entry.seq) yield lostEntry(++afterSeq, at);
      yield entry;
      [afterSeq, at] = [entry.seq, entry.at];
    }
    if (page.length === 0) while (afterSeq < lastSeq) yield lostEntry(++afterSeq, at);
  }
}

/** Reads the entries of a page one by one if the page cannot be read as a whole. */
async function readPage(store: TenantStore, id: SessionId, range: Page): Promise<readonly Entry[]> {
  try {
    return await store.readEntries(id, range);
  } catch (error) {
    if (!isDamage(error)) throw error;
    const last = Math.min(range.throughSeq, range.afterSeq + range.limit);
    const found: Entry[] = [];
    for (let seq = range.afterSeq + 1; seq <= last; seq += 1) {
      found.push(...(await store.readEntries(id, { afterSeq: seq - 1, throughSeq: seq }).catch(noneIfDamaged)));
    }
    // If no entry can be read, the store has failed as a whole.
    if (found.length === 0) throw error;
    return found;
  }
}

interface Page {
  readonly afterSeq: number;
  readonly throughSeq: number;
  readonly limit: number;
}

function isDamage(error: unknown): boolean {
  return error instanceof PalimpsestError && error.details.reason === "corrupt";
}

function noneIfDamaged(error: unknown): readonly Entry[] {
  if (!isDamage(error)) throw error;
  return [];
}

function lostEntry(seq: number, at: number): Entry {
  const text = "The entry at this place could not be read.";
  return { type: "note", kind: "warning", id: makeUnreadableId(seq), seq, at, text };
}

function headerOf({ header, head }: StoredSession, secrets: ExportHeader["secrets"]): ExportHeader {
  const { id, title, createdAt } = header;
  const { importedFork, ...own } = head;
  const fork = header.fork ?? importedFork;
  const session = { id, title, createdAt, fork };
  return { format: EXPORT_FORMAT, version: EXPORT_VERSION, secrets, session, head: fork && own };
}

/** Leaves out counts. A message that has lost an image gets the hash of what is left. */
function bare(entry: Entry): Entry {
  if (entry.type !== "message") return entry;
  const { recounts: _recounts, ...rest } = entry;
  return entry.erased === true ? rest : { ...rest, hash: hashMessage(entry.message) };
}

export function redactEntry(entry: Entry): Entry {
  const isSaid = entry.type === "message" && entry.erased !== true;
  const redacted = redactTexts(isSaid ? { ...entry, message: redactMessage(entry.message) } : entry);
  if (redacted.type !== "message" || redacted.erased === true) return redacted;
  return { ...redacted, hash: hashMessage(redacted.message) };
}

export function redactTexts<Value>(value: Value): Value {
  return redactValue("", value) as Value;
}

function redactValue(key: string, value: unknown): unknown {
  if (typeof value === "string") return redactText(key, value);
  if (Array.isArray(value)) return value.map((item) => redactValue(key, item));
  if (typeof value !== "object" || value === null || isBytes(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, redactValue(name, item)]));
}

/** Reads the name with the text, because some secrets are recognised by their name. */
function redactText(name: string, text: string): string {
  const before = `${name}: "`;
  const named = redactSecrets(before + text).text;
  return named.startsWith(before) ? named.slice(before.length) : redactSecrets(text).text;
}

function isBytes(value: object): boolean {
  return "type" in value && value.type === "data" && "base64" in value;
}
