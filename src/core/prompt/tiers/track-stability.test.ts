import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../testing/property-runs.ts";
import { shows } from "../../../testing/shows.ts";
import { kindOf, seqOf, TIERS, type Tier, type TierSnapshot, type TrackedItem } from "../../sections/tier.ts";
import { applyTierDelta, diffTiers } from "../../sections/tier-delta.ts";
import { purgeHistory } from "./purge-history.ts";
import { DOCUMENT_TIER_RULES, LADDER, TIER_RULES, type TierRules, targetTokensFor } from "./tier-rules.ts";
import { type PresentItem, type TierUpdate, trackStability } from "./track-stability.ts";

const RULES: TierRules = { ...DOCUMENT_TIER_RULES, targetTokens: 1_000 };
const OURS: TierRules = { ...TIER_RULES, targetTokens: 1_000 };

const file = (name: string, changes: Partial<PresentItem> = {}): PresentItem => ({
  key: `file:${name}`,
  hash: name,
  tokens: 400,
  enters: true,
  ...changes,
});
const said = (seq: number, tokens = 300): PresentItem => ({
  ...file(""),
  key: `history:${seq}`,
  hash: `${seq}`,
  tokens,
});
const tracked = (key: string, tier: Tier, changes: Partial<TrackedItem> = {}): TrackedItem => ({
  key,
  tier,
  seen: LADDER[tier].entry,
  hash: key.slice(key.indexOf(":") + 1),
  tokens: 400,
  ...changes,
});
const presenceOf = ({ key, hash, tokens }: TrackedItem): PresentItem => ({ key, hash, tokens, enters: true });
const track = (snapshot: TierSnapshot, present: readonly PresentItem[], rules = RULES): TierUpdate =>
  trackStability(snapshot, present, rules);
const again = (snapshot: TierSnapshot, rules = RULES): TierUpdate => track(snapshot, snapshot.map(presenceOf), rules);
const places = ({ items }: Pick<TierUpdate, "items">): Readonly<Record<string, string>> =>
  Object.fromEntries(items.map(({ key, tier, seen }) => [key, `${tier} ${seen}`]));

describe("the ladder", () => {
  test(shows("C-1", "asks for 3, 6, 9 and 12 requests, and the top is the end"), () => {
    expect(TIERS.map((tier) => [tier, LADDER[tier].entry, LADDER[tier].promotion])).toEqual([
      ["L0", 12, Number.POSITIVE_INFINITY],
      ["L1", 9, 12],
      ["L2", 6, 9],
      ["L3", 3, 6],
      ["active", 0, 3],
    ]);
  });

  test(shows("C-6", "caches 1,536 tokens by the document, and a tenth above what the model asks for by ours"), () => {
    expect(DOCUMENT_TIER_RULES.targetTokens).toBe(1_536);
    expect(targetTokensFor({ configured: 1_024, model: 1_024 })).toBe(1_126);
    expect(targetTokensFor({ configured: 1_024, model: 4_096 })).toBe(4_505);
    expect(TIER_RULES.targetTokens).toBe(1_126);
  });
});

describe("an active item", () => {
  test("begins at 0 and ages by one in each request in which it is unchanged", () => {
    const first = track([], [file("a")]);
    expect(places(first)).toEqual({ "file:a": "active 0" });
    expect(first.moves).toEqual([]);
    expect(places(again(first.items))).toEqual({ "file:a": "active 1" });
  });

  test("begins anew when it changes", () => {
    const seen = [tracked("file:a", "active", { seen: 2 })];
    expect(places(track(seen, [file("a", { hash: "other" })]))).toEqual({ "file:a": "active 0" });
  });

  test(shows("C-4", "enters the lowest tier at 3, with that tier's own age"), () => {
    const update = again([tracked("file:a", "active", { seen: 2 })]);
    expect(places(update)).toEqual({ "file:a": "L3 3" });
    expect(update.broken).toEqual(["L3"]);
    expect(update.moves).toEqual([{ key: "file:a", from: "active", to: "L3", reason: "unchanged" }]);
  });

  test("is not followed before somebody chooses it", () => {
    expect(track([], [file("a", { enters: false })]).items).toEqual([]);
  });
});

describe("a cached item", () => {
  test(shows("C-2", "falls back to active at 0 when it changes, and breaks the tier it leaves"), () => {
    const update = track([tracked("file:a", "L1")], [file("a", { hash: "other" })]);
    expect(places(update)).toEqual({ "file:a": "active 0" });
    expect(update.broken).toEqual(["L1"]);
    expect(update.moves).toEqual([{ key: "file:a", from: "L1", to: "active", reason: "changed" }]);
  });

  test(shows("C-10", "leaves when it is gone, and breaks the tier it leaves"), () => {
    const update = track(
      [tracked("file:a", "L2", { tokens: 5_000 }), tracked("symbol:a", "L1", { tokens: 5_000 })],
      [presenceOf(tracked("symbol:a", "L1", { tokens: 5_000 }))],
    );
    expect(places(update)).toEqual({ "symbol:a": "L1 9" });
    expect(update.broken).toEqual(["L2"]);
    expect(update.moves).toEqual([{ key: "file:a", from: "L2", to: undefined, reason: "gone" }]);
  });

  test(shows("C-11", "takes its first content without falling when it was placed before it was read"), () => {
    const update = track(
      [tracked("symbol:a", "L1", { hash: "", tokens: 1_200 })],
      [{ key: "symbol:a", hash: "first", tokens: 1_300, enters: false }],
    );
    expect(places(update)).toEqual({ "symbol:a": "L1 9" });
    expect(places(track(update.items, [{ key: "symbol:a", hash: "second", tokens: 1_300, enters: false }]))).toEqual({
      "symbol:a": "active 0",
    });
  });
});

describe("the cascade", () => {
  const large = { tokens: 1_500 };

  test(shows("C-7", "lets nothing rise into a tier that is stable"), () => {
    const stable = [tracked("file:above", "L2", large), tracked("file:old", "L3", { ...large, seen: 6 })];
    const entering = [...stable, tracked("file:new", "active", { seen: 2, tokens: 1_200 })];
    expect(places(again(entering))).toMatchObject({ "file:above": "L2 6", "file:old": "L3 6", "file:new": "L3 3" });
  });

  test("lets rise into an empty tier whoever has aged enough, with that tier's own age", () => {
    const update = again([
      tracked("file:old", "L3", { ...large, seen: 5 }),
      tracked("file:young", "L3", large),
      tracked("file:new", "active", { seen: 2 }),
    ]);
    expect(places(update)).toMatchObject({ "file:old": "L2 6" });
    expect(update.broken).toEqual(["L2", "L3"]);
  });

  test("goes through several tiers in one request", () => {
    const update = track(
      [
        tracked("file:edited", "L1", large),
        tracked("file:two", "L2", { ...large, seen: 8 }),
        tracked("file:anchor", "L2", large),
        tracked("file:three", "L3", { ...large, seen: 5 }),
        tracked("file:base", "L3", large),
      ],
      [file("edited", { hash: "other" }), ...["two", "anchor", "three", "base"].map((name) => file(name, large))],
    );
    expect(places(update)).toEqual({
      "file:edited": "active 0",
      "file:two": "L1 9",
      "file:anchor": "L2 6",
      "file:three": "L2 6",
      "file:base": "L3 3",
    });
  });

  test("ages nobody beyond what rising takes while the tier above is stable", () => {
    let items: TierSnapshot = [
      tracked("file:above", "L2", large),
      tracked("file:old", "L3", { ...large, seen: 5 }),
      tracked("file:anchor", "L3", large),
    ];
    for (const name of ["a", "b", "c"]) {
      items = again([...items, tracked(`file:${name}`, "active", { seen: 2 })]).items;
    }
    expect(items.find(({ key }) => key === "file:old")?.seen).toBe(6);
  });

  test(
    shows("C-8", "freezes the youngest that hold a tier at its size, and only where it holds more than that"),
    () => {
      const over = [tracked("file:young", "L3", large), tracked("file:old", "L3", { ...large, seen: 4 })];
      const entering = tracked("file:new", "active", { seen: 2 });
      expect(places(again([...over, entering]))).toMatchObject({ "file:young": "L3 3", "file:old": "L3 5" });
      const small = [tracked("file:young", "L3", { tokens: 100 }), tracked("file:old", "L3", { tokens: 100, seen: 4 })];
      expect(places(again([...small, { ...entering, tokens: 100 }]))).toMatchObject({
        "file:young": "L3 4",
        "file:old": "L3 5",
      });
    },
  );

  test("is the same for equal states", () => {
    fc.assert(
      fc.property(snapshots(), (items) => {
        expect(again(items)).toEqual(again(items));
      }),
      { numRuns: propertyRuns(200) },
    );
  });
});

describe("a tier that holds too little", () => {
  test(shows("C-9", "sends its items one tier down with their age; the lowest keeps what it has"), () => {
    const items = [tracked("file:a", "L1", { seen: 10 }), tracked("file:b", "L3"), tracked("file:c", "L2")];
    const update = again(items);
    expect(places(update)).toEqual({ "file:a": "L2 10", "file:b": "L3 3", "file:c": "L3 6" });
  });

  test("is left alone when it was written anew in this request", () => {
    const items = [tracked("file:a", "L1"), tracked("file:gone", "L1")];
    expect(places(track(items, [file("a")]))).toEqual({ "file:a": "L1 10" });
  });

  test("sinks from the top by the document's rules, and not by ours", () => {
    const items = [tracked("file:a", "L0")];
    expect(places(again(items))).toEqual({ "file:a": "L1 12" });
    expect(places(again(items, OURS))).toEqual({ "file:a": "L0 12" });
  });

  test("is never risen into by our rules, so that nothing goes up and down", () => {
    const items = [
      tracked("file:old", "L3", { seen: 6, tokens: 400 }),
      tracked("file:base", "L3", { tokens: 2_000 }),
      tracked("file:new", "active", { seen: 2 }),
    ];
    expect(places(again(items))).toMatchObject({ "file:old": "L2 6" });
    expect(places(again(items, OURS))).toMatchObject({ "file:old": "L3 6" });
  });
});

describe("history", () => {
  const talk = [1, 2, 3, 4, 5, 6].map((seq) => said(seq));

  test(shows("C-5", "is cached from its oldest on when more than the target is active, and the target stays"), () => {
    const update = track([], talk);
    expect(places(update)).toMatchObject({ "history:1": "L3 3", "history:2": "L3 3", "history:3": "active 0" });
    expect(places(update)).toMatchObject({ "history:6": "active 0" });
  });

  test("is cached whole when the lowest tier is written anew anyway", () => {
    const update = track([tracked("file:a", "active", { seen: 2 })], [file("a"), said(1), said(2)]);
    expect(places(update)).toEqual({ "file:a": "L3 3", "history:1": "L3 3", "history:2": "L3 3" });
  });

  test("is cached by our rules only with something else, and the newest stays active", () => {
    expect(places(track([], talk, OURS))).toMatchObject({ "history:1": "active 0" });
    const update = track([tracked("file:a", "L3")], [file("a", { hash: "other" }), ...talk], OURS);
    expect(places(update)).toMatchObject({ "history:2": "L3 3", "history:3": "active 0" });
  });

  test("is never cached where the target is 0", () => {
    const rules = { ...RULES, targetTokens: 0 };
    const update = track([tracked("file:a", "active", { seen: 2 })], [file("a"), ...talk], rules);
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
      expect(places(update)).toEqual({ "symbol:a": "L1 9", "file:a": "L3 3" });
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
    expect(places(update)).toEqual({
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
    expect(places(track(before, pruned, OURS))).toEqual({
      "history:1": "L3 3",
      "history:2": "L3 3",
      "history:3": "active 0",
    });
  });
});

describe("over many requests", () => {
  test("a file goes from new to cached, rises, falls when it is edited, and is cached again", () => {
    const others = [file("base", { tokens: 1_200 }), file("more", { tokens: 1_200 })];
    const tiers: string[] = [];
    let items: TierSnapshot = [];
    for (let request = 0; request < 40; request += 1) {
      const hash = request < 30 ? "a" : "edited";
      // Something else is edited now and then, so that tiers open.
      const noise = file(`noise${Math.floor(request / 4)}`, { tokens: 1_100 });
      items = track(items, [file("z", { hash, tokens: 1_100 }), ...others, noise]).items;
      tiers.push(items.find(({ key }) => key === "file:z")?.tier ?? "");
    }
    const steps = tiers.filter((tier, index) => tier !== tiers[index - 1]);
    expect(steps.slice(0, 3)).toEqual(["active", "L3", "L2"]);
    expect(tiers[30]).toBe("active");
    expect(tiers[33]).toBe("L3");
  });

  test.each([
    ["the document's rules", RULES],
    ["ours", OURS],
  ])("by %s, every tier that changed is named, ages obey the ladder, and history stays in its order", (_, rules) => {
    fc.assert(
      fc.property(stories(), (requests) => {
        let items: TierSnapshot = [];
        for (const present of requests) {
          const before = items;
          const update = track(before, present, rules);
          items = update.items;
          expect(changedTiers(before, items).filter((tier) => !update.broken.includes(tier as never))).toEqual([]);
          expect(items.filter(({ tier, seen }) => seen < LADDER[tier].entry && tier !== "active")).toEqual([]);
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
      { numRuns: propertyRuns(300) },
    );
  });

  test("settles by our rules: where nothing changes any more, nothing moves any more", () => {
    fc.assert(
      fc.property(stories(), (requests) => {
        const last = requests.at(-1) ?? [];
        let items: TierSnapshot = [];
        for (const present of requests) items = track(items, present, OURS).items;
        for (let request = 0; request < 30; request += 1) items = track(items, last, OURS).items;
        expect(track(items, last, OURS).moves).toEqual([]);
      }),
      { numRuns: propertyRuns(200) },
    );
  });

  test("what is other than before leads from the snapshot before to the one after", () => {
    const byKey = (items: TierSnapshot) => items.toSorted((left, right) => (left.key < right.key ? -1 : 1));
    fc.assert(
      fc.property(stories(), fc.constantFrom(RULES, OURS), (story, rules) => {
        let before: TierSnapshot = [];
        for (const present of story) {
          const { items, delta } = track(before, present, rules);
          expect(byKey(delta === undefined ? before : applyTierDelta(before, delta))).toEqual(byKey(items));
          expect(delta).toEqual(diffTiers(before, items));
          before = items;
        }
      }),
      { numRuns: propertyRuns(200) },
    );
  });
});

/** Tiers whose cached text is not the one before: other keys, another order, other content. */
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
      .filter((item) => item.tier === tier && kindOf(item.key) === "history")
      .map(({ key }) => seqOf(key))
      .toSorted((left, right) => left - right),
  );
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
        tracked(`file:${name}`, tier, { seen: LADDER[tier].entry + extra, tokens }),
      ),
    );
}

/** Requests one after another: files that come, change and go, and a conversation that grows. */
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
      for (const tokens of messages) history.push(said(history.length + 1, tokens));
      const chosen = files.map((name, index) =>
        file(name, { hash: `${name}${versions.get(name) ?? 0}`, tokens: 200 + index * 450 }),
      );
      return [...chosen, ...history];
    });
  });
}
