import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { createAccess } from "../../src/server/access/access.ts";
import { createRateLimit } from "../../src/server/access/rate-limit.ts";
import { createApp } from "../../src/server/app/create-app.ts";
import { listen, SOCKET_LIMITS } from "../../src/server/app/listen.ts";
import { BODY_LIMITS, readBytes, readJson } from "../../src/server/http/read-body.ts";
import { sendRaw } from "../support/send-raw.ts";
import { startTestServer } from "../support/start-server.ts";

const post = (body: string | ReadableStream) =>
  new Request("http://localhost/", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
    duplex: "half",
  } as RequestInit);

describe("the rate limit", () => {
  test("is limited for each caller, and comes back with time", () => {
    let now = 0;
    const admit = createRateLimit({ perSecond: 2, burst: 3 }, () => now);
    const asks = (caller: string) => {
      try {
        admit(caller);
        return true;
      } catch {
        return false;
      }
    };
    expect([1, 2, 3, 4].map(() => asks("a"))).toEqual([true, true, true, false]);
    expect(asks("b")).toBe(true);
    now += 500;
    expect([asks("a"), asks("a")]).toEqual([true, false]);
    now += 60_000;
    expect([1, 2, 3, 4].map(() => asks("a"))).toEqual([true, true, true, false]);
  });

  test("answers with the time to wait", async () => {
    await using server = await startTestServer({ rate: { perSecond: 0.01, burst: 2 } });
    const answers = [1, 2, 3].map(() => server.ask("GET", "/api/sessions"));
    const refused = (await Promise.all(answers)).find(({ status }) => status === 429);
    expect(refused?.body.error).toMatchObject({ code: "too-many-requests", retryable: true });
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(50);
  });

  test("is generous on this machine", async () => {
    await using server = await startTestServer();
    const answers = await Promise.all(Array.from({ length: 500 }, () => server.ask("GET", "/api/sessions")));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });
});

describe("a body", () => {
  test("B4: of too many values is refused before it has come", async () => {
    await using server = await startTestServer();
    const { port } = server.server;
    const head = `POST /api/sessions HTTP/1.1\r\nhost: localhost:${port}\r\ncontent-type: application/json\r\ncontent-length: 3999999\r\n\r\n`;
    const answer = await sendRaw(port, [head, `[${"[],".repeat(300_000)}`]);
    expect(answer.status).toBe(413);
  });

  test("B4: is looked at across its pieces", async () => {
    const text = JSON.stringify({ a: ['\\"[[[[', { "b:c": [1, 2.5, -3e2] }], d: "ä".repeat(20) });
    const bytes = new TextEncoder().encode(text);
    for (const size of [1, 2, 7]) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      const value = await readJson(post(ReadableStream.from(pieces) as never), {
        ...BODY_LIMITS,
        depth: 4,
        values: 20,
      });
      expect(value).toEqual(JSON.parse(text));
    }
  });

  test.each([
    [`{"a":1,"a":1}`, /duplicate field/],
    [`{"a":{"b":[{"c":1,"c":2}]}}`, /duplicate field/],
    [`{"a":9007199254740992}`, /number above 2\^53/],
    [`{"a":-12345678901234567890}`, /number above 2\^53/],
    [`{"a":1e309}`, /number above 2\^53/],
    [`{"__proto__":1}`, /__proto__/],
    [`{"a":[[[[1]]]]}`, /deeper than 4/],
  ])("B4: %s is refused", async (text, reason) => {
    await expect(readJson(post(text), { ...BODY_LIMITS, depth: 4 })).rejects.toThrow(reason);
  });

  test.each([
    '{"a":9007199254740991,"b":-9007199254740991,"c":0.1234567890123456789,"d":1e300}',
    '{"hasOwnProperty":1}',
  ])("B4: %s is kept", async (text) => {
    expect(await readJson(post(text), BODY_LIMITS)).toEqual(JSON.parse(text));
  });

  test("B5: is timed by how long its sender takes, not by how long the server takes", async () => {
    const limits = { bytes: 100, patienceMs: 200, slowestBytesPerSecond: 1 };
    const never = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(0)) });
    await expect(readBytes(post(never), limits)).rejects.toThrow(/too slowly/);
    const pieces = ReadableStream.from([new Uint8Array(3), new Uint8Array(4)]);
    const busy = (ms: number) => {
      for (const until = performance.now() + ms; performance.now() < until; );
    };
    expect((await readBytes(post(pieces as never), limits, () => busy(300))).length).toBe(7);
  });
});

describe("connections", () => {
  test("without a request are kept for a while, and then closed", async () => {
    await using server = await startTestServer({ limits: { socket: { ...SOCKET_LIMITS, idleMs: 200 } } });
    const { port } = server.server;
    const socket = connect(port, "127.0.0.1");
    const closed = new Promise((resolve) => socket.once("close", () => resolve("closed")));
    socket.resume();
    socket.write(`GET /api/sessions HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`);
    expect(await closed).toBe("closed");
  });

  test("that read nothing are closed, and those that wait for events are not", async () => {
    const ending = new AbortController();
    let hasBegun = false;
    const app = createApp({
      handlers: {},
      access: createAccess({ origins: { hosts: ["127.0.0.1"], origins: [] }, tokens: undefined }),
      findTenant: () => Promise.reject(new Error("nobody is asked for")),
      log: { answered: () => undefined, audit: () => undefined, failed: () => undefined },
      mount: (routes) => {
        const endless = () => new ReadableStream({ pull: (it) => it.enqueue(new Uint8Array(65_536)) });
        const silent = () =>
          new ReadableStream({
            start(it) {
              it.enqueue(new TextEncoder().encode("begun"));
              ending.signal.addEventListener("abort", () => it.close());
            },
          });
        routes.get("/endless", () => {
          hasBegun = true;
          return new Response(endless());
        });
        routes.get("/silent", () => new Response(silent()));
      },
    });
    const limits = { ...SOCKET_LIMITS, stuckMs: 300 };
    const listening = await listen({ app, host: "127.0.0.1", port: 0, limits });
    const waiting = await fetch(`http://127.0.0.1:${listening.port}/silent`);
    const deaf = connect(listening.port, "127.0.0.1");
    deaf.on("error", () => undefined);
    deaf.pause();
    deaf.write(`GET /endless HTTP/1.1\r\nhost: 127.0.0.1:${listening.port}\r\n\r\n`);
    await expect.poll(() => hasBegun).toBe(true);
    await expect.poll(() => listening.openRequests()).toBe(1);
    ending.abort();
    expect(await waiting.text()).toBe("begun");
    await listening.close();
    deaf.destroy();
  });

  test("are limited to the configured number, and one more is closed", async () => {
    await using server = await startTestServer({ limits: { socket: { ...SOCKET_LIMITS, connections: 2 } } });
    const { port } = server.server;
    const half = `GET /api/sessions HTTP/1.1\r\nhost: localhost:${port}\r\n`;
    const held = [1, 2].map(() => sendRaw(port, [half, "\r\n"], { pauseMs: 1_500 }));
    await expect.poll(async () => (await sendRaw(port, [`${half}\r\n`])).status).toBe(0);
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200]);
    await expect.poll(async () => (await sendRaw(port, [`${half}\r\n`])).status).toBe(200);
  });
});
