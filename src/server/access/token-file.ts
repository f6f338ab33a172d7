/**
 * A file of tokens: hash, rights and time of creation, readable only by its owner. The server reads the file again when
 * it changes. If it is damaged, the previous tokens stay valid; if it disappears, no token is valid.
 */
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { NEW_ID } from "../../core/check-options.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { hashToken, newToken, type TokenRow } from "./tokens.ts";

export interface StoredToken extends TokenRow {
  readonly id: string;
  readonly createdAt: string;
}

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
const OTHERS = 0o077;
const CHECK_MS = 200;
const GONE = "gone";

const idSchema = z.string().refine(NEW_ID.holds, `expected ${NEW_ID.allowed}`);

/** The fields that decide on access, for tokens in a file and in the options of a server. */
export const tokenRowSchema = z.object({
  hash: z.string().regex(/^[0-9a-f]{64}$/, "expected the SHA-256 of a token"),
  tenantId: idSchema,
  role: z.enum(["read", "chat", "admin"]).optional(),
  sessionId: idSchema.optional(),
  expiresAt: z.iso.datetime().optional(),
});

const fileSchema = z.object({
  tokens: z.array(tokenRowSchema.extend({ id: z.string().min(1).max(100), createdAt: z.string() })),
});

/** Returns an empty list if there is no such file. */
export function readTokens(path: string): readonly StoredToken[] {
  let text: string;
  try {
    refuseReadable(path);
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error instanceof PalimpsestError ? error : invalid(path, "cannot be read", error);
  }
  try {
    return fileSchema.parse(JSON.parse(text)).tokens;
  } catch (error) {
    const [issue] = error instanceof z.ZodError ? error.issues : [];
    const place = issue === undefined ? "" : ` (${issue.path.join(".")}: ${issue.message})`;
    const advice = "Create one with palimpsest token add, or name another file";
    throw invalid(path, `is not a token file${place}. ${advice}`, error);
  }
}

export type TokenGrant = Pick<StoredToken, "tenantId" | "role" | "sessionId" | "expiresAt">;

/** Returns the token itself, which is not stored. */
export function addToken(
  path: string,
  grant: TokenGrant,
): TokenGrant & { readonly id: string; readonly token: string } {
  return writeWithNew(path, grant, readTokens(path));
}

/** Adds a token with the rights of another one, which stays valid until `until`. Returns undefined for an unknown id. */
export function rotateToken(path: string, { id, until }: { readonly id: string; readonly until: Date }) {
  const rows = readTokens(path);
  const old = rows.find((row) => row.id === id);
  if (old === undefined) return undefined;
  const { tenantId, role, sessionId, expiresAt } = old;
  const last = [expiresAt ?? LAST_INSTANT, until.toISOString()].toSorted()[0];
  const others = rows.map((row) => (row === old ? { ...old, expiresAt: last } : row));
  return writeWithNew(path, { tenantId, role, sessionId, expiresAt }, others);
}

const LAST_INSTANT = "9999-12-31T23:59:59.999Z";

function writeWithNew(path: string, grant: TokenGrant, others: readonly StoredToken[]) {
  const token = newToken();
  const id = `t-${randomBytes(4).toString("hex")}`;
  const row: StoredToken = { id, ...grant, hash: hashToken(token), createdAt: new Date().toISOString() };
  fileSchema.parse({ tokens: [row] });
  writeTokens(path, [...others, row]);
  return { id, ...grant, token };
}

export function removeToken(path: string, id: string): boolean {
  const rows = readTokens(path);
  const kept = rows.filter((row) => row.id !== id);
  if (kept.length === rows.length) return false;
  writeTokens(path, kept);
  return true;
}

export interface FollowOptions {
  /** Called once for each version of the file that cannot be used. The previous tokens stay valid. */
  readonly onError: (error: PalimpsestError) => void;
  readonly now?: (() => number) | undefined;
}

/**
 * Returns a function that returns the tokens of the file as it was within the last 200 ms, or as it is if that is
 * urgent. Throws if the file is invalid or missing at the start.
 */
export function followTokens(path: string, { onError, now = () => performance.now() }: FollowOptions) {
  let rows = readTokens(path);
  let stamp = readStamp(path);
  if (stamp === GONE) {
    throw invalid(path, "does not exist. Add a token with palimpsest token add --tenant <name>, or name another file");
  }
  let checkedAt = now();
  return (isUrgent = false): readonly TokenRow[] => {
    if (!isUrgent && now() - checkedAt < CHECK_MS) return rows;
    checkedAt = now();
    const found = readStamp(path);
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

/** Writes a temporary file and renames it, so that readers see the old or the new file, never a part. */
function writeTokens(path: string, tokens: readonly StoredToken[]): void {
  const temporary = `${path}.${randomBytes(4).toString("hex")}`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
    writeFileSync(temporary, `${JSON.stringify({ tokens }, undefined, 2)}\n`, { mode: PRIVATE_FILE, flush: true });
    renameSync(temporary, path);
  } catch (error) {
    throw invalid(path, "cannot be written", error);
  }
}

function readStamp(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? GONE : `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
}

/** Throws if other users can read the file. On Windows, which has no such modes, a file is as private as its folder. */
function refuseReadable(path: string): void {
  if (process.platform === "win32" || (statSync(path).mode & OTHERS) === 0) return;
  throw invalid(path, `can be read by other users. Run: chmod 600 ${path}`);
}

function invalid(path: string, reason: string, cause?: unknown): PalimpsestError {
  return new PalimpsestError("config-invalid", `tokens: ${path} ${reason}.`, { details: { key: "tokens" }, cause });
}
