/**
 * A session as lines that another store can take up: what a fork inherits comes along, images too. It is read in pages
 * up to where the log stood at the beginning, so that a long one is never in memory and what is said meanwhile is left
 * out.
 */
import { PalimpsestError } from "../../core/errors.ts";
import type { Entry, SessionId } from "../../core/log/entry.ts";
import { makeUnreadableId } from "../../core/log/unreadable-entry.ts";
import { hashMessage } from "../../core/message/hash-message.ts";
import { redactMessage } from "../../core/summary/secrets/redact-messages.ts";
import { redactSecrets } from "../../core/summary/secrets/redact-secrets.ts";
import type { StoredSession, TenantStore } from "../../ports/store.ts";
import { sessionNotFound } from "../context/errors.ts";
import { yieldToEventLoop } from "../context/run-in-steps.ts";
import { isHidden } from "../session-list/hidden-session.ts";
import { EXPORT_FORMAT, EXPORT_VERSION, type ExportHeader, encodeLine, LineSum } from "./export-format.ts";

export interface ExportOptions {
  /** `redact` without it: keys, tokens and passwords of known formats leave as tokens. `keep` gives every word. */
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
    // Whoever takes the lines may take them all at once, and others want to be heard too.
    await yieldToEventLoop();
  }
  yield encodeLine({ end: { entries, sha256: sum.digest() } });
}

/** Every place up to where the log stood. What a damaged store has lost is told where it was. */
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

/** Where one entry of a page cannot be read, the others of it are, each by itself. */
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
    // A store of which nothing can be read has not lost an entry or two.
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

/** Under the id by which a store that has lost a message speaks of it. */
function lostEntry(seq: number, at: number): Entry {
  return {
    type: "note",
    kind: "warning",
    id: makeUnreadableId(seq),
    seq,
    at,
    text: "What stood here could not be read.",
  };
}

function headerOf({ header, head }: StoredSession, secrets: ExportHeader["secrets"]): ExportHeader {
  const { id, title, createdAt } = header;
  const { importedFork, ...own } = head;
  const fork = header.fork ?? importedFork;
  const session = { id, title, createdAt, fork };
  return { format: EXPORT_FORMAT, version: EXPORT_VERSION, secrets, session, head: fork && own };
}

/**
 * Counts that were added for one view or another are made again where they are needed. A message that is no longer what
 * it was, because an image of it is lost, has the hash of what it is.
 */
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

/** The same shape, with other words where a secret stood. */
export function redactTexts<Value>(value: Value): Value {
  return redactUnder("", value) as Value;
}

function redactUnder(key: string, value: unknown): unknown {
  if (typeof value === "string") return redactText(key, value);
  if (Array.isArray(value)) return value.map((item) => redactUnder(key, item));
  if (typeof value !== "object" || value === null || isBytes(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, redactUnder(name, item)]));
}

/** Some secrets are known by what they are called, so the name is read with them. */
function redactText(name: string, text: string): string {
  const before = `${name}: "`;
  const named = redactSecrets(before + text).text;
  return named.startsWith(before) ? named.slice(before.length) : redactSecrets(text).text;
}

function isBytes(value: object): boolean {
  return "type" in value && value.type === "data" && "base64" in value;
}
