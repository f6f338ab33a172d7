import { describe, expect, test } from "vitest";
import type { Fact } from "../record/record.ts";
import { joinUse, rankNames } from "./name-weight.ts";

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
  test("what tools were given comes before what they showed", () => {
    const shown = name("sendMail", { given: 0, shown: 3, lastUse: 9 });
    expect(ranked(shown, name("openFile", { given: 1, shown: 0, lastUse: 9 }))).toEqual(["openFile", "sendMail"]);
  });

  test("lately used comes before long ago, and often before seldom", () => {
    const late = name("openFile", { given: 1, lastUse: 900 });
    const early = name("sendMail", { given: 1, lastUse: 100 });
    const often = name("readLine", { given: 6, lastUse: 900 });
    expect(ranked(early, late, often)).toEqual(["readLine", "openFile", "sendMail"]);
  });

  test("a long name has to be worth its room", () => {
    const long = name(`/app/${"folder/".repeat(12)}a.ts`, { given: 1, lastUse: 9 });
    expect(ranked(long, name("openFile", { given: 1, lastUse: 9 }))[0]).toBe("openFile");
  });

  test("of two that are worth the same the one used last comes first", () => {
    expect(ranked(name("aName", { given: 1, lastUse: 9 }), name("bName", { given: 1, lastUse: 9 }))).toEqual([
      "bName",
      "aName",
    ]);
  });
});

describe("joinUse", () => {
  test("counts an earlier use for less the more messages came since", () => {
    const known = name("openFile", { given: 2, shown: 2, lastUse: 0 });
    expect(joinUse(known, name("openFile", { given: 1, shown: 0, lastUse: 200 }))).toMatchObject({
      given: 2,
      shown: 0.002,
      lastUse: 200,
    });
  });

  test("the file that a tool was given with a name is where it belongs", () => {
    const known = name("openFile", { given: 1, lastUse: 1, home: "a" });
    expect(joinUse(known, name("openFile", { given: 0, shown: 1, lastUse: 2, home: "b" })).home).toBe("a");
    expect(joinUse(known, name("openFile", { given: 1, lastUse: 2, home: "b" })).home).toBe("b");
  });
});
