/** The contents of the server's log. Every secret here is made up and assembled at run time. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { PalimpsestError } from "../../src/core/errors.ts";
import { createAccess } from "../../src/server/access/access.ts";
import { hashToken, newToken } from "../../src/server/access/tokens.ts";
import { createApp } from "../../src/server/app/create-app.ts";
import { type AuditLine, auditCall, createRequestLog, type LogLevel } from "../../src/server/http/request-log.ts";
import { seededRandom } from "../../src/testing/seeded-random.ts";
import { startTestServer } from "../support/start-server.ts";

const HEX = "0123456789abcdef";
const UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const MIXED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

function makeSecret(length: number, alphabet = MIXED): string {
  const random = seededRandom(length);
  return Array.from({ length }, () => alphabet.charAt(random.integer(alphabet.length))).join("");
}

const joined = (...pieces: readonly string[]): string => pieces.join("");
const SECRETS: readonly string[] = [
  joined("AK", "IA", makeSecret(16, UPPER)),
  joined("gh", "p_", makeSecret(36)),
  joined("github", "_pat_", makeSecret(60)),
  joined("gl", "pat-", makeSecret(20)),
  joined("xo", "xb-", makeSecret(12), "-", makeSecret(24)),
  joined("sk", "_live_", makeSecret(24)),
  joined("AI", "za", makeSecret(35)),
  joined("sk", "-proj-", makeSecret(48)),
  joined("sk", "-ant-", "api03-", makeSecret(90)),
  joined("np", "m_", makeSecret(36)),
  joined("py", "pi-", makeSecret(80)),
  joined("ey", "J", makeSecret(30), ".", makeSecret(60), ".", makeSecret(43)),
  joined("S", "G.", makeSecret(22), ".", makeSecret(43)),
  joined("ke", "y-", makeSecret(32, HEX)),
  joined("h", "f_", makeSecret(34)),
  joined("do", "p_v1_", makeSecret(64, HEX)),
  joined("shp", "at_", makeSecret(32, HEX)),
  joined("gs", "k_", makeSecret(52)),
  joined("xa", "i-", makeSecret(80)),
  joined("lin_", "api_", makeSecret(40)),
  joined("nt", "n_", makeSecret(46)),
  joined("r", "8_", makeSecret(37)),
  newToken(),
];

function listen(level?: LogLevel) {
  const lines: string[] = [];
  const log = createRequestLog({ level, write: (line) => lines.push(line) });
  return { log, text: () => lines.join(""), lines: () => lines.map((line) => JSON.parse(line)) };
}

describe("the server log", () => {
  test("contains no secret from any part of a request", async () => {
    const logged = listen("debug");
    await using server = await startTestServer({ log: logged.log });
    for (const [index, secret] of SECRETS.entries()) {
      const at = `/api/sessions/${secret}`;
      await server.ask("POST", "/api/sessions", { id: secret, title: `My key is ${secret}` });
      await server.ask("POST", `${at}/messages`, { messages: [{ id: secret, role: "user", content: secret }] });
      await server.ask("POST", `${at}/messages`, { messages: [{ id: secret, role: secret, content: 5 }] });
      await server.ask("POST", `${at}/messages`, { [secret]: secret });
      await server.ask("GET", `${at}/messages/${secret}`, undefined, { "x-api-key": secret, cookie: `a=${secret}` });
      await server.ask("GET", at, undefined, { authorization: `Bearer ${secret}` });
      await server.ask("GET", `/api/sessions?token=${secret}`);
      await server.ask("GET", `/${secret}/nothing?${secret}=${secret}`);
      await server.ask("GET", `${at}/export`);
      await server.ask("DELETE", `${at}/messages/${secret}`);
      expect((await server.ask("DELETE", at)).status, `${index}`).toBe(200);
    }
    expect(logged.lines().length).toBeGreaterThan(11 * SECRETS.length);
    for (const secret of SECRETS) expect(logged.text()).not.toContain(secret);
  });

  test("warns about a configuration file that is not JSON", async () => {
    const folder = mkdtempSync(join(tmpdir(), "palimpsest-log-"));
    const configFile = join(folder, "palimpsest.config.json");
    writeFileSync(configFile, "{}");
    const logged = listen("warn");
    await using server = await startTestServer({ log: logged.log, engine: { configFile } });
    writeFileSync(configFile, "{ not JSON");
    await server.ask("POST", "/api/sessions", { id: "s" });
    await server.ask("POST", "/api/sessions/s/prompts", {});
    await expect.poll(() => logged.text()).toContain("cannot be read as JSON");
    rmSync(folder, { recursive: true });
  });

  test("contains no secret from an unexpected error, and the client gets only a request id", async () => {
    const logged = listen();
    const app = createApp({
      handlers: {},
      access: createAccess({ origins: { hosts: ["localhost"], origins: [] }, tokens: undefined }),
      findTenant: () => Promise.reject(new Error("no tenant is looked up")),
      log: logged.log,
      mount: (routes) => {
        routes.get("/fail", () => {
          const cause = new Error(`The provider refused ${SECRETS.slice(12).join(" ")}`);
          throw Object.assign(new Error(`Failed with ${SECRETS.slice(0, 12).join(" ")}`, { cause }), {
            request: { headers: { authorization: SECRETS[0] } },
          });
        });
      },
    });
    const response = await app.fetch(new Request("http://localhost/fail"));
    const { error }: { error: { code: string; message: string } } = JSON.parse(await response.text());
    expect([response.status, error.code]).toEqual([500, "unexpected"]);
    expect(error.message).toContain(response.headers.get("x-request-id"));
    expect(logged.text()).toContain("The provider refused");
    for (const secret of SECRETS) expect(logged.text() + JSON.stringify(error)).not.toContain(secret);
  });

  test("has a line for every response, with the name of the route", async () => {
    const logged = listen();
    await using server = await startTestServer({ log: logged.log });
    await server.ask("POST", "/api/sessions", { id: "s" });
    const { headers } = await server.ask("GET", "/api/sessions/none");
    await server.ask("GET", "/nothing");
    expect(logged.lines()).toMatchObject([
      { level: 30, msg: "answered", route: "createSession", method: "POST", status: 200, tenantId: "local" },
      { route: "readSession", status: 404, requestId: headers.get("x-request-id") },
      { route: "unknown", status: 404 },
    ]);
  });

  test("records who deleted and exported what, even at the level error", async () => {
    const logged = listen("error");
    const token = newToken();
    await using server = await startTestServer({
      log: logged.log,
      tokens: [{ hash: hashToken(token), tenantId: "anna" }],
    });
    const as = { authorization: `Bearer ${token}` };
    await server.ask("POST", "/api/sessions", { id: "s" }, as);
    await server.ask("POST", "/api/sessions/s/messages", { messages: [{ id: "m", role: "user", content: "x" }] }, as);
    await server.ask("POST", "/api/sessions/s/forks", {}, as);
    await server.ask("GET", "/api/sessions/s/export?secrets=keep", undefined, as);
    await server.ask("DELETE", "/api/sessions/s/messages/m", undefined, as);
    await server.ask("DELETE", "/api/sessions/s", undefined, as);
    await server.ask("DELETE", "/api/sessions/s?forks=true", undefined, as);
    await server.ask("DELETE", "/api/sessions/s", undefined, as);
    const audit = { msg: "audit", tenantId: "anna" };
    expect(logged.lines()).toMatchObject([
      { ...audit, route: "exportSession", params: { id: "s", secrets: "keep" }, outcome: "begun" },
      { ...audit, route: "deleteMessage", params: { id: "s", messageId: "m" }, outcome: "done" },
      { ...audit, route: "deleteSession", params: { id: "s" }, outcome: "refused", code: "has-forks" },
      { ...audit, route: "deleteSession", params: { id: "s", forks: true }, outcome: "done" },
      { ...audit, route: "deleteSession", params: { id: "s" }, outcome: "refused", code: "session-not-found" },
    ]);
  });

  test("records a failed deletion as failed, and nothing before its outcome is known", async () => {
    const logged: string[] = [];
    const log = { audit: ({ outcome, code }: AuditLine) => void logged.push(`${outcome} ${code}`) };
    const line = { requestId: "r", route: "deleteSession", tenantId: "local", params: {} };
    const { promise, reject } = Promise.withResolvers<never>();
    const deleted = auditCall(line, log, () => promise);
    await new Promise((resolve) => setImmediate(resolve));
    expect(logged).toEqual([]);
    reject(new PalimpsestError("store-unavailable", "The disk is away."));
    await expect(deleted).rejects.toThrow("The disk is away.");
    expect(logged).toEqual(["failed store-unavailable"]);
  });
});
