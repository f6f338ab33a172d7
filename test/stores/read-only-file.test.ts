/**
 * A read-only file: reads work, writes fail with advice, and nothing is created or changed in its folder. Root may
 * write everywhere, so the calls run as another user.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openPalimpsest } from "../../src/compose.ts";
import type { Store } from "../../src/ports/store.ts";
import { append, read, SESSION, say, seqsOf } from "../../src/testing/store-contract/contract-log.ts";
import { aSession, sqliteFiles } from "./sqlite-files.ts";

const files = sqliteFiles();
const NOBODY = 65_534;
const isRoot = process.geteuid?.() === 0;
const skipped = "only root can switch to another user";
/** System programs that mount and unmount disks. */
const DISK = { mount: "mount", unmount: "umount" };
const mounted: string[] = [];

afterAll(async () => {
  for (const mount of mounted) spawnSync(DISK.unmount, [mount]);
  await files.remove();
});

async function runAsOtherUser<Result>(work: () => Promise<Result>): Promise<Result> {
  process.seteuid?.(NOBODY);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

/** Creates a file with three messages in its own folder, readable by every user. */
async function aFile(folder = files.newPath()): Promise<string> {
  mkdirSync(folder, { recursive: true });
  for (const each of [dirname(folder), folder]) chmodSync(each, 0o755);
  const path = join(folder, "chats 100%?#.db");
  const store = await files.open(path);
  await append(await aSession(store), say("Hello."), say("The launch code."), say("Bye."));
  await store.close();
  chmodSync(path, 0o444);
  return path;
}

const contentOf = (path: string) =>
  readdirSync(dirname(path)).map((name) => [name, readFileSync(join(dirname(path), name))]);
const refusal = {
  code: "store-unavailable",
  retryable: false,
  message: expect.stringMatching(/it is read-only.*Make the file and its folder writable/),
  details: { reason: "read-only" },
};

async function refusesWrites(store: Store): Promise<void> {
  const tenant = store.tenant("local");
  await expect(tenant.append(SESSION, { entries: [say("No.")] })).rejects.toMatchObject(refusal);
  await expect(tenant.renameSession(SESSION, "No")).rejects.toMatchObject(refusal);
  await expect(tenant.deleteSession(SESSION)).rejects.toMatchObject(refusal);
}

describe("a read-only file", () => {
  test.each(["755", "777"])("in a folder with mode %s can be listed, loaded, searched and exported", async (rights) => {
    if (!isRoot) return;
    const path = await aFile();
    chmodSync(dirname(path), Number.parseInt(rights, 8));
    const before = contentOf(path);
    await runAsOtherUser(async () => {
      const palimpsest = await openPalimpsest({ store: `sqlite:${path}` });
      expect((await palimpsest.sessions()).map(({ id, messageCount }) => [id, messageCount])).toEqual([[SESSION, 3]]);
      const session = await palimpsest.session(SESSION);
      expect((await session.entries()).length).toBe(3);
      expect((await session.prompt({ preview: true })).messages.length).toBe(3);
      expect((await palimpsest.search("LAUNCH")).map(({ seq }) => seq)).toEqual([2]);
      const lines: string[] = [];
      for await (const line of palimpsest.exportSession(SESSION)) lines.push(line);
      expect(lines.join("\n")).toContain("The launch code.");
      await expect(session.append({ role: "user", content: "No." })).rejects.toMatchObject(refusal);
      await palimpsest.close();
    });
    expect(contentOf(path)).toEqual(before);
  });

  test("refuses writes until its mode allows them", async (context) => {
    if (!isRoot) context.skip(skipped);
    const path = await aFile();
    const store = await runAsOtherUser(async () => {
      const opened = await files.open(path);
      await refusesWrites(opened);
      return opened;
    });
    chmodSync(path, 0o666);
    chmodSync(dirname(path), 0o777);
    const written = await runAsOtherUser(() => append(store.tenant("local"), say("Again.")));
    expect(seqsOf(written)).toEqual([4]);
    await runAsOtherUser(() => store.close());
  });

  test("is also a file that may be written, in a folder that may not", async (context) => {
    if (!isRoot) context.skip(skipped);
    const path = await aFile();
    chmodSync(path, 0o666);
    const before = contentOf(path);
    await runAsOtherUser(async () => {
      const store = await files.open(path);
      expect((await read(store.tenant("local"))).length).toBe(3);
      await refusesWrites(store);
      await store.close();
    });
    expect(contentOf(path)).toEqual(before);
  });

  test("shows what its owner writes later", async (context) => {
    if (!isRoot) context.skip(skipped);
    const path = await aFile();
    const reader = await runAsOtherUser(() => files.open(path));
    const count = () => runAsOtherUser(async () => (await read(reader.tenant("local"))).length);
    expect(await count()).toBe(3);
    const owner = await files.open(path);
    await append(owner.tenant("local"), say("Four."));
    for (const name of ["-wal", "-shm"]) chmodSync(`${path}${name}`, 0o644);
    expect(await count()).toBe(4);
    await append(owner.tenant("local"), say("Five."));
    expect(await count()).toBe(5);
    await owner.close();
    expect(await count()).toBe(5);
    await runAsOtherUser(() => reader.close());
  });

  test("on a read-only disk can be read", async (context) => {
    const mount = files.newPath();
    mkdirSync(mount);
    if (spawnSync(DISK.mount, ["-t", "tmpfs", "-o", "size=4m", "tmpfs", mount]).status !== 0)
      context.skip("no small disk can be made here");
    mounted.push(mount);
    const path = await aFile(join(mount, "folder"));
    chmodSync(path, 0o600);
    const beside = readdirSync(dirname(path));
    expect(spawnSync(DISK.mount, ["-o", "remount,ro", mount]).status).toBe(0);
    const store = await files.open(path);
    expect((await store.tenant("local").search({ text: "launch", limit: 9 })).length).toBe(1);
    await refusesWrites(store);
    await store.close();
    expect(readdirSync(dirname(path))).toEqual(beside);
    await expect(files.open(join(mount, "new.db"))).rejects.toMatchObject({ ...refusal, message: expect.any(String) });
  });
});

test.each([
  ["one letter", "x"],
  ["one zero byte", "\0"],
  ["one line break", "\n"],
  ["a few words", "Remember the milk."],
  ["zero bytes", "\0".repeat(4_096)],
  ["the first bytes of a database", "SQLite format 3\0"],
])("a file that contains only %s is refused and left unchanged", async (_, content) => {
  const path = files.newPath();
  writeFileSync(path, content);
  await expect(files.open(path)).rejects.toMatchObject({
    code: "config-invalid",
    retryable: false,
    message: expect.stringMatching(/not an SQLite database.*another file/),
    details: { reason: "not-a-database" },
  });
  await expect(openPalimpsest({ store: `sqlite:${path}` })).rejects.toMatchObject({ code: "config-invalid" });
  expect(readFileSync(path, "utf8")).toBe(content);
  expect(
    readdirSync(dirname(path)).filter((name) => path.endsWith(name.replace(/-(wal|shm|journal)$/, ""))),
  ).toHaveLength(1);
});
