/** A deletion changes several logs in sequence; a process that dies in between leaves each of them consistent. */
import { expect, test } from "vitest";
import { openPalimpsest } from "../../src/compose.ts";
import type { Store, TenantStore } from "../../src/ports/store.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { checkWritten } from "../stores/check-written.ts";
import { BUDGET_TOKENS, talkOf } from "./once-worker.ts";

const PARENT = "parent";
const SOUND = { lost: [], duplicated: [], violations: [] };

/** Wraps a store so that no call reaches the parent. */
function cutOff(store: Store): Store {
  const tenant = store.tenant("local");
  const dying: TenantStore = new Proxy(tenant, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== "function") return value;
      if (key !== "append") return value.bind(target);
      const append: TenantStore["append"] = async (id, batch) => {
        if (id === PARENT) throw new Error("Killed.");
        return target.append(id, batch);
      };
      return append;
    },
  });
  return { name: store.name, tenant: () => dying, close: async () => undefined };
}

test("a deletion that stops between a fork and its parent leaves both consistent, and can be repeated", async () => {
  const store = createMemoryStore();
  const options = { counter: "estimate", budgetTokens: BUDGET_TOKENS };
  const palimpsest = await openPalimpsest({ ...options, store });
  const parent = await palimpsest.session(PARENT);
  await parent.append(talkOf(0), { format: "palimpsest" });
  expect((await parent.prompt()).report.compactions).toHaveLength(1);
  await parent.fork();
  const covered = talkOf(0)[1]?.id ?? "";
  const dying = await openPalimpsest({ ...options, store: cutOff(store) });
  await expect((await dying.session(PARENT)).delete(covered)).rejects.toThrow("Killed.");
  expect(await checkWritten(store.tenant("local"), [])).toMatchObject(SOUND);
  const { sessionIds, summaryIds } = await parent.delete(covered);
  expect([sessionIds.length, summaryIds.length]).toEqual([2, 1]);
  expect(await checkWritten(store.tenant("local"), [])).toMatchObject(SOUND);
  const texts = (await store.tenant("local").readEntries(PARENT, { types: ["summary"] })).map((entry) =>
    entry.type === "summary" ? entry.record.text : "",
  );
  expect(texts).toEqual([""]);
});
