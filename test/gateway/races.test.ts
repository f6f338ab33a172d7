/** The gateway when requests with the same beginning overlap, and when an upstream answers against its own headers. */
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { writeWords } from "../integrations/strict-provider.ts";
import { newFolders } from "../support/new-folders.ts";
import { startTestServer } from "../support/start-server.ts";

const newFolder = newFolders("gateway-races");

async function startUpstream(answer: RequestListener) {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    bodies.push(Buffer.concat(chunks).toString());
    answer(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function startGateway(url: string, store = "memory:") {
  const upstreams = [{ vendor: "openai", url }] as const;
  const engine = { counter: "estimate", summarizer: "offline" } as const;
  return startTestServer({ store, gateway: { upstreams, windowTokens: 2_000 }, engine });
}

type Gateway = Awaited<ReturnType<typeof startGateway>>;

function post({ url }: Gateway, messages: readonly object[], stream = false): Promise<Response> {
  const body = JSON.stringify({ model: "gpt-5.4", max_completion_tokens: 100, stream, messages });
  return fetch(`${url}/v1/chat/completions`, { method: "POST", body });
}

const answerBriefly: RequestListener = (_request, response) => {
  const message = { role: "assistant", content: "Noted." };
  const body = JSON.stringify({ choices: [{ index: 0, message, finish_reason: "stop" }] });
  response.writeHead(200, { "content-type": "application/json" }).end(body);
};

function writeTalk(beginning: string, name: string): object[] {
  const turns = Array.from({ length: 12 }, (_, turn) => [
    { role: "user", content: `marker-${name} ${turn} ${writeWords(80, turn)}` },
    { role: "assistant", content: `Noted ${turn}.` },
  ]);
  return [{ role: "user", content: beginning }, ...turns.flat(), { role: "user", content: `marker-${name} at last?` }];
}

test("two servers on one store mix no conversations that begin alike and arrive together", async () => {
  await using upstream = await startUpstream(answerBriefly);
  const store = `sqlite:${newFolder()}/store.db`;
  await using one = await startGateway(upstream.url, store);
  await using other = await startGateway(upstream.url, store);
  for (const round of [0, 1, 2]) {
    const talks = ["alpha", "beta"].map((name) => writeTalk(`Hello ${round}`, name));
    const replies = await Promise.all([post(one, talks[0] ?? []), post(other, talks[1] ?? [])]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
  }
  expect(upstream.bodies).toHaveLength(6);
  for (const body of upstream.bodies) {
    expect(body.length).toBeLessThan(10_000);
    expect(new Set(body.match(/marker-\w+/g)).size).toBe(1);
  }
});

test("a request gets no message that a longer request of the same conversation has appended", async () => {
  await using upstream = await startUpstream(answerBriefly);
  await using gateway = await startGateway(upstream.url);
  for (const round of [0, 1, 2, 3]) {
    const short = writeTalk(`Hello ${round}`, "alpha");
    const later = [
      { role: "assistant", content: "The later reply." },
      { role: "user", content: "The later question." },
    ];
    await Promise.all([post(gateway, short), post(gateway, [...short, ...later])]);
  }
  expect(upstream.bodies.filter((body) => body.includes("The later question."))).toHaveLength(4);
});

test.each(["gzip", "br", "zstd"])("a reply that is not in its encoding %s harms no other request", async (encoding) => {
  const rest = Promise.withResolvers<void>();
  let isFirst = true;
  await using upstream = await startUpstream(async (request, response) => {
    if (!isFirst) return answerBriefly(request, response);
    isFirst = false;
    response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": encoding });
    response.write("data: these bytes are not compressed\n\n");
    await rest.promise;
    response.end("nor are these");
  });
  await using gateway = await startGateway(upstream.url);
  const broken = await post(gateway, [{ role: "user", content: "Hello" }], true);
  const next = await post(gateway, [{ role: "user", content: "Another" }]);
  expect([next.status, await next.text()]).toEqual([200, expect.stringContaining("Noted.")]);
  rest.resolve();
  await expect(broken.text()).rejects.toThrow();
  const { body } = await gateway.ask("GET", `/api/sessions/${broken.headers.get("x-palimpsest-session")}/entries`);
  expect(JSON.stringify(body)).toContain("The reply was not complete.");
});

test("a huge index of a call delays no other request", async () => {
  const call = { index: 4_294_967_290, id: "call_1", type: "function", function: { name: "lookup", arguments: "{}" } };
  const choice = { index: 0, delta: { tool_calls: [call] }, finish_reason: "tool_calls" };
  await using upstream = await startUpstream((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(`data: ${JSON.stringify({ choices: [choice] })}\n\n`);
  });
  await using gateway = await startGateway(upstream.url);
  const response = await post(gateway, [{ role: "user", content: "Hello" }], true);
  expect(await response.text()).toContain("lookup");
  const { body } = await gateway.ask("GET", `/api/sessions/${response.headers.get("x-palimpsest-session")}/entries`);
  expect(JSON.stringify(body)).toContain("call_1");
});

test("a conversation that cannot be read reaches the upstream, which explains what is wrong with it", async () => {
  const text = '{"error":{"message":"content: expected a string"}}';
  await using upstream = await startUpstream((_request, response) => {
    response.writeHead(400, { "content-type": "application/json" }).end(text);
  });
  await using gateway = await startGateway(upstream.url);
  const response = await post(gateway, [{ role: "user", content: null }]);
  expect([response.status, await response.text()]).toEqual([400, text]);
  expect(response.headers.get("x-palimpsest-degraded")).toBe("message-invalid");
});

test.each([
  ["content-length: 500", '{"choices":'],
  ["transfer-encoding: chunked", 'b\r\n{"choices":\r\n'],
])("a reply with %s that breaks off at its start is not complete for the client", async (framing, text) => {
  await using upstream = await startUpstream((_request, { socket }) => {
    socket?.end(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${framing}\r\n\r\n${text}`);
  });
  await using gateway = await startGateway(upstream.url);
  await expect(
    post(gateway, [{ role: "user", content: "Hello" }]).then((response) => response.text()),
  ).rejects.toThrow();
});

test("a long conversation is compacted when the name of its field is escaped", async () => {
  await using upstream = await startUpstream(answerBriefly);
  await using gateway = await startGateway(upstream.url);
  const body = JSON.stringify({ model: "gpt-5.4", messages: writeTalk("Hello", "alpha") });
  const escaped = body.replace('"messages"', '"\\u006dessages"');
  const response = await fetch(`${gateway.url}/v1/chat/completions`, { method: "POST", body: escaped });
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining("Noted.")]);
  expect(upstream.bodies[0]?.length).toBeLessThan(escaped.length);
});

test("compressed bodies count with their decompressed size in the budget of memory", async () => {
  const held = Promise.withResolvers<void>();
  await using upstream = await startUpstream(async (request, response) => {
    await held.promise;
    answerBriefly(request, response);
  });
  await using gateway = await startGateway(upstream.url);
  const body = gzipSync(`{"model":"gpt-5.4","messages":[{"role":"user","content":"Hello"}]${" ".repeat(50_000_000)}}`);
  const send = () =>
    fetch(`${gateway.url}/v1/chat/completions`, { method: "POST", headers: { "content-encoding": "gzip" }, body });
  const replies = Array.from({ length: 12 }, send);
  const first = await Promise.race(replies);
  held.resolve();
  expect([first.status, await first.json()]).toEqual([
    503,
    { error: expect.objectContaining({ type: "server_error" }) },
  ]);
  await Promise.all(replies);
});
