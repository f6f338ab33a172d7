/**
 * `palimpsest serve` on the storage of the documents: the command over its socket, and its files read as another
 * program would read them.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, test } from "vitest";
import { shows } from "../../src/testing/shows.ts";
import { runCommand } from "../support/run-command.ts";
import { startScriptedProvider } from "../support/scripted-provider.ts";
import { scriptedReplies } from "../support/scripted-provider-reply.ts";
import { type StartedServe, startServe } from "../support/serve-process.ts";
import { ChatClient } from "../support/start-chat.ts";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-document-stores-"));
const provider = await startScriptedProvider(({ body }) =>
  scriptedReplies.text(JSON.stringify(body).includes("main topics") ? "They spoke of ports." : "Indeed."),
);
afterAll(async () => {
  await provider.close();
  rmSync(folder, { recursive: true, force: true });
});

function serve(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<StartedServe> {
  const model = { PALIMPSEST_BASE_URL: `${provider.url}/v1`, PALIMPSEST_MODEL: "small" };
  return startServe({ args, environment: { ...model, PALIMPSEST_HOME: join(folder, "home"), ...environment } });
}

async function say(client: ChatClient, texts: readonly string[]): Promise<void> {
  for (const text of texts) expect(await client.say(text)).toMatchObject({ text: "Indeed.", errors: [] });
}

async function callRpc(url: string, method: string, ...params: readonly unknown[]): Promise<unknown> {
  const answer = await fetch(`${url}/rpc`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: `LLMService.${method}`, params }),
  });
  const { result } = (await answer.json()) as { readonly result: unknown };
  return result;
}

describe("a server with a windowed-sql: store", () => {
  const COLUMNS = "id, conversation_id, role, content, sources, created_at, message_type";

  function readRows(path: string, conversation: string) {
    const database = new DatabaseSync(path, { readOnly: true });
    const rows = database
      .prepare(`SELECT ${COLUMNS} FROM messages WHERE conversation_id = ? ORDER BY message_type DESC, rowid`)
      .all(conversation);
    const index = database.prepare("SELECT name FROM pragma_index_list('messages')").all();
    database.close();
    return { rows, indexes: index.map(({ name }) => name) };
  }

  test(
    shows(
      ["X-31", "S1-16", "S1-18", "S1-19", "S1-29", "S1-40", "S1-41"],
      "writes the rows of the document, and keeps one summary row and the window after a fold",
    ),
    async () => {
      const path = join(folder, "chats.db");
      const environment = { PALIMPSEST_POLICY: "windowed-sql", MAX_CHAT_HISTORY: "4" };
      await using server = await serve(["--store", `windowed-sql:${path}`], environment);
      expect(server.store).toBe(`windowed-sql:${path}`);
      const client = new ChatClient(server.url, "harbour");
      await say(client, ["Which port?", "And the tide?"]);
      const before = readRows(path, "harbour");
      expect(before.indexes).toContain("idx_messages_type");
      expect(before.rows.map(({ role, content, message_type }) => [role, content, message_type])).toEqual([
        ["user", "Which port?", "message"],
        ["assistant", "Indeed.", "message"],
        ["user", "And the tide?", "message"],
        ["assistant", "Indeed.", "message"],
      ]);
      for (const { created_at } of before.rows) expect(Number(created_at)).toBeLessThan(Date.now() / 1000 + 60);
      await say(client, ["And the wind?"]);
      const [summary, ...window] = readRows(path, "harbour").rows;
      expect(summary).toMatchObject({ role: "system", sources: null, message_type: "summary" });
      expect(summary?.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(summary?.content).toContain("They spoke of ports.");
      expect(window.map(({ content }) => content)).toEqual([
        "Indeed.",
        "And the tide?",
        "Indeed.",
        "And the wind?",
        "Indeed.",
      ]);
      expect(await server.end()).toBe(0);
      // The other commands read it by the same address.
      const listed = await runCommand(["sessions", "--store", `windowed-sql:${path}`, "--json"]);
      expect(listed).toMatchObject({ code: 0, out: expect.stringContaining('"harbour"') });
    },
  );

  test("refuses a database whose messages table lacks columns, and names them", async () => {
    const path = join(folder, "other.db");
    const database = new DatabaseSync(path);
    database.exec("CREATE TABLE messages (id TEXT PRIMARY KEY, body TEXT)");
    database.close();
    const refused = await runCommand(["serve", "--port", "0", "--store", `windowed-sql:${path}`], {
      PALIMPSEST_HOME: join(folder, "home"),
    });
    expect(refused.code).not.toBe(0);
    expect(refused.err).toMatch(/lacks conversation_id, role, content, sources, created_at/);
  });
});

describe("a server with a workspace: store", () => {
  test(
    shows(
      ["X-31", "S3-30", "S3-32", "S3-33", "S3-48", "S3-122"],
      "appends the document's records to .ac-dc/history.jsonl, after the records of other programs",
    ),
    async () => {
      const root = join(folder, "repository");
      mkdirSync(join(root, ".ac-dc"), { recursive: true });
      writeFileSync(join(root, "notes.md"), "Ports of the coast.\n");
      const file = join(root, ".ac-dc", "history.jsonl");
      const older = {
        id: "1700000000000-0a1b2c3d",
        session_id: "sess_1700000000000_0a1b2c",
        timestamp: "2023-11-14T22:13:20.000Z",
        role: "user",
        content: "Where is the lighthouse?",
        files: [],
      };
      writeFileSync(file, `${JSON.stringify(older)}\n`);
      const args = ["--store", `workspace:${root}`, "--workspace", root];
      await using server = await serve(args, { PALIMPSEST_POLICY: "workspace" });
      expect(await callRpc(server.url, "history_search", "LIGHTHOUSE")).toMatchObject([{ id: older.id }]);
      const { session_id } = (await callRpc(server.url, "new_session")) as { readonly session_id: string };
      expect(session_id).toMatch(/^sess_\d{13}_[0-9a-f]{6}$/);
      await callRpc(server.url, "chat_streaming", "r1", "Which port?", ["notes.md"]);
      const readLines = () =>
        readFileSync(file, "utf8")
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line))
          .filter((line) => line.session_id === session_id && line.role !== undefined);
      await expect.poll(() => readLines().length).toBe(2);
      const [user, assistant] = readLines();
      const id = expect.stringMatching(/^\d{13}-[0-9a-f]{8}$/);
      const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      expect(user).toMatchObject({
        id,
        timestamp,
        role: "user",
        content: "Which port?",
        files: ["notes.md"],
        images: 0,
      });
      expect(assistant).toMatchObject({ id, timestamp, role: "assistant", content: "Indeed." });
      expect(await server.end()).toBe(0);
      expect(readFileSync(file, "utf8").startsWith(`${JSON.stringify(older)}\n`)).toBe(true);
      // The file of conversations is not part of the repository.
      expect(JSON.stringify(provider.requests.at(-1)?.body)).not.toContain(".ac-dc");
      await using again = await serve(args);
      expect(await callRpc(again.url, "get_current_state")).toMatchObject({
        session_id,
        messages: [user, assistant].map(({ content }) => ({ content })),
      });
      expect(await again.end()).toBe(0);
    },
  );
});

test("serve --help and --help list the store addresses windowed-sql: and workspace:", async () => {
  for (const args of [["serve", "--help"], ["--help"]]) {
    const { out } = await runCommand(args);
    expect(out).toContain("windowed-sql:");
    expect(out).toContain("workspace:");
  }
});
