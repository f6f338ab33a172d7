import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aFile, createTrackedItem, placesOf, saidAt, toPresentItem } from "../../../../test/support/core-values.ts";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { shows } from "../../../testing/shows.ts";
import {
  applyTierDelta,
  diffTiers,
  readItemKind,
  readItemSeq,
  TIERS,
  type Tier,
  type TierSnapshot,
} from "../../sections/tier.ts";
import { computeTierTarget, DOCUMENT_TIER_RULES, TIER_RULES, TIER_THRESHOLDS, type TierRules } from "./tier-rules.ts";
import { type PresentItem, type TierUpdate, trackStability } from "./track-stability.ts";

const RULES: TierRules = { ...DOCUMENT_TIER_RULES, targetTokens: 1_000 };
const OURS: TierRules = { ...TIER_RULES, targetTokens: 1_000 };

const track = (snapshot: TierSnapshot, present: readonly PresentItem[], rules = RULES): TierUpdate =>
  trackStability(snapshot, present, rules);
const again = (snapshot: TierSnapshot, rules = RULES): TierUpdate =>
  track(snapshot, snapshot.map(toPresentItem), rules);

describe("TIER_THRESHOLDS and the tier rules", () => {
  test(shows("C-1", "TIER_THRESHOLDS are 3, 6, 9 and 12 requests, and nothing rises above L0"), () => {
    expect(TIERS.map((tier) => [tier, TIER_THRESHOLDS[tier].entry, TIER_THRESHOLDS[tier].promotion])).toEqual([
      ["L0", 12, Number.POSITIVE_INFINITY],
      ["L1", 9, 12],
      ["L2", 6, 9],
      ["L3", 3, 6],
      ["active", 0, 3],
    ]);
  });

  test(
    shows("C-6", "the target is 1,536 tokens in the preset, and a tenth above the model's minimum by default"),
    () => {
      expect(DOCUMENT_TIER_RULES.targetTokens).toBe(1_536);
      expect(computeTierTarget({ configured: 1_024, model: 1_024 })).toBe(1_126);
      expect(computeTierTarget({ configured: 1_024, model: 4_096 })).toBe(4_505);
      expect(TIER_RULES.targetTokens).toBe(1_126);
    },
  );
});

describe("trackStability, for an active item", () => {
  test(shows("C-2", "starts at age 0 and adds one in each request in which the item is unchanged"), () => {
    const first = track([], [aFile("a"), aFile("", { key: "symbol:a" })]);
    expect(placesOf(first)).toEqual({ "file:a": "active 0", "symbol:a": "active 0" });
    expect(first.moves).toEqual([]);
    const second = again(first.items);
    expect(placesOf(second)).toEqual({ "file:a": "active 1", "symbol:a": "active 1" });
    expect(placesOf(again(second.items))).toEqual({ "file:a": "active 2", "symbol:a": "active 2" });
  });

  test(shows("C-2", "resets the age when the item changes"), () => {
    const seen = [createTrackedItem("file:a", "active", { seen: 2 })];
    expect(placesOf(track(seen, [aFile("a", { hash: "other" })]))).toEqual({ "file:a": "active 0" });
  });

  test("does not track an item that is not chosen", () => {
    expect(track([], [aFile("a", { enters: false })]).items).toEqual([]);
  });
});

describe("trackStability, for a cached item", () => {
  test.each(["L0", "L1", "L2", "L3"] as const)(
    shows("C-2", "moves a changed item from %s to active with age 0, and rewrites its tier"),
    (tier) => {
      const update = track([createTrackedItem("file:a", tier, { seen: 30 })], [aFile("a", { hash: "other" })]);
      expect(placesOf(update)).toEqual({ "file:a": "active 0" });
      expect(update.broken).toEqual([tier]);
      expect(update.moves).toEqual([{ key: "file:a", from: tier, to: "active", reason: "changed" }]);
    },
  );

  test(shows("C-2", "sets the age to the minimum of the tier that the item enters"), () => {
    const entered = again([createTrackedItem("file:a", "active", { seen: 50 })]);
    expect(placesOf(entered)).toEqual({ "file:a": "L3 3" });
    // Each request drops an item, so that the tier is rewritten and its items age.
    let items = entered.items;
    const steps = (["L3", "L3", "L3", "L2", "L2", "L2", "L1", "L1", "L1"] as const).map((tier) => {
      items = track([...items, createTrackedItem("file:gone", tier)], [aFile("a")]).items;
      return `${items[0]?.tier} ${items[0]?.seen}`;
    });
    expect(steps).toEqual(["L3 4", "L3 5", "L2 6", "L2 7", "L2 8", "L1 9", "L1 10", "L1 11", "L0 12"]);
  });

  test(shows("C-10", "removes an item that is gone, and rewrites its tier"), () => {
    const update = track(
      [createTrackedItem("file:a", "L2", { tokens: 5_000 }), createTrackedItem("symbol:a", "L1", { tokens: 5_000 })],
      [toPresentItem(createTrackedItem("symbol:a", "L1", { tokens: 5_000 }))],
    );
    expect(placesOf(update)).toEqual({ "symbol:a": "L1 9" });
    expect(update.broken).toEqual(["L2"]);
    expect(update.moves).toEqual([{ key: "file:a", from: "L2", to: undefined, reason: "gone" }]);
  });

  test(shows("C-11", "does not move a seeded outline when its content is read for the first time"), () => {
    const update = track(
      [createTrackedItem("symbol:a", "L1", { hash: "", tokens: 1_200 })],
      [{ key: "symbol:a", hash: "first", tokens: 1_300, enters: false }],
    );
    expect(placesOf(update)).toEqual({ "symbol:a": "L1 9" });
    expect(placesOf(track(update.items, [{ key: "symbol:a", hash: "second", tokens: 1_300, enters: false }]))).toEqual({
      "symbol:a": "active 0",
    });
  });
});

describe("trackStability, in one request", () => {
  const large = { tokens: 1_500 };
  const before = [
    createTrackedItem("file:little", "L0"),
    createTrackedItem("file:gone", "L2", large),
    createTrackedItem("file:rising", "L3", { ...large, seen: 5 }),
    createTrackedItem("file:anchor", "L3", large),
    createTrackedItem("file:edited", "L3", large),
    createTrackedItem("file:settled", "active", { seen: 2 }),
  ];
  const present = [
    ...before.filter(({ key }) => key !== "file:gone").map(toPresentItem),
    saidAt(1),
    aFile("", { key: "symbol:new" }),
  ].map((item) => (item.key === "file:edited" ? { ...item, hash: "other" } : item));
  const update = track(before, present);

  test(
    shows("C-12", "removes items, ages them, lets them enter, raises them and moves them down, in this order"),
    () => {
      expect(update.moves).toEqual([
        { key: "file:gone", from: "L2", to: undefined, reason: "gone" },
        { key: "file:edited", from: "L3", to: "active", reason: "changed" },
        { key: "file:settled", from: "active", to: "L3", reason: "unchanged" },
        { key: "history:1", from: "active", to: "L3", reason: "unchanged" },
        { key: "file:rising", from: "L3", to: "L2", reason: "unchanged" },
        { key: "file:little", from: "L0", to: "L1", reason: "underfilled" },
      ]);
      expect(placesOf(update)).toEqual({
        "file:little": "L1 12",
        "file:rising": "L2 6",
        "file:anchor": "L3 3",
        "file:settled": "L3 3",
        "history:1": "L3 3",
        "file:edited": "active 0",
        "symbol:new": "active 0",
      });
      expect(update.broken).toEqual(["L0", "L1", "L2", "L3"]);
    },
  );

  test(shows("C-12", "returns no moves and no broken tiers if nothing changed"), () => {
    const settled = [createTrackedItem("file:a", "L1", large), createTrackedItem("file:b", "active")];
    const quiet = again(settled);
    expect([quiet.moves, quiet.broken]).toEqual([[], []]);
    expect([again([]).moves, again([]).broken, again([]).items]).toEqual([[], [], []]);
  });
});

describe("trackStability, over many requests", () => {
  test("caches a new file, raises it, makes it active after an edit, and caches it again", () => {
    const others = [aFile("base", { tokens: 1_200 }), aFile("more", { tokens: 1_200 })];
    const tiers: string[] = [];
    let items: TierSnapshot = [];
    for (let request = 0; request < 40; request += 1) {
      const hash = request < 30 ? "a" : "edited";
      // Another file changes in every fourth request, so that tiers are rewritten.
      const noise = aFile(`noise${Math.floor(request / 4)}`, { tokens: 1_100 });
      items = track(items, [aFile("z", { hash, tokens: 1_100 }), ...others, noise]).items;
      tiers.push(items.find(({ key }) => key === "file:z")?.tier ?? "");
    }
    const steps = tiers.filter((tier, index) => tier !== tiers[index - 1]);
    expect(steps.slice(0, 3)).toEqual(["active", "L3", "L2"]);
    expect(tiers[30]).toBe("active");
    expect(tiers[33]).toBe("L3");
  });

  test.each([
    ["the preset's rules", RULES],
    ["the default rules", OURS],
  ])("under %s, lists every changed tier, keeps ages valid, and keeps history in order", (_, rules) => {
    fc.assert(
      fc.property(stories(), (requests) => {
        let items: TierSnapshot = [];
        for (const present of requests) {
          const before = items;
          const update = track(before, present, rules);
          items = update.items;
          expect(changedTiers(before, items).filter((tier) => !update.broken.includes(tier as never))).toEqual([]);
          expect(items.filter(({ tier, seen }) => seen < TIER_THRESHOLDS[tier].entry && tier !== "active")).toEqual([]);
          expect(historyInOrder(items)).toEqual(historyInOrder(items).toSorted((left, right) => left - right));
          expect(new Set(items.map(({ key }) => key))).toEqual(new Set(present.map(({ key }) => key)));
          expect(items.length).toBe(present.length);
          for (const { key, seen, hash } of items) {
            const known = before.find((item) => item.key === key);
            if (known === undefined || known.hash === hash) continue;
            expect(seen).toBe(0);
          }
        }
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("under the default rules, moves nothing after a while if nothing changes", () => {
    fc.assert(
      fc.property(stories(), (requests) => {
        const last = requests.at(-1) ?? [];
        let items: TierSnapshot = [];
        for (const present of requests) items = track(items, present, OURS).items;
        for (let request = 0; request < 30; request += 1) items = track(items, last, OURS).items;
        expect(track(items, last, OURS).moves).toEqual([]);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("returns a delta that turns the previous snapshot into the next one", () => {
    const byKey = (items: TierSnapshot) => items.toSorted((left, right) => (left.key < right.key ? -1 : 1));
    fc.assert(
      fc.property(stories(), fc.constantFrom(RULES, OURS), (story, rules) => {
        let before: TierSnapshot = [];
        for (const present of story) {
          const { items, delta } = track(before, present, rules);
          expect(byKey(delta === undefined ? before : applyTierDelta(before, delta))).toEqual(byKey(items));
          const reported = delta && { set: byKey(delta.set), gone: delta.gone.toSorted() };
          const found = diffTiers(before, items);
          expect(reported).toEqual(found && { set: byKey(found.set), gone: found.gone.toSorted() });
          before = items;
        }
      }),
      { numRuns: propertyRuns() },
    );
  });
});

/** Lists tiers whose keys, order or content changed. */
function changedTiers(before: TierSnapshot, after: TierSnapshot): readonly Tier[] {
  const print = (items: TierSnapshot, tier: Tier): string =>
    items
      .filter((item) => item.tier === tier)
      .map(({ key, hash }) => `${key} ${hash}`)
      .join("\n");
  return TIERS.filter((tier) => tier !== "active" && print(before, tier) !== print(after, tier));
}

function historyInOrder(items: TierSnapshot): readonly number[] {
  return TIERS.flatMap((tier) =>
    items
      .filter((item) => item.tier === tier && readItemKind(item.key) === "history")
      .map(({ key }) => readItemSeq(key))
      .toSorted((left, right) => left - right),
  );
}

/** Consecutive requests, in which files are added, changed and removed, and the conversation grows. */
function stories(): fc.Arbitrary<readonly (readonly PresentItem[])[]> {
  const step = fc.record({
    files: fc.subarray(["a", "b", "c", "d", "e", "f"]),
    edited: fc.option(fc.constantFrom("a", "b", "c", "d", "e", "f"), { nil: undefined, freq: 4 }),
    messages: fc.array(fc.integer({ min: 1, max: 900 }), { maxLength: 3 }),
  });
  return fc.array(step, { minLength: 1, maxLength: 25 }).map((steps) => {
    const versions = new Map<string, number>();
    const history: PresentItem[] = [];
    return steps.map(({ files, edited, messages }) => {
      if (edited !== undefined) versions.set(edited, (versions.get(edited) ?? 0) + 1);
      for (const tokens of messages) history.push(saidAt(history.length + 1, tokens));
      const chosen = files.map((name, index) =>
        aFile(name, { hash: `${name}${versions.get(name) ?? 0}`, tokens: 200 + index * 450 }),
      );
      return [...chosen, ...history];
    });
  });
}
