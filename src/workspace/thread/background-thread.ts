/**
 * Runs a worker thread, so that a large page or file does not block the event loop. If it dies or times out, the
 * current request fails and a new thread takes the rest. It does not keep the process alive.
 */
import { Worker } from "node:worker_threads";
import type { Page } from "../links/fetch-link.ts";
import type { PageText } from "../links/read-page.ts";
import type { PackedOutline } from "../symbols/outline-reader.ts";

export interface ThreadOptions {
  /** Limit for one request, from its start. */
  readonly timeoutMs: number;
  readonly idleMs: number;
  readonly maxHeapMegabytes: number;
}

interface PendingRequest {
  readonly request: ThreadRequest;
  readonly resolve: (answer: ThreadResponse) => void;
  readonly reject: (error: Error) => void;
}

/** The build changes the extension. */
const ENTRY = new URL(`../worker-thread.${import.meta.url.endsWith(".ts") ? "ts" : "js"}`, import.meta.url);

export class BackgroundThread {
  readonly #options: ThreadOptions;
  readonly #waiting: PendingRequest[] = [];
  #worker: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  run(request: ThreadRequest): Promise<ThreadResponse> {
    return new Promise((resolve, reject) => {
      const isFirst = this.#waiting.push({ request, resolve, reject }) === 1;
      this.#worker ??= this.#start();
      this.#worker.postMessage(request);
      if (isFirst) this.#startTimer();
    });
  }

  #start(): Worker {
    const { maxHeapMegabytes: maxOldGenerationSizeMb } = this.#options;
    const worker = new Worker(ENTRY, { execArgv: [], resourceLimits: { maxOldGenerationSizeMb } });
    worker.on("message", (answer: ThreadResponse) => {
      if (worker !== this.#worker) return;
      this.#waiting.shift()?.resolve(answer);
      this.#startTimer();
    });
    worker.on("error", (error: Error) => this.#replaceWorker(worker, error));
    worker.on("exit", () => this.#replaceWorker(worker, new Error("the worker thread stopped")));
    return worker;
  }

  /** Fails the current request and passes the rest to a new thread. */
  #replaceWorker(worker: Worker, error: Error): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    void worker.terminate();
    this.#waiting.shift()?.reject(error);
    if (this.#waiting.length > 0) this.#worker = this.#start();
    for (const { request } of this.#waiting) this.#worker?.postMessage(request);
    this.#startTimer();
  }

  /** Starts the timer of the current request, or of the idle time. */
  #startTimer(): void {
    const { timeoutMs, idleMs } = this.#options;
    const worker = this.#worker;
    clearTimeout(this.#timer);
    if (worker === undefined) return;
    if (this.#waiting.length > 0) {
      worker.ref();
      this.#timer = setTimeout(
        () => this.#replaceWorker(worker, new Error(`not read within ${timeoutMs} ms`)),
        timeoutMs,
      );
      return;
    }
    worker.unref();
    this.#timer = setTimeout(
      () => this.#replaceWorker(worker, new Error("the idle thread was stopped")),
      idleMs,
    ).unref();
  }
}

/** Messages between the main thread and the worker are copied, so they are plain values. */
export type ThreadRequest =
  | { readonly type: "page"; readonly page: Page }
  | { readonly type: "outline"; readonly path: string; readonly source: string };

export type ThreadResponse =
  | { readonly type: "page"; readonly page: PageText }
  /** Undefined for a file without outline. */
  | { readonly type: "outline"; readonly outline: PackedOutline | undefined }
  | { readonly type: "failed"; readonly reason: string };
