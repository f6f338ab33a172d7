/**
 * Who may speak to a server on this machine. A page of another site can make a browser send requests here, by a name
 * that it lets resolve to us, or across origins; both are known by their headers. What is no browser sends no origin.
 */
import { RefusedRequest } from "../http/answer-error.ts";
import type { RequestHead } from "../http/request-head.ts";

export interface OriginRules {
  /** Names that the server may be called by, without port. */
  readonly hosts: readonly string[];
  /** Origins besides its own, such as `https://chat.example`. */
  readonly origins: readonly string[];
}

export const LOOPBACK_HOSTS: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

export function guardOrigin(head: RequestHead, { hosts, origins }: OriginRules): void {
  const [host, origin] = [head.header("host"), head.header("origin")];
  const name = host === undefined ? undefined : nameOf(host);
  if (name === undefined || !hosts.includes(name)) {
    throw new RefusedRequest("host-refused", "This server is not known by the name that the request was sent to.");
  }
  const isOurs =
    origin === undefined ? !comesFromElsewhere(head) : isOwn(origin, host ?? "") || origins.includes(origin);
  if (!isOurs) throw new RefusedRequest("origin-refused", "Pages of other sites may not use this server.");
}

/** Any port of a name, and the brackets of an address that has colons. */
function nameOf(host: string): string | undefined {
  return /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d{1,5})?$/i.exec(host)?.[1]?.toLowerCase();
}

function isOwn(origin: string, host: string): boolean {
  return origin === `http://${host}` || origin === `https://${host}`;
}

/** A browser that sends no origin with a plain request still says where it comes from. Following a link is harmless. */
function comesFromElsewhere({ method, header }: RequestHead): boolean {
  const site = header("sec-fetch-site");
  if (site === undefined || site === "same-origin" || site === "none") return false;
  const isLink = header("sec-fetch-mode") === "navigate" && header("sec-fetch-dest") === "document";
  return !(isLink && method === "GET");
}

/** Whether only this machine can reach what is bound there. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}
