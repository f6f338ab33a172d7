/** Compares the tree with git's own list for random rules and files. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { listTree } from "../../src/workspace/files/list-tree.ts";
import { propertyRuns } from "../support/property-runs.ts";

const root = mkdtempSync(join(tmpdir(), "palimpsest-git-"));
afterAll(() => rmSync(root, { recursive: true }));

const git = (place: string, ...args: readonly string[]): string =>
  execFileSync("git", ["-c", "core.excludesFile=", "-C", place, ...args], { encoding: "utf8", stdio: "pipe" });

const name = fc.constantFrom("a", "b", "c", "a.log", "b.log");
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));
const part = fc.constantFrom("a", "b", "c", "*", "*.log", "a*", "**", "[ab]", "?");
const rule = fc
  .record({
    negation: fc.constantFrom("", "", "!"),
    start: fc.constantFrom("", "", "/"),
    parts: fc.array(part, { minLength: 1, maxLength: 3 }),
    end: fc.constantFrom("", "", "/"),
  })
  .filter(({ parts }) => parts.some((each) => each !== "**"))
  .map(({ negation, start, parts, end }) => `${negation}${start}${parts.join("/")}${end}`);
const rules = fc.array(rule, { maxLength: 4 }).map((lines) => `${lines.join("\n")}\n`);

test("listTree lists exactly the files that git does not ignore", { timeout: 600_000 }, async () => {
  git(root, "init", "--quiet", "--template=", ".");
  const places = fc.record({ root: rules, exclude: rules, nested: fc.dictionary(path, rules, { maxKeys: 2 }) });
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(path, { minLength: 1, maxLength: 10 }), places, async (paths, texts) => {
      for (const each of readdirSync(root)) if (each !== ".git") rmSync(join(root, each), { recursive: true });
      const write = (at: string, text: string): void => {
        try {
          mkdirSync(dirname(join(root, at)), { recursive: true });
          writeFileSync(join(root, at), text);
        } catch {
          // The path is already used by another file or folder.
        }
      };
      write(".gitignore", texts.root);
      write(".git/info/exclude", texts.exclude);
      for (const at of paths) write(at, "");
      for (const [at, text] of Object.entries(texts.nested)) write(`${at}/.gitignore`, text);
      const shown = git(root, "ls-files", "--others", "--exclude-standard", "-z")
        .split("\0")
        .filter(Boolean)
        .toSorted();
      expect((await listTree(root)).paths).toEqual(shown);
    }),
    { numRuns: propertyRuns(60) },
  );
});
