/** Health, readiness and metrics for the operator of a server, and the sample for a first visitor. */
import { describe, expect, test } from "vitest";
import { PalimpsestError } from "../../src/core/errors.ts";
import { hashToken, LOCAL_TENANT, newToken } from "../../src/server/access/tokens.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { shows } from "../../src/testing/shows.ts";
import { startTestServer, type TestServer } from "../support/start-server.ts";

async function compacted(server: TestServer): Promise<void> {
  await server.ask("POST", "/api/sessions", { id: "s" });
  const messages = Array.from({ length: 40 }, (_, index) => ({
    role: index % 2 ? "assistant" : "user",
    content: `Station ${index} holds the words aquamarine and glass. ${"And so it goes on. ".repeat(12)}`,
  }));
  await server.ask("POST", "/api/sessions/s/messages", { messages });
  await server.ask("POST", "/api/sessions/s/prompts", { budgetTokens: 3_000 });
}

async function figures(server: TestServer): Promise<ReadonlyMap<string, number>> {
  const { body } = await server.ask("GET", "/metrics");
  const lines = String(body)
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))]),
  );
}

describe("readiness", () => {
  test("checks store and jobs, and counts dead letters", async () => {
    await using server = await startTestServer();
    expect((await server.ask("GET", "/health")).body).toEqual({ status: "alive" });
    const ready = await server.ask("GET", "/ready");
    expect(ready).toMatchObject({ status: 200, body: { status: "ready", deadLetters: 0 } });
    expect(ready.body.checks.map(({ name }: { name: string }) => name)).toEqual(["store", "jobs"]);
  });

  test("fails with the name of the failed part, while health still answers", async () => {
    const jobs = {
      submit: async () => undefined,
      work: async () => undefined,
      settle: async () => undefined,
      drain: async () => undefined,
      close: async () => undefined,
      readDeadLetters: async () => {
        throw new PalimpsestError("store-unavailable", "The queue is away.");
      },
    };
    await using server = await startTestServer({ engine: { jobs } });
    const { status, body, headers } = await server.ask("GET", "/ready");
    expect([status, headers.get("retry-after"), body.status]).toEqual([503, "1", "failed"]);
    expect(body.checks).toMatchObject([
      { name: "store", status: "ready" },
      { name: "jobs", status: "failed", reason: "The queue is away." },
    ]);
    expect((await server.ask("GET", "/health")).status).toBe(200);
  });
});

describe("metrics", () => {
  test("cover all tenants, and are shown only to the owner of the server", async () => {
    const [owner, tenant] = [newToken(), newToken()];
    const tokens = [
      { hash: hashToken(owner), tenantId: LOCAL_TENANT },
      { hash: hashToken(tenant), tenantId: "anna" },
    ];
    await using server = await startTestServer({ tokens });
    const as = (token: string) => ({ authorization: `Bearer ${token}` });
    await server.ask("POST", "/api/sessions", { id: "s" }, as(tenant));
    await server.ask("POST", "/api/sessions/s/messages", { messages: [{ role: "user", content: "Hi." }] }, as(tenant));
    const refused = await server.ask("GET", "/metrics", undefined, as(tenant));
    expect(refused).toMatchObject({ status: 403, body: { error: { code: "tenant-refused" } } });
    expect(refused.body.error.message).toContain("palimpsest token add --tenant local");
    expect((await server.ask("GET", "/metrics")).status).toBe(401);
    const metrics = await server.ask("GET", "/metrics", undefined, as(owner));
    expect(metrics.body).toContain("palimpsest_messages_appended_total 1\n");
    expect((await server.ask("GET", "/api/sessions/s", undefined, as(owner))).status).toBe(404);
  });

  test("count requests by route and status, messages, prompts, and the resources of the process", async () => {
    await using server = await startTestServer();
    await compacted(server);
    await server.ask("GET", "/api/sessions/nobody");
    const found = await figures(server);
    expect(found.get('palimpsest_http_requests_total{route="appendMessages",method="POST",status="200"}')).toBe(1);
    expect(found.get('palimpsest_http_requests_total{route="readSession",method="GET",status="404"}')).toBe(1);
    expect(found.get('palimpsest_http_request_seconds_count{route="makePrompt"}')).toBe(1);
    expect(found.get('palimpsest_http_request_seconds_bucket{route="makePrompt",le="+Inf"}')).toBe(1);
    expect(found.get("palimpsest_messages_appended_total")).toBe(40);
    expect(found.get("palimpsest_prompts_total")).toBe(1);
    expect(found.get("palimpsest_tokens_saved_total")).toBeGreaterThan(100);
    expect(found.get("palimpsest_resident_memory_bytes")).toBeGreaterThan(1e6);
    expect(found.get('palimpsest_event_loop_delay_seconds{quantile="0.99"}')).toBeGreaterThanOrEqual(0);
  });

  test(shows("S1-37", "count how often a summary was triggered, by phase and policy"), async () => {
    await using server = await startTestServer({ engine: { policy: "windowed-sql" } });
    await compacted(server);
    const key = 'palimpsest_compactions_total{phase="pre-request",policy="windowed-sql"}';
    const once = (await figures(server)).get(key) ?? 0;
    expect(once).toBeGreaterThan(0);
    await server.ask("POST", "/api/sessions/s/compactions", {});
    const all = [...(await figures(server))].filter(([name]) => name.startsWith("palimpsest_compactions_total"));
    expect(all.reduce((sum, [, count]) => sum + count, 0)).toBeGreaterThanOrEqual(once);
  });

  test(shows("S1-36", "are accompanied by a log line for each summary, without any message text"), async () => {
    await using server = await startTestServer({ engine: { policy: "windowed-sql" } });
    await compacted(server);
    const notes = server.logged.filter(({ kind }) => kind === "note").map(({ line }) => line);
    expect(notes).toContainEqual(
      expect.objectContaining({
        text: "summarised",
        tenantId: "local",
        sessionId: "s",
        summaryId: expect.any(String),
        tokensBefore: expect.any(Number),
        tokensAfter: expect.any(Number),
      }),
    );
    expect(JSON.stringify(notes)).not.toContain("aquamarine");
  });
});

describe("the sample", () => {
  test("runs turn by turn in its small window, is compacted several times, and ends", async () => {
    await using server = await startTestServer();
    const opened = (await server.ask("POST", "/api/sample", {})).body;
    expect(opened).toMatchObject({ windowTokens: 6_000, session: { messageCount: 0 } });
    const path = `/api/sessions/${opened.session.id}/sample/next`;
    let compactions = 0;
    for (let turn = 1; turn <= opened.turns; turn += 1) {
      const { body } = await server.ask("POST", path, {});
      expect(body).toMatchObject({ turn, turns: opened.turns, isOver: turn === opened.turns });
      expect(body.tokens).toBeLessThanOrEqual(body.limitTokens);
      compactions += body.compactions;
    }
    expect(compactions).toBeGreaterThan(2);
    expect((await server.ask("POST", path, {})).body).toMatchObject({ isOver: true, messageIds: [] });
    const far = await server.ask("GET", `/api/sessions/${opened.session.id}/sample`);
    expect(far.body).toEqual({ turn: opened.turns, turns: opened.turns, isOver: true });
    const { messageCount } = (await server.ask("GET", `/api/sessions/${opened.session.id}`)).body;
    expect(messageCount).toBeGreaterThan(opened.turns * 2);
  });

  test("continues after a client's own messages, and does not exist in other sessions", async () => {
    await using server = await startTestServer();
    const { session } = (await server.ask("POST", "/api/sample", {})).body;
    await server.ask("POST", `/api/sessions/${session.id}/sample/next`, {});
    const own = {
      messages: [
        { role: "user", content: "Who is Nora?" },
        { role: "assistant", content: "She runs it." },
      ],
    };
    await server.ask("POST", `/api/sessions/${session.id}/messages`, own);
    expect((await server.ask("POST", `/api/sessions/${session.id}/sample/next`, {})).body.turn).toBe(2);
    await server.ask("POST", "/api/sessions", { id: "plain" });
    expect(await server.ask("POST", "/api/sessions/plain/sample/next", {})).toMatchObject({ status: 404 });
    expect(await server.ask("GET", "/api/sessions/plain/sample")).toMatchObject({ status: 404 });
    const { body } = await server.ask("GET", `/api/sessions/${session.id}/sample`);
    expect(body).toMatchObject({ turn: 2, isOver: false });
  });
});

test("a store that becomes unavailable makes the server report not ready, and the response names the store", async () => {
  const store = createMemoryStore();
  await using server = await startTestServer({ engine: {}, store });
  expect((await server.ask("GET", "/ready")).status).toBe(200);
  // Simulates a lost disk.
  await store.close();
  const { status, body } = await server.ask("GET", "/ready");
  expect([status, body.checks[0]]).toEqual([503, expect.objectContaining({ name: "store", status: "failed" })]);
});
