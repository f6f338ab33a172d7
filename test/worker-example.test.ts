/** The example Worker, bundled as deployed and run in a real workerd on a real D1; the model is a local server. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Miniflare } from "miniflare";
import { afterAll, describe, expect, test } from "vitest";
import { shows } from "../src/testing/shows.ts";
import { temporaryFolder } from "./stores/temporary-folder.ts";
import { bundleWorker, readConfiguration, startWorker, workerFolder } from "./support/bundle-worker.ts";
import { type RecordedRequest, startScriptedProvider } from "./support/scripted-provider.ts";
import { scriptedReplies as replies, type ScriptedReply } from "./support/scripted-provider-reply.ts";

type Kind = "answer" | "summary";

/** Anthropic's answer with two blocks of text. */
const event = (name: string, data: object) => `event: ${name}\ndata: ${JSON.stringify({ type: name, ...data })}\n\n`;
const block = (index: number, text: string) =>
  event("content_block_start", { index, content_block: { type: "text", text: "" } }) +
  event("content_block_delta", { index, delta: { type: "text_delta", text } }) +
  event("content_block_stop", { index });
const usage = { input_tokens: 10, output_tokens: 5 };
const TWO_BLOCKS: ScriptedReply = {
  type: "raw",
  status: 200,
  headers: { "content-type": "text/event-stream" },
  body:
    event("message_start", { message: { id: "m", role: "assistant", model: "x", content: [], usage } }) +
    block(0, "They spoke of ports.") +
    block(1, "They agreed.") +
    event("message_delta", { delta: { stop_reason: "end_turn", stop_sequence: null }, usage }) +
    event("message_stop", {}),
};

interface Row {
  readonly role: string;
  readonly content: string;
  readonly sources: string | null;
  readonly message_type: string;
}

const configuration = readConfiguration();
const code = await bundleWorker(configuration);
const folders = temporaryFolder();
/** Kinds of request that currently fail. */
const down = new Set<Kind>();
let isInBlocks = false;
const provider = await startScriptedProvider((request) => reply(request));
const workers = new Set<Miniflare>();
const vars = { WORKERS_AI_BASE_URL: `${provider.url}/v1` };
// Starting a Worker takes longer than a conversation, so tests share them.
const folder = folders.newPath();
let ordinary = start(folder);
const short = start(folders.newPath(), {
  MAX_CHAT_HISTORY: "4",
  ANTHROPIC_API_KEY: "key",
  ANTHROPIC_BASE_URL: `${provider.url}/v1`,
});

afterAll(async () => {
  for (const worker of workers) await worker.dispose();
  await provider.close();
  folders.remove();
});

function reply({ body, wire }: RecordedRequest): ScriptedReply {
  // The request for a summary has other instructions than one for an answer.
  const kind: Kind = JSON.stringify(body).includes("main topics") ? "summary" : "answer";
  if (down.has(kind)) return replies.unauthorised();
  if (kind === "answer") return replies.text("Indeed.");
  return wire === "anthropic" && isInBlocks ? TWO_BLOCKS : replies.text("They spoke of ports.");
}

function start(folder: string, more: Readonly<Record<string, string>> = {}): Miniflare {
  const worker = startWorker({ code, folder, vars: { ...vars, ...more } });
  workers.add(worker);
  return worker;
}

/** One conversation with a Worker. */
function chatWith(worker: Miniflare, id: string) {
  const address = `http://worker/conversations/${encodeURIComponent(id)}`;
  const say = async (content: string, messageId?: string) => {
    const body = JSON.stringify({ content, id: messageId });
    const answer = await worker.dispatchFetch(`${address}/messages`, { method: "POST", body });
    return { status: answer.status, body: await answer.json() };
  };
  return {
    say,
    sayMany: async (first: number, last: number) => {
      for (let number = first; number <= last; number += 1) {
        expect(await say(`Question ${number}.`, `q${number}`)).toMatchObject({ status: 200 });
      }
    },
    window: async () => (await (await worker.dispatchFetch(address)).json()) as readonly Row[],
  };
}

const saidIn = (rows: readonly Row[]) => rows.map(({ content }) => content);
const typesIn = (rows: readonly Row[]) => rows.map(({ message_type }) => message_type);

describe("the bundle", () => {
  test("does not import Node's SQLite, and is smaller than Cloudflare's limit for free Workers", () => {
    expect(code).not.toMatch(/(?:from|import)\s*\(?\s*["']node:sqlite["']/);
    expect(gzipSync(code).length).toBeLessThan(3_000_000);
  });
});

describe("the deployment", () => {
  test(shows("S1-8", "has its variables in wrangler.jsonc, and every variable of the Worker in the README"), () => {
    expect(configuration.vars).toMatchObject({ MAX_CHAT_HISTORY: "12", CHAT_TOKEN_THRESHOLD: "6000" });
    const readme = readFileSync(join(workerFolder, "README.md"), "utf8");
    const source = readFileSync(join(workerFolder, configuration.main), "utf8");
    const variables = [...source.matchAll(/^ {2}readonly ([A-Z_]+)\??:/gm)].map(([, name]) => name ?? "");
    expect(variables.length).toBeGreaterThan(5);
    for (const name of [...variables, ...Object.keys(configuration.vars)]) expect(readme).toContain(`\`${name}\``);
  });
});

describe("a conversation", () => {
  test("is answered, kept across a restart, and folded into one summary row and the window", async () => {
    const before = chatWith(ordinary, "c 1");
    await before.sayMany(1, 4);
    const rows = await before.window();
    expect(saidIn(rows).slice(0, 2)).toEqual(["Question 1.", "Indeed."]);
    workers.delete(ordinary);
    await ordinary.dispose();
    ordinary = start(folder);
    const chat = chatWith(ordinary, "c 1");
    expect(await chat.window()).toEqual(rows);
    await chat.sayMany(5, 6);
    expect(typesIn(await chat.window())).toEqual(Array(12).fill("message"));
    expect(await chat.say("Question 7.", "q7")).toMatchObject({ status: 200, body: { summarised: true } });
    const [summary, ...window] = await chat.window();
    expect(summary).toMatchObject({ role: "system", message_type: "summary", sources: null });
    expect(summary?.content).toContain("They spoke of ports.");
    // Twelve messages with the newest question, and then its answer.
    expect(typesIn(window)).toEqual(Array(13).fill("message"));
    expect(saidIn(window)).not.toContain("Question 1.");
    expect(saidIn(window).slice(-2)).toEqual(["Question 7.", "Indeed."]);
  });

  test("has a window of the length that its variables set", async () => {
    const chat = chatWith(short, "variables");
    await chat.sayMany(1, 4);
    expect(typesIn(await chat.window())).toEqual(["summary", ...Array(5).fill("message")]);
  });

  test("includes rows that its application wrote into the table", async () => {
    const chat = chatWith(short, "old");
    // The first request creates the table.
    await chat.window();
    const database = await short.getD1Database("DATABASE");
    const columns = "id, conversation_id, role, content, created_at";
    await database.exec(`INSERT INTO messages (${columns}) VALUES ('a', 'old', 'user', 'My name is Ana.', 1700000000)`);
    expect(await chat.say("What is my name?")).toMatchObject({ status: 200 });
    // Anthropic answers, because its key is set.
    expect(provider.requests.at(-1)).toMatchObject({ wire: "anthropic" });
    expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain("My name is Ana.");
    expect(saidIn(await chat.window())).toEqual(["My name is Ana.", "What is my name?", "Indeed."]);
  });
});

describe("a summary", () => {
  const askedForSummary = () =>
    provider.requests.findLast(({ body }) => JSON.stringify(body).includes("main topics")) ?? expect.fail();

  test(
    shows(
      "S1-22",
      "is requested from Anthropic if its key is set, with a system parameter, and the answer's blocks become lines",
    ),
    async () => {
      isInBlocks = true;
      const chat = chatWith(short, "with a key");
      await chat.sayMany(1, 3);
      isInBlocks = false;
      const { wire, body } = askedForSummary();
      expect({ wire, model: body.model }).toEqual({ wire: "anthropic", model: expect.stringContaining("sonnet") });
      expect(body.max_tokens).toBe(500);
      expect(JSON.stringify(body.system)).toContain("main topics");
      expect(JSON.stringify(body.messages)).not.toContain("main topics");
      const [row] = await chat.window();
      expect(row?.content).toContain("They spoke of ports.\nThey agreed.");
    },
  );

  test(shows("S1-23", "is requested from Workers AI without an Anthropic key, with a system message"), async () => {
    const chat = chatWith(ordinary, "without a key");
    await chat.sayMany(1, 7);
    const { wire, body } = askedForSummary();
    expect({ wire, model: body.model }).toEqual({ wire: "openai-chat", model: "@cf/meta/llama-3.1-8b-instruct" });
    const [first] = Array.isArray(body.messages) ? body.messages : [];
    expect(first).toMatchObject({ role: "system", content: expect.stringContaining("main topics") });
  });
});

describe("a failure", () => {
  test("of the model keeps the message, and the same message sent again is answered", async () => {
    const chat = chatWith(ordinary, "down");
    down.add("answer");
    expect(await chat.say("Question 1.", "q1")).toMatchObject({ status: 502 });
    down.clear();
    expect(saidIn(await chat.window())).toEqual(["Question 1."]);
    expect(await chat.say("Question 1.", "q1")).toMatchObject({ status: 200, body: { answer: "Indeed." } });
    expect(saidIn(await chat.window())).toEqual(["Question 1.", "Indeed."]);
  });

  test("of the summary keeps every row, and a later turn retries it", async () => {
    const chat = chatWith(short, "unsummarised");
    down.add("summary");
    await chat.sayMany(1, 4);
    down.clear();
    expect(typesIn(await chat.window())).toEqual(Array(8).fill("message"));
    expect(saidIn(await chat.window())[0]).toBe("Question 1.");
    await chat.sayMany(5, 5);
    expect(typesIn(await chat.window())).toEqual(["summary", ...Array(5).fill("message")]);
  });

  test(shows("S1-47", "of a second summary keeps all rows, and the answer is not marked as summarized"), async () => {
    const chat = chatWith(short, "failed fold");
    await chat.sayMany(1, 3);
    const before = await chat.window();
    expect(typesIn(before)).toEqual(["summary", ...Array(5).fill("message")]);
    down.add("summary");
    expect(await chat.say("Question 4.")).toEqual({ status: 200, body: { answer: "Indeed.", summarised: false } });
    down.clear();
    expect(await chat.window()).toEqual([...before, expect.anything(), expect.anything()]);
    expect(await chat.say("Question 5.")).toMatchObject({ status: 200, body: { summarised: true } });
  });

  test.each([
    ["an unknown address", "GET", "/", undefined, 404],
    ["another method", "DELETE", "/conversations/x", undefined, 405],
    ["no message", "POST", "/conversations/x/messages", "{}", 400],
    ["invalid JSON", "POST", "/conversations/x/messages", "hello", 400],
  ])("caused by the caller is reported: %s", async (_, method, path, body, status) => {
    const answer = await ordinary.dispatchFetch(`http://worker${path}`, {
      method,
      ...(body !== undefined && { body }),
    });
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ error: expect.any(String) });
  });
});
