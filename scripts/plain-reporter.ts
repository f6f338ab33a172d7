/**
 * Ends a test run with one plain line, `tests: 812 passed, 0 failed, 3 skipped`, that people and scripts can read the
 * same way, and says above it why each test was skipped and which ones needed a second try. A file that cannot be
 * loaded and an error outside of any test count as failures. It prints nothing else; failures themselves are vitest's
 * to show.
 */
import type { Reporter, TestModule } from "vitest/node";

export interface Outcome {
  readonly passed: number;
  readonly failed: number;
  readonly skips: readonly string[];
  readonly secondTries: readonly string[];
}

export default class PlainReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    process.stdout.write(`${formatOutcome(countOutcome(modules, unhandledErrors.length))}\n`);
  }
}

function countOutcome(modules: readonly TestModule[], unhandledErrors: number): Outcome {
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

export function formatOutcome({ passed, failed, skips, secondTries }: Outcome): string {
  const total = `tests: ${passed} passed, ${failed} failed${skips.length > 0 ? `, ${skips.length} skipped` : ""}`;
  return [
    ...skips.map((skip) => `skipped: ${skip}`),
    ...secondTries.map((test) => `passed at the second try: ${test}`),
    total,
  ].join("\n");
}
