/**
 * Clients that sync one session at the same time, through two engines with a connection of their own to one SQLite file,
 * get what they would get one after the other: their messages never mix, and a client that comes too late gets a fork.
 */
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Session } from "../src/engine/session/session.ts";
import type { Store, TenantStore } from "../src/ports/store.ts";
import { openSqliteStore } from "../src/stores/sqlite/open-sqlite-store.ts";
import { newFolders } from "./support/new-folders.ts";
import { openEngine } from "./support/open-engine.ts";
import { propertyRuns } from "./support/property-runs.ts";

const RUNS = 60;
const newFolder = newFolders("sync-together");
let stores: readonly Store[] = [];
let sessions = 0;

beforeAll(async () => {
  const path = join(newFolder(), "chats.db");
  stores = [await openSqliteStore(path), await openSqliteStore(path)];
});
afterAll(async () => {
  for (const store of stores) await store.close();
});

interface Sent {
  readonly id?: string;
  readonly role: string;
  readonly content: string;
}

/** A list is a path: each choice leads to another message. Lists with equal beginnings share them. */
function writeList(choices: readonly number[], isNamed: boolean): readonly Sent[] {
  return choices.map((_, index) => {
    const path = choices.slice(0, index + 1).join(".");
    const message = { role: index % 2 === 0 ? "user" : "assistant", content: `Message ${path} about the ferry.` };
    return isNamed ? { id: `m${path}`, ...message } : message;
  });
}

const paths = (maxLength: number) => fc.array(fc.nat({ max: 1 }), { minLength: 1, maxLength });
const races = fc.record({
  isNamed: fc.boolean(),
  before: paths(3),
  /** For each list, how much of the stored list it begins with. */
  clients: fc.array(fc.tuple(fc.nat({ max: 3 }), paths(3)), { minLength: 2, maxLength: 3 }),
});

function inTurns(tenant: TenantStore, scheduler: fc.Scheduler): TenantStore {
  return new Proxy(tenant, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== "function") return value;
      return async (...args: unknown[]) => {
        await scheduler.schedule(Promise.resolve(), String(key));
        return value.apply(target, args);
      };
    },
  });
}

async function readTexts(session: Session): Promise<readonly string[]> {
  const entries = await session.entries({ types: ["message"] });
  return entries.flatMap((entry) => (entry.type === "message" ? JSON.stringify(entry.message.parts) : []));
}

test("clients that sync one session at the same time never mix their messages", async () => {
  await fc.assert(
    fc.asyncProperty(races, fc.scheduler(), async ({ isNamed, before, clients }, scheduler) => {
      sessions += 1;
      const id = `session-${sessions}`;
      const watch = (tenant: TenantStore) => inTurns(tenant, scheduler);
      const engines = stores.map((store, at) => openEngine({ store, name: `${at}${sessions}x`, watch }).engine);
      const lists = clients.map(([shared, own]) => writeList([...before.slice(0, shared), ...own], isNamed));
      const open = (at: number) => engines[at % engines.length]?.session(id) as Promise<Session>;
      const play = async () => {
        await (await open(0)).sync(writeList(before, isNamed));
        const opened = await Promise.all(lists.map((_, at) => open(at)));
        const outcomes = await Promise.all(lists.map((list, at) => opened[at]?.sync(list)));
        return Promise.all(outcomes.map(async (outcome) => (outcome ? readTexts(outcome.session) : [])));
      };
      const stored = await scheduler.waitFor(play());
      const sent = [writeList(before, isNamed), ...lists].map((list) => list.map(({ content }) => content));
      for (const [at, texts] of stored.entries()) {
        const contents = texts.map((text) => JSON.parse(text)[0].text);
        expect(contents.slice(0, lists[at]?.length)).toEqual(lists[at]?.map(({ content }) => content));
        expect(sent).toContainEqual(contents);
      }
    }),
    { numRuns: propertyRuns(RUNS) },
  );
});
