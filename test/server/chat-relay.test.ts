/** Turns that one server runs, read by clients of another one on the same PostgreSQL database. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { tool, type UIMessageChunk } from "ai";
import { afterAll, expect, test } from "vitest";
import { z } from "zod";
import { hashToken, newToken } from "../../src/server/access/tokens.ts";
import { describePostgres } from "../support/describe-postgres.ts";
import { createOwnedDatabase } from "../support/own-database.ts";
import { type ProviderScript, startScriptedProvider } from "../support/scripted-provider.ts";
import { scriptedReplies } from "../support/scripted-provider-reply.ts";
import { ChatClient, joinDeltas, logOf, modelAt, type ReadReply, until } from "../support/start-chat.ts";
import { startTestServer } from "../support/start-server.ts";

const { text, slow, held, hang, toolCall } = scriptedReplies;
const LONG = "Every word of this reply takes its time to arrive. ".repeat(3).trim();
const isText = ({ type }: UIMessageChunk) => type === "text-delta";

/** Starts to read a turn that another client has started. */
async function beginResuming(client: ChatClient) {
  const stream = await client.resume();
  if (stream === null) throw new Error("There is no stream to resume.");
  return beginReading(client, stream);
}

/** Resolves when a part of a stream has arrived, and returns all of it when it has ended. */
async function beginReading(
  client: ChatClient,
  stream: ReadableStream<UIMessageChunk>,
): Promise<{ readonly reading: Promise<ReadReply> }> {
  const { promise: hasBegun, resolve } = Promise.withResolvers<void>();
  const leaveAfter = (chunk: UIMessageChunk) => {
    if (isText(chunk)) resolve();
    return false;
  };
  const reading = client.take(stream, { leaveAfter });
  await Promise.race([hasBegun, reading]);
  return { reading };
}

const say = (content: string) => ({ id: "chat", message: { id: content, role: "user", content } });

await describePostgres("two servers on one database", (postgres) => {
  afterAll(() => postgres.close());

  async function startTwo(script: ProviderScript, options: Parameters<typeof startTestServer>[0] = {}) {
    const store = options.store ?? (await postgres.newDatabase());
    const provider = await startScriptedProvider(script);
    const models = [modelAt(provider.url)];
    const [one, other] = [
      await startTestServer({ ...options, store, models }),
      await startTestServer({ ...options, store, models }),
    ];
    return {
      store,
      provider,
      one,
      other,
      here: new ChatClient(one.url, "chat"),
      there: new ChatClient(other.url, "chat"),
      async [Symbol.asyncDispose]() {
        await Promise.all([one[Symbol.asyncDispose](), other[Symbol.asyncDispose]()]);
        await provider.close();
      },
    };
  }

  test("any number of clients can resume a running turn through the other server, with the same chunks", async () => {
    const { promise: rest, resolve: goOn } = Promise.withResolvers<void>();
    await using two = await startTwo([held(LONG, rest)]);
    const { reading } = await beginReading(two.here, await two.here.send("Tell me all."));
    const copies = await Promise.all([beginResuming(two.there), beginResuming(new ChatClient(two.other.url, "chat"))]);
    goOn();
    const [own, first, second] = await Promise.all([reading, copies[0].reading, copies[1].reading]);
    expect(own.text).toBe(LONG);
    expect(joinDeltas(first.chunks)).toEqual(joinDeltas(own.chunks));
    expect(joinDeltas(second.chunks)).toEqual(joinDeltas(own.chunks));
    expect(first.chunks.filter(isText).length).toBeGreaterThan(1);
    expect(await two.there.resume()).toBeNull();
    expect((await two.other.ask("GET", "/api/chat/nobody/stream")).status).toBe(204);
  });

  test("a turn can be canceled through the other server, which answers once the partial reply is stored", async () => {
    await using two = await startTwo([held(LONG, new Promise(() => undefined)), text("As you like.")]);
    const { reading } = await beginReading(two.here, await two.here.send("Tell me all."));
    expect((await two.other.ask("DELETE", "/api/chat/chat/stream")).body).toEqual({ cancelled: true });
    expect((await logOf(two.other))[1]).toMatch(/^assistant: Every.*\[stopped\]$/);
    expect((await two.other.ask("DELETE", "/api/chat/chat/stream")).body).toEqual({ cancelled: false });
    expect((await reading).chunks.at(-1)).toMatchObject({ type: "abort" });
    expect((await two.other.ask("POST", "/api/chat", say("Enough."))).body).toContain("As you like.");
  });

  test("a second turn is refused by the other server until the first has ended", async () => {
    const { promise: rest, resolve: goOn } = Promise.withResolvers<void>();
    await using two = await startTwo([held(LONG, rest), text("Now.")]);
    const { reading } = await beginReading(two.here, await two.here.send("Tell me all."));
    const refused = await two.other.ask("POST", "/api/chat", say("And this?"));
    expect(refused).toMatchObject({ status: 409, body: { error: { code: "stream-active", retryable: true } } });
    expect(await logOf(two.other)).toEqual(["user: Tell me all."]);
    goOn();
    await reading;
    // A client that has seen the end is not refused.
    expect((await two.other.ask("POST", "/api/chat", say("And this?"))).body).toContain("Now.");
  });

  test("one of two turns that start at the same instant is refused", async () => {
    await using two = await startTwo(() => hang());
    for (let index = 0; index < 8; index += 1) {
      const id = `chat-${index}`;
      const begin = ({ url }: typeof two.one, name: string) =>
        fetch(`${url}/api/chat`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ id, message: { id: name, role: "user", content: name } }),
        });
      const answers = await Promise.all([begin(two.one, "one"), begin(two.other, "other")]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
      const [winner, loser] = answers[0]?.ok ? (["one", two.other] as const) : (["other", two.one] as const);
      expect((await loser.ask("DELETE", `/api/chat/${id}/stream`)).body).toEqual({ cancelled: true });
      expect(await logOf(loser, id)).toEqual([`user: ${winner}`]);
      await Promise.all(answers.map((answer) => answer.text()));
    }
  });

  test("a turn whose server is killed ends with an error message, and the next one can start on the other server", async () => {
    const store = await postgres.newDatabase();
    await using provider = await startScriptedProvider((_, index) => {
      if (index === 0) return toolCall("look", { at: "the shed" });
      return index === 1 ? held(LONG, new Promise(() => undefined)) : text("Upstairs.");
    });
    const program = fileURLToPath(new URL("../support/chat-process.ts", import.meta.url));
    const child = spawn(process.execPath, [program, store, provider.url], { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = await once(child.stdout, "data");
    await using other = await startTestServer({ store, models: [modelAt(provider.url)] });
    const here = new ChatClient(String(line).trim(), "chat");
    const lost = here.say("Where is it?").catch(() => undefined);
    await until(() => provider.requests.length === 2);
    const there = new ChatClient(other.url, "chat");
    const { reading } = await beginResuming(there);
    child.kill("SIGKILL");
    const killedAt = performance.now();
    const { errors, text: words } = await reading;
    // This takes three seconds; a busy machine may need longer, and a client waits for minutes.
    expect(performance.now() - killedAt).toBeLessThan(60_000);
    expect(errors).toEqual([expect.stringContaining("runs this reply does not answer")]);
    expect(LONG).toContain(words);
    await lost;
    expect(await there.resume()).toBeNull();
    const known = [
      "user: Where is it?",
      "assistant: calls look",
      'tool: answers {"type":"text","text":"Nothing at the shed."}',
    ];
    expect(await logOf(other)).toEqual(known);
    expect((await other.ask("POST", "/api/chat", say("Well?"))).body).toContain("Upstairs.");
    expect(await logOf(other)).toEqual([...known, "user: Well?", "assistant: Upstairs."]);
  });

  test("a tenant's turn is invisible to another tenant with the same ids on the other server", async () => {
    const owners = { anna: newToken(), boris: newToken() };
    const tokens = Object.entries(owners).map(([tenantId, token]) => ({
      id: tenantId,
      tenantId,
      hash: hashToken(token),
    }));
    const { promise: rest, resolve: goOn } = Promise.withResolvers<void>();
    await using two = await startTwo((_, index) => (index === 0 ? held(LONG, rest) : text("For Boris.")), {
      store: await createOwnedDatabase(postgres),
      tokens,
    });
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
    const anna = new ChatClient(two.one.url, "chat", bearer(owners.anna));
    const { reading } = await beginReading(anna, await anna.send("A secret."));
    const asBoris = (method: string, body?: unknown) =>
      two.other.ask(method, body === undefined ? "/api/chat/chat/stream" : "/api/chat", body, bearer(owners.boris));
    expect((await asBoris("GET")).status).toBe(204);
    expect((await asBoris("DELETE")).body).toEqual({ cancelled: false });
    expect((await asBoris("POST", say("Hello."))).body).toContain("For Boris.");
    const { reading: copying } = await beginResuming(new ChatClient(two.other.url, "chat", bearer(owners.anna)));
    goOn();
    const hers = await copying;
    expect([hers.text, (await reading).text]).toEqual([LONG, LONG]);
  });

  test("a long reply arrives complete, with every character", async () => {
    const long = 'Ein langer Satz, "in Zeichen", mit 🧵, 漢字 und \\ darin.\n'.repeat(5_000);
    const look = tool({ inputSchema: z.object({ at: z.string() }), execute: async () => long });
    const { promise: rest, resolve: goOn } = Promise.withResolvers<void>();
    const script = [toolCall("look", { at: "everything" }), held(LONG, rest)];
    await using two = await startTwo(script, { tools: { look } });
    const { reading } = await beginReading(two.here, await two.here.send("Show me all."));
    const { reading: copying } = await beginResuming(two.there);
    goOn();
    const copied = await copying;
    expect(joinDeltas(copied.chunks)).toEqual(joinDeltas((await reading).chunks));
    expect(copied.chunks).toContainEqual(expect.objectContaining({ type: "tool-output-available", output: long }));
  });

  test("a third of a megabyte of streamed text arrives complete", async () => {
    const long = "Words that follow each other, fast and without an end. ".repeat(6_000);
    const { promise: rest, resolve: goOn } = Promise.withResolvers<void>();
    await using two = await startTwo([held(long, rest)]);
    const { reading } = await beginReading(two.here, await two.here.send("Tell me all."));
    const { reading: copying } = await beginResuming(two.there);
    goOn();
    const copied = await copying;
    expect(copied.text === long).toBe(true);
    expect((await reading).text === long).toBe(true);
  });

  test("chunks that were missed during a lost connection arrive later, each once", async () => {
    await using two = await startTwo([slow(LONG, 1)]);
    const { reading } = await beginReading(two.here, await two.here.send("Tell me all."));
    const { reading: copying } = await beginResuming(two.there);
    const cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'palimpsest-relay'";
    for (let count = 0; count < 3; count += 1) {
      await postgres.run(`${cut} AND datname = '${new URL(two.store).pathname.slice(1)}'`);
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    const [own, copied] = await Promise.all([reading, copying]);
    expect(joinDeltas(copied.chunks)).toEqual(joinDeltas(own.chunks));
    expect(own.text).toBe(LONG);
    // After the turn, no server reports a stream.
    expect((await two.other.ask("GET", "/api/chat/chat/stream")).status).toBe(204);
  });

  test("a turn without output for several seconds can still be followed on the other server", async () => {
    await using two = await startTwo([hang(), text("Unasked.")]);
    const reading = two.here.take(await two.here.send("Hello?"));
    await until(() => two.provider.requests.length === 1);
    const stream = await two.there.resume();
    const copying = two.there.take(stream ?? new ReadableStream());
    await new Promise((resolve) => setTimeout(resolve, 3_500));
    expect((await two.other.ask("DELETE", "/api/chat/chat/stream")).body).toEqual({ cancelled: true });
    const [own, copied] = await Promise.all([reading, copying]);
    expect(copied.chunks.at(-1)).toMatchObject({ type: "abort", reason: "cancelled" });
    expect(joinDeltas(copied.chunks)).toEqual(joinDeltas(own.chunks));
  });

  test("a server that shuts down closes its clients' streams, and a turn that runs on the other server continues", async () => {
    const { promise: rest, resolve: goOn } = Promise.withResolvers<void>();
    await using two = await startTwo([held(LONG, rest)]);
    const { reading } = await beginReading(two.here, await two.here.send("Tell me all."));
    const { reading: copying } = await beginResuming(two.there);
    await two.other.server.close({ withinMs: 200 });
    expect((await copying).errors).toEqual([expect.stringContaining("continues on another server")]);
    goOn();
    expect((await reading).text).toBe(LONG);
  });
});
