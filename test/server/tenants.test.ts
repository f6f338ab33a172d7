/**
 * Two tenants of one server: a tenant's request with ids of the other finds nothing, on every route of the table, and
 * no response shows the other's data.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Route } from "../../src/protocol/route.ts";
import { ROUTES, type RouteName } from "../../src/protocol/routes.ts";
import { hashToken, newToken } from "../../src/server/access/tokens.ts";
import { describePostgres } from "../support/describe-postgres.ts";
import { createOwnedDatabase } from "../support/own-database.ts";
import { startTestServer, type TestServer } from "../support/start-server.ts";

const [ANNA, BEN] = [newToken(), newToken()];
const tokens = [
  { hash: hashToken(ANNA), tenantId: "anna" },
  { hash: hashToken(BEN), tenantId: "ben" },
];
const [SESSION, MESSAGE, WORD] = ["diary", "m3", "periwinkle"];
const IMAGE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Bodies of the requests that need one. */
const BODIES: Partial<Record<RouteName, object>> = {
  renameSession: { title: "Ben's now" },
  appendMessages: { messages: [{ id: "b1", role: "user", content: "Mine." }] },
  syncMessages: { messages: [{ id: "b1", role: "user", parts: [{ type: "text", text: "Mine." }] }] },
  makePrompt: { budgetTokens: 4_000 },
  endPrompt: { reason: "gone" },
  pinMessage: { messageId: MESSAGE },
  dismissMessage: { messageId: MESSAGE },
  editPreview: { text: "Ben's words" },
  editSummary: { text: "Ben's words" },
  addFile: { path: "a.txt", text: "Ben's" },
  addLink: { url: "https://example.com/", text: "Ben's" },
};
/** Calls that return data of the session to its tenant. */
const CALLS: readonly (readonly [method: string, params: object])[] = [
  ["history_search", { query: WORD }],
  ["history_get_session", { session_id: SESSION }],
  ["load_session_into_context", { session_id: SESSION }],
  ["get_current_state", {}],
];

/** Routes that look up their id only in the caller's tenant, where nothing is running. */
const OWN_NAMES: readonly string[] = ["resumeChat", "cancelChat"];

interface PlantedIds {
  readonly previewId: string;
  readonly summaryId: string;
}

async function plant(server: TestServer): Promise<PlantedIds> {
  const as = { authorization: `Bearer ${ANNA}` };
  const post = async (path: string, body: object) => {
    const answer = await server.ask("POST", path, body, as);
    expect([path, answer.status, answer.body?.error]).toEqual([path, 200, undefined]);
    return answer.body;
  };
  await post("/api/sessions", { id: SESSION, title: `All of ${WORD}` });
  const messages = Array.from({ length: 30 }, (_, index) => ({
    id: `m${index}`,
    role: index % 2 === 0 ? "user" : "assistant",
    content: `${WORD} ${index} is what Anna wrote about the ${WORD} that she saw that day in the garden.`,
  }));
  await post(`/api/sessions/${SESSION}/messages`, { messages });
  const image = { type: "image", image: IMAGE, mediaType: "image/png" };
  await post(`/api/sessions/${SESSION}/messages`, { messages: [{ id: "pictured", role: "user", content: [image] }] });
  await post(`/api/sessions/${SESSION}/compactions`, {});
  const { summaries } = (await server.ask("GET", `/api/sessions/${SESSION}/summaries`, undefined, as)).body;
  await post(`/api/sessions/${SESSION}/messages`, {
    messages: messages.map(({ id, ...rest }) => ({ ...rest, id: `n${id}` })),
  });
  const { previewId } = await post(`/api/sessions/${SESSION}/previews`, {});
  const summaryId = summaries[0]?.record.id;
  expect([typeof previewId, typeof summaryId]).toEqual(["string", "string"]);
  return { previewId, summaryId };
}

function addressOf(row: Route, { previewId, summaryId }: PlantedIds): string {
  const names: Readonly<Record<string, string>> = {
    id: SESSION,
    messageId: MESSAGE,
    pinId: MESSAGE,
    promptId: "p",
    previewId,
    summaryId,
    index: "0",
  };
  const path = row.path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(names[name] ?? "x"));
  const query = new URLSearchParams();
  for (const name of Object.keys(row.query?.shape ?? {})) {
    if (name === "query") query.set(name, WORD);
    if (name === "sessionId") query.set(name, SESSION);
    if (name === "path") query.set(name, "a.txt");
    if (name === "url") query.set(name, "https://example.com/");
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

/** Returns a response, or the first part of an endless stream. */
async function requestBriefly(
  url: string,
  init: RequestInit,
): Promise<{ readonly status: number; readonly text: string }> {
  const ending = new AbortController();
  const response = await fetch(url, { ...init, signal: ending.signal });
  const isEndless = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  const timer = isEndless ? setTimeout(() => ending.abort(), 1_000) : undefined;
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
  } catch (error) {
    if (!ending.signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
  }
  return { status: response.status, text };
}

function describeTenants(title: string, open: () => Promise<string>): void {
  describe(title, () => {
    /** Starts a server with its own store, in which Anna has data that the others must not see. */
    const start = async () => {
      const server = await startTestServer({ store: await open(), tokens, engine: { budgetTokens: 1_000 } });
      return { ...server, planted: await plant(server) };
    };

    test("a tenant gets no data of another tenant on any route", async () => {
      await using server = await start();
      const before = await server.ask("GET", `/api/sessions/${SESSION}/export`, undefined, {
        authorization: `Bearer ${ANNA}`,
      });
      expect(before.body).toContain(WORD);
      for (const [name, row] of Object.entries<Route>(ROUTES)) {
        const isBodied = row.body !== undefined;
        const answer = requestBriefly(`${server.url}${addressOf(row, server.planted)}`, {
          method: row.method,
          headers: { authorization: `Bearer ${BEN}`, ...(isBodied ? { "content-type": "application/json" } : {}) },
          ...(isBodied ? { body: JSON.stringify(BODIES[name as RouteName] ?? {}) } : {}),
        });
        const { status, text } = await answer;
        if (row.path.includes(":id") && !OWN_NAMES.includes(name))
          expect([name, status, text]).toEqual([name, 404, text]);
        expect(text.includes(WORD) || text.includes(IMAGE), `${name} shows a trace: ${text}`).toBe(false);
      }
      const after = await server.ask("GET", `/api/sessions/${SESSION}/export`, undefined, {
        authorization: `Bearer ${ANNA}`,
      });
      expect(after.body).toBe(before.body);
    });

    test("a tenant gets no data of another tenant from any RPC call", async () => {
      await using server = await start();
      const call = async (token: string, method: string, params: object) =>
        server.ask("POST", "/rpc", { jsonrpc: "2.0", id: 1, method, params }, { authorization: `Bearer ${token}` });
      for (const [method, params] of CALLS) {
        expect([method, JSON.stringify((await call(ANNA, method, params)).body)]).toEqual([
          method,
          expect.stringContaining(WORD),
        ]);
        const foreign = JSON.stringify((await call(BEN, method, params)).body);
        expect([method, foreign.includes(WORD)]).toEqual([method, false]);
      }
    });

    test("a tenant gets no event of another tenant", async () => {
      await using server = await start();
      const listening = requestBriefly(`${server.url}/api/events`, { headers: { authorization: `Bearer ${BEN}` } });
      const loud = { messages: [{ role: "user", content: `Once more ${WORD}.` }] };
      await server.ask("POST", `/api/sessions/${SESSION}/messages`, loud, { authorization: `Bearer ${ANNA}` });
      const { text } = await listening;
      expect(text.includes(SESSION) || text.includes(WORD)).toBe(false);
    });

    test("a tenant may use the same session ids as another tenant", async () => {
      await using server = await start();
      const as = { authorization: `Bearer ${BEN}` };
      expect((await server.ask("POST", "/api/sessions", { id: SESSION, title: "Ben's" }, as)).status).toBe(200);
      expect((await server.ask("GET", `/api/sessions/${SESSION}`, undefined, as)).body).toMatchObject({
        title: "Ben's",
        messageCount: 0,
      });
      expect((await server.ask("DELETE", `/api/sessions/${SESSION}`, undefined, as)).status).toBe(200);
      const hers = await server.ask("GET", `/api/sessions/${SESSION}`, undefined, { authorization: `Bearer ${ANNA}` });
      expect(hers.body).toMatchObject({ title: `All of ${WORD}` });
    });
  });
}

const folder = mkdtempSync(join(tmpdir(), "palimpsest-tenants-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
describeTenants("a tenant on SQLite", async () => `sqlite:${join(folder, `chats-${files++}.db`)}`);

await describePostgres("PostgreSQL", (server) => {
  afterAll(() => server.close());
  describeTenants("a tenant with row-level security", () => createOwnedDatabase(server));
});
