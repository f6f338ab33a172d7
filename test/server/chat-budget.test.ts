/** Turns that would never end: failing tools, too many tokens, too much money, a provider that requests a long wait. */
import { tool } from "ai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { scriptedReplies } from "../support/scripted-provider-reply.ts";
import { startChat, type WireName } from "../support/start-chat.ts";

const { toolCall, text, rateLimited } = scriptedReplies;

const count = tool({
  inputSchema: z.object({ to: z.number() }),
  execute: async ({ to }): Promise<string> => `counted to ${to}`,
});
const fetchPage = tool({
  inputSchema: z.object({ page: z.string() }),
  execute: async (): Promise<string> => {
    throw new Error("no such page");
  },
});
const tools = { count, fetch: fetchPage, open: fetchPage };

/** Repeats one reply for every call. */
const always = (reply: ReturnType<typeof toolCall>) => Array.from({ length: 100 }, () => reply);

describe("a turn ends with a reason", () => {
  test.for<WireName>(["openai", "anthropic", "google"])(
    "when the model calls a tool that does not exist, in the format of %s",
    async (wire) => {
      await using chat = await startChat({ wire, tools, script: [...always(toolCall("launch", { to: "moon" }))] });
      const { errors } = await chat.client().say("hello");
      expect(chat.provider.requests).toHaveLength(3);
      expect(errors).toEqual([expect.stringMatching(/^The model's tool calls failed 3 times; the last was launch: /)]);
    },
  );

  test("when the model calls a tool although none is offered", async () => {
    await using chat = await startChat({ script: [...always(toolCall("launch", { to: "moon" }))] });
    const { errors } = await chat.client().say("hello");
    expect(chat.provider.requests.length).toBeLessThanOrEqual(3);
    expect(errors).toHaveLength(1);
  });

  test("when every call of three rounds has failed, each with a different input", async () => {
    const script = Array.from({ length: 50 }, (_, index) => toolCall("fetch", { page: `page ${index}` }));
    await using chat = await startChat({ tools, script });
    const { errors } = await chat.client().say("hello");
    expect(chat.provider.requests).toHaveLength(3);
    expect(errors).toEqual([expect.stringContaining("fetch: no such page")]);
  });

  test("when the model calls a tool that does not exist three times, between successful calls", async () => {
    const script = Array.from({ length: 50 }, (_, index) =>
      index % 2 === 0 ? toolCall("launch", { to: index }) : toolCall("count", { to: index }),
    );
    await using chat = await startChat({ tools, script });
    const { errors } = await chat.client().say("hello");
    expect(chat.provider.requests).toHaveLength(5);
    expect(errors).toEqual([expect.stringContaining("the last was launch: ")]);
  });

  test("when the model calls three tools that do not exist, between successful calls", async () => {
    const script = Array.from({ length: 50 }, (_, index) =>
      index % 2 === 0 ? toolCall(`launch_${index}`, { to: index }) : toolCall("count", { to: index }),
    );
    await using chat = await startChat({ tools, script });
    const { errors } = await chat.client().say("hello");
    expect(chat.provider.requests).toHaveLength(5);
    expect(errors).toEqual([expect.stringContaining("the last was launch_4: ")]);
  });

  test("when two failing tools are called in turn, and the log has the reason", async () => {
    const calls = [toolCall("fetch", { page: "one" }), toolCall("open", { page: "one" })];
    await using chat = await startChat({ tools, script: Array.from({ length: 25 }, () => calls).flat() });
    const { errors } = await chat.client().say("hello");
    expect(chat.provider.requests).toHaveLength(3);
    const { body } = await chat.server.ask("GET", "/api/sessions/chat/entries?types=note");
    expect(body.entries).toMatchObject([{ kind: "generation-end", text: errors[0] }]);
  });

  test("when its limit of rounds is reached, even if every call succeeds", async () => {
    await using chat = await startChat({ tools, script: always(toolCall("count", { to: 1 })), chat: { rounds: 6 } });
    const { errors } = await chat.client().say("hello");
    expect(chat.provider.requests).toHaveLength(6);
    expect(errors).toEqual(["The model called tools for 6 rounds. Send a message to let it continue."]);
  });

  test("when the same call has failed three times between successful calls", async () => {
    const script = Array.from({ length: 50 }, (_, index) =>
      index % 2 === 0 ? toolCall("fetch", { page: "one" }) : toolCall("count", { to: index }),
    );
    await using chat = await startChat({ tools, script });
    const { errors } = await chat.client().say("hello");
    expect(chat.provider.requests).toHaveLength(5);
    expect(errors).toEqual([expect.stringContaining("fetch: no such page")]);
  });

  test("when its token limit is reached", async () => {
    const usage = { inputTokens: 4_000, outputTokens: 1_000, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const script = always(toolCall("count", { to: 1 })).map((reply) => ({ ...reply, usage }));
    await using chat = await startChat({ tools, script, chat: { turnTokens: 20_000 } });
    const { errors } = await chat.client().say("hello");
    expect(chat.provider.requests).toHaveLength(4);
    expect(errors).toEqual([expect.stringContaining("This turn used 20000 tokens; the limit is 20000")]);
  });

  test("when its cost limit is reached, without the cost of earlier turns", async () => {
    // gpt-4.1-mini costs $0.40 for a million tokens of input.
    const usage = { inputTokens: 1_000_000, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const call = { ...toolCall("count", { to: 1 }), usage };
    const script = [{ ...text("Hello."), usage }, ...Array.from({ length: 50 }, () => call)];
    await using chat = await startChat({ tools, script, chat: { turnUsd: 1 } });
    const client = chat.client();
    expect((await client.say("hello")).errors).toEqual([]);
    const { errors } = await client.say("count");
    expect(chat.provider.requests).toHaveLength(4);
    expect(errors).toEqual([expect.stringContaining("This turn cost $1.20; the limit is $1")]);
  });

  test("when the provider requests a wait of a day, without a retry", async () => {
    await using chat = await startChat({ script: [rateLimited("86400"), text("Here I am.")] });
    const { errors } = await chat.client().say("hello");
    expect(chat.provider.requests).toHaveLength(1);
    expect(errors).toEqual([expect.stringContaining("The provider requests a wait of 86400 s.")]);
  });
});

test("a turn continues while tools succeed, and after two failed calls if another call succeeds", async () => {
  const script = [
    toolCall("fetch", { page: "one" }),
    toolCall("fetch", { page: "two" }),
    toolCall("count", { to: 1 }),
    toolCall("fetch", { page: "three" }),
    toolCall("count", { to: 2 }),
    text("Done."),
  ];
  await using chat = await startChat({ tools, script });
  const { text: content, errors } = await chat.client().say("hello");
  expect({ content, errors }).toEqual({ content: "Done.", errors: [] });
});
