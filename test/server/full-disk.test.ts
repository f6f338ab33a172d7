/** A server whose disk is full: its errors, and what still works. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { answerError } from "../../src/server/http/answer-error.ts";
import { StoreCapacity } from "../../src/server/operations/store-capacity.ts";
import { mediumError } from "../../src/stores/jsonl/medium-error.ts";
import { deleteWhenFull } from "../faults/delete-when-full.ts";
import { expectNoViolations, smallSize } from "../faults/small-size.ts";
import { temporaryFolder } from "../stores/temporary-folder.ts";
import { mountDisk } from "../support/small-disk.ts";
import { startTestServer } from "../support/start-server.ts";

/** System programs, if available. */
const DISK = { mount: "mount", unmount: "umount" };
const folder = mkdtempSync(join(tmpdir(), "palimpsest-full-"));
const disks = temporaryFolder();
afterAll(() => {
  disks.remove();
  spawnSync(DISK.unmount, ["-l", folder]);
  rmSync(folder, { recursive: true, force: true });
});

test("with a full disk, the server reports the error without a path, is not ready, and allows deletions", async (context) => {
  const { status } = spawnSync(DISK.mount, ["-t", "tmpfs", "-o", "size=4m", "tmpfs", folder]);
  if (status !== 0) context.skip("no small disk can be made here");
  await using server = await startTestServer({ store: `sqlite:${join(folder, "chats.db")}` });
  await server.ask("POST", "/api/sessions", { id: "s" });
  const say = (content: string) =>
    server.ask("POST", "/api/sessions/s/messages", { messages: { role: "user", content } });
  expect((await say("Hello.")).status).toBe(200);
  expect((await server.ask("GET", "/ready")).status).toBe(200);
  expect(() => writeFileSync(join(folder, "ballast"), Buffer.alloc(8_000_000))).toThrow(/ENOSPC/);
  const refused = await say("word ".repeat(50_000));
  expect(refused.status).toBe(507);
  expect(refused.body.error).toMatchObject({ code: "store-unavailable", details: { reason: "disk-full" } });
  expect(refused.body.error.advice).toBe(
    "Free disk space. Reading and deleting still work in the meantime, and appends work again by themselves.",
  );
  expect(JSON.stringify(refused.body)).not.toContain(folder);
  expect(await server.ask("GET", "/ready")).toMatchObject({ status: 503, body: { status: "failed" } });
  expect((await server.ask("DELETE", "/api/sessions/s")).status).toBe(200);
  rmSync(join(folder, "ballast"));
  expect((await server.ask("POST", "/api/sessions", { id: "s" })).status).toBe(200);
  expect((await server.ask("GET", "/ready")).status).toBe(200);
});

test.each(["sqlite", "jsonl"] as const)(
  "messages and sessions can be deleted on a disk that appends have filled, and appends work again: %s",
  async (kind) => {
    const tally = await deleteWhenFull(kind, disks, smallSize({ rounds: 2, longestMs: 60_000 }));
    if (tally.rounds > 0) expectNoViolations(tally);
  },
);

test.for(["sqlite", "jsonl"])(
  "sessions can be read and deleted on a disk that stays full, while appends try to take the freed space: %s",
  async (kind, context) => {
    using disk = mountDisk(disks.newPath(), 16 * 2 ** 20);
    if (disk.reason !== undefined) context.skip(disk.reason);
    await using server = await startTestServer({ store: `${kind}:${join(disk.path, "chats")}` });
    const say = async (id: string, content: string) => {
      const path = `/api/sessions/${id}/messages`;
      return (await server.ask("POST", path, { messages: { role: "user", content } })).status;
    };
    const ids = Array.from({ length: 12 }, (_, index) => `s${index}`);
    for (const id of ["other", ...ids]) await server.ask("POST", "/api/sessions", { id });
    for (const id of ["other", ...ids]) expect(await say(id, "Hello.")).toBe(200);
    expect(() => writeFileSync(join(disk.path, "ballast"), Buffer.alloc(16 * 2 ** 20))).toThrow(/ENOSPC/);
    expect(await say("other", "Hello.")).toBe(507);
    expect((await server.ask("GET", "/api/sessions/other/messages")).status).toBe(200);
    const appended = new Set<number>();
    const deleted: number[] = [];
    for (const id of ids) {
      const appends = Array.from({ length: 8 }, async () => appended.add(await say("other", "word ".repeat(20_000))));
      deleted.push((await server.ask("DELETE", `/api/sessions/${id}`)).status);
      await Promise.all(appends);
    }
    expect(deleted).toEqual(ids.map(() => 200));
    expect(appended).toContain(507);
    const { body } = await server.ask("GET", "/api/sessions");
    expect(body.sessions.map(({ id }: { readonly id: string }) => id)).toEqual(["other"]);
    rmSync(join(disk.path, "ballast"));
    expect(await say("other", "Hello again.")).toBe(200);
  },
);

test("a store no longer counts as full after ten seconds without a failed write", () => {
  let now = 0;
  const room = new StoreCapacity(() => now);
  room.answered({ route: "appendMessages", status: 507 });
  room.answered({ route: "readMessages", status: 200 });
  expect(room.isFull).toBe(true);
  now = 10_000;
  expect(room.isFull).toBe(false);
});

test("errors name files without their folders", () => {
  const cause = Object.assign(new Error("no space"), { code: "ENOSPC", syscall: "write" });
  const { body, status } = answerError(
    mediumError({ verb: "write to", path: "/srv/private/chats/s.jsonl" }, cause),
    "",
  );
  expect(status).toBe(507);
  expect(JSON.stringify(body)).toContain("s.jsonl");
  expect(JSON.stringify(body)).not.toContain("private");
});
