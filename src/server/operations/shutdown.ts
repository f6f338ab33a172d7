/**
 * Shuts the server down in order: refuse new requests, let running ones finish, stop long streams and store what
 * arrived, close connections, engines and store. Each step has its share of the time. A second call waits for the
 * first.
 */
import { setTimeout } from "node:timers/promises";

export interface ShutdownParts {
  /** Refuses requests from now on, and ends endless streams. */
  readonly stop: () => void;
  /** Stops the running streams and stores what arrived. */
  readonly stopStreams: () => void;
  /** Resolves to true if all requests finished in time. */
  readonly drain: (withinMs: number) => Promise<boolean>;
  readonly disconnect: () => Promise<void>;
  /** Close engines, store and log. All are called, even if one fails. */
  readonly close: readonly ((withinMs: number) => Promise<void>)[];
}

/** Shares of the time for streams to finish, and to store what arrived after they were stopped. */
const FINISH_SHARE = 0.6;
const STORE_SHARE = 0.2;
/** Share of the time for requests that still arrive: they get a refusal instead of a closed connection. */
const REFUSE_SHARE = 0.05;
const MAX_REFUSE_MS = 200;

export function createShutdown(parts: ShutdownParts): (withinMs: number) => Promise<void> {
  let ending: Promise<void> | undefined;
  return (withinMs) => {
    ending ??= shutDown(parts, withinMs);
    return ending;
  };
}

async function shutDown(
  { stop, stopStreams, drain, disconnect, close }: ShutdownParts,
  withinMs: number,
): Promise<void> {
  const until = performance.now() + withinMs;
  const refusing = setTimeout(Math.min(withinMs * REFUSE_SHARE, MAX_REFUSE_MS));
  stop();
  const isFinished = await drain(withinMs * FINISH_SHARE);
  stopStreams();
  if (!isFinished) await drain(withinMs * STORE_SHARE);
  await refusing;
  await disconnect();
  const failures: unknown[] = [];
  for (const end of close) {
    await end(Math.max(1, Math.round(until - performance.now()))).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}
