import { describe, expect, test } from "vitest";
import { shows } from "../../../testing/shows.ts";
import { findTriggerFault } from "./find-trigger-fault.ts";
import type { RatioTrigger } from "./trigger.ts";

const RATIO: RatioTrigger = {
  type: "ratio",
  of: "window",
  triggerRatio: 0.8,
  resetRatio: 0.7,
  minMessages: 12,
  cooldownMessages: 4,
  maxSummaryChainDepth: 3,
  onDepthCap: "stop",
};

describe("findTriggerFault", () => {
  test(shows("S4-8", "wants the reset ratio below the trigger ratio"), () => {
    expect(findTriggerFault(RATIO)).toBeUndefined();
    expect(findTriggerFault({ ...RATIO, resetRatio: 0.799 })).toBeUndefined();
    expect(findTriggerFault({ ...RATIO, resetRatio: 0.8 })).toEqual({
      key: "resetRatio",
      value: 0.8,
      allowed: "less than the triggerRatio, 0.8",
    });
  });

  test("wants the trigger ratio at the emergency or below it", () => {
    expect(findTriggerFault({ ...RATIO, triggerRatio: 1 })).toBeUndefined();
    expect(findTriggerFault({ ...RATIO, triggerRatio: 1.01 })?.key).toBe("triggerRatio");
  });

  test("finds nothing in triggers whose numbers stand alone", () => {
    expect(findTriggerFault({ type: "overflow" })).toBeUndefined();
  });
});
