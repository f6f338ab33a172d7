import { connect } from "node:net";
import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { createAccess } from "../../src/server/access/access.ts";
import { createApp } from "../../src/server/app/create-app.ts";
import { listen } from "../../src/server/app/listen.ts";
import { createShutdown } from "../../src/server/operations/shutdown.ts";
import { temporaryFolder } from "../stores/temporary-folder.ts";
import { startTestServer } from "../support/start-server.ts";

const silent = { answered: () => undefined, audit: () => undefined, failed: () => undefined };

/** A raw connection on which a test can start and finish requests at any time. */
async function openLine(port: number) {
  const socket = connect(port, "127.0.0.1");
  let output = "";
  socket.on("data", (chunk) => {
    output += chunk;
  });
  socket.on("error", () => undefined);
  await new Promise((resolve) => socket.once("connect", resolve));
  return { say: (text: string) => void socket.write(text), readOutput: () => output, end: () => socket.destroy() };
}

describe("a server that shuts down", () => {
  test("answers requests that have started, refuses new ones, and keeps what it acknowledged", async () => {
    const folder = temporaryFolder();
    const store = `sqlite:${folder.newPath()}`;
    const { server, ask } = await startTestServer({ store });
    await ask("POST", "/api/sessions", { id: "s" });
    const body = JSON.stringify({ messages: [{ id: "m", role: "user", content: "Half before, half after." }] });
    const host = `host: 127.0.0.1:${server.port}`;
    const [begun, waiting] = [await openLine(server.port), await openLine(server.port)];
    begun.say(`POST /api/sessions/s/messages HTTP/1.1\r\n${host}\r\ncontent-type: application/json\r\n`);
    begun.say(`content-length: ${body.length}\r\n\r\n${body.slice(0, 20)}`);
    // The server has seen the request once it has answered another one on a later connection.
    await ask("GET", "/api/sessions/s");
    const ended = server.close({ withinMs: 20_000 });
    waiting.say(`GET /api/sessions HTTP/1.1\r\n${host}\r\n\r\n`);
    await expect.poll(waiting.readOutput).toMatch(/^HTTP\/1.1 503.*connection: close.*retry-after: 1/is);
    const late = await ask("GET", "/api/sessions/s");
    expect([late.status, late.body.error.code, late.headers.get("retry-after")]).toEqual([503, "stopping", "1"]);
    begun.say(body.slice(20));
    await expect.poll(begun.readOutput).toMatch(/^HTTP\/1.1 200/);
    await ended;
    await expect(ask("GET", "/api/sessions")).rejects.toThrow();
    await using again = await startTestServer({ store });
    expect((await again.ask("GET", "/api/sessions/s/messages/m")).status).toBe(200);
    for (const line of [begun, waiting]) line.end();
    folder.remove();
  });

  test("finishes the requests of a client that has disconnected", async () => {
    let [isDone, finish]: [boolean, () => void] = [false, () => undefined];
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const app = {
      fetch: async () => {
        await held;
        isDone = true;
        return new Response("done");
      },
      isTooLarge: () => false,
    };
    const listening = await listen({ app, host: "127.0.0.1", port: 0 });
    const line = await openLine(listening.port);
    line.say(`GET / HTTP/1.1\r\nhost: 127.0.0.1:${listening.port}\r\n\r\n`);
    await expect.poll(() => listening.openRequests()).toBe(1);
    line.end();
    await expect.poll(() => listening.openRequests()).toBe(0);
    expect(await listening.drain(50)).toBe(false);
    const drained = listening.drain(20_000);
    finish();
    expect(await drained).toBe(true);
    expect(isDone).toBe(true);
    await listening.close();
  });

  test("can be closed repeatedly, even at the same time", async () => {
    const { server } = await startTestServer();
    await Promise.all([server.close(), server.close(), server.close({ withinMs: 1 })]);
    await server.close();
  });

  test("stops streams, cuts those that do not end, and closes every part although one fails to close", async () => {
    const stopping = new AbortController();
    const received: string[] = [];
    const app = createApp({
      handlers: {},
      access: createAccess({ origins: { hosts: ["127.0.0.1"], origins: [] }, tokens: undefined }),
      findTenant: () => Promise.reject(new Error("no tenant is looked up")),
      log: silent,
      mount: (routes) => {
        routes.get("/patient", () => {
          const stream = new ReadableStream<Uint8Array>({
            start(controller) {
              controller.enqueue(new TextEncoder().encode("begun"));
              stopping.signal.addEventListener("abort", () => {
                controller.enqueue(new TextEncoder().encode(" and kept"));
                controller.close();
              });
            },
          });
          return new Response(stream);
        });
        routes.get("/deaf", () => new Response(new ReadableStream({ start: (it) => it.enqueue(new Uint8Array(1)) })));
      },
    });
    const listening = await listen({ app, host: "127.0.0.1", port: 0 });
    const url = `http://127.0.0.1:${listening.port}`;
    const [patient, deaf] = await Promise.all([fetch(`${url}/patient`), fetch(`${url}/deaf`)]);
    const shutDown = createShutdown({
      stop: () => received.push("stop"),
      stopStreams: () => {
        received.push("stopStreams");
        stopping.abort();
      },
      drain: (withinMs) => listening.drain(withinMs),
      disconnect: () => listening.close(),
      close: [
        async () => {
          received.push("engines");
          throw new Error("an engine did not close");
        },
        async () => void received.push("store"),
      ],
    });
    const answer = patient.text();
    const cut = expect(deaf.text()).rejects.toThrow();
    await expect(shutDown(1_000)).rejects.toThrow("an engine did not close");
    await cut;
    expect(await answer).toBe("begun and kept");
    expect(received).toEqual(["stop", "stopStreams", "engines", "store"]);
  });

  test("does not wait for idle connections", async () => {
    const { server } = await startTestServer();
    const idle = await openLine(server.port);
    await setTimeout(20);
    const startedAt = performance.now();
    await server.close({ withinMs: 600_000 });
    expect(performance.now() - startedAt).toBeLessThan(300_000);
    idle.end();
  });
});
