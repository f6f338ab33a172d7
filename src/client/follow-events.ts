/**
 * An endless stream of server-sent events: a broken connection is opened again with growing pauses, and resumes after
 * the last event. It ends when its signal is aborted, or with an error that a retry does not change.
 */
import type { Address } from "../protocol/addresses.ts";
import { ClientError } from "./client-error.ts";
import type { ClientEvent, ResumeOptions } from "./client-types.ts";
import { EventParser } from "./event-parser.ts";
import { readTextStream } from "./read-text.ts";
import { backoffMs, type CallOptions, pause, sendRequest, type Transport } from "./send-request.ts";

export interface FollowRequest extends Omit<CallOptions, "isSafe">, ResumeOptions {}

export async function* followEvents(
  transport: Transport,
  address: Address,
  { lastId = "", onOpen, ...sending }: FollowRequest,
): AsyncGenerator<ClientEvent> {
  const { signal } = sending;
  let [attempt, seenId, retryMs]: [number, string, number | undefined] = [0, lastId, undefined];
  const isAborted = () => signal?.aborted === true;
  while (!isAborted()) {
    try {
      const parser = new EventParser();
      let isOpen = false;
      const response = await sendRequest({ ...transport, attempts: 1 }, address, {
        ...sending,
        isSafe: false,
        headers: { accept: "text/event-stream", ...(seenId === "" ? {} : { "last-event-id": seenId }) },
      });
      for await (const text of readTextStream(response.body, signal)) {
        // The headers may arrive before the server subscribes; the first text does not.
        if (!isOpen) onOpen?.();
        isOpen = true;
        for (const { id, name, data } of parser.push(text)) {
          attempt = 0;
          if (id !== "") seenId = id;
          yield { id: seenId, name, data: parseData(data) };
        }
        retryMs = parser.retryMs ?? retryMs;
      }
    } catch (error) {
      if (isAborted()) return;
      if (error instanceof ClientError && !error.retryable) throw error;
      retryMs = error instanceof ClientError ? (error.retryAfterMs ?? retryMs) : retryMs;
    }
    // The loop checks why the wait ended.
    await pause(backoffMs(attempt, retryMs), signal).catch(() => undefined);
    attempt += 1;
  }
}

function parseData(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return data;
  }
}
