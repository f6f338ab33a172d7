import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/support/longest-first.ts";

const soaking = process.env.PALIMPSEST_SOAK === "1";
const timeoutMs = soaking ? 86_400_000 : 600_000;

export default defineConfig({
  test: {
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    reporters: ["default", "./scripts/plain-reporter.ts"],
    projects: [
      {
        // Values in, values out: these share a thread and its loaded modules.
        test: {
          name: "src",
          include: ["src/**/*.test.ts", "web/**/*.test.ts"],
          pool: "threads",
          isolate: false,
          testTimeout: timeoutMs,
          hookTimeout: timeoutMs,
          setupFiles: ["./test/support/same-histories.ts"],
        },
      },
      {
        // These read the repository, start processes or cross rooms, so each file has a process of its own.
        test: {
          name: "test",
          include: ["test/**/*.test.ts"],
          pool: "forks",
          // A machine that is busy elsewhere can make one wait too long; the report names what needed a second try.
          expect: { poll: { timeout: 30_000 } },
          retry: process.env.CI === undefined ? 0 : 1,
          testTimeout: timeoutMs,
          hookTimeout: timeoutMs,
          setupFiles: ["./test/support/same-histories.ts"],
          globalSetup: ["./test/support/share-page.ts"],
        },
      },
    ],
  },
});
