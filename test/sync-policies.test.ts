/** `session.sync` under policies that erase messages, or that schedule work after a reply. */
import { describe, expect, test } from "vitest";
import { openPalimpsest } from "../src/compose.ts";

const turn = (index: number) => [
  { id: `q${index}`, role: "user", content: `Question ${index}: where does the ferry of line ${index} stop?` },
  { id: `a${index}`, role: "assistant", content: `It stops at pier ${index}, beside the old customs house.` },
];
const talk = (turns: number) => Array.from({ length: turns }, (_, index) => turn(index)).flat();

describe("sync", () => {
  test("does not fork for messages that a policy has erased, and does not restore them", async () => {
    const palimpsest = await openPalimpsest({ budgetTokens: 8_000, counter: "estimate", policy: "windowed-sql" });
    const session = await palimpsest.session("a");
    for (let length = 1; length <= 12; length += 1) {
      expect((await session.sync(talk(length))).type).toBe("appended");
      await session.prompt();
    }
    expect((await session.sync(talk(12))).type).toBe("unchanged");
    expect((await session.getSummaryHistory()).length).toBeGreaterThan(0);
  });

  test("starts the work that a policy schedules after a reply", async () => {
    const palimpsest = await openPalimpsest({ budgetTokens: 8_000, counter: "estimate", policy: "rolling-chat" });
    const session = await palimpsest.session();
    await session.sync(talk(8));
    await session.settle();
    expect(await session.getSummaryHistory()).toHaveLength(1);
  });
});
