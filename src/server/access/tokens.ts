/** Tokens, each for one tenant: stored as hashes, without salt because they are random; compared in constant time. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { TokenRole } from "../../protocol/route.ts";

/** A token that a server accepts: its hash, tenant, role and expiry. */
export interface TokenRow {
  /** SHA-256 of the token, in hexadecimal digits. */
  readonly hash: string;
  readonly tenantId: string;
  /** Default `admin`: everything that the tenant may do. */
  readonly role?: TokenRole | undefined;
  /** The only session that the token gives access to. Default: all sessions of the tenant. */
  readonly sessionId?: string | undefined;
  /** Time after which the token is refused, as ISO 8601 text. Default: never. */
  readonly expiresAt?: string | undefined;
}

/** The tenant of the server's owner: of all callers without tokens, and of the tokens with this tenant. */
export const LOCAL_TENANT = "local";

export const TOKEN_PREFIX = "plm_";
const TOKEN_BYTES = 32;
const BEARER = /^Bearer +([\x21-\x7e]{1,500})$/i;

/**
 * Returns a new random token.
 *
 * @example
 * ```ts
 * const token = newToken();
 * const tokens = [{ hash: hashToken(token), tenant: "ada" }];
 * ```
 */
export function newToken(): string {
  return `${TOKEN_PREFIX}${randomBytes(TOKEN_BYTES).toString("base64url")}`;
}

/**
 * Returns the hash of a token, which the tokens file contains instead of the token.
 *
 * @example
 * ```ts
 * const token = newToken();
 * console.log(token, hashToken(token));
 * ```
 */
export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** Returns the token of an `authorization` header, or undefined for another scheme. */
export function readBearer(header: string): string | undefined {
  return BEARER.exec(header)?.[1];
}

/** Returns the row of a token that has not expired. Compares every row, so that timing does not reveal which one matches. */
export function findToken(rows: readonly TokenRow[], token: string): TokenRow | undefined {
  const bytes = createHash("sha256").update(token).digest();
  let found: TokenRow | undefined;
  for (const row of rows) {
    const known = Buffer.from(row.hash, "hex");
    if (known.length === bytes.length && timingSafeEqual(known, bytes)) found = row;
  }
  return found !== undefined && isExpired(found) ? undefined : found;
}

export function isExpired({ expiresAt }: Pick<TokenRow, "expiresAt">): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= Date.now();
}
