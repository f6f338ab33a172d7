/** Summaries by code alone are the same on every run and on every supported Node, byte for byte. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runProgram } from "./support/pack-package.ts";
import { repositoryRoot } from "./support/read-repository.ts";

const oldestNode = join(
  repositoryRoot,
  `test/oldest-node/node_modules/node/bin/node${process.platform === "win32" ? ".exe" : ""}`,
);
const program = join(repositoryRoot, "test/support/hash-summaries.ts");
const hashes = (node: string): readonly string[] =>
  runProgram(node, { args: ["--disable-warning=ExperimentalWarning", program], folder: repositoryRoot })
    .trim()
    .split("\n");

test("summaries, verification and topics are the same in two runs, one of them on the oldest Node", (context) => {
  const here = hashes(process.execPath);
  expect(here).toHaveLength(8);
  expect(new Set(here).size).toBe(8);
  const hasOldest = existsSync(oldestNode);
  expect(hashes(hasOldest ? oldestNode : process.execPath)).toEqual(here);
  if (!hasOldest) context.skip("npm has no Node 22.23.0 here, or its install script did not run");
});
