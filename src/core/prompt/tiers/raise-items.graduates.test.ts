import { describe, expect, test } from "vitest";
import { aFile, createTrackedItem, placesOf, saidAt, toPresentItem } from "../../../../test/support/core-values.ts";
import { shows } from "../../../testing/shows.ts";
import { readItemKind, type TierSnapshot } from "../../sections/tier.ts";
import { DOCUMENT_TIER_RULES, TIER_RULES, type TierRules } from "./tier-rules.ts";
import { type PresentItem, purgeHistory, type TierUpdate, trackStability } from "./track-stability.ts";

const RULES: TierRules = { ...DOCUMENT_TIER_RULES, targetTokens: 1_000 };
const OURS: TierRules = { ...TIER_RULES, targetTokens: 1_000 };

const track = (snapshot: TierSnapshot, present: readonly PresentItem[], rules = RULES): TierUpdate =>
  trackStability(snapshot, present, rules);

describe("trackStability, for a file or an outline", () => {
  test.each(["file:a", "symbol:a"])(
    shows("C-4", "moves %s into the lowest tier after three requests without a change"),
    (key) => {
      const placeAt = (seen: number): TierUpdate => {
        const item = createTrackedItem(key, "active", { seen });
        return track([item], [toPresentItem(item)]);
      };
      expect(placesOf(placeAt(1))).toEqual({ [key]: "active 2" });
      const update = placeAt(2);
      expect(placesOf(update)).toEqual({ [key]: "L3 3" });
      expect(update.broken).toEqual(["L3"]);
      expect(update.moves).toEqual([{ key, from: "active", to: "L3", reason: "unchanged" }]);
    },
  );

  test(
    shows("C-4", "moves an outline into the lowest tier while its file is chosen, and after the file was removed"),
    () => {
      const seen = [
        createTrackedItem("file:a", "active", { seen: 2 }),
        createTrackedItem("symbol:a", "active", { seen: 2 }),
      ];
      expect(placesOf(track(seen, seen.map(toPresentItem)))).toEqual({ "file:a": "L3 3", "symbol:a": "L3 3" });
      const outline = { key: "symbol:a", hash: "a", tokens: 400, enters: false };
      expect(placesOf(track(seen, [outline]))).toEqual({ "symbol:a": "L3 3" });
    },
  );
});

describe("trackStability, for history", () => {
  const talk = [1, 2, 3, 4, 5, 6].map((seq) => saidAt(seq));

  test(
    shows("C-5", "moves the oldest messages into the lowest tier, and leaves at least the target tokens active"),
    () => {
      expect(placesOf(track([], talk))).toEqual({
        "history:1": "L3 3",
        "history:2": "L3 3",
        "history:3": "active 0",
        "history:4": "active 0",
        "history:5": "active 0",
        "history:6": "active 0",
      });
      const held = (...sizes: readonly number[]) =>
        track(
          [],
          sizes.map((tokens, index) => saidAt(index + 1, tokens)),
        )
          .items.filter(({ tier }) => tier === "L3")
          .map(({ key }) => key);
      expect(held(1, 999)).toEqual([]);
      expect(held(2, 999)).toEqual([]);
      expect(held(1, 1_000)).toEqual(["history:1"]);
      expect(held(5, 1, 999)).toEqual(["history:1"]);
    },
  );

  test(shows("C-5", "moves all history into the lowest tier if that tier is rewritten for another reason"), () => {
    const [one, two] = [saidAt(1), saidAt(2)];
    const inL3 = { "history:1": "L3 3", "history:2": "L3 3" };
    // A file enters the tier, changes, or is removed.
    const entering = track([createTrackedItem("file:a", "active", { seen: 2 })], [aFile("a"), one, two]);
    expect(placesOf(entering)).toEqual({ "file:a": "L3 3", ...inL3 });
    const edited = track([createTrackedItem("file:a", "L3")], [aFile("a", { hash: "other" }), one, two]);
    expect(placesOf(edited)).toEqual({ "file:a": "active 0", ...inL3 });
    expect(placesOf(track([createTrackedItem("file:a", "L3")], [one, two]))).toEqual(inL3);
    // No file changes, and there are too few tokens.
    expect(placesOf(track([createTrackedItem("file:a", "L3")], [aFile("a"), one, two]))).toMatchObject({
      "history:1": "active 0",
      "history:2": "active 0",
    });
  });

  test(
    shows("C-5", "under the default rules, moves history only if a tier is rewritten, and keeps the newest active"),
    () => {
      expect(placesOf(track([], talk, OURS))).toMatchObject({ "history:1": "active 0" });
      const update = track([createTrackedItem("file:a", "L3")], [aFile("a", { hash: "other" }), ...talk], OURS);
      expect(placesOf(update)).toMatchObject({ "history:2": "L3 3", "history:3": "active 0" });
    },
  );

  test(shows("C-5", "never moves history into a tier if the target is 0"), () => {
    const cached = (rules: TierRules) => {
      const seen = [createTrackedItem("file:a", "active", { seen: 2 }), createTrackedItem("file:gone", "L3")];
      const { items } = track(seen, [aFile("a"), ...talk], rules);
      return items.filter(({ key, tier }) => readItemKind(key) === "history" && tier !== "active");
    };
    expect([cached(RULES).length, cached(OURS).length]).toEqual([6, 2]);
    for (const rules of [RULES, OURS]) expect(cached({ ...rules, targetTokens: 0 })).toEqual([]);
  });

  test(shows("C-13", "purgeHistory removes all history from the tiers, and keeps files and outlines"), () => {
    const update = purgeHistory([
      createTrackedItem("history:1", "L2"),
      createTrackedItem("history:9", "active"),
      createTrackedItem("symbol:a", "L1"),
      createTrackedItem("file:a", "L3"),
    ]);
    expect(placesOf(update)).toEqual({ "symbol:a": "L1 9", "file:a": "L3 3" });
    expect(update.broken).toEqual(["L2"]);
  });

  test("removes history from the tier of the first changed message and all later tiers", () => {
    const before = [
      createTrackedItem("history:1", "L1", { tokens: 1_000 }),
      createTrackedItem("history:2", "L2", { tokens: 1_000 }),
      createTrackedItem("history:3", "L2"),
      createTrackedItem("history:4", "L3"),
      createTrackedItem("file:a", "L3"),
    ];
    const pruned = before.map((item) => ({
      ...toPresentItem(item),
      hash: item.key === "history:3" ? "3 pruned" : item.hash,
    }));
    const update = track(before, pruned, { ...RULES, targetTokens: 0 });
    expect(placesOf(update)).toEqual({
      "history:1": "L1 9",
      "file:a": "L3 4",
      "history:2": "active 0",
      "history:3": "active 0",
      "history:4": "active 0",
    });
    expect(update.broken).toEqual(["L2", "L3"]);
  });

  test("under the default rules, keeps changed history in its tier, because that tier is rewritten anyway", () => {
    const before = [
      createTrackedItem("history:1", "L3"),
      createTrackedItem("history:2", "L3"),
      createTrackedItem("history:3", "active", { tokens: 1_000 }),
    ];
    const pruned = before.map((item) => ({
      ...toPresentItem(item),
      hash: item.key === "history:2" ? "2 pruned" : item.hash,
    }));
    expect(placesOf(track(before, pruned, OURS))).toEqual({
      "history:1": "L3 3",
      "history:2": "L3 3",
      "history:3": "active 0",
    });
  });
});
