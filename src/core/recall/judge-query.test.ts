import { expect, test } from "vitest";
import { cpuMsOf, growthOf, LINEAR_GROWTH } from "../../../test/support/growth.ts";
import { judgeQuery } from "./judge-query.ts";

const CHARACTERS = 20_000;

test.each([
  ["-", ""],
  ["-a", ""],
  ["1..", ""],
  ["A1-", ""],
  ["1", "="],
])("the time to judge a query grows with its length: many times %j, then %j", async (piece, end) => {
  const query = `What is in crate ${piece.repeat(CHARACTERS / piece.length)}`;
  const cost = (text: string) => cpuMsOf(() => judgeQuery(`${text}${end}`));
  expect(await growthOf(query, cost)).toBeLessThan(LINEAR_GROWTH);
});

test.each([
  ["What is in src/core/recall?", "reference"],
  ["What is in .github/workflows?", "reference"],
  ["What is in --out=dist/main?", "reference"],
  ["What did I say about crate 18?", "reference"],
  ["How much is x 18 - 3?", "question"],
] as const)("%s is judged as a %s", (query, type) => {
  expect(judgeQuery(query).type).toBe(type);
});
