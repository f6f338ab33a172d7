/** Exports a session as lines that another store can import, in pages up to the end that the log had at the start. */
import { PalimpsestError, sessionNotFound } from "../../core/errors.ts";
import { PIECE_CHARACTERS, textPieces } from "../../core/language/text-pieces.ts";
import type { Entry, MessageEntry, SessionId } from "../../core/log/entry.ts";
import { createUnreadableEntryId, isUnreadable } from "../../core/log/unreadable-entry.ts";
import { hashMessage } from "../../core/message/hash-message.ts";
import { messageText } from "../../core/message/message-text.ts";
import { isMissingText } from "../../core/message/missing-content.ts";
import { takeHead } from "../../core/message/whole-text.ts";
import { redactMessageInSteps } from "../../core/summary/secrets/redact-messages.ts";
import { redactSecrets } from "../../core/summary/secrets/redact-secrets.ts";
import { runInSteps, yieldToEventLoop } from "../../ports/run-in-steps.ts";
import type { StoredSession, TenantStore } from "../../ports/store.ts";
import { isHidden } from "../context/hidden-title.ts";
import { EXPORT_FORMAT, EXPORT_VERSION, type ExportHeader, encodeLine, LineSum } from "./export-format.ts";

/** Whether an export contains secrets, or replaces them. */
export interface ExportOptions {
  /** `redact` (the default) replaces keys, tokens and passwords of known formats. `keep` exports everything. */
  readonly secrets?: "redact" | "keep" | undefined;
}

/** Small, because one summary of a long import can have hundreds of kilobytes. */
const PAGE = 50;
const REDACTED_AT_ONCE = 100;

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
  yield send(encodeLine(secrets === "keep" ? header : await runInSteps(redactTexts(header))));
  let entries = 0;
  for await (const entry of readLog(store, session)) {
    const shown = prepareForExport(entry);
    yield send(encodeLine({ entry: secrets === "keep" ? shown : await runInSteps(redactEntry(shown)) }));
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
    const page = await readPage(store, header.id, { afterSeq, throughSeq: lastSeq, limit: PAGE, markers: true });
    if (afterSeq === 0 && page.length < PAGE && page.every(isDamaged)) throw createLostError(header.id);
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
      found.push(
        ...(await store.readEntries(id, { afterSeq: seq - 1, throughSeq: seq, markers: true }).catch(noneIfDamaged)),
      );
    }
    // If no entry can be read, the store has failed as a whole.
    if (found.length === 0) throw error;
    return found;
  }
}

interface Page {
  readonly markers: true;
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

function isDamaged(entry: Entry): boolean {
  return entry.type === "message" && isUnreadable(entry);
}

function createLostError(id: SessionId): PalimpsestError {
  const text = `No entry of session ${JSON.stringify(id)} can be read: the store is damaged. Keep a copy, and restore a backup.`;
  return new PalimpsestError("store-unavailable", text, { details: { reason: "corrupt" }, retryable: false });
}

function lostEntry(seq: number, at: number, known: Partial<MessageEntry> = {}): Entry {
  const { id: messageId, storedHash } = known;
  const isNamed = messageId !== undefined && storedHash !== undefined;
  const text = isNamed
    ? `The message ${JSON.stringify(messageId)} at this place could not be read: its text does not match its hash.`
    : "The entry at this place could not be read.";
  const details = isNamed ? { details: { messageId, hash: storedHash } } : {};
  return { type: "note", kind: "warning", id: createUnreadableEntryId(seq), seq, at, text, ...details };
}

function headerOf({ header, head }: StoredSession, secrets: ExportHeader["secrets"]): ExportHeader {
  const { id, title, createdAt } = header;
  const { importedFork, ...own } = head;
  const fork = header.fork ?? importedFork;
  const session = { id, title, createdAt, fork };
  return { format: EXPORT_FORMAT, version: EXPORT_VERSION, secrets, session, head: fork && own };
}

/**
 * Leaves out counts. A damaged message becomes a note with its id and its stored hash: changed text never gets a new
 * hash. Only a message that has lost an image, and says so, gets the hash of what is left.
 */
function prepareForExport(entry: Entry): Entry {
  if (entry.type !== "message") return entry;
  const { recounts: _recounts, ...rest } = entry;
  if (entry.erased === true) return rest;
  const { seq, at, id, hash } = entry;
  if (isUnreadable(entry)) return lostEntry(seq, at, entry);
  const found = hashMessage(entry.message);
  const isWhole = found === hash || messageText(entry.message).split("\n").some(isMissingText);
  return isWhole ? { ...rest, hash: found } : lostEntry(seq, at, { id, storedHash: hash });
}

function* redactEntry(entry: Entry): Generator<undefined, Entry> {
  const hasText = entry.type === "message" && entry.erased !== true;
  const message = hasText ? yield* redactMessageInSteps(entry.message) : undefined;
  const redacted = yield* redactTexts(message === undefined ? entry : ({ ...entry, message } as MessageEntry));
  if (redacted.type !== "message" || redacted.erased === true) return redacted;
  return { ...redacted, hash: hashMessage(redacted.message) };
}

function* redactTexts<Value>(value: Value): Generator<undefined, Value> {
  return (yield* redactValue("", value)) as Value;
}

function* redactValue(key: string, value: unknown): Generator<undefined, unknown> {
  if (typeof value === "string") return yield* redactText(key, value);
  if (typeof value !== "object" || value === null || isBytes(value)) return value;
  const redacted: [string, unknown][] = [];
  const name = Array.isArray(value) ? key : undefined;
  for (const [own, item] of Object.entries(value)) {
    redacted.push([own, yield* redactValue(name ?? own, item)]);
    if (redacted.length % REDACTED_AT_ONCE === 0) yield undefined;
  }
  return name === undefined ? Object.fromEntries(redacted) : redacted.map(([, item]) => item);
}

/** Reads long texts in pieces with borders of its own, so that a secret split at one border is whole in one reading. */
function* redactText(name: string, text: string): Generator<undefined, string> {
  if (text.length <= PIECE_CHARACTERS) return redactNamed(name, text);
  const first = takeHead(text, PIECE_CHARACTERS / 2);
  const pieces = [redactNamed(name, first)];
  for (const piece of textPieces(text.slice(first.length))) {
    yield undefined;
    pieces.push(redactSecrets(piece).text);
  }
  return pieces.join("");
}

/** Reads the name with the text, because some secrets are recognized by their name. */
function redactNamed(name: string, text: string): string {
  const before = `${name}: "`;
  const named = redactSecrets(before + text).text;
  return named.startsWith(before) ? named.slice(before.length) : redactSecrets(text).text;
}

function isBytes(value: object): boolean {
  return "type" in value && value.type === "data" && "base64" in value;
}
