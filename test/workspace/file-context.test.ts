import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { openPalimpsest } from "../../src/compose.ts";
import { FileContext } from "../../src/engine/workspace/workspace-context.ts";
import { shows } from "../../src/testing/shows.ts";
import { Repository } from "../../src/workspace/files/repository.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "palimpsest-workspace-")));
const root = join(folder, "repository");
afterAll(() => rmSync(folder, { recursive: true }));

const write = (path: string, content: string | Uint8Array): void => {
  mkdirSync(join(root, path, ".."), { recursive: true });
  writeFileSync(join(root, path), content);
};

let repository: Repository;
let context: FileContext;
beforeEach(async () => {
  rmSync(root, { recursive: true, force: true });
  write("src/a.ts", "export const a = 1;\n");
  write("README.md", "# Hello");
  writeFileSync(join(folder, "secret.txt"), "secret");
  repository = await Repository.open(root);
  context = new FileContext({ findFile: (path) => repository.findText(path) });
});

describe("a file context", () => {
  test(shows(["S3-14", "S3-76"], "shows a text that was given"), async () => {
    expect(await context.add("notes/plan.md", "Ship on Friday.")).toBe(true);
    expect(context.textOf("notes/plan.md")).toBe("Ship on Friday.");
  });

  test(shows(["S3-14", "S3-77"], "reads a file from disk if no text is given"), async () => {
    expect(await context.add("src/a.ts")).toBe(true);
    expect(context.textOf("src/a.ts")).toBe("export const a = 1;\n");
  });

  test(shows("S3-78", "adding a missing file returns false"), async () => {
    expect(await context.add("src/missing.ts")).toBe(false);
    expect(await new FileContext().add("src/a.ts")).toBe(false);
    expect(context.paths).toEqual([]);
  });

  test(
    shows(["S3-15", "S3-81", "S3-82", "S3-83"], "lists files sorted, returns texts, removes and clears"),
    async () => {
      for (const path of ["z.md", "a.md", "m.md"]) await context.add(path, `Text of ${path}.`);
      expect(context.paths).toEqual(["a.md", "m.md", "z.md"]);
      expect(["a.md", "/z.md", "missing.md"].map((path) => context.textOf(path))).toEqual([
        "Text of a.md.",
        "Text of z.md.",
        undefined,
      ]);
      expect([context.remove("m.md"), context.remove("m.md"), context.has("m.md"), context.has("a.md")]).toEqual([
        true,
        false,
        false,
        true,
      ]);
      expect(context.textOf("m.md")).toBeUndefined();
      context.clear();
      expect(context.paths).toEqual([]);
      expect([context.has("a.md"), context.textOf("a.md")]).toEqual([false, undefined]);
    },
  );

  test(shows("S3-18", "names files by their path below the root, for any spelling"), async () => {
    await context.add("\\src\\a.ts");
    await context.add("/src//./a.ts/");
    expect(context.paths).toEqual(["src/a.ts"]);
    expect(context.has("/src/a.ts")).toBe(true);
  });

  test.each(["../secret.txt", "src/../../secret.txt", "a..b", "..\\secret.txt", "src/a.ts\0.md", "/", ""])(
    shows(["S3-19", "S3-80"], "refuses the path %j"),
    async (path) => {
      await expect(context.add(path, "text")).rejects.toMatchObject({ code: "file-refused" });
      expect(context.paths).toEqual([]);
    },
  );

  test(
    shows(["S3-16", "S3-84"], "prints each path with its text between fences that the text cannot end"),
    async () => {
      await context.add("a.md", "one\n");
      await context.add("b.md", "```js\nx\n```");
      expect(context.format()).toBe("a.md\n```\none\n```\n\nb.md\n````\n```js\nx\n```\n````");
    },
  );

  test(shows("S3-17", "counts tokens in total and by file"), async () => {
    await context.add("a.md", "one");
    await context.add("b.md", "two two");
    const count = (text: string) => text.length;
    expect(context.tokens(count)).toBe(context.format().length);
    expect([...context.tokensByFile(count)]).toEqual([
      ["a.md", "a.md\n```\none\n```".length],
      ["b.md", "b.md\n```\ntwo two\n```".length],
    ]);
    expect(new FileContext().tokens(count)).toBe(0);
  });

  test("follows the disk, keeps given texts and drops deleted files", async () => {
    await context.add("src/a.ts");
    await context.add("README.md");
    await context.add("given.md", "given");
    write("src/a.ts", "export const a = 2;\n");
    rmSync(join(root, "README.md"));
    const { files, gone } = await context.refresh();
    expect(gone).toEqual(["README.md"]);
    expect(files.map(({ path, text }) => [path, text])).toEqual([
      ["given.md", "given"],
      ["src/a.ts", "export const a = 2;\n"],
    ]);
  });
});

describe("a repository", () => {
  test.each([
    ["/etc/hostname", "absolute"],
    ["\\\\server\\share\\a", "absolute"],
    ["//server/share/a", "absolute"],
    ["C:\\Windows\\a", "drive"],
    ["c:a", "drive"],
    ["../secret.txt", ".."],
    ["src\\..\\..\\secret.txt", ".."],
    ["src/a.ts\0", "NUL"],
    ["CON", "device"],
    ["src/nul.txt", "device"],
    ["COM1", "device"],
    ["src/lpt9.log", "device"],
    [".git/config", ".git"],
    [".GIT/config", ".git"],
    ["sub/.Git/HEAD", ".git"],
    ["GIT~1/config", ".git"],
    [".g\u200cit/config", ".git"],
    ["src./a.ts", "dot or a space"],
    ["src /a.ts", "dot or a space"],
    ["src/a.ts::$DATA", "stream"],
    ["", "no file"],
  ])(shows("S3-21", "refuses the path %j"), async (path, why) => {
    await expect(repository.findText(path)).rejects.toMatchObject({ code: "file-refused" });
    await expect(repository.findText(path)).rejects.toThrow(why);
  });

  test(shows("S3-21", "follows links inside the root and refuses those that lead out"), async () => {
    symlinkSync(join(root, "src"), join(root, "inside"));
    symlinkSync(folder, join(root, "outside"));
    symlinkSync(join(folder, "secret.txt"), join(root, "leak.txt"));
    symlinkSync("loop", join(root, "loop"));
    expect((await repository.findText("inside/a.ts"))?.text).toContain("a = 1");
    for (const path of ["outside/secret.txt", "leak.txt"]) {
      await expect(repository.findText(path)).rejects.toThrow("points outside");
    }
    expect(await repository.findText("loop")).toBeUndefined();
  });

  test(shows("S3-21", "checks a path before it is chosen and again when it is read"), async () => {
    symlinkSync(join(root, "src"), join(root, "inside"));
    symlinkSync(folder, join(root, "outside"));
    symlinkSync(join(folder, "secret.txt"), join(root, "leak.txt"));
    const palimpsest = await openPalimpsest({ workspace: { root } });
    const session = await palimpsest.session();
    const { files } = session.workspace;
    for (const path of ["leak.txt", "outside/secret.txt", "inside/../../secret.txt", "src/nul.txt", ".git/config"]) {
      await expect(files.add(path)).rejects.toMatchObject({ code: "file-refused" });
      expect([files.paths, files.textOf("leak.txt")]).toEqual([[], undefined]);
    }
    expect(await files.add("/etc/hostname")).toBe(false);
    expect(await files.add("inside/a.ts")).toBe(true);
    expect(await files.add("README.md")).toBe(true);
    expect(files.paths).toEqual(["README.md", "inside/a.ts"]);
    // The chosen path is now a link to another file.
    rmSync(join(root, "README.md"));
    symlinkSync(join(folder, "secret.txt"), join(root, "README.md"));
    const prompt = await session.prompt({ next: { role: "user", content: "Read them." } });
    expect(prompt.report.workspace?.gone).toEqual(["README.md"]);
    expect(files.paths).toEqual(["inside/a.ts"]);
    const shown = JSON.stringify(prompt.messages);
    expect([shown.includes("const a = 1"), shown.includes("secret\\n")]).toEqual([true, false]);
    await palimpsest.close();
  });

  test("reads no folder, pipe or device", async () => {
    execFileSync("mkfifo", [join(root, "pipe")]);
    symlinkSync("/dev/zero", join(root, "zero"));
    await expect(repository.findText("src")).rejects.toThrow("not a regular file");
    await expect(repository.findText("pipe")).rejects.toThrow("not a regular file");
    await expect(repository.findText("zero")).rejects.toThrow("points outside");
  });

  test.each([
    ["NUL bytes", Buffer.from("text\0text")],
    ["a picture", Buffer.from("89504e470d0a1a0a0000000d49484452", "hex")],
    ["a PDF", Buffer.from("%PDF-1.7\n1 0 obj\n")],
    ["binary bytes", Buffer.from(Array.from({ length: 400 }, (_, index) => (index * 37) % 255 || 1))],
  ])(shows(["S3-20", "S3-79"], "refuses %s with any file name"), async (_, bytes) => {
    write("notes.txt", bytes);
    await expect(context.add("notes.txt")).rejects.toThrow("not text");
  });

  test.each([
    ["UTF-8 with a byte order mark", Buffer.from("\ufeffGrüße, 世界")],
    ["UTF-16, little-endian", Buffer.from("\ufeffGrüße, 世界", "utf16le")],
    ["UTF-16, big-endian", Buffer.from("\ufeffGrüße, 世界", "utf16le").swap16()],
    ["UTF-8", Buffer.from("Grüße, 世界")],
  ])("reads %s", async (_, bytes) => {
    write("notes.txt", bytes);
    expect((await repository.findText("notes.txt"))?.text).toBe("Grüße, 世界");
  });

  test("reads Windows-1252 texts and empty files", async () => {
    write("old.txt", Buffer.from("Gr\u00fc\u00dfe", "latin1"));
    write("empty.txt", "");
    expect((await repository.findText("old.txt"))?.text).toBe("Grüße");
    expect(await repository.findText("empty.txt")).toMatchObject({ text: "", hash: "" });
  });

  test("a file that is too large is refused with the limit", async () => {
    const small = await Repository.open(root, { maxBytes: 10 });
    await expect(small.findText("src/a.ts")).rejects.toThrow("the limit is 10");
  });

  test("a root that cannot be opened is refused", async () => {
    await expect(Repository.open(join(folder, "nowhere"))).rejects.toThrow("Name a folder that exists");
  });
});
