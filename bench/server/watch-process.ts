/**
 * Loaded into a server with `--import`: reports its resources to its parent on request. Its only overhead is the
 * timer of a histogram.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

export interface ProcessFigures {
  readonly rssBytes: number;
  /** Memory of living objects and of what was not collected yet. */
  readonly heapBytes: number;
  /** CPU time of all threads since the start. */
  readonly cpuMs: number;
  /** The same for the main thread alone. */
  readonly mainCpuMs: number;
  /** Measured since the last request. */
  readonly loopP99Ms: number;
  readonly loopMaxMs: number;
  /** The most CPU time of the main thread between two ticks: how long it would block on an idle machine. */
  readonly loopMaxCpuMs: number;
  readonly sockets: number;
}

const RESOLUTION_MS = 10;
const NANOSECONDS_A_MS = 1e6;
const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delays.enable();

const MICROSECONDS_A_MS = 1e3;
let [computedMs, maxComputedMs] = [readComputed(), 0];
setInterval(() => {
  const now = readComputed();
  maxComputedMs = Math.max(maxComputedMs, now - computedMs);
  computedMs = now;
}, RESOLUTION_MS).unref();

function readComputed(): number {
  return sumUsage(process.threadCpuUsage());
}

function sumUsage({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / MICROSECONDS_A_MS;
}

process.on("message", (message) => {
  if (message !== "read-figures" && message !== "collect") return;
  if (message === "collect") collectGarbage();
  const { rss, heapUsed, external } = process.memoryUsage();
  // The histogram counts the tick itself.
  const beyondTick = (nanoseconds: number) => Math.max(0, nanoseconds / NANOSECONDS_A_MS - RESOLUTION_MS);
  const figures: ProcessFigures = {
    rssBytes: rss,
    heapBytes: heapUsed + external,
    cpuMs: sumUsage(process.cpuUsage()),
    mainCpuMs: readComputed(),
    loopP99Ms: beyondTick(delays.percentile(99)),
    loopMaxMs: beyondTick(delays.max),
    loopMaxCpuMs: maxComputedMs,
    sockets: process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length,
  };
  delays.reset();
  maxComputedMs = 0;
  process.send?.(figures);
});
process.channel?.unref();

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect === "function") collect();
}
