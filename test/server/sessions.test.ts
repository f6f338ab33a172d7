import { describe, expect, test } from "vitest";
import { startTestServer } from "../support/start-server.ts";

describe("a session over HTTP", () => {
  test("can be created, appended to and listed, and returns a prompt", async () => {
    await using server = await startTestServer();
    const created = await server.ask("POST", "/api/sessions", { id: "s", title: "One" });
    expect(created).toMatchObject({ status: 200, body: { id: "s", title: "One", messageCount: 0 } });
    const appended = await server.ask("POST", "/api/sessions/s/messages", {
      messages: [{ id: "m1", role: "user", content: "Hello." }],
    });
    expect(appended.status).toBe(200);
    const prompt = await server.ask("POST", "/api/sessions/s/prompts", { provider: "openai", budgetTokens: 4_000 });
    expect(prompt.body.prompt.messages).toEqual([{ role: "user", content: "Hello." }]);
    expect((await server.ask("GET", "/api/sessions")).body.sessions).toMatchObject([{ id: "s", messageCount: 1 }]);
  });
});
