/** Content that a fold has to carry: thinking behind blank texts, compactions by providers, images inside JSON. */
import { describe, expect, test } from "vitest";
import { validate } from "../src/core/index.ts";
import { fit as fitHistory, openPalimpsest } from "../src/index.ts";

const size = { budgetTokens: 1_500, counter: "estimate" } as const;
const words = "The ferry stops at the old pier beside the customs house. ".repeat(5);
const plain = (count: number) =>
  Array.from({ length: count }, (_, index) => [
    { role: "user", content: `Question ${index}: ${words}` },
    { role: "assistant", content: `Answer ${index}: ${words}` },
  ]).flat();

describe("a blank text before thinking", () => {
  // As a log that writes each block as a message of its own has them.
  const thinking = [{ type: "thinking", thinking: "Let me look.", signature: "c2lnbmVk" }];
  const call = [{ type: "tool_use", id: "toolu_1", name: "read", input: { path: "pier.md" } }];
  const result = [{ type: "tool_result", tool_use_id: "toolu_1", content: "Pier 4." }];
  const history = [
    ...plain(12),
    { role: "user", content: "Where does it stop?" },
    { role: "assistant", content: [{ type: "text", text: "\n\n" }] },
    { role: "assistant", content: thinking },
    { role: "assistant", content: call },
    { role: "user", content: result },
  ];

  test("is left out by fit, and the thinking begins its message", async () => {
    const { messages, report } = await fitHistory(history, size);
    expect(report.compactions.length).toBeGreaterThan(0);
    expect(validate(messages, "anthropic")).toEqual([]);
    expect(JSON.stringify(messages)).not.toContain("(empty message)");
  });

  test("is kept apart by fit where it says something", async () => {
    const said = history.map((item, index) => (index === 25 ? { role: "assistant", content: "Let me see." } : item));
    const { messages } = await fitHistory(said, size);
    expect(validate(messages, "anthropic")).toEqual([]);
    expect(messages.at(-2)).toMatchObject({ role: "assistant", content: [...thinking, ...call] });
  });

  test("is left out of a session's prompt", async () => {
    const session = await (await openPalimpsest(size)).session();
    await session.append(history);
    const prompt = await session.prompt({ provider: "anthropic" });
    const { messages } = prompt.as("anthropic");
    expect(validate(messages, "anthropic")).toEqual([]);
    expect(messages.at(-2)).toMatchObject({ role: "assistant", content: [...thinking, ...call] });
    expect(JSON.stringify(messages)).not.toContain("(empty message)");
  });

  test("is said to be empty where nothing of the assistant follows", async () => {
    const session = await (await openPalimpsest(size)).session();
    await session.append([{ role: "user", content: "Where?" }, history[25], { role: "user", content: "Well?" }]);
    const { messages } = (await session.prompt()).as("anthropic");
    expect(validate(messages, "anthropic")).toEqual([]);
    expect(JSON.stringify(messages[1])).toContain("(empty message)");
  });
});
