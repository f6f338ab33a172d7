import { expect, test } from "vitest";
import { joinItems, splitSentences } from "./split-sentences.ts";

const join = (text: string): readonly string[] => joinItems(splitSentences(text)).map((sentence) => sentence.text);

test("joinItems joins short items to the line that introduces them", () => {
  expect(join("So. We need:\n- milk,\n- eggs\n- [ ] salt\n- pepper\nBye.")).toEqual([
    "So.",
    "We need: milk; eggs",
    "salt",
    "We need: pepper",
    "Bye.",
  ]);
});

test("joinItems does not join long items, and starts a new line when a list gets long", () => {
  const long = "this item is so long that it says by itself whatever it has to say";
  expect(join(`Rules:\n- ${long}\n- keep it`)).toEqual(["Rules:", long, "Rules: keep it"]);
  const lines = join(`Rules:\n${"- a short item of some words\n".repeat(20)}`);
  expect(lines.length).toBeGreaterThan(1);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(250);
});
