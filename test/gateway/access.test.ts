/** What a token of the server may do at the gateway. */
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { addToken, removeToken } from "../../src/server/access/token-file.ts";
import { newFolders } from "../support/new-folders.ts";
import { startTestServer } from "../support/start-server.ts";

const newFolder = newFolders("gateway-access");
const PIECE = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "Pier four." } }] })}\n\n`;

async function startUpstream(answer: RequestListener) {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Starts a gateway with a file of tokens. */
async function startGateway(url: string) {
  const path = join(newFolder(), "tokens.json");
  const owner = addToken(path, { tenantId: "harbor" });
  const upstreams = [{ vendor: "openai", url, apiKey: "key of the operator" }] as const;
  const server = await startTestServer({ tokensFile: path, gateway: { upstreams } });
  const ask = (token: string, address = "chat/completions", others: Readonly<Record<string, string>> = {}) => {
    const messages = [{ role: "user", content: "Which pier?" }];
    const body = JSON.stringify({ model: "gpt-5.4", stream: true, messages });
    const headers = { ...others, "content-type": "application/json", authorization: `Bearer ${token}` };
    const sent = address === "models" ? { headers } : { method: "POST", headers, body };
    return fetch(`${server.url}/v1/${address}`, sent);
  };
  return { path, owner, ask, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

test("a removed token ends the reply that it is reading", async () => {
  const rest = Promise.withResolvers<void>();
  await using upstream = await startUpstream(async (_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).write(PIECE);
    await rest.promise;
    response.end(PIECE);
  });
  await using gateway = await startGateway(upstream.url);
  const response = await gateway.ask(gateway.owner.token);
  const reader = response.body?.getReader();
  expect(new TextDecoder().decode((await reader?.read())?.value)).toContain("Pier four.");
  removeToken(gateway.path, gateway.owner.id);
  await expect.poll(async () => (await gateway.ask(gateway.owner.token)).status).toBe(401);
  rest.resolve();
  await expect(reader?.read()).rejects.toThrow();
});

test("tokens with the role read, for one session, and expired ones reach no upstream", async () => {
  let requests = 0;
  await using upstream = await startUpstream((_request, response) => {
    requests += 1;
    response.end("{}");
  });
  await using gateway = await startGateway(upstream.url);
  const grant = { tenantId: "harbor" };
  const refused = [
    addToken(gateway.path, { ...grant, role: "read" }),
    addToken(gateway.path, { ...grant, role: "chat", sessionId: "kitchen" }),
    addToken(gateway.path, { ...grant, expiresAt: new Date(Date.now() - 1).toISOString() }),
  ];
  const statuses = [];
  for (const address of ["chat/completions", "responses", "messages", "models"]) {
    for (const { token } of refused) statuses.push((await gateway.ask(token, address)).status);
  }
  expect(statuses).toEqual([403, 403, 401, 403, 403, 401, 403, 403, 401, 403, 403, 401]);
  expect(requests).toBe(0);
});

test("a token reaches no upstream in a cookie or in another vendor's header", async () => {
  const sent: string[] = [];
  await using upstream = await startUpstream((request, response) => {
    sent.push(JSON.stringify(request.headers));
    response.end("{}");
  });
  await using gateway = await startGateway(upstream.url);
  const { token } = gateway.owner;
  await gateway.ask(token, "models", { cookie: `token=${token}`, "api-key": token, "x-kept": "yes" });
  expect(sent).toEqual([expect.stringContaining('"x-kept":"yes"')]);
  expect(sent[0]).not.toContain(token);
});

test("a server with tokens and no key for the upstream says which variable its operator sets", async () => {
  const path = join(newFolder(), "tokens.json");
  const { token } = addToken(path, { tenantId: "harbor" });
  await using server = await startTestServer({ tokensFile: path });
  const headers = { "x-api-key": token, "anthropic-version": "2023-06-01", "content-type": "application/json" };
  const body = JSON.stringify({ model: "claude-opus-5-5", max_tokens: 9, messages: [{ role: "user", content: "Hi" }] });
  const response = await fetch(`${server.url}/v1/messages`, { method: "POST", headers, body });
  expect(response.status).toBe(503);
  expect(await response.text()).toContain("PALIMPSEST_GATEWAY_ANTHROPIC_KEY");
});
