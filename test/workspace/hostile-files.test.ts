/** A repository against files arranged to expose more than allowed, or to block. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { FileContext } from "../../src/engine/workspace/workspace-context.ts";
import { shows } from "../../src/testing/shows.ts";
import { Repository } from "../../src/workspace/files/repository.ts";
import { repositoryRoot } from "../support/read-repository.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "palimpsest-hostile-")));
const root = join(folder, "repository");
afterAll(() => rmSync(folder, { recursive: true }));

const write = (path: string, content: string | Uint8Array): void => {
  mkdirSync(join(root, path, ".."), { recursive: true });
  writeFileSync(join(root, path), content);
};

let repository: Repository;
beforeEach(async () => {
  rmSync(root, { recursive: true, force: true });
  write("src/a.ts", "one");
  writeFileSync(join(folder, "secret.txt"), "secret");
  repository = await Repository.open(root);
});

describe("the spelling of a path", () => {
  test.each([
    ["‥/secret.txt", ".."],
    ["．．/secret.txt", ".."],
    ["src∕..∕..∕secret.txt", ".."],
    ["src／..／..／secret.txt", ".."],
    ["src＼..＼..＼secret.txt", ".."],
    [".\u200b./secret.txt", ".."],
    [". ./.. /secret.txt", ".."],
    ["src/.git\u200d/config", ".git"],
    [".git /config", ".git"],
    ["CLOCK$", "device"],
    ["aux.c", "device"],
    ["com¹", "device"],
    ["\\\\?\\C:\\secret.txt", "absolute"],
    ["\\\\.\\pipe\\x", "absolute"],
    ["C:secret.txt", "drive"],
    ["src/a.ts.", "dot or a space"],
    ["src/a.ts ", "dot or a space"],
    ["src/\ud800.ts", "not well-formed"],
  ])(shows("S3-21", "the path %j is refused"), async (path, why) => {
    await expect(repository.findText(path)).rejects.toMatchObject({ code: "file-refused" });
    await expect(repository.findText(path)).rejects.toThrow(why);
  });

  test("a path may contain any letters and harmless full-width characters", async () => {
    for (const path of ["Größe.md", "メモ：その一.md", "a／b.md", "..hidden", "a..b", "…"]) {
      write(path, path);
      expect((await repository.findText(path))?.text).toBe(path);
    }
  });

  test("a path in another case is refused with the name on disk", async () => {
    symlinkSync("a.ts", join(root, "src/A.ts"));
    await expect(repository.findText("src/A.ts")).rejects.toThrow("its name on disk is src/a.ts");
  });
});

describe("hostile files in the root", () => {
  test("a folder replaced by a link between check and read exposes nothing", async () => {
    mkdirSync(join(folder, "outside"), { recursive: true });
    writeFileSync(join(folder, "outside/a.txt"), "secret");
    write("door/a.txt", "inside");
    symlinkSync(join(folder, "outside"), join(root, "way-out"));
    const swapper = new Worker(
      `const { renameSync } = require("node:fs"); const { workerData: root } = require("node:worker_threads");
       for (;;) { renameSync(root + "/door", root + "/aside"); renameSync(root + "/way-out", root + "/door");
                  renameSync(root + "/door", root + "/way-out"); renameSync(root + "/aside", root + "/door"); }`,
      { eval: true, workerData: root },
    );
    const seen = new Set<string>();
    const until = Date.now() + 300;
    while (Date.now() < until || !seen.has("inside")) {
      const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => repository.read("door/a.txt")));
      for (const each of outcomes) if (each.status === "fulfilled") seen.add(each.value?.file.text ?? "absent");
    }
    await swapper.terminate();
    expect(seen).toContain("inside");
    expect(seen).not.toContain("secret");
  });

  test("pipes, sockets, devices and folders are refused at once", async () => {
    execFileSync("mkfifo", [join(root, "pipe.txt")]);
    const server = createServer().listen(join(root, "socket.txt"));
    await new Promise((resolve) => server.once("listening", resolve));
    for (const path of ["pipe.txt", "socket.txt", "src"]) {
      await expect(repository.findText(path)).rejects.toThrow("not a regular file");
    }
    server.close();
  });

  test.runIf(process.platform === "linux")("system files are refused even inside the root", async () => {
    const everything = await Repository.open("/");
    for (const path of ["proc/self/environ", "proc/kmsg", "sys/kernel/notes", "dev/zero"]) {
      await expect(everything.findText(path)).rejects.toMatchObject({ code: "file-refused" });
    }
    const inMemory = mkdtempSync("/dev/shm/palimpsest-");
    writeFileSync(join(inMemory, "a.txt"), "one");
    expect((await (await Repository.open(inMemory)).findText("a.txt"))?.text).toBe("one");
    rmSync(inMemory, { recursive: true });
    symlinkSync("/proc/self/environ", join(root, "environ"));
    await expect(repository.findText("environ")).rejects.toThrow("points outside");
  });

  test("a hard link is an ordinary file", async () => {
    linkSync(join(root, "src/a.ts"), join(root, "src/b.ts"));
    expect((await repository.findText("src/b.ts"))?.text).toBe("one");
  });

  test("a file without read permission is refused with its path", () => {
    write("private.txt", "private");
    for (const place of [folder, root]) chmodSync(place, 0o755);
    chmodSync(join(root, "private.txt"), 0o000);
    const module = pathToFileURL(join(repositoryRoot, "src/workspace/files/repository.ts")).href;
    const program = `const { Repository } = await import(${JSON.stringify(module)});
      const repository = await Repository.open(${JSON.stringify(root)});
      await repository.findText("private.txt").catch((error) => console.log(error.code, error.message));`;
    const isRoot = process.getuid?.() === 0;
    const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
      encoding: "utf8",
      ...(isRoot ? { uid: 65_534, gid: 65_534 } : {}),
    });
    expect(stdout).toBe(
      'file-refused The path "private.txt" is refused: reading it is not permitted. Give the path of a text file, relative to the workspace\'s root.\n',
    );
  });

  test("a growing file is never read beyond the limit", async () => {
    const small = await Repository.open(root, { maxBytes: 100_000 });
    write("log.txt", "x".repeat(90_000));
    let isOver = false;
    const growing = (async () => {
      for (let size = 0; size < 60 && !isOver; size += 1) {
        appendFileSync(join(root, "log.txt"), "y".repeat(1_000));
        await setTimeout(1);
      }
    })();
    const texts: (string | undefined)[] = [];
    for (;;) {
      const read = await small.findText("log.txt").catch((error: Error) => error);
      if (read instanceof Error) {
        expect(read.message).toContain("the limit is 100000");
        break;
      }
      texts.push(read?.text);
    }
    isOver = true;
    await growing;
    expect(texts.every((text) => text !== undefined && text.length <= 100_000)).toBe(true);
  });

  test("a file that is truncated or deleted in the meantime is short or absent", async () => {
    write("log.txt", "x".repeat(1_000_000));
    const reads = Array.from({ length: 20 }, () => repository.findText("log.txt"));
    truncateSync(join(root, "log.txt"), 10);
    unlinkSync(join(root, "log.txt"));
    for (const file of await Promise.all(reads)) expect(file === undefined || /^x*$/.test(file.text)).toBe(true);
    expect(await repository.findText("log.txt")).toBeUndefined();
  });

  test("a root that is a file is refused", async () => {
    await expect(Repository.open(join(root, "src/a.ts"))).rejects.toThrow("Name a folder");
  });
});

describe("changes on disk", () => {
  test("a change that keeps the size and modification time of a file is noticed", async () => {
    for (let time = 0; time < 200; time += 1) {
      const text = String(1_000 + time);
      write("src/a.ts", text);
      utimesSync(join(root, "src/a.ts"), 1, 1);
      expect((await repository.findText("src/a.ts"))?.text).toBe(text);
    }
  });

  test("a file that changed recently is compared by its text until its modification time can be trusted", async () => {
    const setTime = (seconds: number) => utimesSync(join(root, "src/a.ts"), seconds, seconds);
    // A time in the future stays recent, however long the machine takes.
    const future = Date.now() / 1_000 + 86_400;
    setTime(future);
    expect((await repository.read("src/a.ts"))?.stamp).toBeUndefined();
    setTime(1);
    await setTimeout(2_100);
    const rested = await repository.read("src/a.ts");
    expect(rested?.stamp).toBeDefined();
    expect(await repository.read("src/a.ts", rested)).toBe(rested);
    write("src/a.ts", "two");
    setTime(future);
    expect(await repository.read("src/a.ts", rested)).toMatchObject({ stamp: undefined, file: { text: "two" } });
  });

  test("an unchanged file is returned as the same object", async () => {
    const before = await repository.findText("src/a.ts");
    write("src/a.ts", "one");
    expect(await repository.findText("src/a.ts")).toBe(before);
    write("src/a.ts", "two");
    expect(await repository.findText("src/a.ts")).not.toBe(before);
  });

  test("renamed, deleted and escaping files leave the context for good", async () => {
    const context = new FileContext({ findFile: (path) => repository.findText(path) });
    for (const name of ["b", "c", "d"]) write(`src/${name}.ts`, name);
    for (const name of ["a", "b", "c", "d"]) await context.add(`src/${name}.ts`);
    renameSync(join(root, "src/a.ts"), join(root, "src/z.ts"));
    unlinkSync(join(root, "src/b.ts"));
    unlinkSync(join(root, "src/c.ts"));
    symlinkSync(join(folder, "secret.txt"), join(root, "src/c.ts"));
    const { files, gone } = await context.refresh();
    expect(gone).toEqual(["src/a.ts", "src/b.ts", "src/c.ts"]);
    expect(files.map(({ path }) => path)).toEqual(["src/d.ts"]);
    await expect(repository.findText("src/c.ts")).rejects.toThrow("points outside");
    await expect(context.add("src/c.ts")).rejects.toThrow("points outside");
  });
});
