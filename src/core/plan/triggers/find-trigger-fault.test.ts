import { describe, expect, test } from "vitest";
import { RATIO } from "../../../testing/ratio-trigger.ts";
import { shows } from "../../../testing/shows.ts";
import { findTriggerFault } from "./find-trigger-fault.ts";

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
