/** Loads one counter in its own process and prints the cost as JSON. */
import { loadCounter } from "../../src/counters/load-counter.ts";

const name = process.argv[2] ?? "o200k";
globalThis.gc?.();
const before = process.memoryUsage().rss;
const start = performance.now();
const counter = await loadCounter(name);
const tokens = counter.countWindow("warm up");
const loadMs = performance.now() - start;
globalThis.gc?.();
process.stdout.write(JSON.stringify({ loadMs, memoryMb: (process.memoryUsage().rss - before) / 1e6, tokens }));
