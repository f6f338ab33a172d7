import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { readItemKind, TIERS, type Tier, type TierSnapshot, type TrackedItem } from "../../sections/tier.ts";
import { TIER_RULES, TIER_THRESHOLDS, type TierRules } from "./tier-rules.ts";
import { type PresentItem, type TierUpdate, trackStability } from "./track-stability.ts";

const RULES: TierRules = { ...TIER_RULES, targetTokens: 1_000 };

const tracked = (key: string, tier: Tier, changes: Partial<TrackedItem> = {}): TrackedItem => ({
  key,
  tier,
  seen: TIER_THRESHOLDS[tier].entry,
  hash: "as it was",
  tokens: 400,
  ...changes,
});
const toPresentItem = ({ key, hash, tokens }: TrackedItem): PresentItem => ({ key, hash, tokens, enters: true });
const edited = (item: TrackedItem): PresentItem => ({ ...toPresentItem(item), hash: "edited" });
const placesOf = ({ items }: TierUpdate): Readonly<Record<string, Tier>> =>
  Object.fromEntries(items.map(({ key, tier }) => [key, tier]));

describe("trackStability, for history", () => {
  const newest = tracked("history:9", "active", { tokens: 1_000 });

  test("moves history of later tiers into the first tier that is rewritten", () => {
    const file = tracked("file:a", "L1");
    const kept = [tracked("file:b", "L2"), tracked("history:1", "L2"), tracked("history:2", "L3"), newest];
    const update = trackStability([file, ...kept], [edited(file), ...kept.map(toPresentItem)], RULES);
    expect(placesOf(update)).toMatchObject({
      "history:1": "L1",
      "history:2": "L1",
      "file:b": "L2",
      "file:a": "active",
    });
    expect(update.broken).toEqual(["L1", "L2", "L3"]);
  });

  test("moves history before working files if it has at least half as many tokens as the unchanged files it passes", () => {
    const hot = tracked("file:hot", "active");
    const passed = tracked("file:cold", "active", { tokens: 2_000 });
    const historyItem = (tokens: number) => tracked("history:1", "active", { tokens });
    const placeOf = (message: TrackedItem) => {
      const kept = [passed, message, { ...newest, tokens: 1 }];
      const rules = { ...RULES, targetTokens: 1 };
      return placesOf(trackStability([hot, ...kept], [edited(hot), ...kept.map(toPresentItem)], rules))["history:1"];
    };
    expect([placeOf(historyItem(998)), placeOf(historyItem(999))]).toEqual(["active", "L3"]);
  });

  test("moves nothing if no tier is rewritten", () => {
    const items = [tracked("file:a", "active", { seen: 50 }), tracked("history:1", "active"), newest];
    const update = trackStability(items, items.map(toPresentItem), RULES);
    expect(update.moves).toEqual([]);
    expect(update.broken).toEqual([]);
  });

  test("moves history into a tier from which folded messages were removed", () => {
    const items = [tracked("symbol:a", "L3", { tokens: 2_000 })];
    const history = [tracked("history:0", "active"), newest].map(toPresentItem);
    const update = trackStability(items, [...items.map(toPresentItem), ...history], RULES, ["L3"]);
    expect(placesOf(update)).toEqual({ "symbol:a": "L3", "history:0": "L3", "history:9": "active" });
  });
});

describe("trackStability, for an outline", () => {
  const outline = tracked("symbol:a", "L1");
  const other = tracked("symbol:b", "L1");
  const file = toPresentItem(tracked("file:a", "active"));

  test("moves the outline out of its tier when its file is shown, and does not move it back afterwards", () => {
    const chosen = trackStability([outline, other], [file, ...[outline, other].map(toPresentItem)], RULES);
    expect(placesOf(chosen)).toEqual({ "symbol:a": "active", "symbol:b": "L1", "file:a": "active" });
    expect(chosen.broken).toEqual(["L1"]);
    const dropped = trackStability(chosen.items, [outline, other].map(toPresentItem), RULES);
    expect(placesOf(dropped)).toEqual({ "symbol:a": "active", "symbol:b": "L1" });
    expect(dropped.broken).toEqual([]);
  });

  test("rewrites no tier when a hidden outline changes", () => {
    const chosen = trackStability([outline, other], [file, ...[outline, other].map(toPresentItem)], RULES);
    expect(trackStability(chosen.items, [file, edited(outline), toPresentItem(other)], RULES).broken).toEqual([]);
  });
});

describe("trackStability, for a file that has not changed for many requests", () => {
  const settled = tracked("file:settled", "active", { seen: 8, tokens: 1_000 });
  const gone = tracked("file:gone", "L2");

  test("moves the file into the lowest tier when a tier before it is rewritten", () => {
    expect(placesOf(trackStability([gone, settled], [toPresentItem(settled)], RULES))).toEqual({
      "file:settled": "L3",
    });
  });

  test("does not move the file if an edit of it would rewrite much history", () => {
    const historyItem = tracked("history:1", "L3", { tokens: 3_000 });
    const update = trackStability([gone, historyItem, settled], [historyItem, settled].map(toPresentItem), {
      ...RULES,
      targetTokens: 1,
    });
    expect(placesOf(update)).toEqual({ "history:1": "L2", "file:settled": "L3" });
    const lowest = tracked("file:gone", "L3");
    expect(
      placesOf(trackStability([lowest, historyItem, settled], [historyItem, settled].map(toPresentItem), RULES)),
    ).toEqual({
      "history:1": "L3",
      "file:settled": "active",
    });
  });
});

test("trackStability rewrites no tier before that of the first changed item", () => {
  fc.assert(
    fc.property(snapshots(), fc.array(fc.nat({ max: 11 }), { maxLength: 3 }), (items, changes) => {
      const present = items.map((item, index) => (changes.includes(index) ? edited(item) : toPresentItem(item)));
      const forced = items.flatMap(({ key, tier }, index) =>
        changes.includes(index) || isCovered(key, items) ? [TIERS.indexOf(tier)] : [],
      );
      const { broken } = trackStability(items, present, RULES);
      const workingFiles = TIERS.indexOf("L3");
      expect(broken.every((tier) => TIERS.indexOf(tier) >= Math.min(workingFiles, ...forced))).toBe(true);
    }),
    { numRuns: propertyRuns() },
  );
});

function isCovered(key: string, items: TierSnapshot): boolean {
  return readItemKind(key) === "symbol" && items.some((item) => item.key === key.replace("symbol:", "file:"));
}

function snapshots(): fc.Arbitrary<TierSnapshot> {
  const item = fc.record({
    key: fc.constantFrom(...["a", "b", "c", "d"].flatMap((name) => [`file:${name}`, `symbol:${name}`]), "history:1"),
    tier: fc.constantFrom(...TIERS),
    seen: fc.nat({ max: 40 }),
    tokens: fc.integer({ min: 1, max: 3_000 }),
  });
  return fc
    .uniqueArray(item, { selector: ({ key }) => key, maxLength: 12 })
    .map((items) =>
      items.map(({ key, tier, seen, tokens }) =>
        tracked(key, tier, { seen: TIER_THRESHOLDS[tier].entry + seen, tokens }),
      ),
    );
}
