/** Concurrent imports of one session, alongside other writers: no acknowledged entry is lost. */
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { openPalimpsest } from "../src/compose.ts";
import { PalimpsestError } from "../src/core/errors.ts";
import { EMPTY_HEAD } from "../src/core/log/head.ts";
import type { AppendBatch, Store, TenantStore } from "../src/ports/store.ts";
import { openJsonlStore } from "../src/stores/jsonl/jsonl-store.ts";
import { createMemoryStore } from "../src/stores/memory/memory-store.ts";
import { openSqliteStore } from "../src/stores/sqlite/open-sqlite-store.ts";
import { scriptedClock } from "../src/testing/scripted-clock.ts";
import { newFolders } from "./support/new-folders.ts";

const LEASE_MS = 30_000;
const newFolder = newFolders("claims");
let folder = "";
beforeEach(() => {
  folder = newFolder();
});

const open = (store: Store) => openPalimpsest({ store, counter: "estimate" });

async function anExport(word: string, count: number): Promise<string[]> {
  const palimpsest = await open(createMemoryStore());
  const session = await palimpsest.session("x");
  await session.append(Array.from({ length: count }, (_, index) => ({ role: "user", content: `${word} ${index}` })));
  const lines: string[] = [];
  for await (const line of palimpsest.exportSession("x")) lines.push(line);
  return lines;
}

/** Wraps a store so that the append number `at` waits until the gate opens, and then may fail. */
function gated(store: Store, { at, fails = false }: { readonly at: number; readonly fails?: boolean }) {
  const [reached, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let appends = 0;
  const watch = (tenant: TenantStore): TenantStore =>
    new Proxy(tenant, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (name !== "append") return typeof value === "function" ? value.bind(target) : value;
        return async (id: string, batch: AppendBatch) => {
          appends += 1;
          const outcome = await target.append(id, batch);
          if (appends !== at) return outcome;
          reached.resolve();
          await gate.promise;
          if (fails) throw new PalimpsestError("store-unavailable", "The disk is full.");
          return outcome;
        };
      },
    });
  const slow: Store = { name: "slow", tenant: (id) => watch(store.tenant(id)), close: async () => undefined };
  return { store: slow, reached: reached.promise, open: gate.resolve };
}

describe("exactly one of several concurrent imports of one session succeeds", () => {
  const stores: readonly (readonly [string, (round: number) => Store | Promise<Store>])[] = [
    ["memory", () => createMemoryStore()],
    ["SQLite", (round) => openSqliteStore(join(folder, `${round}.db`))],
    ["JSONL", (round) => openJsonlStore({ folder: join(folder, `${round}`) })],
  ];

  test.each(stores)("on %s, even if an abandoned import remains", async (_, create) => {
    const files = await Promise.all([anExport("alpha", 150), anExport("beta", 20), anExport("gamma", 250)]);
    for (let round = 0; round < 6; round += 1) {
      const store = await create(round);
      const isDead = round % 2 === 1;
      if (isDead) {
        await store.tenant("local").createSession({ id: "x", title: "\0importing dead", createdAt: 0 }, EMPTY_HEAD);
      }
      const engines = await Promise.all([...files, ...files].map(() => open(store)));
      const outcomes = await Promise.allSettled(
        engines.map((each, index) => each.importSession(files[index % 3] ?? [])),
      );
      const refused = outcomes.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
      expect(refused.map(({ code }) => code)).toEqual(Array(5).fill("session-exists"));
      const [winner = -1] = outcomes.flatMap(({ status }, index) => (status === "fulfilled" ? [index] : []));
      const session = await engines[0]?.load("x");
      expect(await session?.transcript()).toHaveLength([150, 20, 250][winner % 3] ?? -1);
      await store.close();
    }
  });
});

describe("while a session is imported", () => {
  test("no other engine can import, open, rename or create it", async () => {
    const store = createMemoryStore();
    const slow = gated(store, { at: 2 });
    const importing = (await open(slow.store)).importSession(await anExport("alpha", 250));
    await slow.reached;
    const other = await open(store);
    await expect(other.importSession(await anExport("beta", 20))).rejects.toThrow("is already being imported");
    for (const verb of [other.session("x"), other.load("x"), other.rename("x", "Mine")]) {
      await expect(verb).rejects.toMatchObject({ code: "session-not-found" });
    }
    await expect(other.create({ id: "x" })).rejects.toMatchObject({ code: "session-exists" });
    slow.open();
    expect(await importing).toMatchObject({ messages: 250 });
    expect(await (await other.session("x")).transcript()).toHaveLength(250);
    await expect(other.importSession(await anExport("beta", 20))).rejects.toThrow("already exists");
  });

  test.each([
    ["continues", false, "another process wrote to the session"],
    ["fails", true, "The disk is full."],
  ])("a slow import that lost its lease and %s leaves the next import unchanged", async (_, fails, message) => {
    const clock = scriptedClock({ startMs: 0 });
    const store = createMemoryStore({ monotonicNow: clock.now });
    const slow = gated(store, { at: 1, fails });
    const importing = (await open(slow.store)).importSession(await anExport("alpha", 250));
    importing.catch(() => undefined);
    await slow.reached;
    clock.advance(LEASE_MS);
    const other = await open(store);
    expect(await other.importSession(await anExport("beta", 100))).toMatchObject({ messages: 100 });
    const { messages } = await (await other.load("x")).append({ role: "user", content: "acknowledged" });
    slow.open();
    await expect(importing).rejects.toThrow(message);
    const history = await (await other.load("x")).transcript();
    expect(history).toHaveLength(101);
    expect(history.at(-1)?.id).toBe(messages[0]?.id);
  });
});

describe("an abandoned import", () => {
  async function dead() {
    const clock = scriptedClock({ startMs: 0 });
    const store = createMemoryStore({ monotonicNow: clock.now });
    const whole = await open(store);
    await (await whole.session("whole")).append({ role: "user", content: "alpha of its own" });
    const slow = gated(store, { at: 2 });
    // The gate stays closed, and the clock does not advance, so the lease is not renewed.
    void (await open(slow.store)).importSession(await anExport("alpha", 350)).catch(() => undefined);
    await slow.reached;
    const isThere = async () => (await store.tenant("local").findSession("x")) !== undefined;
    return { clock, store, palimpsest: whole, isThere };
  }

  test("is not found by any search, although the store finds its messages", async () => {
    const { clock, store, palimpsest, isThere } = await dead();
    expect((await store.tenant("local").search({ text: "alpha", limit: 500 })).length).toBe(201);
    for (const order of ["newest", "relevance"] as const) {
      const found = await palimpsest.search("alpha", { limit: 3, order });
      expect(found.map(({ sessionId }) => sessionId)).toEqual(["whole"]);
    }
    expect(await palimpsest.search("alpha", { sessionId: "x" })).toEqual([]);
    expect(await isThere()).toBe(true);
    clock.advance(LEASE_MS);
    expect(await palimpsest.search("alpha 7")).toEqual([]);
    expect(await isThere()).toBe(false);
  });

  test("is removed when sessions are listed after its lease has expired, and not before", async () => {
    const { clock, palimpsest, isThere } = await dead();
    expect((await palimpsest.sessions()).map(({ id }) => id)).toEqual(["whole"]);
    expect(await isThere()).toBe(true);
    clock.advance(LEASE_MS - 1);
    await palimpsest.sessions();
    await expect(palimpsest.deleteSession("x")).rejects.toMatchObject({ code: "session-not-found" });
    expect(await isThere()).toBe(true);
    clock.advance(1);
    await palimpsest.sessions();
    expect(await isThere()).toBe(false);
  });

  test.each(["session", "create"] as const)(
    "does not block %s() with its id once its lease has expired",
    async (verb) => {
      const { clock, palimpsest } = await dead();
      const take = () => (verb === "session" ? palimpsest.session("x") : palimpsest.create({ id: "x" }));
      await expect(take()).rejects.toThrow();
      clock.advance(LEASE_MS);
      const session = await take();
      expect(await session.transcript()).toEqual([]);
      await session.append({ role: "user", content: "mine" });
      expect((await palimpsest.sessions()).map(({ id }) => id).toSorted()).toEqual(["whole", "x"]);
    },
  );

  test("is not removed while it is starting and has no lease yet", async () => {
    const store = createMemoryStore();
    await store.tenant("local").createSession({ id: "x", title: "\0importing soon", createdAt: 0 }, EMPTY_HEAD);
    const palimpsest = await open(store);
    await palimpsest.sessions();
    expect(await store.tenant("local").findSession("x")).toBeDefined();
  });
});

test("a title that begins with the mark of a hidden session is refused", async () => {
  const palimpsest = await open(createMemoryStore());
  await expect(palimpsest.create({ title: "\0importing" })).rejects.toMatchObject({ code: "config-invalid" });
  await palimpsest.session("a");
  await expect(palimpsest.rename("a", "\0")).rejects.toMatchObject({ code: "config-invalid" });
  expect(await palimpsest.sessions()).toHaveLength(1);
});
