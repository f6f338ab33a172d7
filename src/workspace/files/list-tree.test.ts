import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { formatTree } from "../../core/prompt/workspace/format-files.ts";
import { shows } from "../../testing/shows.ts";
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
  test(shows("C-15", "returns a flat sorted list of files, and the prompt shows it after their count"), async () => {
    write({ "src/b.ts": "", "README.md": "", "src/a.ts": "" });
    const { paths, isCut } = await listTree(root);
    expect([paths, isCut]).toEqual([["README.md", "src/a.ts", "src/b.ts"], false]);
    expect(formatTree(paths)).toBe("3 files\nREADME.md\nsrc/a.ts\nsrc/b.ts");
  });

  test("leaves out ignored files and folders such as node_modules", async () => {
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

  test("the .gitignore nearest to a file takes precedence", async () => {
    write({
      ".gitignore": "*.txt\n",
      "docs/.gitignore": "!*.txt\nsecret.txt\n",
      "docs/a.txt": "",
      "docs/secret.txt": "",
      "b.txt": "",
    });
    expect((await listTree(root)).paths).toEqual([".gitignore", "docs/.gitignore", "docs/a.txt"]);
  });

  test("does not follow symbolic links", async () => {
    write({ "src/a.ts": "" });
    symlinkSync(root, join(root, "src", "again"));
    symlinkSync("/", join(root, "outside"));
    expect((await listTree(root)).paths).toEqual(["src/a.ts"]);
  });

  test("applies .git/info/exclude after every .gitignore, and ignores global rules", async () => {
    write({
      ".git/info/exclude": "*.tmp\nkeep.txt\n",
      ".gitignore": "!keep.txt\n",
      "a.tmp": "",
      "keep.txt": "",
      "src/b.tmp": "",
    });
    expect((await listTree(root)).paths).toEqual([".gitignore", "keep.txt"]);
  });

  test("a nested repository has its own rules", async () => {
    write({
      ".gitignore": "*.log\n",
      "module/.git": "gitdir: ../.git/modules/module\n",
      "module/.gitignore": "*.tmp\n",
      "module/a.log": "",
      "module/a.tmp": "",
      "b.log": "",
    });
    expect((await listTree(root)).paths).toEqual([".gitignore", "module/.gitignore", "module/a.log"]);
  });

  test("a .gitignore that is a pipe or a link is skipped without blocking", async () => {
    write({ "a.log": "", "sub/b.log": "", rules: "*.log\n", "deep/c.log": "" });
    execFileSync("mkfifo", [join(root, ".gitignore")]);
    symlinkSync("../rules", join(root, "sub", ".gitignore"));
    symlinkSync("/dev/zero", join(root, "deep", ".gitignore"));
    expect((await listTree(root)).paths).toEqual(["a.log", "deep/c.log", "rules", "sub/b.log"]);
  });

  test("ignore rules that would take minutes to match are skipped", async () => {
    const deep = "a/".repeat(60);
    write({ ".gitignore": `${"**/a/".repeat(6)}b\n${"*a".repeat(20)}b\n*.log\n`, [`${deep}c`]: "", "x.log": "" });
    expect((await listTree(root)).paths).toEqual([".gitignore", `${deep}c`]);
  });

  test("leaves out names that the workspace refuses to read", async () => {
    write({ "a.ts": "", con: "", "aux.h": "", "a:b": "", "dot.": "", "back\\slash": "" });
    writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0x62, 0xff])]), "");
    expect((await listTree(root)).paths).toEqual(["a.ts"]);
  });

  test("a tree that is too deep or mostly ignored is cut, and keeps its top levels", async () => {
    write({ [`${"d/".repeat(120)}deep`]: "", "z.ts": "" });
    expect(await listTree(root)).toEqual({ paths: ["z.ts"], isCut: true });
    write({
      ".gitignore": "*.log\n",
      ...Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`${index}.log`, ""])),
    });
    expect(await listTree(root, { maxFiles: 3 })).toEqual({ paths: [".gitignore"], isCut: true });
    expect((await listTree(root, { maxFiles: 1 })).isCut).toBe(true);
  });

  test("the tree of a missing folder is empty", async () => {
    expect(await listTree(join(root, "nowhere"))).toEqual({ paths: [], isCut: false });
  });

  test("a tree with too many files is cut and marked as cut", async () => {
    write({ a: "", b: "", c: "" });
    expect(await listTree(root, { maxFiles: 2 })).toEqual({ paths: ["a", "b"], isCut: true });
    expect((await listTree(root, { maxFiles: 3 })).isCut).toBe(false);
  });

  test("a file name with a line break takes one line of the tree", async () => {
    write({ "a\nb.ts": "" });
    expect(formatTree((await listTree(root)).paths)).toBe("1 file\na\ufffdb.ts");
  });
});
