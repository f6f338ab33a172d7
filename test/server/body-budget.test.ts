/** The memory for request bodies is limited, in total and for each client. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { createClient } from "../../src/client/index.ts";
import { BODY_LIMITS } from "../../src/server/http/read-body.ts";
import { readMegabytes } from "../faults/huge-import.ts";
import { newFolders } from "../support/new-folders.ts";
import { openRpcSocket } from "../support/rpc-socket.ts";
import { startServeProcess } from "../support/serve-process.ts";
import { startTestServer } from "../support/start-server.ts";

const newFolder = newFolders("body-budget");

interface Sending {
  readonly socket: Socket;
  /** Resolves to the status line of the answer, or undefined if the connection closes without one. */
  readonly answer: Promise<string | undefined>;
}

/** Sends a body except for its last bytes. `address` is the client's own. */
function sendUnfinished(
  port: number,
  bytes: number,
  { address = "127.0.0.1", path = "/api/sessions/a/messages" } = {},
): Sending {
  const socket = connect({ port, host: "127.0.0.1", localAddress: address });
  const type = path.includes("import") ? "application/x-ndjson" : "application/json";
  const head = `POST ${path} HTTP/1.1\r\nhost: localhost:${port}\r\ncontent-type: ${type}\r\ncontent-length: ${bytes + 10}`;
  socket.on("error", () => undefined);
  socket.write(`${head}\r\n\r\n`);
  // An import is refused at once if it does not begin like a message.
  const start = path.includes("import") ? '{"role":"user","content":"' : "";
  socket.write(start + "x".repeat(bytes - start.length));
  const answered = once(socket, "data").then(([text]) => String(text));
  const closed = once(socket, "close").then(() => undefined);
  return { socket, answer: Promise.race([answered, closed]) };
}

const SMALL_BUDGET = { ...BODY_LIMITS, heldBytes: 2_500_000, heldBytesPerCaller: 1_500_000 };
const MEGABYTE = 1_000_000;

describe("unfinished bodies", () => {
  test.each(["/api/sessions/a/messages", "/api/sessions/import"])(
    "above a limit get 503 at %s, and small requests are accepted in the meantime, large ones afterwards",
    async (path) => {
      await using server = await startTestServer({ limits: { body: SMALL_BUDGET } });
      const { port } = server.server;
      await server.ask("POST", "/api/sessions", { id: "a" });
      const own = [0, 1].map(() => sendUnfinished(port, MEGABYTE, { path }));
      const refused = await Promise.race(own.map(({ answer }) => answer));
      expect(refused).toMatch(/^HTTP\/1\.1 503 /);
      expect(refused?.toLowerCase()).toContain("retry-after: 1");
      const small = { messages: { role: "user", content: "x".repeat(10_000) } };
      expect((await server.ask("POST", "/api/sessions/a/messages", small)).status).toBe(200);
      const others = [2, 3, 4].map((host) => sendUnfinished(port, MEGABYTE, { path, address: `127.0.0.${host}` }));
      expect(await Promise.race(others.map(({ answer }) => answer))).toMatch(/^HTTP\/1\.1 503 /);
      for (const { socket } of [...own, ...others]) socket.destroy();
      const large = { messages: { role: "user", content: "x".repeat(900_000) } };
      await expect.poll(async () => (await server.ask("POST", "/api/sessions/a/messages", large)).status).toBe(200);
    },
  );

  test("of many connections take no more memory than the limit of a client", async () => {
    await using server = await startServeProcess({ environment: { PALIMPSEST_HOME: newFolder() } });
    const port = Number(new URL(server.url).port);
    await fetch(`${server.url}/api/sessions`);
    const before = readMegabytes(server.pid);
    const sending = Array.from({ length: 80 }, () => sendUnfinished(port, 3_900_000));
    let refused = 0;
    for (const { answer } of sending) void answer.then((text) => (refused += text?.includes(" 503 ") === true ? 1 : 0));
    await expect.poll(() => refused).toBeGreaterThanOrEqual(60);
    const after = readMegabytes(server.pid);
    expect((await fetch(`${server.url}/api/sessions`)).status).toBe(200);
    for (const { socket } of sending) socket.destroy();
    expect(after - before).toBeLessThan(200);
  });
});

describe("messages on a WebSocket", () => {
  test("above the limit of a client close the connection with the code to try again", async () => {
    await using server = await startTestServer({ limits: { body: SMALL_BUDGET } });
    await using first = await openRpcSocket(server.url);
    first.socket.send("x".repeat(MEGABYTE), { fin: false });
    await using second = await openRpcSocket(server.url);
    second.socket.send("x".repeat(MEGABYTE), { fin: false });
    const [code] = await Promise.race([first, second].map(({ socket }) => once(socket, "close")));
    expect(code).toBe(1013);
  });

  test("are answered one after the other, however many they are", async () => {
    await using server = await startTestServer({ limits: { body: SMALL_BUDGET } });
    await using client = await openRpcSocket(server.url);
    for (let index = 0; index < 10; index += 1) {
      await client.call("get_selected_files", ["x".repeat(600_000)]).catch(() => undefined);
    }
    expect(await client.call("get_selected_files")).toEqual([]);
  });
});

test("a client may try again after its body was refused because of the limit", async () => {
  await using server = await startTestServer({ limits: { body: { ...SMALL_BUDGET, heldBytesPerCaller: 20_000 } } });
  const client = createClient({ url: server.url });
  await client.createSession({ body: { id: "a" } });
  const messages = [{ role: "user", content: "x".repeat(100_000) }];
  const appended = client.appendMessages({ params: { id: "a" }, body: { messages } });
  await expect(appended).rejects.toMatchObject({ code: "server-busy", retryable: true });
});
