/** Holds back a stream that begins with nothing but an error, so that a smaller prompt can follow. */
import type { IncomingMessage } from "node:http";
import { isSuccess } from "./relay-reply.ts";

export interface HeldStream {
  /** The whole stream, if it began with an error. */
  readonly error: Uint8Array | undefined;
  /** All bytes, the first ones included. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

const MAX_ERROR_BYTES = 65_536;
/** An error as the first event; OpenAI's Responses API announces the response before it fails. */
const ERROR_FIRST = /^\s*(?:event: ?error\b|data: ?\{\s*"(?:error"|type":\s*"error"))|"type":\s*"response\.failed"/;

/** Looks at the first chunk only, so that no stream waits. */
export async function holdError(incoming: IncomingMessage): Promise<HeldStream> {
  const { headers } = incoming;
  const isStream = headers["content-type"]?.toLowerCase().startsWith("text/event-stream") === true;
  if (!isStream || !isSuccess(incoming) || headers["content-encoding"] !== undefined) {
    return { error: undefined, chunks: incoming };
  }
  const reader: AsyncIterator<Uint8Array> = incoming[Symbol.asyncIterator]();
  const first = await reader.next();
  if (first.done === true || !ERROR_FIRST.test(Buffer.from(first.value).toString("latin1"))) {
    return { error: undefined, chunks: continueWith(first, reader) };
  }
  const held: Uint8Array[] = [first.value];
  for (let bytes = first.value.byteLength; bytes < MAX_ERROR_BYTES; bytes += held.at(-1)?.byteLength ?? 0) {
    const next = await reader.next();
    if (next.done === true) return { error: Buffer.concat(held), chunks: incoming };
    held.push(next.value);
  }
  return { error: undefined, chunks: continueWith({ done: false, value: Buffer.concat(held) }, reader) };
}

async function* continueWith(
  first: IteratorResult<Uint8Array>,
  reader: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for (let next = first; next.done !== true; next = await reader.next()) yield next.value;
}
