import { describe, expect, test } from "vitest";
import { shows } from "../../../testing/shows.ts";
import { aFile, placesOf, presenceOf, saidAt, tracked } from "../../../testing/tier-builders.ts";
import { kindOf, type TierSnapshot } from "../../sections/tier.ts";
import { purgeHistory } from "./purge-history.ts";
import { DOCUMENT_TIER_RULES, TIER_RULES, type TierRules } from "./tier-rules.ts";
import { type PresentItem, type TierUpdate, trackStability } from "./track-stability.ts";

const RULES: TierRules = { ...DOCUMENT_TIER_RULES, targetTokens: 1_000 };
const OURS: TierRules = { ...TIER_RULES, targetTokens: 1_000 };

const track = (snapshot: TierSnapshot, present: readonly PresentItem[], rules = RULES): TierUpdate =>
  trackStability(snapshot, present, rules);

describe("history", () => {
  const talk = [1, 2, 3, 4, 5, 6].map((seq) => saidAt(seq));

  test(shows("C-5", "is cached from its oldest on when more than the target is active, and the target stays"), () => {
    const update = track([], talk);
    expect(placesOf(update)).toMatchObject({ "history:1": "L3 3", "history:2": "L3 3", "history:3": "active 0" });
    expect(placesOf(update)).toMatchObject({ "history:6": "active 0" });
  });

  test("is cached whole when the lowest tier is written anew anyway", () => {
    const update = track([tracked("file:a", "active", { seen: 2 })], [aFile("a"), saidAt(1), saidAt(2)]);
    expect(placesOf(update)).toEqual({ "file:a": "L3 3", "history:1": "L3 3", "history:2": "L3 3" });
  });

  test("is cached by our rules only with something else, and the newest stays active", () => {
    expect(placesOf(track([], talk, OURS))).toMatchObject({ "history:1": "active 0" });
    const update = track([tracked("file:a", "L3")], [aFile("a", { hash: "other" }), ...talk], OURS);
    expect(placesOf(update)).toMatchObject({ "history:2": "L3 3", "history:3": "active 0" });
  });

  test("is never cached where the target is 0", () => {
    const rules = { ...RULES, targetTokens: 0 };
    const update = track([tracked("file:a", "active", { seen: 2 })], [aFile("a"), ...talk], rules);
    expect(update.items.filter(({ key }) => kindOf(key) === "history").every(({ tier }) => tier === "active")).toBe(
      true,
    );
  });

  test(
    shows(["C-13", "S3-12"], "leaves every tier when the past of the view was folded; files and outlines stay"),
    () => {
      const update = purgeHistory([
        tracked("history:1", "L2"),
        tracked("history:9", "active"),
        tracked("symbol:a", "L1"),
        tracked("file:a", "L3"),
      ]);
      expect(placesOf(update)).toEqual({ "symbol:a": "L1 9", "file:a": "L3 3" });
      expect(update.broken).toEqual(["L2"]);
    },
  );

  test("falls from the tier of the first message that is shown otherwise, and older tiers stay as they are", () => {
    const before = [
      tracked("history:1", "L1", { tokens: 1_000 }),
      tracked("history:2", "L2", { tokens: 1_000 }),
      tracked("history:3", "L2"),
      tracked("history:4", "L3"),
      tracked("file:a", "L3"),
    ];
    const pruned = before.map((item) => ({
      ...presenceOf(item),
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

  test("that is shown otherwise comes back at once to the tier that is written anew for it", () => {
    const before = [
      tracked("history:1", "L3"),
      tracked("history:2", "L3"),
      tracked("history:3", "active", { tokens: 1_000 }),
    ];
    const pruned = before.map((item) => ({
      ...presenceOf(item),
      hash: item.key === "history:2" ? "2 pruned" : item.hash,
    }));
    expect(placesOf(track(before, pruned, OURS))).toEqual({
      "history:1": "L3 3",
      "history:2": "L3 3",
      "history:3": "active 0",
    });
  });
});
