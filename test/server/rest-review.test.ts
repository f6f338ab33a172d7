/** The usage, the branches, the forks and the last prompt of a session over HTTP. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { createOfflineChat } from "../../src/server/server-options.ts";
import { scriptedReplies } from "../support/scripted-provider-reply.ts";
import { startChat } from "../support/start-chat.ts";
import { startTestServer } from "../support/start-server.ts";

const { text } = scriptedReplies;

/** Cost of the scripted provider's usage, at the prices of gpt-4.1-mini per million tokens. */
const REPORTED = { inputTokens: 1_200, outputTokens: 48, cacheReadTokens: 1_024 };
const ONE_USD = ((1_200 - 1_024) * 0.4 + 1_024 * 0.1 + 48 * 1.6) / 1e6;

describe("the usage of a session", () => {
  test("is the sum of its answers at their prices, and lists the newest answers individually", async () => {
    await using chat = await startChat({ script: [text("One."), text("Two."), text("Three.")] });
    const client = chat.client();
    for (const words of ["First?", "Second?", "Third?"]) await client.say(words);
    const { body } = await chat.server.ask("GET", "/api/sessions/chat/usage?newest=2");
    expect(body).toMatchObject({ isExact: true, unpriced: 0, summaries: { count: 0, costUsd: 0 } });
    expect(body.costUsd).toBeCloseTo(3 * ONE_USD, 12);
    const [model] = body.models;
    expect(model).toMatchObject({ model: "gpt-4.1-mini", answers: 3, estimated: 0, cacheReadTokens: 3_072 });
    expect(body.newest).toHaveLength(2);
    expect(body.newest[1]).toMatchObject({ ...REPORTED, seq: expect.any(Number), isEstimate: false });
    expect(body.newest[1].seq).toBeGreaterThan(body.newest[0].seq);
    expect((await chat.server.ask("GET", "/api/sessions/chat/usage")).body.newest).toEqual([]);
  });

  test("is the same after a restart, and includes the cost of summaries", async () => {
    const folder = await mkdtemp(join(tmpdir(), "review-"));
    const store = `sqlite:${join(folder, "chats.db")}`;
    const received: unknown[] = [];
    for (const script of [[text("One."), text("Two.")], []]) {
      await using chat = await startChat({ store, script, engine: { budgetTokens: 2_000 } });
      if (script.length > 0) {
        await chat.client().say("First?");
        const messages = Array.from({ length: 20 }, (_, index) => ({
          role: index % 2 === 0 ? "user" : "assistant",
          content: `Part ${index}. ${"The ferry leaves at nine and the island has one road. ".repeat(10)}`,
        }));
        await chat.server.ask("POST", "/api/sessions/chat/messages", { messages });
        await chat.server.ask("POST", "/api/sessions/chat/compactions", {});
      }
      received.push((await chat.server.ask("GET", "/api/sessions/chat/usage?newest=9")).body);
    }
    expect(received[0]).toMatchObject({ summaries: { count: 1, costUsd: 0 } });
    expect(received[1]).toEqual(received[0]);
    await rm(folder, { recursive: true, force: true });
  });

  test("is an estimate if the provider reported no figures, and lists models without a known price", async () => {
    await using server = await startTestServer();
    await server.ask("POST", "/api/sessions", { id: "s" });
    const answer = async (model: string, usage?: object) => {
      const next = [{ role: "user", content: "How many islands are there?" }];
      const { body } = await server.ask("POST", "/api/sessions/s/prompts", { model, next });
      const messages = [{ role: "assistant", content: "There are seven of them." }];
      await server.ask("POST", "/api/sessions/s/messages", { messages, promptId: body.id, usage });
    };
    await answer("gpt-4.1-mini");
    const estimated = (await server.ask("GET", "/api/sessions/s/usage?newest=1")).body;
    expect(estimated).toMatchObject({ isExact: false, unpriced: 0, models: [{ answers: 1, estimated: 1 }] });
    expect(estimated.costUsd).toBeGreaterThan(0);
    expect(estimated.newest[0].isEstimate).toBe(true);
    await answer("my-own-model", { inputTokens: 100, outputTokens: 10 });
    const { body } = await server.ask("GET", "/api/sessions/s/usage");
    expect(body).toMatchObject({ isExact: false, unpriced: 1, costUsd: estimated.costUsd });
    expect(body.models[1]).toEqual({
      ...{ model: "my-own-model", answers: 1, estimated: 0 },
      ...{ inputTokens: 100, outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0 },
    });
  });

  test("is zero if only the offline model answers", async () => {
    await using server = await startTestServer({ models: [await createOfflineChat()], engine: { model: "offline" } });
    const message = { id: "u1", role: "user", parts: [{ type: "text", text: "Is anybody there?" }] };
    await server.ask("POST", "/api/chat", { id: "s", message });
    const { body } = await server.ask("GET", "/api/sessions/s/usage?newest=5");
    expect(body).toMatchObject({ costUsd: 0, isExact: true, unpriced: 0 });
    expect(body.models).toMatchObject([{ model: "offline", answers: 1, estimated: 0 }]);
  });

  test("of a fork counts only the fork's own answers, and names the session that the others belong to", async () => {
    await using chat = await startChat({ script: [text("One."), text("Two."), text("Another two.")] });
    const client = chat.client();
    for (const words of ["First?", "Second?"]) await client.say(words);
    const { body: before } = await chat.server.ask("GET", "/api/sessions/chat/usage?newest=9");
    const atSeq = before.newest[0].seq;
    const { body: fork } = await chat.server.ask("POST", "/api/sessions/chat/forks", { atSeq });
    const used = async () => (await chat.server.ask("GET", `/api/sessions/${fork.id}/usage?newest=9`)).body;
    const inherited = { sessionId: "chat", throughSeq: atSeq };
    expect(await used()).toMatchObject({ costUsd: 0, models: [], newest: [], inherited });
    const message = { id: "other", role: "user", parts: [{ type: "text", text: "Another second?" }] };
    await chat.server.ask("POST", "/api/chat", { id: fork.id, message });
    const after = await used();
    expect(after).toMatchObject({ models: [{ answers: 1 }], newest: [{ ...REPORTED }], inherited });
    expect(after.newest).toHaveLength(1);
    expect(after.newest[0].seq).toBeGreaterThan(atSeq);
    expect(after.costUsd).toBeCloseTo(ONE_USD, 12);
    const { body: left } = await chat.server.ask("GET", "/api/sessions/chat/usage?newest=9");
    expect(left).toEqual(before);
    expect(left.inherited).toBeUndefined();
  });

  test("is counted for the model that answered, even if the prompt was made for another", async () => {
    await using chat = await startChat({
      script: [text("One.")],
      beside: [await createOfflineChat()],
      engine: { model: "gpt-4.1-mini" },
    });
    await chat.client().say("First?");
    const message = { id: "again", role: "user", parts: [{ type: "text", text: "What did I ask first?" }] };
    await chat.server.ask("POST", "/api/chat", { id: "chat", message, model: "offline" });
    const { body } = await chat.server.ask("GET", "/api/sessions/chat/usage?newest=9");
    expect(body.models).toMatchObject([
      { model: "gpt-4.1-mini", answers: 1 },
      { model: "offline", answers: 1, inputTokens: 0, costUsd: 0 },
    ]);
    expect(body.newest.map(({ model }: { model: string }) => model)).toEqual(["gpt-4.1-mini", "offline"]);
    expect(body).toMatchObject({ isExact: true, unpriced: 0 });
    expect(body.costUsd).toBeCloseTo(ONE_USD, 12);
  });

  test("is zero for the sample, which uses no model, and cannot be read for a missing session", async () => {
    await using server = await startTestServer({ engine: { model: "gpt-4.1-mini" } });
    const { id } = (await server.ask("POST", "/api/sample", {})).body.session;
    await server.ask("POST", `/api/sessions/${id}/sample/next`, {});
    const { body } = await server.ask("GET", `/api/sessions/${id}/usage`);
    expect(body).toMatchObject({ costUsd: 0, isExact: true, unpriced: 0, models: [{ model: "sample" }] });
    expect((await server.ask("GET", "/api/sessions/nowhere/usage")).status).toBe(404);
  });
});

describe("the branches of a session", () => {
  test("are the same for all sessions that share them, even with a request entry between messages", async () => {
    await using server = await startTestServer();
    const { ask } = server;
    const say = async (id: string, ...words: readonly string[]) =>
      ask("POST", `/api/sessions/${id}/messages`, { messages: words.map((content) => ({ role: "user", content })) });
    await ask("POST", "/api/sessions", { id: "trunk" });
    await say("trunk", "One", "Two");
    // The request entry of this prompt is between the second message and the third.
    await ask("POST", "/api/sessions/trunk/prompts", {});
    await say("trunk", "Three");
    const fork = async (from: string, atSeq: number): Promise<string> => {
      // Forks are listed by their time, so two of them must not have the same one.
      await setTimeout(2);
      return (await ask("POST", `/api/sessions/${from}/forks`, { atSeq })).body.id;
    };
    const ids = ["trunk", await fork("trunk", 2), await fork("trunk", 3)];
    const [, before = ""] = ids;
    await say(before, "Another three");
    const early = await fork(before, 1);
    for (const [current, id] of ids.entries()) {
      const { branches } = (await ask("GET", `/api/sessions/${id}/branches`)).body;
      expect(branches).toEqual([
        { atSeq: 1, sessionIds: ["trunk", early], current: 0 },
        { atSeq: 2, sessionIds: ids, current },
      ]);
    }
    const { branches } = (await ask("GET", `/api/sessions/${early}/branches`)).body;
    expect(branches).toEqual([{ atSeq: 1, sessionIds: ["trunk", early], current: 1 }]);
    expect((await ask("GET", "/api/sessions/nowhere/branches")).status).toBe(404);
  });
});

describe("the prompt that was sent last", () => {
  test("is the prompt that the model got, in the requested format, and never a preview", async () => {
    await using chat = await startChat({ script: [text("By the quay."), text("At nine.")] });
    const last = async (query = "") => (await chat.server.ask("GET", `/api/sessions/chat/prompts/last${query}`)).body;
    await chat.client().say("Where is the crane?");
    const { promptId, at, prompt } = await last();
    const [entry] = (await chat.server.ask("GET", "/api/sessions/chat/entries?types=request")).body.entries;
    expect([promptId, at]).toEqual([entry.promptId, entry.at]);
    expect(JSON.stringify(prompt)).toContain("Where is the crane?");
    expect(JSON.stringify(prompt)).not.toContain("By the quay.");
    await chat.server.ask("GET", "/api/sessions/chat/view");
    await chat.server.ask("POST", "/api/sessions/chat/prompts", { preview: true });
    expect(await last()).toEqual({ promptId, at, prompt });
    expect((await last("?provider=gemini")).prompt.contents).toHaveLength(1);
    await chat.server.ask("POST", "/api/sessions/chat/prompts", {});
    expect(JSON.stringify((await last()).prompt)).toContain("By the quay.");
  });

  test("is unknown before the first prompt, on another server, and after one of its messages was deleted", async () => {
    const folder = await mkdtemp(join(tmpdir(), "review-"));
    const store = `sqlite:${join(folder, "chats.db")}`;
    const path = "/api/sessions/s/prompts/last";
    const next = [{ id: "m1", role: "user", content: "The password is kingfisher." }];
    {
      await using server = await startTestServer({ store });
      await server.ask("POST", "/api/sessions", { id: "s" });
      expect((await server.ask("GET", path)).body).toEqual({});
      await server.ask("POST", "/api/sessions/s/prompts", { next });
      expect(JSON.stringify((await server.ask("GET", path)).body.prompt)).toContain("kingfisher");
      await using other = await startTestServer({ store });
      expect(Object.keys((await other.ask("GET", path)).body)).toEqual(["promptId", "at"]);
      await other.ask("DELETE", "/api/sessions/s/messages/m1");
      expect(Object.keys((await server.ask("GET", path)).body)).toEqual(["promptId", "at"]);
    }
    await rm(folder, { recursive: true, force: true });
  });
});

describe("the forks of a session", () => {
  test("are listed without other sessions' forks, even in a store with many sessions", async () => {
    await using server = await startTestServer();
    const { ask } = server;
    await ask("POST", "/api/sessions", { id: "trunk" });
    await ask("POST", "/api/sessions/trunk/messages", { messages: [{ role: "user", content: "Hello." }] });
    const fork = async (id: string) => (await ask("POST", `/api/sessions/${id}/forks`, { atSeq: 1 })).body.id;
    const ids = [await fork("trunk"), await fork("trunk")];
    const grandchild = await fork(String(ids[0]));
    for (let count = 0; count < 120; count += 1) await ask("POST", "/api/sessions", {});
    const listed = async (id: string) => (await ask("GET", `/api/sessions/${id}/forks`)).body.sessions;
    expect((await listed("trunk")).map(({ id }: { readonly id: string }) => id).toSorted()).toEqual(ids.toSorted());
    expect(await listed(String(ids[0]))).toMatchObject([{ id: grandchild, fork: { parentId: ids[0], atSeq: 1 } }]);
    expect(await listed(grandchild)).toEqual([]);
    expect((await ask("GET", "/api/sessions/nowhere/forks")).status).toBe(404);
  });
});

test("the sample keeps its small window in views, previews, chats and forks", async () => {
  await using chat = await startChat({ script: [text("Nine o'clock.")] });
  const { ask } = chat.server;
  const { session, windowTokens } = (await ask("POST", "/api/sample", {})).body;
  const path = `/api/sessions/${session.id}`;
  await ask("POST", `${path}/sample/next`, {});
  expect((await ask("GET", `${path}/view`)).body.report.windowTokens).toBe(windowTokens);
  expect((await ask("POST", `${path}/prompts`, { preview: true })).body.report.windowTokens).toBe(windowTokens);
  const named = (await ask("POST", `${path}/prompts`, { preview: true, windowTokens: 9_000 })).body;
  expect(named.report.windowTokens).toBe(9_000);
  const message = { id: "asked", role: "user", parts: [{ type: "text", text: "When does it leave?" }] };
  const { body } = await ask("POST", "/api/chat", { id: session.id, message });
  expect(body).toContain(`"windowTokens":${windowTokens}}`);
  const fork = (await ask("POST", `${path}/forks`, {})).body;
  expect((await ask("GET", `/api/sessions/${fork.id}/view`)).body.report.windowTokens).toBe(windowTokens);
  await ask("POST", "/api/sessions", { id: "other" });
  expect((await ask("GET", "/api/sessions/other/view")).body.report.windowTokens).not.toBe(windowTokens);
});
