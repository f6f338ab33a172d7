/** Worker thread that parses pages and outlines. It accesses neither files nor the network. */
import { parentPort } from "node:worker_threads";
import { readPage } from "./links/read-page.ts";
import { OutlineReader, packOutline } from "./symbols/outline-reader.ts";
import type { ThreadRequest, ThreadResponse } from "./thread/background-thread.ts";

const reader = new OutlineReader();
let last: Promise<void> = Promise.resolve();

parentPort?.on("message", (request: ThreadRequest) => {
  last = last.then(async () => {
    const answer = await handleRequest(request).catch(toFailure);
    parentPort?.postMessage(answer, listTransfers(answer));
  });
});

async function handleRequest(request: ThreadRequest): Promise<ThreadResponse> {
  if (request.type === "page") return { type: "page", page: await readPage(request.page) };
  const outline = await reader.read(request.path, request.source);
  return { type: "outline", outline: outline === undefined ? undefined : packOutline(outline) };
}

function toFailure(error: unknown): ThreadResponse {
  return { type: "failed", reason: error instanceof Error ? error.message : String(error) };
}

function listTransfers(answer: ThreadResponse): ArrayBuffer[] {
  if (answer.type !== "outline" || answer.outline === undefined) return [];
  return [answer.outline.defines.buffer, answer.outline.uses.buffer];
}
