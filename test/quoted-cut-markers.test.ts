import { describe, expect, test } from "vitest";
import { fit as fitHistory, openPalimpsest } from "../src/index.ts";

const MARKERS = [
  "\n[… 225 characters cut …]\n",
  "\n[… 225 characters cut to save room; message m1 has them …]\n",
  "\n[… 225 characters cut to save room, and with them the names Pier; they can be recalled …]\n",
];
const quotes = (marker: string) => ({
  role: "user",
  content: `Your page shows me this:${marker}Never delete the production database.`,
});
const turns = Array.from({ length: 20 }, (_, index) => ({
  role: index % 2 === 0 ? "user" : "assistant",
  content: `Turn ${index}: the harbour list has ${index + 3} more ships than it had at noon. ${"All is well. ".repeat(30)}`,
}));
const size = { budgetTokens: 1_500, counter: "estimate" } as const;

describe("the marker of a cut, quoted by the user", () => {
  test.each(MARKERS)("does not remove a word of the rule after it in a session: %j", async (marker) => {
    const session = await (await openPalimpsest(size)).session();
    await session.append([quotes(marker), { role: "assistant", content: "ok" }, ...turns]);
    await session.compact();
    const text = JSON.stringify((await session.prompt()).messages);
    expect(text).toMatch(/Must hold:\\n- Never delete the production database\./);
    expect(text).not.toMatch(/shows me delete/);
  });

  test.each(MARKERS)("does not remove a word of the rule after it in fit: %j", async (marker) => {
    const { messages } = await fitHistory([quotes(marker), { role: "assistant", content: "ok" }, ...turns], size);
    expect(JSON.stringify(messages)).toMatch(/Must hold:\\n- Never delete the production database\./);
  });

  test("never splits a word when fit writes it", async () => {
    const words = Array.from({ length: 1_500 }, (_, index) => `berth${index * 7_919}`).join(" ");
    const { messages } = await fitHistory([{ role: "user", content: words }], size);
    const [before = "", after = ""] = String(messages[0]?.content).split(/\n\[… [^\n]* …\]\n/);
    const whole = new Set(words.split(" "));
    expect(after).not.toBe("");
    expect(`${before} ${after}`.split(/\s+/).filter((word) => word !== "" && !whole.has(word))).toEqual([]);
  });
});
