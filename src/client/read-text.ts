/** Reads the text of a body while it arrives, with whole characters. Stopping early cancels the body. */
import { ClientError } from "./client-error.ts";
import type { ChatChunk } from "./client-types.ts";
import { EventParser } from "./event-parser.ts";

export async function* readTextStream(
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
    // After an early stop the rest is not needed, and a failure to cancel it does not matter.
    if (!isDone) await reader.cancel().catch(() => undefined);
  }
}

/** Reads lines without their newlines. Text after the last newline is a line too. */
export async function* readLines(
  body: ReadableStream<Uint8Array> | null,
  signal?: AbortSignal | undefined,
): AsyncGenerator<string> {
  let rest = "";
  for await (const text of readTextStream(body, signal)) {
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
    for await (const text of readTextStream(response.body, signal)) {
      for (const { data } of parser.push(text)) {
        if (data === END) return;
        yield JSON.parse(data);
      }
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw connectionLost(error);
  }
  throw connectionLost();
}

function connectionLost(cause?: unknown): ClientError {
  const text = "The connection was lost while the answer was streaming.";
  return new ClientError("connection-lost", text, { retryable: true, cause });
}
