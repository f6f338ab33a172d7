/** Server-sent events over real sockets: their contents, where a client continues, and when it is disconnected. */
import { describe, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../support/start-server.ts";

interface ReceivedEvent {
  readonly id: string;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of an event.
  readonly data: any;
}

/** A client that reads while a test waits for an event. */
class EventClient {
  readonly received: ReceivedEvent[] = [];
  comments = 0;
  isOver = false;
  readonly response: Response;
  readonly #ending: AbortController;

  private constructor(response: Response, ending: AbortController) {
    this.response = response;
    this.#ending = ending;
    void this.#read().catch(() => undefined);
  }

  static async begin(server: TestServer, path = "/api/events", lastId?: string): Promise<EventClient> {
    const ending = new AbortController();
    const headers: Record<string, string> = lastId === undefined ? {} : { "last-event-id": lastId };
    return new EventClient(await fetch(`${server.url}${path}`, { headers, signal: ending.signal }), ending);
  }

  named(name: string): readonly ReceivedEvent[] {
    return this.received.filter(({ event }) => event === name);
  }

  end(): void {
    this.#ending.abort();
  }

  async #read(): Promise<void> {
    let rest = "";
    for await (const chunk of this.response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const blocks = `${rest}${chunk}`.split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) this.#take(block);
    }
    this.isOver = true;
  }

  #take(block: string): void {
    const fields = new Map(
      block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
    );
    const [id, event, data] = ["id", "event", "data"].map((name) => fields.get(name));
    if (id === undefined || event === undefined || data === undefined) this.comments += 1;
    else this.received.push({ id, event, data: JSON.parse(data) });
  }
}

async function talk(server: TestServer, id: string, text: string): Promise<void> {
  await server.ask("POST", "/api/sessions", { id });
  await server.ask("POST", `/api/sessions/${id}/messages`, { messages: { role: "user", content: text } });
}

describe("events", () => {
  test("report appends and compactions, and never message texts", async () => {
    await using server = await startTestServer({ engine: { budgetTokens: 2_000 } });
    const listening = await EventClient.begin(server);
    expect(listening.response.headers.get("content-type")).toContain("text/event-stream");
    await talk(server, "s", "The password of the kiln is swordfish. ".repeat(400));
    const messages = Array.from({ length: 30 }, (_, index) => ({
      role: index % 2 ? "assistant" : "user",
      content: "So it goes on and on. ".repeat(30),
    }));
    await server.ask("POST", "/api/sessions/s/messages", { messages });
    await server.ask("POST", "/api/sessions/s/prompts", {});
    await expect.poll(() => listening.named("compaction").length).toBeGreaterThan(0);
    expect(listening.named("append")[0]?.data).toMatchObject({ sessionId: "s" });
    expect(listening.named("compaction")[0]?.data.summary.id).toEqual(expect.any(String));
    expect(JSON.stringify(listening.received)).not.toContain("swordfish");
    listening.end();
  });

  test("report each deleted session once, and no other session as deleted", async () => {
    await using server = await startTestServer();
    await talk(server, "s", "One.");
    const fork = (await server.ask("POST", "/api/sessions/s/forks", {})).body.id;
    const listening = await EventClient.begin(server);
    await expect.poll(() => listening.comments).toBe(1);
    expect((await server.ask("DELETE", "/api/sessions/s")).body.type).toBe("has-forks");
    await server.ask("DELETE", "/api/sessions/s?forks=true");
    await talk(server, "after", "Two.");
    await expect.poll(() => listening.named("append").length).toBe(1);
    expect(listening.named("session-deleted").map(({ data }) => data)).toEqual([
      { sessionId: fork },
      { sessionId: "s" },
    ]);
    listening.end();
  });

  test("continue after the last event that a client received, each once", async () => {
    await using server = await startTestServer();
    const first = await EventClient.begin(server);
    await talk(server, "a", "One.");
    await expect.poll(() => first.named("append").length).toBe(1);
    first.end();
    const lastId = first.received.at(-1)?.id;
    await talk(server, "b", "Two.");
    await talk(server, "c", "Three.");
    const second = await EventClient.begin(server, "/api/events", lastId);
    await talk(server, "d", "Four.");
    await expect.poll(() => second.named("append").length).toBe(3);
    expect(second.named("append").map(({ data }) => data.sessionId)).toEqual(["b", "c", "d"]);
    expect(second.named("missed")).toEqual([]);
    second.end();
  });

  test("report a gap to a client whose last event id is from another run", async () => {
    await using server = await startTestServer();
    for (const lastId of ["0123456789ab-3", "nonsense", "-1"]) {
      const listening = await EventClient.begin(server, "/api/events", lastId);
      await expect.poll(() => listening.named("missed").length).toBe(1);
      listening.end();
    }
  });

  test("of one session include no events of other sessions", async () => {
    await using server = await startTestServer();
    await talk(server, "a", "One.");
    const listening = await EventClient.begin(server, "/api/events?sessionId=a");
    await talk(server, "b", "Two.");
    await server.ask("POST", "/api/sessions/a/messages", { messages: { role: "user", content: "Three." } });
    await expect.poll(() => listening.named("append").length).toBe(1);
    expect(listening.received.filter(({ data }) => data.sessionId !== "a")).toEqual([]);
    expect(await server.ask("GET", "/api/events?sessionId=nobody")).toMatchObject({ status: 404 });
    listening.end();
  });

  test("are preceded by heartbeats while nothing happens, and end when the server closes", async () => {
    const server = await startTestServer({ heartbeatMs: 20 });
    const listening = await EventClient.begin(server);
    await expect.poll(() => listening.comments).toBeGreaterThan(3);
    await server.server.close();
    await expect.poll(() => listening.isOver).toBe(true);
  });

  test("leave no open streams after clients disconnect", async () => {
    await using server = await startTestServer();
    const metric = async () =>
      /active_streams\{kind="events"\} (\d+)/.exec((await server.ask("GET", "/metrics")).body)?.[1];
    const all = await Promise.all(Array.from({ length: 20 }, () => EventClient.begin(server)));
    await fetch(`${server.url}/api/events`, { method: "HEAD" });
    expect(await metric()).toBe("20");
    for (const listening of all) listening.end();
    await expect.poll(metric).toBe("0");
  });
});
