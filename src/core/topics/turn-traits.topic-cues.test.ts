import { describe, expect, test } from "vitest";
import { findCue } from "./turn-traits.ts";

describe("findCue", () => {
  test.each([
    ["Now let's write the release notes.", "switch"],
    ["By the way, who owns the queue?", "switch"],
    ["I have another question about taxes.", "switch"],
    ["Übrigens, wie spät ist es?", "switch"],
    ["换个话题吧", "switch"],
    ["/clear", "reset"],
    ["Forget all that, we start over.", "reset"],
    ["Next, the invoices.", "turn"],
    ["Ok, now the tests.", "turn"],
    ["Yes, do it.", "follow-up"],
    ["But why?", "follow-up"],
    ["The invoices are wrong.", undefined],
    ["", undefined],
  ] as const)("classifies %j as %s", (text, cue) => {
    expect(findCue(text)).toBe(cue);
  });

  test("ignores a cue at the end of a long turn", () => {
    expect(findCue(`${"The invoices are wrong. ".repeat(10)} By the way, hello.`)).toBeUndefined();
  });
});
