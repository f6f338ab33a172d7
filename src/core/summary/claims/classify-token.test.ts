import { describe, expect, test } from "vitest";
import { classifyToken, pathKey } from "./classify-token.ts";

describe("classifyToken", () => {
  test("tells folders from words with a slash between them", () => {
    expect(["src/core", "a/b/c", "./either", "package.json"].map((run) => classifyToken(run)[0]?.kind)).toEqual([
      "path",
      "path",
      "path",
      "path",
    ]);
    expect(["and/or", "read/write", "TCP/IP"].flatMap(classifyToken)).toEqual([]);
  });

  test("splits numbers from the words that a dash joins them to", () => {
    expect(classifyToken("3-year").map(({ kind, key }) => [kind, key])).toEqual([["number", "3"]]);
    expect(classifyToken("5-10").map(({ key }) => key)).toEqual(["5", "10"]);
  });

  test("compares what is longer than any name as a whole", () => {
    const run = "aB3/".repeat(200);
    expect(classifyToken(run)).toEqual([{ kind: "identifier", key: run.toLowerCase(), start: 0, end: run.length }]);
  });
});

test("gives a path one key whatever slashes, drive or dots it is written with", () => {
  expect(["./src/a.ts", "src\\a.ts", "/src//a.ts/", "~/SRC/A.ts"].map(pathKey)).toEqual(Array(4).fill("src/a.ts"));
});
