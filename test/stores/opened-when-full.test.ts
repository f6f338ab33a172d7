/** Stores of files that are opened on a full disk: sessions can be read and deleted. */
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import { openJsonlStore } from "../../src/stores/jsonl/jsonl-store.ts";
import { openSqliteStore } from "../../src/stores/sqlite/open-sqlite-store.ts";
import { say } from "../../src/testing/store-contract/contract-log.ts";
import { mountDisk } from "../support/small-disk.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const DISK_BYTES = 80 * 2 ** 20;
const folders = temporaryFolder();
afterAll(folders.remove);

function removeIndex(folder: string): void {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  for (const file of files) if (/index\.db(-wal|-shm)?$/.test(file)) rmSync(join(folder, file));
}

test.for([
  ["a complete index", false],
  ["an index that lacks messages, as after a kill,", true],
] as const)(
  "sessions of a JSONL folder without a reserve and with %s can be read and deleted on a full disk",
  async ([, isIndexLost], context) => {
    using disk = mountDisk(folders.newPath(), DISK_BYTES);
    if (disk.reason !== undefined) context.skip(disk.reason);
    const folder = join(disk.path, "chats");
    const before = openJsonlStore({ folder });
    for (const id of ["kept", "deleted", "deleted later"]) {
      await before.tenant("local").createSession({ id, createdAt: 0 }, EMPTY_HEAD);
      await before.tenant("local").append(id, { entries: [say("Hello."), say("Good day.")] });
    }
    await before.close();
    if (isIndexLost) removeIndex(folder);
    rmSync(join(folder, "writer.lock-reserve"));
    const ballast = join(disk.path, "ballast");
    expect(() => writeFileSync(ballast, Buffer.alloc(DISK_BYTES))).toThrow(/ENOSPC/);

    const store = openJsonlStore({ folder });
    const tenant = store.tenant("local");
    const long = () => ({ entries: [say("word ".repeat(150_000))] });
    await expect(tenant.append("kept", long())).rejects.toMatchObject({ details: { reason: "disk-full" } });
    expect(await tenant.readEntries("kept", {})).toHaveLength(2);
    expect(await tenant.deleteSession("deleted")).toBe(true);
    expect((await tenant.listSessions({ limit: 9 })).map(({ id }) => id)).toEqual(["kept", "deleted later"]);

    rmSync(ballast);
    await Promise.all(Array.from({ length: 4 }, () => tenant.append("kept", long())));
    expect(await tenant.deleteSession("deleted later")).toBe(true);
    await store.close();
    const after = openJsonlStore({ folder });
    expect(await after.tenant("local").readEntries("kept", {})).toHaveLength(6);
    expect((await after.tenant("local").listSessions({ limit: 9 })).map(({ id }) => id)).toEqual(["kept"]);
    await after.close();
  },
);

test("sessions of a SQLite file can be read and deleted on a full disk", async (context) => {
  using disk = mountDisk(folders.newPath(), DISK_BYTES);
  if (disk.reason !== undefined) context.skip(disk.reason);
  const path = join(disk.path, "chats.db");
  const before = await openSqliteStore(path);
  for (const id of ["kept", "deleted"]) {
    await before.tenant("local").createSession({ id, createdAt: 0 }, EMPTY_HEAD);
    await before.tenant("local").append(id, { entries: [say("Hello.")] });
  }
  await before.close();
  expect(() => writeFileSync(join(disk.path, "ballast"), Buffer.alloc(DISK_BYTES))).toThrow(/ENOSPC/);
  const store = await openSqliteStore(path);
  const tenant = store.tenant("local");
  expect(await tenant.readEntries("kept", {})).toHaveLength(1);
  expect(await tenant.deleteSession("deleted")).toBe(true);
  expect((await tenant.listSessions({ limit: 9 })).map(({ id }) => id)).toEqual(["kept"]);
  await store.close();
});
