/** Routes besides conversations: search, workspace files, web pages and images. */
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scriptedReplies } from "../support/scripted-provider-reply.ts";
import { startChat } from "../support/start-chat.ts";
import { startTestServer, type TestServer } from "../support/start-server.ts";

const say = (id: string, content: unknown, role = "user") => ({ id, role, content });

async function append(server: TestServer, id: string, ...messages: readonly object[]): Promise<void> {
  await server.ask("POST", "/api/sessions", { id });
  await server.ask("POST", `/api/sessions/${id}/messages`, { messages });
}

describe("a search", () => {
  test("finds messages in all sessions or in one, by role, order and limit, with the position of the match", async () => {
    await using server = await startTestServer();
    await append(
      server,
      "a",
      say("a1", "A lighthouse on the island."),
      say("a2", "The lighthouse is lit.", "assistant"),
    );
    await append(server, "b", say("b1", "Lighthouse, lighthouse, lighthouse."));
    const all = await server.ask("GET", "/api/search?query=lighthouse");
    expect(all.body.hits.map(({ messageId }: { messageId: string }) => messageId)).toEqual(["b1", "a2", "a1"]);
    const [hit] = all.body.hits;
    expect(hit.snippet.slice(hit.matchStart, hit.matchStart + hit.matchLength).toLowerCase()).toBe("lighthouse");
    const ranked = await server.ask("GET", "/api/search?query=lighthouse&order=relevance&limit=1");
    expect(ranked.body.hits).toMatchObject([{ messageId: "b1" }]);
    expect((await server.ask("GET", "/api/search?query=lighthouse&role=assistant")).body.hits).toHaveLength(1);
    expect((await server.ask("GET", "/api/search?query=lighthouse&sessionId=a")).body.hits).toHaveLength(2);
    expect((await server.ask("GET", "/api/sessions/b/search?query=lighthouse")).body.hits).toHaveLength(1);
    expect(await server.ask("GET", "/api/sessions/nobody/search?query=x")).toMatchObject({ status: 404 });
    expect(await server.ask("GET", "/api/search?query=")).toMatchObject({ status: 400 });
  });
});

describe("a workspace", () => {
  let root: string;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), "workspace-"));
    await writeFile(join(root, "guide.md"), "# The guide\n\nStation one is the kiln.\n");
    await writeFile(join(root, "plan.txt"), "Opening in May.\n");
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  test("shows files with their tokens and tiers, and the tree", async () => {
    await using server = await startTestServer({ engine: { policy: "workspace", workspace: { root } } });
    await append(server, "s", say("m1", "What is station one?"));
    expect((await server.ask("POST", "/api/sessions/s/workspace/files", { path: "guide.md" })).body).toEqual({
      added: true,
    });
    expect((await server.ask("POST", "/api/sessions/s/workspace/files", { path: "none.md" })).body).toEqual({
      added: false,
    });
    const before = (await server.ask("GET", "/api/sessions/s/workspace")).body;
    expect(before.files).toMatchObject([{ path: "guide.md", state: "shown" }]);
    expect(before.files[0].tokens).toBeGreaterThan(5);
    expect(before.tree).toEqual(["guide.md", "plan.txt"]);
    const made = await server.ask("POST", "/api/sessions/s/prompts", { provider: "openai" });
    expect(JSON.stringify(made.body.prompt)).toContain("Station one is the kiln");
    const after = (await server.ask("GET", "/api/sessions/s/workspace")).body;
    expect(after.files[0].tier).toMatch(/^(?:L[0-3]|active)$/);
    const removed = await server.ask("DELETE", "/api/sessions/s/workspace/files?path=guide.md");
    expect(removed.body).toEqual({ removed: true });
    expect((await server.ask("GET", "/api/sessions/s/workspace")).body.files).toEqual([]);
  });

  test("refuses paths that lead out of its folder", async () => {
    await using server = await startTestServer({ engine: { workspace: { root } } });
    await append(server, "s", say("m1", "Hello."));
    for (const path of ["../secrets.txt", "/etc/passwd", "a/../../b", "..\\..\\secrets.txt"]) {
      const refused = await server.ask("POST", "/api/sessions/s/workspace/files", { path });
      expect([path, refused.body.error?.code ?? refused.body.added]).toEqual([
        path,
        path.startsWith("/") ? false : "file-refused",
      ]);
    }
    expect((await server.ask("GET", "/api/sessions/s/workspace")).body.files).toEqual([]);
  });

  test("keeps its files after a garbage collection between requests", async () => {
    await using server = await startTestServer();
    await append(server, "s", say("m1", "Hello."));
    await server.ask("POST", "/api/sessions/s/workspace/files", { path: "notes.txt", text: "Bring a lamp." });
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    for (let round = 0; round < 5; round += 1) {
      await setImmediate();
      collect();
    }
    expect((await server.ask("GET", "/api/sessions/s/workspace")).body.files).toMatchObject([{ path: "notes.txt" }]);
  });

  test("shows texts and web pages that a client sends, without a repository", async () => {
    await using server = await startTestServer();
    await append(server, "s", say("m1", "Hello."));
    await server.ask("POST", "/api/sessions/s/workspace/files", { path: "notes.txt", text: "Bring a lamp." });
    const link = { url: "https://example.com/ferry", text: "The ferry leaves at nine." };
    expect((await server.ask("POST", "/api/sessions/s/workspace/links", link)).body.type).toBe("added");
    const unread = await server.ask("POST", "/api/sessions/s/workspace/links", { url: "https://example.com/other" });
    expect(unread.body.type).toBe("refused");
    const shown = (await server.ask("GET", "/api/sessions/s/workspace")).body;
    expect(shown).toMatchObject({ files: [{ path: "notes.txt" }], links: [{ url: link.url }] });
    const gone = await server.ask("DELETE", `/api/sessions/s/workspace/links?url=${encodeURIComponent(link.url)}`);
    expect(gone.body).toEqual({ removed: true });
  });
});

/** The smallest valid image of its kind. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

async function put(server: TestServer, path: string, bytes: Uint8Array, type = "image/png") {
  const response = await fetch(`${server.url}${path}`, {
    method: "PUT",
    body: bytes,
    headers: { "content-type": type },
  });
  const body = (await response.json()) as { readonly reference: string };
  return { status: response.status, body };
}

describe("an image", () => {
  test("is uploaded, referenced by a message, stored with it and read back byte for byte", async () => {
    await using server = await startTestServer();
    await append(server, "s", say("m1", "Hello."));
    const sent = await put(server, "/api/sessions/s/images", PNG);
    expect(sent.body).toMatchObject({ mediaType: "image/png", bytes: PNG.length });
    const parts = [
      { type: "text", text: "Look." },
      { type: "image", image: sent.body.reference },
    ];
    const appended = await server.ask("POST", "/api/sessions/s/messages", { messages: [say("m2", parts)] });
    expect(appended.status).toBe(200);
    const read = await fetch(`${server.url}/api/sessions/s/messages/m2/images/0`);
    expect(read.headers.get("content-type")).toBe("image/png");
    expect(Buffer.from(await read.arrayBuffer()).equals(PNG)).toBe(true);
    expect(await server.ask("GET", "/api/sessions/s/messages/m2/images/1")).toMatchObject({ status: 404 });
  });

  test("that was uploaded is shown to the model of a chat", async () => {
    await using chat = await startChat({ script: [scriptedReplies.text("A dot.")] });
    await chat.server.ask("POST", "/api/sessions", { id: "chat" });
    const { body } = await put(chat.server, "/api/sessions/chat/images", PNG);
    const parts = [
      { type: "text", text: "What is this?" },
      { type: "file", mediaType: "image/png", url: body.reference },
    ];
    const asked = { id: "chat", message: { id: "u1", role: "user", parts } };
    expect((await chat.server.ask("POST", "/api/chat", asked)).body).toContain("A dot.");
    expect(JSON.stringify(chat.provider.requests[0]?.body)).toContain(PNG.toString("base64"));
  });

  test("is still there after a restart of the server, and is deleted with its session", async () => {
    const folder = await mkdtemp(join(tmpdir(), "palimpsest-images-"));
    const store = `sqlite:${join(folder, "chats.db")}`;
    const first = await startTestServer({ store });
    await append(first, "s", say("m1", "Hello."));
    const { body } = await put(first, "/api/sessions/s/images", PNG);
    await first.server.close();
    await using server = await startTestServer({ store });
    const named = { messages: [say("m2", [{ type: "image", image: body.reference }])] };
    expect((await server.ask("POST", "/api/sessions/s/messages", named)).status).toBe(200);
    const read = await fetch(`${server.url}/api/sessions/s/messages/m2/images/0`);
    expect(Buffer.from(await read.arrayBuffer()).equals(PNG)).toBe(true);
    await server.ask("DELETE", "/api/sessions/s");
    expect((await readdir(folder)).filter((name) => name.endsWith("-images"))).toEqual([]);
    await rm(folder, { recursive: true, force: true });
  });

  test("of one session cannot be used in another", async () => {
    await using server = await startTestServer();
    await append(server, "s", say("m1", "Hello."));
    await append(server, "t", say("m1", "Hello."));
    const { body } = await put(server, "/api/sessions/s/images", PNG);
    const parts = [{ type: "image", image: body.reference }];
    const refused = await server.ask("POST", "/api/sessions/t/messages", { messages: [say("m2", parts)] });
    expect([refused.status, refused.body.error.code]).toEqual([400, "request-invalid"]);
    expect((await server.ask("GET", "/api/sessions/t")).body.messageCount).toBe(1);
  });

  test("that is too large, has another type, or is the sixth of a message is refused", async () => {
    await using server = await startTestServer();
    await append(server, "s", say("m1", "Hello."));
    const large = Buffer.concat([PNG, Buffer.alloc(5 * 2 ** 20)]);
    expect(await put(server, "/api/sessions/s/images", large)).toMatchObject({ status: 413 });
    const script = Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>");
    expect(await put(server, "/api/sessions/s/images", script, "image/svg+xml")).toMatchObject({ status: 415 });
    expect(await put(server, "/api/sessions/s/images", PNG, "image/jpeg")).toMatchObject({ status: 415 });
    expect(await put(server, "/api/sessions/nobody/images", PNG)).toMatchObject({ status: 404 });
    const { body } = await put(server, "/api/sessions/s/images", PNG);
    const six = Array.from({ length: 6 }, () => ({ type: "image", image: body.reference }));
    const refused = await server.ask("POST", "/api/sessions/s/messages", { messages: [say("m2", six)] });
    expect([refused.status, refused.body.error.code]).toEqual([400, "message-invalid"]);
  });

  test("of a type that can contain script is sent as a download", async () => {
    await using server = await startTestServer();
    const svg = Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>").toString("base64");
    const part = { type: "file", mediaType: "image/svg+xml", data: svg };
    await append(server, "s", say("m1", [part]));
    const read = await fetch(`${server.url}/api/sessions/s/messages/m1/images/0`);
    expect(read.headers.get("content-type")).toBe("application/octet-stream");
    expect(read.headers.get("content-disposition")).toBe("attachment");
    expect(read.headers.get("x-content-type-options")).toBe("nosniff");
  });
});
