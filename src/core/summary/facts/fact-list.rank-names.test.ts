import { describe, expect, test } from "vitest";
import type { Fact } from "../record/record.ts";
import { joinUse, rankNames } from "./fact-list.ts";

const name = (text: string, use: Partial<Fact>): Fact => ({
  id: text,
  kind: "identifier",
  text,
  source: "m1",
  saidBy: "assistant",
  status: "live",
  lastTurn: 0,
  uses: 1,
  ...use,
});
const ranked = (...names: readonly Fact[]): readonly string[] => rankNames(names).map(({ text }) => text);

describe("rankNames", () => {
  test("ranks names in tool inputs before names in tool outputs", () => {
    const shown = name("sendMail", { given: 0, shown: 3, lastUse: 9 });
    expect(ranked(shown, name("openFile", { given: 1, shown: 0, lastUse: 9 }))).toEqual(["openFile", "sendMail"]);
  });

  test("ranks recent names before old ones, and frequent names before rare ones", () => {
    const late = name("openFile", { given: 1, lastUse: 900 });
    const early = name("sendMail", { given: 1, lastUse: 100 });
    const often = name("readLine", { given: 6, lastUse: 900 });
    expect(ranked(early, late, often)).toEqual(["readLine", "openFile", "sendMail"]);
  });

  test("ranks a short name before a long one with the same uses", () => {
    const long = name(`/app/${"folder/".repeat(12)}a.ts`, { given: 1, lastUse: 9 });
    expect(ranked(long, name("openFile", { given: 1, lastUse: 9 }))[0]).toBe("openFile");
  });

  test("ranks the later of two names with equal weight first", () => {
    expect(ranked(name("aName", { given: 1, lastUse: 9 }), name("bName", { given: 1, lastUse: 9 }))).toEqual([
      "bName",
      "aName",
    ]);
  });
});

describe("joinUse", () => {
  test("lowers the weight of an earlier use with each later message", () => {
    const known = name("openFile", { given: 2, shown: 2, lastUse: 0 });
    expect(joinUse(known, name("openFile", { given: 1, shown: 0, lastUse: 200 }))).toMatchObject({
      given: 2,
      shown: 0.002,
      lastUse: 200,
    });
  });

  test("assigns a name to the file of its newest tool input", () => {
    const known = name("openFile", { given: 1, lastUse: 1, home: "a" });
    expect(joinUse(known, name("openFile", { given: 0, shown: 1, lastUse: 2, home: "b" })).home).toBe("a");
    expect(joinUse(known, name("openFile", { given: 1, lastUse: 2, home: "b" })).home).toBe("b");
  });
});
