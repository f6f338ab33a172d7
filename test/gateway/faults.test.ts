/** What a client of the gateway sees if its upstream or its store fails, or if it gives up itself. */
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { describe, expect, test } from "vitest";
import { hashToken, newToken } from "../../src/server/access/tokens.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { writeWords } from "../integrations/strict-provider.ts";
import { startTestServer } from "../support/start-server.ts";
import { startRaw } from "./raw-upstream.ts";
import { chat, post, readError, readText, replyWith, startGateway } from "./start-gateway.ts";

const CLAUDE = "claude-fable-5-1";

describe("the gateway under faults", () => {
  test("sends a smaller prompt once, after the upstream has refused one as too long", async () => {
    const error = {
      error: {
        message: "This model's maximum context length is 900 tokens. However, your messages resulted in 1500 tokens.",
        code: "context_length_exceeded",
      },
    };
    await using upstream = await startRaw((request, response) => {
      const isLong = request.bytes.length > 4_000;
      response.writeHead(isLong ? 400 : 200, { "content-type": "application/json" });
      response.end(isLong ? JSON.stringify(error) : replyWith("Fits."));
    });
    await using gateway = await startGateway(upstream.url);
    const texts = Array.from({ length: 11 }, (_, index) => `${index}. ${writeWords(70, index)}`);
    const response = await post(gateway, chat(...texts));
    expect([response.status, await readText(response)]).toEqual([200, "Fits."]);
    expect(upstream.requests).toHaveLength(2);
  });

  test("returns other errors of the upstream unchanged, with their headers", async () => {
    const text = `{"error": {"message":"Slow down.",  "type":"rate_limit"}}`;
    await using upstream = await startRaw((_request, response) => {
      response
        .writeHead(429, { "content-type": "application/json", "retry-after": "7", "x-should-retry": "true" })
        .end(text);
    });
    await using gateway = await startGateway(upstream.url);
    const response = await post(gateway, chat("Hello"));
    expect([response.status, await response.text()]).toEqual([429, text]);
    expect([response.headers.get("retry-after"), response.headers.get("x-should-retry")]).toEqual(["7", "true"]);
  });

  test("reports an upstream that cannot be reached in the form of the client's API", async () => {
    await using gateway = await startGateway("http://127.0.0.1:9");
    const openAi = await post(gateway, chat("Hello"));
    expect([openAi.status, (await readError(openAi)).message]).toEqual([
      502,
      expect.stringContaining("127.0.0.1:9 cannot be reached (ECONNREFUSED)"),
    ]);
    const body = JSON.stringify({ model: CLAUDE, max_tokens: 10, messages: [{ role: "user", content: "Hello" }] });
    const claude = await fetch(`${gateway.url}/v1/messages`, { method: "POST", body });
    expect([claude.status, (await readError(claude)).type]).toEqual([502, "api_error"]);
  });

  test("cancels the upstream's request when the client cancels, and continues the session afterwards", async () => {
    const canceled = Promise.withResolvers<void>();
    let isFirst = true;
    await using upstream = await startRaw((_request, response) => {
      if (!isFirst) return void response.writeHead(200, { "content-type": "application/json" }).end(replyWith("Done."));
      isFirst = false;
      response.on("close", () => canceled.resolve());
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`data: {"choices":[{"index":0,"delta":{"content":"Half a"}}]}\n\n`);
    });
    await using gateway = await startGateway(upstream.url);
    const abort = new AbortController();
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      body: chat("Hello"),
      signal: abort.signal,
    });
    await response.body?.getReader().read();
    abort.abort();
    await canceled.promise;
    const next = await post(gateway, chat("Hello"));
    expect(await readText(next)).toBe("Done.");
    expect(next.headers.get("x-palimpsest-session")).toBe(response.headers.get("x-palimpsest-session"));
  });

  test("forwards a conversation untouched, and says so, if the store has failed", async () => {
    await using upstream = await startRaw((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end(replyWith("Done."));
    });
    const store = createMemoryStore();
    await using gateway = await startGateway(upstream.url, { store });
    await post(gateway, chat("Hello")).then((response) => response.text());
    await store.close();
    const body = chat("Another");
    const response = await post(gateway, body);
    expect(response.headers.get("x-palimpsest-degraded")).toBeTruthy();
    expect(await readText(response)).toBe("Done.");
    expect(upstream.requests.at(-1)?.bytes.toString()).toBe(body);
  });

  test("answers 503 for a conversation that was compacted, if the store has failed", async () => {
    await using upstream = await startRaw((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end(replyWith("Done."));
    });
    const store = createMemoryStore();
    await using gateway = await startGateway(upstream.url, { store, gateway: { windowTokens: 2_000 } });
    const texts = Array.from({ length: 15 }, (_, index) => `${index}. ${writeWords(80, index)}`);
    const folded = await post(gateway, chat(...texts));
    await folded.text();
    expect(Number(folded.headers.get("x-palimpsest-saved-tokens"))).toBeGreaterThan(500);
    await store.close();
    const response = await post(gateway, chat(...texts, "Reply.", "More"));
    expect([response.status, (await readError(response)).type]).toEqual([503, "server_error"]);
    expect(upstream.requests).toHaveLength(1);
  });

  test("refuses a WebSocket with 426, after which Codex uses HTTP", async () => {
    await using gateway = await startGateway("http://127.0.0.1:9");
    const headers = { connection: "upgrade", upgrade: "websocket", "sec-websocket-version": "13" };
    const outgoing = request(`${gateway.url}/v1/responses`, { headers }).end();
    const [response] = (await once(outgoing, "response")) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(426);
  });

  test("replaces a token of the server with the operator's key, and refuses other keys", async () => {
    await using upstream = await startRaw((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end(replyWith("Done."));
    });
    const token = newToken();
    const row = { hash: hashToken(token), tenantId: "harbor" };
    const upstreams = [{ vendor: "openai", url: upstream.url, apiKey: "key of the operator" }] as const;
    await using gateway = await startTestServer({ tokens: [row], gateway: { upstreams } });
    const admitted = await post(gateway, chat("Hello"), { authorization: `Bearer ${token}` });
    expect(admitted.status).toBe(200);
    expect(upstream.requests[0]?.headers.authorization).toBe("Bearer key of the operator");
    expect(JSON.stringify(upstream.requests[0]?.headers)).not.toContain(token);
    const refused = await post(gateway, chat("Hello"), { authorization: "Bearer key of another server" });
    expect([refused.status, (await readError(refused)).type]).toEqual([401, "invalid_request_error"]);
    expect(upstream.requests).toHaveLength(1);
  });
});
