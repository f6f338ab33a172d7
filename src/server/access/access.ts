/**
 * Access to the server: which hosts and origins may use it, who sends a request, and how often a caller may send one.
 * Checked before routing, for every path and every upgrade. Refusals never quote the request.
 */
import { PalimpsestError } from "../../core/errors.ts";
import { RefusedRequest } from "../http/answer-error.ts";
import type { RequestHead } from "../http/request-head.ts";
import type { RequestLog } from "../http/request-log.ts";
import { createProxies, networkOf, type Proxies } from "./client-address.ts";
import { guardOrigin, isLoopback, LOOPBACK_HOSTS, type OriginRules } from "./guard-origin.ts";
import type { Caller } from "./permissions.ts";
import { createRateLimit, type RateRule } from "./rate-limit.ts";
import { followTokens } from "./token-file.ts";
import { findToken, isExpired, LOCAL_TENANT, readBearer, TOKEN_PREFIX, type TokenRow } from "./tokens.ts";

export interface AccessOptions {
  readonly origins: OriginRules;
  /** Returns the valid tokens; undefined if callers need none. */
  readonly tokens: ((isUrgent?: boolean) => readonly TokenRow[]) | undefined;
  /** Limit for each token, or for each address without a token. */
  readonly rate?: RateRule | undefined;
  readonly proxies?: Proxies | undefined;
}

export interface Access {
  /** Throws `RefusedRequest` if host, origin or target are not allowed. */
  guard(head: RequestHead): void;
  /** Returns the origin of the request if it is a foreign one that the host allows. */
  findOrigin(head: RequestHead): string | undefined;
  /** Returns the sender of the request. Throws `RefusedRequest` for an invalid token or too many requests. */
  identify(head: RequestHead): Caller;
}

/** A high limit, because all programs on this machine are one caller. */
export const LOOPBACK_RATE: RateRule = { perSecond: 10_000, burst: 20_000 };
export const TOKEN_RATE: RateRule = { perSecond: 200, burst: 1_000 };
/** Limit of requests with unknown tokens, for each address. */
const GUESS_RATE: RateRule = { perSecond: 5, burst: 50 };
/** The sender of requests if the server uses no tokens. */
const OWNER: Omit<Caller, "name"> = { tenantId: LOCAL_TENANT, role: "admin", isValid: () => true };
const RIGHTS = ["tenantId", "role", "sessionId"] as const;
const NO_TOKENS = "This server uses no tokens. Send the request without one.";
const UNKNOWN_TOKEN_ADVICE =
  "Check that it is complete. The owner of the server can list and add tokens with palimpsest token.";
const MAX_TARGET_CHARACTERS = 8_000;
const TOKEN_NAMES = /^(?:access_?token|api_?key|auth|authorization|bearer|token)$/i;

interface AccessSettings {
  readonly tokens?: readonly TokenRow[] | undefined;
  readonly tokensFile?: string | undefined;
  readonly hosts?: readonly string[] | undefined;
  readonly origins?: readonly string[] | undefined;
  readonly rate?: RateRule | undefined;
  readonly proxies: Proxies;
  readonly log: Pick<RequestLog, "note" | "warn">;
}

/** Creates the access rules from the server's options. Throws if other machines could connect without a token. */
export function openAccess(
  { tokens, tokensFile, hosts = [], origins = [], rate, proxies, log }: AccessSettings,
  host: string,
): Access {
  const onError = ({ message }: PalimpsestError): void => (log.warn ?? log.note)?.(message);
  const readFile = tokensFile === undefined ? undefined : followTokens(tokensFile, { onError });
  const isOpen = tokens === undefined && readFile === undefined;
  if (isOpen && !isLoopback(host)) {
    const text = `host: other machines can reach ${host}, so the server needs tokens. Add one with palimpsest token add --tenant <name>, and name the file with --tokens.`;
    throw new PalimpsestError("config-invalid", text, { details: { key: "host" } });
  }
  const known = [...LOOPBACK_HOSTS, host.includes(":") ? `[${host}]` : host, ...hosts].map((name) =>
    name.toLowerCase(),
  );
  const rows = (isUrgent?: boolean) => [...(tokens ?? []), ...(readFile?.(isUrgent) ?? [])];
  return createAccess({ origins: { hosts: known, origins }, tokens: isOpen ? undefined : rows, rate, proxies });
}

export function createAccess({ origins, tokens, rate, proxies = createProxies([]) }: AccessOptions): Access {
  const admit = createRateLimit(rate ?? (tokens === undefined ? LOOPBACK_RATE : TOKEN_RATE));
  const admitGuess = createRateLimit(GUESS_RATE);
  return {
    guard(head) {
      guardOrigin(head, origins);
      if (head.target.length > MAX_TARGET_CHARACTERS) {
        throw new RefusedRequest("target-too-long", `The address is longer than ${MAX_TARGET_CHARACTERS} characters.`);
      }
      refuseTokenInQuery(head.target);
    },
    findOrigin(head) {
      const origin = head.header("origin");
      return origin !== undefined && origins.origins.includes(origin) ? origin : undefined;
    },
    identify(head) {
      const address = proxies.findClient(head) ?? "in-process";
      const authorization = head.header("authorization");
      if (tokens === undefined && authorization === undefined) {
        admit(address);
        return { ...OWNER, name: networkOf(address) };
      }
      if (authorization === undefined) throw refuseToken("token-missing", "Send a token: authorization: Bearer …");
      const token = readBearer(authorization);
      // A token that was added a moment ago is known at once.
      const find = (isUrgent: boolean) => token && findToken(tokens?.(isUrgent) ?? [], token);
      const row = find(false) || find(true) || undefined;
      if (row === undefined) {
        admitGuess(networkOf(address));
        if (tokens === undefined) throw refuseToken("token-refused", NO_TOKENS);
        throw refuseToken(
          "token-refused",
          "This server does not know the token, or it has expired.",
          UNKNOWN_TOKEN_ADVICE,
        );
      }
      admit(row.hash);
      const { tenantId, role = "admin", sessionId } = row;
      const isSame = (known: TokenRow) =>
        known.hash === row.hash && RIGHTS.every((right) => known[right] === row[right]) && !isExpired(known);
      return { tenantId, name: tenantId, role, sessionId, isValid: () => (tokens?.() ?? []).some(isSame) };
    },
  };
}

/** Refuses a token in the address, because browsers, proxies and logs store addresses. */
function refuseTokenInQuery(target: string): void {
  const start = target.indexOf("?");
  if (start === -1) return;
  for (const [name, value] of new URLSearchParams(target.slice(start + 1))) {
    if (!TOKEN_NAMES.test(name) && !value.startsWith(TOKEN_PREFIX)) continue;
    throw refuseToken("token-refused", "Do not put a token into an address. Send it as authorization: Bearer …");
  }
}

function refuseToken(code: "token-missing" | "token-refused", message: string, advice?: string): RefusedRequest {
  const headers = { "www-authenticate": 'Bearer realm="palimpsest"' };
  return new RefusedRequest(code, message, { headers, ...(advice === undefined ? {} : { advice }) });
}
