/** Sends every hostile request to a running server; afterwards the server still answers, and its data is unchanged. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SOCKET_LIMITS } from "../../src/server/app/listen.ts";
import { BODY_LIMITS } from "../../src/server/http/read-body.ts";
import { sendRaw } from "../support/send-raw.ts";
import { startTestServer, type TestServer } from "../support/start-server.ts";
import { HOSTILE_REQUESTS } from "./hostile-requests.ts";

const SCRIPT = `<script>alert("x")</script><img src=x onerror=alert(1)>{{7*7}}\${7*7}`;
const limits = {
  body: { ...BODY_LIMITS, maxWaitMs: 1_000 },
  socket: { ...SOCKET_LIMITS, headMs: 1_000 },
};

describe("hostile requests", () => {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-hostile-"));
  let server: TestServer;
  let before: string;
  const exported = async () => (await server.ask("GET", "/api/sessions/victim/export")).body as string;

  beforeAll(async () => {
    server = await startTestServer({ store: `sqlite:${join(folder, "chats.db")}`, limits });
    await server.ask("POST", "/api/sessions", { id: "victim", title: "Kept" });
    const messages = Array.from({ length: 20 }, (_, index) => ({
      id: `m${index}`,
      role: index % 2 === 0 ? "user" : "assistant",
      content: `Line ${index} of what may not change.`,
    }));
    await server.ask("POST", "/api/sessions/victim/messages", { messages });
    before = await exported();
  });

  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  test("number at least sixty, all with different names", () => {
    expect(new Set(HOSTILE_REQUESTS.map(({ name }) => name)).size).toBe(HOSTILE_REQUESTS.length);
    expect(HOSTILE_REQUESTS.length).toBeGreaterThanOrEqual(60);
  });

  const named = HOSTILE_REQUESTS.map((request) => [request.name, request] as const);
  test.each(named)(
    "a hostile request gets the expected response: %s",
    async (_, { expect: expected, pieces, ...options }) => {
      const { port } = server.server;
      const { status, headers, body } = await sendRaw(port, pieces(`127.0.0.1:${port}`), options);
      expect([expected].flat()).toContain(status);
      if (status >= 400) {
        expect(headers.get("x-content-type-options")).toBe("nosniff");
        expect(JSON.parse(body).error).toMatchObject({ code: expect.any(String), message: expect.any(String) });
      }
    },
  );

  test("with script in every text field are stored unchanged and returned as text", async () => {
    const id = `script-${SCRIPT}`;
    const at = `/api/sessions/${encodeURIComponent(id)}`;
    await server.ask("POST", "/api/sessions", { id, title: SCRIPT });
    const sent = { id: SCRIPT, role: "user", content: SCRIPT };
    await server.ask("POST", `${at}/messages`, { messages: [sent] });
    await server.ask("POST", `${at}/pins`, { note: SCRIPT });
    const message = await server.ask("GET", `${at}/messages/${encodeURIComponent(SCRIPT)}`);
    expect(JSON.stringify(message.body)).toContain(JSON.stringify(SCRIPT).slice(1, -1));
    const session = await server.ask("GET", at);
    expect(session.body).toMatchObject({ id, title: SCRIPT });
    const missing = await server.ask("GET", `/api/sessions/${encodeURIComponent(`${SCRIPT}?`)}`);
    for (const { headers } of [message, session, missing]) {
      expect(headers.get("content-type")).toMatch(/^application\/json/);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("content-security-policy")).toContain("default-src 'self'");
    }
    expect((await server.ask("DELETE", at)).status).toBe(200);
  });

  test("with values at the limit are stored exactly", async () => {
    const value = {
      list: JSON.parse(`${"[".repeat(50)}1${"]".repeat(50)}`),
      largest: Number.MAX_SAFE_INTEGER,
      small: 5e-324,
      text: "\ud83d\ude00\u0000",
    };
    const content = [{ type: "tool-call", toolCallId: "c", toolName: "t", input: value }];
    await server.ask("POST", "/api/sessions", { id: "border" });
    const sent = await server.ask("POST", "/api/sessions/border/messages", {
      messages: [{ id: "b", role: "assistant", content }],
    });
    expect(sent.status).toBe(200);
    const kept = await server.ask("GET", "/api/sessions/border/messages/b");
    expect(JSON.stringify(kept.body)).toContain(JSON.stringify(value));
    await server.ask("DELETE", "/api/sessions/border");
  });

  test("leave the server answering, its data unchanged, and no unexpected line in its log", async () => {
    expect((await server.ask("GET", "/api/sessions")).body.sessions).toMatchObject([{ id: "victim", title: "Kept" }]);
    expect(await exported()).toBe(before);
    expect(server.logged.filter(({ kind }) => kind === "failed")).toEqual([]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});
