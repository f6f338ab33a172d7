/** Leases: one holder at a time, by the store's own clock, with fences that grow. */
import assert from "node:assert/strict";
import { EMPTY_HEAD } from "../../core/log/head.ts";
import type { Lease } from "../../ports/store.ts";
import { SESSION } from "./contract-log.ts";
import { type ContractPart, expectError, expectSame } from "./store-under-test.ts";

/** Longer than a call on a busy machine, and short enough to wait for. */
const TTL_MS = 400;

function granted(lease: Lease | undefined): Lease {
  assert(lease !== undefined, "Expected the store to grant the lease.");
  return lease;
}

export function describeLeases({ describe, testTenant }: ContractPart): void {
  describe("leases", () => {
    testTenant("a lease is granted to one holder at a time, by the store's clock", async (tenant, under) => {
      granted(await tenant.lease(SESSION, TTL_MS));
      expectSame(await tenant.lease(SESSION, TTL_MS), undefined);
      await under.passTime(TTL_MS);
      granted(await tenant.lease(SESSION, TTL_MS));
    });

    testTenant("a lease is granted to one of a hundred parallel callers", async (tenant) => {
      const asked = await Promise.all(Array.from({ length: 100 }, () => tenant.lease(SESSION, 60_000)));
      expectSame(asked.filter((lease) => lease !== undefined).length, 1);
    });

    testTenant("the fence of a lease grows with every grant, even after a release", async (tenant, under) => {
      const fences: number[] = [];
      for (let grant = 0; grant < 4; grant += 1) {
        const lease = granted(await tenant.lease(SESSION, grant % 2 === 0 ? 60_000 : TTL_MS));
        fences.push(lease.fence);
        if (grant % 2 === 0) await tenant.release(SESSION, lease);
        else await under.passTime(TTL_MS);
      }
      expectSame(fences, [1, 2, 3, 4]);
    });

    testTenant("a renewed lease is not granted to another caller", async (tenant, under) => {
      const lease = granted(await tenant.lease(SESSION, TTL_MS));
      expectSame(await tenant.renew(SESSION, lease, 60_000), true);
      await under.passTime(TTL_MS);
      expectSame(await tenant.lease(SESSION, TTL_MS), undefined);
    });

    testTenant("a lease cannot be renewed or released once another holder has it", async (tenant, under) => {
      const lease = granted(await tenant.lease(SESSION, TTL_MS));
      await under.passTime(TTL_MS);
      const other = granted(await tenant.lease(SESSION, 60_000));
      expectSame(await tenant.renew(SESSION, lease, 60_000), false);
      await tenant.release(SESSION, lease);
      expectSame(await tenant.lease(SESSION, TTL_MS), undefined);
      expectSame(other.fence, 2);
    });

    testTenant("an expired lease can be renewed while no other holder has it", async (tenant, under) => {
      const lease = granted(await tenant.lease(SESSION, TTL_MS));
      await under.passTime(TTL_MS);
      expectSame(await tenant.renew(SESSION, lease, 60_000), true);
      expectSame(await tenant.lease(SESSION, TTL_MS), undefined);
    });

    testTenant("a released lease cannot be renewed", async (tenant) => {
      const lease = granted(await tenant.lease(SESSION, 60_000));
      await tenant.release(SESSION, lease);
      expectSame(await tenant.renew(SESSION, lease, 60_000), false);
    });

    testTenant("a lease belongs to one session, which must exist", async (tenant) => {
      await tenant.createSession({ id: "t", createdAt: 0 }, EMPTY_HEAD);
      const lease = granted(await tenant.lease(SESSION, 60_000));
      granted(await tenant.lease("t", 60_000));
      await expectError("session-not-found", () => tenant.lease("nowhere", 1_000));
      await expectError("session-not-found", () => tenant.renew("nowhere", lease, 1_000));
    });
  });
}
