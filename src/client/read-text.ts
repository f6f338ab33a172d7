/**
 * The text of a body as it arrives. Characters that are cut between two pieces come whole; leaving early ends it. The
 * signal ends it here too: a request that nobody holds any more may be collected, and then no longer hears of it.
 */
import { ClientError } from "./client-error.ts";
import type { ChatChunk } from "./client-types.ts";
import { EventParser } from "./event-parser.ts";

export async function* readText(
  body: ReadableStream<Uint8Array> | null,
  signal?: AbortSignal | undefined,
): AsyncGenerator<string> {
  if (body === null) return;
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const reader = body.getReader();
  let isDone = false;
  const onAbort = (): void => void reader.cancel().catch(() => undefined);
  signal?.addEventListener("abort", onAbort);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal?.throwIfAborted();
      isDone = done;
      const text = done ? decoder.decode() : decoder.decode(value, { stream: true });
      if (text !== "") yield text;
      if (done) return;
    }
  } finally {
    signal?.removeEventListener("abort", onAbort);
    // Whoever stops reading early does not want the rest, and how that goes is nobody's concern.
    if (!isDone) await reader.cancel().catch(() => undefined);
  }
}

/** Lines without their ends. What follows the last end is a line too, where there is something. */
export async function* readLines(
  body: ReadableStream<Uint8Array> | null,
  signal?: AbortSignal | undefined,
): AsyncGenerator<string> {
  let rest = "";
  for await (const text of readText(body, signal)) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}

const END = "[DONE]";

/** Reads the chunks of a UI message stream; none without a stream. One that breaks off before its end is an error. */
export async function* readChunks(response: Response, signal: AbortSignal | undefined): AsyncGenerator<ChatChunk> {
  if (response.status === 204) return;
  const parser = new EventParser();
  try {
    for await (const text of readText(response.body, signal)) {
      for (const { data } of parser.push(text)) {
        if (data === END) return;
        yield JSON.parse(data);
      }
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw new ClientError("connection-lost", "The stream broke off.", { retryable: true, cause: error });
  }
  throw new ClientError("connection-lost", "The stream broke off before its end.", { retryable: true });
}
