/**
 * Writes batches in a worker thread, for statements that SQLite cannot split into short steps. The thread starts with
 * the first batch, ends when it has been idle, and does not keep the process alive.
 */
import { Worker } from "node:worker_threads";
import { type Row, type SqlValue, type Statement, writeText } from "../sql/driver.ts";
import type { DatabaseOptions } from "./open-database.ts";

export interface BatchWorkerData {
  readonly options: DatabaseOptions;
  /** How long to wait for a lock. */
  readonly lockTimeoutMs: number;
}

/** Messages between the threads are copied, so they are plain values. */
export interface BatchRequest {
  readonly id: number;
  readonly statements: readonly { readonly text: string; readonly values: readonly SqlValue[] }[];
}

export interface BatchAnswer {
  readonly id: number;
  /** Undefined if the batch was not written. */
  readonly rows: readonly (readonly Row[])[] | undefined;
}

/** The build changes the extension. */
const ENTRY = new URL(`./batch-worker.${import.meta.url.endsWith(".ts") ? "ts" : "js"}`, import.meta.url);
const IDLE_MS = 10_000;
const MAX_HEAP_MEGABYTES = 64;

export class BatchThread {
  readonly #data: BatchWorkerData;
  readonly #waiting = new Map<number, (rows: BatchAnswer["rows"]) => void>();
  #worker: Worker | undefined;
  #ended: Promise<void> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;
  #requests = 0;

  constructor(data: BatchWorkerData) {
    this.#data = data;
  }

  /** Returns undefined if the thread cannot write the batch. Never rejects. */
  write(statements: readonly Statement[]): Promise<BatchAnswer["rows"]> {
    return new Promise((resolve) => {
      const id = this.#requests;
      this.#requests += 1;
      const plain = statements.map((each) => ({ text: writeText(each), values: each.values }));
      try {
        this.#worker ??= this.#start();
        this.#worker.postMessage({ id, statements: plain } satisfies BatchRequest);
      } catch {
        // The system refuses another thread.
        return resolve(undefined);
      }
      this.#waiting.set(id, resolve);
      this.#worker.ref();
      clearTimeout(this.#idle);
    });
  }

  /** Resolves when the thread has closed its connection. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    this.#worker?.postMessage("close");
    this.#worker = undefined;
    await this.#ended;
  }

  #start(): Worker {
    const resourceLimits = { maxOldGenerationSizeMb: MAX_HEAP_MEGABYTES };
    const worker = new Worker(ENTRY, { execArgv: [], env: {}, workerData: this.#data, resourceLimits });
    worker.on("message", ({ id, rows }: BatchAnswer) => this.#settle(id, rows));
    // The exit follows.
    worker.on("error", () => undefined);
    this.#ended = new Promise((resolve) => {
      worker.on("exit", () => {
        this.#forget(worker);
        resolve();
      });
    });
    return worker;
  }

  #settle(id: number, rows: BatchAnswer["rows"]): void {
    this.#waiting.get(id)?.(rows);
    this.#waiting.delete(id);
    if (this.#waiting.size > 0) return;
    this.#worker?.unref();
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.close(), IDLE_MS).unref();
  }

  #forget(worker: Worker): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    for (const resolve of this.#waiting.values()) resolve(undefined);
    this.#waiting.clear();
  }
}
