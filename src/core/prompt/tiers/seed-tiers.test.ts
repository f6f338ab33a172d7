import { describe, expect, test } from "vitest";
import { shows } from "../../../testing/shows.ts";
import type { TierSnapshot } from "../../sections/tier.ts";
import { type SeedFile, seedTiers } from "./seed-tiers.ts";
import { DOCUMENT_TIER_RULES, TIER_RULES, TIER_THRESHOLDS } from "./tier-rules.ts";

const DOCUMENT = { ...DOCUMENT_TIER_RULES, targetTokens: 1_000 };
const OURS = { ...TIER_RULES, targetTokens: 1_000 };

const file = (path: string, ...refersTo: readonly string[]): SeedFile => ({ path, refersTo });
/** Files that all refer to each other. */
const knot = (name: string, size: number): readonly SeedFile[] => {
  const paths = Array.from({ length: size }, (_, index) => `${name}${index}`);
  return paths.map((path) => file(path, ...paths));
};
const tierOf = (items: TierSnapshot, path: string): string | undefined =>
  items.find(({ key }) => key === `symbol:${path}`)?.tier;

describe("seedTiers", () => {
  const knots = [...knot("a", 5), ...knot("b", 4), ...knot("c", 3)];

  test(shows("C-11", "puts files that refer to each other into one tier, and spreads the groups over L1 to L3"), () => {
    const items = seedTiers(knots, DOCUMENT);
    const groups = ["a", "b", "c"].map((name) => [0, 1, 2].map((index) => tierOf(items, `${name}${index}`)));
    expect(groups.every((tiers) => new Set(tiers).size === 1)).toBe(true);
    expect(new Set(groups.flat())).toEqual(new Set(["L1", "L2", "L3"]));
  });

  test(shows("C-11", "places every file once, with the age of its tier and an empty hash"), () => {
    const items = seedTiers([...knots, file("alone"), file("other", "a0")], DOCUMENT);
    expect(items.map(({ key }) => key).toSorted()).toEqual(
      [...knots.map(({ path }) => path), "alone", "other"].map((path) => `symbol:${path}`).toSorted(),
    );
    expect(
      items.every(({ hash, tier, seen }) => hash === "" && tier !== "L0" && seen === TIER_THRESHOLDS[tier].entry),
    ).toBe(true);
  });

  test(shows("C-11", "spreads files evenly by their number of references, if no two refer to each other"), () => {
    const targets = new Map([
      ["a", ["g", "h", "i"]],
      ["b", ["g", "h", "i"]],
      ["c", ["g", "h", "i"]],
      ["d", ["e", "f", "h"]],
    ]);
    const files = ["a", "b", "c", "d", "e", "f", "g", "h", "i"].map((path) => file(path, ...(targets.get(path) ?? [])));
    const items = seedTiers(files, DOCUMENT);
    const pathsIn = (tier: string) => items.filter((item) => item.tier === tier).map(({ key }) => key.slice(-1));
    expect(["L1", "L2", "L3"].map(pathsIn)).toEqual([
      ["h", "g", "i"],
      ["e", "f", "a"],
      ["b", "c", "d"],
    ]);
  });

  test("merges tiers that would each be too small", () => {
    const items = seedTiers([file("a"), file("b"), file("c")], DOCUMENT);
    expect(new Set(items.map(({ tier }) => tier)).size).toBe(1);
  });

  test("under the default rules, places the most referenced files in the highest tier", () => {
    const users = Array.from({ length: 12 }, (_, index) => file(`user${index}`, "core", "types", "names"));
    const items = seedTiers([...users, file("core"), file("types"), file("names")], OURS);
    expect(items.filter(({ tier }) => tier === "L0").map(({ key }) => key)).toEqual([
      "symbol:core",
      "symbol:names",
      "symbol:types",
    ]);
  });

  test("returns no items without files", () => {
    expect([seedTiers([], DOCUMENT), seedTiers([], OURS)]).toEqual([[], []]);
  });
});
