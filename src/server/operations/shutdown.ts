/**
 * How a server ends: nothing new is begun, what is under way may finish, what takes longer is told to come to an end and
 * keep what came, and then connections are cut, engines and store closed, in this order, each with its share of the
 * time. A second call waits for the first.
 */
import { setTimeout } from "node:timers/promises";

export interface ShutdownParts {
  /** From now on requests are refused, and what has no end of its own ends. */
  readonly stop: () => void;
  /** Streams that are still under way come to an end and keep what came. */
  readonly hurry: () => void;
  /** Whether all requests were finished in time. */
  readonly drain: (withinMs: number) => Promise<boolean>;
  readonly disconnect: () => Promise<void>;
  /** Engines, store, log; every one of them although one before it failed. */
  readonly close: readonly ((withinMs: number) => Promise<void>)[];
}

/** Of the whole time: what streams may take to finish by themselves, and to store what came once they are told. */
const FINISH_SHARE = 0.6;
const KEEP_SHARE = 0.2;
/** For requests that are on their way just then: they are told to come back, instead of finding the line dead. */
const FAREWELL_SHARE = 0.05;
const LONGEST_FAREWELL_MS = 200;

export function createShutdown(parts: ShutdownParts): (withinMs: number) => Promise<void> {
  let ending: Promise<void> | undefined;
  return (withinMs) => {
    ending ??= shutDown(parts, withinMs);
    return ending;
  };
}

async function shutDown({ stop, hurry, drain, disconnect, close }: ShutdownParts, withinMs: number): Promise<void> {
  const until = performance.now() + withinMs;
  const farewell = setTimeout(Math.min(withinMs * FAREWELL_SHARE, LONGEST_FAREWELL_MS));
  stop();
  const isFinished = await drain(withinMs * FINISH_SHARE);
  hurry();
  if (!isFinished) await drain(withinMs * KEEP_SHARE);
  await farewell;
  await disconnect();
  const failures: unknown[] = [];
  for (const end of close) {
    await end(Math.max(1, Math.round(until - performance.now()))).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}
