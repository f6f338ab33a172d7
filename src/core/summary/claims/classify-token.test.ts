import { describe, expect, test } from "vitest";
import { classifyToken, pathKey } from "./classify-token.ts";

describe("classifyToken", () => {
  test("classifies src/core as a path, and and/or as plain words", () => {
    expect(["src/core", "a/b/c", "./either", "package.json"].map((run) => classifyToken(run)[0]?.kind)).toEqual([
      "path",
      "path",
      "path",
      "path",
    ]);
    expect(["and/or", "read/write", "TCP/IP"].flatMap(classifyToken)).toEqual([]);
  });

  test("splits a number from the word or number after a dash", () => {
    expect(classifyToken("3-year").map(({ kind, key }) => [kind, key])).toEqual([["number", "3"]]);
    expect(classifyToken("5-10").map(({ key }) => key)).toEqual(["5", "10"]);
  });

  test("returns one identifier for a token that is longer than any name", () => {
    const run = "aB3/".repeat(200);
    expect(classifyToken(run)).toEqual([{ kind: "identifier", key: run.toLowerCase(), start: 0, end: run.length }]);
  });
});

test("pathKey ignores case, the kind of slashes, and leading ./, / and ~/", () => {
  expect(["./src/a.ts", "src\\a.ts", "/src//a.ts/", "~/SRC/A.ts"].map(pathKey)).toEqual(Array(4).fill("src/a.ts"));
});
