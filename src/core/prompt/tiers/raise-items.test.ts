import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aFile, createTrackedItem, placesOf, toPresentItem } from "../../../../test/support/core-values.ts";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { shows } from "../../../testing/shows.ts";
import { type CachedTier, TIERS, type Tier, type TierSnapshot } from "../../sections/tier.ts";
import { chooseGraduates, raiseItems } from "./raise-items.ts";
import { DOCUMENT_TIER_RULES, TIER_RULES, TIER_THRESHOLDS, type TierRules } from "./tier-rules.ts";
import { TierTable } from "./tier-table.ts";
import { type PresentItem, type TierUpdate, trackStability } from "./track-stability.ts";

const RULES: TierRules = { ...DOCUMENT_TIER_RULES, targetTokens: 1_000 };
const OURS: TierRules = { ...TIER_RULES, targetTokens: 1_000 };

const track = (snapshot: TierSnapshot, present: readonly PresentItem[], rules = RULES): TierUpdate =>
  trackStability(snapshot, present, rules);
const again = (snapshot: TierSnapshot, rules = RULES): TierUpdate =>
  track(snapshot, snapshot.map(toPresentItem), rules);
const large = { tokens: 1_500 };

describe("raiseItems", () => {
  test(shows("C-7", "raises no item into a tier that is unchanged"), () => {
    const stable = [
      createTrackedItem("file:above", "L2", large),
      createTrackedItem("file:old", "L3", { ...large, seen: 6 }),
    ];
    const entering = [...stable, createTrackedItem("file:new", "active", { seen: 2, tokens: 1_200 })];
    expect(placesOf(again(entering))).toMatchObject({ "file:above": "L2 6", "file:old": "L3 6", "file:new": "L3 3" });
  });

  test(
    shows(
      ["C-7", "C-2"],
      "raises items that are old enough into an empty tier, and sets their age to that tier's minimum",
    ),
    () => {
      const update = again([
        createTrackedItem("file:old", "L3", { ...large, seen: 8 }),
        createTrackedItem("file:young", "L3", large),
        createTrackedItem("file:new", "active", { seen: 2 }),
      ]);
      expect(placesOf(update)).toMatchObject({ "file:old": "L2 6" });
      expect(update.broken).toEqual(["L2", "L3"]);
    },
  );

  test(shows("C-7", "raises items in every tier after one edit in the highest tier"), () => {
    const veteran = (name: string, tier: CachedTier) =>
      createTrackedItem(`file:${name}`, tier, { ...large, seen: TIER_THRESHOLDS[tier].promotion - 1 });
    const before = [
      createTrackedItem("file:edited", "L0", large),
      veteran("one", "L1"),
      createTrackedItem("file:anchorOfOne", "L1", large),
      veteran("two", "L2"),
      createTrackedItem("file:anchorOfTwo", "L2", large),
      veteran("three", "L3"),
      createTrackedItem("file:anchorOfThree", "L3", large),
    ];
    const edited = before.map((item) =>
      item.key === "file:edited" ? { ...toPresentItem(item), hash: "other" } : toPresentItem(item),
    );
    const update = track(before, edited);
    expect(placesOf(update)).toEqual({
      "file:one": "L0 12",
      "file:anchorOfOne": "L1 9",
      "file:two": "L1 9",
      "file:anchorOfTwo": "L2 6",
      "file:three": "L2 6",
      "file:anchorOfThree": "L3 3",
      "file:edited": "active 0",
    });
    expect(update.broken).toEqual(["L0", "L1", "L2", "L3"]);
  });

  test(shows("C-7", "ends within ten passes, and raises no item twice in a request"), () => {
    fc.assert(
      fc.property(snapshots(), fc.subarray(["L0", "L1", "L2", "L3"] as const), (items, broken) => {
        const table = new CountingTable(items, { broken });
        const graduates = chooseGraduates(table, RULES);
        table.passes = 0;
        raiseItems(table, graduates, RULES);
        expect(table.passes).toBeLessThanOrEqual(10);
        const risen = table.moves.map(({ key }) => key);
        expect(risen).toEqual([...new Set(risen)]);
        for (const { from = "active", to = "active" } of table.moves) {
          expect(TIERS.indexOf(to)).toBe(TIERS.indexOf(from) - 1);
        }
      }),
      { numRuns: propertyRuns() },
    );
  });

  test(shows("C-2", "ages no item beyond the promotion age while the tier above is unchanged"), () => {
    let items: TierSnapshot = [
      createTrackedItem("file:above", "L2", large),
      createTrackedItem("file:old", "L3", { ...large, seen: 4 }),
      createTrackedItem("file:anchor", "L3", large),
    ];
    const ages = ["a", "b", "c", "d"].map((name) => {
      items = again([...items, createTrackedItem(`file:${name}`, "active", { seen: 2 })]).items;
      return items.find(({ key }) => key === "file:old")?.seen;
    });
    expect(ages).toEqual([5, 6, 6, 6]);
  });

  test(
    shows(
      ["C-8", "C-2"],
      "does not age the youngest items, up to the target, in a tier with more tokens than the target",
    ),
    () => {
      const over = [
        createTrackedItem("file:young", "L3", large),
        createTrackedItem("file:old", "L3", { ...large, seen: 4 }),
      ];
      const entering = createTrackedItem("file:new", "active", { seen: 2 });
      expect(placesOf(again([...over, entering]))).toMatchObject({ "file:young": "L3 3", "file:old": "L3 5" });
      const sized = (tokens: number) => [
        createTrackedItem("file:young", "L3", { tokens }),
        createTrackedItem("file:old", "L3", { tokens, seen: 4 }),
        { ...entering, tokens: 200 },
      ];
      // With the new item, the items have exactly the target; then each has one token more.
      expect(placesOf(again(sized(400)))).toMatchObject({ "file:young": "L3 4", "file:old": "L3 5" });
      expect(placesOf(again(sized(401)))).toMatchObject({ "file:young": "L3 3", "file:old": "L3 4" });
    },
  );

  test(shows(["C-8", "C-2"], "never raises an anchored item, even if it is old"), () => {
    const held = createTrackedItem("file:held", "L3", { ...large, seen: 20 });
    expect(placesOf(again([held, createTrackedItem("file:new", "active", { seen: 2 })]))).toMatchObject({
      "file:held": "L3 20",
    });
  });

  test(shows("C-8", "chooses the anchored items again in every request"), () => {
    const first = again([
      createTrackedItem("file:young", "L3", large),
      createTrackedItem("file:old", "L3", { ...large, seen: 4 }),
      createTrackedItem("file:new", "active", { ...large, seen: 2 }),
    ]);
    expect(placesOf(first)).toMatchObject({ "file:young": "L3 3", "file:old": "L3 5", "file:new": "L3 3" });
    // The newest item anchors the tier now, and the previous anchor ages.
    const second = again([...first.items, createTrackedItem("file:other", "active", { seen: 2 })]);
    expect(placesOf(second)).toMatchObject({ "file:new": "L3 3", "file:young": "L3 4" });
    // The other items fit within the target, so none is anchored.
    const rest = second.items.filter(({ key }) => key === "file:new").map((item) => ({ ...item, tokens: 500 }));
    const third = again([...rest, createTrackedItem("file:last", "active", { seen: 2 })]);
    expect(placesOf(third)).toMatchObject({ "file:new": "L3 4" });
  });

  test("returns the same update for the same items", () => {
    fc.assert(
      fc.property(snapshots(), (items) => {
        expect(again(items)).toEqual(again(items));
      }),
      { numRuns: propertyRuns() },
    );
  });
});

describe("sinkUnderfilled", () => {
  test(
    shows("C-9", "moves the items of a small tier one tier down with their age, except from the lowest tier"),
    () => {
      const items = [
        createTrackedItem("file:a", "L1", { seen: 10 }),
        createTrackedItem("file:b", "L3"),
        createTrackedItem("file:c", "L2"),
      ];
      const update = again(items);
      expect(placesOf(update)).toEqual({ "file:a": "L2 10", "file:b": "L3 3", "file:c": "L3 6" });
      expect(update.moves.map(({ key, reason }) => [key, reason])).toEqual([
        ["file:c", "underfilled"],
        ["file:a", "underfilled"],
      ]);
    },
  );

  test(shows("C-9", "moves items only if the tier has fewer tokens than the target"), () => {
    const placeWith = (tokens: number) => placesOf(again([createTrackedItem("file:a", "L1", { tokens })]));
    expect([placeWith(999), placeWith(1_000)]).toEqual([{ "file:a": "L2 9" }, { "file:a": "L1 9" }]);
  });

  test(shows("C-9", "does not move items of a tier that was rewritten in this request"), () => {
    const items = [createTrackedItem("file:a", "L1"), createTrackedItem("file:gone", "L1")];
    expect(placesOf(track(items, [aFile("a")]))).toEqual({ "file:a": "L1 10" });
    expect(placesOf(again(items.slice(0, 1)))).toEqual({ "file:a": "L2 9" });
  });

  test(
    shows("C-9", "moves items down from the highest tier under the preset's rules, and not under the default rules"),
    () => {
      const items = [createTrackedItem("file:a", "L0")];
      expect(placesOf(again(items))).toEqual({ "file:a": "L1 12" });
      expect(placesOf(again(items, OURS))).toEqual({ "file:a": "L0 12" });
    },
  );

  test(shows("C-9", "moves no items down under the default rules"), () => {
    fc.assert(
      fc.property(snapshots(), (items) => {
        const { moves } = again(items, OURS);
        expect(moves.filter(({ reason }) => reason === "underfilled")).toEqual([]);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("raises no items into a tier that stays too small, except under the preset's rules", () => {
    const items = [
      createTrackedItem("file:old", "L3", { seen: 6, tokens: 400 }),
      createTrackedItem("file:base", "L3", { tokens: 2_000 }),
      createTrackedItem("file:new", "active", { seen: 2 }),
    ];
    expect(placesOf(again(items))).toMatchObject({ "file:old": "L2 6" });
    expect(placesOf(again(items, OURS))).toMatchObject({ "file:old": "L3 6" });
  });
});

/** Counts the passes: each one checks the lowest tier once. */
class CountingTable extends TierTable {
  passes = 0;

  override isBroken(tier: Tier): boolean {
    if (tier === "L3") this.passes += 1;
    return super.isBroken(tier);
  }
}

function snapshots(): fc.Arbitrary<TierSnapshot> {
  const item = fc.record({
    name: fc.constantFrom("a", "b", "c", "d", "e", "f", "g"),
    tier: fc.constantFrom(...TIERS),
    extra: fc.integer({ min: 0, max: 4 }),
    tokens: fc.integer({ min: 1, max: 1_500 }),
  });
  return fc
    .uniqueArray(item, { selector: ({ name }) => name })
    .map((items) =>
      items.map(({ name, tier, extra, tokens }) =>
        createTrackedItem(`file:${name}`, tier, { seen: TIER_THRESHOLDS[tier].entry + extra, tokens }),
      ),
    );
}
