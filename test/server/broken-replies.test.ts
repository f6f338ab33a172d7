/**
 * A reply that fails while it is sent closes its connection, so that no client takes it for a complete one, and the log
 * has a line about it. The HTTP adapter would print a stack.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addToken, removeToken } from "../../src/server/access/token-file.ts";
import { newFolders } from "../support/new-folders.ts";
import { type ServedProcess, startServeProcess } from "../support/serve-process.ts";

const newFolder = newFolders("broken-replies");
const KEY = "key-of-the-operator";
const PIECE = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "Pier four." } }] })}\n\n`;
const upstream = createServer((request, response) => {
  response.writeHead(200, { "content-type": "text/event-stream" }).write(PIECE);
  request.resume().on("end", () => setImmediate(() => response.destroy()));
});
const home = newFolder();
const tokens = join(home, "tokens.json");
const owner = addToken(tokens, { tenantId: "harbor" });
let server: ServedProcess | undefined;
let host = "";

beforeAll(async () => {
  await once(upstream.listen(0, "127.0.0.1"), "listening");
  host = `127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const openai = `http://${host}`;
  const args = ["--home", home, "--store", "memory:", "--tokens", tokens, "--log", "info", "--openai", openai];
  server = await startServeProcess({ args, environment: { PALIMPSEST_GATEWAY_OPENAI_KEY: KEY } });
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  upstream.closeAllConnections();
  await new Promise((resolve) => upstream.close(resolve));
});

function send(path: string, body?: unknown, token = owner.token): Promise<Response> {
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
  const sent = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
  return fetch(`${server?.url}${path}`, sent);
}

/** Returns what the process printed besides lines of its log. */
function readStrayOutput(): readonly string[] {
  const lines = server?.err().split("\n") ?? [];
  return lines.filter((line) => line !== "" && !line.startsWith("{"));
}

test("an export whose token is removed ends without a stack in the log", async () => {
  const content = "A long note about the harbor. ".repeat(10_000);
  const messages = Array.from({ length: 12 }, () => ({ role: "user", content }));
  await send("/api/sessions", { id: "long" });
  for (const message of messages) await send("/api/sessions/long/messages", { messages: [message] });
  const reader = addToken(tokens, { tenantId: "harbor", role: "read" });
  const response = await send("/api/sessions/long/export", undefined, reader.token);
  const chunks = response.body?.getReader();
  expect((await chunks?.read())?.done).toBe(false);
  removeToken(tokens, reader.id);
  await expect.poll(async () => (await send("/api/sessions", undefined, reader.token)).status).toBe(401);
  const readRest = async () => {
    while ((await chunks?.read())?.done === false);
  };
  await expect(readRest()).rejects.toThrow();
  expect(readStrayOutput()).toEqual([]);
});

test("a reply that the upstream breaks off is logged with the upstream, and without a stack or a secret", async () => {
  const asked = { model: "gpt-5.4", stream: true, messages: [{ role: "user", content: "Which pier?" }] };
  await expect(send("/v1/chat/completions", asked).then((response) => response.text())).rejects.toThrow();
  await expect
    .poll(() => server?.logged())
    .toContainEqual(expect.objectContaining({ msg: "failed", requestId: "gateway" }));
  const answered = server?.logged().filter(({ route }) => route === "gateway");
  expect(answered).toMatchObject([{ msg: "answered", status: 200, upstream: host }]);
  expect(server?.err()).not.toContain(KEY);
  expect(readStrayOutput()).toEqual([]);
});

test("a request that the upstream does not answer is logged with the upstream", async () => {
  upstream.once("connection", (socket) => socket.destroy());
  upstream.closeAllConnections();
  expect((await send("/v1/models")).status).toBe(502);
  const line = { msg: "answered", level: 50, route: "gateway", status: 502, upstream: host };
  await expect.poll(() => server?.logged()).toContainEqual(expect.objectContaining(line));
});
