/** The double of Anthropic's Messages API: each rule with a request that it accepts and one that it refuses. */
import { createAnthropic } from "@ai-sdk/anthropic";
import { generateText, streamText } from "ai";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../core/message/json.ts";
import { type AnthropicRequest, BINDING_BETA, createAnthropicDouble, type Verdict } from "./anthropic-double.ts";
import { startAnthropicDouble } from "./start-anthropic-double.ts";
import { describeThinkingModel } from "./thinking-models.ts";

const CHECKING = "claude-opus-5-5";
const UNCHECKED = "claude-opus-4-8";

const thinking = (text: string): JsonObject => ({ type: "thinking", thinking: text });
const text = (words: string): JsonObject => ({ type: "text", text: words });
const call = (id: string): JsonObject => ({ type: "tool_use", id, name: "read", input: { path: "a.ts" } });
const result = (id: string): JsonObject => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: id, content: "1" }],
});
const user = (content: string): JsonObject => ({ role: "user", content });
const assistant = (content: readonly JsonObject[]): JsonObject => ({ role: "assistant", content });

/** Creates a conversation in which each reply is issued after everything before it. */
function converse(model = CHECKING, extra: JsonObject = {}) {
  const double = createAnthropicDouble();
  const messages: JsonObject[] = [];
  const base: JsonObject = { model, max_tokens: 4_000, system: "Be brief.", tools: [{ name: "read" }], ...extra };
  return {
    double,
    messages,
    base,
    say(question: JsonObject, reply: readonly JsonObject[]) {
      messages.push(question);
      const request = { body: { ...base, messages: [...messages] } };
      expect(double.judge(request)).toEqual({ type: "accepted", dropped: [] });
      messages.push(assistant(double.issue(request, reply)));
    },
    judge(changed: JsonObject = {}, headers?: AnthropicRequest["headers"]): Verdict {
      return double.judge({ body: { ...base, messages: [...messages, user("And now?")], ...changed }, headers });
    },
  };
}

/** Creates two turns with thinking; the second has two thinking blocks. */
function twoTurns(model?: string) {
  const talk = converse(model);
  talk.say(user("First?"), [thinking("one"), text("First.")]);
  talk.say(user("Second?"), [thinking("two"), text("Well,"), thinking("three"), text("second.")]);
  return talk;
}

function blocksOf(message: JsonObject | undefined): readonly JsonObject[] {
  return Array.isArray(message?.content) ? message.content : [];
}

function removeThinking(messages: readonly JsonObject[], ...texts: readonly string[]): readonly JsonObject[] {
  return messages.map((message) =>
    Array.isArray(message.content)
      ? { ...message, content: message.content.filter((block: JsonObject) => !texts.includes(String(block.thinking))) }
      : message,
  );
}

describe("the prefix check", () => {
  test("a conversation that only grows is accepted", () => {
    expect(twoTurns().judge()).toEqual({ type: "accepted", dropped: [] });
  });

  test("cache marks, the order of keys and a text written as one block do not count as changes", () => {
    const { judge, messages } = twoTurns();
    const [first, ...others] = messages;
    const same = [{ content: [{ ...text("First?"), cache_control: { type: "ephemeral" } }], role: first?.role }];
    const changed = {
      system: [{ cache_control: { type: "ephemeral" }, text: "Be brief.", type: "text" }],
      tools: [{ cache_control: { type: "ephemeral" }, name: "read" }],
      messages: [...same, ...others, user("And now?")],
    };
    expect(judge(changed)).toEqual({ type: "accepted", dropped: [] });
  });

  test.each([
    ["the system prompt", { system: "Be long." }, "The `system` prompt differs"],
    ["the tools", { tools: [{ name: "write" }] }, "The `tools` differ"],
  ])("a change to %s invalidates all thinking", (_, changed, says) => {
    expect(twoTurns().judge(changed)).toMatchObject({ type: "refusal", status: 400, rule: "prefix" });
    const verdict = twoTurns().judge(changed);
    const message = verdict.type === "refusal" ? verdict.message : "";
    expect(message).toContain(
      "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.",
    );
    expect(message).toContain(says);
  });

  test("a changed message invalidates only the thinking after it", () => {
    const { judge, messages } = twoTurns();
    const changed = messages.map((message, index) => (index === 2 ? user("Another?") : message));
    expect(judge({ messages: [...changed, user("And now?")] })).toMatchObject({
      rule: "prefix",
      path: "messages.3.content.0",
      message: expect.stringContaining("`messages.2` differs"),
    });
    const later = removeThinking(changed, "two", "three");
    expect(judge({ messages: [...later, user("And now?")] })).toEqual({ type: "accepted", dropped: [] });
  });

  test("a missing message invalidates the thinking after it", () => {
    const { judge, messages } = twoTurns();
    expect(judge({ messages: [...messages.slice(2), user("And now?")] })).toMatchObject({ rule: "prefix" });
  });

  test("the oldest or newest thinking may be left out, but not a thinking block between two others", () => {
    const { judge, messages } = twoTurns();
    const without = (...texts: readonly string[]) =>
      judge({ messages: [...removeThinking(messages, ...texts), user("And now?")] });
    expect(without("one")).toEqual({ type: "accepted", dropped: [] });
    expect(without("one", "two")).toEqual({ type: "accepted", dropped: [] });
    expect(without("one", "two", "three")).toEqual({ type: "accepted", dropped: [] });
    expect(without("two")).toMatchObject({
      rule: "prefix",
      path: "messages.3.content.1",
      message: expect.stringContaining("that preceded this one when it was created is missing"),
    });
    expect(without("three")).toEqual({ type: "accepted", dropped: [] });
  });

  test("a thinking block that was moved to another message is refused", () => {
    const { judge, messages } = twoTurns();
    const [thought, words] = blocksOf(messages[1]);
    const late = assistant([thought ?? {}, ...blocksOf(messages[3])]);
    const moved = [user("First?"), assistant([words ?? {}]), user("Second?"), late, user("And now?")];
    expect(judge({ messages: moved })).toMatchObject({ rule: "prefix" });
  });

  test("thinking that was issued after a change is accepted while the change stays", () => {
    const { double, base, messages, judge } = twoTurns();
    const system = "Be long.";
    const bare = removeThinking(messages, "one", "two", "three");
    const request = { body: { ...base, system, messages: [...bare, user("Third?")] } };
    const reply = assistant(double.issue(request, [thinking("four"), text("Third.")]));
    const next = [...bare, user("Third?"), reply, user("And now?")];
    expect(judge({ system, messages: next })).toEqual({ type: "accepted", dropped: [] });
  });

  test("a model without the check accepts a changed prefix", () => {
    expect(twoTurns(UNCHECKED).judge({ system: "Be long." })).toEqual({ type: "accepted", dropped: [] });
  });

  test("redacted thinking is checked as well", () => {
    const talk = converse();
    talk.say(user("First?"), [{ type: "redacted_thinking" }, text("First.")]);
    expect(talk.judge()).toEqual({ type: "accepted", dropped: [] });
    expect(talk.judge({ system: "Be long." })).toMatchObject({
      rule: "prefix",
      message: expect.stringContaining("Invalid `signature` in `redacted_thinking` block"),
    });
  });

  test("drop_block drops the blocks whose prefix changed, and needs its beta header", () => {
    const { judge } = twoTurns();
    const binding = { thinking: { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } } };
    const headers = { "anthropic-beta": `other-beta, ${BINDING_BETA}` };
    expect(judge({ ...binding, system: "Be long." }, headers)).toMatchObject({
      type: "accepted",
      dropped: [
        { path: "messages.1.content.0", reason: "prefix_mismatch" },
        { path: "messages.3.content.0", reason: "prefix_mismatch" },
        { path: "messages.3.content.2", reason: "prefix_mismatch" },
      ],
    });
    expect(judge(binding, headers)).toEqual({ type: "accepted", dropped: [] });
    expect(judge(binding)).toMatchObject({ type: "refusal", rule: "binding-header" });
  });
});

describe("signatures", () => {
  test("a signature that was never issued and an edited block are refused with and without the prefix check", () => {
    for (const model of [CHECKING, UNCHECKED]) {
      const { judge, messages } = twoTurns(model);
      const foreign = assistant([{ ...thinking("one"), signature: "made up" }, text("First.")]);
      const edited = messages.map((message, index) =>
        index === 1 && Array.isArray(message.content)
          ? assistant([{ ...message.content[0], thinking: "other" }, text("First.")])
          : message,
      );
      expect(judge({ messages: [user("First?"), foreign, user("Now?")] })).toMatchObject({ rule: "signature" });
      expect(judge({ messages: [...edited, user("And now?")] })).toMatchObject({ rule: "signature" });
    }
  });
});

describe("thinking of other models", () => {
  test("thinking blocks that a model cannot read are dropped without an error", () => {
    const { judge } = twoTurns(CHECKING);
    expect(judge({ model: "claude-sonnet-5-5", system: "Be long." })).toMatchObject({
      type: "accepted",
      dropped: Array.from({ length: 3 }, () => ({ reason: "model_binding_mismatch" })),
    });
  });

  test("Fable 5.1 reads blocks of Opus 5.5 and checks their prefix; Opus 5.5 does not read those of Fable 5.1", () => {
    const fable = "claude-fable-5-1";
    expect(twoTurns(CHECKING).judge({ model: fable })).toEqual({ type: "accepted", dropped: [] });
    expect(twoTurns(CHECKING).judge({ model: fable, system: "Be long." })).toMatchObject({ rule: "prefix" });
    const verdict = twoTurns(fable).judge({ model: CHECKING });
    expect(verdict.type === "accepted" && verdict.dropped).toHaveLength(3);
  });

  test.each([
    ["claude-fable-5-1", true],
    ["claude-mythos-5-2", true],
    ["anthropic/claude-opus-5.5", true],
    ["claude-sonnet-5-5-20260901", true],
    ["claude-haiku-5-5", true],
    ["claude-opus-6", true],
    ["claude-opus-5-2", true],
    ["claude-haiku-5.4", true],
    ["claude-lyric-1", true],
    ["claude-mythos-preview", false],
    ["claude-fable-5", false],
    ["claude-opus-5", false],
    ["claude-opus-5-20260601", false],
    ["claude-sonnet-4-6", false],
    ["claude-3-5-haiku-20241022", false],
  ])("describeThinkingModel(%s).checksPrefix is %s", (model, checksPrefix) => {
    expect(describeThinkingModel(model).checksPrefix).toBe(checksPrefix);
  });
});

describe("thinking in a tool turn", () => {
  const manual = { thinking: { type: "enabled", budget_tokens: 2_000 } };

  function openTurn(model: string, extra: JsonObject) {
    const talk = converse(model, extra);
    talk.say(user("Read it."), [thinking("one"), call("c1")]);
    talk.say(result("c1"), [thinking("two"), call("c2")]);
    talk.messages.push(result("c2"));
    const judge = (...left: readonly string[]) =>
      talk.double.judge({ body: { ...talk.base, messages: removeThinking(talk.messages, ...left) } });
    return { ...talk, judge };
  }

  test("with manual thinking, the first and the newest assistant message must keep their thinking", () => {
    const { judge } = openTurn("claude-sonnet-4-6", manual);
    expect(judge()).toEqual({ type: "accepted", dropped: [] });
    for (const left of [["two"], ["one", "two"], ["one"]]) {
      expect(judge(...left)).toMatchObject({
        rule: "open-turn",
        message: expect.stringContaining("Expected `thinking` or `redacted_thinking`, but found `tool_use`"),
      });
    }
  });

  test("with adaptive thinking, thinking may be left out", () => {
    const { judge } = openTurn(CHECKING, { thinking: { type: "adaptive" } });
    expect(judge("one", "two")).toEqual({ type: "accepted", dropped: [] });
    expect(judge("one")).toEqual({ type: "accepted", dropped: [] });
  });

  test("a closed turn needs no thinking", () => {
    const { double, base, messages, judge } = openTurn("claude-sonnet-4-6", manual);
    expect(judge("one", "two").type).toBe("refusal");
    const closed = [...removeThinking(messages, "one", "two"), assistant([text("Done.")]), user("Thanks.")];
    expect(double.judge({ body: { ...base, messages: closed } })).toEqual({ type: "accepted", dropped: [] });
  });

  test("a step that was issued without thinking needs none", () => {
    const talk = converse("claude-sonnet-4-6", manual);
    talk.say(user("Read it."), [thinking("one"), call("c1")]);
    talk.say(result("c1"), [call("c2")]);
    talk.say(result("c2"), [text("Done.")]);
  });
});

test("a request with consecutive user messages is refused with the name of the rule", () => {
  const { double, base } = converse();
  const messages = [user("One?"), user("Two?")];
  expect(double.judge({ body: { ...base, messages } })).toMatchObject({ type: "refusal", rule: "alternation" });
});

describe("startAnthropicDouble", () => {
  const reply = () => ({ content: [thinking("Let me see."), text("Here it is.")] });

  test.each(["whole", "streamed"] as const)(
    "a request of the AI SDK is refused if the prompt before its thinking has changed (%s response)",
    async (manner) => {
      await using provider = await startAnthropicDouble({ reply });
      const model = createAnthropic({ baseURL: `${provider.url}/v1`, apiKey: "test-key" })(CHECKING);
      const options = {
        model,
        maxRetries: 0,
        providerOptions: { anthropic: { thinking: { type: "adaptive" } } },
      } as const;
      const ask = async (system: string, messages: Parameters<typeof generateText>[0]["messages"]) => {
        const asked = { ...options, system, messages: messages ?? [] };
        if (manner === "whole") return (await generateText(asked)).response.messages;
        const stream = streamText({ ...asked, onError: () => undefined });
        await stream.consumeStream();
        return (await stream.response).messages;
      };
      const question = { role: "user" as const, content: "Where is it?" };
      const answer = await ask("Be brief.", [question]);
      const next = [question, ...answer, { role: "user" as const, content: "And then?" }];
      await ask("Be brief.", next);
      await expect(ask("Be long.", next)).rejects.toThrow();
      expect(provider.verdicts.map(({ type }) => type)).toEqual(["accepted", "accepted", "refusal"]);
      expect(JSON.stringify(provider.requests[1]?.body)).toContain('"type":"thinking"');
    },
  );

  test("the answer lists the thinking that was dropped", async () => {
    await using provider = await startAnthropicDouble({ reply });
    const send = async (body: JsonObject) => {
      const headers = { "x-api-key": "test-key", "anthropic-version": "2023-06-01" };
      const init = { method: "POST", headers, body: JSON.stringify(body) };
      const response = await fetch(`${provider.url}/v1/messages`, init);
      return { status: response.status, body: (await response.json()) as JsonObject };
    };
    const base = { model: CHECKING, max_tokens: 10, messages: [user("First?")] };
    const first = await send(base);
    const messages = [user("First?"), assistant(first.body.content as JsonObject[]), user("Second?")];
    const second = await send({ ...base, messages, model: "claude-haiku-5-5" });
    expect(second.body.input_transformations).toMatchObject([
      { type: "thinking_dropped", path: "messages.1.content.0", reason: "model_binding_mismatch" },
    ]);
    const third = await send({ ...base, messages, system: "New." });
    expect(third).toMatchObject({ status: 400, body: { error: { type: "invalid_request_error" } } });
  });
});
