/**
 * Reads one page from the network, with limits on time, size, type and redirects. Addresses are checked after names are
 * resolved, and the address that was checked is the one that is spoken to, so that a name cannot mean two things. No
 * cookie, no header of the host's, nothing but GET.
 */
import { lookup as resolveName } from "node:dns";
import { type IncomingMessage, request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { isPrivateAddress } from "./private-addresses.ts";

export interface FetchLimits {
  /** Of the whole, redirects included; 10 seconds without it. */
  readonly timeoutMs?: number | undefined;
  /** After unpacking; 2 MB without it. */
  readonly mostBytes?: number | undefined;
  readonly mostRedirects?: number | undefined;
  /** Whether pages of this machine and its network may be read. Never without being asked for. */
  readonly allowsPrivate?: boolean | undefined;
}

export interface Page {
  /** Where it was found in the end. */
  readonly url: string;
  readonly mediaType: string;
  readonly charset: string | undefined;
  readonly bytes: Uint8Array;
}

export type FetchOutcome =
  | { readonly type: "page"; readonly page: Page }
  /** It was not read; the text says why, for people. */
  | { readonly type: "refused"; readonly reason: string };

const TYPES: ReadonlySet<string> = new Set([
  "text/html",
  "application/xhtml+xml",
  "text/plain",
  "text/markdown",
  "text/csv",
  "text/xml",
  "application/xml",
  "application/json",
]);

export async function fetchLink(url: string, limits: FetchLimits = {}): Promise<FetchOutcome> {
  const { timeoutMs = 10_000, mostBytes = 2 * 2 ** 20, mostRedirects = 5, allowsPrivate = false } = limits;
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    return { type: "page", page: await follow(url, { mostBytes, mostRedirects, allowsPrivate, signal }) };
  } catch (error) {
    if (error instanceof Refusal) return { type: "refused", reason: error.message };
    if (signal.aborted) return { type: "refused", reason: `no answer within ${timeoutMs} ms` };
    return { type: "refused", reason: error instanceof Error ? error.message : String(error) };
  }
}

interface Bounds {
  readonly mostBytes: number;
  readonly mostRedirects: number;
  readonly allowsPrivate: boolean;
  readonly signal: AbortSignal;
}

/** Why a page is not read. It never leaves this file. */
class Refusal extends Error {}

async function follow(start: string, bounds: Bounds): Promise<Page> {
  let url = start;
  for (let redirects = 0; redirects <= bounds.mostRedirects; redirects += 1) {
    const response = await ask(checkUrl(url, bounds), bounds);
    const target = redirectOf(response);
    if (target === undefined) return readPage(url, response, bounds);
    response.destroy();
    url = URL.parse(target, url)?.href ?? "";
  }
  throw new Refusal(`more than ${bounds.mostRedirects} redirects`);
}

function checkUrl(text: string, { allowsPrivate }: Bounds): URL {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new Refusal("only http and https are read");
  }
  if (url.username !== "" || url.password !== "") throw new Refusal("a link with a password is not followed");
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (!allowsPrivate && isIP(host) !== 0 && isPrivateAddress(host)) throw privateRefusal(host);
  return url;
}

function privateRefusal(where: string): Refusal {
  return new Refusal(`${where} is a private address`);
}

function ask(url: URL, { signal, allowsPrivate }: Bounds): Promise<IncomingMessage> {
  const request = url.protocol === "https:" ? requestSecure : requestPlain;
  const headers = { accept: "text/html,text/plain,text/markdown,*/*;q=0.1", "accept-encoding": "gzip, deflate, br" };
  return new Promise((resolve, reject) => {
    request(
      url,
      { signal, headers, agent: false, lookup: checkedLookup(allowsPrivate), insecureHTTPParser: false },
      resolve,
    )
      .on("error", reject)
      .end();
  });
}

/** Resolves a name to an address that may be spoken to. Connecting uses this very answer. */
function checkedLookup(allowsPrivate: boolean): LookupFunction {
  return (name, options, callback) => {
    resolveName(name, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error !== null || first === undefined) return callback(error ?? new Refusal(`${name} is not known`), "", 0);
      const bad = allowsPrivate ? undefined : addresses.find(({ address }) => isPrivateAddress(address));
      if (bad !== undefined) return callback(privateRefusal(`${name} (${bad.address})`), "", 0);
      return options.all === true ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };
}

function redirectOf({ statusCode = 0, headers }: IncomingMessage): string | undefined {
  return [301, 302, 303, 307, 308].includes(statusCode) ? headers.location : undefined;
}

async function readPage(url: string, response: IncomingMessage, { mostBytes }: Bounds): Promise<Page> {
  try {
    const { statusCode = 0, headers } = response;
    if (statusCode < 200 || statusCode > 299) throw new Refusal(`the answer was ${statusCode}`);
    const [mediaType = "", ...parameters] = (headers["content-type"] ?? "")
      .toLowerCase()
      .split(";")
      .map((text) => text.trim());
    if (!TYPES.has(mediaType)) throw new Refusal(`${mediaType === "" ? "an unnamed type" : mediaType} is not read`);
    const charset = parameters
      .find((text) => text.startsWith("charset="))
      ?.slice("charset=".length)
      .replaceAll('"', "");
    return { url, mediaType, charset, bytes: await readBytes(unpacked(response), mostBytes) };
  } finally {
    response.destroy();
  }
}

function unpacked(response: IncomingMessage): Readable {
  const encoding = response.headers["content-encoding"] ?? "identity";
  if (encoding === "identity") return response;
  const unpack = { gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress }[encoding];
  if (unpack === undefined) throw new Refusal(`the encoding ${encoding} is not read`);
  const stream = unpack();
  response.on("error", (error) => stream.destroy(error));
  return response.pipe(stream);
}

async function readBytes(stream: Readable, mostBytes: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > mostBytes) throw new Refusal(`more than ${mostBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
