/**
 * The worker thread that writes long summaries by code, so that they do not delay other requests. The process has one:
 * it starts with the first summary, stops when it has been idle, and does not keep the process alive. If it dies or does
 * not answer in time, the callers write their summaries themselves, and the next summary starts another thread.
 */
import { setFlagsFromString } from "node:v8";
import { Worker } from "node:worker_threads";
import type { CodeSummary, CodeSummaryTask } from "../../core/summary/offline/write-by-code.ts";
import type { CounterId } from "../../core/tokens/counter.ts";
import type { SummaryThread } from "../../ports/summary-thread.ts";

/** Messages between the threads are copied, so they are plain values. */
export interface ThreadRequest {
  readonly id: number;
  readonly task: CodeSummaryTask;
  readonly counterId: CounterId;
}

export interface ThreadAnswer {
  readonly id: number;
  /** Undefined if the thread could not write the summary. */
  readonly summary: CodeSummary | undefined;
}

/** The build changes the extension. */
const ENTRY = new URL(`./summary-worker.${import.meta.url.endsWith(".ts") ? "ts" : "js"}`, import.meta.url);
const IDLE_MS = 60_000;
const MAX_HEAP_MEGABYTES = 512;
/**
 * Space for new objects. It starts with one megabyte, and does not grow in a server that limits its own heap: the thread
 * would then collect garbage a hundred times a second.
 */
const NEW_SPACE_MEGABYTES = 8;
/** A summary takes a second at most, unless the machine is busy. */
const MAX_ANSWER_MS = 20_000;

export interface SummaryThreadOptions {
  readonly startWorker?: (() => Worker) | undefined;
  /** How long the thread may take for one summary. */
  readonly maxAnswerMs?: number | undefined;
}

interface WaitingSummary {
  readonly timer: NodeJS.Timeout;
  resolve(summary: CodeSummary | undefined): void;
}

export class WorkerSummaries implements SummaryThread {
  readonly #options: Required<{ [Key in keyof SummaryThreadOptions]: NonNullable<SummaryThreadOptions[Key]> }>;
  readonly #waiting = new Map<number, WaitingSummary>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #requests = 0;

  constructor({ startWorker = startSummaryWorker, maxAnswerMs = MAX_ANSWER_MS }: SummaryThreadOptions = {}) {
    this.#options = { startWorker, maxAnswerMs };
  }

  prepare(): void {
    if (this.#worker !== undefined) return;
    try {
      this.#worker = this.#start();
      this.#rest(this.#worker);
    } catch {
      // The first summary tries again.
    }
  }

  write(task: CodeSummaryTask, counterId: CounterId): Promise<CodeSummary | undefined> {
    return new Promise((resolve) => {
      const id = this.#requests;
      this.#requests += 1;
      let worker: Worker;
      try {
        worker = this.#worker ??= this.#start();
        worker.postMessage({ id, task, counterId } satisfies ThreadRequest);
      } catch {
        // A message with a value that cannot be copied is summarized by the caller.
        return resolve(undefined);
      }
      const timer = setTimeout(() => this.#end(worker), this.#options.maxAnswerMs);
      this.#waiting.set(id, { timer, resolve });
      worker.ref();
      clearTimeout(this.#idle);
    });
  }

  #start(): Worker {
    const worker = this.#options.startWorker();
    worker.on("message", ({ id, summary }: ThreadAnswer) => this.#settle(id, summary));
    worker.on("error", () => this.#end(worker));
    worker.on("exit", () => this.#end(worker));
    return worker;
  }

  #settle(id: number, summary: CodeSummary | undefined): void {
    const waiting = this.#waiting.get(id);
    clearTimeout(waiting?.timer);
    waiting?.resolve(summary);
    this.#waiting.delete(id);
    const worker = this.#worker;
    if (this.#waiting.size === 0 && worker !== undefined) this.#rest(worker);
  }

  #rest(worker: Worker): void {
    worker.unref();
    this.#idle = setTimeout(() => this.#end(worker), IDLE_MS).unref();
  }

  #end(worker: Worker): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    clearTimeout(this.#idle);
    void worker.terminate();
    for (const { timer, resolve } of this.#waiting.values()) {
      clearTimeout(timer);
      resolve(undefined);
    }
    this.#waiting.clear();
  }
}

function startSummaryWorker(): Worker {
  // V8 reads this flag when it creates the heap of a thread; that of this thread exists.
  setFlagsFromString(`--min-semi-space-size=${NEW_SPACE_MEGABYTES}`);
  const resourceLimits = { maxOldGenerationSizeMb: MAX_HEAP_MEGABYTES };
  return new Worker(ENTRY, { execArgv: [], env: {}, resourceLimits });
}
