/** The permissions of tokens: by role, for one session, until they expire, and after a rotation. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import type { Route, TokenRole } from "../../src/protocol/route.ts";
import { ROUTES } from "../../src/protocol/routes.ts";
import { addToken, removeToken, rotateToken } from "../../src/server/access/token-file.ts";
import { hashToken, newToken, type TokenRow } from "../../src/server/access/tokens.ts";
import { createOfflineChat } from "../../src/server/server-options.ts";
import { newFolders } from "../support/new-folders.ts";
import { startTestServer } from "../support/start-server.ts";

const newFolder = newFolders("roles");
const ROLES: readonly TokenRole[] = ["read", "chat", "admin"];

/** Routes for admins only, listed here, so that a new route that deletes has to be added. */
const FOR_ADMINS = ["deleteSession", "importSession", "importMessages", "deleteMessage", "writeSettings"];

function grant(row: Omit<TokenRow, "hash" | "tenantId">): { readonly token: string; readonly row: TokenRow } {
  const token = newToken();
  return { token, row: { hash: hashToken(token), tenantId: "local", ...row } };
}

function bearer(token: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${token}` };
}

const GUARDED = Object.entries<Route>(ROUTES).filter(([, { isOpen }]) => isOpen !== true);

function fill({ path }: Route, sessionId: string): string {
  return path.replace(":id", sessionId).replaceAll(/:\w+/g, "x-1");
}

describe("roles of tokens", () => {
  test.each(ROLES)("a token with the role %s can use exactly the routes that the role permits", async (role) => {
    const { token, row } = grant({ role });
    await using server = await startTestServer({ tokens: [row] });
    for (const [name, route] of GUARDED) {
      const needed = FOR_ADMINS.includes(name) ? "admin" : route.method === "GET" ? "read" : "chat";
      const controller = new AbortController();
      const answer = await fetch(`${server.url}${fill(route, "absent")}`, {
        method: route.method,
        headers: bearer(token),
        signal: controller.signal,
      });
      controller.abort();
      const isRefused = answer.status === 403;
      expect({ name, isRefused }).toEqual({ name, isRefused: ROLES.indexOf(role) < ROLES.indexOf(needed) });
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
  test("cannot reach another session on any route", async () => {
    const [limited, owner] = [grant({ sessionId: "mine" }), grant({})];
    await using server = await startTestServer({ tokens: [limited.row, owner.row] });
    for (const id of ["mine", "other"]) await server.ask("POST", "/api/sessions", { id }, bearer(owner.token));
    for (const [name, route] of GUARDED.filter(([, { path }]) => path.startsWith("/api/") || path === "/rpc")) {
      const sent = route.method === "GET" || route.method === "DELETE" ? {} : { body: JSON.stringify({ id: "other" }) };
      const answer = await fetch(`${server.url}${fill(route, "other")}`, {
        method: route.method,
        headers: { ...bearer(limited.token), "content-type": "application/json" },
        ...sent,
      });
      // Some routes check the request before the token, and answer 400 to an invalid one.
      expect({ name, isKept: [400, 403, 415].includes(answer.status) }).toEqual({ name, isKept: true });
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

  test("can be rotated, and the old and the new token are both valid for a while", async () => {
    const path = join(newFolder(), "tokens.json");
    const old = addToken(path, { tenantId: "local", role: "read" });
    await using server = await startTestServer({ tokensFile: path });
    const statusOf = async (token = "") => (await server.ask("GET", "/api/sessions", undefined, bearer(token))).status;
    const next = rotateToken(path, { id: old.id, until: new Date(Date.now() + 3_600_000) });
    await expect.poll(() => statusOf(next?.token)).toBe(200);
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
