import { statfsSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { CHECKING, GUARD_FILES, PACKED_FILE } from "./scripts/check-files.ts";
import { COMPILE_CACHE } from "./test/support/compile-cache.ts";
import { LongestFirst } from "./test/support/longest-first.ts";
import { readSources } from "./test/support/read-repository.ts";

// Workers and the commands that tests start inherit it.
process.env.NODE_COMPILE_CACHE ??= COMPILE_CACHE;
const memoryFolder = findMemoryFolder();
if (memoryFolder !== undefined) process.env.TMPDIR ??= memoryFolder;

const soaking = process.env.PALIMPSEST_SOAK === "1";
const timeoutMs = soaking ? 86_400_000 : 600_000;
/** Files that measure the memory of their process run in a separate process. */
const measuring = [...readSources("test/**/*.test.ts")]
  .filter(([, source]) => source.includes("process.memoryUsage("))
  .map(([file]) => file);

/** `npm run check` runs these. */
const isChecking = process.env.PALIMPSEST_CHECK === CHECKING.PALIMPSEST_CHECK;
const checked = isChecking ? [] : [...GUARD_FILES, PACKED_FILE];

const shared = {
  testTimeout: timeoutMs,
  hookTimeout: timeoutMs,
  setupFiles: ["./test/support/same-histories.ts"],
};
/** For tests with sockets and processes, which a busy machine can make too slow. */
const patient = {
  ...shared,
  pool: "forks",
  expect: { poll: { timeout: 60_000 } },
  // The report names tests that passed at the second try.
  retry: process.env.CI === undefined ? 0 : 1,
} as const;

export default defineConfig({
  test: {
    // For two cores: many tests wait for processes, browsers and timers.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    reporters: ["default", "./scripts/plain-reporter.ts"],
    projects: [
      {
        // Pure functions: files share a thread and its loaded modules.
        test: {
          ...shared,
          name: "src",
          include: ["src/**/*.test.ts", "web/**/*.test.ts"],
          pool: "threads",
          isolate: false,
        },
      },
      {
        // These read the repository, start processes or cross rooms. Files share a process, its loaded modules, its
        // browser and its PostgreSQL server: loading the modules takes two seconds.
        test: {
          ...patient,
          name: "test",
          include: ["test/**/*.test.ts"],
          exclude: ["**/node_modules/**", ...measuring, ...checked],
          isolate: false,
          globalSetup: ["./test/support/share-page.ts"],
        },
      },
      { test: { ...patient, name: "apart", include: measuring } },
    ],
  },
});

/** Returns a folder in memory with enough space for the stores of all tests, where syncing a file takes no time. */
function findMemoryFolder(): string | undefined {
  const path = "/dev/shm";
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize >= 4 * 2 ** 30 ? path : undefined;
  } catch {
    return undefined;
  }
}
