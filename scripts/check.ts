/**
 * `npm run check` runs all checks of the repository and of the package that is built from it. It prints each step's
 * name and time, and stops at the first that fails. `npm run check -- lint types` runs only those steps.
 */
import { CHECKING, GUARD_FILES, PACKED_FILE } from "./check-files.ts";
import { runTool } from "./run-tool.ts";

interface Step {
  readonly name: string;
  readonly tool: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** Steps with the same name run together: `types` also covers `web`, which has its own settings. */
const steps: readonly Step[] = [
  { name: "format", tool: "biome", args: ["format"] },
  { name: "lint", tool: "biome", args: ["check", "--formatter-enabled=false", "--error-on-warnings"] },
  // With declarations, because a type that they cannot name fails the build.
  { name: "types", tool: "tsc", args: ["--noEmit", "--declaration", "-p", "tsconfig.json"] },
  { name: "types", tool: "tsc", args: ["--noEmit", "-p", "web/tsconfig.json"] },
  { name: "guards", tool: "vitest", args: ["run", "--reporter=dot", ...GUARD_FILES], env: CHECKING },
  { name: "unused", tool: "knip", args: ["--no-progress"] },
  // Without tests, because users cannot reach a file or an export that only tests use.
  { name: "unreached", tool: "knip", args: ["--no-progress", "--production", "--include", "files,exports"] },
  // Last, because it takes longest. The second reporter gives the reason for each skipped test.
  {
    name: "package",
    tool: "vitest",
    args: ["run", "--reporter=dot", "--reporter=./scripts/plain-reporter.ts", PACKED_FILE],
    env: CHECKING,
  },
];

function main(wanted: readonly string[]): number {
  const unknown = wanted.find((name) => !steps.some((step) => step.name === name));
  if (unknown !== undefined) {
    const known = [...new Set(steps.map((step) => step.name))];
    process.stderr.write(`Unknown step ${unknown}. The steps are: ${known.join(", ")}.\n`);
    return 1;
  }
  for (const step of steps.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
    process.stdout.write(`\n${step.name}: ${step.tool} ${step.args.join(" ")}\n`);
    const startedAt = performance.now();
    const code = runTool(step.tool, step);
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    process.stdout.write(`${step.name}: ${code === 0 ? "ok" : "failed"} after ${seconds} s\n`);
    if (code !== 0) return code;
  }
  return 0;
}

process.exitCode = main(process.argv.slice(2));
