import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { EMPTY_HEAD } from "../../core/log/head.ts";
import { scriptedClock } from "../../testing/scripted-clock.ts";
import { describeStore } from "../../testing/store-contract/describe-store.ts";
import { createMemoryStore } from "./memory-store.ts";

describe("the memory store", () => {
  describeStore({
    describe,
    test,
    runs: propertyRuns(),
    make: async () => {
      const clock = scriptedClock({ startMs: 5_000 });
      const passTime = async (milliseconds: number) => clock.advance(milliseconds);
      return { store: createMemoryStore({ monotonicNow: clock.now }), passTime };
    },
  });

  test("a lease in memory ends at the exact millisecond", async () => {
    const clock = scriptedClock({ startMs: 5_000 });
    const tenant = createMemoryStore({ monotonicNow: clock.now }).tenant("local");
    await tenant.createSession({ id: "s", createdAt: 0 }, EMPTY_HEAD);
    expect(await tenant.lease("s", 1_000)).toBeDefined();
    clock.advance(999);
    expect(await tenant.lease("s", 1_000)).toBeUndefined();
    clock.advance(1);
    expect(await tenant.lease("s", 1_000)).toBeDefined();
  });
});
