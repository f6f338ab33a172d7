/** The thread that reads pages and outlines for the main one. It touches no file and no network. */
import { parentPort } from "node:worker_threads";
import { readPage } from "../read-page.ts";
import { OutlineReader } from "../symbols/outline-reader.ts";
import { packOutline } from "../symbols/packed-outline.ts";
import type { Order, OrderAnswer } from "./order.ts";

const reader = new OutlineReader();
let last: Promise<void> = Promise.resolve();

parentPort?.on("message", (order: Order) => {
  last = last.then(async () => {
    const answer = await answerOrder(order).catch(failedBy);
    parentPort?.postMessage(answer, listTransfers(answer));
  });
});

async function answerOrder(order: Order): Promise<OrderAnswer> {
  if (order.type === "page") return { type: "page", page: await readPage(order.page) };
  const outline = await reader.read(order.path, order.source);
  return { type: "outline", outline: outline === undefined ? undefined : packOutline(outline) };
}

function failedBy(error: unknown): OrderAnswer {
  return { type: "failed", reason: error instanceof Error ? error.message : String(error) };
}

function listTransfers(answer: OrderAnswer): ArrayBuffer[] {
  if (answer.type !== "outline" || answer.outline === undefined) return [];
  return [answer.outline.defines.buffer, answer.outline.uses.buffer];
}
