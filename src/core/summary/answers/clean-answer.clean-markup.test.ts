import { describe, expect, test } from "vitest";
import { cpuMsOf, growthOf, LINEAR_GROWTH } from "../../../../test/support/growth.ts";
import { cleanMarkup, proseOf } from "./clean-answer.ts";

describe("cleanMarkup", () => {
  test.each([
    ["![map](https://a.example/p)", "[map](https://a.example/p)"],
    ["![map][1]\n[1]: https://a.example/p", "[map][1]\n[1]: https://a.example/p"],
    ['<img src="a.png"> and <a href=b>', '< img src="a.png"> and < a href=b>'],
    ["<script>alert(1)</script>", "< script>alert(1)< /script>"],
    ["<svg/onload=alert(1)>", "< svg/onload=alert(1)>"],
    ["[help](javascript:alert(1))", "[help] (javascript:alert(1))"],
    ["done<!-- hidden > still hidden --> and shown", "done and shown"],
    ["in\u200bvis\u{e0041}ible\u3164", "invisible"],
  ])("turns %j into %j", (text, cleaned) => {
    expect(cleanMarkup(text)).toBe(cleaned);
    expect(cleanMarkup(cleaned)).toBe(cleaned);
  });

  test.each([
    "The footer is a <table> with <td>.",
    "Map<string, number>, a < b",
    "if (![1, 2].includes(x)) return;",
    "क्‍ष 👩‍💻",
  ])("does not change %j", (text) => {
    expect(cleanMarkup(text)).toBe(text);
  });

  test.each(["<a ", "<!-- ", "![", "[a](", "<x onload"])("reads repetitions of %j in linear time", async (unit) => {
    const cost = (text: string) => cpuMsOf(() => proseOf(cleanMarkup(text)));
    expect(await growthOf(unit.repeat(200_000 / unit.length), cost)).toBeLessThan(LINEAR_GROWTH);
  });
});
