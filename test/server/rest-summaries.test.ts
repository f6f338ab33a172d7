/** Compactions and summaries over real sockets: previewed, edited, applied, verified and undone. */
import { describe, expect, test } from "vitest";
import { hashToken } from "../../src/server/access/tokens.ts";
import { startTestServer, type TestServer } from "../support/start-server.ts";

async function longTalk(server: TestServer, id = "s"): Promise<void> {
  await server.ask("POST", "/api/sessions", { id });
  const messages = Array.from({ length: 40 }, (_, index) => ({
    id: `m${index + 1}`,
    role: index % 2 ? "assistant" : "user",
    content: `Station ${index + 1} of the guide takes ${index + 2} minutes. ${"Visitors walk on to the next room. ".repeat(8)}`,
  }));
  await server.ask("POST", `/api/sessions/${id}/messages`, { messages });
}

const SIZE = { engine: { budgetTokens: 4_000 } };

describe("a compaction", () => {
  test("can be previewed, edited and applied, and each preview can be applied once", async () => {
    await using server = await startTestServer(SIZE);
    await longTalk(server);
    const preview = await server.ask("POST", "/api/sessions/s/previews", { instructions: "Keep the minutes." });
    expect(preview.body.after.tokens).toBeLessThan(preview.body.before.tokens);
    expect((await server.ask("GET", "/api/sessions/s/summaries")).body.summaries).toEqual([]);
    const path = `/api/sessions/s/previews/${preview.body.previewId}`;
    const edited = await server.ask("PATCH", path, { text: "Forty stations, by hand." });
    expect(edited.body.record.text).toBe("Forty stations, by hand.");
    expect(await server.ask("POST", `${path}/apply`, {})).toMatchObject({ status: 404 });
    const apply = `/api/sessions/s/previews/${edited.body.previewId}/apply`;
    expect((await server.ask("POST", apply, {})).body.type).toBe("compacted");
    expect(await server.ask("POST", apply, {})).toMatchObject({ status: 404 });
    const { summaries } = (await server.ask("GET", "/api/sessions/s/summaries")).body;
    expect(summaries).toMatchObject([{ isLive: true, record: { text: "Forty stations, by hand." } }]);
  });

  test("that was previewed before the past changed is stale", async () => {
    await using server = await startTestServer(SIZE);
    await longTalk(server);
    const preview = await server.ask("POST", "/api/sessions/s/previews", {});
    await server.ask("POST", "/api/sessions/s/pins", { messageId: "m1" });
    const applied = await server.ask("POST", `/api/sessions/s/previews/${preview.body.previewId}/apply`, {});
    expect(applied.body).toEqual({ type: "stale" });
  });

  test("whose preview quotes a message is not shown again after the message or its session is deleted", async () => {
    await using server = await startTestServer(SIZE);
    for (const [id, path] of [
      ["s", "/api/sessions/s/messages/m20"],
      ["t", "/api/sessions/t"],
    ] as const) {
      await longTalk(server, id);
      const preview = await server.ask("POST", `/api/sessions/${id}/previews`, {});
      expect(JSON.stringify(preview.body)).toContain("Station 20 ");
      await server.ask("DELETE", path);
      const edited = await server.ask("PATCH", `/api/sessions/${id}/previews/${preview.body.previewId}`, {
        text: "Mine.",
      });
      expect(JSON.stringify(edited.body)).not.toContain("Station 20 ");
      expect([edited.status, edited.body.type]).toEqual(id === "s" ? [200, "stale"] : [404, undefined]);
    }
  });

  test("that was previewed for one session cannot be applied to another", async () => {
    await using server = await startTestServer(SIZE);
    await longTalk(server);
    await longTalk(server, "t");
    const preview = await server.ask("POST", "/api/sessions/s/previews", {});
    const other = await server.ask("POST", `/api/sessions/t/previews/${preview.body.previewId}/apply`, {});
    expect([other.status, other.body.error.code]).toEqual([404, "not-found"]);
  });

  test("can be previewed at any time: the tenant's 101st preview removes its oldest one, and no other tenant's", async () => {
    const [one, two] = ["token-of-one", "token-of-two"];
    const tokens = [
      { hash: hashToken(one), tenantId: "one" },
      { hash: hashToken(two), tenantId: "two" },
    ];
    await using server = await startTestServer({ ...SIZE, tokens });
    const as = (token: string) => ({ authorization: `Bearer ${token}` });
    const propose = async (token: string): Promise<string> =>
      (await server.ask("POST", "/api/sessions/s/previews", {}, as(token))).body.previewId;
    const edit = (token: string, id: string | undefined) =>
      server.ask("PATCH", `/api/sessions/s/previews/${id}`, { text: "By hand." }, as(token));
    for (const token of [one, two]) {
      await server.ask("POST", "/api/sessions", { id: "s" }, as(token));
      const messages = Array.from({ length: 12 }, (_, index) => ({
        role: index % 2 ? "assistant" : "user",
        content: `Station ${index}. ${"Visitors walk on to the next room. ".repeat(20)}`,
      }));
      await server.ask("POST", "/api/sessions/s/messages", { messages }, as(token));
    }
    const other = await propose(two);
    const proposed: string[] = [];
    for (let count = 0; count < 101; count += 1) proposed.push(await propose(one));
    const gone = await edit(one, proposed[0]);
    expect([gone.status, gone.body.error.message]).toEqual([404, expect.stringContaining("Request a new one")]);
    expect((await edit(one, proposed[1])).status).toBe(200);
    expect((await edit(one, proposed[100])).status).toBe(200);
    expect((await edit(two, other)).status).toBe(200);
  });

  test("without a preview is applied at once, and can be undone", async () => {
    await using server = await startTestServer(SIZE);
    await longTalk(server);
    expect((await server.ask("POST", "/api/sessions/s/compactions", {})).body.type).toBe("compacted");
    expect((await server.ask("POST", "/api/sessions/s/undo", {})).body.type).toBe("undone");
    const { summaries } = (await server.ask("GET", "/api/sessions/s/summaries")).body;
    expect(summaries).toMatchObject([{ isLive: false }]);
  });

  test("of a short conversation folds nothing", async () => {
    await using server = await startTestServer(SIZE);
    await server.ask("POST", "/api/sessions", { id: "s" });
    await server.ask("POST", "/api/sessions/s/messages", { messages: { role: "user", content: "Hello." } });
    expect((await server.ask("POST", "/api/sessions/s/compactions", {})).body.type).toBe("nothing-to-compact");
    expect((await server.ask("POST", "/api/sessions/s/previews", {})).body.type).toBe("nothing-to-compact");
  });
});

describe("a summary", () => {
  test("can be read with its source messages, verified, rewritten and edited by hand", async () => {
    await using server = await startTestServer(SIZE);
    await longTalk(server);
    await server.ask("POST", "/api/sessions/s/compactions", {});
    const [{ record }] = (await server.ask("GET", "/api/sessions/s/summaries")).body.summaries;
    const source = await server.ask("GET", `/api/sessions/s/summaries/${record.id}/source`);
    expect(source.body.messages[0].id).toBe("m1");
    const verified = await server.ask("GET", `/api/sessions/s/summaries/${record.id}/verification`);
    expect(verified.body).toMatchObject({ score: 1, unsupported: [] });
    expect((await server.ask("POST", "/api/sessions/s/summary", { instructions: "Shorter." })).body.type).toBe(
      "compacted",
    );
    expect((await server.ask("PUT", "/api/sessions/s/summary", { text: "By hand." })).body.text).toBe("By hand.");
    expect((await server.ask("GET", "/api/sessions/s/summaries")).body.summaries).toHaveLength(3);
  });

  test("is returned without the ids of its covered messages on request, also as an entry of the log", async () => {
    await using server = await startTestServer(SIZE);
    await longTalk(server);
    await server.ask("POST", "/api/sessions/s/compactions", {});
    for (const path of ["/api/sessions/s/summaries", "/api/sessions/s/entries?types=summary"]) {
      const whole = (await server.ask("GET", path)).body;
      const [{ record }] = whole.summaries ?? whole.entries;
      expect(record.messageIds).toHaveLength(record.coverage.count);
      const flagged = (await server.ask("GET", `${path}${path.includes("?") ? "&" : "?"}ids=false`)).body;
      const { messageIds: _ids, ...rest } = record;
      expect((flagged.summaries ?? flagged.entries)[0].record).toEqual(rest);
    }
  });
});
