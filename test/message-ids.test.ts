/** One rule for new ids in every interface, and a way to reach messages whose id cannot be part of an address. */
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { COMMANDS } from "../src/cli/commands.ts";
import { EMPTY_HEAD } from "../src/core/log/head.ts";
import { hashMessage } from "../src/core/message/hash-message.ts";
import type { Message } from "../src/core/message/message.ts";
import { openPalimpsest } from "../src/index.ts";
import { createMemoryStore } from "../src/stores/memory/memory-store.ts";
import { newFolders } from "./support/new-folders.ts";
import { runCommand } from "./support/run-command.ts";
import { startTestServer, type TestServer } from "./support/start-server.ts";

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
      // A file's own message ids are not the caller's fault: the message gets another id.
      const { sessionId = "" } = await palimpsest.importTranscript([line]);
      expect((await (await palimpsest.load(sessionId)).transcript())[0]?.id).not.toBe(id);
      await palimpsest.deleteSession(sessionId);
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

/** Every interface that takes the id of a new session or message, or of a tenant. */
const INTERFACES: Readonly<Record<string, (id: string) => Promise<unknown>>> = {
  "openPalimpsest: tenant": (id) => openPalimpsest({ store: "memory:", tenant: id }),
  session: async (id) => (await openMemory()).session(id),
  create: async (id) => (await openMemory()).create({ id }),
  "importSession: id": async (id) => (await openMemory()).importSession(await exportSession("a"), { id }),
  "importSession: id in the file": async (id) => (await openMemory()).importSession(await exportSession(id)),
  "importTranscript: id": async (id) => (await openMemory()).importTranscript([line("m")], { id }),
  append: async (id) => (await (await openMemory()).session("a")).append(JSON.parse(line(id))),
  sync: async (id) => (await (await openMemory()).session("a")).sync([JSON.parse(line(id))]),
  prompt: async (id) => (await (await openMemory()).session("a")).prompt({ next: JSON.parse(line(id)) }),
  "startServer: tenant of a token": (tenantId) => startTestServer({ tokens: [{ hash: HASH, tenantId }] }),
  "startServer: session of a token": (sessionId) =>
    startTestServer({ tokens: [{ hash: HASH, tenantId: "a", sessionId }] }),
  "file of tokens: tenant": (tenantId) => startTestServer({ tokensFile: writeTokens({ tenantId }) }),
  "file of tokens: session": (sessionId) => startTestServer({ tokensFile: writeTokens({ tenantId: "a", sessionId }) }),
  "POST /api/sessions": (id) => ask("/api/sessions", { id }),
  "POST /api/sessions/:id/messages": (id) => ask("/api/sessions/a/messages", { messages: [JSON.parse(line(id))] }),
  "POST /api/sessions/:id/sync": (id) => ask("/api/sessions/a/sync", { messages: [JSON.parse(line(id))] }),
  "POST /api/sessions/:id/prompts": (id) => ask("/api/sessions/a/prompts", { next: [JSON.parse(line(id))] }),
  "POST /api/chat": (id) => ask("/api/chat", { id, message: USER }),
  "POST /api/chat: id of a message": (id) => ask("/api/chat", { id: "a", message: { ...USER, id } }),
  "POST /api/sessions/import": async (id) => sendLines(`import?id=${encodeURIComponent(id)}`, await exportSession("a")),
  "POST /api/sessions/import: file": async (id) => sendLines("import", await exportSession(id)),
  "POST /api/sessions/import: messages": async (id) => sendLines(`import?id=${encodeURIComponent(id)}`, [line("m")]),
};

/** Options for the id of a new session, or of the session of a token. Other options look up an existing session. */
const TAKES_SESSION: Readonly<Record<string, readonly string[]>> = { token: ["session"], import: ["id"] };
const newFolder = newFolders("ids");
const HASH = "0".repeat(64);
const USER = { id: "m", role: "user", parts: [{ type: "text", text: "hi" }] };
const openMemory = () => openPalimpsest({ store: "memory:" });
const line = (id: string) => JSON.stringify({ ...USER, id });

/** Exports an empty session, with another id in its header. */
async function exportSession(id: string): Promise<readonly string[]> {
  const palimpsest = await openMemory();
  await palimpsest.session("before");
  const lines: string[] = [];
  for await (const each of palimpsest.exportSession("before")) lines.push(each.trimEnd());
  const [header = "", end = ""] = lines;
  const renamed = header.replace('"before"', JSON.stringify(id));
  const sum = createHash("sha256").update(`${renamed}\n`).digest("hex");
  return [renamed, end.replace(/"sha256":"\w+"/, `"sha256":"${sum}"`)];
}

function writeTokens(row: object): string {
  const path = join(newFolder(), "tokens.json");
  const token = { id: "t-1", hash: HASH, createdAt: "2030-01-01", ...row };
  writeFileSync(path, JSON.stringify({ tokens: [token] }), { mode: 0o600 });
  return path;
}

async function ask(path: string, body: object): Promise<void> {
  const answer = await server.ask("POST", path, body);
  if (answer.status !== 200) throw new Error(JSON.stringify([answer.status, answer.body]));
}

async function sendLines(path: string, lines: readonly string[]): Promise<void> {
  const sent = { method: "POST", headers: { "content-type": "application/x-ndjson" }, body: lines.join("\n") };
  const answer = await fetch(`${server.url}/api/sessions/${path}`, sent);
  if (answer.status !== 200) throw new Error(`[${answer.status},${await answer.text()}]`);
}

let server: TestServer;

describe("the rule for new ids", () => {
  beforeAll(async () => {
    server = await startTestServer();
    await server.ask("POST", "/api/sessions", { id: "a" });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test.each(Object.entries(INTERFACES))("holds at this interface: %s", async (_, take) => {
    for (const [name, id] of Object.entries(NAMED)) {
      const outcome = await take(id).then(
        () => "accepted",
        ({ message }) => (/expected an id|a list of tokens|URI malformed|\[400,/.test(message) ? "refused" : message),
      );
      expect({ name, outcome }).toEqual({ name, outcome: "refused" });
    }
  });

  test("holds for every option of the command line that takes a tenant, a new session's id, or the session of a token", async () => {
    const home = newFolder();
    await (await openPalimpsest({ store: `sqlite:${join(home, "palimpsest.db")}` })).close();
    const file = join(home, "a.jsonl");
    writeFileSync(file, (await exportSession("a")).join("\n"));
    const refused: string[] = [];
    for (const [command, { load }] of Object.entries(COMMANDS)) {
      const { options = {}, positionalCount = [0, 0] } = (await load()).command;
      const first = ({ token: "add", import: file } as Record<string, string>)[command] ?? "a";
      const words = [command, ...Array.from({ length: positionalCount[0] }, () => first)];
      const names = ["tenant", ...(TAKES_SESSION[command] ?? [])].filter((name) => name in options);
      for (const [name, id] of names.flatMap((each) => Object.values(REFUSED).map((id) => [each, id] as const))) {
        const others = name === "session" ? ["--tenant=a"] : [];
        const { err } = await runCommand([...words, ...others, `--${name}=${id}`], { PALIMPSEST_HOME: home });
        expect([command, err]).toEqual([command, expect.stringContaining(`--${name}: expected an id of 1 to 200`)]);
        refused.push(`${command} --${name}`);
      }
    }
    expect([...new Set(refused)]).toEqual(expect.arrayContaining(["token --tenant", "token --session", "import --id"]));
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
