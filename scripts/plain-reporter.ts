/**
 * Ends a test run with the ten slowest files, the total time and one plain line, `tests: 812 passed, 0 failed, 3
 * skipped`, for people and scripts. Above it are the reason for each skipped test and the tests that needed a second
 * attempt. A file that cannot be loaded and an error outside of any test count as failures. Vitest prints the failures
 * themselves.
 */
import type { Reporter, TestModule } from "vitest/node";

export interface Outcome {
  readonly passed: number;
  readonly failed: number;
  readonly skips: readonly string[];
  readonly secondTries: readonly string[];
  readonly files: readonly FileTime[];
  readonly runMs: number;
}

/** Time of a worker for a file: loading, hooks and tests. */
export interface FileTime {
  readonly file: string;
  readonly ms: number;
}

const SLOWEST_FILES = 10;

export default class PlainReporter implements Reporter {
  #startedAt = performance.now();

  onTestRunStart(): void {
    this.#startedAt = performance.now();
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const runMs = performance.now() - this.#startedAt;
    const outcome = { ...countOutcome(modules, unhandledErrors.length), files: modules.map(timeOf), runMs };
    process.stdout.write(`${formatOutcome(outcome)}\n`);
  }
}

function timeOf(module: TestModule): FileTime {
  const { prepareDuration, setupDuration, collectDuration, duration } = module.diagnostic();
  return { file: module.relativeModuleId, ms: prepareDuration + setupDuration + collectDuration + duration };
}

function countOutcome(modules: readonly TestModule[], unhandledErrors: number): Omit<Outcome, "files" | "runMs"> {
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const brokenSuites = modules.flatMap((module) => [module, ...module.children.allSuites()]);
  const failed = tests.filter((test) => test.result().state === "failed").length;
  return {
    passed: tests.filter((test) => test.result().state === "passed").length,
    failed: failed + brokenSuites.filter((suite) => suite.errors().length > 0).length + unhandledErrors,
    skips: tests.flatMap((test) => {
      const result = test.result();
      if (result.state !== "skipped") return [];
      const isBroken = test.module.errors().length > 0;
      const reason = result.note ?? (isBroken ? "the file's set-up failed" : "no reason given");
      return [`${test.module.relativeModuleId}: ${test.fullName}: ${reason}`];
    }),
    secondTries: tests
      .filter((test) => test.diagnostic()?.flaky === true)
      .map((test) => {
        const [error] = test.result().errors ?? [];
        return `${test.module.relativeModuleId}: ${test.fullName}: ${error?.message ?? "no reason given"}`;
      }),
  };
}

export function formatOutcome({ passed, failed, skips, secondTries, files, runMs }: Outcome): string {
  const total = `tests: ${passed} passed, ${failed} failed${skips.length > 0 ? `, ${skips.length} skipped` : ""}`;
  return [
    ...formatTimes(files, runMs),
    ...skips.map((skip) => `skipped: ${skip}`),
    ...secondTries.map((test) => `passed at the second attempt: ${test}`),
    total,
  ].join("\n");
}

function formatTimes(files: readonly FileTime[], runMs: number): readonly string[] {
  const slowest = files.toSorted((left, right) => right.ms - left.ms).slice(0, SLOWEST_FILES);
  const allMs = files.reduce((sum, { ms }) => sum + ms, 0);
  return [
    ...slowest.map(({ file, ms }) => `slow: ${formatSeconds(ms)} ${file}`),
    `time: ${formatSeconds(runMs)}, ${formatSeconds(allMs)} in ${files.length} files`,
  ];
}

function formatSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
