/** The permissions of tokens: by role, for one session, until they expire, and after a rotation. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import type { Store, TenantStore } from "../../src/ports/store.ts";
import type { Route, TokenRole } from "../../src/protocol/route.ts";
import { ROUTES, type RouteName } from "../../src/protocol/routes.ts";
import { addToken, readTokens, removeToken, rotateToken } from "../../src/server/access/token-file.ts";
import { hashToken, newToken, type TokenRow } from "../../src/server/access/tokens.ts";
import { createOfflineChat } from "../../src/server/server-options.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { newFolders } from "../support/new-folders.ts";
import { scriptedReplies } from "../support/scripted-provider-reply.ts";
import { startChat } from "../support/start-chat.ts";
import { startTestServer, type TestServer } from "../support/start-server.ts";

const newFolder = newFolders("roles");
const ROLES: readonly TokenRole[] = ["read", "chat", "admin"];

/**
 * The lowest role that may use each route, and the access of tokens for one session: `own` if they may use the route
 * for their session, `none` if they may not use it. Every new route must be added here.
 */
const ACCESS: Readonly<Record<RouteName, readonly [role: TokenRole | "open" | "owner", session: "own" | "none"]>> = {
  listSessions: ["read", "none"],
  createSession: ["chat", "own"],
  readSession: ["read", "own"],
  renameSession: ["chat", "own"],
  deleteSession: ["admin", "none"],
  forkSession: ["chat", "none"],
  exportSession: ["read", "own"],
  importSession: ["admin", "none"],
  readEntries: ["read", "own"],
  readMessages: ["read", "own"],
  appendMessages: ["chat", "own"],
  syncMessages: ["chat", "own"],
  readMessage: ["read", "own"],
  deleteMessage: ["admin", "own"],
  explainMessage: ["read", "own"],
  readView: ["read", "own"],
  makePrompt: ["chat", "own"],
  endPrompt: ["chat", "own"],
  readPlan: ["read", "own"],
  readStrip: ["read", "own"],
  readBudget: ["read", "own"],
  listForks: ["read", "none"],
  listBranches: ["read", "none"],
  readLastPrompt: ["read", "own"],
  readUsage: ["read", "own"],
  pinMessage: ["chat", "own"],
  unpinMessage: ["chat", "own"],
  dismissMessage: ["chat", "own"],
  clearHistory: ["chat", "own"],
  undo: ["chat", "own"],
  compact: ["chat", "own"],
  previewCompaction: ["chat", "own"],
  editPreview: ["chat", "own"],
  applyPreview: ["chat", "own"],
  listSummaries: ["read", "own"],
  editSummary: ["chat", "own"],
  resummarize: ["chat", "own"],
  expandSummary: ["read", "own"],
  verifySummary: ["read", "own"],
  summarize: ["chat", "none"],
  summarizeContext: ["chat", "none"],
  search: ["read", "own"],
  recall: ["read", "none"],
  recallSession: ["read", "own"],
  searchSession: ["read", "own"],
  readWorkspace: ["read", "own"],
  addFile: ["chat", "own"],
  removeFile: ["chat", "own"],
  addLink: ["chat", "own"],
  removeLink: ["chat", "own"],
  putImage: ["chat", "own"],
  readImage: ["read", "own"],
  chat: ["chat", "own"],
  resumeChat: ["read", "own"],
  cancelChat: ["chat", "own"],
  events: ["read", "own"],
  readSettings: ["read", "none"],
  writeSettings: ["admin", "none"],
  checkSettings: ["chat", "none"],
  listPresets: ["read", "none"],
  openSample: ["chat", "none"],
  readSample: ["read", "own"],
  playSample: ["chat", "own"],
  health: ["open", "none"],
  ready: ["read", "none"],
  metrics: ["owner", "none"],
  openApi: ["read", "none"],
  apiPage: ["read", "none"],
  apiStyle: ["read", "none"],
  callRpc: ["chat", "none"],
};
const NAMES = Object.keys(ROUTES) as readonly RouteName[];
/** Valid bodies of routes that take the session's id in the body. */
const BODIES: Readonly<Partial<Record<RouteName, (id: string) => object>>> = {
  createSession: (id) => ({ id }),
  chat: (id) => ({ id, message: { id: "u", role: "user", parts: [{ type: "text", text: "hi" }] } }),
};

const QUERIES: Readonly<Partial<Record<RouteName, (id: string) => string>>> = {
  events: (id) => `?sessionId=${id}`,
  search: (id) => `?query=a&sessionId=${id}`,
};
/** Routes that take no session id, and may refuse an empty body before they check the token's session. */
const CHECKED_FIRST: ReadonlySet<RouteName> = new Set([
  "summarize",
  "summarizeContext",
  "writeSettings",
  "checkSettings",
]);

interface Sent {
  readonly token?: string | undefined;
  readonly sessionId?: string | undefined;
}

/** Sends a request to a route and returns the status and the code of the error. */
async function call(server: TestServer, name: RouteName, { token, sessionId = "absent" }: Sent) {
  const { method, path }: Route = ROUTES[name];
  const filled = path.replace(":id", encodeURIComponent(sessionId)).replaceAll(/:\w+/g, "x-1");
  const query = QUERIES[name]?.(sessionId) ?? "";
  const body = method === "GET" || method === "DELETE" ? undefined : JSON.stringify(BODIES[name]?.(sessionId) ?? {});
  const controller = new AbortController();
  const response = await fetch(`${server.url}${filled}${query}`, {
    method,
    headers: { "content-type": "application/json", ...(token === undefined ? {} : bearer(token)) },
    signal: controller.signal,
    ...(body === undefined ? {} : { body }),
  });
  const text = response.status >= 400 ? await response.text() : "{}";
  controller.abort();
  return { status: response.status, code: JSON.parse(text).error?.code };
}

function grant(row: Omit<TokenRow, "hash" | "tenantId">): { readonly token: string; readonly row: TokenRow } {
  const token = newToken();
  return { token, row: { hash: hashToken(token), tenantId: "local", ...row } };
}

function bearer(token: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${token}` };
}

describe("roles of tokens", () => {
  test("the table of access lists every route", () => {
    expect(Object.keys(ACCESS).toSorted()).toEqual(NAMES.toSorted());
  });

  test.each(ROLES)("a token with the role %s can use exactly the routes that the role permits", async (role) => {
    const { token, row } = grant({ role });
    await using server = await startTestServer({ tokens: [row] });
    for (const name of NAMES) {
      const [needed] = ACCESS[name];
      const { status } = await call(server, name, { token });
      const isPermitted = needed === "open" || needed === "owner" || ROLES.indexOf(role) >= ROLES.indexOf(needed);
      expect({ name, isRefused: status === 403 }).toEqual({ name, isRefused: !isPermitted });
    }
  });

  test("every route except /health refuses requests without a token, and with an unknown or expired one", async () => {
    const expired = grant({ expiresAt: new Date(Date.now() - 1).toISOString() });
    await using server = await startTestServer({ tokens: [expired.row, grant({}).row] });
    for (const name of NAMES) {
      const codes = [];
      for (const token of [undefined, expired.token, "plm_unknown"]) codes.push(await call(server, name, { token }));
      if (ACCESS[name][0] === "open") expect(codes.map(({ status }) => status)).toEqual([200, 200, 200]);
      // After fifty guesses of an address, further ones get 429.
      else expect([name, codes.every(({ status }) => status === 401 || status === 429)]).toEqual([name, true]);
    }
  });

  test("a token of another tenant cannot use the routes of the owner", async () => {
    const { token, row } = grant({});
    await using server = await startTestServer({ tokens: [{ ...row, tenantId: "anna" }] });
    for (const name of NAMES.filter((each) => ACCESS[each][0] === "owner")) {
      expect({ name, ...(await call(server, name, { token })) }).toMatchObject({ name, code: "tenant-refused" });
    }
  });

  test("a token with the role read can read a session but not append to it", async () => {
    const [reader, writer] = [grant({ role: "read" }), grant({ role: "chat" })];
    await using server = await startTestServer({ tokens: [reader.row, writer.row] });
    const body = { messages: [{ role: "user", content: "The key is under the mat." }] };
    await server.ask("POST", "/api/sessions", { id: "a" }, bearer(writer.token));
    expect((await server.ask("POST", "/api/sessions/a/messages", body, bearer(writer.token))).status).toBe(200);
    const refused = await server.ask("POST", "/api/sessions/a/messages", body, bearer(reader.token));
    expect(refused.body.error).toMatchObject({ code: "role-refused", retryable: false });
    expect(refused.body.error.message).toContain("palimpsest token add --role chat");
    const read = await server.ask("GET", "/api/sessions/a/messages", undefined, bearer(reader.token));
    expect(JSON.stringify(read.body)).toContain("under the mat");
    expect(read.body.entries).toHaveLength(1);
  });

  test("a token with the role chat can open an RPC connection, and one with the role read cannot", async () => {
    const [reader, writer] = [grant({ role: "read" }), grant({ role: "chat" })];
    await using server = await startTestServer({ tokens: [reader.row, writer.row] });
    const open = (token: string) =>
      new Promise((resolve) => {
        const socket = new WebSocket(`${server.url.replace("http", "ws")}/rpc`, { headers: bearer(token) });
        socket.once("open", () => resolve("open"));
        socket.once("unexpected-response", (_, response) => resolve(response.statusCode));
        socket.once("error", () => undefined);
      });
    expect([await open(reader.token), await open(writer.token)]).toEqual([403, "open"]);
  });
});

describe("a token for one session", () => {
  test("reaches its own session only on routes that name a session, and no other session on any route", async () => {
    const [limited, owner] = [grant({ sessionId: "mine" }), grant({})];
    await using server = await startTestServer({ tokens: [limited.row, owner.row] });
    await server.ask("POST", "/api/sessions", { id: "other" }, bearer(owner.token));
    for (const name of NAMES.filter((each) => ACCESS[each][0] !== "open")) {
      const other = await call(server, name, { token: limited.token, sessionId: "other" });
      // These routes may check the body first.
      const refused = CHECKED_FIRST.has(name) ? [400, 403] : [403];
      expect({ name, isRefused: refused.includes(other.status) }).toEqual({ name, isRefused: true });
      if (ACCESS[name][1] === "none") continue;
      const own = await call(server, name, { token: limited.token, sessionId: "mine" });
      expect({ name, isRefused: own.status === 403 }).toEqual({ name, isRefused: false });
    }
  });

  test("can read, search and chat in its own session", async () => {
    const [limited, owner] = [grant({ sessionId: "mine", role: "chat" }), grant({})];
    const models = [await createOfflineChat()];
    await using server = await startTestServer({ tokens: [limited.row, owner.row], models });
    for (const id of ["mine", "other"]) await server.ask("POST", "/api/sessions", { id }, bearer(owner.token));
    const ask = (method: string, path: string, body?: unknown) => server.ask(method, path, body, bearer(limited.token));
    const messages = [{ role: "user", content: "hello there" }];
    expect((await ask("POST", "/api/sessions/mine/messages", { messages })).status).toBe(200);
    expect((await ask("GET", "/api/sessions/mine/view")).status).toBe(200);
    expect((await ask("GET", "/api/sessions/mine/search?query=hello")).body.hits).toHaveLength(1);
    const chat = { id: "mine", message: { id: "u1", role: "user", parts: [{ type: "text", text: "hello?" }] } };
    expect((await ask("POST", "/api/chat", chat)).status).toBe(200);
    expect((await ask("POST", "/api/chat", { ...chat, id: "other" })).status).toBe(403);
    expect((await ask("GET", "/api/sessions")).body.error.code).toBe("session-refused");
  });

  test("cannot create a fork by a list that differs, an edit or a regenerated reply", async () => {
    const [limited, owner] = [grant({ sessionId: "mine", role: "chat" }), grant({})];
    const models = [await createOfflineChat()];
    await using server = await startTestServer({ tokens: [limited.row, owner.row], models });
    await server.ask("POST", "/api/sessions", { id: "mine" }, bearer(owner.token));
    const ask = (path: string, body: unknown) => server.ask("POST", path, body, bearer(limited.token));
    const user = (text: string) => ({ id: "u1", role: "user", parts: [{ type: "text", text }] });
    expect((await ask("/api/chat", { id: "mine", message: user("hello?") })).status).toBe(200);
    const refused = [
      await ask("/api/sessions/mine/sync", { messages: [{ id: "u1", role: "user", content: "another text" }] }),
      await ask("/api/chat", { id: "mine", messages: [user("another text")], messageId: "u1" }),
      await ask("/api/chat", { id: "mine", trigger: "regenerate-message" }),
    ];
    expect(refused.map(({ body }) => body.error?.code)).toEqual(refused.map(() => "session-refused"));
    const list = await server.ask("GET", "/api/sessions", undefined, bearer(owner.token));
    expect(list.body.sessions.map(({ id }: { readonly id: string }) => id)).toEqual(["mine"]);
  });
});

describe("a token", () => {
  test("is refused after it has expired", async () => {
    const [past, soon] = [Date.now() - 1, Date.now() + 3_600_000].map((at) =>
      grant({ expiresAt: new Date(at).toISOString() }),
    );
    await using server = await startTestServer({ tokens: [past?.row ?? raise(), soon?.row ?? raise()] });
    const statusOf = async (token = "") => (await server.ask("GET", "/api/sessions", undefined, bearer(token))).status;
    expect([await statusOf(past?.token), await statusOf(soon?.token)]).toEqual([401, 200]);
  });

  test("that is removed loses its event streams and RPC connections, without a restart of the server", async () => {
    const path = join(newFolder(), "tokens.json");
    const { id, token } = addToken(path, { tenantId: "local" });
    await using server = await startTestServer({ tokensFile: path });
    const events = await fetch(`${server.url}/api/events`, { headers: bearer(token) });
    const socket = new WebSocket(`${server.url.replace("http", "ws")}/rpc`, { headers: bearer(token) });
    await new Promise((resolve) => socket.once("open", resolve));
    const closed = new Promise((resolve) => socket.once("close", resolve));
    removeToken(path, id);
    await events.text();
    expect(await closed).toBe(1008);
  });

  test("whose rights change in the file is disconnected from its event streams", async () => {
    const path = join(newFolder(), "tokens.json");
    const { token } = addToken(path, { tenantId: "local" });
    await using server = await startTestServer({ tokensFile: path });
    const events = await fetch(`${server.url}/api/events`, { headers: bearer(token) });
    const [row] = readTokens(path);
    writeFileSync(path, JSON.stringify({ tokens: [{ ...row, sessionId: "mine" }] }));
    await events.text();
  });

  test("that is removed ends the reading of a reply, and the turn continues", async () => {
    const path = join(newFolder(), "tokens.json");
    const { id, token } = addToken(path, { tenantId: "local" });
    const owner = addToken(path, { tenantId: "local" });
    const rest = Promise.withResolvers<void>();
    const script = [scriptedReplies.held("The last words.", rest.promise)];
    await using chat = await startChat({ script, tokensFile: path });
    const body = JSON.stringify({ id: "a", message: { id: "u", role: "user", parts: [{ type: "text", text: "hi" }] } });
    const headers = { ...bearer(token), "content-type": "application/json" };
    const response = await fetch(`${chat.server.url}/api/chat`, { method: "POST", headers, body });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    await reader?.read();
    removeToken(path, id);
    const statusOf = async () => (await chat.server.ask("GET", "/api/sessions", undefined, bearer(token))).status;
    await expect.poll(statusOf).toBe(401);
    rest.resolve();
    await expect(readToEnd(reader)).rejects.toThrow();
    const read = () => chat.server.ask("GET", "/api/sessions/a/messages", undefined, bearer(owner.token));
    await expect.poll(async () => JSON.stringify((await read()).body)).toContain("The last words.");
  });

  test("that is removed ends a running export that it authorized", async () => {
    const path = join(newFolder(), "tokens.json");
    const { id, token } = addToken(path, { tenantId: "local" });
    const rest = Promise.withResolvers<void>();
    const store = holdPages(createMemoryStore(), rest.promise);
    await using server = await startTestServer({ tokensFile: path, store });
    await server.ask("POST", "/api/sessions", { id: "a" }, bearer(token));
    const messages = Array.from({ length: 200 }, (_, index) => ({
      role: "user",
      content: `${index} ${"x".repeat(3_000)}`,
    }));
    await server.ask("POST", "/api/sessions/a/messages", { messages }, bearer(token));
    const response = await fetch(`${server.url}/api/sessions/a/export`, { headers: bearer(token) });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    await reader?.read();
    removeToken(path, id);
    const statusOf = async () => (await server.ask("GET", "/api/sessions", undefined, bearer(token))).status;
    await expect.poll(statusOf).toBe(401);
    rest.resolve();
    await expect(readToEnd(reader)).rejects.toThrow();
  });

  test("is accepted by a running server as soon as it is added or rotated", async () => {
    const path = join(newFolder(), "tokens.json");
    const first = addToken(path, { tenantId: "local" });
    await using server = await startTestServer({ tokensFile: path });
    const statusOf = async (token = "") => (await server.ask("GET", "/api/sessions", undefined, bearer(token))).status;
    for (let round = 0; round < 5; round += 1) {
      // This request reads the file, which is then not read again for a while.
      expect(await statusOf(first.token)).toBe(200);
      const added = addToken(path, { tenantId: "local" });
      expect(await statusOf(added.token)).toBe(200);
      const next = rotateToken(path, { id: added.id, until: new Date(Date.now() + 60_000) });
      expect(await statusOf(next?.token)).toBe(200);
    }
  });

  test("can be rotated, and the old and the new token are both valid for a while", async () => {
    const path = join(newFolder(), "tokens.json");
    const old = addToken(path, { tenantId: "local", role: "read" });
    await using server = await startTestServer({ tokensFile: path });
    const statusOf = async (token = "") => (await server.ask("GET", "/api/sessions", undefined, bearer(token))).status;
    const next = rotateToken(path, { id: old.id, until: new Date(Date.now() + 3_600_000) });
    expect(await statusOf(next?.token)).toBe(200);
    expect(await statusOf(old.token)).toBe(200);
    const last = rotateToken(path, { id: next?.id ?? "", until: new Date() });
    await expect.poll(() => statusOf(next?.token)).toBe(401);
    expect(await statusOf(last?.token)).toBe(200);
    expect(rotateToken(path, { id: "t-absent", until: new Date() })).toBeUndefined();
  });
});

function raise(): never {
  throw new Error("a grant is missing");
}

/** Returns a store that reads entries after the first ones only once `rest` is resolved. */
function holdPages(store: Store, rest: Promise<void>): Store {
  const hold = (tenant: TenantStore): TenantStore =>
    new Proxy(tenant, {
      get(target, name) {
        if (name !== "readEntries") return Reflect.get(target, name);
        return async (...[id, range]: Parameters<TenantStore["readEntries"]>) => {
          if ((range?.afterSeq ?? 0) > 0) await rest;
          return await target.readEntries(id, range);
        };
      },
    });
  return { ...store, tenant: (id) => hold(store.tenant(id)) };
}

async function readToEnd(reader: ReadableStreamDefaultReader<string> | undefined): Promise<void> {
  while ((await (reader ?? raise()).read()).done !== true);
}
