import { connect, type Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { createAccess } from "../../src/server/access/access.ts";
import { createProxies, networkOf } from "../../src/server/access/client-address.ts";
import { createRateLimit } from "../../src/server/access/rate-limit.ts";
import { createApp } from "../../src/server/app/create-app.ts";
import { listen, SOCKET_LIMITS } from "../../src/server/app/listen.ts";
import { BODY_LIMITS, readBodyBytes, readJsonBody } from "../../src/server/http/read-body.ts";
import { sendRaw } from "../support/send-raw.ts";
import { startTestServer } from "../support/start-server.ts";

const post = (body: string | ReadableStream) =>
  new Request("http://localhost/", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
    duplex: "half",
  } as RequestInit);

const NO_SHARE = { add: () => undefined };

describe("the rate limit", () => {
  test("applies to each caller, and recovers with time", () => {
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

  test("includes the time to wait in its response", async () => {
    await using server = await startTestServer({ rate: { perSecond: 0.01, burst: 2 } });
    const answers = [1, 2, 3].map(() => server.ask("GET", "/api/sessions"));
    const refused = (await Promise.all(answers)).find(({ status }) => status === 429);
    expect(refused?.body.error).toMatchObject({ code: "too-many-requests", retryable: true });
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(50);
  });

  test("allows 500 concurrent requests on loopback", async () => {
    await using server = await startTestServer();
    const answers = await Promise.all(Array.from({ length: 500 }, () => server.ask("GET", "/api/sessions")));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });
});

describe("a body", () => {
  test("with too many values is refused before it has arrived", async () => {
    await using server = await startTestServer();
    const { port } = server.server;
    const head = `POST /api/sessions HTTP/1.1\r\nhost: localhost:${port}\r\ncontent-type: application/json\r\ncontent-length: 3999999\r\n\r\n`;
    const answer = await sendRaw(port, [head, `[${"[],".repeat(300_000)}`]);
    expect(answer.status).toBe(413);
  });

  test("is parsed to the same value for any size of its chunks", async () => {
    const text = JSON.stringify({ a: ['\\"[[[[', { "b:c": [1, 2.5, -3e2] }], d: "ä".repeat(20) });
    const bytes = new TextEncoder().encode(text);
    for (const size of [1, 2, 7]) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      const value = await readJsonBody(
        post(ReadableStream.from(pieces) as never),
        {
          ...BODY_LIMITS,
          depth: 4,
          values: 20,
        },
        NO_SHARE,
      );
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
  ])("the body %s is refused", async (text, reason) => {
    await expect(readJsonBody(post(text), { ...BODY_LIMITS, depth: 4 }, NO_SHARE)).rejects.toThrow(reason);
  });

  test.each([
    '{"a":9007199254740991,"b":-9007199254740991,"c":0.1234567890123456789,"d":1e300}',
    '{"hasOwnProperty":1}',
  ])("the body %s is accepted", async (text) => {
    expect(await readJsonBody(post(text), BODY_LIMITS, NO_SHARE)).toEqual(JSON.parse(text));
  });

  test("is refused if it arrives too slowly, and the server's own work does not count", async () => {
    const limits = { bytes: 100, maxWaitMs: 500, slowestBytesPerSecond: 1_000 };
    const never = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(0)) });
    await expect(readBodyBytes(post(never), limits, { share: NO_SHARE })).rejects.toThrow(/too slowly/);
    const pieces = ReadableStream.from([new Uint8Array(3), new Uint8Array(4)]);
    const block = () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
    const body = await readBodyBytes(post(pieces as never), limits, { share: NO_SHARE, onChunk: block });
    expect(body.length).toBe(7);
  });
});

describe("connections", () => {
  test("are closed after they were idle for a while", async () => {
    await using server = await startTestServer({ limits: { socket: { ...SOCKET_LIMITS, idleMs: 200 } } });
    const { port } = server.server;
    const socket = connect(port, "127.0.0.1");
    const closed = new Promise((resolve) => socket.once("close", () => resolve("closed")));
    socket.resume();
    socket.write(`GET /api/sessions HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`);
    expect(await closed).toBe("closed");
  });

  test("that read nothing are closed, but not those that wait for events", async () => {
    const ending = new AbortController();
    let hasBegun = false;
    const app = createApp({
      handlers: {},
      access: createAccess({ origins: { hosts: ["127.0.0.1"], origins: [] }, tokens: undefined }),
      findTenant: () => Promise.reject(new Error("no tenant is looked up")),
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

  test("that are silent are closed when a new connection needs their place", async () => {
    await using server = await startTestServer({ limits: { socket: { ...SOCKET_LIMITS, connections: 50 } } });
    const { port } = server.server;
    const silent = await Promise.all(Array.from({ length: 200 }, () => openConnection(port)));
    const request = `GET /api/sessions HTTP/1.1\r\nhost: localhost:${port}\r\n\r\n`;
    expect((await sendRaw(port, [request])).status).toBe(200);
    await expect.poll(() => silent.filter(({ destroyed }) => destroyed).length).toBeGreaterThanOrEqual(150);
    for (const socket of silent) socket.destroy();
  });

  test("that are silent are closed after the time limit for request headers", async () => {
    await using server = await startTestServer({ limits: { socket: { ...SOCKET_LIMITS, headMs: 300 } } });
    expect((await sendRaw(server.server.port, [])).status).toBe(408);
    const half = await sendRaw(server.server.port, ["GET /api/sessions HTTP/1.1\r\nhost: "]);
    expect(half.status).toBe(408);
  });

  test("that are busy are kept, and a connection above the limit is refused with a Retry-After header", async () => {
    await using server = await startTestServer({ limits: { socket: { ...SOCKET_LIMITS, connections: 2 } } });
    const { port } = server.server;
    const streams = await Promise.all([1, 2].map(() => openConnection(port)));
    for (const stream of streams) stream.write(`GET /api/events HTTP/1.1\r\nhost: localhost:${port}\r\n\r\n`);
    await Promise.all(streams.map((stream) => new Promise((resolve) => stream.once("data", resolve))));
    const refused = await sendRaw(port, []);
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("1");
    for (const stream of streams) stream.destroy();
    const request = `GET /api/sessions HTTP/1.1\r\nhost: localhost:${port}\r\n\r\n`;
    await expect.poll(async () => (await sendRaw(port, [request])).status).toBe(200);
  });

  test("that send a body slowly are closed when a new connection needs their place", async () => {
    await using server = await startTestServer({ limits: { socket: { ...SOCKET_LIMITS, connections: 2 } } });
    const { port } = server.server;
    const head = `POST /api/sessions HTTP/1.1\r\nhost: localhost:${port}\r\ncontent-type: application/json`;
    const slow = await Promise.all([1, 2].map(() => openConnection(port)));
    for (const socket of slow) socket.write(`${head}\r\nexpect: 100-continue\r\ncontent-length: 1000\r\n\r\n`);
    await Promise.all(slow.map((socket) => new Promise((resolve) => socket.once("data", resolve))));
    const request = `GET /api/sessions HTTP/1.1\r\nhost: localhost:${port}\r\n\r\n`;
    expect((await sendRaw(port, [request])).status).toBe(200);
    for (const socket of slow) socket.destroy();
  });

  test("that are refused as WebSockets do not count toward the limit, even if the client keeps its side open", async () => {
    await using server = await startTestServer({ limits: { socket: { ...SOCKET_LIMITS, connections: 1 } } });
    const { port } = server.server;
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    socket.on("error", () => undefined);
    const ended = new Promise((resolve) => socket.resume().once("end", resolve));
    const head = `GET /nothing HTTP/1.1\r\nhost: localhost:${port}\r\nconnection: upgrade\r\nupgrade: websocket`;
    socket.write(`${head}\r\n\r\n`);
    await ended;
    const request = `GET /api/sessions HTTP/1.1\r\nhost: localhost:${port}\r\n\r\n`;
    expect((await sendRaw(port, [request])).status).toBe(200);
    socket.destroy();
  });

  test("that are closed before their request is started leave no stream behind", async () => {
    await using server = await startTestServer();
    const { port } = server.server;
    const request = `GET /api/events HTTP/1.1\r\nhost: localhost:${port}\r\n\r\n`;
    const send = async () => {
      const socket = await openConnection(port);
      await new Promise((resolve) => socket.write(request, resolve));
      socket.destroy();
    };
    await Promise.all(Array.from({ length: 300 }, send));
    const countStreams = async () => {
      const { body } = await server.ask("GET", "/metrics");
      return Number(/active_streams\{kind="events"\} (\d+)/.exec(body)?.[1] ?? 0);
    };
    await expect.poll(countStreams).toBe(0);
  });

  test("that are refused cannot run a request", async () => {
    await using server = await startTestServer({ limits: { socket: { ...SOCKET_LIMITS, connections: 1 } } });
    const { port } = server.server;
    const stream = await openConnection(port);
    stream.write(`GET /api/events HTTP/1.1\r\nhost: localhost:${port}\r\n\r\n`);
    await new Promise((resolve) => stream.once("data", resolve));
    const head = `POST /api/sessions HTTP/1.1\r\nhost: localhost:${port}\r\ncontent-type: application/json`;
    const refused = await sendRaw(port, [`${head}\r\ncontent-length: 10\r\n\r\n{"id":"a"}`]);
    expect(refused.status).toBe(429);
    stream.destroy();
    await expect.poll(async () => (await fetch(`${server.url}/api/sessions`)).status).toBe(200);
    expect((await server.ask("GET", "/api/sessions")).body.sessions).toEqual([]);
  });

  test.skipIf(process.platform !== "linux")("of one address cannot lock out another one", async () => {
    await using server = await startTestServer({ limits: { socket: { ...SOCKET_LIMITS, connections: 40 } } });
    const { port } = server.server;
    const kept = await openConnection(port);
    const greedy = await Promise.all(Array.from({ length: 60 }, () => openConnection(port, "127.0.0.2")));
    for (const socket of greedy) socket.write(`GET /api/events HTTP/1.1\r\nhost: localhost:${port}\r\n\r\n`);
    const hasAnswer = (socket: Socket) => socket.destroyed || socket.bytesRead > 0;
    await expect.poll(() => greedy.every(hasAnswer)).toBe(true);
    const request = `GET /api/sessions HTTP/1.1\r\nhost: localhost:${port}\r\n\r\n`;
    expect((await sendRaw(port, [request])).status).toBe(200);
    const answer = new Promise((resolve) => {
      kept.once("data", (text) => resolve(String(text).slice(0, 12)));
      kept.once("close", () => resolve("closed"));
    });
    kept.write(request);
    expect(await answer).toBe("HTTP/1.1 200");
    for (const socket of [kept, ...greedy]) socket.destroy();
  });

  test("are limited for each address, and for each forwarded address behind a trusted proxy", async () => {
    const limits = { socket: { ...SOCKET_LIMITS, connectionsPerAddress: 2 } };
    const fill = async (port: number, forwarded: string) => {
      const sockets = await Promise.all([1, 2].map(() => openConnection(port)));
      const head = `GET /api/events HTTP/1.1\r\nhost: localhost:${port}\r\n${forwarded}\r\n`;
      for (const socket of sockets) socket.write(head);
      await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once("data", resolve))));
      return () => {
        for (const socket of sockets) socket.destroy();
      };
    };
    const ask = (port: number, forwarded: string) =>
      sendRaw(port, [`GET /api/sessions HTTP/1.1\r\nhost: localhost:${port}\r\n${forwarded}\r\n`]);
    const [mallory, anna] = ["x-forwarded-for: 203.0.113.7\r\n", "x-forwarded-for: 203.0.113.8\r\n"];
    await using open = await startTestServer({ limits });
    const empty = await fill(open.server.port, mallory);
    // Without trust the header is ignored: both are 127.0.0.1.
    expect((await ask(open.server.port, anna)).status).toBe(429);
    empty();
    await using trusting = await startTestServer({ limits, proxies: ["127.0.0.0/8"] });
    const release = await fill(trusting.server.port, mallory);
    expect((await ask(trusting.server.port, mallory)).status).toBe(429);
    expect((await ask(trusting.server.port, anna)).status).toBe(200);
    release();
  });
});

describe("the address of a client behind a proxy", () => {
  const head = (address: string, forwarded?: string) => ({
    address,
    header: (name: string) => (name === "x-forwarded-for" ? forwarded : undefined),
  });

  test("is the last forwarded address that does not belong to a trusted proxy", () => {
    const proxies = createProxies(["10.0.0.0/8", "::1"]);
    expect(proxies.findClient(head("10.0.0.2", "198.51.100.1, 203.0.113.9, 10.1.1.1"))).toBe("203.0.113.9");
    expect(proxies.findClient(head("::1", "2001:DB8::5"))).toBe("2001:db8::5");
    expect(proxies.findClient(head("::ffff:10.0.0.2", "203.0.113.9"))).toBe("203.0.113.9");
  });

  test("is counted by its network if it is an IPv6 address", () => {
    expect(networkOf("2001:db8:1:2:3:4:5:6")).toBe(networkOf("2001:db8:1:2::9"));
    expect(networkOf("2001:db8:1:2::9")).not.toBe(networkOf("2001:db8:1:3::9"));
    expect(networkOf("203.0.113.9")).toBe("203.0.113.9");
  });

  test("is the socket's address if the proxy is not trusted or forwards no address", () => {
    const proxies = createProxies(["10.0.0.2"]);
    expect(proxies.findClient(head("203.0.113.1", "198.51.100.1"))).toBe("203.0.113.1");
    expect(proxies.findClient(head("10.0.0.2"))).toBe("10.0.0.2");
    expect(proxies.findClient(head("10.0.0.2", "unknown"))).toBe("10.0.0.2");
  });

  test("is not looked up by name: startServer refuses proxies that are given by name", async () => {
    await expect(startTestServer({ proxies: ["my-proxy"] })).rejects.toThrow(/proxies: expected addresses/);
  });
});

function openConnection(port: number, localAddress = "127.0.0.1"): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", localAddress });
  socket.on("error", () => undefined);
  return new Promise((resolve) => socket.once("connect", () => resolve(socket)));
}
