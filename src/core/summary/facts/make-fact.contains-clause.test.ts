import { expect, test } from "vitest";
import { containsClause } from "./make-fact.ts";

test.each([
  ["Remember: you must never delete the table orders.", "You must never delete the table orders.", true],
  ["Tomasz builds the app; it must work without a network.", "It must work without a network!", true],
  ["Never use tabs, and never use semicolons.", "Never use tabs.", true],
  ["It is not so that you must never delete it.", "You must never delete it.", false],
  ["Do not always use tabs.", "Always use tabs.", false],
  ["Never use tabs in Makefiles.", "Never use tabs.", false],
  ["Never use tabs.", "Never use tabs.", false],
  ["Never read a.tsx.", "Never read a.ts", false],
  ["Never use tabs.", "", false],
])("containsClause(%j, %j) returns %s", (text, other, says) => {
  expect(containsClause(text, other)).toBe(says);
});
