/**
 * Tools of `bench store`: a required figure without a measurement counts as not met, and a store that is filled
 * directly reads like one filled by appends.
 */
import { afterAll, expect, test } from "vitest";
import { fillStore } from "../bench/store/fill-store.ts";
import { mustBe } from "../bench/store/part.ts";
import { rareWord, spokenText } from "../bench/store/spoken-texts.ts";
import { sqliteFiles } from "./stores/sqlite-files.ts";

const files = sqliteFiles();
afterAll(() => files.remove());

test("mustBe passes at its limit, and fails beyond it or without a measurement", () => {
  const holds = (value: number | undefined) => mustBe({ text: "open", value, unit: " ms", atMost: 5 }).holds;
  expect([5, 5.01, undefined].map(holds)).toEqual([true, false, false]);
  const isEnough = (value: number | undefined) => mustBe({ text: "rate", value, unit: "/s", atLeast: 5 }).holds;
  expect([5, 4.99, undefined].map(isEnough)).toEqual([true, false, false]);
});

test("a filled store reads as if every message had been appended, and is completely indexed", async () => {
  const path = files.newPath();
  const sessions = [
    { id: "one", messages: 3 },
    { id: "two", messages: 600 },
  ];
  await fillStore({ path, sessions, say: () => undefined });
  expect(files.openDatabase(path).prepare("SELECT count(*) AS count FROM pending_texts").get()).toEqual({ count: 0 });
  const tenant = (await files.open(path)).tenant("local");
  const view = await tenant.readView("two");
  expect(view?.lastSeq).toBe(600);
  expect(view?.entries.map(({ seq }) => seq)).toEqual(Array.from({ length: 600 }, (_, index) => index + 1));
  const hits = await tenant.search({ text: rareWord(0), limit: 9 });
  expect(hits.map(({ sessionId, seq }) => [sessionId, seq])).toEqual([["one", 1]]);
  expect(spokenText(0).content).toContain(rareWord(0));
});
