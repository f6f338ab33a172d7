/** The client against a real server over a real socket, and against one that misbehaves. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createOpenAI } from "@ai-sdk/openai";
import { afterEach, describe, expect, expectTypeOf, test } from "vitest";
import { type Client, ClientError, createClient } from "../src/client/index.ts";
import { hashToken } from "../src/server/access/tokens.ts";
import { type ScriptedProvider, startScriptedProvider } from "./support/scripted-provider.ts";
import { type ScriptedReply, scriptedReplies } from "./support/scripted-provider-reply.ts";
import { startTestServer } from "./support/start-server.ts";

let provider: ScriptedProvider | undefined;
let broken: Server | undefined;
afterEach(async () => {
  await provider?.close();
  broken?.closeAllConnections();
  broken?.close();
});

async function startChat(replies: readonly ScriptedReply[]) {
  provider = await startScriptedProvider(replies);
  const model = createOpenAI({ baseURL: `${provider.url}/v1`, apiKey: "k" }).chat("gpt-4.1-mini");
  return startTestServer({ models: [{ id: "scripted", isOffline: false, forSession: () => model }] });
}

/** A server with one scripted answer for each request. */
async function startBroken(answers: readonly ((response: import("node:http").ServerResponse) => void)[]) {
  const requests: { method: string; url: string; lastEventId: string | undefined }[] = [];
  broken = createServer((request, response) => {
    const { method = "", url = "", headers } = request;
    const lastEventId = headers["last-event-id"];
    requests.push({ method, url, lastEventId: typeof lastEventId === "string" ? lastEventId : undefined });
    const answer = answers[requests.length - 1];
    request.resume();
    if (answer === undefined) response.destroy();
    else answer(response);
  });
  broken.listen(0, "127.0.0.1");
  await new Promise((resolve) => broken?.once("listening", resolve));
  const { port } = broken.address() as AddressInfo;
  return { requests, url: `http://127.0.0.1:${port}` };
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe("a method for every route", () => {
  test("has the parameters, results and types of the table of routes", async () => {
    await using server = await startTestServer();
    const client = createClient({ url: `${server.url}/` });
    const created = await client.createSession({ body: { id: "a b/ü", title: "One" } });
    expectTypeOf(created.messageCount).toEqualTypeOf<number>();
    expectTypeOf(client.readSession).parameter(0).toHaveProperty("params");
    expect(created).toMatchObject({ id: "a b/ü", title: "One" });
    const params = { id: "a b/ü" };
    await client.appendMessages({ params, body: { messages: [{ id: "m", role: "user", content: "Hello." }] } });
    expect(await client.readSession({ params })).toMatchObject({ messageCount: 1 });
    const { entries } = await client.readMessages({ params, query: { limit: 1, newestFirst: true } });
    expect(entries).toHaveLength(1);
    expect((await client.listSessions()).sessions).toHaveLength(1);
    expect((await client.search({ query: { query: "hello" } })).hits).toMatchObject([{ messageId: "m" }]);
    await client.clearHistory({ params });
    expect(await client.metrics()).toContain("palimpsest");
    await client.deleteSession({ params });
    // @ts-expect-error a session is read by its id
    await expect(async () => client.readSession({})).rejects.toThrow();
    // @ts-expect-error a limit is a number
    await expect(client.listSessions({ query: { limit: "many" } })).rejects.toMatchObject({ code: "request-invalid" });
  });

  test("refuses ids that would change the path, before a request", async () => {
    const client = createClient({ url: "http://127.0.0.1:1", attempts: 1 });
    for (const id of ["..", ".", ""]) {
      await expect(client.readSession({ params: { id } })).rejects.toMatchObject({ code: "request-invalid" });
    }
  });

  test("sends a token with every request, and reports an unknown token", async () => {
    await using server = await startTestServer({ tokens: [{ hash: hashToken("right"), tenantId: "one" }] });
    await expect(createClient({ url: server.url }).listSessions()).rejects.toMatchObject({
      code: "token-missing",
      status: 401,
    });
    const wrong = createClient({ url: server.url, token: "wrong" });
    await expect(wrong.listSessions()).rejects.toMatchObject({ code: "token-refused", retryable: false });
    const client = createClient({ url: server.url, token: "right" });
    const { session_id } = await client.rpc("new_session", {});
    const socket = await client.connect();
    expect(await socket.call("get_current_state", {})).toMatchObject({ session_id });
    socket.close();
    await expect(wrong.connect()).rejects.toMatchObject({ code: "unreachable" });
  });

  test("sends its request through the caller's own `fetch`", async () => {
    await using server = await startTestServer();
    const through: string[] = [];
    const client = createClient({
      url: server.url,
      fetch: (request) => {
        through.push(`${request.method} ${new URL(request.url).pathname}`);
        return fetch(request);
      },
    });
    await client.health();
    expect(through).toEqual(["GET /health"]);
  });
});

describe("a failed request", () => {
  test("throws one error with the code, the status, advice, and whether to retry", async () => {
    await using server = await startTestServer();
    const client = createClient({ url: server.url });
    const error = await client.readSession({ params: { id: "nobody's" } }).catch((each: unknown) => each);
    expect(error).toBeInstanceOf(ClientError);
    expect(error).toMatchObject({
      code: "session-not-found",
      status: 404,
      retryable: false,
      advice: expect.any(String),
      requestId: expect.any(String),
    });
    await expect(client.rpc("load_session_into_context", ["nobody's"])).rejects.toMatchObject({
      code: "session-not-found",
    });
    // @ts-expect-error there is no such method
    await expect(client.rpc("nothing", [])).rejects.toMatchObject({ code: "request-invalid" });
    await expect(collect(client.exportSession({ params: { id: "nobody's" } }))).rejects.toMatchObject({ status: 404 });
  });

  test("is retried if that is safe, after the delay that the server requests", async () => {
    const busy = (status: number) => (response: import("node:http").ServerResponse) =>
      response.writeHead(status, { "retry-after": "0" }).end("<p>Away</p>");
    const done = (response: import("node:http").ServerResponse) => response.end('{"sessions":[]}');
    const answers = [busy(503), busy(429), done];
    const { url, requests } = await startBroken([...answers, busy(503), ...answers, busy(500)]);
    const client = createClient({ url });
    expect(await client.listSessions()).toEqual({ sessions: [] });
    expect(requests).toHaveLength(3);
    // The client cannot know whether the first attempt succeeded.
    await expect(client.createSession({ body: {} })).rejects.toMatchObject({ code: "answer-unreadable", status: 503 });
    expect(requests).toHaveLength(4);
    const messages = [{ id: "m", role: "user", content: "Hello." }];
    await client.appendMessages({ params: { id: "s" }, body: { messages } });
    expect(requests).toHaveLength(7);
    await expect(client.listSessions()).rejects.toMatchObject({ status: 500, retryable: false });
    expect(requests).toHaveLength(8);
    const unnamed = [{ role: "user", content: "Hello." }];
    const append = client.appendMessages({ params: { id: "s" }, body: { messages: unnamed } });
    await expect(append).rejects.toMatchObject({ code: "unreachable", retryable: true });
    expect(requests).toHaveLength(9);
  });

  test("fails with the signal's reason if the caller aborts it, also while it waits", async () => {
    const { url } = await startBroken([
      () => undefined,
      (response) => response.writeHead(503, { "retry-after": "60" }).end(),
    ]);
    const client = createClient({ url });
    for (let index = 0; index < 2; index += 1) {
      const signal = AbortSignal.timeout(100);
      await expect(client.listSessions({ signal })).rejects.toMatchObject({ name: "TimeoutError" });
    }
    const aborted = AbortSignal.abort(new Error("Enough."));
    await expect(client.listSessions({ signal: aborted })).rejects.toThrow("Enough.");
  });
});

describe("lines", () => {
  test("of a session are exported one by one, and can be imported", async () => {
    await using server = await startTestServer();
    const client = createClient({ url: server.url });
    await client.createSession({ body: { id: "s" } });
    const messages = Array.from({ length: 500 }, (_, index) => ({ role: "user", content: `Ünïcode ${index} 漢字` }));
    await client.appendMessages({ params: { id: "s" }, body: { messages } });
    const lines = await collect(client.exportSession({ params: { id: "s" }, query: { secrets: "keep" } }));
    expect(lines.length).toBeGreaterThan(500);
    const imported = await client.importSession({ query: { id: "copy" }, lines });
    expect(imported).toMatchObject({ sessionId: "copy", messages: 500 });
    const piped = await client.importSession({
      query: { id: "piped" },
      lines: client.exportSession({ params: { id: "copy" } }),
    });
    expect(piped).toMatchObject({ sessionId: "piped", messages: 500 });
    await expect(client.importSession({ query: { id: "half" }, lines: lines.slice(0, 9) })).rejects.toMatchObject({
      code: "message-invalid",
    });
  });

  test("can be left half read by the caller, and the client's next request succeeds", async () => {
    await using server = await startTestServer();
    const client = createClient({ url: server.url });
    await client.createSession({ body: { id: "s" } });
    const messages = Array.from({ length: 900 }, () => ({ role: "user", content: "a".repeat(1_000) }));
    await client.appendMessages({ params: { id: "s" }, body: { messages } });
    for await (const line of client.exportSession({ params: { id: "s" } })) {
      expect(line.length).toBeGreaterThan(0);
      break;
    }
    await client.health();
  });
});

describe("events", () => {
  const open = (response: import("node:http").ServerResponse) =>
    response.writeHead(200, { "content-type": "text/event-stream" });

  test("of a server arrive as they happen, and end with the signal", async () => {
    await using server = await startTestServer();
    const client = createClient({ url: server.url });
    await client.createSession({ body: { id: "s" } });
    const ending = new AbortController();
    const opened = Promise.withResolvers<void>();
    const events = client.events({ query: { sessionId: "s" }, signal: ending.signal, onOpen: opened.resolve });
    const received: string[] = [];
    const listening = (async () => {
      for await (const { name } of events) {
        received.push(name);
        if (name === "append") ending.abort();
      }
    })();
    // No event is missed after this.
    await opened.promise;
    await client.appendMessages({ params: { id: "s" }, body: { messages: [{ role: "user", content: "Hello." }] } });
    await listening;
    expect(received).toContain("append");
  });

  test("continue after the last received event when a connection breaks", async () => {
    const third = Promise.withResolvers<void>();
    const { url, requests } = await startBroken([
      (response) =>
        open(response).end(
          'retry: 1\n\nid: 1\nevent: one\ndata: {"a":1}\n\nid: 2\nevent: two\ndata: {}\n\nid: 3\nevent: cut',
        ),
      (response) => response.destroy(),
      (response) => response.writeHead(503, { "retry-after": "0" }).end(),
      (response) => {
        open(response).write("id: 3\nevent: three\ndata: plain\n\n");
        void third.promise.then(() => response.destroy());
      },
      (response) => open(response).end("event: four\ndata: {}\n\n"),
      (response) =>
        response
          .writeHead(401, { "content-type": "application/json" })
          .end('{"error":{"code":"token-refused","message":"No.","retryable":false}}'),
    ]);
    let opened = 0;
    const events = createClient({ url }).events({
      lastId: "0",
      onOpen: () => {
        opened += 1;
      },
    });
    const seen: unknown[] = [];
    const reading = (async () => {
      for await (const event of events) {
        seen.push(event);
        if (event.name === "three") third.resolve();
      }
    })();
    await expect(reading).rejects.toMatchObject({ code: "token-refused" });
    expect(seen).toEqual([
      { id: "1", name: "one", data: { a: 1 } },
      { id: "2", name: "two", data: {} },
      { id: "3", name: "three", data: "plain" },
      { id: "3", name: "four", data: {} },
    ]);
    expect(requests.map(({ lastEventId }) => lastEventId)).toEqual(["0", "2", "2", "2", "3", "3"]);
    expect(opened).toBe(3);
  });
});

describe("a chat", () => {
  test("returns the chunks of a UI message stream, and can be canceled by its id", async () => {
    await using server = await startChat([
      scriptedReplies.text("Good day."),
      scriptedReplies.held("word ".repeat(2_000), new Promise(() => undefined)),
    ]);
    const client = createClient({ url: server.url });
    const message = { id: "u1", role: "user", parts: [{ type: "text", text: "Hello." }] };
    const chunks = await collect(client.chat({ body: { id: "c", message } }));
    expect(chunks[0]).toMatchObject({ type: "start" });
    expect(chunks.at(-1)).toMatchObject({ type: "finish" });
    const text = chunks.flatMap((chunk) => (chunk.type === "text-delta" ? [chunk.delta] : [])).join("");
    expect(text).toBe("Good day.");
    expect(await collect(client.resumeChat({ params: { id: "c" } }))).toEqual([]);
    const next = { id: "u2", role: "user", parts: [{ type: "text", text: "Go on." }] };
    const kinds: string[] = [];
    for await (const { type } of client.chat({ body: { id: "c", message: next } })) {
      kinds.push(type);
      if (type === "text-delta" && kinds.filter((kind) => kind === type).length === 1) {
        expect(await client.cancelChat({ params: { id: "c" } })).toEqual({ cancelled: true });
      }
    }
    expect(kinds).toContain("abort");
  });

  test("that breaks off before its end throws an error", async () => {
    const { url } = await startBroken([
      (response) => {
        response.writeHead(200, { "content-type": "text/event-stream" }).write('data: {"type":"start"}\n\n');
        setTimeout(() => response.destroy(), 50);
      },
      (response) => response.writeHead(200, { "content-type": "text/event-stream" }).end('data: {"type":"start"}\n\n'),
    ]);
    const client = createClient({ url });
    for (let index = 0; index < 2; index += 1) {
      await expect(collect(client.chat({ body: { id: "c" } }))).rejects.toMatchObject({ code: "connection-lost" });
    }
  });
});

describe("a WebSocket", () => {
  test("carries calls and notifications, and ends with its signal", async () => {
    await using server = await startChat([scriptedReplies.text("Good day.")]);
    const client = createClient({ url: server.url });
    const ending = new AbortController();
    const socket = await client.connect({ signal: ending.signal });
    const { session_id } = await socket.call("new_session", {});
    const complete = new Promise<{ readonly response: string }>((resolve) =>
      socket.on("streamComplete", ({ result }) => resolve(result)),
    );
    const started = await socket.call("chat_streaming", { request_id: "r", message: "Hello." });
    expect(started.session_id).toBe(session_id);
    expect(await complete).toMatchObject({ response: "Good day." });
    expect((await socket.call("get_current_state", {})).messages).toHaveLength(2);
    await expect(socket.call("load_session_into_context", ["nobody's"])).rejects.toMatchObject({
      code: "session-not-found",
    });
    ending.abort();
    await expect(socket.call("get_current_state", {})).rejects.toMatchObject({ code: "closed" });
  });

  test("reconnects by itself after its server has restarted", async () => {
    let server = await startTestServer();
    const { port } = server.server;
    const client: Client = createClient({ url: server.url });
    const socket = await client.connect();
    const again = new Promise<void>((resolve) => socket.onReconnect(resolve));
    const call = socket.call("get_current_state", {}).catch((error: unknown) => error);
    await server.server.close({ withinMs: 500 });
    expect([undefined, "connection-lost", "stopping"]).toContain(Object(await call).code);
    server = await startTestServer({ port });
    await again;
    expect(await socket.call("get_selected_files", {})).toEqual([]);
    socket.close();
    await server.server.close({ withinMs: 500 });
  });
});
