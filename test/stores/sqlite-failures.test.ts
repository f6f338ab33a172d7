/**
 * Failures of the file: the error says what to do and whether a retry can help, nothing is half-written, and everything
 * works again afterwards.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, test } from "vitest";
import { openPalimpsest } from "../../src/compose.ts";
import { PalimpsestError } from "../../src/core/errors.ts";
import type { Entry } from "../../src/core/log/entry.ts";
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import type { Store, TenantStore } from "../../src/ports/store.ts";
import { openSqliteStore } from "../../src/stores/sqlite/open-sqlite-store.ts";
import { seededRandom } from "../../src/testing/seeded-random.ts";
import { append, read, SESSION, say, seqsOf } from "../../src/testing/store-contract/contract-log.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const folder = temporaryFolder();
const opened: Store[] = [];
const mounted: string[] = [];
/** System programs that mount and unmount disks. */
const DISK = { mount: "mount", unmount: "umount" };

afterAll(async () => {
  for (const store of opened) await store.close();
  for (const mount of mounted) spawnSync(DISK.unmount, [mount]);
  folder.remove();
});

async function open(path: string, lockTimeoutMs = 300): Promise<Store> {
  const store = await openSqliteStore(path, { lockTimeoutMs });
  opened.push(store);
  return store;
}

async function aSession(path: string, lockTimeoutMs?: number): Promise<TenantStore> {
  const tenant = (await open(path, lockTimeoutMs)).tenant("local");
  await tenant.createSession({ id: SESSION, createdAt: 0 }, EMPTY_HEAD);
  return tenant;
}

/** The expected error; with `lasting`, a retry does not help. */
const unavailable = (reason: string, advice: RegExp, lasting?: "lasting") => ({
  code: "store-unavailable",
  retryable: lasting === undefined,
  message: expect.stringMatching(advice),
  details: { reason },
  cause: expect.any(Error),
});

describe("a locked file", () => {
  test("causes an error after a wait, and the store works again once the lock is released", async () => {
    const path = folder.newPath();
    const tenant = await aSession(path);
    const holder = new DatabaseSync(path);
    holder.exec("BEGIN IMMEDIATE");
    const refused = append(tenant, say("Blocked."));
    await expect(refused).rejects.toMatchObject(unavailable("locked", /another process.*Try again/));
    expect(await read(tenant)).toEqual([]);
    holder.exec("COMMIT");
    holder.close();
    expect(seqsOf(await append(tenant, say("Free.")))).toEqual([1]);
  });

  test("does not block the event loop while the store waits", async () => {
    const path = folder.newPath();
    const tenant = await aSession(path, 60_000);
    const holder = new DatabaseSync(path);
    holder.exec("BEGIN IMMEDIATE");
    const waiting = append(tenant, say("Waits."));
    // This process holds the lock too, so it could never be released if the wait blocked the event loop.
    setTimeout(() => holder.exec("COMMIT"), 50);
    expect(seqsOf(await waiting)).toEqual([1]);
    holder.close();
  });
});

describe("a path that cannot be opened", () => {
  test("is reported if its folder is missing, and opens once the folder exists", async () => {
    const path = join(folder.newPath(), "deeper", "chats.db");
    await expect(open(path)).rejects.toMatchObject(
      unavailable("missing-folder", /folder does not exist.*Create/, "lasting"),
    );
    mkdirSync(dirname(path), { recursive: true });
    await append(await aSession(path), say("Hello."));
  });

  test("is refused if it is a folder", async () => {
    const path = folder.newPath();
    mkdirSync(path);
    await expect(open(path)).rejects.toMatchObject(unavailable("not-openable", /names a file/, "lasting"));
  });

  test("causes the same error in openPalimpsest", async () => {
    const store = `sqlite:${join(folder.newPath(), "chats.db")}`;
    await expect(openPalimpsest({ store })).rejects.toMatchObject(
      unavailable("missing-folder", /Create the folder/, "lasting"),
    );
    await expect(openPalimpsest({ store: "sqlite:" })).rejects.toMatchObject({ code: "config-invalid" });
  });
});

describe("a file that this user may not use", () => {
  const NOBODY = 65_534;
  const isRoot = process.geteuid?.() === 0;
  const skipped = "only root can become a user without rights";

  /** Runs calls as another user, because root may do everything. */
  async function asNobody(work: () => Promise<void>): Promise<void> {
    process.seteuid?.(NOBODY);
    try {
      await work();
    } finally {
      process.seteuid?.(0);
    }
  }

  test("a file without permissions is refused, and opens once it has them", async (context) => {
    if (!isRoot) context.skip(skipped);
    const path = join(folder.newPath(), "chats.db");
    mkdirSync(dirname(path), { recursive: true });
    chmodSync(dirname(dirname(path)), 0o755);
    await asNobody(async () => {
      await expect(open(path)).rejects.toMatchObject({
        ...unavailable("permission", /Give the user rights/),
        retryable: false,
      });
    });
    chownSync(dirname(path), NOBODY, NOBODY);
    await asNobody(async () => {
      await append(await aSession(path), say("Hello."));
      for (const store of opened.splice(0)) await store.close();
    });
  });
});

describe("a full disk", () => {
  test("stores no part of a write, allows reads, and accepts writes again once there is space", async (context) => {
    const mount = folder.newPath();
    mkdirSync(mount);
    const { status } = spawnSync(DISK.mount, ["-t", "tmpfs", "-o", "size=3m", "tmpfs", mount]);
    if (status !== 0) context.skip("no small disk can be made here");
    mounted.push(mount);
    const tenant = await aSession(join(mount, "chats.db"));
    await append(tenant, say("Hello."));
    const ballast = join(mount, "ballast");
    let stored = 1;
    const fill = async () => {
      for (;;) {
        await append(tenant, say("word ".repeat(2_000)));
        stored += 1;
      }
    };
    writeFileSync(ballast, Buffer.alloc(700_000));
    await expect(fill()).rejects.toMatchObject(unavailable("disk-full", /Free disk space/));
    expect((await read(tenant)).length).toBe(stored);
    expect((await tenant.search({ text: "hello", limit: 1 })).length).toBe(1);
    rmSync(ballast);
    expect(seqsOf(await append(tenant, say("There is room.")))).toEqual([stored + 1]);
    for (const store of opened.splice(0)) await store.close();
  });

  test("allows the deletion of messages and sessions, which use the reserve", async (context) => {
    const mount = folder.newPath();
    mkdirSync(mount);
    const { status } = spawnSync(DISK.mount, ["-t", "tmpfs", "-o", "size=4m", "tmpfs", mount]);
    if (status !== 0) context.skip("no small disk can be made here");
    mounted.push(mount);
    const path = join(mount, "chats.db");
    const store = await open(path);
    const engine = await openPalimpsest({ store, counter: "estimate" });
    const [large, small] = [await engine.create({ id: "large" }), await engine.create({ id: "small" })];
    await small.append({ id: "said", role: "user", content: "My number is 5550199." });
    const fill = async () => {
      for (;;) await large.append({ role: "user", content: "word ".repeat(400) });
    };
    await expect(fill()).rejects.toMatchObject(unavailable("disk-full", /Free disk space/));
    // Fills the last block too, so that not even a small write fits.
    const scraps = () => writeFileSync(join(mount, "scraps"), Buffer.alloc(4_096), { flag: "a" });
    expect(() => {
      for (;;) scraps();
    }).toThrow(/ENOSPC/);
    expect((await small.delete("said")).messageId).toBe("said");
    expect((await engine.deleteSession("large")).type).toBe("deleted");
    rmSync(join(mount, "scraps"));
    await small.append({ id: "later", role: "user", content: "There is room." });
    await small.delete("later");
    expect(statSync(`${path}-reserve`).size).toBeGreaterThan(1_000_000);
    await engine.close();
    for (const each of opened.splice(0)) await each.close();
  });
});

describe("a damaged file", () => {
  async function filledFile(): Promise<string> {
    const path = folder.newPath();
    const tenant = await aSession(path);
    for (let part = 0; part < 10; part += 1) {
      await append(tenant, ...Array.from({ length: 40 }, (_, index) => say(`Message ${part}/${index} of many words.`)));
    }
    for (const store of opened.splice(0)) await store.close();
    return path;
  }

  test("that is not a database is refused and left unchanged", async () => {
    const path = folder.newPath();
    writeFileSync(path, "a text of another program ".repeat(300));
    await expect(open(path)).rejects.toMatchObject({
      code: "config-invalid",
      retryable: false,
      message: expect.stringMatching(/not an SQLite database.*another file/),
    });
    expect(readFileSync(path, "utf8")).toMatch(/^a text of another program/);
  });

  test("never returns a changed text", async () => {
    const path = await filledFile();
    const sound = await read((await open(path)).tenant("local"));
    const texts = new Set(sound.map(textOf));
    for (const store of opened.splice(0)) await store.close();
    const bytes = readFileSync(path);
    const random = seededRandom(7);
    let reported = 0;
    for (let round = 0; round < 50; round += 1) {
      const damaged = Buffer.from(bytes);
      for (let flip = 0; flip < 100; flip += 1)
        damaged[100 + random.integer(damaged.length - 100)] = random.integer(256);
      const copy = folder.newPath();
      writeFileSync(copy, damaged);
      const entries = await readDamaged(copy);
      if (entries?.length !== sound.length) reported += 1;
      expect(entries?.map(textOf).filter((text) => !texts.has(text)) ?? []).toEqual([]);
    }
    expect(reported).toBeGreaterThan(0);
  });

  const textOf = (entry: Entry): string => (entry.type === "message" ? JSON.stringify(entry.message.parts) : "");

  /** Returns the entries that can still be read, or undefined if reading fails. */
  async function readDamaged(path: string): Promise<readonly Entry[] | undefined> {
    try {
      const store = await openSqliteStore(path, { onWarning: () => undefined });
      opened.push(store);
      return await read(store.tenant("local"));
    } catch (error) {
      expect(error).toBeInstanceOf(PalimpsestError);
      return undefined;
    } finally {
      for (const store of opened.splice(0)) await store.close();
    }
  }

  test("is reported, and its restored copy works", async () => {
    const path = await filledFile();
    const tenant = (await open(path)).tenant("local");
    const bytes = readFileSync(path);
    writeFileSync(path, Buffer.from(bytes).fill(0xff, bytes.length / 4));
    const lasting = unavailable("corrupt", /damaged.*restore a backup/, "lasting");
    await expect(read(tenant)).rejects.toMatchObject(lasting);
    writeFileSync(path, bytes);
    expect((await read(tenant)).length).toBe(400);
  });

  test("whose write-ahead log was cut off has everything up to the last checkpoint", async () => {
    const path = folder.newPath();
    const store = await open(path);
    const tenant = store.tenant("local");
    await tenant.createSession({ id: SESSION, createdAt: 0 }, EMPTY_HEAD);
    await append(tenant, say("Written back."));
    await store.close();
    const again = await open(path);
    await append(again.tenant("local"), say("Only in the log."));
    const copy = folder.newPath();
    copyFileSync(path, copy);
    const log = readFileSync(`${path}-wal`);
    writeFileSync(`${copy}-wal`, log.subarray(0, Math.floor(log.length / 2)));
    const survivor = (await open(copy)).tenant("local");
    expect(seqsOf(await read(survivor))).toEqual([1]);
    expect(seqsOf(await append(survivor, say("Goes on.")))).toEqual([2]);
  });
});
