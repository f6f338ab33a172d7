/**
 * The presets in a chat over HTTP: the requests to the provider, when a summary is written, and what a client receives
 * of it. The small model that writes the summaries has its own socket.
 */
import { tool, type UIMessage } from "ai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createOfflineChat } from "../../src/models/offline-chat.ts";
import { shows } from "../../src/testing/shows.ts";
import { SMALL_MODELS, writeRecap } from "../presets/play-preset.ts";
import { type ProviderScript, type ScriptedProvider, startScriptedProvider } from "../support/scripted-provider.ts";
import { scriptedReplies } from "../support/scripted-provider-reply.ts";
import { ScriptedWorkspace } from "../support/scripted-workspace.ts";
import {
  ChatClient,
  logOf,
  type StartChatOptions,
  type StartedChat,
  sentOn,
  startChat,
  until,
} from "../support/start-chat.ts";
import { startTestServer } from "../support/start-server.ts";

const { text, serverError, toolCall } = scriptedReplies;

const OLD_WIRES = ["anthropic", "google"] as const;

interface PresetChat extends StartedChat {
  readonly small: ScriptedProvider;
}

interface PresetOptions extends Partial<StartChatOptions> {
  readonly summaries?: ProviderScript | undefined;
}

async function startPreset({ summaries, engine, script, ...options }: PresetOptions): Promise<PresetChat> {
  const small = await startScriptedProvider(summaries ?? ((_, index) => text(writeRecap(index))));
  const chat = await startChat({
    ...options,
    engine: { windowTokens: 200_000, ...engine, summarizer: SMALL_MODELS.openai(small.url) },
    script: script ?? ((_, index) => text(`Reply ${index + 1}.`)),
  });
  return {
    ...chat,
    small,
    async [Symbol.asyncDispose]() {
      await chat[Symbol.asyncDispose]();
      await small.close();
    },
  };
}

const lastSent = ({ provider }: StartedChat): readonly string[] => {
  const request = provider.requests.at(-1);
  return request === undefined ? [] : sentOn(request).map((line) => line.replace(/^model:/, "assistant:"));
};

async function ask(client: ChatClient, first: number, last: number): Promise<void> {
  for (let number = first; number <= last; number += 1) await client.say(`Question ${number}.`);
}

const summariesOf = async ({ server }: StartedChat): Promise<readonly { readonly isLive: boolean }[]> =>
  (await server.ask("GET", "/api/sessions/chat/summaries")).body.summaries;

/** Waits until the newest summary covers all but ten of this many messages. */
async function settled({ server }: StartedChat, messages: number) {
  const read = () => server.ask("GET", "/api/sessions/chat/summaries");
  const uncovered = async () => messages - ((await read()).body.summaries.at(-1)?.record.coverage.count ?? 0);
  await until(async () => (await uncovered()) <= 10);
  return read();
}

describe("a rolling chat", () => {
  test.for(OLD_WIRES)(
    shows(["S0-12", "S0-13", "S0-14", "S0-15", "S0-28"], "sends earlier messages as role and text, to %s"),
    async (wire) => {
      await using chat = await startPreset({ wire, engine: { policy: "rolling-chat" } });
      const client = chat.client();
      const image = { type: "file", mediaType: "image/png", url: "data:image/png;base64,iVBORw0KGgo=" } as const;
      const call = {
        type: "tool-look",
        toolCallId: "c",
        state: "output-available",
        input: {},
        output: "SEEN",
      } as const;
      const textPart = (value: string) => ({ type: "text", text: value }) as const;
      client.messages = [
        { id: "s", role: "system", parts: [textPart("SYSTEM")] },
        { id: "u", role: "user", parts: [textPart("Look at this."), image] },
        { id: "a", role: "assistant", parts: [textPart("I looked."), call] },
        { id: "b", role: "user", parts: [textPart(" \n ")] },
        { id: "c", role: "assistant", parts: [textPart("It is a picture.")] },
      ] satisfies UIMessage[];
      await client.say("Of what?");
      expect(lastSent(chat).join(" ")).toMatch(
        /^user: Look at this\. assistant: I looked\..*It is a picture\. user: Of what\?$/,
      );
      const body = JSON.stringify(chat.provider.requests[0]?.body);
      for (const word of ["SYSTEM", "SEEN", "iVBORw0KGgo", 'look"', "empty message"]) expect(body).not.toContain(word);
    },
  );

  test.for(OLD_WIRES)(
    shows(
      ["S0-16", "S0-28", "X-27"],
      "sends the last twenty messages and the new prompt if there is no summary, to %s",
    ),
    async (wire) => {
      await using chat = await startPreset({
        wire,
        engine: { policy: "rolling-chat" },
        summaries: () => serverError(),
      });
      await ask(chat.client(), 1, 14);
      const sent = lastSent(chat);
      expect(sent).toHaveLength(21);
      expect(sent[0]).toBe("user: Question 4.");
      expect(sent.at(-1)).toBe("user: Question 14.");
    },
  );

  test.for(OLD_WIRES)(
    shows(
      ["S0-17", "S0-25", "S0-26", "S0-27", "S0-28", "X-27"],
      "sends the summary's pair, the last six messages and the new prompt, to %s",
    ),
    async (wire) => {
      await using chat = await startPreset({ wire, engine: { policy: "rolling-chat" } });
      const client = chat.client();
      await ask(client, 1, 6);
      await until(async () => (await summariesOf(chat)).length === 1);
      await ask(client, 7, 7);
      const [asked = "", understood, ...recent] = lastSent(chat);
      expect(asked).toMatch(/^user: \[Earlier conversation summary: .*Recap a\..*\]$/s);
      expect(understood).toBe("assistant: Understood, I have context from our earlier conversation.");
      expect(recent).toEqual([
        ...[4, 5, 6].flatMap((number) => [`user: Question ${number}.`, `assistant: Reply ${number}.`]),
        "user: Question 7.",
      ]);
    },
  );

  test(
    shows(["S0-56", "S0-46", "X-27"], "leaves at most four of 30 messages out of summary and prompt, over HTTP"),
    async () => {
      await using chat = await startPreset({ engine: { policy: "rolling-chat" } });
      const client = chat.client();
      const gaps: number[] = [];
      let covered = 0;
      for (let turn = 1; turn <= 16; turn += 1) {
        await ask(client, turn, turn);
        const sent = lastSent(chat).join(" ");
        const texts = Array.from({ length: turn - 1 }, (_, index) => [
          `Question ${index + 1}.`,
          `Reply ${index + 1}.`,
        ]).flat();
        gaps.push(texts.slice(covered).filter((text) => !sent.includes(text)).length);
        expect(sent).toContain(`user: Question ${turn}.`);
        const { body } = await settled(chat, 2 * turn);
        covered = body.summaries.at(-1)?.record.coverage.count ?? 0;
      }
      expect(Math.max(...gaps)).toBe(4);
      expect(covered).toBe(24);
    },
  );

  test.for(OLD_WIRES)(
    shows(
      ["X-27", "X-28", "S0-1", "S0-2", "S0-17"],
      "sends a long prompt whole in every round of its tool loop, after the last six messages, to %s",
    ),
    async (wire) => {
      const first = `Question 7. ${"Read all of it with care. ".repeat(120)}`.trim();
      const isLoop = (index: number) => index >= 6 && index < 15;
      await using chat = await startPreset({
        wire,
        engine: { policy: "rolling-chat" },
        tools: {
          look: tool({ inputSchema: z.object({ page: z.number() }), execute: ({ page }) => `Page ${page}.` }),
        },
        script: (_, index) => (isLoop(index) ? toolCall("look", { page: index }) : text(`Reply ${index + 1}.`)),
      });
      const client = chat.client();
      await ask(client, 1, 6);
      await until(async () => (await summariesOf(chat)).length === 1);
      await client.say(first);
      const rounds = chat.provider.requests.slice(6);
      expect(rounds).toHaveLength(10);
      for (const request of rounds) {
        const [pair, , ...rest] = sentOn(request);
        expect(pair).toContain("[Earlier conversation summary: ");
        expect(rest[0]).toBe("user: Question 4.");
        expect(rest[6]).toBe(`user: ${first}`);
      }
    },
  );

  test.for(OLD_WIRES)(
    shows(["S0-32", "S0-33", "X-18"], "sends no history after a clear until a generation has completed, to %s"),
    async (wire) => {
      await using chat = await startPreset({ wire, engine: { policy: "rolling-chat" } });
      const client = chat.client();
      await ask(client, 1, 2);
      const cleared = await chat.server.ask("POST", "/api/sessions/chat/clear", { scope: "next-generation" });
      expect(cleared.status).toBe(200);
      await ask(client, 3, 3);
      expect(lastSent(chat)).toEqual(["user: Question 3."]);
      await ask(client, 4, 4);
      expect(lastSent(chat)).toHaveLength(7);
      expect(lastSent(chat)[0]).toBe("user: Question 1.");
    },
  );

  test(shows("X-18", "gets its history back after a failed generation, too"), async () => {
    await using chat = await startPreset({
      engine: { policy: "rolling-chat" },
      script: (_, index) => (index === 1 ? scriptedReplies.unauthorised() : text(`Reply ${index + 1}.`)),
    });
    const client = chat.client();
    await ask(client, 1, 1);
    await chat.server.ask("POST", "/api/sessions/chat/clear", { scope: "next-generation" });
    expect((await client.say("Question 2.")).errors).toHaveLength(1);
    expect(lastSent(chat)).toEqual(["user: Question 2."]);
    await ask(client, 3, 3);
    expect(lastSent(chat).join(" ")).toContain("user: Question 1.");
  });

  test(shows("X-18", "stays without history if a turn is canceled before anything is sent"), async () => {
    const workspace = new HeldWorkspace();
    await using chat = await startPreset({ engine: { policy: "rolling-chat", workspace } });
    const client = chat.client();
    await ask(client, 1, 1);
    await chat.server.ask("POST", "/api/sessions/chat/clear", { scope: "next-generation" });
    workspace.hold();
    const reading = client.take(await client.send("Question 2."));
    await until(() => workspace.isWaitedFor);
    expect((await chat.server.ask("DELETE", "/api/chat/chat/stream")).body).toEqual({ cancelled: true });
    expect((await reading).chunks.at(-1)).toMatchObject({ type: "abort" });
    workspace.release();
    expect(chat.provider.requests).toHaveLength(1);
    await ask(client, 3, 3);
    expect(lastSent(chat).join(" ")).not.toContain("Question 1.");
    await ask(client, 4, 4);
    expect(lastSent(chat).join(" ")).toContain("Question 1.");
  });
});

describe("a chat with the offline model", () => {
  const FACT = "The kiln is fired at 1,060 degrees, said Ilse.";
  const HOT = "How hot is the kiln fired?";

  test(
    shows(["S0-32", "S0-33", "X-18"], "quotes nothing from before a clear until a generation has completed"),
    async () => {
      await using server = await startTestServer({ engine: { policy: "rolling-chat" }, models: [createOfflineChat()] });
      const client = new ChatClient(server.url, "chat");
      await client.say(FACT);
      expect((await client.say(HOT)).text).toContain("1,060");
      expect((await server.ask("POST", "/api/sessions/chat/clear", {})).status).toBe(200);
      expect((await client.say(HOT)).text).not.toContain("1,060");
      expect((await client.say(HOT)).text).toContain("1,060");
    },
  );

  test(shows("S0-54", "quotes nothing from before a permanent clear, until it is undone"), async () => {
    await using server = await startTestServer({ models: [createOfflineChat()] });
    const client = new ChatClient(server.url, "chat");
    await client.say(FACT);
    await server.ask("POST", "/api/sessions/chat/clear", {});
    for (const time of ["now", "then"]) {
      const { text: answer } = await client.say(`${HOT} And ${time}?`);
      expect(answer).not.toContain("1,060");
      expect(answer).not.toContain("Ilse");
    }
    // The search of the log still finds it for the user.
    const found = await server.ask("GET", "/api/search?query=kiln%20is%20fired%20at");
    expect(JSON.stringify(found.body)).toContain("1,060");
    await server.ask("POST", "/api/sessions/chat/undo", {});
    expect((await client.say(HOT)).text).toContain("1,060");
  });
});

/** A workspace that can be slow, which makes a prompt slow. */
class HeldWorkspace extends ScriptedWorkspace {
  isWaitedFor = false;
  #held: Promise<void> | undefined;
  #release: (() => void) | undefined;

  hold(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    [this.#held, this.#release] = [promise, resolve];
  }

  release(): void {
    this.#held = undefined;
    this.#release?.();
  }

  override async listTree() {
    this.isWaitedFor = this.#held !== undefined;
    await this.#held;
    return super.listTree();
  }
}

describe("a windowed chat", () => {
  test(
    shows(
      ["S1-33", "S1-34", "S1-35"],
      "folds above twelve messages before the model is called, and sends a system message",
    ),
    async () => {
      const order: string[] = [];
      await using chat = await startPreset({
        engine: { policy: "windowed-sql" },
        summaries: (_, index) => {
          order.push("summary");
          return text(writeRecap(index));
        },
        script: (_, index) => {
          order.push("chat");
          return text(`Reply ${index + 1}.`);
        },
      });
      const client = chat.client();
      await ask(client, 1, 6);
      expect(order).toEqual(Array.from({ length: 6 }, () => "chat"));
      const { chunks } = await client.say("Question 7.");
      expect(order.slice(6)).toEqual(["summary", "chat"]);
      const sent = lastSent(chat);
      expect(sent[0]).toMatch(/^system: .*Recap a\./s);
      expect(sent).toHaveLength(13);
      expect(sent.slice(1).join(" ")).not.toContain("Question 1.");
      const types = chunks.map(({ type }) => type);
      expect(types.indexOf("data-compaction")).toBeLessThan(types.indexOf("text-start"));
      // This policy erases folded messages; a client that resends them restores nothing and creates no branch.
      await ask(client, 8, 10);
      expect((await chat.server.ask("GET", "/api/sessions")).body.sessions).toHaveLength(1);
      expect(lastSent(chat).at(-1)).toBe("user: Question 10.");
    },
  );

  test(shows("S1-34", "folds above a threshold of estimated tokens, even with few messages"), async () => {
    await using chat = await startPreset({
      engine: { policy: { preset: "windowed-sql", CHAT_TOKEN_THRESHOLD: 6_000 } },
    });
    const client = chat.client();
    const long = (number: number) => `Question ${number}. ${"word ".repeat(1_500)}`;
    for (const number of [1, 2, 3]) await client.say(long(number));
    expect(chat.small.requests).toHaveLength(0);
    await client.say(long(4));
    expect(chat.small.requests.length).toBeGreaterThan(0);
    expect(lastSent(chat).filter((line) => line.startsWith("user: Question 1."))).toEqual([]);
  });
});

describe("a chat with a chain of summaries", () => {
  test(
    shows(["S4-55", "S4-56"], "is measured with the next message, and folded before its prompt is made"),
    async () => {
      const order: string[] = [];
      await using chat = await startPreset({
        engine: { policy: "ratio-chain", budgetTokens: 3_000, counter: "estimate" },
        summaries: () => {
          order.push("summary");
          return scriptedReplies.json({
            summary: "The fox goes round the field and home again.",
            keyPoints: ["the fox goes home"],
            context: { participants: [], decisions: [], actionItems: [], unresolved: [], domainEntities: [] },
          });
        },
        script: (_, index) => {
          order.push("chat");
          return text(`Reply ${index + 1}. ${"The fox goes round the field and home again. ".repeat(12)}`);
        },
      });
      const client = chat.client();
      const tell = "Tell more of the fox, please, and of where it goes when the night comes. ".repeat(6);
      const measured: (number | undefined)[] = [];
      let reply = await client.say(`1. ${tell}`);
      for (let turn = 2; turn < 30 && !order.includes("summary"); turn += 1) {
        measured.push(reply.metadata.prompt?.tokens);
        reply = await client.say(`${turn}. ${tell}`);
      }
      expect(order.slice(order.indexOf("summary"))).toEqual(["summary", "chat"]);
      expect(Math.max(...measured.map((tokens = 0) => tokens))).toBeLessThan(2_400);
      expect(lastSent(chat)[0]).toMatch(/^system: .*The fox goes round the field/s);
      expect(lastSent(chat).at(-1)).toContain(tell.trim().slice(0, 40));
      expect(reply.metadata.summary?.text).toContain("The fox goes round the field");
    },
  );
});

describe("the guards of a chain, in a window without a configured reserve", () => {
  const WINDOW_TOKENS = 4_000;
  const PROSE = "the quick brown fox jumps over the lazy dog and goes on its way ";
  const numbered = (name: string) =>
    scriptedReplies.json({
      summary: `Summary ${name}. The fox goes on its way.`,
      keyPoints: ["the fox goes on its way"],
      context: { participants: [], decisions: [], actionItems: [], unresolved: [], domainEntities: [] },
    });

  const NO_USAGE = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const startChain = (keys: object = {}): Promise<PresetChat> =>
    startPreset({
      engine: { policy: { preset: "ratio-chain", ...keys }, windowTokens: WINDOW_TOKENS, counter: "estimate" },
      summaries: (_, index) => numbered(["zero", "one", "two", "three"][index] ?? "more"),
      // Usage of zero leaves the engine's own counts unchanged.
      script: () => ({ type: "text", text: "Yes.", usage: NO_USAGE }),
    });

  /** Sends a sentence of about fifteen tokens this many times, and returns the prompt's share of the window. */
  const tell = async (client: ChatClient, times: number): Promise<number> => {
    const { metadata } = await client.say(PROSE.repeat(times));
    return (metadata.prompt?.tokens ?? 0) / WINDOW_TOKENS;
  };
  const depthsOf = async ({ server }: StartedChat): Promise<readonly number[]> =>
    (await server.ask("GET", "/api/sessions/chat/summaries")).body.summaries.map(
      ({ record }: { readonly record: { readonly depth: number } }) => record.depth,
    );

  test(
    shows(
      ["S4-9", "S4-34", "S4-7"],
      "hold back a fold below twelve messages when 0.8 of the window is used, over HTTP",
    ),
    async () => {
      await using chat = await startChain();
      const client = chat.client();
      for (let turn = 1; turn <= 5; turn += 1) await tell(client, 40);
      // The sixth user message is the eleventh message of the conversation.
      const share = await tell(client, 40);
      expect(share).toBeGreaterThanOrEqual(0.8);
      expect(share).toBeLessThan(1);
      expect(chat.small.requests).toHaveLength(0);
      await tell(client, 1);
      expect(chat.small.requests).toHaveLength(1);
      expect(await depthsOf(chat)).toEqual([0]);
      const { body } = await chat.server.ask("GET", "/api/sessions/chat/budget");
      expect(body).toMatchObject({ windowTokens: WINDOW_TOKENS, reserveTokens: 0, maxInputTokens: WINDOW_TOKENS });
    },
  );

  test(
    shows(
      ["S4-14", "S4-35", "S4-44", "S4-67"],
      "hold back a second fold until four messages arrived since the first, over HTTP",
    ),
    async () => {
      await using chat = await startChain({ minMessages: 0 });
      const client = chat.client();
      for (let turn = 1; turn <= 7; turn += 1) await tell(client, 35);
      expect(await depthsOf(chat)).toEqual([0]);
      // Since the last summary, one reply and one user message have arrived, and the window is nearly full again.
      const share = await tell(client, 130);
      expect(share).toBeGreaterThanOrEqual(0.8);
      expect(share).toBeLessThan(1);
      expect(await depthsOf(chat)).toEqual([0]);
      await tell(client, 1);
      expect(await depthsOf(chat)).toEqual([0, 1]);
    },
  );

  test(
    shows(
      ["S4-40", "S4-69", "X-15"],
      "do not hold back an emergency in a full window, even in the cooldown, over HTTP",
    ),
    async () => {
      await using chat = await startChain();
      const client = chat.client();
      for (let turn = 1; turn <= 7; turn += 1) await tell(client, 35);
      expect(await depthsOf(chat)).toEqual([0]);
      const share = await tell(client, 235);
      expect(share).toBeLessThanOrEqual(1);
      expect(await depthsOf(chat)).toEqual([0, 1]);
    },
  );
});

describe("an agent's rounds", () => {
  const read = tool({
    description: "Reads a page of the report.",
    inputSchema: z.object({ page: z.number() }),
    execute: async ({ page }) => `Page ${page}: ${"the harbour was measured again and nothing had moved. ".repeat(30)}`,
  });

  test(
    shows(
      ["S2-26", "S2-27", "S2-28", "S2-29", "S2-33"],
      "are folded during the turn: the next call uses the summary, which is sent as an event, kept with its round and not requested again",
    ),
    async () => {
      await using chat = await startPreset({
        engine: { policy: "agent-rounds", budgetTokens: 2_000, counter: "estimate" },
        tools: { read },
        summaries: () => text("Read the report: the harbour was measured again and nothing had moved."),
        script: (_, index) => (index < 6 ? toolCall("read", { page: index + 1 }) : text("Nothing has moved.")),
      });
      const client = chat.client();
      const { metadata, chunks } = await client.say("Read the report and say what has moved.");
      expect(chat.small.requests.length).toBeGreaterThan(0);
      const summary = { toolCallRoundId: expect.any(String), text: expect.stringContaining("nothing had moved") };
      expect(metadata).toMatchObject({ rounds: 7, summary });
      // The next call has the summary in place of its source messages.
      const folded = chat.provider.requests.find(({ body }) => JSON.stringify(body).includes("<conversation-summary>"));
      expect(JSON.stringify(folded?.body)).not.toContain("Page 1:");
      // Sent while the summary is written, before the reply continues.
      const types = chunks.map(({ type }) => type);
      const stages = chunks.flatMap((chunk) =>
        chunk.type === "data-compaction" ? [chunk.data as { stage: string }] : [],
      );
      expect(stages.map(({ stage }) => stage).slice(0, 2)).toEqual(["start", "done"]);
      expect(types.indexOf("data-compaction")).toBeLessThan(types.indexOf("text-delta"));
      // The summary is kept with the round whose prompt contained it.
      const { body } = await chat.server.ask("GET", "/api/sessions/chat/messages");
      const kept = body.entries.filter((entry: unknown) => JSON.stringify(entry).includes('"summary":{"id"'));
      expect(kept.length).toBeGreaterThan(0);
      const asked = chat.small.requests.length;
      const next = await client.say("Thank you.");
      expect(chat.small.requests).toHaveLength(asked);
      expect(next.metadata.summary).toBeUndefined();
      expect(JSON.stringify(chat.provider.requests.at(-1)?.body)).toContain("<conversation-summary>");
      expect(await logOf(chat.server)).toHaveLength(16);
    },
  );

  test(
    shows(
      ["X-29", "S2-29", "S2-48"],
      "keep their summary on another server that gets it with the client's list, without another summary request",
    ),
    async () => {
      const loop: Partial<PresetOptions> = {
        engine: { policy: "agent-rounds", budgetTokens: 2_000, counter: "estimate" },
        tools: { read },
        summaries: () => text("Read the report: the harbour was measured again and nothing had moved."),
      };
      await using first = await startPreset({
        ...loop,
        script: (_, index) => (index < 6 ? toolCall("read", { page: index + 1 }) : text("Nothing has moved.")),
      });
      const known = first.client();
      const { metadata } = await known.say("Read the report and say what has moved.");
      await using second = await startPreset({ ...loop, script: () => text("You are welcome.") });
      const client = second.client();
      client.messages = structuredClone(known.messages);
      await client.say("Thank you.");
      const sent = JSON.stringify(second.provider.requests.at(-1)?.body);
      expect(sent).toContain("<conversation-summary>");
      expect(sent).toContain("nothing had moved");
      expect(sent).not.toContain("Page 1:");
      expect(second.small.requests).toHaveLength(0);
      const [summary] = (await second.server.ask("GET", "/api/sessions/chat/summaries")).body.summaries;
      expect(summary).toMatchObject({ isLive: true, record: { lastRoundId: metadata.summary?.toolCallRoundId } });
    },
  );
});
