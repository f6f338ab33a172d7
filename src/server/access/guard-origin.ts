/**
 * Checks the host and the origin of a request. A page of another site can make a browser send requests to this machine,
 * through DNS rebinding or across origins; the headers reveal both. Programs other than browsers send no origin.
 */
import { RefusedRequest } from "../http/answer-error.ts";
import type { RequestHead } from "../http/request-head.ts";

export interface OriginRules {
  /** Host names that the server answers to, without port. */
  readonly hosts: readonly string[];
  /** Origins besides its own, such as `https://chat.example`. */
  readonly origins: readonly string[];
}

export const LOOPBACK_HOSTS: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

export function guardOrigin(head: RequestHead, { hosts, origins }: OriginRules): void {
  const [host, origin] = [head.header("host"), head.header("origin")];
  const name = host === undefined ? undefined : readHostName(host);
  if (name === undefined || !hosts.includes(name)) {
    throw new RefusedRequest("host-refused", "The server does not answer to this host name. Allow it with --hosts.");
  }
  const isAllowed = origin === undefined ? !isCrossSite(head) : isOwn(origin, host ?? "") || origins.includes(origin);
  if (!isAllowed) {
    throw new RefusedRequest("origin-refused", "The server does not answer to this origin. Allow it with --origins.");
  }
}

function readHostName(host: string): string | undefined {
  return /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d{1,5})?$/i.exec(host)?.[1]?.toLowerCase();
}

function isOwn(origin: string, host: string): boolean {
  return origin === `http://${host}` || origin === `https://${host}`;
}

/** Reads `sec-fetch-site`, which browsers send even if they send no origin. Following a link is allowed. */
function isCrossSite({ method, header }: RequestHead): boolean {
  const site = header("sec-fetch-site");
  if (site === undefined || site === "same-origin" || site === "none") return false;
  const isLink = header("sec-fetch-mode") === "navigate" && header("sec-fetch-dest") === "document";
  return !(isLink && method === "GET");
}

/** Returns true if only this machine can reach a socket bound to the host. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}
