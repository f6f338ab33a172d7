/** Settings over real sockets: the policy in force, its sources, and a policy that a running server applies. */
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { hashToken } from "../../src/server/access/tokens.ts";
import { shows } from "../../src/testing/shows.ts";
import { startTestServer, type TestServer } from "../support/start-server.ts";

let folder: string;
let configFile: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "settings-"));
  configFile = join(folder, "palimpsest.config.json");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function readNextPolicy(server: TestServer): Promise<string> {
  await server.ask("POST", "/api/sessions", { id: "s" });
  const messages = { role: "user", content: "Hello." };
  await server.ask("POST", "/api/sessions/s/messages", { messages });
  return (await server.ask("POST", "/api/sessions/s/prompts", { budgetTokens: 4_000 })).body.report.policy;
}

describe("settings", () => {
  test("contain the policy, its sources, the models and the limits, but no API key", async () => {
    const environment = { PALIMPSEST_POLICY: "ratio-chain", OPENAI_API_KEY: "sk-proj-abcdefghijklmnopqrstuvwx" };
    await writeFile(configFile, "{}");
    await using server = await startTestServer({ engine: { configFile, environment } });
    const { body } = await server.ask("GET", "/api/settings");
    expect(body.policy).toMatchObject({ name: "ratio-chain" });
    expect(body.sources).toEqual([
      { type: "defaults" },
      { type: "file", path: configFile },
      { type: "environment", names: ["PALIMPSEST_POLICY"] },
    ]);
    expect(body).toMatchObject({ isWritable: false, limits: { bodyBytes: 4_000_000, imageBytes: 5 * 2 ** 20 } });
    expect(JSON.stringify(body)).not.toContain("sk-proj");
  });

  test("do not reveal the paths of the server's files to a tenant", async () => {
    const tokens = [{ hash: hashToken("plm_one"), tenantId: "one" }];
    await writeFile(configFile, "{}");
    await using server = await startTestServer({ engine: { configFile }, tokens });
    const { body } = await server.ask("GET", "/api/settings", undefined, { authorization: "Bearer plm_one" });
    expect(body.sources).toEqual([{ type: "defaults" }, { type: "file" }]);
    expect(JSON.stringify(body)).not.toContain(folder);
  });

  test("are not written to a file that cannot be read", async () => {
    await using server = await startTestServer({ engine: { configFile } });
    await writeFile(configFile, "{ not JSON");
    const refused = await server.ask("PUT", "/api/settings", { policy: "workspace" });
    expect(refused).toMatchObject({ status: 400, body: { error: { code: "config-invalid" } } });
    expect(await readFile(configFile, "utf8")).toBe("{ not JSON");
  });

  test(shows("C-28", "that change in their file apply to the next prompt of a running server"), async () => {
    await writeFile(configFile, JSON.stringify({ preset: "ratio-chain" }));
    await using server = await startTestServer({ engine: { configFile } });
    expect(await readNextPolicy(server)).toBe("ratio-chain");
    await writeFile(configFile, JSON.stringify({ preset: "agent-rounds" }));
    expect(await readNextPolicy(server)).toBe("agent-rounds");
    await writeFile(configFile, "{ not JSON");
    expect(await readNextPolicy(server)).toBe("agent-rounds");
    await expect
      .poll(() => server.logged.flatMap(({ kind, line }) => (kind === "note" ? [line] : [])))
      .toContainEqual(expect.objectContaining({ text: expect.stringContaining("cannot be read as JSON") }));
  });

  test("can be checked without being written, even if they are read-only", async () => {
    await using server = await startTestServer();
    const check = async (policy: unknown) => (await server.ask("POST", "/api/settings/checks", { policy })).body;
    expect(await check({ preset: "workspace", targetRatio: 0.4 })).toMatchObject({
      type: "valid",
      policy: { name: "workspace", targetRatio: 0.4, blockInput: "always" },
    });
    const wrong = await check({ targetRatio: 7 });
    expect(wrong).toMatchObject({ type: "invalid", key: "targetRatio", message: expect.stringContaining("found 7") });
    expect(await check("none-such")).toMatchObject({ type: "invalid" });
    expect((await server.ask("GET", "/api/settings")).body.policy.name).toBe("default");
    const { presets } = (await server.ask("GET", "/api/settings/presets")).body;
    const names = presets.map(({ name }: { readonly name: string }) => name);
    expect(names).toEqual(["default", "rolling-chat", "windowed-sql", "agent-rounds", "workspace", "ratio-chain"]);
  });

  test("leave the configured models unchanged when they are written", async () => {
    const connections = [{ name: "vllm", baseUrl: "http://127.0.0.1:8000/v1" }];
    await writeFile(configFile, JSON.stringify({ server: { connections } }));
    await using server = await startTestServer({ engine: { configFile } });
    expect((await server.ask("PUT", "/api/settings", { policy: "workspace" })).status).toBe(200);
    const refused = await server.ask("PUT", "/api/settings", { policy: { server: { connections: [] } } });
    expect(refused.status).toBe(400);
    expect(JSON.parse(await readFile(configFile, "utf8"))).toEqual({ preset: "workspace", server: { connections } });
  });

  test("are checked when they are written, saved to the file, and applied at once", async () => {
    await using server = await startTestServer({ engine: { configFile } });
    const written = await server.ask("PUT", "/api/settings", { policy: { preset: "default", targetRatio: 0.4 } });
    expect(written.body.policy.targetRatio).toBe(0.4);
    expect(JSON.parse(await readFile(configFile, "utf8"))).toEqual({ preset: "default", targetRatio: 0.4 });
    await server.ask("PUT", "/api/settings", { policy: "workspace" });
    expect(await readNextPolicy(server)).toBe("workspace");
    expect(await readdir(folder)).toEqual(["palimpsest.config.json"]);
  });

  test("with an unknown key or a value out of range are refused, and the file is unchanged", async () => {
    await writeFile(configFile, JSON.stringify({ preset: "ratio-chain" }));
    await using server = await startTestServer({ engine: { configFile } });
    for (const policy of [{ targetRatio: 7 }, { nonsense: 1 }, "unheard-of"]) {
      const refused = await server.ask("PUT", "/api/settings", { policy });
      expect([refused.status, refused.body.error.code]).toEqual([400, "config-invalid"]);
    }
    const ratio = await server.ask("PUT", "/api/settings", { policy: { targetRatio: 7 } });
    expect(ratio.body.error.message).toContain("targetRatio");
    expect(await readFile(configFile, "utf8")).toBe('{"preset":"ratio-chain"}');
  });

  test("that cannot be written are not applied, and the response gives the reason", async () => {
    const path = join(folder, "nowhere", "palimpsest.config.json");
    await using server = await startTestServer({ engine: { configFile: path } });
    const refused = await server.ask("PUT", "/api/settings", { policy: "workspace" });
    expect([refused.status, refused.body.error.code]).toEqual([400, "config-invalid"]);
    expect(refused.body.error.message).toContain("cannot be written");
    expect(await readNextPolicy(server)).toBe("default");
  });

  test("create their missing file when they are saved, and list it as a source only from then on", async () => {
    const path = join(folder, "not-there-yet.json");
    await using server = await startTestServer({ engine: { configFile: path } });
    expect((await server.ask("GET", "/api/settings")).body.sources).toEqual([{ type: "defaults" }]);
    const written = await server.ask("PUT", "/api/settings", { policy: "ratio-chain" });
    expect([written.status, written.body.sources]).toEqual([200, [{ type: "defaults" }, { type: "file", path }]]);
  });

  test("cannot be written if a source of higher precedence names the policy, and no file is created", async () => {
    const path = join(folder, "never-written.json");
    const environment = { PALIMPSEST_POLICY: "agent-rounds" };
    for (const fixing of [{ environment }, { policy: "agent-rounds" as const }]) {
      await using server = await startTestServer({ engine: { configFile: path, ...fixing } });
      expect((await server.ask("GET", "/api/settings")).body).toMatchObject({ isWritable: false });
      expect((await server.ask("PUT", "/api/settings", { policy: "workspace" })).status).toBe(409);
      expect(existsSync(path)).toBe(false);
    }
  });

  test("cannot be written without a configuration file, or by a tenant other than the owner", async () => {
    await using plain = await startTestServer();
    const refused = await plain.ask("PUT", "/api/settings", { policy: "default" });
    expect([refused.status, refused.body.error.code]).toEqual([409, "settings-fixed"]);
    expect(refused.body.error.message).toContain("--config");
    const tokens = [{ hash: hashToken("one"), tenantId: "a" }];
    await using shared = await startTestServer({ engine: { configFile }, tokens });
    const headers = { authorization: "Bearer one" };
    const other = await shared.ask("PUT", "/api/settings", { policy: "workspace" }, headers);
    expect([other.status, other.body.error.code]).toEqual([409, "settings-fixed"]);
    expect((await shared.ask("GET", "/api/settings", undefined, headers)).body.isWritable).toBe(false);
  });
});
