/**
 * Long texts of every kind through all calls of a session: the work grows in proportion to the text, and no step grows
 * with it. `npm run faults -- F18` does the same with a megabyte on every store, and prints the figures.
 */
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPalimpsest } from "../src/index.ts";
import { temporaryFolder } from "./stores/temporary-folder.ts";
import { LINEAR_GROWTH, STEADY_GROWTH } from "./support/growth.ts";
import { LONG_TEXTS } from "./support/long-texts.ts";
import { playLongText, watchSteps } from "./support/play-long-text.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const BYTES = 160_000;
const TRIES = 4;
/** Shorter steps pass without a comparison: compiling code can take this long. */
const SHORT_MS = 25;

interface Cost {
  readonly longestMs: number;
  readonly totalMs: number;
}

describe("a long text", () => {
  beforeAll(() => play("warm up ".repeat(5_000)));

  test.each(LONG_TEXTS)(
    "of $name takes time in proportion to its length, in steps that stay short",
    async ({ build }) => {
      const text = build(BYTES);
      await expectGrowth(
        () => play(text.slice(0, text.length / 4)),
        () => play(text),
      );
    },
  );

  test("of any kind is indexed in steps that stay short", async () => {
    await expectGrowth(
      () => indexAll(BYTES / 4),
      () => indexAll(BYTES),
    );
  });
});

/** Compares the cost of a text with that of its quarter: the lowest of a few tries, because other load slows some. */
async function expectGrowth(playQuarter: () => Promise<Cost>, playWhole: () => Promise<Cost>): Promise<void> {
  const least = { quarter: NO_COST, whole: NO_COST };
  const growth = { ofSteps: Infinity, inAll: Infinity };
  for (let time = 0; time < TRIES; time += 1) {
    least.quarter = takeLeast(least.quarter, await playQuarter());
    least.whole = takeLeast(least.whole, await playWhole());
    growth.ofSteps = least.whole.longestMs / Math.max(least.quarter.longestMs, SHORT_MS);
    growth.inAll = least.whole.totalMs / Math.max(least.quarter.totalMs, 2 * SHORT_MS);
    if (growth.ofSteps < STEADY_GROWTH && growth.inAll < LINEAR_GROWTH) return;
  }
  expect(growth).toEqual("steps of one length, and work in proportion");
}

const NO_COST: Cost = { longestMs: Infinity, totalMs: Infinity };

function takeLeast(left: Cost, right: Cost): Cost {
  return {
    longestMs: Math.min(left.longestMs, right.longestMs),
    totalMs: Math.min(left.totalMs, right.totalMs),
  };
}

async function play(text: string): Promise<Cost> {
  const costs = await playLongText(text, "memory", "");
  return {
    longestMs: Math.max(...costs.map(({ longestMs }) => longestMs)),
    totalMs: costs.reduce((sum, { totalMs }) => sum + totalMs, 0),
  };
}

/** Appends a text of each kind to a file, waits until all are indexed, and deletes them. */
async function indexAll(bytes: number): Promise<Cost> {
  const path = folder.newPath();
  const palimpsest = await openPalimpsest({ store: `sqlite:${path}`, counter: "estimate" });
  const session = await palimpsest.session("long");
  const end = watchSteps();
  for (const { build } of LONG_TEXTS) await session.append({ role: "user", content: build(bytes) });
  const database = new DatabaseSync(path, { readOnly: true });
  const pending = database.prepare("SELECT entry_key FROM pending_texts LIMIT 1");
  while (pending.get() !== undefined) await setTimeout(10);
  database.close();
  await palimpsest.deleteSession("long");
  const cost = await end();
  await palimpsest.close();
  return cost;
}
