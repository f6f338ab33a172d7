/** Replays sessions on several threads, so that a folder of recordings uses all cores. */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { RecordedSession } from "../../replay/recorded-session.ts";
import type { SessionReplay } from "../../replay/replay-session.ts";
import type { CopiedSettings, ReplayAnswer } from "./replay-worker.ts";

export interface ReplayThreadsOptions {
  readonly settings: CopiedSettings;
  readonly threads: number;
  readonly signal: AbortSignal;
  readonly onReplay: (session: RecordedSession, replay: SessionReplay) => Promise<void>;
  readonly onFailure: (session: RecordedSession, reason: string) => void;
}

/** The build changes the extension. */
const ENTRY = new URL(`./replay-worker.${import.meta.url.endsWith(".ts") ? "ts" : "js"}`, import.meta.url);

/** Takes sessions one by one, so that only those at work are in memory. Stops early if the signal is aborted. */
export async function replayOnThreads(
  sessions: AsyncIterable<RecordedSession>,
  { settings, threads, signal, onReplay, onFailure }: ReplayThreadsOptions,
): Promise<void> {
  const source = sessions[Symbol.asyncIterator]();
  const takeNext = createQueue(source);
  const work = async (): Promise<void> => {
    let worker: Worker | undefined;
    try {
      for (;;) {
        const session = signal.aborted ? undefined : await takeNext();
        if (session === undefined) return;
        worker ??= new Worker(ENTRY, { workerData: settings, execArgv: [], env: {} });
        const answer = await ask(worker, session, signal);
        if (answer === undefined) return;
        if ("replay" in answer) await onReplay(session, answer.replay);
        else onFailure(session, answer.failure);
      }
    } finally {
      await worker?.terminate();
    }
  };
  try {
    await Promise.all(Array.from({ length: threads }, work));
  } finally {
    await source.return?.();
  }
}

/** A generator gives its values one after the other. */
function createQueue(source: AsyncIterator<RecordedSession>): () => Promise<RecordedSession | undefined> {
  let last: Promise<unknown> = Promise.resolve();
  return () => {
    const next = last.then(() => source.next()).then(({ done, value }) => (done === true ? undefined : value));
    last = next.catch(() => undefined);
    return next;
  };
}

/** Returns undefined if the signal was aborted. Rejects if the thread ends. */
async function ask(worker: Worker, session: RecordedSession, signal: AbortSignal): Promise<ReplayAnswer | undefined> {
  const ended = new AbortController();
  const either = AbortSignal.any([signal, ended.signal]);
  worker.postMessage(session);
  const exit = once(worker, "exit", { signal: either }).then(([code]) => {
    throw new Error(`the thread that replayed ${session.name} ended with code ${code}`);
  });
  try {
    const [answer] = await Promise.race([once(worker, "message", { signal: either }), exit]);
    return answer;
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  } finally {
    exit.catch(() => undefined);
    ended.abort();
  }
}
