/** `report.repairs` names faults of the caller's history, and nothing that the engine added itself. */
import { describe, expect, test } from "vitest";
import { fit as fitHistory, openPalimpsest } from "../src/index.ts";

const words = "It compiles the module, runs its checks and writes what it found to the log. ".repeat(6);

/** Turns of an agent: a request, eight calls with their results, and an answer. */
const history = Array.from({ length: 6 }, (_, turn) => [
  { role: "user", content: `Request ${turn}: please look at module ${turn}.` },
  ...Array.from({ length: 8 }, (__, round) => {
    const call = { toolCallId: `call-${turn}-${round}`, toolName: "read" };
    return [
      { role: "assistant", content: [{ type: "tool-call", ...call, input: { path: `src/${turn}-${round}.ts` } }] },
      { role: "tool", content: [{ type: "tool-result", ...call, output: { type: "text", value: words } }] },
    ];
  }).flat(),
  { role: "assistant", content: `Done with module ${turn}. ${words}` },
]).flat();

const POLICIES = ["default", "rolling-chat", "windowed-sql", "agent-rounds", "workspace", "ratio-chain"] as const;

describe("a valid history that was folded needs no repair", () => {
  test.each(POLICIES)("under %s", async (policy) => {
    for (const length of [history.length, history.length - 1, history.length - 17]) {
      const { report } = await fitHistory(history.slice(0, length), { budgetTokens: 1_500, policy });
      expect(report.compactions.length).toBeGreaterThan(0);
      expect(report.repairs).toEqual([]);
    }
  });

  test("when its output is fed back", async () => {
    const options = { budgetTokens: 1_500 };
    const fitted = await fitHistory(history, options);
    const again = await fitHistory([...fitted.messages, { role: "user", content: "What is left?" }], options);
    expect(again.report.repairs).toEqual([]);
  });

  test("in a session", async () => {
    const palimpsest = await openPalimpsest({ budgetTokens: 1_500 });
    const session = await palimpsest.session("s");
    for (const message of history) await session.append(message);
    const { report } = await session.prompt({ next: { role: "user", content: "What is left?" } });
    expect(report.compactions.length).toBeGreaterThan(0);
    expect(report.repairs).toEqual([]);
    await palimpsest.close();
  });
});

test("two consecutive requests of the caller are reported, also after a fold", async () => {
  const twice = [...history, { role: "user", content: "Are you there?" }, { role: "user", content: "Hello?" }];
  const { report } = await fitHistory(twice, { budgetTokens: 1_500 });
  expect(report.repairs.map(({ kind, messageId }) => [kind, messageId])).toEqual([
    ["repeated-user", `message-${twice.length - 1}`],
  ]);
});
