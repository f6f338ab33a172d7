/** `fit` over real message instances of LangChain, which Palimpsest does not import. */
import { AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { describe, expect, test } from "vitest";
import { fit as fitHistory, openPalimpsest } from "../../src/index.ts";

const words = "The ferry stops at the old pier beside the customs house. ".repeat(6);
const call = (id: string) => [
  new AIMessage({ content: "", tool_calls: [{ id, name: "read", args: { path: `${id}.md` } }] }),
  new ToolMessage({ content: `Output ${id}: ${words.repeat(4)}`, tool_call_id: id, name: "read" }),
];
const turn = (index: number) => [
  new HumanMessage(`Question ${index}: ${words}`),
  ...call(`call-${index}`),
  new AIMessage(`Answer ${index}: ${words}`),
];
const history: BaseMessage[] = [
  new SystemMessage("Be brief."),
  ...Array.from({ length: 10 }, (_, i) => turn(i)).flat(),
];
const size = { budgetTokens: 3_000, counter: "estimate" } as const;

describe("fit over instances of LangChain's messages", () => {
  test("returns instances for the summary and for shortened output, and the caller's own for the rest", async () => {
    const { messages, report } = await fitHistory(history, size);
    expect(report.compactions.length).toBeGreaterThan(0);
    expect(messages.every((message) => BaseMessage.isInstance(message))).toBe(true);
    const made = messages.filter((message) => !history.includes(message));
    const summary = made.find((message) => HumanMessage.isInstance(message));
    expect(summary?.getType()).toBe("human");
    expect(summary).toBeInstanceOf(HumanMessage);
    expect(summary?.text).toContain("Summary of the");
    expect(messages.at(-1)).toBe(history.at(-1));
  });

  test("returns a ToolMessage for an output that it shortened", async () => {
    const long = new ToolMessage({
      content: words.repeat(80),
      tool_call_id: "call-x",
      name: "read",
      status: "success",
    });
    const { messages } = await fitHistory([...turn(0), ...call("call-x").slice(0, 1), long], size);
    const cut = messages.find((message) => ToolMessage.isInstance(message) && message.tool_call_id === "call-x");
    expect(cut).not.toBe(long);
    expect(cut).toBeInstanceOf(ToolMessage);
    expect(cut).toMatchObject({ name: "read", status: "success", tool_call_id: "call-x" });
  });

  test("takes its result as the next history, and returns it unchanged", async () => {
    const { messages } = await fitHistory(history, size);
    const { messages: again, report } = await fitHistory(messages, size);
    expect(report.compactions).toEqual([]);
    expect(again.every((message, index) => message === messages[index])).toBe(true);
  });

  test("returns a plain object for a kind of message that the list does not contain", async () => {
    const answers: BaseMessage[] = Array.from({ length: 20 }, (_, index) => new AIMessage(`Answer ${index}: ${words}`));
    const { messages } = await fitHistory(answers, { ...size, budgetTokens: 1_000 });
    expect(messages[0]).toMatchObject({ type: "human" });
    expect(BaseMessage.isInstance(messages[0])).toBe(false);
    expect(messages.at(-1)).toBe(answers.at(-1));
  });
});

describe("items of OpenAI that LangChain keeps beside the content", () => {
  const sealed = "gAAAAB".padEnd(2_000, "sealed");
  const reasoning = { id: "rs_1", type: "reasoning", summary: [], encrypted_content: sealed };
  const compaction = { id: "cmp_1", type: "compaction", encrypted_content: sealed };
  const text = words.repeat(60);
  const say = (said: string) => ({
    id: "msg_1",
    type: "message",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: said, annotations: [] }],
  });
  const answer = (said: string, output: readonly object[]) =>
    new AIMessage({ content: said, response_metadata: { output: [...output, say(said)] } });

  test("are counted, and move to OpenAI's own format", async () => {
    const session = await (await openPalimpsest({ counter: "estimate" })).session();
    const beside = new AIMessage({ content: "At pier 4.", additional_kwargs: { reasoning } });
    await session.append([new HumanMessage("Where?"), beside], { format: "langchain" });
    const prompt = await session.prompt();
    expect(prompt.report.tokens).toBeGreaterThan(350);
    expect(prompt.as("openai-responses").input).toContainEqual(reasoning);
    expect(prompt.forLangChain().messages[1]).toMatchObject({ additional_kwargs: { reasoning } });
    const { messages } = await fitHistory([new HumanMessage("Where?"), beside], size);
    expect(messages[1]).toBe(beside);
  });

  test("keep a compaction over a fold", async () => {
    const compacted = answer("I will go on.", [compaction]);
    const { messages, report } = await fitHistory([new HumanMessage("Go."), compacted, ...history.slice(1)], size);
    expect(report.compactions.length).toBeGreaterThan(0);
    expect(messages).toContain(compacted);
  });

  test("are left out of a message that was shortened, because LangChain would send them instead of it", async () => {
    const whole = [new HumanMessage("Tell me everything."), answer(text, [reasoning]), new HumanMessage("And?")];
    const { messages, report } = await fitHistory(whole, { ...size, budgetTokens: 1_500 });
    expect(report.plan.runs.map(({ fate }) => fate)).toContain("cut");
    const cut = messages.find((message) => AIMessage.isInstance(message));
    expect(cut?.text.length).toBeLessThan(text.length);
    expect(JSON.stringify(cut?.response_metadata)).not.toContain("output_text");
    const { messages: unchanged } = await fitHistory(whole, { ...size, budgetTokens: 20_000 });
    expect(unchanged[1]).toBe(whole[1]);
  });
});
