/**
 * Reads one page from the network, with limits on time, size, type, ports and redirects. Addresses are checked after
 * names are resolved, and the address that was checked is the one that is spoken to, so that a name cannot mean two
 * things. No cookie, no password, no header of the host's, nothing but GET.
 */
import { lookup } from "node:dns";
import { type IncomingMessage, request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { isOpenPort, isReadableType } from "./fetch-rules.ts";
import { isPrivateAddress } from "./private-addresses.ts";

export interface FetchLimits {
  /** Of the whole, redirects included; 10 seconds without it. */
  readonly timeoutMs?: number | undefined;
  /** After unpacking; 2 MB without it. */
  readonly mostBytes?: number | undefined;
  /** 5 without it. */
  readonly mostRedirects?: number | undefined;
  /**
   * Which addresses of this machine and its network may be spoken to, at whichever port: none without it, those that
   * are named, or true for all of them.
   */
  readonly allowsPrivate?: boolean | readonly string[] | undefined;
  /** Who knows the addresses of a name; the system without it. */
  readonly resolveName?: ResolveName | undefined;
}

export type ResolveName = (name: string) => Promise<readonly { readonly address: string; readonly family: number }[]>;

export interface Page {
  /** Where it was found in the end. */
  readonly url: string;
  /** Empty where the server does not say. */
  readonly mediaType: string;
  readonly charset: string | undefined;
  readonly bytes: Uint8Array;
}

export type FetchOutcome =
  | { readonly type: "page"; readonly page: Page }
  /** It was not read; the text says why, for people. */
  | { readonly type: "refused"; readonly reason: string };

export async function fetchLink(url: string, limits: FetchLimits = {}): Promise<FetchOutcome> {
  const { timeoutMs = 10_000, mostBytes = 2 * 2 ** 20, mostRedirects = 5, allowsPrivate = false } = limits;
  const signal = AbortSignal.timeout(timeoutMs);
  const mayAsk = (address: string): boolean =>
    !isPrivateAddress(address) ||
    (typeof allowsPrivate === "boolean" ? allowsPrivate : allowsPrivate.includes(address));
  const resolveName = limits.resolveName ?? askSystem;
  try {
    return { type: "page", page: await follow(url, { mostBytes, mostRedirects, mayAsk, resolveName, signal }) };
  } catch (error) {
    if (error instanceof Refusal) return { type: "refused", reason: error.message };
    if (signal.aborted) return { type: "refused", reason: `no answer within ${timeoutMs} ms` };
    return { type: "refused", reason: error instanceof Error ? error.message || error.name : String(error) };
  }
}

interface Bounds {
  readonly mostBytes: number;
  readonly mostRedirects: number;
  readonly mayAsk: (address: string) => boolean;
  readonly resolveName: ResolveName;
  readonly signal: AbortSignal;
}

/** Why a page is not read. It never leaves this file. */
class Refusal extends Error {}

async function follow(start: string, bounds: Bounds): Promise<Page> {
  let url = start;
  for (let redirects = 0; redirects <= bounds.mostRedirects; redirects += 1) {
    const response = await ask(checkUrl(url, bounds), bounds);
    const target = redirectOf(response);
    if (target === undefined) return readBody(url, response, bounds);
    response.destroy();
    url = URL.parse(target, url)?.href ?? "";
  }
  throw new Refusal(`more than ${bounds.mostRedirects} redirects`);
}

function checkUrl(text: string, { mayAsk }: Bounds): URL {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new Refusal("only http and https are read");
  }
  if (url.username !== "" || url.password !== "") throw new Refusal("a link with a password is not followed");
  const host = hostOf(url);
  const isAddress = isIP(host) !== 0;
  if (isAddress && !mayAsk(host)) throw privateRefusal(host);
  // Whoever allows an address of their own knows what answers there.
  const isOwn = isAddress && isPrivateAddress(host);
  if (!isOwn && !isOpenPort(url.port)) throw new Refusal(`the port ${url.port} is not one for pages`);
  return url;
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

function privateRefusal(where: string): Refusal {
  return new Refusal(`${where} is a private address`);
}

const HEADERS = {
  accept: "text/html,text/plain,text/markdown,*/*;q=0.1",
  "accept-encoding": "gzip, deflate, br",
  "user-agent": "palimpsest",
} as const;

function ask(url: URL, bounds: Bounds): Promise<IncomingMessage> {
  const { signal } = bounds;
  const request = url.protocol === "https:" ? requestSecure : requestPlain;
  const options = { signal, headers: HEADERS, agent: false, lookup: checkedLookup(bounds), insecureHTTPParser: false };
  return new Promise((resolve, reject) => {
    request(url, options, resolve).on("error", reject).end();
  });
}

const askSystem: ResolveName = (name) =>
  new Promise((resolve, reject) => {
    lookup(name, { all: true }, (error, addresses) => (error === null ? resolve(addresses) : reject(error)));
  });

/** Resolves a name to addresses that may be spoken to, all of them. Connecting uses this very answer. */
function checkedLookup({ mayAsk, resolveName }: Bounds): LookupFunction {
  return (name, options, callback) => {
    const fail = (error: Error): void => callback(error, "", 0);
    resolveName(name).then((addresses) => {
      const [first] = addresses;
      if (first === undefined) return fail(new Refusal(`${name} is not known`));
      const bad = addresses.find(({ address }) => !mayAsk(address));
      if (bad !== undefined) return fail(privateRefusal(`${name} (${bad.address})`));
      return options.all === true ? callback(null, [...addresses]) : callback(null, first.address, first.family);
    }, fail);
  };
}

function redirectOf({ statusCode = 0, headers }: IncomingMessage): string | undefined {
  return [301, 302, 303, 307, 308].includes(statusCode) ? headers.location : undefined;
}

async function readBody(url: string, response: IncomingMessage, { mostBytes }: Bounds): Promise<Page> {
  try {
    const { statusCode = 0, headers } = response;
    if (statusCode < 200 || statusCode > 299) throw new Refusal(`the answer was ${statusCode}`);
    const [mediaType = "", ...parameters] = (headers["content-type"] ?? "")
      .toLowerCase()
      .split(";")
      .map((text) => text.trim());
    if (!isReadableType(mediaType)) throw new Refusal(`${mediaType} is not read`);
    const charset = parameters
      .find((text) => text.startsWith("charset="))
      ?.slice("charset=".length)
      .replaceAll(/["']/g, "")
      .trim();
    const bytes = await readBytes(unpacked(response), mostBytes);
    return { url, mediaType, charset: charset === "" ? undefined : charset, bytes };
  } finally {
    response.destroy();
  }
}

const UNPACKERS = new Map([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

function unpacked(response: IncomingMessage): Readable {
  const encoding = (response.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  if (encoding === "identity" || encoding === "") return response;
  const unpack = UNPACKERS.get(encoding);
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
