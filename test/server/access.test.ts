import { randomUUID } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { ROUTES } from "../../src/protocol/routes.ts";
import { createAccess } from "../../src/server/access/access.ts";
import { guardUpgrade } from "../../src/server/access/guard-upgrade.ts";
import { addToken, followTokens, readTokens, removeToken } from "../../src/server/access/token-file.ts";
import { hashToken, LOCAL_TENANT, newToken } from "../../src/server/access/tokens.ts";
import { SECURITY_HEADERS } from "../../src/server/http/security-headers.ts";
import { startServer } from "../../src/server/start.ts";
import { sendRaw } from "../support/send-raw.ts";
import { startTestServer } from "../support/start-server.ts";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-access-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const newFile = () => join(folder, `tokens-${randomUUID()}.json`);

describe("the check of host and origin", () => {
  const get = (lines: readonly string[]) => [`GET /api/sessions HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`];

  test.each(["evil.example", "localhost.evil.example", "localhost@evil.example", "192.168.0.1"])(
    "the server refuses the host %s",
    async (host) => {
      await using server = await startTestServer();
      const answer = await sendRaw(server.server.port, get([`host: ${host}`]));
      expect([403, 400]).toContain(answer.status);
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    },
  );

  test.each([
    [403, "a foreign origin", { origin: "https://evil.example" }],
    [403, "an opaque origin", { origin: "null" }],
    [403, "another port of this machine", { origin: "http://localhost:1" }],
    [403, "an image on another site", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" }],
    [403, "a page on another port, without an Origin header", { "sec-fetch-site": "same-site" }],
    [
      403,
      "a frame on another site",
      { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" },
    ],
    [
      200,
      "a link on another site",
      { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" },
    ],
    [200, "the server's own page", { "sec-fetch-site": "same-origin" }],
    [200, "a program that is not a browser", {}],
  ])("the server answers with status %i to a request from %s", async (status, _, headers) => {
    await using server = await startTestServer();
    const lines = Object.entries({ host: `localhost:${server.server.port}`, ...headers }).map((pair) =>
      pair.join(": "),
    );
    expect((await sendRaw(server.server.port, get(lines))).status).toBe(status);
  });

  test("accepts the server's own origin and the configured origins", async () => {
    await using server = await startTestServer({ origins: ["https://chat.example"] });
    for (const origin of [server.url, "https://chat.example"]) {
      expect((await server.ask("GET", "/api/sessions", undefined, { origin })).status).toBe(200);
    }
  });

  test("comes before routing", async () => {
    await using server = await startTestServer();
    const { port } = server.server;
    const paths = ["/", "/nothing/here", "/api/sessions", "/health", "/rpc"];
    for (const path of paths) {
      const answer = await sendRaw(port, [`GET ${path} HTTP/1.1\r\nhost: evil.example\r\n\r\n`]);
      expect([path, answer.status]).toEqual([path, 403]);
    }
  });

  test("also applies to upgrade requests", () => {
    const access = createAccess({ origins: { hosts: ["localhost"], origins: [] }, tokens: undefined });
    const upgrade = (headers: Readonly<Record<string, readonly string[]>>) =>
      ({ method: "GET", url: "/rpc", headersDistinct: headers, socket: {} }) as never;
    expect(guardUpgrade(upgrade({ host: ["localhost:1"] }), access).tenantId).toBe(LOCAL_TENANT);
    expect(() => guardUpgrade(upgrade({ host: ["evil.example"] }), access)).toThrow(
      /does not answer to this host name/,
    );
    expect(() => guardUpgrade(upgrade({ host: ["localhost"], origin: ["https://evil.example"] }), access)).toThrow(
      /this origin/,
    );
    expect(() => guardUpgrade(upgrade({ host: ["localhost", "localhost"] }), access)).toThrow(
      /does not answer to this host name/,
    );
  });
});

describe("tokens", () => {
  const token = newToken();
  const tokens = [{ hash: hashToken(token), tenantId: "a" }];

  test("a request without the right token in the right place is refused", async () => {
    await using server = await startTestServer({ tokens });
    const ask = (path: string, authorization?: string) =>
      server.ask("GET", path, undefined, authorization === undefined ? {} : { authorization });
    const refused = [
      await ask("/api/sessions"),
      await ask("/api/sessions", `Bearer ${newToken()}`),
      await ask("/api/sessions", `Bearer ${token}x`),
      await ask("/api/sessions", `Basic ${token}`),
      await ask("/api/sessions", "Bearer "),
      await ask(`/api/sessions?token=${token}`),
      await ask(`/api/sessions?access_token=${token}`, `Bearer ${token}`),
      await ask(`/api/sessions?limit=${token}`, `Bearer ${token}`),
    ];
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 401));
    expect(refused.every(({ headers }) => headers.get("www-authenticate") !== null)).toBe(true);
    expect(refused[5]?.body.error.message).toMatch(/Do not put a token into an address/);
    expect((await ask("/api/sessions", `Bearer ${token}`)).status).toBe(200);
    expect((await ask("/api/sessions", `bearer ${token}`)).status).toBe(200);
  });

  test("are required for every route except the health check", async () => {
    await using server = await startTestServer({ tokens });
    for (const [name, row] of Object.entries(ROUTES)) {
      const path = row.path.replaceAll(/:\w+/g, "x");
      const { status } = await server.ask(row.method, path, "body" in row ? {} : undefined);
      expect(status, name).toBe(name === "health" ? 200 : 401);
    }
  });

  test("a server that other machines can reach does not start without tokens", async () => {
    const options = { store: "memory:", version: "0", models: [], log: silent };
    await expect(startServer({ ...options, host: "0.0.0.0" })).rejects.toThrow(/needs tokens.*token add/s);
    await expect(startServer({ ...options, host: "::" })).rejects.toThrow(/needs tokens/);
    const server = await startServer({ ...options, host: "0.0.0.0", tokens });
    await server.close();
  });

  test("requests with wrong tokens are limited, and the right token still works", async () => {
    await using server = await startTestServer({ tokens });
    const guess = () => server.ask("GET", "/api/sessions", undefined, { authorization: `Bearer ${newToken()}` });
    const statuses = (await Promise.all(Array.from({ length: 120 }, guess))).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    const right = await server.ask("GET", "/api/sessions", undefined, { authorization: `Bearer ${token}` });
    expect(right.status).toBe(200);
  });
});

describe("a tokens file", () => {
  test("contains no token, and can be read by its owner only", () => {
    const path = newFile();
    const { token, id } = addToken(path, { tenantId: "a" });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readTokens(path)).toEqual([
      { id, tenantId: "a", hash: hashToken(token), createdAt: expect.stringMatching(/^\d{4}-.*Z$/) },
    ]);
    expect(JSON.stringify(readTokens(path))).not.toContain(token);
    expect([removeToken(path, "t-other"), removeToken(path, id), readTokens(path)]).toEqual([false, true, []]);
  });

  test("is refused if others can read it, or if it is invalid", () => {
    const path = newFile();
    addToken(path, { tenantId: "a" });
    chmodSync(path, 0o644);
    expect(() => readTokens(path)).toThrow(/chmod 600/);
    chmodSync(path, 0o600);
    writeFileSync(path, '{"tokens":[{"hash":"short"}]}');
    expect(() => readTokens(path)).toThrow(/not a token file/);
  });

  test("is refused if it is missing, with advice, and is not read as an empty list", async () => {
    await expect(startTestServer({ tokensFile: newFile() })).rejects.toThrow(/does not exist.*token add/);
  });

  test("is watched by a running server", async () => {
    const path = newFile();
    const first = addToken(path, { tenantId: "a" });
    await using server = await startTestServer({ tokensFile: path });
    const statusOf = async ({ token }: { readonly token: string }) =>
      (await server.ask("GET", "/api/sessions", undefined, { authorization: `Bearer ${token}` })).status;
    expect(await statusOf(first)).toBe(200);
    const second = addToken(path, { tenantId: "b" });
    await expect.poll(() => statusOf(second)).toBe(200);
    removeToken(path, first.id);
    await expect.poll(() => statusOf(first)).toBe(401);
    rmSync(path);
    await expect.poll(() => statusOf(second)).toBe(401);
    expect((await server.ask("GET", "/api/sessions")).status).toBe(401);
  });

  test("that becomes invalid leaves the earlier tokens valid, with one warning", () => {
    const path = newFile();
    addToken(path, { tenantId: "a" });
    const received: string[] = [];
    let at = 0;
    const rows = followTokens(path, { onError: ({ message }) => received.push(message), now: () => (at += 1_000) });
    writeFileSync(path, "{");
    expect([rows().length, rows().length, received.length]).toEqual([1, 1, 1]);
  });
});

describe("every response", () => {
  test("has the security headers, and no other origin may read it", async () => {
    await using server = await startTestServer();
    const { port } = server.server;
    const host = `host: localhost:${port}`;
    const answers = [
      await sendRaw(port, [`GET /api/sessions HTTP/1.1\r\n${host}\r\n\r\n`]),
      await sendRaw(port, [`GET /nothing HTTP/1.1\r\n${host}\r\n\r\n`]),
      await sendRaw(port, [`GET /api/sessions/none HTTP/1.1\r\n${host}\r\n\r\n`]),
      await sendRaw(port, ["GET / HTTP/1.1\r\nhost: evil.example\r\n\r\n"]),
      await sendRaw(port, [`OPTIONS /api/sessions HTTP/1.1\r\n${host}\r\norigin: https://evil.example\r\n\r\n`]),
      await sendRaw(port, ["no request at all\r\n\r\n"]),
      await sendRaw(port, [`GET / HTTP/1.1\r\n${host}\r\nx: ${"x".repeat(20_000)}\r\n\r\n`]),
      await sendRaw(port, [`GET / HTTP/1.1\r\n${host}\r\nexpect: miracles\r\n\r\n`]),
      await sendRaw(port, ["CONNECT evil.example:443 HTTP/1.1\r\nhost: evil.example\r\n\r\n"]),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 404, 403, 403, 400, 431, 417, 405]);
    for (const { headers } of answers) {
      for (const [name, value] of Object.entries(SECURITY_HEADERS)) expect(headers.get(name)).toBe(value);
      expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
  });
});

const silent = { answered: () => undefined, audit: () => undefined, failed: () => undefined };
