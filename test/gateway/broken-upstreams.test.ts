/** Upstreams that fail in the middle, and a gateway that is killed there. */
import { once } from "node:events";
import { expect, test } from "vitest";
import { newFolders } from "../support/new-folders.ts";
import { startCli } from "../support/start-cli.ts";
import { startRaw } from "./raw-upstream.ts";
import { chat, post, readText, replyWith, startGateway } from "./start-gateway.ts";

const newFolder = newFolders("gateway-broken");
const PIECE = 'data: {"choices":[{"index":0,"delta":{"content":"Half a"}}]}\n\n';

test("overload, rate limits and pages of proxies arrive as the upstream sent them, with their headers", async () => {
  const answers = [
    {
      status: 529,
      type: "application/json",
      text: '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
    },
    { status: 429, type: "application/json", text: '{"error":{"message":"Slow down"}}' },
    { status: 502, type: "text/html", text: "<html><h1>Bad gateway</h1></html>" },
    { status: 200, type: "text/html", text: "<html>Sign in</html>" },
  ];
  let place = 0;
  await using upstream = await startRaw((_request, response) => {
    const { status, type, text } = answers[place] ?? { status: 500, type: "", text: "" };
    response
      .writeHead(status, { "content-type": type, "retry-after": "3", "anthropic-ratelimit-unified-reset": "9" })
      .end(text);
  });
  await using gateway = await startGateway(upstream.url);
  for (place = 0; place < answers.length; place += 1) {
    const response = await post(gateway, chat(`Question ${place}`));
    const { headers } = response;
    const named = ["content-type", "retry-after", "anthropic-ratelimit-unified-reset"].map((name) => headers.get(name));
    const { status, type, text } = answers[place] ?? {};
    expect([response.status, await response.text(), ...named]).toEqual([status, text, type, "3", "9"]);
  }
});

test("a stream that ends in half an event reaches the client as it is, and the next request finds the session", async () => {
  const half = `${PIECE}data: {"choices":[{"index":0,"del`;
  let isFirst = true;
  await using upstream = await startRaw((_request, response) => {
    const type = isFirst ? "text/event-stream" : "application/json";
    response.writeHead(200, { "content-type": type }).end(isFirst ? half : replyWith("Done."));
    isFirst = false;
  });
  await using gateway = await startGateway(upstream.url);
  const broken = await post(gateway, chat("Hello"));
  expect(await broken.text()).toBe(half);
  const next = await post(gateway, chat("Hello"));
  expect([next.headers.get("x-palimpsest-session"), await readText(next)]).toEqual([
    broken.headers.get("x-palimpsest-session"),
    "Done.",
  ]);
});

test("a stream that is reset breaks off for the client, and one that hangs ends when the client gives up", async () => {
  const left = Promise.withResolvers<void>();
  let resets = true;
  await using upstream = await startRaw((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).write(PIECE);
    if (resets) setImmediate(() => response.socket?.resetAndDestroy());
    else response.on("close", () => left.resolve());
  });
  await using gateway = await startGateway(upstream.url);
  await expect(post(gateway, chat("Hello")).then((response) => response.text())).rejects.toThrow();
  resets = false;
  const abort = new AbortController();
  const init = { method: "POST", body: chat("Another"), signal: abort.signal };
  const response = await fetch(`${gateway.url}/v1/chat/completions`, init);
  await response.body?.getReader().read();
  abort.abort();
  await left.promise;
});

test("a request that meets a connection which the upstream closes as idle is sent again", async () => {
  const used = new WeakSet<object>();
  let closed = 0;
  await using upstream = await startRaw((_request, response) => {
    const { socket } = response;
    if (socket !== null && used.has(socket)) {
      closed += 1;
      return void socket.resetAndDestroy();
    }
    if (socket !== null) used.add(socket);
    response.writeHead(200, { "content-type": "application/json" }).end(replyWith("Done."));
  });
  await using gateway = await startGateway(upstream.url);
  for (const text of ["One", "Two", "Three"]) expect(await readText(await post(gateway, chat(text)))).toBe("Done.");
  expect(closed).toBe(2);
});

test("an error as the first event of a stream is answered with a smaller prompt, once", async () => {
  const error = {
    error: { message: "maximum context length is 900 tokens, you sent 1500 tokens", code: "context_length_exceeded" },
  };
  const sizes: number[] = [];
  await using upstream = await startRaw(({ bytes }, response) => {
    sizes.push(bytes.length);
    const isLong = bytes.length > 4_000;
    response.writeHead(200, { "content-type": isLong ? "text/event-stream" : "application/json" });
    response.end(isLong ? `data: ${JSON.stringify(error)}\n\n` : replyWith("Fits."));
  });
  await using gateway = await startGateway(upstream.url);
  const texts = Array.from({ length: 11 }, (_, index) => `${index}. ${"boat pier crane tide ".repeat(22)}`);
  const response = await post(gateway, chat(...texts));
  expect([await readText(response), sizes.length]).toEqual(["Fits.", 2]);
});

test("after a kill in the middle of a stream, the next gateway on the store finds the session", async () => {
  const home = newFolder();
  let isFirst = true;
  await using upstream = await startRaw((_request, response) => {
    if (!isFirst) return void response.writeHead(200, { "content-type": "application/json" }).end(replyWith("Done."));
    isFirst = false;
    response.writeHead(200, { "content-type": "text/event-stream" }).write(PIECE);
  });
  const start = async () => {
    const args = ["gateway", "--port", "0", "--json", "--home", home, "--openai", upstream.url];
    const process = startCli(args, { environment: { PALIMPSEST_HOME: home } });
    await expect.poll(() => process.out().includes("\n"), { timeout: 60_000 }).toBe(true);
    return { ...process, url: String(JSON.parse(process.out()).url) };
  };
  const killed = await start();
  const send = (url: string) => fetch(`${url}/v1/chat/completions`, { method: "POST", body: chat("Hello") });
  const response = await send(killed.url);
  const session = response.headers.get("x-palimpsest-session");
  await response.body?.getReader().read();
  killed.child.kill("SIGKILL");
  await killed.ended;
  const next = await start();
  try {
    const again = await send(next.url);
    expect([again.headers.get("x-palimpsest-session"), await readText(again)]).toEqual([session, "Done."]);
  } finally {
    next.child.kill("SIGTERM");
    await once(next.child, "exit").catch(() => undefined);
  }
});
