/**
 * Imports that stop early: an invalid line, a client that disconnects, a process that is killed. All or nothing is
 * stored.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { ImportingLine, ImportingTask } from "../faults/importing-child.ts";
import { startChild } from "../faults/start-child.ts";
import { describePostgres } from "../support/describe-postgres.ts";
import { sendRaw } from "../support/send-raw.ts";
import { startTestServer, type TestServer } from "../support/start-server.ts";

const LINES = 6_000;
const CHILD = join(import.meta.dirname, "../faults/importing-child.ts");

const lineOf = (index: number) => JSON.stringify({ role: index % 2 ? "assistant" : "user", content: `Line ${index}.` });
const all = Array.from({ length: LINES }, (_, index) => lineOf(index));

async function post({ url }: TestServer, path: string, lines: readonly string[]) {
  const headers = { "content-type": "application/x-ndjson" };
  const response = await fetch(`${url}${path}`, { method: "POST", headers, body: lines.join("\n") });
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of a response.
  const body = (await response.json()) as any;
  return { status: response.status, body };
}

const listed = async ({ ask }: TestServer) => (await ask("GET", "/api/sessions")).body.sessions;
const found = async ({ ask }: TestServer) => (await ask("GET", "/api/search?query=Line")).body.hits;

/** The start of a request that is never completed. */
function cutOff(path: string, lines: readonly string[]): string {
  const body = lines.join("\n");
  const head = [
    `POST ${path} HTTP/1.1`,
    "host: 127.0.0.1",
    "content-type: application/x-ndjson",
    `content-length: ${body.length * 2}`,
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

function describeBroken(newStore: () => Promise<string>): void {
  test("an import with a line that is not a message stores nothing, and the error names the line", async () => {
    await using server = await startTestServer({ store: await newStore() });
    const path = "/api/sessions/import-messages?id=talk&title=Talk";
    const broken = await post(server, path, all.with(4_999, '{"role":"user","content":'));
    expect(broken).toMatchObject({ status: 400, body: { error: { code: "message-invalid" } } });
    expect(broken.body.error.message).toContain("line 5000");
    const strange = await post(server, path, all.with(4_999, '{"role":"somebody","content":"Line"}'));
    expect(strange.body.error.message).toMatch(
      /line 5000 cannot be read as a message: role: .*Nothing was imported\.$/s,
    );
    const twice = await post(server, path, [...all, ...[1, 2].map((n) => `{"id":"x","role":"user","content":"${n}"}`)]);
    expect(twice.body.error.code).toBe("message-conflict");
    expect(await listed(server)).toEqual([]);
    expect(await found(server)).toEqual([]);
    // Sends the same request again, complete.
    expect(await post(server, path, all)).toMatchObject({ status: 200, body: { sessionId: "talk", messages: LINES } });
    expect(await listed(server)).toMatchObject([{ id: "talk", title: "Talk", messageCount: LINES }]);
    expect((await post(server, path, all)).body.error.code).toBe("session-exists");
  });

  test("an import whose client disconnects before its end stores nothing, in both formats", async () => {
    await using server = await startTestServer({ store: await newStore() });
    const { body } = await post(server, "/api/sessions/import-messages?id=talk", all.slice(0, 900));
    expect(body).toMatchObject({ sessionId: "talk" });
    const exported = (await (await fetch(`${server.url}/api/sessions/talk/export`)).text()).split("\n");
    const port = Number(new URL(server.url).port);
    for (const [path, lines] of [
      ["/api/sessions/import-messages?id=half", all.slice(0, 3_000)],
      ["/api/sessions/import?id=half", exported.slice(0, 500)],
    ] as const) {
      await sendRaw(port, [cutOff(path, lines)], { hangUp: true });
      expect((await listed(server)).map(({ id }: { id: string }) => id)).toEqual(["talk"]);
      expect((await server.ask("GET", "/api/sessions/half")).status).toBe(404);
    }
    expect(await post(server, "/api/sessions/import-messages?id=half", all)).toMatchObject({ status: 200 });
  });

  test("an import whose process is killed leaves nothing visible, and the next import succeeds", async () => {
    const store = await newStore();
    const task: ImportingTask = { store, id: "half", messages: 1_200 };
    const child = startChild<ImportingLine>({ script: CHILD, task });
    await child.first("half");
    child.process.kill("SIGKILL");
    await child.ended;
    await using server = await startTestServer({ store });
    expect(await listed(server)).toEqual([]);
    expect(await found(server)).toEqual([]);
    expect((await server.ask("GET", "/api/sessions/half")).status).toBe(404);
    // Until its lease ends, the import may still be alive.
    const early = await post(server, "/api/sessions/import-messages?id=half", all);
    expect(early.body.error).toMatchObject({ code: "session-exists" });
    expect(early.body.error.message).toContain("is already being imported");
    expect(await post(server, "/api/sessions/import-messages?title=Whole", all)).toMatchObject({ status: 200 });
    expect(await listed(server)).toMatchObject([{ title: "Whole", messageCount: LINES }]);
  });
}

describe("a broken import on SQLite", () => {
  const folder = mkdtempSync(join(tmpdir(), "broken-imports-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  describeBroken(async () => `sqlite:${join(mkdtempSync(join(folder, "store-")), "chats.db")}`);
});

await describePostgres("a broken import on PostgreSQL", (database) => {
  afterAll(() => database.close());
  describeBroken(() => database.newDatabase());
});
