/** Bodies above the limit, sent from another process: the client must receive the refusal while it is still sending. */
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createClient } from "../../src/client/index.ts";
import { ADDRESSES, type Address } from "../../src/protocol/addresses.ts";
import { newFolders } from "../support/new-folders.ts";
import { sendRaw } from "../support/send-raw.ts";
import { type ServedProcess, startServeProcess } from "../support/serve-process.ts";
import { startTestServer } from "../support/start-server.ts";

const newFolder = newFolders("too-large");
let server: ServedProcess;
beforeAll(async () => {
  server = await startServeProcess({ environment: { PALIMPSEST_HOME: newFolder() } });
});
afterAll(() => server[Symbol.asyncDispose]());
const SIZES = [4_000_001, 8_000_000, 20_000_000, 60_000_000];
const CHUNK = new TextEncoder().encode("x".repeat(65_536));

/** HTTP versions, with headers for the length of the body and the end of the connection. */
const FRAMINGS = [
  ["HTTP/1.1", "content-length: 5000000"],
  ["HTTP/1.1", "content-length: 5000000\r\nconnection: close"],
  ["HTTP/1.0", "content-length: 5000000"],
  ["HTTP/1.1", "transfer-encoding: chunked\r\nconnection: close"],
] as const;
const PIECE = Buffer.alloc(100_000, "x");
const CHUNKED_PIECE = Buffer.concat([Buffer.from("186a0\r\n"), PIECE, Buffer.from("\r\n")]);

/** Returns the status, or the error of the connection. */
function sendThenRead(port: number, [version, headers]: readonly [string, string]): Promise<string> {
  const socket = connect(port, "127.0.0.1").pause();
  const piece = headers.includes("chunked") ? CHUNKED_PIECE : PIECE;
  const head = `POST /api/sessions/a/messages ${version}\r\nhost: localhost:${port}\r\ncontent-type: application/json`;
  return new Promise((resolve) => {
    socket.on("error", ({ message }) => resolve(message));
    socket.on("close", () => resolve("closed without an answer"));
    socket.once("data", (text) => {
      resolve(String(text).split(" ", 2)[1] ?? "");
      socket.destroy();
    });
    socket.pause().write(`${head}\r\n${headers}\r\n\r\n`);
    const write = (left: number): void => {
      if (left === 0) socket.resume();
      else socket.write(piece, () => write(left - 1));
    };
    write(50);
  });
}

describe("a body that is too large", () => {
  test("is answered with 413, with or without a Content-Length header", async () => {
    const send = async (size: number, isAnnounced: boolean): Promise<number> => {
      const chunks = Array.from({ length: Math.ceil(size / CHUNK.length) }, () => CHUNK);
      const body = isAnnounced ? "x".repeat(size) : ReadableStream.from(chunks);
      const headers = { "content-type": "application/json" };
      const sent = { method: "POST", headers, body, duplex: "half" } as RequestInit;
      return (await fetch(`${server.url}/api/sessions/a/messages`, sent)).status;
    };
    const answers = SIZES.flatMap((size) => [true, false].map((isAnnounced) => send(size, isAnnounced)));
    expect(new Set(await Promise.all(answers))).toEqual(new Set([413]));
  });

  test("is answered with 413 to clients that send all of it before they read", async () => {
    const port = Number(new URL(server.url).port);
    const received = new Map<string, number>();
    for (let round = 0; round < 25; round += 1) {
      const answers = FRAMINGS.map((manner) => sendThenRead(port, manner));
      for (const answer of await Promise.all(answers)) received.set(answer, (received.get(answer) ?? 0) + 1);
    }
    expect(Object.fromEntries(received)).toEqual({ "413": 100 });
  });

  test("is refused on every route when its length is announced, before it is sent", async () => {
    await using here = await startTestServer();
    const { port } = here.server;
    for (const [name, [method, path]] of Object.entries<Address>(ADDRESSES)) {
      for (const expectation of ["", "expect: 100-continue\r\n"]) {
        const line = `${method} ${path.replaceAll(/:\w+/g, "x")} HTTP/1.1\r\nhost: localhost:${port}`;
        const answer = await sendRaw(port, [`${line}\r\n${expectation}content-length: 5000000000\r\n\r\n`]);
        expect({ name, status: answer.status }).toEqual({ name, status: 413 });
        expect(answer.isContinued).toBe(false);
        expect(answer.headers.get("connection")).toBe("close");
      }
    }
  });

  test("of an image causes an error in the client that is not retryable", async () => {
    await using here = await startTestServer();
    const client = createClient({ url: here.url });
    const image = { params: { id: "a" }, bytes: new Uint8Array(6_000_000), mediaType: "image/png" };
    await expect(client.putImage(image)).rejects.toMatchObject({ code: "request-too-large", retryable: false });
  });

  test("causes an error in the client that is not retryable", async () => {
    const client = createClient({ url: server.url });
    for (const size of [...SIZES, ...SIZES]) {
      const messages = [{ role: "user", content: "x".repeat(size) }] as const;
      const sent = client.appendMessages({ params: { id: "a" }, body: { messages } as never });
      await expect(sent).rejects.toMatchObject({ code: "request-too-large", retryable: false });
    }
  });
});
