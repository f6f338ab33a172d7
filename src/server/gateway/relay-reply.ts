/** Passes the bytes of an upstream's response to the client as they arrive, and reads the reply from a copy. */
import type { IncomingMessage } from "node:http";
import type { Transform } from "node:stream";
import { type CollectedReply, createCollector, type ReplyCollector } from "./collect-reply.ts";
import { createDecoder, readHeaders } from "./forward.ts";
import type { Dialect } from "./read-request.ts";

export interface ReplyEnd {
  readonly reply: CollectedReply;
  /** Why the response ended early; undefined if it is complete. */
  readonly failure: "canceled" | "failed" | undefined;
}

export interface RelayOptions {
  readonly dialect: Dialect;
  readonly headers: Readonly<Record<string, string>>;
  /** The body, if its first bytes have been read. */
  readonly chunks?: AsyncIterable<Uint8Array> | undefined;
  /** Called before the response to the client ends. Must not reject. */
  readonly onEnd: (end: ReplyEnd) => Promise<void>;
}

const SUCCESS = { from: 200, below: 300 };

export function isSuccess({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= SUCCESS.from && statusCode < SUCCESS.below;
}

export function relayReply(
  incoming: IncomingMessage,
  { dialect, headers, chunks = incoming, onEnd }: RelayOptions,
): Response {
  const isStream = incoming.headers["content-type"]?.toLowerCase().startsWith("text/event-stream") === true;
  const copy = isSuccess(incoming) ? new ReplyCopy(createCollector(dialect, isStream), incoming) : undefined;
  return createResponse(incoming, { headers, chunks: watch({ incoming, chunks, copy }, onEnd) });
}

/** Returns a response with the bytes and headers of an upstream, and with headers of our own. */
export function createResponse(
  incoming: IncomingMessage,
  options: { readonly headers: Readonly<Record<string, string>>; readonly chunks?: AsyncIterable<Uint8Array> },
): Response {
  const { statusCode: status = 502 } = incoming;
  const headers = readHeaders(incoming);
  for (const [name, value] of Object.entries(options.headers)) headers.set(name, value);
  const isEmpty = status === 204 || status === 304;
  return new Response(isEmpty ? null : ReadableStream.from(options.chunks ?? incoming), { status, headers });
}

interface WatchedReply extends Required<Pick<RelayOptions, "chunks">> {
  readonly incoming: IncomingMessage;
  readonly copy: ReplyCopy | undefined;
}

async function* watch(
  { incoming, chunks = incoming, copy }: WatchedReply,
  onEnd: RelayOptions["onEnd"],
): AsyncGenerator<Uint8Array> {
  let failure: ReplyEnd["failure"] = "canceled";
  try {
    for await (const chunk of chunks) {
      copy?.add(chunk);
      yield chunk;
    }
    failure = undefined;
  } catch (error) {
    failure = "failed";
    throw error;
  } finally {
    incoming.destroy();
    if (copy !== undefined) await onEnd({ reply: await copy.finish(), failure });
  }
}

/** Undoes the content encoding of a copy of the bytes. A copy that cannot be decoded has no reply. */
class ReplyCopy {
  readonly #collector: ReplyCollector;
  readonly #decoder: Transform | undefined;
  readonly #text = new TextDecoder();
  #isReadable: boolean;

  constructor(collector: ReplyCollector, incoming: IncomingMessage) {
    const encoding = incoming.headers["content-encoding"] ?? "identity";
    this.#collector = collector;
    this.#decoder = encoding === "identity" ? undefined : createDecoder(encoding);
    this.#isReadable = encoding === "identity" || this.#decoder !== undefined;
    this.#decoder?.on("data", (chunk: Uint8Array) => this.#read(chunk));
    // Bytes that are not in the encoding of their header. The client gets them as they are.
    this.#decoder?.on("error", () => {
      this.#isReadable = false;
    });
  }

  add(chunk: Uint8Array): void {
    if (!this.#isReadable) return;
    if (this.#decoder === undefined) this.#read(chunk);
    else this.#decoder.write(chunk);
  }

  async finish(): Promise<CollectedReply> {
    const decoder = this.#decoder;
    if (decoder !== undefined && this.#isReadable) {
      await new Promise<void>((resolve) => {
        decoder.once("end", resolve);
        decoder.once("error", () => resolve());
        decoder.end();
      });
    }
    return this.#collector.finish();
  }

  #read(chunk: Uint8Array): void {
    this.#collector.add(this.#text.decode(chunk, { stream: true }));
  }
}
