/** Full disks, read-only and missing folders, and other writers: errors give advice, and no batch is half-written. */
import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Part } from "../../src/core/message/message.ts";
import { openJsonlStore } from "../../src/stores/jsonl/jsonl-store.ts";
import type { ChildTask } from "./jsonl-child.ts";
import { aDraft, appendDrafts, aSession, idsOf, TestFolder } from "./jsonl-folder.ts";

const CHILD = join(import.meta.dirname, "jsonl-child.ts");
const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;

function start(args: readonly [task: ChildTask, ...rest: string[]], options: SpawnOptions = {}): ChildProcess {
  return spawn(process.execPath, [CHILD, ...args], { stdio: ["ignore", "pipe", "inherit"], ...options });
}

async function firstLine(child: ChildProcess): Promise<Readonly<Record<string, unknown>>> {
  let output = "";
  for await (const chunk of child.stdout ?? []) {
    output += String(chunk);
    if (output.includes("\n")) return JSON.parse(output);
  }
  throw new Error("The process said nothing.");
}

async function outcomeOf(args: readonly [task: ChildTask, ...rest: string[]], options: SpawnOptions = {}) {
  const child = start(args, options);
  const closed = once(child, "close");
  const line = await firstLine(child);
  await closed;
  return line;
}

const unavailable = (text: string, retryable = true) =>
  expect.objectContaining({ code: "store-unavailable", retryable, message: expect.stringContaining(text) });
/** A retry does not help: the user has to act first. */
const refused = (text: string) => unavailable(text, false);

describe("a second writer", () => {
  test("is refused with the name of the first, and can still read", async () => {
    await using folder = new TestFolder();
    const holder = start(["hold", folder.path, "first"]);
    try {
      await firstLine(holder);
      const store = folder.open();
      const tenant = store.tenant("local");
      expect(await idsOf(tenant)).toEqual(["first"]);
      const attempt = tenant.append("s", { entries: [aDraft("second", "Hello.")] });
      await expect(attempt).rejects.toEqual(unavailable(`Process ${holder.pid} on`));
      await expect(attempt).rejects.toEqual(unavailable("Stop that process, close its store, or write through it"));
      expect(await tenant.createSession({ id: "s", createdAt: 0 }, {} as never)).toBe("exists");
    } finally {
      holder.kill("SIGKILL");
    }
  });

  test("a writer that was killed leaves the folder to the next one at once", async () => {
    await using folder = new TestFolder();
    const holder = start(["hold", folder.path, "first"]);
    const closed = once(holder, "close");
    await firstLine(holder);
    holder.kill("SIGKILL");
    await closed;
    expect(await outcomeOf(["write", folder.path, "second"])).toEqual({ ids: ["first", "second"] });
  });

  test("in the same process is refused until the first is closed", async () => {
    await using folder = new TestFolder();
    const [first, second] = [folder.open(), folder.open()];
    await appendDrafts(await aSession(first), aDraft("m1", "Hello."));
    const attempt = () => second.tenant("local").append("s", { entries: [aDraft("m2", "Hello.")] });
    await expect(attempt()).rejects.toEqual(unavailable("Another store of this process"));
    await first.close();
    expect(await attempt()).toMatchObject({ type: "appended", lastSeq: 2 });
  });

  test("one of eight concurrent stores becomes the writer", async () => {
    await using folder = new TestFolder();
    const stores = Array.from({ length: 8 }, () => folder.open());
    const outcomes = await Promise.allSettled(stores.map((store) => aSession(store)));
    expect(outcomes.filter(({ status }) => status === "fulfilled").length).toBe(1);
  });
});

describe("a reader", () => {
  test("sees new entries, new sessions, erased texts and deleted sessions", async () => {
    await using folder = new TestFolder();
    const writer = await aSession(folder.open());
    const reader = folder.open().tenant("local");
    await appendDrafts(writer, aDraft("m1", "One."));
    expect(await idsOf(reader)).toEqual(["m1"]);
    await appendDrafts(writer, aDraft("m2", "The secret."));
    expect(await idsOf(reader)).toEqual(["m1", "m2"]);
    await writer.createSession({ id: "t", createdAt: 9 }, (await writer.findSession("s"))?.head ?? ({} as never));
    expect((await reader.listSessions({ limit: 9 })).map(({ id, messageCount }) => [id, messageCount])).toEqual([
      ["t", 0],
      ["s", 2],
    ]);
    await writer.append("s", { entries: [], erase: ["m2"] });
    expect(JSON.stringify(await reader.readEntries("s", {}))).not.toContain("secret");
    await writer.deleteSession("t");
    expect(await reader.findSession("t")).toBeUndefined();
    expect((await reader.listSessions({ limit: 9 })).map(({ id }) => id)).toEqual(["s"]);
  });
});

describe("readers of other processes", () => {
  test("see whole batches and no gap while a writer works", async () => {
    await using folder = new TestFolder();
    const child = join(import.meta.dirname, "write-batches.ts");
    const writer = spawn(process.execPath, [child, folder.path], { stdio: ["ignore", "pipe", "inherit"] });
    const closed = once(writer, "close");
    try {
      await Promise.race([once(writer.stdout.resume(), "data"), closed]);
      const readers = [folder.open(), folder.open()].map((store) => store.tenant("local"));
      let [reads, longest] = [0, 0];
      const [least, most] = [Date.now() + 500, Date.now() + 60_000];
      const isSeen = () => reads > 3 && longest > 3;
      for (; Date.now() < (isSeen() ? least : most); reads += 1) {
        for (const reader of readers) {
          const entries = await reader.readEntries("main", {});
          expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1));
          expect(entries.length).toBeGreaterThanOrEqual(longest);
          longest = entries.length;
          const last = /-(\d+)-of-(\d+)$/.exec(entries.at(-1)?.id ?? "");
          if (last !== null) expect(Number(last[1]) + 1).toBe(Number(last[2]));
        }
      }
      expect(reads).toBeGreaterThan(3);
      expect(longest).toBeGreaterThan(3);
    } finally {
      writer.kill("SIGKILL");
      await closed;
    }
    expect(folder.warnings.filter(({ counted }) => counted === "damagedLines")).toEqual([]);
  });
});

describe("a folder", () => {
  test("a missing folder is empty to readers and created by the first write", async () => {
    await using folder = new TestFolder();
    const path = join(folder.path, "not", "there", "yet");
    const store = folder.open({ folder: path });
    const tenant = store.tenant("local");
    expect([await tenant.listSessions({ limit: 1 }), await tenant.findSession("s")]).toEqual([[], undefined]);
    expect(existsSync(path)).toBe(false);
    await aSession(store);
    expect(existsSync(path)).toBe(true);
  });

  test("a file in the place of the folder is refused", async () => {
    await using folder = new TestFolder();
    const path = join(folder.path, "file");
    writeFileSync(path, "");
    await expect(aSession(folder.open({ folder: path }))).rejects.toEqual(refused("choose another folder"));
    rmSync(path);
    await aSession(folder.open({ folder: path }));
  });

  test("without write permission is read, and written once it is permitted", async () => {
    await using folder = new TestFolder();
    const store = folder.open();
    await appendDrafts(await aSession(store), aDraft("m1", "Hello."));
    await store.close();
    const as = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
    const paths = [folder.path, ...folder.files("")];
    for (const path of paths) chmodSync(path, statSync(path).isDirectory() ? 0o555 : 0o444);
    expect(await outcomeOf(["read", folder.path], as)).toEqual({ ids: ["m1"] });
    expect(await outcomeOf(["write", folder.path, "m2"], as)).toEqual(refused("permission is denied"));
    for (const path of paths) chmodSync(path, statSync(path).isDirectory() ? 0o777 : 0o666);
    expect(await outcomeOf(["write", folder.path, "m2"], as)).toEqual({ ids: ["m1", "m2"] });
  });
});

describe("a file that is removed while it is in use", () => {
  test("a file that was moved away accepts no writes until it is put back", async () => {
    await using folder = new TestFolder();
    const tenant = await aSession(folder.open());
    await appendDrafts(tenant, aDraft("m1", "One."));
    const path = folder.file(".jsonl");
    renameSync(path, `${path}.away`);
    await expect(appendDrafts(tenant, aDraft("m2", "Two."))).rejects.toEqual(
      refused("put it back, or restore a backup"),
    );
    renameSync(`${path}.away`, path);
    await appendDrafts(tenant, aDraft("m3", "Three."));
    expect(await idsOf(tenant)).toEqual(["m1", "m3"]);
  });

  test("a file that was replaced by a backup is read again", async () => {
    await using folder = new TestFolder();
    const tenant = await aSession(folder.open());
    await appendDrafts(tenant, aDraft("m1", "One."));
    const path = folder.file(".jsonl");
    const backup = readFileSync(path);
    await appendDrafts(tenant, aDraft("m2", "Two."));
    rmSync(path);
    writeFileSync(path, backup);
    await appendDrafts(tenant, aDraft("m3", "Three."));
    expect((await tenant.readEntries("s", {})).map(({ id, seq }) => [id, seq])).toEqual([
      ["m1", 1],
      ["m3", 2],
    ]);
  });
});

/** Mounts a disk of two megabytes, and returns a function that unmounts it; undefined if this user may not mount. */
function smallDisk(path: string): (() => void) | undefined {
  mkdirSync(path);
  if (spawnSync("/bin/mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", path]).status !== 0) return undefined;
  return () => spawnSync("/bin/umount", ["-l", path]);
}

describe("a full disk", () => {
  test("stores no part of a batch, stays readable, and accepts writes again when there is space", async (context) => {
    await using folder = new TestFolder();
    const path = join(folder.path, "disk");
    const unmount = smallDisk(path);
    if (unmount === undefined) return context.skip("only root can make a small disk");
    try {
      const store = openJsonlStore({ folder: path, fsync: "always", onWarning: () => undefined });
      const tenant = await aSession(store);
      await appendDrafts(tenant, aDraft("m0", "Hello."));
      writeFileSync(join(path, "ballast"), Buffer.alloc(300_000));
      const words = "word ".repeat(4_000);
      const stored = ["m0"];
      for (let count = 1; count <= 40; count += 1) {
        const batch = [aDraft(`a${count}`, words), aDraft(`b${count}`, words)];
        const outcome = await tenant.append("s", { entries: batch }).catch((error: unknown) => error);
        if (outcome instanceof Error) {
          expect(outcome).toEqual(unavailable("the disk is full"));
          break;
        }
        stored.push(`a${count}`, `b${count}`);
      }
      expect(stored.length).toBeGreaterThan(2);
      expect(stored.length).toBeLessThan(60);
      expect(await idsOf(tenant)).toEqual(stored);
      const image: Part = {
        type: "image",
        source: { type: "data", base64: Buffer.alloc(1_900_000).toString("base64") },
      };
      await expect(appendDrafts(tenant, aDraft("image", [image]))).rejects.toEqual(unavailable("the disk is full"));
      rmSync(join(path, "ballast"));
      await appendDrafts(tenant, aDraft("later", words));
      await store.close();
      const again = openJsonlStore({ folder: path });
      expect(await idsOf(again.tenant("local"))).toEqual([...stored, "later"]);
      expect(again.statistics()).toEqual({
        damagedLines: 0,
        unfinishedBatches: 0,
        rebuiltIndexes: 0,
        rebuiltHeads: 0,
        missingBlobs: 0,
      });
      await again.close();
    } finally {
      unmount();
    }
  });
});

describe("a closed store", () => {
  test("refuses every call, and the next store can write", async () => {
    await using folder = new TestFolder();
    const store = folder.open();
    const tenant = await aSession(store);
    await store.close();
    await store.close();
    expect(() => store.tenant("local")).toThrow(expect.objectContaining({ code: "closed" }));
    const closed = { code: "closed" };
    await expect(tenant.append("s", { entries: [] })).rejects.toMatchObject(closed);
    await expect(tenant.readEntries("s", {})).rejects.toMatchObject(closed);
    await expect(tenant.listSessions({ limit: 1 })).rejects.toMatchObject(closed);
    await expect(tenant.search({ text: "a", limit: 1 })).rejects.toMatchObject(closed);
    await appendDrafts(await aSession(folder.open()), aDraft("m1", "Hello."));
  });
});
