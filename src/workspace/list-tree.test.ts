import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { formatTree } from "../core/prompt/workspace/format-files.ts";
import { shows } from "../testing/shows.ts";
import { listTree } from "./list-tree.ts";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "palimpsest-tree-"));
});
afterEach(() => rmSync(root, { recursive: true }));

const write = (files: Readonly<Record<string, string>>): void => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
};

describe("listTree", () => {
  test(shows("C-15", "lists files sorted, flat, and the prompt shows them after their count"), async () => {
    write({ "src/b.ts": "", "README.md": "", "src/a.ts": "" });
    const { paths, isCut } = await listTree(root);
    expect([paths, isCut]).toEqual([["README.md", "src/a.ts", "src/b.ts"], false]);
    expect(formatTree(paths)).toBe("3 files\nREADME.md\nsrc/a.ts\nsrc/b.ts");
  });

  test("leaves out what .gitignore names, folders and patterns, and what is never of interest", async () => {
    write({
      ".gitignore": "dist/\n*.log\n!keep.log\n/only-here.txt\n",
      "dist/a.js": "",
      "a.log": "",
      "keep.log": "",
      "only-here.txt": "",
      "src/only-here.txt": "",
      ".git/config": "",
      "node_modules/x/index.js": "",
    });
    expect((await listTree(root)).paths).toEqual([".gitignore", "keep.log", "src/only-here.txt"]);
  });

  test("asks the rules nearest to a file first", async () => {
    write({
      ".gitignore": "*.txt\n",
      "docs/.gitignore": "!*.txt\nsecret.txt\n",
      "docs/a.txt": "",
      "docs/secret.txt": "",
      "b.txt": "",
    });
    expect((await listTree(root)).paths).toEqual([".gitignore", "docs/.gitignore", "docs/a.txt"]);
  });

  test("walks no links, so it ends", async () => {
    write({ "src/a.ts": "" });
    symlinkSync(root, join(root, "src", "again"));
    symlinkSync("/", join(root, "outside"));
    expect((await listTree(root)).paths).toEqual(["src/a.ts"]);
  });

  test("is cut where there are too many, and says so", async () => {
    write({ a: "", b: "", c: "" });
    expect(await listTree(root, { mostFiles: 2 })).toEqual({ paths: ["a", "b"], isCut: true });
    expect((await listTree(root, { mostFiles: 3 })).isCut).toBe(false);
  });

  test("a name with a line break stays in its line", async () => {
    write({ "a\nb.ts": "" });
    expect(formatTree((await listTree(root)).paths)).toBe("1 file\na\ufffdb.ts");
  });
});
