import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { tool } from "ai";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { shows } from "../../src/testing/shows.ts";
import { startScriptedProvider } from "../support/scripted-provider.ts";
import { scriptedReplies } from "../support/scripted-provider-reply.ts";
import { ChatClient, logOf, modelAt, startChat, until } from "../support/start-chat.ts";
import { startTestServer } from "../support/start-server.ts";

const { text, slow, held, hang, toolCall, flood } = scriptedReplies;

const LONG = "Every word of this reply takes its time to arrive. ".repeat(3).trim();
const isText = ({ type }: { readonly type: string }) => type === "text-delta";

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-chat-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe("a canceled turn", () => {
  test(
    shows(["S3-156", "C-26"], "keeps the partial reply, with a marker for people, models and programs"),
    async () => {
      await using chat = await startChat({ script: [held(LONG, new Promise(() => undefined)), text("As you like.")] });
      const client = chat.client();
      const stream = await client.send("Tell me all.");
      const reading = client.take(stream);
      await until(async () => (await peek(chat.server.url)).includes("text-delta"));
      expect((await chat.server.ask("DELETE", "/api/chat/chat/stream")).body).toEqual({ cancelled: true });
      const { message, chunks, metadata } = await reading;
      expect(message?.parts.at(-1)).toMatchObject({
        type: "text",
        text: "[stopped]",
        providerMetadata: { palimpsest: { stopped: "cancelled" } },
      });
      expect(metadata.stopped).toBe("cancelled");
      expect(chunks.at(-1)).toEqual({ type: "abort", reason: "cancelled" });
      const [, reply = ""] = await logOf(chat.server);
      expect(reply).toMatch(/^assistant: Every.* \[stopped\]$/);
      expect(reply.length).toBeLessThan(LONG.length);
      await chat.provider.settle();
      await client.say("Shorter, please.");
      expect(JSON.stringify(chat.provider.requests[1]?.body)).toContain("[stopped]");
      expect((await chat.server.ask("GET", "/api/sessions")).body.sessions).toHaveLength(1);
    },
  );

  test(
    shows("S3-156", "stores nothing of the reply under the workspace preset: the user message stays alone"),
    async () => {
      await using chat = await startChat({
        engine: { policy: "workspace" },
        script: [held(LONG, new Promise(() => undefined)), text("As you like.")],
      });
      const client = chat.client();
      const reading = client.take(await client.send("Tell me all."));
      await until(async () => (await peek(chat.server.url)).includes("text-delta"));
      await chat.server.ask("DELETE", "/api/chat/chat/stream");
      expect((await reading).text).toBe("");
      expect(await logOf(chat.server)).toEqual(["user: Tell me all."]);
      expect((await client.say("Shorter.")).text).toBe("As you like.");
      expect(await logOf(chat.server)).toEqual(["user: Tell me all.", "user: Shorter.", "assistant: As you like."]);
    },
  );

  test("creates no branch for a client that has only a part of its reply", async () => {
    await using chat = await startChat({ script: [held(LONG, new Promise(() => undefined)), text("As you like.")] });
    const client = chat.client();
    const leaving = new AbortController();
    await client.say("Tell me all.", { signal: leaving.signal, leaveAfter: isText });
    leaving.abort();
    await until(async () => (await peek(chat.server.url)).includes("takes its"));
    await chat.server.ask("DELETE", "/api/chat/chat/stream");
    expect((await client.say("Shorter.")).metadata.sessionId).toBe("chat");
    expect((await chat.server.ask("GET", "/api/sessions")).body.sessions).toHaveLength(1);
    expect((await logOf(chat.server)).length).toBe(4);
  });

  test("records a running tool as stopped, and does not wait for it", async () => {
    const endless = tool({ inputSchema: z.object({}), execute: () => new Promise<string>(() => undefined) });
    await using chat = await startChat({ tools: { endless }, script: [toolCall("endless", {}), text("I see.")] });
    const client = chat.client();
    const reading = client.take(await client.send("Start it."));
    await until(async () => (await peek(chat.server.url)).includes("tool-input-available"));
    await chat.server.ask("DELETE", "/api/chat/chat/stream");
    const { message } = await reading;
    expect(message?.parts).toContainEqual(
      expect.objectContaining({ type: "tool-endless", state: "output-error", errorText: "Stopped before the end." }),
    );
    await client.say("Why?");
    expect((await chat.server.ask("GET", "/api/sessions")).body.sessions).toHaveLength(1);
    expect(JSON.stringify(chat.provider.requests[1]?.body)).toContain("Stopped before the end.");
  });

  test("ends at once when a provider hangs, and a second cancel finds nothing to cancel", async () => {
    await using chat = await startChat({ script: [hang()] });
    const client = chat.client();
    const reading = client.take(await client.send("Hello?"));
    await until(() => chat.provider.requests.length === 1);
    expect((await chat.server.ask("DELETE", "/api/chat/chat/stream")).body).toEqual({ cancelled: true });
    expect((await chat.server.ask("DELETE", "/api/chat/chat/stream")).body).toEqual({ cancelled: false });
    expect((await reading).chunks.at(-1)).toMatchObject({ type: "abort" });
    expect(await logOf(chat.server)).toEqual(["user: Hello?"]);
    await chat.provider.settle();
  });
});

describe("a running turn", () => {
  test("continues when its client disconnects, and a client that returns with a part of it creates no branch", async () => {
    await using chat = await startChat({ script: [slow(LONG, 0), text("Welcome.")] });
    const client = chat.client();
    const leaving = new AbortController();
    await client.say("Tell me all.", { signal: leaving.signal, leaveAfter: isText });
    leaving.abort();
    await until(async () => (await logOf(chat.server)).length === 2);
    expect(await logOf(chat.server)).toEqual(["user: Tell me all.", `assistant: ${LONG}`]);
    await client.say("Thanks.");
    expect((await chat.server.ask("GET", "/api/sessions")).body.sessions).toHaveLength(1);
    expect(await logOf(chat.server)).toEqual([
      "user: Tell me all.",
      `assistant: ${LONG}`,
      "user: Thanks.",
      "assistant: Welcome.",
    ]);
  });

  test("is resumed from its beginning by any number of clients", async () => {
    const { promise: rest, resolve: goOn } = Promise.withResolvers<void>();
    await using chat = await startChat({ script: [held(LONG, rest)] });
    const client = chat.client();
    expect(await client.resume()).toBeNull();
    const leaving = new AbortController();
    await client.say("Tell me all.", { signal: leaving.signal, leaveAfter: isText });
    leaving.abort();
    const resumed = await Promise.all(
      [chat.client(), chat.client()].map(async (each) => ({ each, stream: (await each.resume()) as never })),
    );
    goOn();
    const [one, other] = await Promise.all(resumed.map(({ each, stream }) => each.take(stream)));
    expect(one?.text).toBe(LONG);
    expect(one?.message).toEqual(other?.message);
    expect(one?.chunks[0]).toMatchObject({ type: "start" });
    expect(one?.metadata.sessionId).toBe("chat");
    expect(await client.resume()).toBeNull();
    expect((await chat.server.ask("GET", "/api/chat/chat/stream")).status).toBe(204);
  });

  test(shows("C-26", "is the only one of its session; a second one is refused until it has ended"), async () => {
    const { promise: rest, resolve: goOn } = Promise.withResolvers<void>();
    await using chat = await startChat({ script: [held(LONG, rest), text("Now.")] });
    const client = chat.client();
    const reading = client.take(await client.send("Tell me all."));
    const second = { id: "chat", message: { id: "x", role: "user", content: "And this?" } };
    const refused = await chat.server.ask("POST", "/api/chat", second);
    expect(refused).toMatchObject({ status: 409, body: { error: { code: "stream-active", retryable: true } } });
    expect(await logOf(chat.server)).toEqual(["user: Tell me all."]);
    goOn();
    await reading;
    expect((await chat.server.ask("POST", "/api/chat", second)).status).toBe(200);
  });

  test("is not slowed down by a client that reads nothing", async () => {
    await using chat = await startChat({ script: [flood(3_000_000)] });
    const idle = await fetch(`${chat.server.url}/api/chat`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ id: "chat", message: { role: "user", content: "Go." } }),
    });
    await until(async () => (await chat.server.ask("GET", "/api/chat/chat/stream")).status === 204, 60_000);
    const [, reply = ""] = await logOf(chat.server);
    expect(reply.length).toBeGreaterThan(3_000_000);
    const late = await idle.text();
    expect(late.trimEnd().endsWith("data: [DONE]")).toBe(true);
    expect(late.length).toBeGreaterThan(reply.length);
  });
});

describe("a server that ends", () => {
  test("lets a turn finish within the time limit of a shutdown", async () => {
    const store = `sqlite:${join(temporaryFolder(), "chats.db")}`;
    await using chat = await startChat({ store, script: [slow(LONG, 0)] });
    const client = chat.client();
    const reading = client.take(await client.send("Tell me all."));
    await until(() => chat.provider.requests.length === 1);
    await chat.server.server.close({ withinMs: 20_000 });
    expect((await reading).text).toBe(LONG);
    await using again = await startTestServer({ store });
    expect(await logOf(again)).toEqual(["user: Tell me all.", `assistant: ${LONG}`]);
  });

  test("keeps the partial reply of a turn that cannot finish before a shutdown, marked as interrupted", async () => {
    const store = `sqlite:${join(temporaryFolder(), "chats.db")}`;
    await using chat = await startChat({ store, script: [held(LONG, new Promise(() => undefined))] });
    const client = chat.client();
    const reading = client.take(await client.send("Tell me all.")).catch(() => undefined);
    await until(async () => (await peek(chat.server.url)).includes("text-delta"));
    await chat.server.server.close({ withinMs: 100 });
    await reading;
    await using again = await startTestServer({ store });
    expect((await logOf(again))[1]).toMatch(/^assistant: Every.* \[interrupted\]$/);
  });

  test("loses no acknowledged round when it is killed", async () => {
    const store = `sqlite:${join(temporaryFolder(), "chats.db")}`;
    await using provider = await startScriptedProvider((_, index) => {
      if (index === 0) return toolCall("look", { at: "the shed" });
      return index === 1 ? toolCall("look", { at: "the attic" }) : held(LONG, new Promise(() => undefined));
    });
    const program = fileURLToPath(new URL("../support/chat-process.ts", import.meta.url));
    const child = spawn(process.execPath, [program, store, provider.url], { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = await once(child.stdout, "data");
    const client = new ChatClient(String(line).trim(), "chat");
    const reading = client.say("Where is it?").catch(() => undefined);
    await until(() => provider.requests.length === 3);
    child.kill("SIGKILL");
    await once(child, "exit");
    await reading;
    await using again = await startTestServer({ store, models: [modelAt(provider.url)] });
    expect(await logOf(again)).toEqual([
      "user: Where is it?",
      "assistant: calls look",
      'tool: answers {"type":"text","text":"Nothing at the shed."}',
      "assistant: calls look",
      'tool: answers {"type":"text","text":"Nothing at the attic."}',
    ]);
  });
});

/** The text of a stream so far, as a returning client sees it. */
async function peek(url: string): Promise<string> {
  const leaving = new AbortController();
  const response = await fetch(`${url}/api/chat/chat/stream`, { signal: leaving.signal });
  const reader = response.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  leaving.abort();
  return new TextDecoder().decode(value);
}
