/** `fit` over the items of the OpenAI Agents SDK, through its runner and as single items. */
import { Agent, type AgentInputItem, OpenAIProvider, Runner, setTracingDisabled, tool } from "@openai/agents";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { validate } from "../../src/core/public/index.ts";
import { fit as fitHistory, openPalimpsest } from "../../src/index.ts";
import { PIXEL } from "../support/pixel.ts";
import { BUDGET_TOKENS } from "./contract.ts";
import { writeWords } from "./strict-provider.ts";
import { startStrictResponses } from "./strict-responses.ts";

setTracingDisabled(true);

const lookup = tool({
  name: "lookup",
  description: "Looks a topic up.",
  parameters: z.object({ topic: z.string() }),
  execute: async ({ topic }) => `Found on ${topic}: ${writeWords(150, topic.charCodeAt(topic.length - 1))}`,
});
const instructions = "Answer briefly.";
const agent = new Agent({ name: "helper", instructions, model: "gpt-5", tools: [lookup] });
const tools = [{ name: lookup.name, description: lookup.description, parameters: lookup.parameters }];
const size = {
  budgetTokens: BUDGET_TOKENS,
  counter: "estimate",
  format: "openai-agents",
  instructions,
  tools,
} as const;

test("fit keeps a run of the Agents SDK valid and in budget when its result is the next history", async () => {
  await using provider = await startStrictResponses();
  const runner = new Runner({
    modelProvider: new OpenAIProvider({ apiKey: "test-key", baseURL: `${provider.url}/v1` }),
  });
  let history: AgentInputItem[] = [];
  let folds = 0;
  let unchanged = 0;
  const shorten = async (items: readonly AgentInputItem[]) => {
    const { messages, report } = await fitHistory(items, size);
    expect(report.format).toBe("openai-agents");
    folds += report.compactions.length;
    unchanged += messages.filter((item) => items.includes(item)).length;
    return messages;
  };
  for (let turn = 0; turn < 12; turn += 1) {
    const picture = { type: "input_image" as const, image: `data:image/png;base64,${PIXEL}` };
    const text = { type: "input_text" as const, text: `Question ${turn}: ${writeWords(110, turn)}?` };
    history.push({ type: "message", role: "user", content: turn % 5 === 1 ? [text, picture] : [text] });
    const result = await runner.run(agent, history, {
      callModelInputFilter: async ({ modelData }) => ({ ...modelData, input: await shorten(modelData.input) }),
    });
    expect(result.finalOutput).toContain("Answer");
    history = await shorten(result.history);
  }
  expect(provider.faults).toEqual([]);
  expect(Math.max(...provider.sizes)).toBeLessThanOrEqual(BUDGET_TOKENS);
  expect(folds).toBeGreaterThan(1);
  expect(unchanged).toBeGreaterThan(50);
});

describe("items of the Agents SDK", () => {
  const words = "The ferry stops at the old pier beside the customs house. ".repeat(20);
  const items: AgentInputItem[] = [
    { type: "message", role: "user", content: "Look for the pier." },
    { type: "reasoning", id: "rs_1", content: [], providerData: { type: "reasoning", encrypted_content: "gAAAAB" } },
    {
      type: "hosted_tool_call",
      id: "ws_1",
      name: "web_search_call",
      status: "completed",
      providerData: { type: "web_search_call", id: "ws_1", action: { type: "search", query: "pier" } },
    },
    {
      type: "hosted_tool_call",
      id: "mcp_1",
      name: "mcp_call",
      status: "completed",
      output: "Pier 4.",
      providerData: { type: "mcp_call", id: "mcp_1", name: "find", arguments: "{}", server_label: "harbor" },
    },
    { type: "compaction", id: "cmp_1", encrypted_content: "gAAAAB-sealed" },
    { type: "function_call", id: "fc_1", callId: "call_1", name: "read", arguments: "{}", status: "completed" },
    {
      type: "function_call_result",
      callId: "call_1",
      name: "read",
      status: "completed",
      output: { type: "text", text: words },
    },
    {
      type: "message",
      id: "msg_1",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: words.repeat(3), providerData: { annotations: [] } }],
      providerData: { phase: "final_answer" },
    },
    { type: "message", role: "user", content: "And the ship?" },
  ];

  test("are returned as the same objects if they fit", async () => {
    const { messages, report } = await fitHistory(items, { ...size, budgetTokens: 50_000 });
    expect(report.format).toBe("openai-agents");
    expect(messages.every((item, index) => item === items[index])).toBe(true);
  });

  test("keep their form, ids and states if they are shortened", async () => {
    const long = { ...size, budgetTokens: 900 };
    const output: AgentInputItem = {
      type: "function_call_result",
      callId: "call_1",
      name: "read",
      status: "completed",
      output: { type: "text", text: words.repeat(5) },
    };
    const { messages } = await fitHistory([...items.slice(0, 1), ...items.slice(5, 6), output], long);
    expect(messages.slice(0, 2)).toEqual([items[0], items[5]]);
    expect(messages[2]).toMatchObject({ callId: "call_1", name: "read", status: "completed" });
    expect(JSON.stringify(messages[2]).length).toBeLessThan(words.length * 4);
    const { messages: again } = await fitHistory(messages, long);
    expect(again.every((item, index) => item === messages[index])).toBe(true);
    const said = await fitHistory([...items.slice(0, 1), ...items.slice(7)], { ...long, budgetTokens: 600 });
    const answer = said.messages.find((item) => item.type === "message" && item.role === "assistant");
    expect(answer).toMatchObject({ id: "msg_1", status: "completed", providerData: { phase: "final_answer" } });
    expect(answer).not.toBe(items[7]);
  });

  test("keep a compaction over a fold, before our summary, which is a user message", async () => {
    const { messages, report } = await fitHistory(items, { ...size, budgetTokens: 900 });
    expect(report.compactions.length).toBeGreaterThan(0);
    expect(messages[0]).toBe(items[4]);
    expect(messages[1]).toMatchObject({ type: "message", role: "user" });
    expect(messages.at(-1)).toBe(items.at(-1));
  });

  test("become valid items of the Responses API in a session, tools of the provider included", async () => {
    const session = await (await openPalimpsest({ counter: "estimate" })).session();
    await session.append(items);
    const { input } = (await session.prompt({ model: "gpt-5" })).as("openai-responses");
    expect(validate(input, "openai-responses")).toEqual([]);
    expect(input).toContainEqual({
      type: "mcp_call",
      id: "mcp_1",
      name: "find",
      arguments: "{}",
      server_label: "harbor",
      status: "completed",
      output: "Pier 4.",
    });
    expect(input).toContainEqual({ type: "compaction", id: "cmp_1", encrypted_content: "gAAAAB-sealed" });
    expect(JSON.stringify(input)).not.toContain("providerData");
    expect(JSON.stringify(input)).not.toContain('"agents"');
  });
});
