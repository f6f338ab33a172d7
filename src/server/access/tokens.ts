/**
 * Tokens, and whose they are. They are kept as hashes and compared in constant time; each opens the sessions of one
 * tenant. A token is long and drawn at random, so that its plain hash gives nothing away.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

export interface TokenRow {
  /** SHA-256 of the token, in hexadecimal digits. */
  readonly hash: string;
  readonly tenantId: string;
}

/** Whoever runs the server: who asks without a token, where none is needed, and with a token of this name elsewhere. */
export const LOCAL_TENANT = "local";

export const TOKEN_PREFIX = "plm_";
const TOKEN_BYTES = 32;
const BEARER = /^Bearer +([\x21-\x7e]{1,500})$/i;

export function newToken(): string {
  return `${TOKEN_PREFIX}${randomBytes(TOKEN_BYTES).toString("base64url")}`;
}

export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** The token of an `authorization` header, where it is one. */
export function readBearer(header: string): string | undefined {
  return BEARER.exec(header)?.[1];
}

/** Every row is looked at, so that time tells nothing of which one it was. */
export function findToken(rows: readonly TokenRow[], token: string): TokenRow | undefined {
  const bytes = createHash("sha256").update(token).digest();
  let found: TokenRow | undefined;
  for (const row of rows) {
    const known = Buffer.from(row.hash, "hex");
    if (known.length === bytes.length && timingSafeEqual(known, bytes)) found = row;
  }
  return found;
}
