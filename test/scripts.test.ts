/** The scripts of the repository, whose output is read by people and by other programs. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { formatResult } from "../bench/run.ts";
import { formatOutcome } from "../scripts/plain-reporter.ts";
import { repositoryRoot } from "./support/read-repository.ts";

const oldestNode = join(repositoryRoot, "test/oldest-node/node_modules/node/bin/node");

function run(node: string, args: readonly string[]): { code: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(node, [...args], { cwd: repositoryRoot, encoding: "utf8" });
  return { code: status, stdout, stderr };
}

describe("assert-node", () => {
  test("is silent on the repository's Node", () => {
    expect(run(process.execPath, ["scripts/assert-node.mjs"])).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("prints what to do on an older Node", (context) => {
    if (!existsSync(oldestNode)) context.skip("there is no older Node on this machine");
    const { code, stderr } = run(oldestNode, ["scripts/assert-node.mjs"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/runs on Node 24\S+ or newer, and this is Node 22\.23\.0/);
    expect(stderr).toContain("npm ci");
  });
});

describe("the plain reporter", () => {
  const files = [{ file: "a.test.ts", ms: 1_240 }];
  const outcome = { passed: 812, failed: 0, skips: [], secondTries: [], files, runMs: 980 };
  const times = "slow: 1.2 s a.test.ts\ntime: 1.0 s, 1.2 s in 1 files\n";

  test("ends with one line of figures, after skipped tests with their reasons and retries", () => {
    expect(formatOutcome(outcome)).toBe(`${times}tests: 812 passed, 0 failed`);
    expect(formatOutcome({ ...outcome, failed: 2, skips: ["a.test.ts: runs: no server"] })).toBe(
      `${times}skipped: a.test.ts: runs: no server\ntests: 812 passed, 2 failed, 1 skipped`,
    );
    expect(formatOutcome({ ...outcome, secondTries: ["a.test.ts: listens"] })).toBe(
      `${times}passed at the second attempt: a.test.ts: listens\ntests: 812 passed, 0 failed`,
    );
  });

  test("names the ten slowest files, slowest first, and the total time", () => {
    const many = Array.from({ length: 12 }, (_, index) => ({ file: `${index}.test.ts`, ms: index * 1_000 }));
    const lines = formatOutcome({ ...outcome, files: many, runMs: 40_000 }).split("\n");
    expect(lines.slice(0, 2)).toEqual(["slow: 11.0 s 11.test.ts", "slow: 10.0 s 10.test.ts"]);
    expect(lines.slice(9, 12)).toEqual([
      "slow: 2.0 s 2.test.ts",
      "time: 40.0 s, 66.0 s in 12 files",
      "tests: 812 passed, 0 failed",
    ]);
  });
});

describe("bench", () => {
  test("lists the benchmarks when no name is given", () => {
    const { code, stdout } = run(process.execPath, ["bench/run.ts"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Usage: npm run bench -- <name>/);
  });

  test("refuses an unknown name", () => {
    const { code, stderr } = run(process.execPath, ["bench/run.ts", "no-such"]);
    expect(code).toBe(1);
    expect(stderr).toContain("There is no benchmark no-such.");
  });

  test("prints rows as a table with figures to the right, then figures and notes", () => {
    const text = formatResult({
      name: "turns",
      title: "A turn, measured.",
      rows: [
        { who: "ours", meanMs: 1.25 },
        { who: "another", meanMs: 1234.5, failed: true },
      ],
      figures: { speedup: 987.6 },
      notes: ["Run once."],
    });
    expect(text.split("\n")).toEqual([
      "A turn, measured.",
      "",
      "who       meanMs  failed",
      "-------  -------  ------",
      "ours        1.25",
      "another  1,234.5  true",
      "",
      "speedup: 987.6",
      "",
      "Run once.",
    ]);
  });
});

describe("trace", () => {
  test("prints one line for each id and the totals last, or JSON, for one owner on request", () => {
    const lines = run(process.execPath, ["scripts/trace.ts", "--owner", "terminal"]).stdout.trim().split("\n");
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/^S4-90 (?:open|shown )/);
    expect(lines[2]).toMatch(/^2 requirements: \d shown, \d open, 0 notes$/);
    const json = JSON.parse(run(process.execPath, ["scripts/trace.ts", "--owner", "offline", "--json"]).stdout);
    expect(json.map((trace: { id: string }) => trace.id)).toEqual(["S1-24", "S1-43", "S4-71", "S4-75"]);
  });
});
