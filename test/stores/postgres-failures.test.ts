/**
 * Failures of the server: the error says what to do and whether a retry can help, nothing is half-written or
 * duplicated, and everything works again afterwards.
 */
import { spawnSync } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { chownSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { openPalimpsest } from "../../src/compose.ts";
import type { EntryDraft } from "../../src/core/log/entry.ts";
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import type { Store, TenantStore } from "../../src/ports/store.ts";
import { openPostgresStore, type PostgresStoreOptions } from "../../src/stores/postgres/open-postgres-store.ts";
import {
  append,
  batchOf,
  headOf,
  note,
  pinNote,
  read,
  SESSION,
  say,
  seqsOf,
} from "../../src/testing/store-contract/contract-log.ts";
import { describePostgres, requireOwn } from "../support/describe-postgres.ts";
import { GUEST, type PostgresServer, startPostgres } from "../support/start-postgres.ts";
import { type CuttingProxy, startCuttingProxy } from "./cut-connections.ts";

/** The expected error; with `lasting`, a retry does not help. */
const unavailable = (reason: string, advice: RegExp, lasting?: "lasting") => ({
  code: "store-unavailable",
  retryable: lasting === undefined,
  message: expect.stringMatching(advice),
  details: { reason },
  cause: expect.any(Error),
});

const opened: (Store | CuttingProxy)[] = [];
/** System programs that mount and unmount disks. */
const DISK = { mount: "mount", unmount: "umount" };

async function open(url: string, options: PostgresStoreOptions = {}): Promise<Store> {
  const store = await openPostgresStore(url, { retryForMs: 500, ...options });
  opened.push(store);
  return store;
}

async function aSession(url: string, options: PostgresStoreOptions = {}): Promise<TenantStore> {
  const tenant = (await open(url, options)).tenant("local");
  await tenant.createSession({ id: SESSION, createdAt: 0 }, EMPTY_HEAD);
  return tenant;
}

async function openCut(url: string): Promise<CuttingProxy> {
  const cutter = await startCuttingProxy(url);
  opened.push(cutter);
  return cutter;
}

function withUser(url: string, user: string, password = ""): string {
  const address = new URL(url);
  address.username = user;
  address.password = password;
  return address.href;
}

await describePostgres("a PostgreSQL server", (server) => {
  afterAll(async () => {
    for (const each of opened) await each.close();
    await server.close();
  });

  describe("when a store is opened", () => {
    test("an unreachable PostgreSQL server is named, and the error is retryable", async () => {
      const url = new URL(await server.newDatabase());
      url.port = "1";
      await expect(openPostgresStore(url.href)).rejects.toMatchObject(
        unavailable("unreachable", /^A call to the store postgres:\/\/127\.0\.0\.1:1\/.* cannot be reached.*Check/),
      );
    });

    test("a missing database is reported", async () => {
      const url = new URL(await server.newDatabase());
      url.pathname = "/nowhere";
      await expect(openPostgresStore(url.href)).rejects.toMatchObject(
        unavailable("missing-database", /no such database.*Create it/, "lasting"),
      );
    });

    test("a wrong password is reported without being repeated, and the right one works", async (context) => {
      requireOwn(server, context);
      const url = await server.newDatabase();
      await server.run(`CREATE ROLE ${GUEST} LOGIN SUPERUSER PASSWORD 'right'`);
      const refused = openPostgresStore(withUser(url, GUEST, "wrong-secret"));
      const advice = /rejected this user or password.*Correct/;
      await expect(refused).rejects.toMatchObject(unavailable("password", advice, "lasting"));
      expect(String(await refused.catch((error) => error))).not.toContain("wrong-secret");
      const without = openPostgresStore(withUser(url, GUEST));
      await expect(without).rejects.toMatchObject(unavailable("password", /Correct/, "lasting"));
      expect((await open(withUser(url, GUEST, "right"))).name).toBe(nameOf(url));
    });

    test("a user without permission to create the schema gets an error", async () => {
      const url = await server.newDatabase();
      await expect(openPostgresStore(withUser(url, await server.newRole()))).rejects.toMatchObject(
        unavailable("permission", /lacks permission.*Grant/, "lasting"),
      );
    });

    test("an invalid address is refused", async () => {
      for (const store of ["postgres://[", "postgresql://user@:port/"]) {
        await expect(openPalimpsest({ store })).rejects.toMatchObject({ code: "config-invalid" });
      }
    });

    test("an address that starts with postgresql: opens a store", async () => {
      const store = (await server.newDatabase()).replace("postgres:", "postgresql:");
      const palimpsest = await openPalimpsest({ store });
      const session = await palimpsest.session("s");
      await session.append({ role: "user", content: "Hello." });
      await palimpsest.close();
      const again = await openPalimpsest({ store });
      expect((await again.sessions()).map(({ id, messageCount }) => [id, messageCount])).toEqual([["s", 1]]);
      await again.close();
    });
  });

  describe("with no free connections", () => {
    test("a store waits for a server without free connections, reports it, and works again later", async () => {
      const url = await server.newDatabase();
      const crowd = await server.newRole("SUPERUSER");
      const tenant = await aSession(withUser(url, crowd), { connections: 1 });
      await server.run(`ALTER ROLE ${crowd} NOSUPERUSER CONNECTION LIMIT 0`);
      await endConnections(server, crowd);
      await expect(append(tenant, say("Full."))).rejects.toMatchObject(
        unavailable("too-many-connections", /no more connections.*max_connections/),
      );
      const waiting = append(tenant, say("Patient."));
      await server.run(`ALTER ROLE ${crowd} SUPERUSER CONNECTION LIMIT 5`);
      expect(seqsOf(await waiting)).toEqual([1]);
    });
  });

  describe("in read-only mode", () => {
    test("a read-only server can be read, refuses writes, and accepts them again later", async () => {
      const url = await server.newDatabase();
      const tenant = await aSession(url);
      await append(tenant, say("One."));
      const database = new URL(url).pathname.slice(1);
      await server.run(`ALTER DATABASE ${database} SET default_transaction_read_only = on`);
      await endConnections(server);
      await expect(append(tenant, say("Two."))).rejects.toMatchObject(
        unavailable("standby", /it is read-only.*Connect to the primary/),
      );
      expect(seqsOf(await read(tenant))).toEqual([1]);
      await server.run(`ALTER DATABASE ${database} RESET default_transaction_read_only`);
      await endConnections(server);
      expect(seqsOf(await append(tenant, say("Three.")))).toEqual([2]);
    });
  });

  describe("without its tables", () => {
    test("missing tables are reported and created again on opening", async () => {
      const url = await server.newDatabase();
      const tenant = await aSession(url);
      await server.run("DROP SCHEMA palimpsest CASCADE", url);
      await expect(read(tenant)).rejects.toMatchObject(
        unavailable("missing-tables", /tables are gone. Check that the address names the right database/, "lasting"),
      );
      expect(await read(await aSession(url))).toEqual([]);
    });
  });

  describe("with a full disk", () => {
    test("a full disk is reported, reads work, and writes work again once there is space", async (context) => {
      if (server.own === undefined || process.getuid?.() !== 0) context.skip("a disk to fill is made by root alone");
      const disk = mkdtempSync(join(tmpdir(), "palimpsest-disk-"));
      const mounted = spawnSync(DISK.mount, ["-t", "tmpfs", "-o", "size=20m", "tmpfs", disk]);
      if (mounted.status !== 0) context.skip("a disk to fill cannot be mounted here");
      const full = await startPostgres();
      if ("reason" in full) throw new Error(full.reason);
      try {
        await fillDisk(full, disk);
      } finally {
        await full.own?.stop("kill");
        await full.close();
        spawnSync(DISK.unmount, [disk]);
        rmSync(disk, { recursive: true, force: true });
      }
    });
  });

  describe("with cut connections", () => {
    test("a batch whose answer was lost is written once, and the call succeeds", async () => {
      const url = await server.newDatabase();
      const cutter = await openCut(url);
      const tenant = await aSession(cutter.url);
      cutter.cutAt("An answer that is lost.", "after");
      const [entry] = await append(tenant, say("An answer that is lost."));
      expect(cutter.cuts).toBe(1);
      expect(entry?.seq).toBe(1);
      expect(await read(tenant)).toEqual([entry]);
    });

    test("a batch that was lost before it arrived is sent again and written once", async () => {
      const cutter = await openCut(await server.newDatabase());
      const tenant = await aSession(cutter.url);
      cutter.cutAt("Words that are lost.", "before");
      expect(seqsOf(await append(tenant, say("Words that are lost.")))).toEqual([1]);
      expect(cutter.cuts).toBe(1);
      expect(seqsOf(await read(tenant))).toEqual([1]);
    });

    test("a change whose answer was lost is recognized as written, and a change to an old epoch is stale", async () => {
      const cutter = await openCut(await server.newDatabase());
      const tenant = await aSession(cutter.url);
      for (const when of ["after", "before"] as const) {
        const batch = batchOf(await headOf(tenant), pinNote, `pin-${when}`);
        cutter.cutAt(`pin-${when}`, when);
        expect(await tenant.append(SESSION, batch)).toMatchObject({ type: "appended" });
        expect((await headOf(tenant)).epoch).toBe(batch.head.epoch);
      }
      expect(seqsOf(await read(tenant))).toEqual([1, 2]);
      const late = batchOf(EMPTY_HEAD, pinNote, "pin-late");
      cutter.cutAt("pin-late", "before");
      expect(await tenant.append(SESSION, late)).toEqual({ type: "stale", epoch: 2 });
      expect(cutter.cuts).toBe(3);
    });

    test("a lease, creation, rename and deletion succeed although an answer was lost", async () => {
      const cutter = await openCut(await server.newDatabase());
      const tenant = await aSession(cutter.url);
      cutter.cutAt("SET fence", "after");
      const lease = await tenant.lease(SESSION, 60_000);
      expect(lease?.fence).toBeGreaterThan(0);
      expect(await tenant.lease(SESSION, 60_000)).toBeUndefined();
      cutter.cutAt("session-that-is-new", "after");
      expect(await tenant.createSession({ id: "session-that-is-new", createdAt: 0 }, EMPTY_HEAD)).toBe("created");
      expect(await tenant.createSession({ id: "session-that-is-new", createdAt: 0 }, EMPTY_HEAD)).toBe("exists");
      cutter.cutAt("A new title", "after");
      expect(await tenant.renameSession(SESSION, "A new title")).toBe(true);
      for (const when of ["before", "after"] as const) {
        await tenant.createSession({ id: `session-to-go-${when}`, createdAt: 0 }, EMPTY_HEAD);
        cutter.cutAt(`session-to-go-${when}`, when);
        expect(await tenant.deleteSession(`session-to-go-${when}`)).toBe(true);
        expect(await tenant.findSession(`session-to-go-${when}`)).toBeUndefined();
      }
      expect(cutter.cuts).toBe(5);
    });

    test("reads succeed although connections are cut", async () => {
      const cutter = await openCut(await server.newDatabase());
      const tenant = await aSession(cutter.url);
      await append(tenant, say("One."));
      cutter.cutAt("REPEATABLE READ", "before");
      expect((await tenant.readView(SESSION))?.lastSeq).toBe(1);
      expect(cutter.cuts).toBe(1);
    });
  });

  describe("during an outage", () => {
    test("a store waits for an unavailable server, reports it, and works again once it is back", async (context) => {
      const own = requireOwn(server, context);
      const url = await server.newDatabase();
      const tenant = await aSession(url);
      await append(tenant, say("One."));
      await own.stop("fast");
      await expect(append(tenant, say("Two."))).rejects.toMatchObject(unavailable("unreachable", /cannot be reached/));
      await expect(read(tenant)).rejects.toMatchObject({ code: "store-unavailable", retryable: true });
      await own.start();
      expect(seqsOf(await append(tenant, say("Three.")))).toEqual([2]);
    });

    test("calls wait for a server that is back within the retry time", async (context) => {
      const own = requireOwn(server, context);
      const patient = await aSession(await server.newDatabase(), { retryForMs: 20_000 });
      await append(patient, say("One."));
      await own.stop("kill");
      const waiting = Promise.all([append(patient, say("Two.")), patient.readView(SESSION), patient.lease(SESSION, 9)]);
      await own.start();
      const [entries] = await waiting;
      expect(seqsOf(entries)).toEqual([2]);
    });
  });

  test("an id that is too long is refused with its limit", async () => {
    const tenant = await aSession(await server.newDatabase());
    // Random letters, which cannot be compressed.
    const id = Array.from({ length: 9_000 }, (_, index) => ((index * index * 7919) % 1_000_003).toString(36)).join("");
    await expect(append(tenant, { ...say("Long."), id })).rejects.toMatchObject({
      code: "message-invalid",
      message: expect.stringMatching(/id is too long.*2,000/),
    });
    expect(await read(tenant)).toEqual([]);
  });

  test("closing a store finishes running calls and ends its connections", async () => {
    const url = await server.newDatabase();
    const store = await openPostgresStore(url, { connections: 2 });
    const tenant = store.tenant("local");
    await tenant.createSession({ id: SESSION, createdAt: 0 }, EMPTY_HEAD);
    const asked = Array.from({ length: 20 }, () => append(tenant, say("Soon closed.")));
    await store.close();
    await store.close();
    expect((await Promise.all(asked)).length).toBe(20);
    await expect(read(tenant)).rejects.toMatchObject({ code: "closed" });
    expect(() => store.tenant("local")).toThrow(expect.objectContaining({ code: "closed" }));
    const database = new URL(url).pathname.slice(1);
    // A server process ends a moment after its connection.
    const countConnections = async () =>
      (await server.run(`SELECT 1 FROM pg_stat_activity WHERE datname = '${database}'`)).length;
    await expect.poll(countConnections).toBe(0);
  });
});

function nameOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `postgres://${host}${pathname}`;
}

/** Ends connections like a restarting server or a new standby. */
async function endConnections(server: PostgresServer, user = ""): Promise<void> {
  await server.run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'palimpsest' AND (usename = '${user}' OR '${user}' = '')`);
  await setTimeout(100);
}

async function fillDisk(server: PostgresServer, disk: string): Promise<void> {
  const folder = join(disk, "tables");
  mkdirSync(folder);
  const [place] = await server.run("SHOW data_directory");
  const owner = spawnSync("stat", ["-c", "%u %g", String(place?.data_directory)], { encoding: "utf8" }).stdout.split(
    " ",
  );
  chownSync(disk, Number(owner[0]), Number(owner[1]));
  chownSync(folder, Number(owner[0]), Number(owner[1]));
  await server.run(`CREATE TABLESPACE small LOCATION '${folder}'`);
  await server.run("CREATE DATABASE small TEMPLATE template0 ENCODING 'UTF8' TABLESPACE small");
  const url = new URL(await server.newDatabase());
  url.pathname = "/small";
  const tenant = await aSession(url.href);
  const large = (): EntryDraft =>
    ({ ...note(randomUUID()), text: randomBytes(100_000).toString("base64") }) as EntryDraft;
  let refused: unknown;
  let written = 0;
  while (refused === undefined && written < 400) {
    refused = await append(tenant, large()).then(
      () => undefined,
      (error) => error,
    );
    if (refused === undefined) written += 1;
  }
  expect(refused).toMatchObject(unavailable("disk-full", /disk is full.*Free disk space/));
  expect(seqsOf(await read(tenant))).toEqual(Array.from({ length: written }, (_, index) => index + 1));
  expect(spawnSync(DISK.mount, ["-o", "remount,size=96m", disk]).status).toBe(0);
  expect(seqsOf(await append(tenant, large()))).toEqual([written + 1]);
}
