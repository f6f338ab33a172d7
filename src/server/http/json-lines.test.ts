import { expect, test } from "vitest";
import { cpuMsOf, growthOf, LINEAR_GROWTH } from "../../../test/support/growth.ts";
import { BodyBudget } from "./body-budget.ts";
import { readByteLines } from "./json-lines.ts";
import { BODY_LIMITS } from "./read-body.ts";

async function read(pieces: Iterable<string>): Promise<readonly string[]> {
  const encoder = new TextEncoder();
  const bytes = (async function* () {
    for (const piece of pieces) yield encoder.encode(piece);
  })();
  const lines: string[] = [];
  for await (const line of readByteLines(bytes, new BodyBudget(BODY_LIMITS).open("a"))) lines.push(line);
  return lines;
}

test("parsed lines do not depend on where the chunks of a body end", async () => {
  const text = "one\n\ntwo \u00e9\u6f22\nthree\n";
  const expected = ["one", "", "two \u00e9\u6f22", "three"];
  expect(await read([text])).toEqual(expected);
  expect(await read([...text])).toEqual(expected);
  expect(await read([`${text}four`])).toEqual([...expected, "four"]);
  expect(await read([])).toEqual([]);
});

test("a long line in small chunks is parsed in linear time", async () => {
  const pieces = Array.from({ length: 8_000 }, () => "x".repeat(1_000));
  const cost = (chunks: readonly string[]) =>
    cpuMsOf(async () => expect((await read(chunks)).map(({ length }) => length)).toEqual([chunks.length * 1_000]));
  expect(await growthOf(pieces, cost)).toBeLessThan(LINEAR_GROWTH);
});
