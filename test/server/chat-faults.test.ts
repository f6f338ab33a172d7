import { describe, expect, test } from "vitest";
import { FLOOD_BYTES, type ScriptedReply, scriptedReplies } from "../support/scripted-provider-reply.ts";
import { logOf, sentOn, startChat } from "../support/start-chat.ts";

const { text, serverError, rateLimited, reset, hang, unauthorised, overflow, refusal, empty, flood } = scriptedReplies;

const WIRES = ["openai", "anthropic", "google"] as const;
const LONG = "A sentence that is long enough to be cut somewhere in its middle. ".repeat(20);

/** Temporary failures, by name. */
const PASSING: Readonly<Record<string, ScriptedReply>> = {
  "a server error": serverError(500),
  "an overloaded server": serverError(529),
  "a rate limit with a delay": rateLimited("1"),
  "a rate limit without a delay": rateLimited(),
  "a cut stream": reset(LONG, 600),
  "a body that is not JSON": { type: "raw", status: 200, body: "{ this is no JSON" },
  "an empty body": { type: "raw", status: 200, body: "" },
  "an HTML page from a proxy": { type: "raw", status: 502, body: "<html>Bad gateway</html>" },
};

const cases = WIRES.flatMap((wire) => Object.keys(PASSING).map((name) => ({ wire, name })));

test.for(["openai", "google"] as const)(
  "a reply is stored although its provider reports impossible usage, in the format of %s",
  async (wire) => {
    const usage = { inputTokens: -5, outputTokens: 3, cacheReadTokens: 0, cacheWriteTokens: 0 };
    await using chat = await startChat({ wire, script: [{ type: "text", text: "Here I am.", usage }] });
    const { text: words, errors } = await chat.client().say("Are you there?");
    expect({ words, errors }).toEqual({ words: "Here I am.", errors: [] });
    expect(await logOf(chat.server)).toEqual(["user: Are you there?", "assistant: Here I am."]);
  },
);

describe("a provider that fails temporarily", () => {
  test.for(cases)("a provider is called again after $name, in the format of $wire", async ({ wire, name }) => {
    const failure = PASSING[name] as ScriptedReply;
    await using chat = await startChat({ wire, chat: { longestPauseMs: 10 }, script: [failure, text("Here I am.")] });
    const { text: words, errors, chunks } = await chat.client().say("Are you there?");
    expect({ words, errors }).toEqual({ words: "Here I am.", errors: [] });
    expect(chunks).toContainEqual(expect.objectContaining({ type: "data-retry", transient: true }));
    expect(await logOf(chat.server)).toEqual(["user: Are you there?", "assistant: Here I am."]);
  });

  test("is called at most five times, then the stream has the reason and the chat continues", async () => {
    const script = Array.from({ length: 5 }, () => serverError(500));
    await using chat = await startChat({ script: [...script, text("Better now.")] });
    const client = chat.client();
    const { errors, chunks } = await client.say("Hello?");
    expect(errors).toEqual([expect.stringContaining("HTTP 500")]);
    expect(chunks.at(-1)?.type).toBe("error");
    const retries = chunks.flatMap((chunk) => (chunk.type === "data-retry" ? [chunk.data] : []));
    expect(retries).toMatchObject([2, 3, 4, 5].map((attempt) => ({ attempt, attempts: 5 })));
    expect(chat.provider.requests).toHaveLength(5);
    const { body } = await chat.server.ask("GET", "/api/sessions/chat/entries?types=note");
    expect(body.entries).toMatchObject([{ kind: "generation-end", promptId: expect.any(String) }]);
    expect((await client.say("And now?")).text).toBe("Better now.");
    expect(await logOf(chat.server)).toEqual(["user: Hello?", "user: And now?", "assistant: Better now."]);
  });

  test("leaves the partial reply of the last attempt in the log, marked as interrupted", async () => {
    // One byte at a time, so that everything before the reset has arrived.
    const cut: ScriptedReply = { type: "text", text: LONG, byteEveryMs: 0, resetAfterBytes: 2_000 };
    const script = Array.from({ length: 5 }, () => cut);
    await using chat = await startChat({ script: [...script, text("Whole.")] });
    const client = chat.client();
    const { errors, text: words } = await client.say("Tell me.");
    expect(errors).toHaveLength(1);
    expect(words).toMatch(/^A sentence .*\[interrupted\]$/);
    const [, reply] = await logOf(chat.server);
    expect(reply).toMatch(/^assistant: A sentence .*\[interrupted\]$/);
    expect((await client.say("Again.")).metadata.sessionId).toBe("chat");
    expect(await logOf(chat.server)).toHaveLength(4);
  });

  test("is not called again after it hung twice", async () => {
    await using chat = await startChat({ chat: { silenceMs: 150 }, script: [hang(), hang(), text("No third.")] });
    const { errors, chunks } = await chat.client().say("Hello?");
    expect(chunks).toContainEqual(
      expect.objectContaining({ data: expect.objectContaining({ attempt: 2, attempts: 2 }) }),
    );
    expect(errors).toEqual([expect.stringContaining("sent nothing")]);
    expect(chat.provider.requests).toHaveLength(2);
    await chat.provider.settle();
  });

  test("is called again after it hung once", async () => {
    await using chat = await startChat({ chat: { silenceMs: 1_000 }, script: [hang(), text("Sorry.")] });
    expect((await chat.client().say("Hello?")).text).toBe("Sorry.");
  });
});

describe("a provider that fails for good", () => {
  test("is called once if it refuses the key, and the error does not contain the key", async () => {
    await using chat = await startChat({ script: [unauthorised()] });
    const { errors } = await chat.client().say("Hello?");
    expect(errors).toHaveLength(1);
    expect(errors.join()).not.toContain("test-key");
    expect(chat.provider.requests).toHaveLength(1);
  });

  test("has the text of its refusal shown as the reply", async () => {
    await using chat = await startChat({ wire: "anthropic", script: [refusal("Not this.")] });
    const { text: words, chunks } = await chat.client().say("Do it.");
    expect(words).toBe("Not this.");
    expect(chunks.at(-1)).toMatchObject({ type: "finish", finishReason: "content-filter" });
  });

  test("is reported if it sends an empty reply, and the log records the end of the generation", async () => {
    await using chat = await startChat({ script: [empty(), text("Here.")] });
    const client = chat.client();
    const { errors } = await client.say("Say nothing.");
    expect(errors).toEqual(["The model returned no output (stop). Try again."]);
    const { body } = await chat.server.ask("GET", "/api/sessions/chat/entries?types=note");
    expect(body.entries).toMatchObject([{ kind: "generation-end" }]);
    expect((await client.say("Now speak.")).text).toBe("Here.");
  });

  test("is disconnected if it sends too much, and the reply so far is kept", async () => {
    await using chat = await startChat({
      chat: { streamCharacters: 100_000 },
      script: [flood(), text("Short.")],
    });
    const client = chat.client();
    const { errors, text: words } = await client.say("Flood me.");
    expect(errors).toEqual([expect.stringContaining("longer than 100000 characters")]);
    expect(words.length).toBeLessThan(300_000);
    expect(words.endsWith("[interrupted]")).toBe(true);
    await chat.provider.settle();
    expect(chat.provider.bytesSent).toBeLessThan(FLOOD_BYTES / 2);
    expect((await client.say("Go on.")).text).toBe("Short.");
  });
});

describe("a provider that refuses a prompt as too long", () => {
  test.for(WIRES)(
    "a provider that refuses a prompt as too long gets a smaller prompt, in the format of %s",
    async (wire) => {
      await using chat = await startChat({ wire, script: [overflow(), text("That fits.")] });
      const messages = Array.from({ length: 60 }, (_, index) => ({
        id: `m${index}`,
        role: index % 2 === 0 ? "user" : "assistant",
        content: `Message ${index}. ${"Something was said about the harbour and its boats. ".repeat(40)}`,
      }));
      await chat.server.ask("POST", "/api/sessions", { id: "chat" });
      await chat.server.ask("POST", "/api/sessions/chat/messages", { messages });
      const message = { id: "u", role: "user", parts: [{ type: "text", text: "And the boats?" }] };
      const { body } = await chat.server.ask("POST", "/api/chat", { id: "chat", message });
      expect(body).toContain("That fits.");
      const [first, second] = chat.provider.requests.map((request) => sentOn(request).join("\n").length);
      expect(second).toBeLessThan((first ?? 0) * 0.9);
      expect(sentOn(chat.provider.requests[1] as never).at(-1)).toContain("And the boats?");
    },
  );

  test("causes an error if no smaller prompt is possible", async () => {
    await using chat = await startChat({ script: () => overflow() });
    const { errors } = await chat.client().say("Hello?");
    expect(errors).toHaveLength(1);
    expect(chat.provider.requests.length).toBeLessThanOrEqual(5);
    expect(await logOf(chat.server)).toEqual(["user: Hello?"]);
  });
});
