/** The Node process: refuses a version that is too old, in syntax that an old Node can read, and limits the heap. */
import { readFileSync } from "node:fs";
import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Returns a message if Node is older than the package needs. */
export function refuseOldNode(found: string = process.versions.node): string | undefined {
  const needed = readRequiredNodeVersion();
  if (isAtLeast(found, needed)) return undefined;
  return `palimpsest needs Node ${needed} or newer, but this is Node ${found}. Install a newer one from nodejs.org.`;
}

export function readRequiredNodeVersion(): string {
  const text = readFileSync(new URL("../../../package.json", import.meta.url), "utf8");
  const { engines }: { readonly engines: { readonly node: string } } = JSON.parse(text);
  return engines.node.replace(/^\D+/, "");
}

function isAtLeast(found: string, least: string): boolean {
  const [left, right] = [found, least].map((version) => version.split(".").map(Number));
  for (const [index, wanted] of (right ?? []).entries()) {
    const part = left?.[index] ?? 0;
    if (part !== wanted) return part > wanted;
  }
  return true;
}

const MAX_GROWTH_PERCENT = 100;
const MAX_NEW_SPACE_BYTES = 64 * 1024 * 1024;

/**
 * For processes that run for a long time: collects garbage when the heap has doubled, and keeps the space for new
 * objects small. By default V8 lets the heap of a busy server grow to five times its content, doubles the space for new
 * objects to 128 MB, and never shrinks them. The flag for the size of that space has no effect in a running process.
 */
export function limitHeapGrowth(maxNewSpaceBytes = MAX_NEW_SPACE_BYTES): void {
  setFlagsFromString(`--heap-growing-percent=${MAX_GROWTH_PERCENT}`);
  let factor = 0;
  new PerformanceObserver(() => {
    const { space_size: bytes = 0 } = getHeapSpaceStatistics().find((each) => each.space_name === "new_space") ?? {};
    const wanted = bytes < maxNewSpaceBytes ? 2 : 1;
    if (wanted !== factor) setFlagsFromString(`--semi-space-growth-factor=${wanted}`);
    factor = wanted;
  }).observe({ entryTypes: ["gc"] });
}

/** Time for the first requests after the start, which load more modules. */
const START_MS = 1_000;

/**
 * Collects the garbage of the start once, because an idle process collects none: loading modules leaves a heap of 100
 * MB, three quarters of it empty. Takes about 30 ms.
 */
export function releaseStartMemory(): void {
  const release = () => {
    setFlagsFromString("--expose-gc");
    const collect: unknown = runInNewContext("gc");
    if (typeof collect === "function") collect({ type: "major", execution: "sync", flavor: "last-resort" });
  };
  setTimeout(release, START_MS).unref();
}

const EXIT_MS = 250;

/**
 * Ends the process of a command that has ended, once its output is written. Work that was given up, such as a pause
 * before another try of a model, would keep the process alive for up to a minute.
 */
export function exitSoon(): void {
  const exit = () => {
    if (process.stdout.writableLength + process.stderr.writableLength === 0) process.exit();
  };
  setInterval(exit, EXIT_MS).unref();
}
