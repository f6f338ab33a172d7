/** The cache rules that `bench cache` measures with: three caches, on prompts small enough to count by hand. */
import { describe, expect, test } from "vitest";
import { EndingCache } from "../bench/cache/ending-cache.ts";
import { FIXED_ORDERS } from "../bench/cache/fixed-orders.ts";
import { judgeCache, TIERED } from "../bench/cache/judge-cache.ts";
import { MarkedCache } from "../bench/cache/marked-cache.ts";
import { type SentBlock, WireReader } from "../bench/cache/sent-block.ts";
import type { Totals } from "../bench/cache/totals.ts";
import type { Message } from "../src/core/message/message.ts";
import { charsOverFour } from "../src/core/tokens/rough-counters.ts";

const MINUTE_MS = 60_000;
const RULES = { minimumTokens: 1_000, readRatio: 0.1, writeRatio: 1.25, ttlMs: 5 * MINUTE_MS, breakpoints: 4 };

const block = (content: number, changes: Partial<SentBlock> = {}): SentBlock => ({
  content,
  tokens: 500,
  pieces: [],
  isMarked: false,
  endsInput: false,
  ...changes,
});
const marked = (content: number) => block(content, { isMarked: true });
const read = ({ readTokens }: { readonly readTokens: number }) => readTokens;

describe("a cache with explicit marks", () => {
  test("reads marked blocks, writes up to the last mark, and bills the rest as plain input", () => {
    const cache = new MarkedCache(RULES);
    expect(cache.send([block(1), marked(2), block(3)], 0)).toEqual({
      readTokens: 0,
      writeTokens: 1_000,
      plainTokens: 500,
    });
    expect(cache.send([block(1), marked(2), block(3), marked(4)], 1)).toEqual({
      readTokens: 1_000,
      writeTokens: 1_000,
      plainTokens: 0,
    });
  });

  test("reads no unmarked prefix, and no prefix in which a block has changed", () => {
    const cache = new MarkedCache(RULES);
    cache.send([block(1), block(2), marked(3)], 0);
    expect(read(cache.send([block(1), marked(2)], 1))).toBe(0);
    expect(read(cache.send([block(9), block(2), marked(3)], 1))).toBe(0);
  });

  test("looks back over twenty blocks, including the marked one, and no further", () => {
    const tail = (length: number) => Array.from({ length }, (_, index) => block(100 + index));
    const readAfter = (length: number) => {
      const cache = new MarkedCache(RULES);
      cache.send([block(1), marked(2)], 0);
      return read(cache.send([block(1), block(2), ...tail(length), marked(9)], 1));
    };
    expect([readAfter(18), readAfter(19)]).toEqual([1_000, 0]);
  });

  test("expires unless it is read, and stores no prefix below its minimum", () => {
    const cache = new MarkedCache(RULES);
    const prompt = [block(1), marked(2)];
    cache.send(prompt, 0);
    expect(read(cache.send(prompt, 5 * MINUTE_MS))).toBe(1_000);
    expect(read(cache.send(prompt, 10 * MINUTE_MS))).toBe(1_000);
    expect(read(cache.send(prompt, 15 * MINUTE_MS + 1))).toBe(0);
    const small = new MarkedCache(RULES);
    small.send([marked(1)], 0);
    expect(small.send([marked(1)], 1)).toEqual({ readTokens: 0, writeTokens: 0, plainTokens: 500 });
  });

  test("throws if a request has more marks than the rules allow", () => {
    expect(() => new MarkedCache(RULES).send([1, 2, 3, 4, 5].map(marked), 0)).toThrow("5 marks");
  });
});

describe("a cache that remembers where messages end", () => {
  const input = (content: number) => block(content, { endsInput: true });

  test("reads a growing conversation up to the last user message that was sent", () => {
    const cache = new EndingCache(RULES);
    expect(cache.send([block(1), input(2)], 0)).toEqual({ readTokens: 0, writeTokens: 1_000, plainTokens: 0 });
    expect(cache.send([block(1), input(2), block(3), input(4)], 1)).toEqual({
      readTokens: 1_000,
      writeTokens: 1_000,
      plainTokens: 0,
    });
  });

  test("falls back to a marked prefix, and never to an unmarked one", () => {
    const cache = new EndingCache(RULES);
    cache.send([block(1), input(2), block(3), input(4)], 0);
    expect(read(cache.send([block(1), input(2), block(5), input(6)], 1))).toBe(0);
    cache.send([block(1), { ...input(2), isMarked: true }, block(3), input(4)], 2);
    expect(read(cache.send([block(1), input(2), block(7), input(8)], 3))).toBe(1_000);
  });
});

describe("a rendered request", () => {
  const reader = new WireReader(charsOverFour);
  const text = (words: string, mark = {}) => ({ type: "text", text: words, ...mark });

  test("has the same content with and without a cache mark, and the mark is recognized", () => {
    const [plain] = reader.read({ messages: [{ role: "user", content: "hello" }] });
    const [listed] = reader.read({ messages: [{ role: "user", content: [text("hello", { cache_control: {} })] }] });
    expect([plain?.content, plain?.isMarked, listed?.isMarked]).toEqual([listed?.content, false, true]);
    const [other] = reader.read({ messages: [{ role: "assistant", content: "hello" }] });
    expect(other?.content).not.toBe(plain?.content);
  });

  test("is split into pieces that stay the same up to the first changed line", () => {
    const lines = Array.from({ length: 60 }, (_, index) => `line ${index} of a text that is long enough`);
    const piecesOf = (words: readonly string[]) =>
      reader.read({ system: [text(words.join("\n"))], messages: [] })[0]?.pieces.map(({ content }) => content) ?? [];
    const [before, after] = [piecesOf(lines), piecesOf(lines.with(30, "another line"))];
    const same = before.findIndex((content, index) => content !== after[index]);
    expect(same).toBeGreaterThan(1);
    expect(same).toBeLessThan(before.length - 1);
  });

  test("sets endsInput on the last block of a user or tool message only", () => {
    const blocks = reader.read({
      messages: [
        { role: "user", content: [text("one"), text("two")] },
        { role: "assistant", content: "three" },
      ],
    });
    expect(blocks.map(({ endsInput }) => endsInput)).toEqual([false, true, false]);
  });
});

test("fixed orders show every message once, and set no more marks than a request may have", () => {
  const message = (id: string, role: "user" | "assistant"): Message => ({
    id,
    role,
    parts: [{ type: "text", text: id }],
  });
  const history = [message("u1", "user"), message("a1", "assistant"), message("u2", "user")];
  const uncached = ["tree", "working"].flatMap((name) => [
    message(`workspace-${name}`, "user"),
    message(`workspace-${name}-answer`, "assistant"),
  ]);
  const layout = { system: "outlines", tiers: [], uncached };
  for (const order of Object.values(FIXED_ORDERS)) {
    const { instructions, messages, breakpoints } = order({ instructions: "do this", layout, history });
    const shown = [...instructions.split(/\s+/), ...messages.map(({ id }) => id)];
    for (const id of ["outlines", "u1", "a1", "u2", "workspace-tree", "workspace-working"]) {
      expect(shown.filter((word) => word === id)).toHaveLength(1);
    }
    expect(breakpoints.length).toBeLessThanOrEqual(4);
    expect(messages.at(-1)?.id).toBe("u2");
  }
});

test("tiers are compared with the best fixed order of the same conversation and model", () => {
  const totals = (readTokens: number): Totals => ({
    requests: 1,
    compactions: 0,
    promptTokens: 100,
    readTokens,
    usd: 0,
    betweenTokens: 100,
    betweenReadTokens: readTokens,
    sentBeforeTokens: 100,
  });
  const cell = (order: string, readTokens: number, model = "one") => ({
    conversation: "agent loop",
    model,
    order,
    isFixed: order !== TIERED,
    totals: totals(readTokens),
  });
  const others = [cell("flat", 90), cell("files last", 96), cell("flat", 99, "another")];
  expect(judgeCache([cell(TIERED, 96), ...others]).map(({ holds }) => holds)).toEqual([true, true]);
  expect(judgeCache([cell(TIERED, 94), ...others]).map(({ holds }) => holds)).toEqual([false, false]);
});
