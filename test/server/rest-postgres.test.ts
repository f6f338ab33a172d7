/** Two servers on one PostgreSQL: each sees the other's messages, and both draw the same strip. */
import { randomBytes } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import { createClient } from "../../src/client/create-client.ts";
import { createOfflineChat } from "../../src/server/server-options.ts";
import { describePostgres } from "../support/describe-postgres.ts";
import { startTestServer } from "../support/start-server.ts";

await describePostgres("two servers on one database", (database) => {
  afterAll(() => database.close());

  test("servers on one database report each other's appends and deletions, lose none of them, and draw the same strip", async () => {
    const store = await database.newDatabase();
    await using one = await startTestServer({ store, engine: { budgetTokens: 3_000 } });
    await using other = await startTestServer({ store, engine: { budgetTokens: 3_000 } });
    await one.ask("POST", "/api/sessions", { id: "s" });
    const ending = new AbortController();
    const received: string[] = [];
    const listening = (async () => {
      const client = createClient({ url: other.url });
      for await (const event of client.events({ query: { sessionId: "s" }, signal: ending.signal }))
        received.push(event.name);
    })().catch(() => undefined);
    let count = 0;
    // The server listens once it receives an event of its own.
    await expect
      .poll(async () => {
        count += 1;
        await other.ask("POST", "/api/sessions/s/messages", {
          messages: { role: "user", content: "Is anybody there?" },
        });
        return received;
      })
      .toContain("append");
    const before = received.length;
    const say = (server: typeof one, id: string) =>
      server.ask("POST", "/api/sessions/s/messages", {
        messages: { id, role: "user", content: `${id} ${"and on. ".repeat(30)}` },
      });
    await one.ask("POST", "/api/sessions/s/messages", { messages: { id: "first", role: "user", content: "Yes." } });
    await expect.poll(() => received.slice(before)).toContain("session-grown");
    await Promise.all(Array.from({ length: 40 }, (_, index) => say(index % 2 ? one : other, `m${index}`)));
    await one.ask("POST", "/api/sessions/s/prompts", {});
    const [left, right] = [
      await one.ask("GET", "/api/sessions/s/strip?buckets=9"),
      await other.ask("GET", "/api/sessions/s/strip?buckets=9"),
    ];
    expect(left.body.messages).toBe(count + 41);
    expect(right.body).toEqual(left.body);
    expect(left.body.tokens).toBeGreaterThan(40 * 50);
    await one.ask("DELETE", "/api/sessions/s");
    await expect.poll(() => received).toContain("session-deleted");
    ending.abort();
    await listening;
  });

  test("a server shows an image that was sent to the other server, in a message and in a chat", async () => {
    const store = await database.newDatabase();
    const models = [await createOfflineChat()];
    await using one = await startTestServer({ store, models });
    await using other = await startTestServer({ store, models });
    await one.ask("POST", "/api/sessions", { id: "s" });
    // A megabyte and a half is sent between servers in many pieces.
    const bytes = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), randomBytes(1_500_000)]);
    const put = async (path: string) => {
      const response = await fetch(`${one.url}${path}`, {
        method: "PUT",
        headers: { "content-type": "image/png" },
        body: new Uint8Array(bytes),
      });
      return ((await response.json()) as { readonly reference: string }).reference;
    };
    const reference = await put("/api/sessions/s/images");
    const content = [{ type: "image", image: reference, mediaType: "image/png" }];
    const messages = [{ id: "seen", role: "user", content }];
    expect(await other.ask("POST", "/api/sessions/s/messages", { messages })).toMatchObject({ status: 200 });
    const shown = await fetch(`${other.url}/api/sessions/s/messages/seen/images/0`);
    expect(Buffer.from(await shown.arrayBuffer()).equals(bytes)).toBe(true);
    const parts = [{ type: "file", url: reference, mediaType: "image/png" }];
    const chat = { id: "s", message: { id: "asked", role: "user", parts } };
    expect((await other.ask("POST", "/api/chat", chat)).body).toContain('"finish"');
    expect((await fetch(`${one.url}/api/sessions/s/messages/asked/images/0`)).status).toBe(200);
  });
});
