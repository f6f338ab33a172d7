import { describe, expect, test } from "vitest";
import { fit as fitHistory, openPalimpsest } from "../src/compose.ts";
import type { FitState } from "../src/engine/fit-state.ts";

const words = "the quick brown fox jumps over the lazy dog ".repeat(4);
const plain = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `Message ${index}: ${words}`,
  }));

const size = { budgetTokens: 1_000, counter: "estimate" };

describe("fit", () => {
  test("gives back a history that fits as it is, by identity", async () => {
    const history = plain(4);
    const { messages, report } = await fitHistory(history, size);
    expect(messages).toEqual(history);
    for (const [index, message] of messages.entries()) expect(message).toBe(history[index]);
    expect(report.compactions).toEqual([]);
  });

  test("keeps the newest messages by identity and says what is not shown", async () => {
    const history = plain(100);
    const { messages, report } = await fitHistory(history, size);
    expect(report.tokens).toBeLessThanOrEqual(1_000);
    expect(messages.at(-1)).toBe(history.at(-1));
    expect(JSON.stringify(messages[0])).toMatch(/\[\d+ earlier messages \(\d+ tokens\) not shown here/);
    const shown = messages.length - 1;
    expect(JSON.stringify(messages[0])).toContain(`[${history.length - shown} earlier`);
  });

  test("gives what a memory session with the same policy gives, fed message by message", async () => {
    const history = plain(60).map((message, index) => ({
      id: `m${index}`,
      role: message.role,
      parts: [{ type: "text", text: message.content }],
    }));
    const session = await (await openPalimpsest(size)).session();
    for (let length = 1; length <= history.length; length += 1) {
      await session.append(history[length - 1]);
      const prompt = await session.prompt();
      const fitted = await fitHistory(history.slice(0, length), size);
      expect(texts(fitted.messages)).toEqual(texts(prompt.messages));
    }
  });

  test("with the state of the last call gives the same as without, also when the state went through JSON", async () => {
    const history = plain(80);
    let live: FitState | undefined;
    let stored: FitState | undefined;
    for (let length = 1; length <= history.length; length += 1) {
      const list = history.slice(0, length);
      const whole = await fitHistory(list, size);
      const fromLive = await fitHistory(list, { ...size, state: live });
      const fromStored = await fitHistory(list, { ...size, state: stored });
      live = fromLive.state;
      stored = JSON.parse(JSON.stringify(fromStored.state)) as FitState;
      expect(fromLive.messages).toEqual(whole.messages);
      expect(fromStored.messages).toEqual(whole.messages);
      expect(fromLive.report.startedOver || fromStored.report.startedOver).toBe(false);
    }
  });

  test("the same state can be used twice", async () => {
    const history = plain(30);
    const { state } = await fitHistory(history.slice(0, 20), size);
    const one = await fitHistory(history, { ...size, state });
    const two = await fitHistory(history, { ...size, state });
    expect(two.messages).toEqual(one.messages);
  });

  test("starts over, and says so, when the history does not continue the state", async () => {
    const { state } = await fitHistory(plain(20), size);
    const other = plain(20).map((message) => ({ ...message, content: `Other ${message.content}` }));
    const { messages, report } = await fitHistory(other, { ...size, state });
    expect(report.startedOver).toBe(true);
    expect(messages).toEqual((await fitHistory(other, size)).messages);
  });

  test("reads only what is new when it has the state", async () => {
    let touched = 0;
    const watch = (message: object) =>
      new Proxy(message, {
        get: (target, key) => {
          touched += 1;
          return Reflect.get(target, key);
        },
      });
    // The last item is looked at again: it may have grown in place.
    const history: object[] = plain(40).map((message, index) => (index < 39 ? watch(message) : message));
    const { state } = await fitHistory(history, size);
    touched = 0;
    await fitHistory([...history, { role: "user", content: "new" }], { ...size, state });
    expect(touched).toBe(0);
  });

  test("starts over when an older message that is shown was replaced", async () => {
    const history = plain(10);
    const { state } = await fitHistory(history.slice(0, 4), size);
    const edited = history.map((message, index) => (index === 2 ? { ...message, content: "edited" } : message));
    const { messages, report } = await fitHistory(edited, {
      ...size,
      state: JSON.parse(JSON.stringify(state)) as FitState,
    });
    expect(messages).toEqual((await fitHistory(edited, size)).messages);
    expect(report.tokens).toBe((await fitHistory(edited, size)).report.tokens);
  });

  test("fits again when the limit has become smaller, also when nothing is new", async () => {
    const history = plain(20);
    const { state } = await fitHistory(history, { ...size, budgetTokens: 5_000 });
    const { report } = await fitHistory(history, { ...size, budgetTokens: 300, state });
    expect(report.tokens).toBeLessThanOrEqual(300);
    expect(report.compactions).toMatchObject([{ atItem: 20 }]);
  });

  test("refuses a list of mixed shapes instead of dropping words", async () => {
    const mixed = [
      { role: "user", content: "x" },
      { role: "model", parts: [{ text: "y" }] },
    ];
    await expect(fitHistory(mixed, size)).rejects.toMatchObject({
      code: "message-invalid",
      message: expect.stringContaining("messages[0]"),
    });
  });

  test("never parts a call from its result, in OpenAI's shape", async () => {
    const history = Array.from({ length: 20 }, (_, index) => [
      { role: "user", content: `Look at file ${index}` },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          {
            id: `call_${index}`,
            type: "function",
            function: { name: "read_file", arguments: `{"path":"src/${index}.ts"}` },
          },
        ],
      },
      { role: "tool", tool_call_id: `call_${index}`, content: `content of ${index}: ${words}` },
      { role: "assistant", content: `File ${index} is fine.` },
    ]).flat();
    const { messages, report } = await fitHistory(history, { ...size, budgetTokens: 600 });
    expect(report.format).toBe("openai-chat");
    const calls = messages.flatMap((message) =>
      "tool_calls" in message ? (message.tool_calls ?? []).map(({ id }) => id) : [],
    );
    const results = messages.flatMap((message) => ("tool_call_id" in message ? [message.tool_call_id] : []));
    expect(calls.length).toBeGreaterThan(0);
    expect(results).toEqual(calls);
  });

  test("stands in for a result that is still to come, and drops the stand-in when it is there", async () => {
    const call = { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "run", input: {} }] };
    const open = await fitHistory([{ role: "user", content: "run it" }, call], size);
    expect(open.report.volatileBlocks).toBe(1);
    expect(JSON.stringify(open.messages)).toContain("no result was recorded");
    const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "done" }] };
    const closed = await fitHistory([{ role: "user", content: "run it" }, call, result], {
      ...size,
      state: open.state,
    });
    expect(closed.report.volatileBlocks).toBe(0);
    expect(closed.messages).toEqual([{ role: "user", content: "run it" }, call, result]);
  });

  test("cuts the middle of one message that is larger than the budget", async () => {
    const { messages, report } = await fitHistory(
      [{ role: "user", content: `begin ${"word ".repeat(5_000)}end` }],
      size,
    );
    expect(report.compactions[0]?.steps).toEqual(["cut"]);
    expect(String(messages[0]?.content)).toMatch(/^begin .*\[… cut to save room …\].* end$/s);
  });

  test("says what is wrong and where", async () => {
    await expect(
      fitHistory(
        [
          { role: "user", content: "a" },
          { role: "alien", content: "b" },
        ],
        size,
      ),
    ).rejects.toMatchObject({
      code: "message-invalid",
      message: expect.stringContaining("messages[1]"),
    });
    await expect(fitHistory("text" as never, size)).rejects.toMatchObject({ code: "message-invalid" });
  });
});

function texts(messages: readonly unknown[]): readonly string[] {
  return messages.flatMap((message) => strings(message)).filter((text) => text.length > 12);
}

function strings(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(strings) : [];
}
