/** Tests of views too long to be read at once: they are complete, and do not block the event loop. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Store, TenantStore } from "../../src/ports/store.ts";
import {
  appendChange,
  fork,
  headOf,
  read,
  SESSION,
  say,
  truncate,
} from "../../src/testing/store-contract/contract-log.ts";
import { aSession } from "./sqlite-files.ts";

const MESSAGE_COUNT = 1_700;
const FORKED_AT = 1_200;
/** Larger than the page of keys. */
const MANY = 5_300;

async function sayMany(tenant: TenantStore, count: number, id = SESSION): Promise<void> {
  for (let messageCount = 0; messageCount < count; messageCount += 500) {
    const length = Math.min(500, count - messageCount);
    const entries = Array.from({ length }, (_, index) => say(`Message ${messageCount + index}.`));
    expect(await tenant.append(id, { entries })).toMatchObject({ type: "appended" });
  }
}

export function describeLongViews(open: () => Promise<Store>): void {
  test("a long view is complete, in a fork too, and reading it does not block the event loop", async () => {
    const tenant = await aSession(await open());
    await sayMany(tenant, MESSAGE_COUNT);
    let [turns, isOver] = [0, false];
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const view = await tenant.readView(SESSION);
    isOver = true;
    expect(turns).toBeGreaterThan(2);
    expect(view?.entries).toEqual(await read(tenant));
    await fork(tenant, { id: "f", atSeq: FORKED_AT });
    await sayMany(tenant, 900, "f");
    expect((await tenant.readView("f"))?.entries).toEqual(await read(tenant, "f"));
  });

  test("a long view is consistent when the past changes while it is read", async () => {
    const tenant = await aSession(await open());
    await sayMany(tenant, MESSAGE_COUNT);
    for (const [turns, floorAfter] of [100, 700, 800, 900, 1_600].entries()) {
      const before = (await headOf(tenant)).truncation?.coverage.lastSeq ?? 0;
      const reading = tenant.readView(SESSION);
      for (let turn = 0; turn < turns; turn += 1) await nextTurn();
      await appendChange(tenant, truncate(floorAfter));
      const view = await reading;
      const floor = view?.head.truncation?.coverage.lastSeq ?? 0;
      expect([before, floorAfter]).toContain(floor);
      const messages = view?.entries.filter(({ type }) => type === "message").map(({ seq }) => seq);
      expect(messages).toEqual(Array.from({ length: MESSAGE_COUNT - floor }, (_, index) => floor + 1 + index));
    }
  });

  test("the message keys of a long log are complete and in order", async () => {
    const tenant = await aSession(await open());
    await sayMany(tenant, MANY);
    const keys = await tenant.readMessageKeys(SESSION);
    expect(keys.map(({ seq }) => seq)).toEqual(Array.from({ length: MANY }, (_, index) => index + 1));
    expect(new Set(keys.map(({ id }) => id)).size).toBe(MANY);
  });
}
