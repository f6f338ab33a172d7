/** One rule for new ids in every interface, and a way to reach messages whose id cannot be part of an address. */
import { describe, expect, test } from "vitest";
import { EMPTY_HEAD } from "../src/core/log/head.ts";
import { hashMessage } from "../src/core/message/hash-message.ts";
import type { Message } from "../src/core/message/message.ts";
import { openPalimpsest } from "../src/index.ts";
import { createMemoryStore } from "../src/stores/memory/memory-store.ts";
import { startTestServer } from "./support/start-server.ts";

const REFUSED = {
  empty: "",
  dot: ".",
  dots: "..",
  long: "x".repeat(201),
  tab: "a\tb",
  nul: "a\0b",
  "lone surrogate": "a\ud800",
  place: "seq:17",
};
const TAKEN = { longest: "x".repeat(200), slash: "a/b", dots: "...", accents: "écrit", percent: "%2e", emoji: "🦊" };
const { empty: _empty, ...NAMED } = REFUSED;

describe("a new id", () => {
  test.each(Object.entries(NAMED))(
    "that is unusable (%s) is refused for messages, sessions and imports",
    async (_, id) => {
      const palimpsest = await openPalimpsest({ store: "memory:" });
      const session = await palimpsest.session("a");
      const message = { id, role: "user", parts: [{ type: "text", text: "hi" }] };
      await expect(session.append(message as never)).rejects.toThrow(
        /message\.id: expected an id of 1 to 200 characters/,
      );
      await expect(palimpsest.session(id)).rejects.toThrow(/expected an id of 1 to 200 characters/);
      await expect(palimpsest.create({ id })).rejects.toThrow(/expected an id of 1 to 200 characters/);
      const line = JSON.stringify({ id, role: "user", parts: [{ type: "text", text: "hi" }] });
      await expect(palimpsest.importMessages([line])).rejects.toThrow(/expected an id of 1 to 200 characters/);
      expect(await session.transcript()).toEqual([]);
      expect(await palimpsest.sessions()).toHaveLength(1);
      await palimpsest.close();
    },
  );

  test.each(Object.entries(NAMED))(
    "that is unusable (%s) is refused over HTTP, and nothing is stored",
    async (_, id) => {
      await using server = await startTestServer();
      await server.ask("POST", "/api/sessions", { id: "a" });
      const messages = [{ id, role: "user", parts: [{ type: "text", text: "hi" }] }];
      expect((await server.ask("POST", "/api/sessions/a/messages", { messages })).status).toBe(400);
      expect((await server.ask("POST", "/api/sessions", { id })).status).toBe(400);
      expect((await server.ask("GET", "/api/sessions/a/messages")).body.entries).toEqual([]);
    },
  );

  test.each(Object.entries(TAKEN))("that is usable (%s) can be read and deleted over HTTP", async (_, id) => {
    await using server = await startTestServer();
    await server.ask("POST", "/api/sessions", { id });
    const messages = [{ id, role: "user", parts: [{ type: "text", text: "hi" }] }];
    const path = `/api/sessions/${encodeURIComponent(id)}/messages`;
    expect((await server.ask("POST", path, { messages })).status).toBe(200);
    expect((await server.ask("GET", `${path}/${encodeURIComponent(id)}`)).body.message.id).toBe(id);
    expect((await server.ask("DELETE", `${path}/${encodeURIComponent(id)}`)).status).toBe(200);
    expect((await server.ask("GET", `${path}/${encodeURIComponent(id)}`)).body.message.parts).toEqual([]);
  });
});

describe("a message with an unusable id, stored by an earlier version", () => {
  async function storeOld(ids: readonly string[]) {
    const store = createMemoryStore();
    const tenant = store.tenant("local");
    await tenant.createSession({ id: "old", createdAt: 0 }, EMPTY_HEAD);
    const entries = ids.map((id) => {
      const message: Message = { id, role: "user", parts: [{ type: "text", text: `text of ${id.length}` }] };
      return { type: "message", id, at: 0, message, hash: hashMessage(message), tokens: {} } as const;
    });
    await tenant.append("old", { entries });
    return store;
  }

  test("is read, explained, pinned and deleted by its seq", async () => {
    const ids = ["x".repeat(300), "..", "a\tb"];
    await using server = await startTestServer({ store: await storeOld(ids) });
    for (const [index, id] of ids.entries()) {
      const path = `/api/sessions/old/messages/seq:${index + 1}`;
      expect((await server.ask("GET", path)).body.message.id).toBe(id);
      expect((await server.ask("GET", `${path}/explanation`)).status).toBe(200);
      expect((await server.ask("POST", "/api/sessions/old/pins", { messageId: `seq:${index + 1}` })).status).toBe(200);
      expect((await server.ask("DELETE", path)).body.messageId).toBe(id);
      expect((await server.ask("DELETE", path)).status).toBe(404);
    }
    expect((await server.ask("GET", "/api/sessions/old/messages/seq:9")).status).toBe(404);
  });

  test("is found by an id that looks like a seq, before the message with that seq", async () => {
    await using server = await startTestServer({ store: await storeOld(["first", "seq:1"]) });
    expect((await server.ask("GET", "/api/sessions/old/messages/seq:1")).body.message.id).toBe("seq:1");
    expect((await server.ask("GET", "/api/sessions/old/messages/seq:2")).body.message.id).toBe("seq:1");
  });
});
