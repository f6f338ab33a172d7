import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../test/support/property-runs.ts";
import {
  admitCall,
  BREAKER_SETTINGS,
  type BreakerState,
  type CallResult,
  CLOSED_BREAKER,
  recordResult,
} from "./circuit-breaker.ts";

const failAt = (times: readonly number[], from: BreakerState = CLOSED_BREAKER): BreakerState =>
  times.reduce((state, now) => recordResult(state, { now, result: "failure" }), from);

describe("the circuit breaker", () => {
  test("opens at the fifth failure within two minutes", () => {
    expect(failAt([0, 10, 20, 30])).toMatchObject({ type: "closed" });
    expect(failAt([0, 10, 20, 30, 119_999])).toEqual({ type: "open", since: 119_999 });
  });

  test("drops failures after two minutes", () => {
    expect(failAt([0, 10, 20, 30, 120_000])).toEqual({ type: "closed", failedAt: [10, 20, 30, 120_000] });
  });

  test("blocks calls for 30 seconds, then allows exactly one probe", () => {
    const open = failAt([0, 0, 0, 0, 0]);
    expect(admitCall(open, { now: 29_999 })).toEqual({ allowed: false, state: open, waitMs: 1 });
    const probe = admitCall(open, { now: 30_000 });
    expect(probe).toMatchObject({ allowed: true, state: { type: "half-open" } });
    expect(admitCall(probe.state, { now: 30_001 }).allowed).toBe(false);
  });

  test("closes after a successful probe, and drops earlier failures", () => {
    const { state } = admitCall(failAt([0, 0, 0, 0, 0]), { now: 30_000 });
    expect(recordResult(state, { now: 30_500, result: "success" })).toEqual(CLOSED_BREAKER);
  });

  test("opens again for 30 seconds after a probe that fails", () => {
    const { state } = admitCall(failAt([0, 0, 0, 0, 0]), { now: 30_000 });
    const reopened = recordResult(state, { now: 31_000, result: "failure" });
    expect(admitCall(reopened, { now: 60_999 }).allowed).toBe(false);
    expect(admitCall(reopened, { now: 61_000 }).allowed).toBe(true);
  });

  test("allows another probe if the last one was aborted or has no result after 30 seconds", () => {
    const { state } = admitCall(failAt([0, 0, 0, 0, 0]), { now: 30_000 });
    const released = recordResult(state, { now: 30_001, result: "unknown" });
    expect(admitCall(released, { now: 30_001 }).allowed).toBe(true);
    expect(admitCall(state, { now: 60_000 }).allowed).toBe(true);
  });

  test("counts failures despite a success between them, and ignores results that arrive while it is open", () => {
    const state = recordResult(failAt([0, 1, 2, 3]), { now: 4, result: "success" });
    const open = failAt([5], state);
    expect(open.type).toBe("open");
    expect(recordResult(open, { now: 6, result: "success" })).toBe(open);
  });

  test("never blocks calls for longer than 30 seconds, even if the clock is set back", () => {
    const steps = fc.array(
      fc.record({
        jumpMs: fc.integer({ min: -200_000, max: 200_000 }),
        result: fc.constantFrom<CallResult>("success", "failure", "unknown"),
      }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(steps, (played) => {
        let state = CLOSED_BREAKER;
        let now = 1_000_000;
        for (const { jumpMs, result } of played) {
          now += jumpMs;
          const answer = admitCall(state, { now });
          state = answer.state;
          if (answer.allowed) state = recordResult(state, { now, result });
          else expect(answer.waitMs).toBeLessThanOrEqual(BREAKER_SETTINGS.openMs);
          expect(admitCall(state, { now: now + BREAKER_SETTINGS.openMs }).allowed).toBe(true);
        }
      }),
      { numRuns: propertyRuns() },
    );
  });
});
