/** JSON-RPC over a real socket: the standard's own rules, and the methods with the document's names and shapes. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { z } from "zod";
import { RPC_METHODS, type RpcMethodName } from "../../src/protocol/rpc-methods.ts";
import { hashToken } from "../../src/server/access/tokens.ts";
import { shows } from "../../src/testing/shows.ts";
import { startTestServer, type TestServer } from "../support/start-server.ts";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-rpc-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Every result is checked against its schema. */
async function call(server: TestServer, method: RpcMethodName, params?: unknown) {
  const { status, body } = await server.ask("POST", "/rpc", {
    jsonrpc: "2.0",
    id: 1,
    method: `LLMService.${method}`,
    params,
  });
  expect(status).toBe(200);
  expect(body.error).toBeUndefined();
  const { result }: { readonly result: z.ZodType } = RPC_METHODS[method];
  expect(result.safeParse(body.result).error).toBeUndefined();
  return body.result;
}

const say = (server: TestServer, id: string, messages: readonly object[]) =>
  server.ask("POST", `/api/sessions/${id}/messages`, { messages });

const begin = (server: TestServer, id: string) => server.ask("POST", "/api/sessions", { id });

describe("the JSON-RPC endpoint", () => {
  const ask = (server: TestServer, text: string) =>
    fetch(`${server.url}/rpc`, { method: "POST", headers: { "content-type": "application/json" }, body: text });
  const listing = { jsonrpc: "2.0", method: "history_list_sessions" };

  test("answers invalid JSON, invalid requests and unknown methods with the error codes of the standard", async () => {
    await using server = await startTestServer();
    const cases: readonly (readonly [string, number, unknown])[] = [
      ["{", -32_700, null],
      [`${"[".repeat(65)}${"]".repeat(65)}`, -32_700, null],
      ["[]", -32_600, null],
      ["1", -32_600, null],
      [JSON.stringify({ ...listing, jsonrpc: "1.0", id: 7 }), -32_600, 7],
      [JSON.stringify({ ...listing, id: {} }), -32_600, null],
      [JSON.stringify({ ...listing, method: 3, id: 7 }), -32_600, 7],
      [JSON.stringify({ ...listing, params: "x", id: 7 }), -32_600, 7],
      [JSON.stringify({ ...listing, method: "toString", id: "a" }), -32_601, "a"],
      [JSON.stringify({ ...listing, method: "LLMService.LLMService.new_session", id: "a" }), -32_601, "a"],
      [JSON.stringify({ ...listing, params: [0], id: "a" }), -32_602, "a"],
      [JSON.stringify({ ...listing, params: [1, 2], id: "a" }), -32_602, "a"],
      [JSON.stringify({ ...listing, params: { unknown: 1 }, id: "a" }), -32_602, "a"],
      ['{"jsonrpc":"2.0","id":"a","method":"history_list_sessions","params":{"__proto__":{"limit":1}}}', -32_700, null],
      ['{"jsonrpc":"2.0","id":"a","id":"b","method":"history_list_sessions"}', -32_700, null],
    ];
    for (const [text, code, id] of cases) {
      const body = await (await ask(server, text)).json();
      expect(body, text).toMatchObject({ jsonrpc: "2.0", id, error: { code } });
    }
  });

  test("returns our error code in addition to the number if a call fails", async () => {
    await using server = await startTestServer();
    const body = { jsonrpc: "2.0", id: 1, method: "load_session_into_context", params: ["nobody's"] };
    expect((await server.ask("POST", "/rpc", body)).body.error).toMatchObject({
      code: -32_000,
      data: { code: "session-not-found", retryable: false, advice: expect.any(String) },
    });
  });

  test("accepts parameters by name and by position, with and without the service's name", async () => {
    await using server = await startTestServer();
    await begin(server, "s");
    await say(server, "s", [
      { role: "user", content: "A needle." },
      { role: "assistant", content: "The needle." },
    ]);
    const hits = async (method: string, params: unknown) =>
      (await server.ask("POST", "/rpc", { jsonrpc: "2.0", id: 1, method, params })).body.result.length;
    expect(await hits("history_search", ["needle"])).toBe(2);
    expect(await hits("LLMService.history_search", ["needle", "user"])).toBe(1);
    expect(await hits("history_search", ["needle", null, 1])).toBe(1);
    expect(await hits("LLMService.history_search", { query: "needle", role: "assistant" })).toBe(1);
  });

  test("refuses, without running them, the calls of a batch after its answers have become too large", async () => {
    await using server = await startTestServer();
    await begin(server, "long");
    for (const id of ["a", "b"]) await say(server, "long", [{ id, role: "user", content: id.repeat(900_000) }]);
    const read = { jsonrpc: "2.0", method: "history_get_session", params: { session_id: "long" } };
    const requests = Array.from({ length: 10 }, (_, id) => ({ ...read, id }));
    const { body } = await server.ask("POST", "/rpc", [...requests, { ...listing, method: "new_session", id: "new" }]);
    expect(body).toHaveLength(11);
    expect(body.filter((each: object) => "result" in each)).toHaveLength(3);
    expect(body[3]).toMatchObject({ id: 3, error: { code: -32_000, message: expect.stringContaining("by itself") } });
    expect(body[10]).toMatchObject({ id: "new", error: { code: -32_000 } });
    expect((await server.ask("GET", "/api/sessions")).body.sessions).toHaveLength(1);
    expect(await call(server, "history_get_session", { session_id: "long" })).toHaveLength(2);
  });

  test("answers a batch with one list that omits notifications, and a batch of only notifications with nothing", async () => {
    await using server = await startTestServer();
    const created = { jsonrpc: "2.0", method: "new_session" };
    const batch = await server.ask("POST", "/rpc", [{ ...listing, id: 1 }, created, 5, { ...listing, id: 2 }]);
    expect(batch.body).toMatchObject([
      { id: 1, result: [] },
      { id: null, error: { code: -32_600 } },
      { id: 2, result: [{ message_count: 0 }] },
    ]);
    const quiet = await server.ask("POST", "/rpc", [created]);
    expect(quiet).toMatchObject({ status: 204, body: "" });
    const many = Array.from({ length: 101 }, (_, id) => ({ ...listing, id }));
    expect((await server.ask("POST", "/rpc", many)).body).toMatchObject({ error: { code: -32_600 } });
  });

  test("answers another content type, a body that is too large and a foreign origin with an HTTP status", async () => {
    await using server = await startTestServer();
    const body = JSON.stringify({ ...listing, id: 1 });
    const other = await fetch(`${server.url}/rpc`, { method: "POST", headers: { "content-type": "text/plain" }, body });
    expect(other.status).toBe(415);
    expect((await ask(server, `"${"a".repeat(4_000_001)}"`)).status).toBe(413);
    const foreign = await server.ask("POST", "/rpc", { ...listing, id: 1 }, { origin: "https://elsewhere.example" });
    expect(foreign.status).toBe(403);
  });
});

describe("the RPC endpoint with the document's methods", () => {
  test(shows("S3-38", "finds messages by text in any case and by role, up to a limit, newest first"), async () => {
    await using server = await startTestServer();
    await begin(server, "s");
    await say(server, "s", [
      { id: "a", role: "user", content: "Where is the HARBOUR master?" },
      { id: "b", role: "assistant", content: "At the harbour." },
      { id: "c", role: "user", content: "100% sure_about it?" },
    ]);
    const found = await call(server, "history_search", { query: "Harbour" });
    expect(found).toMatchObject([
      { session_id: "s", id: "b", role: "assistant", snippet: "At the harbour.", match_start: 7, match_length: 7 },
      { session_id: "s", id: "a", role: "user" },
    ]);
    expect(await call(server, "history_search", { query: "harbour", role: "user" })).toMatchObject([{ id: "a" }]);
    expect(await call(server, "history_search", ["harbour", null, 1])).toMatchObject([{ id: "b" }]);
    expect(await call(server, "history_search", { query: "%" })).toMatchObject([{ id: "c" }]);
    expect(await call(server, "history_search", { query: " " })).toEqual([]);
  });

  test(shows(["S3-39", "S3-152"], "returns all messages of a session, with images as data URIs"), async () => {
    await using server = await startTestServer();
    await begin(server, "s");
    const [, base64] = PIXEL.split(",");
    const image = { type: "image", source: { type: "data", base64 }, mediaType: "image/png" };
    const parts = [{ type: "text", text: "What is this?" }, image];
    const extras = { workspace: { files: ["a.ts"] } };
    await server.ask("POST", "/api/sessions/s/messages", {
      format: "palimpsest",
      messages: [
        { id: "a", role: "user", parts, extras },
        { id: "b", role: "assistant", parts: [{ type: "text", text: "A dot." }] },
      ],
    });
    const messages = await call(server, "history_get_session", { session_id: "s" });
    expect(messages).toMatchObject([
      { id: "a", session_id: "s", role: "user", content: "What is this?", images: [PIXEL], files: ["a.ts"] },
      { id: "b", session_id: "s", role: "assistant", content: "A dot.", images: [] },
    ]);
    expect(messages[0].timestamp).toBe(new Date(messages[0].timestamp).toISOString());
    const loaded = await call(server, "load_session_into_context", { session_id: "s" });
    expect(loaded.messages).toEqual(messages);
    expect(await call(server, "history_get_session", { session_id: "nobody's" })).toEqual([]);
  });

  test(shows("S3-40", "lists sessions, the most recently used first, up to a limit"), async () => {
    await using server = await startTestServer();
    for (const id of ["one", "two", "three"]) {
      await begin(server, id);
      await say(server, id, [{ role: "user", content: `Hello from ${id}.` }]);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await say(server, "two", [{ role: "assistant", content: "Hello again." }]);
    const listed = await call(server, "history_list_sessions");
    expect(listed).toMatchObject([
      { session_id: "two", message_count: 2, preview: "Hello from two.", first_role: "user" },
      { session_id: "three", message_count: 1 },
      { session_id: "one", message_count: 1 },
    ]);
    expect(await call(server, "history_list_sessions", [1])).toEqual(listed.slice(0, 1));
  });

  test(shows("S3-41", "creates another empty session, and the previous one is unchanged"), async () => {
    await using server = await startTestServer();
    await begin(server, "old");
    await say(server, "old", [{ role: "user", content: "Hello." }]);
    await call(server, "load_session_into_context", ["old"]);
    const { session_id } = await call(server, "history_new_session");
    expect(session_id).not.toBe("old");
    expect(await call(server, "get_current_state")).toMatchObject({ session_id, messages: [] });
    expect(await call(server, "history_get_session", ["old"])).toMatchObject([{ content: "Hello." }]);
    const another = await call(server, "new_session");
    expect([session_id, "old"]).not.toContain(another.session_id);
  });

  test(
    shows(["S3-42", "S3-151"], "continues in a loaded session, and returns its fields and all its messages"),
    async () => {
      await using server = await startTestServer();
      await begin(server, "old");
      await say(server, "old", [
        { role: "user", content: "Hello." },
        { role: "assistant", content: "Good day." },
      ]);
      await call(server, "new_session");
      const loaded = await call(server, "load_session_into_context", { session_id: "old" });
      expect(loaded).toMatchObject({
        session_id: "old",
        message_count: 2,
        preview: "Hello.",
        first_role: "user",
        messages: [
          { content: "Hello.", images: [] },
          { content: "Good day.", images: [] },
        ],
      });
      expect(await call(server, "get_current_state")).toMatchObject({ session_id: "old" });
    },
  );

  test(
    shows("S3-43", "returns token counts, the distance to the next compaction, and the current session"),
    async () => {
      await using server = await startTestServer({ engine: { policy: "workspace" } });
      expect(await call(server, "get_history_status")).toMatchObject({
        session_id: null,
        message_count: 0,
        percent: 0,
      });
      await begin(server, "s");
      await say(server, "s", [{ role: "user", content: "Say much. ".repeat(2_000) }]);
      await call(server, "load_session_into_context", ["s"]);
      const status = await call(server, "get_history_status");
      expect(status).toMatchObject({
        enabled: true,
        trigger_tokens: 24_000,
        session_id: "s",
        message_count: 1,
        needs_summary: false,
      });
      expect(status.history_tokens).toBe(status.current_tokens);
      expect(status.current_tokens).toBeGreaterThan(2_000);
      expect(status.percent).toBeCloseTo((status.current_tokens / 24_000) * 100, 0);
      expect(await call(server, "get_compaction_status")).toMatchObject({ percent: status.percent });
      expect(await call(server, "get_token_budget")).toMatchObject({ remaining: status.remaining });
    },
  );
});

describe("the current session", () => {
  test(
    shows(
      ["S3-144", "S3-145", "S3-147", "X-23"],
      "is the session that was used last after a restart, with all its messages and no files",
    ),
    async () => {
      const store = `sqlite:${join(mkdtempSync(join(folder, "restart-")), "chats.db")}`;
      const count = 1_234;
      {
        await using server = await startTestServer({ store });
        await begin(server, "older");
        await begin(server, "newest");
        const messages = Array.from({ length: count }, (_, index) => ({
          role: index % 2 === 0 ? "user" : "assistant",
          content: `Message ${index}.`,
        }));
        await say(server, "newest", messages.slice(0, 1_000));
        await say(server, "newest", messages.slice(1_000));
        // The model may see less than the log contains.
        await server.ask("POST", "/api/sessions/newest/clear", {});
      }
      await using server = await startTestServer({ store });
      const state = await call(server, "get_current_state");
      expect(state).toMatchObject({ session_id: "newest", selected_files: [], streaming_active: false });
      expect(state.messages.map(({ content }: { content: string }) => content)).toEqual(
        Array.from({ length: count }, (_, index) => `Message ${index}.`),
      );
    },
  );

  test("is null if there are no sessions, and reading creates no session", async () => {
    await using server = await startTestServer();
    const empty = { messages: [], selected_files: [], streaming_active: false, session_id: null, repo_name: "" };
    expect(await call(server, "get_current_state")).toEqual(empty);
    for (const method of ["get_context_breakdown", "get_selected_files", "get_token_budget"] as const) {
      await call(server, method);
    }
    await call(server, "set_selected_files", [[]]);
    expect(await call(server, "history_list_sessions")).toEqual([]);
  });

  test("is null after it is deleted", async () => {
    await using server = await startTestServer();
    const { session_id } = await call(server, "new_session");
    await server.ask("DELETE", `/api/sessions/${session_id}`);
    expect(await call(server, "get_current_state")).toMatchObject({ session_id: null, messages: [] });
  });

  test("is separate for each tenant", async () => {
    const rows = ["one", "two"].map((tenantId) => ({ hash: hashToken(`token-of-${tenantId}`), tenantId }));
    await using server = await startTestServer({ tokens: rows });
    const ask = async (tenant: string, method: string, params: unknown = []) =>
      (
        await server.ask(
          "POST",
          "/rpc",
          { jsonrpc: "2.0", id: 1, method, params },
          { authorization: `Bearer token-of-${tenant}` },
        )
      ).body;
    const { session_id } = (await ask("one", "new_session")).result;
    expect((await ask("one", "get_current_state")).result.session_id).toBe(session_id);
    expect((await ask("two", "get_current_state")).result.session_id).toBeNull();
    expect((await ask("two", "load_session_into_context", [session_id])).error.data.code).toBe("session-not-found");
    expect((await ask("two", "history_get_session", [session_id])).result).toEqual([]);
    expect((await server.ask("POST", "/rpc", { jsonrpc: "2.0", id: 1, method: "get_current_state" })).status).toBe(401);
  });
});

describe("the current session after the server has started", () => {
  test.each([
    { name: "without tokens", tokens: undefined },
    { name: "with tokens", tokens: [{ hash: hashToken("one"), tenantId: "a" }] },
  ])(
    "is the session that was used last before the start, even if the first call creates another, $name",
    async ({ tokens }) => {
      const store = `sqlite:${join(mkdtempSync(join(folder, "current-")), "chats.db")}`;
      const headers = tokens === undefined ? {} : { authorization: "Bearer one" };
      const asked = { jsonrpc: "2.0", id: 1, method: "get_current_state" };
      const state = async (server: TestServer) => (await server.ask("POST", "/rpc", asked, headers)).body.result;
      {
        await using first = await startTestServer({ store, tokens });
        await first.ask("POST", "/api/sessions", { id: "yesterday" }, headers);
        expect((await state(first)).session_id).toBeNull();
      }
      await using second = await startTestServer({ store, tokens });
      await second.ask("POST", "/api/sessions", { id: "today" }, headers);
      expect((await state(second)).session_id).toBe("yesterday");
    },
  );
});

describe("workspace files", () => {
  test(
    shows("C-25", "are chosen, returned and counted, and stay chosen when a session is loaded or created"),
    async () => {
      const root = mkdtempSync(join(folder, "repository-"));
      writeFileSync(join(root, "a.txt"), "The first file.\n".repeat(50));
      writeFileSync(join(root, "b.txt"), "The second file.\n");
      await using server = await startTestServer({ engine: { policy: "workspace", workspace: { root } } });
      await begin(server, "old");
      const selected = await call(server, "set_selected_files", {
        files: ["b.txt", "a.txt", "no.txt", "../etc/passwd"],
      });
      expect(selected).toEqual({ selected_files: ["a.txt", "b.txt"], rejected_files: ["no.txt", "../etc/passwd"] });
      expect(await call(server, "get_selected_files")).toEqual(["a.txt", "b.txt"]);
      expect(await call(server, "get_current_state")).toMatchObject({
        selected_files: ["a.txt", "b.txt"],
        repo_name: basename(root),
      });
      const breakdown = await call(server, "get_context_breakdown");
      const sum = breakdown.sections.reduce((total: number, { tokens }: { tokens: number }) => total + tokens, 0);
      expect(sum).toBeGreaterThan(150);
      expect(JSON.stringify(breakdown.tiers)).toContain("file:a.txt");
      await call(server, "load_session_into_context", ["old"]);
      expect(await call(server, "get_selected_files")).toEqual(["a.txt", "b.txt"]);
      await call(server, "new_session");
      expect(await call(server, "get_selected_files")).toEqual(["a.txt", "b.txt"]);
      expect(await call(server, "set_selected_files", [[]])).toEqual({ selected_files: [], rejected_files: [] });
      expect(await call(server, "get_selected_files")).toEqual([]);
    },
  );
});
