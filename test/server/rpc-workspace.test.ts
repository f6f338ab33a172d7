/** Requirements of the workspace document besides chatting: over JSON-RPC, on its file, and from the library. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { tool } from "ai";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { openPalimpsest } from "../../src/compose.ts";
import { shows } from "../../src/testing/shows.ts";
import { openRpcSocket, type RpcTestSocket } from "../support/rpc-socket.ts";
import { scriptedChatModel } from "../support/scripted-chat.ts";
import { type ScriptedProvider, startScriptedProvider } from "../support/scripted-provider.ts";
import { type ScriptedReply, scriptedReplies } from "../support/scripted-provider-reply.ts";
import { ScriptedWorkspace } from "../support/scripted-workspace.ts";
import { startTestServer } from "../support/start-server.ts";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-rpc-workspace-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let provider: ScriptedProvider | undefined;
afterEach(async () => provider?.close());

type Options = NonNullable<Parameters<typeof startTestServer>[0]>;

async function startChat(options: Options = {}, replies?: readonly ScriptedReply[]) {
  provider = await startScriptedProvider(replies ?? (() => scriptedReplies.text("Indeed.")));
  return startTestServer({ ...options, models: [scriptedChatModel(provider)] });
}

let asked = 0;
async function say(client: RpcTestSocket, message: string, files?: readonly string[]) {
  asked += 1;
  const requestId = `r-${asked}`;
  await client.call("chat_streaming", { request_id: requestId, message, ...(files && { files }) });
  const { result } = await client.waitForNotification("streamComplete", ({ request_id }) => request_id === requestId);
  return { requestId, result };
}

function runOn(path: string, statement: string): void {
  const database = new DatabaseSync(path);
  database.exec(statement);
  database.close();
}

const idsOf = (records: readonly { readonly id: string }[]) => records.map(({ id }) => id);
const OF_THE_DOCUMENT = /^\d{13}-[0-9a-f]{8}$/;

describe("ids of a chat over RPC", () => {
  test(
    shows(
      ["S3-32", "S3-122", "S3-123"],
      "have the document's format, and are the same in the file, in every response, and after a restart",
    ),
    async () => {
      const root = join(folder, "ids");
      const look = tool({ inputSchema: z.object({}), execute: async () => "Nothing." });
      const replies = [
        scriptedReplies.toolCall("look", {}),
        scriptedReplies.text("There is a lighthouse."),
        scriptedReplies.text("At dusk."),
      ];
      const options = { store: `workspace:${root}`, tools: { look } };
      let records: readonly { readonly id: string; readonly content: string }[] = [];
      let sessionId = "";
      {
        await using server = await startChat(options, replies);
        await using client = await openRpcSocket(server.url);
        const { result } = await say(client, "What do you see?");
        sessionId = result.session_id;
        await say(client, "When is it lit?");
        records = await client.call("history_get_session", [sessionId]);
        expect(sessionId).toMatch(/^sess_\d{13}_[0-9a-f]{6}$/);
        expect(records.map(({ content }) => content)).toContain("There is a lighthouse.");
        for (const { id } of records) expect(id).toMatch(OF_THE_DOCUMENT);
        expect(new Set(idsOf(records)).size).toBe(records.length);
        expect((await client.call("get_current_state")).messages).toEqual(records);
        const [hit] = await client.call("history_search", ["LIGHTHOUSE"]);
        expect(idsOf(records)).toContain(hit.id);
        const lines = readFileSync(join(root, ".ac-dc", "history.jsonl"), "utf8")
          .trimEnd()
          .split("\n");
        const written = lines.map((line) => JSON.parse(line)).filter(({ role }) => role !== undefined);
        expect(written.length).toBeGreaterThan(3);
        for (const { id } of written) expect(idsOf(records)).toContain(id);
        expect(idsOf(written)).toEqual(idsOf(records).filter((id) => idsOf(written).includes(id)));
      }
      await using again = await startTestServer(options);
      await using client = await openRpcSocket(again.url);
      expect(await client.call("history_get_session", [sessionId])).toEqual(records);
    },
  );
});

describe("history_search", () => {
  const emptied = join(folder, "emptied");
  const changed = join(folder, "changed.db");

  test.each([
    ["finds nothing", `workspace:${emptied}`, () => writeFileSync(join(emptied, ".ac-dc", "history.jsonl"), "")],
    ["does not answer", `sqlite:${changed}`, () => runOn(changed, "ALTER TABLE entries RENAME TO gone")],
  ])(
    shows("S3-50", "finds messages in memory if the store %s, by role and up to a limit"),
    async (_, store, damage) => {
      await using server = await startChat({ store });
      await using client = await openRpcSocket(server.url);
      for (const text of ["The Harbour opens.", "The harbour closes."]) await say(client, text);
      const stored = await client.call("history_search", ["harbour"]);
      expect(stored).toHaveLength(2);
      damage();
      expect(await client.call("history_search", ["HARBOUR"])).toEqual(stored);
      expect(await client.call("history_search", ["indeed", "assistant", 1])).toMatchObject([{ role: "assistant" }]);
      expect(await client.call("history_search", ["harbour", "assistant"])).toEqual([]);
      expect(await client.call("history_search", [" "])).toEqual([]);
    },
  );

  test("has an equivalent in the library: session.searchView", async () => {
    const palimpsest = await openPalimpsest();
    const session = await palimpsest.session();
    await session.append([{ id: "a", role: "user", content: "The Harbour opens." }]);
    expect(session.searchView("HARBOUR")).toMatchObject([{ messageId: "a", snippet: "The Harbour opens." }]);
    expect(session.searchView("harbour", { role: "assistant" })).toEqual([]);
    await session.append([{ id: "b", role: "user", content: "The harbour closes." }]);
    expect(session.searchView("harbour", { limit: 1 })).toMatchObject([{ messageId: "b" }]);
    await palimpsest.close();
  });
});

test(
  shows(
    ["S3-45", "S3-46", "S3-120"],
    "get_session_messages_for_context returns only role, content and images; history_get_session returns everything",
  ),
  async () => {
    const workspace = new ScriptedWorkspace().write("notes.md", "Ports of the coast.\n");
    await using server = await startChat({ store: `workspace:${join(folder, "context")}`, engine: { workspace } });
    await using client = await openRpcSocket(server.url);
    const { result } = await say(client, "Which port?", ["notes.md"]);
    expect(await client.call("history_get_session", [result.session_id])).toMatchObject([
      { id: expect.any(String), timestamp: expect.any(String), content: "Which port?", files: ["notes.md"] },
      { content: "Indeed." },
    ]);
    expect(await client.call("get_session_messages_for_context", [result.session_id])).toEqual([
      { role: "user", content: "Which port?" },
      { role: "assistant", content: "Indeed." },
    ]);
    expect(await client.call("get_session_messages_for_context", ["nowhere"])).toEqual([]);
  },
);

test(shows("S3-12", "reregister_history_items removes the history from the tiers without clearing it"), async () => {
  const workspace = new ScriptedWorkspace().write("notes.md", "Ports of the coast.\n");
  const policy = { preset: "workspace", cache_target_tokens: 20 } as const;
  await using server = await startChat({ engine: { workspace, policy, counter: "estimate" } });
  await using client = await openRpcSocket(server.url);
  const placesOf = async () => {
    const { tiers } = await client.call("get_context_breakdown");
    const places: string[] = tiers.flatMap(({ tier, items }: Tier) =>
      items.flatMap(({ key, n }) => (key.startsWith("history:") ? [`${tier} ${n}`] : [])),
    );
    return new Set(places);
  };
  expect(await client.call("LLMService.reregister_history_items")).toEqual({ session_id: null });
  for (const text of ["Which port?", "Which pier?", "Which ship?", "And the tide?"]) await say(client, text);
  const { messages, session_id } = await client.call("get_current_state");
  expect(await placesOf()).toEqual(new Set(["L3 3", "active 0"]));
  expect(await client.call("LLMService.reregister_history_items")).toEqual({ session_id });
  expect((await client.call("get_current_state")).messages).toEqual(messages);
  // Reading the breakdown registers nothing.
  for (let read = 0; read < 2; read += 1) expect(await placesOf()).toEqual(new Set(["active 0"]));
  await say(client, "And the wind?");
  expect(JSON.stringify(provider?.requests.at(-1)?.body)).toContain("Which port?");
  expect(await placesOf()).toEqual(new Set(["L3 3", "active 0"]));
});

interface Tier {
  readonly tier: string;
  readonly items: readonly { readonly key: string; readonly n: number }[];
}

test(
  shows(["S3-29", "S3-70"], "every client is notified which files were shed from a prompt, and which are left"),
  async () => {
    const words = (count: number) => `${"every word of it counts ".repeat(count / 5)}\n`;
    const workspace = new ScriptedWorkspace().write("large.txt", words(4_000)).write("small.txt", words(100));
    const engine = { workspace, policy: "workspace", budgetTokens: 4_000, counter: "estimate" } as const;
    await using server = await startChat({ engine });
    await using client = await openRpcSocket(server.url);
    await using watching = await openRpcSocket(server.url);
    const { requestId } = await say(client, "What do they say?", ["small.txt", "large.txt"]);
    for (const each of [client, watching]) {
      const { request_id, event } = await each.waitForNotification(
        "compactionEvent",
        ({ event: shedEvent }) => shedEvent.stage === "files_shed",
      );
      expect(request_id).toBe(requestId);
      expect(event.files).toMatchObject([{ path: "large.txt", tokens: expect.any(Number) }]);
      expect(event.warning).toContain("large.txt");
      await each.waitForNotification("filesChanged", ({ selected_files }) => selected_files.join() === "small.txt");
    }
    expect(await client.call("get_selected_files")).toEqual(["small.txt"]);
    expect(JSON.stringify(provider?.requests.at(-1)?.body)).toContain("small.txt");
  },
);
