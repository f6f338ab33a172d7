import { tool, type UIMessage } from "ai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { scriptedReplies } from "../support/scripted-provider-reply.ts";
import { logOf, sentOn, startChat, until } from "../support/start-chat.ts";

const { text, toolCall, held } = scriptedReplies;

const weather = tool({
  description: "The weather of a place.",
  inputSchema: z.object({ place: z.string() }),
  execute: async ({ place }) => ({ place, sky: "clear" }),
});

describe("a chat through the AI SDK's own transport", () => {
  test.for(["openai", "anthropic", "google"] as const)(
    "a chat gets an answer in every turn, in the format of %s",
    async (wire) => {
      await using chat = await startChat({ wire, script: [text("Hello, you."), text("Fine, thanks.")] });
      const client = chat.client();
      expect((await client.say("Hello.")).text).toBe("Hello, you.");
      expect((await client.say("How are you?")).text).toBe("Fine, thanks.");
      expect(await logOf(chat.server)).toEqual([
        "user: Hello.",
        "assistant: Hello, you.",
        "user: How are you?",
        "assistant: Fine, thanks.",
      ]);
      expect((await chat.server.ask("GET", "/api/sessions")).body.sessions).toHaveLength(1);
      await chat.provider.settle();
    },
  );

  test("stores the user message in the log before the model is called", async () => {
    const { promise: rest, resolve: goOn } = Promise.withResolvers<void>();
    await using chat = await startChat({ script: [held("Slowly said.", rest)] });
    const reading = chat.client().say("Is it there?");
    await until(() => chat.provider.requests.length === 1);
    const before = await logOf(chat.server);
    goOn();
    await reading;
    expect(before).toEqual(["user: Is it there?"]);
    expect(await logOf(chat.server)).toHaveLength(2);
  });

  test("ends with metadata: session, prompt, usage and cost", async () => {
    await using chat = await startChat({ script: [text("Hello.")] });
    const { metadata, chunks } = await chat.client().say("Hello.");
    expect(chunks[0]).toMatchObject({ type: "start", messageMetadata: { sessionId: "chat" } });
    expect(chunks.at(-1)).toMatchObject({ type: "finish", finishReason: "stop" });
    expect(metadata).toMatchObject({
      sessionId: "chat",
      promptId: expect.stringMatching(/^prompt_/),
      usage: { inputTokens: 1_200, outputTokens: 48, cacheReadTokens: 1_024 },
      prompt: { tokens: expect.any(Number), limitTokens: expect.any(Number), windowTokens: expect.any(Number) },
      cachedShare: 1_024 / 1_200,
      rounds: 1,
    });
    const { body } = await chat.server.ask("GET", "/api/sessions/chat/messages");
    expect(body.entries[1].usage).toMatchObject({ inputTokens: 1_200, outputTokens: 48 });
    expect(body.entries[1].promptId).toBe(metadata.promptId);
  });

  test("accepts each new message alone, and answers it after the earlier ones", async () => {
    await using chat = await startChat({ script: [text("One."), text("Two.")] });
    const message = { id: "u1", role: "user", parts: [{ type: "text", text: "Hello." }] };
    const first = await chat.server.ask("POST", "/api/chat", { id: "s", message });
    expect(first.headers.get("x-vercel-ai-ui-message-stream")).toBe("v1");
    expect(first.body).toContain('"delta":"One."');
    expect(first.body.trimEnd().endsWith("data: [DONE]")).toBe(true);
    const next = { id: "u2", role: "user", parts: [{ type: "text", text: "And?" }] };
    await chat.server.ask("POST", "/api/chat", { id: "s", message: next });
    expect(await logOf(chat.server, "s")).toEqual(["user: Hello.", "assistant: One.", "user: And?", "assistant: Two."]);
  });

  test.for([
    [{ id: "s" }, "request-invalid"],
    [{ id: "s", messages: [] }, "request-invalid"],
    [{ id: "s", messages: [{ role: "user", parts: "no list" }] }, "message-invalid"],
    [{ id: "s", messages: [{ role: "user", parts: [{ type: "text", text: 7 }] }] }, "message-invalid"],
    [{ id: "s", message: { role: "nobody", content: "Hello." } }, "message-invalid"],
    [{ id: "s", message: { role: "user", content: "Hello." }, model: "no-such-model" }, "config-invalid"],
    [{ messages: [{ role: "user", content: "Hello." }] }, "request-invalid"],
  ] as const)("a chat refuses %j and creates no session", async ([body, code]) => {
    await using chat = await startChat({ script: [] });
    const answered = await chat.server.ask("POST", "/api/chat", body);
    expect(answered).toMatchObject({ status: 400, body: { error: { code } } });
    expect((await chat.server.ask("GET", "/api/sessions")).body.sessions).toEqual([]);
    expect(chat.provider.requests).toEqual([]);
  });
});

describe("a list of messages that a client resends", () => {
  test("creates a fork if a reply is regenerated, and the client's next turns continue in the fork", async () => {
    await using chat = await startChat({ script: [text("One."), text("Other."), text("On."), text("Third.")] });
    const client = chat.client();
    await client.say("Count.");
    const again = await client.regenerate();
    expect(again.text).toBe("Other.");
    const { sessionId = "" } = again.metadata;
    expect(sessionId).not.toBe("chat");
    expect(again.chunks).toContainEqual({
      type: "data-session",
      transient: true,
      data: { id: sessionId, forked: { from: "chat", atSeq: 1 } },
    });
    expect((await client.say("Go on.")).metadata).toMatchObject({ sessionId });
    expect(await logOf(chat.server, sessionId)).toEqual([
      "user: Count.",
      "assistant: Other.",
      "user: Go on.",
      "assistant: On.",
    ]);
    expect(await logOf(chat.server)).toEqual(["user: Count.", "assistant: One."]);
    expect((await client.say("And on.")).metadata).toMatchObject({ sessionId });
    expect((await chat.server.ask("GET", "/api/sessions")).body.sessions).toHaveLength(2);
  });

  test("creates a fork if the client has edited a message", async () => {
    await using chat = await startChat({ script: [text("One."), text("Two."), text("Edited.")] });
    const client = chat.client();
    await client.say("First.");
    await client.say("Second.");
    const edited: UIMessage = { id: "chat-u1", role: "user", parts: [{ type: "text", text: "First, but other." }] };
    client.messages = [edited];
    const reply = await client.take(await client.request({ trigger: "submit-message", messageId: "chat-u1" }));
    const { sessionId = "" } = reply.metadata;
    expect(await logOf(chat.server, sessionId)).toEqual(["user: First, but other.", "assistant: Edited."]);
    expect(await logOf(chat.server)).toHaveLength(4);
    expect(sentOn(chat.provider.requests.at(-1) as never)).toEqual(["user: First, but other."]);
  });

  test("never changes the session of another chat, even if the messages are a copy of that chat", async () => {
    await using chat = await startChat({ script: [text("Mine."), text("Copied.")] });
    const client = chat.client("mine");
    await client.say("Hello.");
    const copy = chat.client("copy");
    copy.messages = structuredClone(client.messages);
    await copy.say("And now?");
    expect(await logOf(chat.server, "mine")).toEqual(["user: Hello.", "assistant: Mine."]);
    expect(await logOf(chat.server, "copy")).toEqual([
      "user: Hello.",
      "assistant: Mine.",
      "user: And now?",
      "assistant: Copied.",
    ]);
  });

  test("is not needed to regenerate a reply by its id", async () => {
    await using chat = await startChat({ script: [text("One."), text("Two."), text("Other.")] });
    const client = chat.client();
    await client.say("Count.");
    const reply = await client.say("On.");
    const messageId = reply.message?.id;
    const { body } = await chat.server.ask("POST", "/api/chat", {
      id: "chat",
      trigger: "regenerate-message",
      messageId,
    });
    const sessionId = /"id":"(?<id>[^"]+)","forked"/.exec(body)?.groups?.id ?? "";
    expect(await logOf(chat.server, sessionId)).toEqual([
      "user: Count.",
      "assistant: One.",
      "user: On.",
      "assistant: Other.",
    ]);
    const unknown = await chat.server.ask("POST", "/api/chat", {
      id: "chat",
      trigger: "regenerate-message",
      messageId: "nobody",
    });
    expect(unknown.body.error.code).toBe("request-invalid");
  });
});

describe("tools of the host", () => {
  test.for(["openai", "anthropic", "google"] as const)(
    "are called in rounds that are each stored, in the format of %s",
    async (wire) => {
      await using chat = await startChat({
        wire,
        tools: { weather },
        script: [
          toolCall("weather", { place: "Cork" }),
          toolCall("weather", { place: "Bern" }),
          text("Clear in both."),
        ],
      });
      const client = chat.client();
      const { message, chunks } = await client.say("How is it in Cork and Bern?");
      expect(chunks.filter(({ type }) => type === "start-step")).toHaveLength(3);
      expect(message?.parts.filter(({ type }) => type === "tool-weather")).toMatchObject([
        { state: "output-available", output: { place: "Cork", sky: "clear" } },
        { state: "output-available", output: { place: "Bern", sky: "clear" } },
      ]);
      const log = await logOf(chat.server);
      expect(log.map((line) => line.slice(0, 28))).toEqual([
        "user: How is it in Cork and ",
        "assistant: calls weather",
        expect.stringMatching(/^tool: answers/),
        "assistant: calls weather",
        expect.stringMatching(/^tool: answers/),
        "assistant: Clear in both.",
      ]);
      const requests = JSON.stringify(chat.provider.requests.at(-1)?.body);
      expect(requests).toContain("Cork");
      expect(requests).toContain("Bern");
    },
  );

  test("leave a list that the client can resend without a fork", async () => {
    await using chat = await startChat({
      tools: { weather },
      script: [toolCall("weather", { place: "Cork" }), text("Clear."), text("Welcome.")],
    });
    const client = chat.client();
    await client.say("How is it in Cork?");
    await client.say("Thanks.");
    expect((await chat.server.ask("GET", "/api/sessions")).body.sessions).toHaveLength(1);
    expect(await logOf(chat.server)).toHaveLength(6);
  });

  test("can fail, and the model then gets the error", async () => {
    const broken = tool({
      inputSchema: z.object({}),
      execute: async (): Promise<string> => {
        throw new Error("The barometer is broken.");
      },
    });
    await using chat = await startChat({
      tools: { broken },
      script: [toolCall("broken", {}), text("I could not look.")],
    });
    const { text: words } = await chat.client().say("Look.");
    expect(words).toBe("I could not look.");
    expect(JSON.stringify(chat.provider.requests[1]?.body)).toContain("The barometer is broken.");
  });

  test("that only the client has are answered by it, and the same reply continues", async () => {
    const ask = { description: "Asks the person.", inputSchema: z.object({ question: z.string() }) };
    await using chat = await startChat({
      tools: { ask },
      script: [toolCall("ask", { question: "Which?" }), text("Blue it is.")],
    });
    const client = chat.client();
    const first = await client.say("Paint it.");
    expect(first.chunks.at(-1)).toMatchObject({ type: "finish", finishReason: "tool-calls" });
    const reply = structuredClone(first.message) as UIMessage;
    reply.parts = reply.parts.map((part) =>
      part.type === "tool-ask" ? ({ ...part, state: "output-available", output: "blue" } as typeof part) : part,
    );
    client.messages = [...client.messages.slice(0, -1), reply];
    const second = await client.take(await client.request({ trigger: "submit-message", messageId: reply.id }));
    expect(second.message?.id).toBe(reply.id);
    expect(second.text).toBe("Blue it is.");
    expect(await logOf(chat.server)).toEqual([
      "user: Paint it.",
      "assistant: calls ask",
      'tool: answers {"type":"text","text":"blue"}',
      "assistant: Blue it is.",
    ]);
  });

  test("are called in no more rounds than the limit, and earlier results are kept", async () => {
    await using chat = await startChat({
      tools: { weather },
      chat: { rounds: 3 },
      script: () => toolCall("weather", { place: "Cork" }),
    });
    const { errors } = await chat.client().say("For ever.");
    expect(errors).toEqual([expect.stringContaining("3 rounds")]);
    expect(await logOf(chat.server)).toHaveLength(7);
  });
});
