import { expect, test } from "vitest";
import { toHit } from "./search-hit.ts";

const words = "and the third crate stands beside the second one in the shed ";

function hitIn(before: string, after: string) {
  const place = { sessionId: "s", seq: 1, messageId: "m", role: "user" } as const;
  return toHit({ ...place, snippet: `${before}crane${after}`, matchStart: before.length, matchLength: 5 });
}

test("a snippet that was cut starts and ends with a whole word and an ellipsis", () => {
  expect(hitIn(`rate ${words}`, ` ${words}crat`)).toMatchObject({
    before: `…${words}`,
    match: "crane",
    after: ` ${words.trimEnd()}…`,
  });
});

test("a snippet that was not cut stays unchanged", () => {
  expect(hitIn("And the ", " stands.")).toMatchObject({ before: "And the ", after: " stands." });
});

test("a very long word is not removed from a snippet", () => {
  const long = "x".repeat(60);
  expect(hitIn(long, long)).toMatchObject({ before: `…${long}`, after: `${long}…` });
});
