import { describe, expect, test } from "vitest";
import type { Fact } from "../record/record.ts";
import { mergePartialPaths } from "./merge-facets.ts";

const name = (text: string, use: Partial<Fact> = {}): Fact => ({
  id: text,
  kind: "identifier",
  text,
  source: "m1",
  saidBy: "tool",
  status: "live",
  lastTurn: 0,
  uses: 1,
  given: 1,
  shown: 0,
  lastUse: 1,
  ...use,
});

describe("mergePartialPaths", () => {
  test("merges partial paths of a file into its full path, and adds their uses", () => {
    const joined = mergePartialPaths([name("a.ts", { saidBy: "user" }), name("/app/src/a.ts"), name("src/a.ts")]);
    expect(joined).toMatchObject([{ text: "/app/src/a.ts", given: 3, saidBy: "user" }]);
  });

  test("does not merge files whose names only end with the same letters", () => {
    const facts = [name("src/ba.ts"), name("a.ts"), name("lib/c.ts")];
    expect(mergePartialPaths(facts)).toEqual(facts);
  });

  test("assigns the names of a partial path to the full path", () => {
    const joined = mergePartialPaths([name("src/a.ts"), name("/app/src/a.ts"), name("openFile", { home: "src/a.ts" })]);
    expect(joined.at(-1)).toMatchObject({ text: "openFile", home: "/app/src/a.ts" });
  });
});
