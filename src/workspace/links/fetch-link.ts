/** Fetches one page within limits and without credentials, from the address that was checked (no DNS rebinding). */
import { lookup } from "node:dns";
import { type IncomingMessage, request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import ipaddr from "ipaddr.js";
import { listWords } from "../../core/language/list-words.ts";

/** How long a page may take and how large it may be. */
export interface FetchLimits {
  /** Limit for the whole fetch, redirects included; default 10 seconds. */
  readonly timeoutMs?: number | undefined;
  /** Limit after decompression; default 2 MB. */
  readonly maxBytes?: number | undefined;
  /** Maximum number of redirects; default 5. */
  readonly maxRedirects?: number | undefined;
  /** Private addresses that may be fetched, at any port: none by default, the listed ones, or all with `true`. */
  readonly allowsPrivate?: boolean | readonly string[] | undefined;
  /** Resolves a name to addresses; default the system's resolver. */
  readonly resolveName?: ResolveName | undefined;
}

export type ResolveName = (name: string) => Promise<readonly { readonly address: string; readonly family: number }[]>;

export interface Page {
  /** URL after redirects. */
  readonly url: string;
  /** Empty if the server does not state it. */
  readonly mediaType: string;
  readonly charset: string | undefined;
  readonly bytes: Uint8Array;
}

export type FetchOutcome =
  | { readonly type: "page"; readonly page: Page }
  /** The page was not read; `reason` is shown to users. */
  | { readonly type: "refused"; readonly reason: string };

export async function fetchLink(url: string, limits: FetchLimits = {}): Promise<FetchOutcome> {
  const { timeoutMs = 10_000, maxBytes = 2 * 2 ** 20, maxRedirects = 5, allowsPrivate = false } = limits;
  const signal = AbortSignal.timeout(timeoutMs);
  const isAllowed = (address: string): boolean =>
    !isPrivateAddress(address) ||
    (typeof allowsPrivate === "boolean" ? allowsPrivate : allowsPrivate.includes(address));
  const resolveName = limits.resolveName ?? lookUpWithSystem;
  try {
    return {
      type: "page",
      page: await followRedirects(url, { maxBytes, maxRedirects, isAllowed, resolveName, signal }),
    };
  } catch (error) {
    if (error instanceof Refusal) return { type: "refused", reason: error.message };
    if (signal.aborted) return { type: "refused", reason: `no answer within ${timeoutMs} ms` };
    return { type: "refused", reason: error instanceof Error ? error.message || error.name : String(error) };
  }
}

interface FetchContext {
  readonly maxBytes: number;
  readonly maxRedirects: number;
  readonly isAllowed: (address: string) => boolean;
  readonly resolveName: ResolveName;
  readonly signal: AbortSignal;
}

/** The reason why a page is not read. It is never thrown outside this file. */
class Refusal extends Error {}

async function followRedirects(start: string, context: FetchContext): Promise<Page> {
  let url = start;
  for (let redirects = 0; redirects <= context.maxRedirects; redirects += 1) {
    const response = await sendRequest(checkUrl(url, context), context);
    const target = findRedirect(response);
    if (target === undefined) return readPageBody(url, response, context);
    response.destroy();
    url = URL.parse(target, url)?.href ?? "";
  }
  throw new Refusal(`more than ${context.maxRedirects} redirects`);
}

function checkUrl(text: string, { isAllowed }: FetchContext): URL {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new Refusal("only http and https links are supported");
  }
  if (url.username !== "" || url.password !== "") throw new Refusal("a link with a password is not followed");
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const isAddress = isIP(host) !== 0;
  if (isAddress && !isAllowed(host)) throw createPrivateRefusal(host);
  // An explicitly allowed private address may use any port.
  const isOwn = isAddress && isPrivateAddress(host);
  if (!isOwn && !isAllowedPort(url.port)) throw new Refusal(`port ${url.port} is not allowed for web pages`);
  return url;
}

function createPrivateRefusal(where: string): Refusal {
  return new Refusal(`${where} is a private address`);
}

const HEADERS = {
  accept: "text/html,text/plain,text/markdown,*/*;q=0.1",
  "accept-encoding": "gzip, deflate, br",
  "user-agent": "palimpsest",
} as const;

function sendRequest(url: URL, context: FetchContext): Promise<IncomingMessage> {
  const { signal } = context;
  const request = url.protocol === "https:" ? requestSecure : requestPlain;
  const options = { signal, headers: HEADERS, agent: false, lookup: checkedLookup(context), insecureHTTPParser: false };
  return new Promise((resolve, reject) => {
    request(url, options, resolve).on("error", reject).end();
  });
}

const lookUpWithSystem: ResolveName = (name) =>
  new Promise((resolve, reject) => {
    lookup(name, { all: true }, (error, addresses) => (error === null ? resolve(addresses) : reject(error)));
  });

/** Resolves a name and refuses it unless all of its addresses are allowed. The connection uses this result. */
function checkedLookup({ isAllowed, resolveName }: FetchContext): LookupFunction {
  return (name, options, callback) => {
    const fail = (error: Error): void => callback(error, "", 0);
    resolveName(name).then((addresses) => {
      const [first] = addresses;
      if (first === undefined) return fail(new Refusal(`${name} was not found`));
      const bad = addresses.find(({ address }) => !isAllowed(address));
      if (bad !== undefined) return fail(createPrivateRefusal(`${name} (${bad.address})`));
      return options.all === true ? callback(null, [...addresses]) : callback(null, first.address, first.family);
    }, fail);
  };
}

function findRedirect({ statusCode = 0, headers }: IncomingMessage): string | undefined {
  return [301, 302, 303, 307, 308].includes(statusCode) ? headers.location : undefined;
}

async function readPageBody(url: string, response: IncomingMessage, { maxBytes }: FetchContext): Promise<Page> {
  try {
    const { statusCode = 0, headers } = response;
    if (statusCode < 200 || statusCode > 299) throw new Refusal(`the server answered with status ${statusCode}`);
    const [mediaType = "", ...parameters] = (headers["content-type"] ?? "")
      .toLowerCase()
      .split(";")
      .map((text) => text.trim());
    if (!isReadableType(mediaType)) throw new Refusal(`${mediaType} is not supported`);
    const charset = parameters
      .find((text) => text.startsWith("charset="))
      ?.slice("charset=".length)
      .replaceAll(/["']/g, "")
      .trim();
    const bytes = await readBytes(decompress(response), maxBytes);
    return { url, mediaType, charset: charset === "" ? undefined : charset, bytes };
  } finally {
    response.destroy();
  }
}

const DECOMPRESSORS = new Map([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

function decompress(response: IncomingMessage): Readable {
  const encoding = (response.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  if (encoding === "identity" || encoding === "") return response;
  const unpack = DECOMPRESSORS.get(encoding);
  if (unpack === undefined) throw new Refusal(`the encoding ${encoding} is not supported`);
  const stream = unpack();
  response.on("error", (error) => stream.destroy(error));
  return response.pipe(stream);
}

async function readBytes(stream: Readable, maxBytes: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > maxBytes) throw new Refusal(`more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const OTHER_TYPES: ReadonlySet<string> = new Set(
  listWords("json xml javascript x-javascript yaml x-yaml toml x-ndjson").map((name) => `application/${name}`),
);

/** If no type is stated, the content decides. */
export function isReadableType(mediaType: string): boolean {
  if (mediaType === "" || OTHER_TYPES.has(mediaType)) return true;
  return mediaType.startsWith("text/") || /^application\/[\w.-]+\+(?:xml|json)$/.test(mediaType);
}

/** Ports above 1023 that browsers block, because other services listen there. */
const BLOCKED_PORTS: ReadonlySet<number> = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/** Expects the port of a URL, empty for the default. Below 1024 only 80 and 443 are allowed. */
export function isAllowedPort(port: string): boolean {
  if (port === "" || port === "80" || port === "443") return true;
  return Number(port) >= 1_024 && !BLOCKED_PORTS.has(Number(port));
}

/** The global unicast range of IPv6. `ipaddr.js` classifies every address without a special range as unicast. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3");
/** The range of NAT64. The last 32 bits are the IPv4 address that the network translates to. */
const TRANSLATED_IPV4 = ipaddr.IPv6.parseCIDR("64:ff9b::/96");

/** Returns true for an address that is local, the cloud's own, invalid or has a zone. Links to it are refused. */
export function isPrivateAddress(address: string): boolean {
  if (isIP(address) === 0 || address.includes("%")) return true;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.range() !== "unicast";
  if (parsed.match(TRANSLATED_IPV4)) {
    return ipaddr.fromByteArray(parsed.toByteArray().slice(-4)).range() !== "unicast";
  }
  return parsed.range() !== "unicast" || !parsed.match(GLOBAL_IPV6);
}
