/**
 * One thread that reads for the main one, so that a large page or file holds nobody up. Orders are answered in their
 * order. A thread that dies or takes too long fails the order that it was at; the others go to a new one. It keeps no
 * process alive, and is let go when nothing has been asked for a while.
 */
import { Worker } from "node:worker_threads";
import type { Order, OrderAnswer } from "./order.ts";

export interface ThreadOptions {
  /** For one order, once it is its turn. */
  readonly timeoutMs: number;
  /** How long a thread waits for another order before it is let go. */
  readonly idleMs: number;
  readonly mostHeapMegabytes: number;
}

interface Waiting {
  readonly order: Order;
  readonly resolve: (answer: OrderAnswer) => void;
  readonly reject: (error: Error) => void;
}

/** What the build turns into JavaScript has another ending there. */
const ENTRY = new URL(`./answer-orders.${import.meta.url.endsWith(".ts") ? "ts" : "js"}`, import.meta.url);

export class BackgroundThread {
  readonly #options: ThreadOptions;
  readonly #waiting: Waiting[] = [];
  #worker: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  ask(order: Order): Promise<OrderAnswer> {
    return new Promise((resolve, reject) => {
      const isFirst = this.#waiting.push({ order, resolve, reject }) === 1;
      this.#worker ??= this.#start();
      this.#worker.postMessage(order);
      if (isFirst) this.#watch();
    });
  }

  #start(): Worker {
    const { mostHeapMegabytes: maxOldGenerationSizeMb } = this.#options;
    const worker = new Worker(ENTRY, { execArgv: [], resourceLimits: { maxOldGenerationSizeMb } });
    worker.on("message", (answer: OrderAnswer) => {
      if (worker !== this.#worker) return;
      this.#waiting.shift()?.resolve(answer);
      this.#watch();
    });
    worker.on("error", (error: Error) => this.#lose(worker, error));
    worker.on("exit", () => this.#lose(worker, new Error("the thread that read it ended")));
    return worker;
  }

  /** Fails what the thread was at and gives the rest to another. */
  #lose(worker: Worker, error: Error): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    void worker.terminate();
    this.#waiting.shift()?.reject(error);
    if (this.#waiting.length > 0) this.#worker = this.#start();
    for (const { order } of this.#waiting) this.#worker?.postMessage(order);
    this.#watch();
  }

  /** The clock of the order whose turn it is, or of the thread's patience. */
  #watch(): void {
    const { timeoutMs, idleMs } = this.#options;
    const worker = this.#worker;
    clearTimeout(this.#timer);
    if (worker === undefined) return;
    if (this.#waiting.length > 0) {
      worker.ref();
      this.#timer = setTimeout(() => this.#lose(worker, new Error(`not read within ${timeoutMs} ms`)), timeoutMs);
      return;
    }
    worker.unref();
    this.#timer = setTimeout(() => this.#lose(worker, new Error("it was let go")), idleMs).unref();
  }
}
