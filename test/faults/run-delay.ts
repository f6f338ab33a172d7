/** How long a process has waited for a processor. Limits of time leave this out, so that they hold on a busy machine. */
import { readFileSync } from "node:fs";

const NANOSECONDS_PER_MS = 1_000_000;
const WATCH_MS = 50;

/** Returns 0 if the process is gone, or if the system does not report it. */
export function readRunDelayMs(pid: number | undefined): number {
  try {
    const [, delay = "0"] = readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ");
    return Number(delay) / NANOSECONDS_PER_MS;
  } catch {
    return 0;
  }
}

/** Measures the wait of a process that is about to end. `stop` returns it in milliseconds. */
export function watchRunDelay(pid: number | undefined): { stop(): number } {
  const before = readRunDelayMs(pid);
  let waitedMs = 0;
  const timer = setInterval(() => {
    waitedMs = Math.max(waitedMs, readRunDelayMs(pid) - before);
  }, WATCH_MS);
  return {
    stop() {
      clearInterval(timer);
      return waitedMs;
    },
  };
}
