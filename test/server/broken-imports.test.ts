/** Imports that stop early: a client that disconnects, a process that is killed; and lines that cannot be read. */
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
/** So many that an import has written some of them when it has read half of them. */
const MANY = 6_000;
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
  test("an import skips lines that are not messages, and names them", async () => {
    await using server = await startTestServer({ store: await newStore() });
    const path = "/api/sessions/import?id=talk&title=Talk";
    const lines = all.with(4_999, '{"role":"user","content":').with(17, '{"role":"somebody","content":"Line"}');
    const { status, body } = await post(server, path, lines);
    expect([status, body]).toMatchObject([
      200,
      { sessionId: "talk", messages: LINES - 2, added: LINES - 2, skipped: 2 },
    ]);
    expect(body.problems).toMatchObject([{ line: 18 }, { line: 5_000, reason: "it is not JSON" }]);
    expect(await listed(server)).toMatchObject([{ id: "talk", title: "Talk", messageCount: LINES - 2 }]);
    expect((await post(server, path, lines)).body).toMatchObject({ messages: LINES - 2, added: 0 });
  });

  test("an export whose upload breaks off is not stored; of other files the rest follows with the next import", async () => {
    await using server = await startTestServer({ store: await newStore() });
    await post(server, "/api/sessions/import?id=talk", all.slice(0, 900));
    const exported = (await (await fetch(`${server.url}/api/sessions/talk/export`)).text()).split("\n");
    const port = Number(new URL(server.url).port);
    await sendRaw(port, [cutOff("/api/sessions/import?id=half", exported.slice(0, 500))], { hangUp: true });
    expect((await server.ask("GET", "/api/sessions/half")).status).toBe(404);
    await sendRaw(port, [cutOff("/api/sessions/import?id=half", all.slice(0, 3_000))], { hangUp: true });
    expect(await post(server, "/api/sessions/import?id=half", all)).toMatchObject({ status: 200 });
    const counts = Object.fromEntries((await listed(server)).map(({ id, messageCount }: Listed) => [id, messageCount]));
    expect(counts).toEqual({ talk: 900, half: LINES });
  });

  test("an import whose process is killed is completed by the next one, without a message twice", async () => {
    const store = await newStore();
    const task: ImportingTask = { store, id: "half", messages: MANY };
    const child = startChild<ImportingLine>({ script: CHILD, task });
    await child.first("half");
    child.process.kill("SIGKILL");
    await child.ended;
    await using server = await startTestServer({ store });
    const [{ messageCount: before }] = await listed(server);
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(MANY);
    const whole = Array.from({ length: MANY }, (_, index) => messageOf(index));
    const { body } = await post(server, "/api/sessions/import?id=half", whole);
    expect(body).toMatchObject({ sessionId: "half", messages: MANY, added: MANY - before });
    expect(await listed(server)).toMatchObject([{ id: "half", messageCount: MANY }]);
  });
}

interface Listed {
  readonly id: string;
  readonly messageCount: number;
}

/** A line as the killed process imports it. */
const messageOf = (index: number) => JSON.stringify({ id: `m${index}`, role: "user", content: `Line ${index}.` });

describe("a broken import on SQLite", () => {
  const folder = mkdtempSync(join(tmpdir(), "broken-imports-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  describeBroken(async () => `sqlite:${join(mkdtempSync(join(folder, "store-")), "chats.db")}`);
});

await describePostgres("a broken import on PostgreSQL", (database) => {
  afterAll(() => database.close());
  describeBroken(() => database.newDatabase());
});
