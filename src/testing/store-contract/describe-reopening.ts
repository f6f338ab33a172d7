/** Opening again: whoever comes after a restart finds everything, and goes on where it ended. */
import { EMPTY_HEAD } from "../../core/log/head.ts";
import type { TenantStore } from "../../ports/store.ts";
import { shows } from "../shows.ts";
import { batchOf, fork, headOf, pinNote, SESSION, say, seqsOf, truncate } from "./contract-log.ts";
import { describeTenant } from "./play-steps.ts";
import { type ContractPart, matches, same } from "./store-under-test.ts";

async function fill(tenant: TenantStore): Promise<void> {
  await tenant.createSession({ id: SESSION, createdAt: 1, title: "Rockets" }, EMPTY_HEAD);
  await tenant.append(SESSION, { entries: [say("Launch one."), say("Launch two.")] });
  await tenant.append(SESSION, batchOf(await headOf(tenant), truncate(1)));
  await tenant.addCounts(SESSION, "b", new Map([[2, 9]]));
  await fork(tenant, { id: "f", atSeq: 2 });
}

export function describeReopening({ describe, test, make }: ContractPart): void {
  describe("a store that is opened again", () => {
    test(shows("S3-117", "has everything that was acknowledged"), async () => {
      const under = await make();
      await fill(under.store.tenant("a"));
      await fill(under.store.tenant("b"));
      const before = await describeTenant(under.store.tenant("a"));
      if (under.reopen === undefined) return;
      const store = await under.reopen();
      same(await describeTenant(store.tenant("a")), before);
      same((await store.tenant("b").listSessions({ limit: 9 })).length, 2);
      same(await store.tenant("c").listSessions({ limit: 9 }), []);
      await store.close();
    });

    test("goes on with seqs, epochs, fences and known ids", async () => {
      const under = await make();
      const said = say("Hello.");
      const old = under.store.tenant("a");
      await fill(old);
      await old.append(SESSION, { entries: [said] });
      const lease = await old.lease(SESSION, 60_000);
      if (under.reopen === undefined) return;
      const store = await under.reopen();
      const tenant = store.tenant("a");
      const outcome = await tenant.append(SESSION, { entries: [said, say("Next.")] });
      same(outcome.type === "appended" && seqsOf(outcome.entries), [4, 5]);
      same(await tenant.lease(SESSION, 60_000), undefined);
      if (lease !== undefined) await tenant.release(SESSION, lease);
      matches(await tenant.lease(SESSION, 60_000), { fence: 2 });
      same(await tenant.append(SESSION, batchOf(EMPTY_HEAD, pinNote)), { type: "stale", epoch: 1 });
      await store.close();
    });
  });
}
