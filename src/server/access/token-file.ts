/**
 * Tokens in a file: hashes, whose they are and since when, readable by nobody but its owner. A server looks at the file
 * again when it has changed. One that is gone or damaged lets nobody in who was not let in before; it opens nothing.
 */
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { PalimpsestError } from "../../core/errors.ts";
import { hashToken, newToken, type TokenRow } from "./tokens.ts";

export interface StoredToken extends TokenRow {
  /** A name for it that is no secret. */
  readonly id: string;
  readonly createdAt: string;
}

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
const OTHERS = 0o077;
const LOOK_MS = 200;
const GONE = "gone";

const fileSchema = z.object({
  tokens: z.array(
    z.object({
      id: z.string().min(1).max(100),
      tenantId: z.string().min(1).max(200),
      hash: z.string().regex(/^[0-9a-f]{64}$/),
      createdAt: z.string(),
    }),
  ),
});

/** None where there is no such file. */
export function readTokens(path: string): readonly StoredToken[] {
  let text: string;
  try {
    refuseReadable(path);
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error instanceof PalimpsestError ? error : invalid(path, `cannot be read`, error);
  }
  try {
    return fileSchema.parse(JSON.parse(text)).tokens;
  } catch (error) {
    throw invalid(path, "is no file of tokens; add one with palimpsest token add, or name another file", error);
  }
}

/** The token itself is given once, and kept nowhere. */
export function addToken(path: string, { tenantId, now }: { readonly tenantId: string; readonly now: Date }) {
  const token = newToken();
  const id = `t-${randomBytes(4).toString("hex")}`;
  const row: StoredToken = { id, tenantId, hash: hashToken(token), createdAt: now.toISOString() };
  fileSchema.parse({ tokens: [row] });
  writeTokens(path, [...readTokens(path), row]);
  return { id, tenantId, token };
}

export function removeToken(path: string, id: string): boolean {
  const rows = readTokens(path);
  const kept = rows.filter((row) => row.id !== id);
  if (kept.length === rows.length) return false;
  writeTokens(path, kept);
  return true;
}

export interface FollowOptions {
  /** Told once of each version of the file that cannot be used; the tokens before it stay. */
  readonly onError: (error: PalimpsestError) => void;
  readonly now?: (() => number) | undefined;
}

/** Those that hold now. Throws where the file is wrong from the start, or not there: it would let nobody in. */
export function followTokens(path: string, { onError, now = () => performance.now() }: FollowOptions) {
  let rows = readTokens(path);
  let stamp = stampOf(path);
  if (stamp === GONE) {
    throw invalid(path, `is not there. Add a token with palimpsest token add --tenant <name>, or name another file`);
  }
  let lookedAt = now();
  return (): readonly TokenRow[] => {
    if (now() - lookedAt < LOOK_MS) return rows;
    lookedAt = now();
    const found = stampOf(path);
    if (found === stamp) return rows;
    stamp = found;
    try {
      rows = readTokens(path);
    } catch (error) {
      if (!(error instanceof PalimpsestError)) throw error;
      onError(error);
    }
    return rows;
  };
}

/** Beside the file first, so that whoever reads meanwhile has the old one or the new one, whole. */
function writeTokens(path: string, tokens: readonly StoredToken[]): void {
  const beside = `${path}.${randomBytes(4).toString("hex")}`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
    writeFileSync(beside, `${JSON.stringify({ tokens }, undefined, 2)}\n`, { mode: PRIVATE_FILE, flush: true });
    renameSync(beside, path);
  } catch (error) {
    throw invalid(path, "cannot be written", error);
  }
}

function stampOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? GONE : `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
}

/** Windows has no such rights: a file there is as private as its folder. */
function refuseReadable(path: string): void {
  if (process.platform === "win32" || (statSync(path).mode & OTHERS) === 0) return;
  throw invalid(path, `can be read by other users. Run: chmod 600 ${path}`);
}

function invalid(path: string, reason: string, cause?: unknown): PalimpsestError {
  return new PalimpsestError("config-invalid", `tokens: ${path} ${reason}.`, { details: { key: "tokens" }, cause });
}
