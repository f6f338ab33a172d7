/**
 * The door: who may speak to the server at all, whose request it is, and how often they may ask. It is asked before a
 * request is routed, for every path and for every upgrade. What is refused is answered in words and never repeated.
 */
import { RefusedRequest } from "../http/answer-error.ts";
import type { RequestHead } from "../http/request-head.ts";
import { guardOrigin, type OriginRules } from "./guard-origin.ts";
import { createRateLimit, type RateRule } from "./rate-limit.ts";
import { findToken, LOCAL_TENANT, readBearer, TOKEN_PREFIX, type TokenRow } from "./tokens.ts";

export interface AccessOptions {
  readonly origins: OriginRules;
  /** Those that hold now; undefined where nobody needs one. */
  readonly tokens: (() => readonly TokenRow[]) | undefined;
  /** Of each caller: a token, or an address without one. */
  readonly rate?: RateRule | undefined;
}

export interface Access {
  /** Throws `RefusedRequest` for who may not speak to this server at all. */
  guard(head: RequestHead): void;
  /** The origin of a page that the host lets use this server from elsewhere, where it is one. */
  findOrigin(head: RequestHead): string | undefined;
  /** Whose request it is. Throws `RefusedRequest` for who may not ask, or asks too often. */
  identify(head: RequestHead): string;
}

/** Many programs on one machine are one caller. */
export const LOOPBACK_RATE: RateRule = { perSecond: 10_000, burst: 20_000 };
export const TOKEN_RATE: RateRule = { perSecond: 200, burst: 1_000 };
/** Of tokens that are not known here, from one address. */
const GUESS_RATE: RateRule = { perSecond: 5, burst: 50 };
const NO_TOKENS = "This server knows no tokens and asks for none; send the request without one.";
const LONGEST_TARGET = 8_000;
const TOKEN_NAMES = /^(?:access_?token|api_?key|auth|authorization|bearer|token)$/i;

export function createAccess({ origins, tokens, rate }: AccessOptions): Access {
  const admit = createRateLimit(rate ?? (tokens === undefined ? LOOPBACK_RATE : TOKEN_RATE));
  const admitGuess = createRateLimit(GUESS_RATE);
  return {
    guard(head) {
      guardOrigin(head, origins);
      if (head.target.length > LONGEST_TARGET) {
        throw new RefusedRequest("target-too-long", `The address is longer than ${LONGEST_TARGET} characters.`);
      }
      refuseTokenInQuery(head.target);
    },
    findOrigin(head) {
      const origin = head.header("origin");
      return origin !== undefined && origins.origins.includes(origin) ? origin : undefined;
    },
    identify(head) {
      const { header, address = "in-process" } = head;
      const authorization = header("authorization");
      if (tokens === undefined && authorization === undefined) {
        admit(address);
        return LOCAL_TENANT;
      }
      if (authorization === undefined) throw refuse("token-missing", "Send a token: authorization: Bearer …");
      const token = readBearer(authorization);
      const row = token === undefined ? undefined : findToken(tokens?.() ?? [], token);
      if (row === undefined) {
        admitGuess(address);
        throw refuse("token-refused", tokens === undefined ? NO_TOKENS : "This token is not known here.");
      }
      admit(row.hash);
      return row.tenantId;
    },
  };
}

/** Addresses are kept by browsers, proxies and logs. */
function refuseTokenInQuery(target: string): void {
  const start = target.indexOf("?");
  if (start === -1) return;
  for (const [name, value] of new URLSearchParams(target.slice(start + 1))) {
    if (!TOKEN_NAMES.test(name) && !value.startsWith(TOKEN_PREFIX)) continue;
    throw refuse("token-refused", "A token does not belong into an address; send it as authorization: Bearer …");
  }
}

function refuse(code: "token-missing" | "token-refused", message: string): RefusedRequest {
  return new RefusedRequest(code, message, { headers: { "www-authenticate": 'Bearer realm="palimpsest"' } });
}
