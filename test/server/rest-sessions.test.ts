/**
 * Sessions, their messages, and changes of the past, over real sockets; every response is checked against its schema.
 */
import { describe, expect, test } from "vitest";
import { startTestServer, type TestResponse, type TestServer } from "../support/start-server.ts";

const say = (id: string, content: string, role = "user") => ({ id, role, content });
const turns = (count: number, words = "The ferry to the island leaves at nine and takes forty minutes. ") =>
  Array.from({ length: count }, (_, index) =>
    say(`m${index + 1}`, `${index + 1}. ${words.repeat(12)}`, index % 2 ? "assistant" : "user"),
  );

async function filled(server: TestServer, id = "s", count = 6): Promise<void> {
  await server.ask("POST", "/api/sessions", { id });
  await server.ask("POST", `/api/sessions/${id}/messages`, { messages: turns(count) });
}

describe("an invalid request", () => {
  test("is refused if its query or body has unknown keys, and the error does not repeat them", async () => {
    await using server = await startTestServer();
    await server.ask("POST", "/api/sessions", { id: "s" });
    const cases: readonly (readonly [string, string, object?])[] = [
      ["GET", "/api/sessions?oddly=1"],
      ["GET", "/api/sessions/s/messages?oddly=1"],
      ["GET", "/api/search?query=x&oddly=1"],
      ["POST", "/api/sessions", { oddly: 1 }],
      ["POST", "/api/sessions/s/messages", { messages: [], oddly: 1 }],
      ["POST", "/api/sessions/s/prompts", { oddly: 1 }],
      ["POST", "/api/sessions/s/pins", { messageId: "m", note: "Both." }],
    ];
    for (const [method, path, body] of cases) {
      const answered = await server.ask(method, path, body);
      expect([path, answered.status, answered.body.error?.code]).toEqual([path, 400, "request-invalid"]);
      expect(JSON.stringify(answered.body)).not.toContain("oddly");
    }
    expect((await server.ask("GET", "/api/sessions")).body.sessions).toHaveLength(1);
  });

  test("is refused if it contains an id that cannot be part of an address", async () => {
    await using server = await startTestServer();
    for (const id of [".", "..", "\ud800", "a\udc00"]) {
      expect((await server.ask("POST", "/api/sessions", { id })).status).toBe(400);
    }
    for (const id of ["...", "a.b", "\u6f22"]) {
      expect((await server.ask("POST", "/api/sessions", { id })).status).toBe(200);
      expect((await server.ask("GET", `/api/sessions/${encodeURIComponent(id)}`)).body.id).toBe(id);
    }
  });
});

describe("sessions", () => {
  test("are listed page by page, each page from the cursor of the previous one", async () => {
    await using server = await startTestServer();
    for (const id of ["a", "b", "c"]) await filled(server, id, 2);
    const first = await server.ask("GET", "/api/sessions?limit=2");
    expect(first.body.sessions).toHaveLength(2);
    const second = await server.ask("GET", `/api/sessions?limit=2&before=${first.body.next}`);
    const ids = [...first.body.sessions, ...second.body.sessions].map(({ id }) => id);
    expect(ids.toSorted()).toEqual(["a", "b", "c"]);
    expect(second.body.next).toBeUndefined();
    expect(await server.ask("GET", "/api/sessions?before=nonsense")).toMatchObject({ status: 400 });
  });

  test("can be renamed, read and deleted, and are not found after the deletion", async () => {
    await using server = await startTestServer();
    await filled(server);
    expect((await server.ask("PATCH", "/api/sessions/s", { title: "Ferries" })).body.title).toBe("Ferries");
    expect((await server.ask("GET", "/api/sessions/s")).body).toMatchObject({ title: "Ferries", messageCount: 6 });
    expect((await server.ask("DELETE", "/api/sessions/s")).body).toEqual({ type: "deleted", sessionIds: ["s"] });
    const gone = await server.ask("GET", "/api/sessions/s");
    expect([gone.status, gone.body.error.code]).toEqual([404, "session-not-found"]);
    expect(server.logged.filter(({ kind }) => kind === "audit")).toHaveLength(1);
  });

  test("cannot be created with an id that exists", async () => {
    await using server = await startTestServer();
    await filled(server);
    const again = await server.ask("POST", "/api/sessions", { id: "s" });
    expect([again.status, again.body.error.code]).toEqual([409, "session-exists"]);
  });

  test("can be forked at a message, and are deleted only together with their forks", async () => {
    await using server = await startTestServer();
    await filled(server);
    const fork = await server.ask("POST", "/api/sessions/s/forks", { atSeq: 2 });
    expect(fork.body).toMatchObject({ messageCount: 2, fork: { parentId: "s", atSeq: 2 } });
    expect((await server.ask("DELETE", "/api/sessions/s")).body).toMatchObject({ type: "has-forks" });
    const both = await server.ask("DELETE", "/api/sessions/s?forks=true");
    expect(both.body.sessionIds).toHaveLength(2);
  });

  test("can be exported as lines and imported completely under another id", async () => {
    await using server = await startTestServer();
    await filled(server);
    const lines = await server.ask("GET", "/api/sessions/s/export");
    expect(lines.headers.get("content-type")).toContain("application/x-ndjson");
    const sent = await fetch(`${server.url}/api/sessions/import?id=copy`, { method: "POST", body: lines.body });
    expect(await sent.json()).toMatchObject({ sessionId: "copy", messages: 6 });
    expect((await server.ask("GET", "/api/sessions/copy")).body.messageCount).toBe(6);
  });
});

describe("messages", () => {
  test("are read in pages by their seq, forwards and backwards", async () => {
    await using server = await startTestServer();
    await filled(server);
    const page = await server.ask("GET", "/api/sessions/s/messages?limit=4");
    expect(page.body.entries.map(({ id }: { id: string }) => id)).toEqual(["m1", "m2", "m3", "m4"]);
    const rest = await server.ask("GET", `/api/sessions/s/messages?limit=4&afterSeq=${page.body.nextSeq}`);
    expect(rest.body.entries.map(({ id }: { id: string }) => id)).toEqual(["m5", "m6"]);
    const newest = await server.ask("GET", "/api/sessions/s/messages?limit=1&newestFirst=true");
    expect(newest.body.entries[0].id).toBe("m6");
  });

  test("are read in shorter pages if they are long, so that a page does not fill the memory", async () => {
    await using server = await startTestServer();
    await server.ask("POST", "/api/sessions", { id: "s" });
    for (let index = 0; index < 12; index += 1) {
      const messages = [say(`m${index}`, "x".repeat(900_000))];
      expect((await server.ask("POST", "/api/sessions/s/messages", { messages })).status).toBe(200);
    }
    for (const newestFirst of [false, true]) {
      const seqs: number[] = [];
      let rest: string | undefined = "";
      while (rest !== undefined) {
        const path: string = `/api/sessions/s/messages?limit=100&newestFirst=${newestFirst}${rest}`;
        const page: TestResponse = await server.ask("GET", path);
        const { entries, nextSeq } = page.body;
        expect(entries.length).toBeLessThanOrEqual(8);
        seqs.push(...entries.map(({ seq }: { seq: number }) => seq));
        const next = newestFirst ? `&throughSeq=${nextSeq - 1}` : `&afterSeq=${nextSeq}`;
        rest = nextSeq === undefined ? undefined : next;
      }
      expect(seqs.toSorted((left, right) => left - right)).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
    }
  });

  test("of one request are stored all or not at all, and a known id with another text is a conflict", async () => {
    await using server = await startTestServer();
    await filled(server, "s", 1);
    const same = await server.ask("POST", "/api/sessions/s/messages", { messages: turns(1) });
    expect(same.body.messages).toEqual([{ id: "m1", seq: 1 }]);
    const messages = [say("n1", "New."), say("m1", "Other words.")];
    const conflict = await server.ask("POST", "/api/sessions/s/messages", { messages });
    expect([conflict.status, conflict.body.error.code]).toEqual([409, "message-conflict"]);
    expect((await server.ask("GET", "/api/sessions/s")).body.messageCount).toBe(1);
  });

  test("that are new in a resent list are appended, and a list that differs creates a fork", async () => {
    await using server = await startTestServer();
    await filled(server, "s", 2);
    const [first, second] = turns(2);
    const grown = await server.ask("POST", "/api/sessions/s/sync", {
      messages: [first, second, say("m3", "And then?")],
    });
    expect(grown.body).toMatchObject({ type: "appended", appended: 1, sessionId: "s" });
    const other = await server.ask("POST", "/api/sessions/s/sync", {
      messages: [first, say("x2", "Otherwise.", "assistant")],
    });
    expect(other.body).toMatchObject({ type: "forked", atSeq: 1 });
    expect(other.body.sessionId).not.toBe("s");
  });

  test("can be read, explained and deleted individually", async () => {
    await using server = await startTestServer();
    await filled(server);
    expect((await server.ask("GET", "/api/sessions/s/messages/m2")).body.message.role).toBe("assistant");
    const why = await server.ask("GET", "/api/sessions/s/messages/m2/explanation");
    expect(why.body).toMatchObject({ fate: "verbatim", isShown: true });
    expect((await server.ask("DELETE", "/api/sessions/s/messages/m2")).body.messageId).toBe("m2");
    expect((await server.ask("GET", "/api/sessions/s/messages/m2/explanation")).body.fate).toBe("deleted");
    expect(await server.ask("GET", "/api/sessions/s/messages/nobody")).toMatchObject({ status: 404 });
  });

  test("are in a log whose entries can be filtered by type", async () => {
    await using server = await startTestServer();
    await filled(server);
    await server.ask("POST", "/api/sessions/s/pins", { messageId: "m1" });
    const pins = await server.ask("GET", "/api/sessions/s/entries?types=pin,unpin");
    expect(pins.body.entries).toMatchObject([{ type: "pin" }]);
    expect(await server.ask("GET", "/api/sessions/s/entries?types=drop")).toMatchObject({ status: 400 });
  });
});

describe("prompts", () => {
  test("are returned in the format of each provider, and a preview writes no entry", async () => {
    await using server = await startTestServer();
    await filled(server, "s", 2);
    const shapes = {
      openai: "messages",
      "openai-responses": "input",
      anthropic: "messages",
      gemini: "contents",
      "ai-sdk": "messages",
    };
    for (const [provider, key] of Object.entries(shapes)) {
      const made = await server.ask("POST", "/api/sessions/s/prompts", {
        provider,
        budgetTokens: 4_000,
        preview: true,
      });
      expect(made.body.prompt[key]).toHaveLength(2);
    }
    await server.ask("GET", "/api/sessions/s/view?provider=anthropic");
    expect((await server.ask("GET", "/api/sessions/s/entries?types=request")).body.entries).toEqual([]);
  });

  test("include the next message, stay within the budget, and can be ended by a reply or with a reason", async () => {
    await using server = await startTestServer();
    await filled(server, "s", 30);
    const next = say("q", "When does the ferry leave?");
    const made = await server.ask("POST", "/api/sessions/s/prompts", { next, budgetTokens: 2_000, provider: "openai" });
    expect(made.body.report.tokens).toBeLessThanOrEqual(2_000);
    expect(made.body.prompt.messages.at(-1).content).toBe(next.content);
    expect(made.body.report.compactions.length).toBeGreaterThan(0);
    const answer = {
      messages: say("a", "At nine.", "assistant"),
      promptId: made.body.id,
      usage: { inputTokens: 1_500 },
    };
    expect((await server.ask("POST", "/api/sessions/s/messages", answer)).status).toBe(200);
    expect((await server.ask("POST", `/api/sessions/s/prompts/${made.body.id}/end`, { reason: "cut" })).body).toEqual(
      {},
    );
    const tiny = await server.ask("POST", "/api/sessions/s/prompts", { budgetTokens: 10 });
    expect([tiny.status, tiny.body.error.code]).toEqual([422, "does-not-fit"]);
  });

  test("have a plan and a budget that can be read", async () => {
    await using server = await startTestServer({ engine: { budgetTokens: 3_000 } });
    await filled(server, "s", 30);
    await server.ask("POST", "/api/sessions/s/prompts", {});
    const plan = await server.ask("GET", "/api/sessions/s/plan");
    expect(plan.body.runs.map(({ fate }: { fate: string }) => fate)).toContain("summarised");
    expect((await server.ask("GET", "/api/sessions/s/budget")).body).toMatchObject({ maxInputTokens: 3_000 });
  });
});

describe("the view of a session", () => {
  test("has no messages after a clear and has them again after an undo, and pins can be removed", async () => {
    await using server = await startTestServer();
    await filled(server);
    const pinned = await server.ask("POST", "/api/sessions/s/pins", { messageId: "m1" });
    await server.ask("POST", "/api/sessions/s/pins", { note: "The ferry is booked." });
    expect((await server.ask("DELETE", `/api/sessions/s/pins/${pinned.body.pinId}`)).body).toEqual({ unpinned: true });
    expect((await server.ask("DELETE", "/api/sessions/s/pins/nobody")).body).toEqual({ unpinned: false });
    expect((await server.ask("POST", "/api/sessions/s/clear", {})).body).toEqual({});
    const cleared = await server.ask("GET", "/api/sessions/s/view?provider=openai");
    expect(JSON.stringify(cleared.body.prompt)).not.toContain("forty minutes");
    expect((await server.ask("POST", "/api/sessions/s/undo", {})).body).toMatchObject({
      type: "undone",
      undid: { kinds: ["clear"] },
    });
    const back = await server.ask("GET", "/api/sessions/s/view?provider=openai");
    expect(JSON.stringify(back.body.prompt)).toContain("forty minutes");
  });

  test("has nothing to undo if nothing was changed", async () => {
    await using server = await startTestServer();
    await filled(server);
    expect((await server.ask("POST", "/api/sessions/s/undo", {})).body).toEqual({ type: "nothing-to-undo" });
  });
});
