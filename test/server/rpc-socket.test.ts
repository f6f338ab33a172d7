/** JSON-RPC over WebSockets: replies that stream, notifications for every client, and access. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOpenAI } from "@ai-sdk/openai";
import { afterEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { hashToken } from "../../src/server/access/tokens.ts";
import { shows } from "../../src/testing/shows.ts";
import { openRpcSocket } from "../support/rpc-socket.ts";
import { scriptedChatModel } from "../support/scripted-chat.ts";
import { SCRIPTED_USAGE, type ScriptedProvider, startScriptedProvider } from "../support/scripted-provider.ts";
import { type ScriptedReply, scriptedReplies } from "../support/scripted-provider-reply.ts";
import { ScriptedWorkspace } from "../support/scripted-workspace.ts";
import { startTestServer, type TestServer } from "../support/start-server.ts";

const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

let provider: ScriptedProvider | undefined;
afterEach(async () => provider?.close());

type Options = NonNullable<Parameters<typeof startTestServer>[0]>;

async function startChat(replies: readonly ScriptedReply[], options: Options = {}): Promise<TestServer> {
  provider = await startScriptedProvider(replies);
  return startTestServer({ ...options, models: [scriptedChatModel(provider)] });
}

async function countSockets({ ask }: TestServer): Promise<number> {
  return Number(/active_streams\{kind="rpc"\} (\d+)/.exec((await ask("GET", "/metrics")).body)?.[1]);
}

const isOf = (requestId: string) => (params: { request_id: string }) => params.request_id === requestId;

describe("a reply", () => {
  test(
    shows("C-26", "is streamed to every client, each chunk with the text so far, and ends with its usage"),
    async () => {
      const text = "The harbour master keeps both keys.";
      const rest = Promise.withResolvers<void>();
      await using server = await startChat([scriptedReplies.held(text, rest.promise)]);
      await using asking = await openRpcSocket(server.url);
      await using watching = await openRpcSocket(server.url);
      const started = await asking.call("LLMService.chat_streaming", ["r-1", "Who keeps the keys?"]);
      expect(started).toMatchObject({ status: "started", request_id: "r-1" });
      for (const client of [asking, watching]) await client.waitForNotification("streamChunk", isOf("r-1"));
      rest.resolve();
      for (const client of [asking, watching]) {
        const { result } = await client.waitForNotification("streamComplete", isOf("r-1"));
        const { inputTokens, outputTokens, cacheReadTokens } = SCRIPTED_USAGE;
        expect(result).toMatchObject({
          response: text,
          session_id: started.session_id,
          token_usage: {
            prompt_tokens: inputTokens,
            completion_tokens: outputTokens,
            total_tokens: inputTokens + outputTokens,
            cache_read_tokens: cacheReadTokens,
            is_estimated: false,
          },
        });
        const chunks = client.notifications
          .filter(({ method }) => method === "streamChunk")
          .map(({ params }) => params);
        const contents = chunks.map(({ content }) => String(content));
        expect(contents.length).toBeGreaterThan(1);
        for (const content of contents) expect(text.startsWith(content)).toBe(true);
        expect(contents.map(({ length }) => length)).toEqual(
          contents.map(({ length }) => length).toSorted((a, b) => a - b),
        );
        expect(contents.at(-1)).toBe(text);
      }
      const state = await watching.call("get_current_state");
      expect(state).toMatchObject({
        streaming_active: false,
        session_id: started.session_id,
        messages: [
          { role: "user", content: "Who keeps the keys?" },
          { role: "assistant", content: text },
        ],
      });
    },
  );

  test(
    shows("C-26", "blocks other requests until it ends or is canceled, and a canceled reply is kept with a marker"),
    async () => {
      const long = "one word after the other ".repeat(400);
      await using server = await startChat([
        scriptedReplies.held(long, new Promise(() => undefined)),
        scriptedReplies.text("Good."),
      ]);
      await using client = await openRpcSocket(server.url);
      await client.call("chat_streaming", { request_id: "r-1", message: "Go on." });
      const { content } = await client.waitForNotification("streamChunk", isOf("r-1"));
      expect(await client.call("get_current_state")).toMatchObject({
        streaming_active: true,
        messages: [{ role: "user", content: "Go on." }],
      });
      for (const [method, params] of [
        ["chat_streaming", ["r-2", "And I?"]],
        ["new_session", []],
        ["load_session_into_context", ["any"]],
      ] as const) {
        const refused = client.call(method, params);
        await expect(refused).rejects.toMatchObject({ rpc: { code: -32_000, data: { code: "stream-active" } } });
      }
      expect(await client.call("cancel_streaming", ["another"])).toEqual({ status: "not-streaming" });
      expect(await client.call("cancel_streaming", ["r-1"])).toEqual({ status: "cancelled" });
      const { result } = await client.waitForNotification("streamComplete", isOf("r-1"));
      expect(result).toMatchObject({ cancelled: true, token_usage: { is_estimated: true } });
      expect(result.response).toMatch(/^one word [\s\S]*\[stopped\]$/);
      expect(result.response.length).toBeGreaterThan(content.length);
      await client.call("chat_streaming", ["r-3", "Enough?"]);
      expect((await client.waitForNotification("streamComplete", isOf("r-3"))).result.response).toBe("Good.");
      const { messages } = await client.call("get_current_state");
      expect(messages.map(({ content: words }: { content: string }) => words)).toEqual([
        "Go on.",
        result.response,
        "Enough?",
        "Good.",
      ]);
    },
  );

  test("ends with an error message if the provider fails, and the question is kept", async () => {
    await using server = await startChat([scriptedReplies.unauthorised()]);
    await using client = await openRpcSocket(server.url);
    await client.call("chat_streaming", ["r-1", "Anybody there?"]);
    const { result } = await client.waitForNotification("streamComplete", isOf("r-1"));
    expect(result).toMatchObject({ response: "", error: expect.any(String) });
    const state = await client.call("get_current_state");
    expect(state).toMatchObject({ streaming_active: false, messages: [{ content: "Anybody there?" }] });
  });

  test(shows(["S3-150", "S3-36"], "is part of the loaded session, which is returned with its images"), async () => {
    await using server = await startChat([scriptedReplies.text("A dot."), scriptedReplies.text("Still a dot.")]);
    await using client = await openRpcSocket(server.url);
    const first = await client.call("chat_streaming", { request_id: "r-1", message: "What is this?", images: [PIXEL] });
    await client.waitForNotification("streamComplete", isOf("r-1"));
    await client.call("new_session");
    const loaded = await client.call("load_session_into_context", [first.session_id]);
    expect(loaded.messages).toMatchObject([{ content: "What is this?", images: [PIXEL] }, { content: "A dot." }]);
    const second = await client.call("chat_streaming", ["r-2", "And now?"]);
    expect(second.session_id).toBe(first.session_id);
    await client.waitForNotification("streamComplete", isOf("r-2"));
    const sent = JSON.stringify(provider?.requests[1]?.body);
    for (const words of ["What is this?", "A dot.", "And now?"]) expect(sent).toContain(words);
    expect((await client.call("get_current_state")).messages).toHaveLength(4);
  });

  test("cannot be requested without a message or with an invalid image", async () => {
    await using server = await startChat([]);
    await using client = await openRpcSocket(server.url);
    for (const params of [
      { request_id: "r", message: " " },
      { request_id: "r", message: "x", images: ["https://elsewhere.example/a.png"] },
      { request_id: "", message: "x" },
      { request_id: "r", message: "x", images: Array.from({ length: 6 }, () => PIXEL) },
    ]) {
      await expect(client.call("chat_streaming", params)).rejects.toMatchObject({ rpc: { code: -32_602 } });
    }
    expect(await client.call("history_list_sessions")).toEqual([]);
  });

  test(shows("C-26", "is based on at most three new web pages of a message, and each page is reported"), async () => {
    const read: string[] = [];
    const workspace = {
      listTree: async () => ({ paths: [], isCut: false }),
      findFile: async () => undefined,
      listOutlines: async () => [],
      readLink: async (url: string) => {
        read.push(url);
        if (url.endsWith("3")) return { type: "refused" as const, url, reason: "nobody answers there" };
        return { type: "page" as const, url, text: `The page at ${url}.` };
      },
    };
    const replies = [scriptedReplies.text("Read."), scriptedReplies.text("Read again.")];
    await using server = await startChat(replies, { engine: { policy: "workspace", workspace } });
    await using client = await openRpcSocket(server.url);
    const links = [1, 2, 3, 4].map((place) => `https://pages.example/${place}`);
    await client.call("chat_streaming", ["r-1", `Read ${links.join(" and ")}.`]);
    await client.waitForNotification("streamComplete", isOf("r-1"));
    expect(read.toSorted()).toEqual(links.slice(0, 3));
    const compactionEvents = client.notifications
      .filter(({ method }) => method === "compactionEvent")
      .map(({ params }) => params);
    for (const url of links.slice(0, 3)) {
      expect(compactionEvents).toContainEqual({ request_id: "r-1", event: { stage: "url_fetch", url } });
    }
    expect(compactionEvents).toContainEqual({
      request_id: "r-1",
      event: { stage: "url_ready", url: links[2], error: "nobody answers there" },
    });
    expect(JSON.stringify(provider?.requests[0]?.body)).toContain("The page at https://pages.example/1.");
  });
});

describe("notifications to every client", () => {
  test(
    shows(
      ["S3-70", "S3-72", "S3-75"],
      "report compactions of the current session, with the id of the request that caused them",
    ),
    async () => {
      const words = "The quick brown fox jumps over the lazy dog and runs on. ".repeat(40);
      const reply = `So it is. ${words.repeat(10)}`;
      // The exact count, so that the engine does not adjust its factor.
      const usage = { inputTokens: 22_000, outputTokens: 5_000, cacheReadTokens: 0, cacheWriteTokens: 0 };
      const found = { boundary_index: null, boundary_reason: "one topic", confidence: 0.9, summary: "" };
      provider = await startScriptedProvider(({ body }) => {
        if (body.model !== "gpt-4.1-nano") return { type: "text", text: reply, usage };
        const isDetecting = JSON.stringify(body).includes("boundary_index");
        return isDetecting
          ? scriptedReplies.json(found)
          : scriptedReplies.text("The quick brown fox jumps and runs on.");
      });
      const summarizer = createOpenAI({ baseURL: `${provider.url}/v1`, apiKey: "k" }).chat("gpt-4.1-nano");
      await using server = await startTestServer({
        models: [scriptedChatModel(provider)],
        engine: { policy: "workspace", windowTokens: 200_000, summarizer },
      });
      await using client = await openRpcSocket(server.url);
      const { session_id } = await client.call("new_session");
      const messages = Array.from({ length: 41 }, (_, index) => ({
        role: index % 2 === 0 ? "user" : "assistant",
        content: `Part ${index}. ${words}`,
      }));
      await server.ask("POST", `/api/sessions/${session_id}/messages`, { messages });
      const { percent } = await client.call("get_history_status");
      expect(percent).toBeGreaterThan(80);
      expect(percent).toBeLessThan(100);
      await client.call("chat_streaming", ["r-1", "Go on."]);
      await client.waitForNotification("streamComplete", isOf("r-1"));
      const isStage = (stage: string) => (params: { event: { stage: string } }) => params.event.stage === stage;
      const started = await client.waitForNotification("compactionEvent", isStage("compaction_start"));
      expect(started).toEqual({ request_id: "r-1", event: { stage: "compaction_start", message: "Compacting..." } });
      const { request_id, event } = await client.waitForNotification("compactionEvent", isStage("compaction_complete"));
      expect(request_id).toBe("r-1");
      expect(["truncate", "summarize"]).toContain(event.case);
      expect(event.messages.length).toBeLessThan(43);
      expect(event.messages.at(-1).role).toBe("assistant");
      expect(event.messages.at(-1).content === reply).toBe(true);
      const order = client.notifications.map(({ method, params }) =>
        "event" in params ? Object(params.event).stage : method,
      );
      expect(order.filter((each) => each !== "streamChunk")).toEqual([
        "streamComplete",
        "compaction_start",
        "compaction_complete",
      ]);
      // The log still has every message.
      expect((await client.call("get_current_state")).messages).toHaveLength(43);
    },
  );

  test("report no compactions of other sessions", async () => {
    await using server = await startTestServer();
    await using client = await openRpcSocket(server.url);
    await client.call("new_session");
    await server.ask("POST", "/api/sessions", { id: "another" });
    const messages = Array.from({ length: 40 }, (_, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: `Part ${index}. ${"Words and words. ".repeat(50)}`,
    }));
    await server.ask("POST", "/api/sessions/another/messages", { messages });
    expect((await server.ask("POST", "/api/sessions/another/compactions", {})).status).toBe(200);
    await client.call("get_current_state");
    expect(client.notifications).toEqual([]);
  });

  test(shows("C-26", "report the selected files when they change"), async () => {
    const workspace = new ScriptedWorkspace().write("a.txt", "A.").write("b.txt", "B.");
    await using server = await startTestServer({ engine: { policy: "workspace", workspace } });
    await using one = await openRpcSocket(server.url);
    await using other = await openRpcSocket(server.url);
    await one.call("set_selected_files", [["a.txt"]]);
    await one.call("set_selected_files", [["a.txt", "nobody's.txt"]]);
    await one.call("set_selected_files", [["b.txt", "a.txt"]]);
    await other.call("get_selected_files");
    expect(other.notifications).toMatchObject([
      { method: "filesChanged", params: { selected_files: ["a.txt"] } },
      { method: "filesChanged", params: { selected_files: ["a.txt", "b.txt"] } },
    ]);
  });
});

describe("access to the socket", () => {
  const refusedWith = async (url: string, options: { headers?: Record<string, string>; path?: string }) => {
    const { headers = {}, path = "/rpc" } = options;
    const socket = new WebSocket(`${url.replace(/^http/, "ws")}${path}`, { headers });
    const [, response] = await once(socket, "unexpected-response");
    socket.on("error", () => undefined);
    socket.terminate();
    return response.statusCode;
  };

  test("is refused with a foreign host, from a foreign page, and on other paths than /rpc", async () => {
    await using server = await startTestServer();
    expect(await refusedWith(server.url, { headers: { host: "rebound.example" } })).toBe(403);
    expect(await refusedWith(server.url, { headers: { origin: "https://elsewhere.example" } })).toBe(403);
    expect(await refusedWith(server.url, { path: "/api/sessions" })).toBe(404);
    await using own = await openRpcSocket(server.url, { headers: { origin: server.url } });
    expect(await own.call("get_selected_files")).toEqual([]);
  });

  test("needs a token in a header or in a subprotocol, since browsers cannot set the header", async () => {
    await using server = await startTestServer({ tokens: [{ hash: hashToken("a+secret/=~"), tenantId: "one" }] });
    expect(await refusedWith(server.url, {})).toBe(401);
    expect(await refusedWith(server.url, { headers: { authorization: "Bearer wrong" } })).toBe(401);
    expect(await refusedWith(server.url, { path: "/rpc?token=a%2Bsecret%2F%3D~" })).toBe(401);
    await using one = await openRpcSocket(server.url, { headers: { authorization: "Bearer a+secret/=~" } });
    const token = Buffer.from("a+secret/=~").toString("base64url");
    await using two = await openRpcSocket(server.url, { protocols: ["palimpsest.rpc", `palimpsest.token.${token}`] });
    expect(two.socket.protocol).toBe("palimpsest.rpc");
    const { session_id } = await one.call("new_session");
    expect(await two.call("get_current_state")).toMatchObject({ session_id });
  });

  test("gives clients of one tenant no events of another tenant", async () => {
    provider = await startScriptedProvider([scriptedReplies.text("A secret.")]);
    const tokens = ["one", "two"].map((tenantId) => ({ hash: hashToken(`token-of-${tenantId}`), tenantId }));
    await using server = await startTestServer({ tokens, models: [scriptedChatModel(provider)] });
    await using one = await openRpcSocket(server.url, { headers: { authorization: "Bearer token-of-one" } });
    await using two = await openRpcSocket(server.url, { headers: { authorization: "Bearer token-of-two" } });
    await one.call("chat_streaming", ["r-1", "Tell me."]);
    await one.waitForNotification("streamComplete", isOf("r-1"));
    await two.call("get_current_state");
    expect(two.notifications).toEqual([]);
  });
});

describe("limits of a connection", () => {
  test("invalid JSON and too many requests get errors, and binary or too large input closes this connection only", async () => {
    await using server = await startTestServer();
    await using other = await openRpcSocket(server.url);
    await using client = await openRpcSocket(server.url);
    client.send("{");
    client.send(`${"[".repeat(65)}${"]".repeat(65)}`);
    const request = (id: number) => JSON.stringify({ jsonrpc: "2.0", id: `n-${id}`, method: "get_selected_files" });
    for (let id = 0; id < 400; id += 1) client.send(request(id));
    await client.call("get_selected_files").catch(() => undefined);
    const answers = client.answers as readonly { id: unknown; error?: { code: number; data?: { code: string } } }[];
    expect(answers.slice(0, 2)).toMatchObject([{ error: { code: -32_700 } }, { error: { code: -32_700 } }]);
    expect(answers.slice(2, 402).map(({ id }) => id)).toEqual(Array.from({ length: 400 }, (_, id) => `n-${id}`));
    expect(answers.filter(({ error }) => error?.data?.code === "too-many-requests").length).toBeGreaterThan(100);
    client.socket.send(Buffer.from("{}"));
    expect((await once(client.socket, "close"))[0]).toBe(1003);
    await using large = await openRpcSocket(server.url);
    large.send(`"${"a".repeat(4_000_001)}"`);
    expect((await once(large.socket, "close"))[0]).toBe(1009);
    expect(await other.call("get_selected_files")).toEqual([]);
  });

  test("the server does not hold all answers to a client that reads nothing, and other clients are not affected", async () => {
    await using server = await startTestServer();
    await server.ask("POST", "/api/sessions", { id: "s" });
    const message = { role: "user", content: "a".repeat(900_000) };
    for (let index = 0; index < 3; index += 1)
      await server.ask("POST", "/api/sessions/s/messages", { messages: [message] });
    await using slow = await openRpcSocket(server.url);
    slow.socket.pause();
    for (let id = 0; id < 150; id += 1) {
      slow.send(JSON.stringify({ jsonrpc: "2.0", id, method: "history_get_session", params: ["s"] }));
    }
    await using other = await openRpcSocket(server.url);
    const before = process.memoryUsage().rss;
    for (let index = 0; index < 20; index += 1) expect(await other.call("get_selected_files")).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 500));
    // All answers together would be four hundred megabytes.
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
    slow.socket.resume();
    expect(await other.call("get_selected_files")).toEqual([]);
  });

  test("a client that reads no notifications is disconnected, and every other client gets all of them", async () => {
    const workspace = new ScriptedWorkspace();
    const files = Array.from({ length: 400 }, (_, index) => `${"a-long-name-of-a-folder/".repeat(5)}${index}.txt`);
    for (const path of files) workspace.write(path, "A.");
    await using server = await startTestServer({ engine: { policy: "workspace", workspace } });
    await using slow = await openRpcSocket(server.url);
    await using other = await openRpcSocket(server.url);
    slow.socket.pause();
    const chosen = [files, files.slice(1)];
    // How many notifications the buffers of the socket take depends on the system.
    let rounds = 0;
    for (; (await countSockets(server)) === 2; rounds += 1) {
      const params = [chosen[rounds % 2]];
      await server.ask("POST", "/rpc", { jsonrpc: "2.0", id: rounds, method: "set_selected_files", params });
    }
    await other.call("get_selected_files");
    expect(other.notifications).toHaveLength(rounds);
    const closed = once(slow.socket, "close");
    slow.socket.resume();
    const [code] = await closed;
    // Buffered notifications come first; the server does not wait for the rest.
    expect([1006, 1013]).toContain(code);
    expect(slow.notifications.length).toBeLessThan(rounds);
  });

  test("a client that answers no ping is disconnected, and other clients are not", async () => {
    // Long enough for an answer on a busy machine.
    await using server = await startTestServer({ heartbeatMs: 500 });
    await using dead = await openRpcSocket(server.url, { autoPong: false });
    await using alive = await openRpcSocket(server.url);
    expect((await once(dead.socket, "close"))[0]).toBe(1006);
    expect(await countSockets(server)).toBe(1);
    expect(await alive.call("get_selected_files")).toEqual([]);
    expect(alive.socket.readyState).toBe(WebSocket.OPEN);
  });

  test("a reply that is streaming when the server shuts down is kept and reported before the connection closes", async () => {
    const folder = mkdtempSync(join(tmpdir(), "palimpsest-rpc-end-"));
    const store = `sqlite:${join(folder, "chats.db")}`;
    const server = await startChat([scriptedReplies.held("word ".repeat(5_000), new Promise(() => undefined))], {
      store,
    });
    await using client = await openRpcSocket(server.url);
    await client.call("chat_streaming", ["r-1", "Go on."]);
    await client.waitForNotification("streamChunk", isOf("r-1"));
    const closed = once(client.socket, "close");
    await server.server.close({ withinMs: 1_500 });
    expect((await closed)[0]).toBe(1001);
    const { result } = await client.waitForNotification("streamComplete", isOf("r-1"));
    expect(result.response).toMatch(/^word [\s\S]*\[interrupted\]$/);
    {
      await using again = await startTestServer({ store });
      await using next = await openRpcSocket(again.url);
      const { messages } = await next.call("get_current_state");
      expect(messages.map(({ content }: { content: string }) => content)).toEqual(["Go on.", result.response]);
    }
    rmSync(folder, { recursive: true, force: true });
  });

  test("an invalid upgrade request is refused, and the server shuts down although clients are connected", async () => {
    const server = await startTestServer();
    const client = await openRpcSocket(server.url);
    const raw = connect(server.server.port, "127.0.0.1");
    raw.write("GET /rpc HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n");
    const [answer] = await once(raw, "data");
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 400 /);
    raw.destroy();
    const closed = once(client.socket, "close");
    await server.server.close({ withinMs: 5_000 });
    expect((await closed)[0]).toBe(1001);
  });
});
