/**
 * The upstream of `bench gateway`, in its own process: answers chat completions at once, whole or as a stream, and
 * reads as little of each request as possible. A request's header `x-chunks` sets the length of its stream.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** Between two chunks of a stream. */
const CHUNK_EVERY_MS = 50;
const PIECE = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "Pier four. " } }] })}\n\n`;
const END = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`;
const MESSAGE = { role: "assistant", content: "Noted." };
const WHOLE = JSON.stringify({ choices: [{ index: 0, message: MESSAGE, finish_reason: "stop" }] });

const server = createServer(async (request, response) => {
  for await (const _ of request);
  if (request.headers["x-chunks"] === undefined) {
    response.writeHead(200, { "content-type": "application/json" }).end(WHOLE);
  } else await stream(request, response);
});

async function stream(request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (let left = Number(request.headers["x-chunks"]); left > 0; left -= 1) {
    response.write(PIECE);
    if (left > 1) await pause(CHUNK_EVERY_MS);
  }
  response.end(END);
}

server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })}\n`);
});
process.once("SIGTERM", () => process.exit(0));
