/** A UI message stream as its chunks. Its end is said by the server; one that breaks off before that is an error. */
import { ClientError } from "./client-error.ts";
import type { ChatChunk } from "./client-types.ts";
import { EventParser } from "./event-parser.ts";
import { readText } from "./read-text.ts";

const END = "[DONE]";

/** Nothing where there is no stream. */
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
