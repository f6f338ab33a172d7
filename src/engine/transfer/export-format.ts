/** Encodes and decodes the lines of an export. The last one has the output of `head -n -1 file | sha256sum`. */
import { createHash, type Hash } from "node:crypto";
import { checkValue, ID, optional, shapeOf, TEXT } from "../../core/check-options.ts";
import { isObject } from "../../core/check-value.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { Entry } from "../../core/log/entry.ts";
import type { Head } from "../../core/log/head.ts";
import { decodeInput } from "../../core/message/formats/decode-input.ts";
import { hashMessage } from "../../core/message/hash-message.ts";
import type { SessionHeader } from "../../ports/store.ts";
import { isHidden } from "../context/hidden-title.ts";
import { decodeEntry, isCount, isTime } from "./check-entry.ts";
import { decodeHead } from "./check-head.ts";

export const EXPORT_FORMAT = "palimpsest-session";
export const EXPORT_VERSION = 1;

export interface ExportHeader {
  readonly format: typeof EXPORT_FORMAT;
  readonly version: typeof EXPORT_VERSION;
  readonly session: SessionHeader;
  readonly secrets: "kept" | "redacted";
  /** The head that a fork inherits, because its own entries do not contain it. */
  readonly head?: Head | undefined;
}

export interface ExportEnd {
  readonly entries: number;
  readonly sha256: string;
}

export function encodeLine(value: ExportHeader | { readonly entry: Entry } | { readonly end: ExportEnd }): string {
  return JSON.stringify(value);
}

export class LineSum {
  readonly #hash: Hash = createHash("sha256");

  add(line: string): void {
    this.#hash.update(line).update("\n");
  }

  digest(): string {
    return this.#hash.copy().digest("hex");
  }
}

type JsonRecord = Readonly<Record<string, unknown>>;

export function readRecord(line: string, lineNumber: number): JsonRecord {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw createLineError(lineNumber, "it is not JSON", error);
  }
  if (!isObject(value)) throw createLineError(lineNumber, "it is not a JSON object");
  return value;
}

export function readHeader(value: JsonRecord): ExportHeader {
  const { format, version, session, secrets, head } = value;
  if (format !== EXPORT_FORMAT) throw createLineError(1, `it does not begin with the format ${EXPORT_FORMAT}`);
  if (typeof version === "number" && version > EXPORT_VERSION) {
    const text = `import: this file has version ${version}, and versions up to ${EXPORT_VERSION} are known here. Use a newer version of Palimpsest.`;
    throw new PalimpsestError("message-invalid", text, { details: { version } });
  }
  if (version !== EXPORT_VERSION) throw createLineError(1, "its version is unknown");
  if (secrets !== "kept" && secrets !== "redacted")
    throw createLineError(1, "it does not say whether secrets were redacted");
  const decoded = checkLine(1, () => decodeSession(session));
  const isFork = decoded.fork !== undefined;
  if (isFork && head === undefined) throw createLineError(1, "a fork needs the head that it inherited");
  if (!isFork && head !== undefined) throw createLineError(1, "it contains a head, but the session is not a fork");
  return {
    format,
    version,
    session: decoded,
    secrets,
    head: isFork ? checkLine(1, () => decodeHead(head)) : undefined,
  };
}

const isSession = shapeOf({
  id: ID,
  title: optional(TEXT),
  createdAt: isTime,
  fork: optional(shapeOf({ parentId: ID, atSeq: isCount, inheritedSummaryId: optional(TEXT) })),
});

function decodeSession(value: unknown): SessionHeader {
  checkValue(value, isSession, { path: "session", code: "message-invalid" });
  const session = value as SessionHeader;
  if (isHidden(session.title)) throw createLineError(1, "its title begins with a reserved character");
  return session;
}

export function readEntry(
  value: JsonRecord,
  { lineNumber, seq }: { readonly lineNumber: number; readonly seq: number },
): Entry {
  return checkLine(lineNumber, () => {
    const entry = decodeEntry(value.entry, seq);
    if (entry.type !== "message" || entry.erased === true) return entry;
    const { message, hash, id } = entry;
    decodeInput(message, { fallbackId: () => id, format: "palimpsest" });
    if (message.id === id && hashMessage(message) === hash) return entry;
    throw createLineError(lineNumber, "the message does not match its hash");
  });
}

function checkLine<Value>(lineNumber: number, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof PalimpsestError) || error.details.line !== undefined) throw error;
    throw createLineError(lineNumber, error.message.replace(/\.$/, ""), error);
  }
}

export function readEnd(value: JsonRecord): ExportEnd | undefined {
  const { end } = value;
  if (!isObject(end) || typeof end.entries !== "number" || typeof end.sha256 !== "string") return undefined;
  return { entries: end.entries, sha256: end.sha256 };
}

export function createLineError(lineNumber: number, what: string, cause?: unknown): PalimpsestError {
  const text = `import: line ${lineNumber} cannot be used: ${what}. Nothing was imported; export the session again.`;
  return new PalimpsestError("message-invalid", text, { details: { line: lineNumber }, cause });
}
