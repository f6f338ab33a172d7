/**
 * Reading a long log lets other work run. The tests count turns of the event loop: a memory store answers without a
 * turn, so every turn was yielded. Work is sliced by time, so quick work is repeated.
 */
import { beforeAll, expect, test } from "vitest";
import { openPalimpsest } from "../src/compose.ts";
import type { Palimpsest } from "../src/engine/palimpsest.ts";
import type { Session } from "../src/engine/session/session.ts";
import { createMemoryStore } from "../src/stores/memory/memory-store.ts";

const MESSAGES = 2_000;
const LONG = 20_000;
let engine: Palimpsest;
let session: Session;

beforeAll(async () => {
  engine = await openPalimpsest({ counter: "estimate", budgetTokens: 20_000 });
  session = await engine.session();
  for (let start = 0; start < MESSAGES; start += 500) {
    const history = Array.from({ length: 500 }, (_, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: `Order ${start + index} went to shelf ${(start + index) % 97}. ${"It is heavy and blue. ".repeat(8)}`,
    }));
    await session.append(history);
  }
  expect((await session.compact()).type).toBe("compacted");
});

/** Counts the turns of the event loop while `work` runs. Repeats it until it has yielded, at most a hundred times. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  for (let time = 0; time < 100 && turns < 2; time += 1) turns += await turnsOfOneRun(work);
  return turns;
}

async function turnsOfOneRun(work: () => Promise<unknown>): Promise<number> {
  let [turns, isOver] = [0, false];
  const turn = (): void => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isOver = true;
  return turns;
}

async function takeAll(lines: AsyncIterable<string>): Promise<number> {
  let characters = 0;
  for await (const line of lines) characters += line.length;
  return characters;
}

const newest = async () => (await session.getSummaryHistory()).at(-1)?.record.id ?? "";

const READINGS: readonly (readonly [string, () => Promise<unknown>])[] = [
  ["an export", () => takeAll(engine.exportSession(session.id))],
  ["a transcript", () => session.transcript()],
  ["a summary's source", async () => session.expand(await newest())],
  ["a verification", async () => session.verify(await newest())],
];

test("a long view without a summary is read, assembled and counted while other work runs", async () => {
  const store = createMemoryStore();
  const first = await openPalimpsest({ store, counter: "estimate", budgetTokens: 20_000 });
  const long = await first.session("long");
  for (let start = 0; start < LONG; start += 1_000) {
    await long.append(
      Array.from({ length: 1_000 }, (_, index) => ({ role: "user", content: `Crate ${start + index}.` })),
    );
  }
  const fresh = await openPalimpsest({ store, counter: "estimate", budgetTokens: 20_000 });
  const opened = await fresh.load("long");
  const roomy = { budgetTokens: 1e9 };
  expect(await turnsDuring(() => opened.budget(roomy))).toBeGreaterThan(1);
  const strip = await opened.strip({ buckets: 10 }, roomy);
  expect(strip).toMatchObject({ messages: LONG, tokens: strip.shownTokens });
  expect(await opened.budget(roomy)).toEqual(await long.budget(roomy));
});

test.each(READINGS)("%s of thousands of messages lets other work run in the meantime", async (_, read) => {
  expect(await turnsDuring(read)).toBeGreaterThan(1);
});
