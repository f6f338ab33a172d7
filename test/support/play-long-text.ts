/**
 * Plays one long text through all calls of a session, and measures the CPU time of each call and of its longest step.
 */
import { setTimeout } from "node:timers/promises";
import { fit as fitHistory, openPalimpsest } from "../../src/index.ts";
import { millisecondsSince } from "./growth.ts";

export interface CallCost {
  readonly call: string;
  readonly longestMs: number;
  readonly totalMs: number;
}

export type TextStore = "memory" | "jsonl" | "sqlite";

/** Texts are indexed in the background half a second after they were written, in portions with short pauses. */
const INDEXING_MS = 600;
const QUIET_MS = 200;

export async function playLongText(text: string, store: TextStore, path: string): Promise<readonly CallCost[]> {
  const costs: CallCost[] = [];
  const watch = async <Result>(call: string, work: () => Promise<Result>): Promise<Result> => {
    const end = watchSteps();
    try {
      return await work();
    } finally {
      costs.push({ call, ...(await end()) });
    }
  };
  const address = store === "memory" ? "memory:" : `${store}:${path}`;
  const palimpsest = await openPalimpsest({ store: address, budgetTokens: 20_000 });
  const session = await palimpsest.session("long");
  await session.append({ role: "user", content: "We must never deploy on Fridays." });
  await watch("append", () => session.append({ role: "user", content: text }));
  const middle = text.slice(text.length / 2, text.length / 2 + 9);
  await watch("search", () => palimpsest.search(middle));
  if (store !== "memory") await watch("index", () => setTimeout(INDEXING_MS + QUIET_MS * (text.length / 100_000)));
  await watch("search when indexed", () => palimpsest.search(middle));
  await watch("search by relevance", () =>
    palimpsest.search(`${middle} ${middle.slice(0, 3)}`, { order: "relevance" }),
  );
  await session.append(REPLIES);
  await watch("preview", async () => (await session.prompt({ preview: true })).messages);
  await watch("prompt", async () => (await session.prompt()).messages);
  await watch("compact", () => session.compact({ as: { budgetTokens: 4_000 } }));
  await watch("transcript", () => session.transcript());
  const lines: string[] = [];
  await watch("export", async () => {
    for await (const line of palimpsest.exportSession("long")) lines.push(line);
  });
  await watch("import", () => palimpsest.importSession(() => lines, { id: "copy" }));
  const line = JSON.stringify({ role: "assistant", content: text });
  await watch("import messages", () => palimpsest.importTranscript([line], { id: "other" }));
  await watch("delete", () => palimpsest.deleteSession("long"));
  await palimpsest.close();
  const history = [{ role: "user", content: "Hello." }, { role: "assistant", content: text }, ...REPLIES];
  if (store === "memory") await watch("fit", () => fitHistory(history, { budgetTokens: 3_000 }));
  return costs;
}

const REPLIES = Array.from({ length: 8 }, (_, index) => ({
  role: index % 2 === 0 ? "assistant" : "user",
  content: `Reply ${index}: ${"so it goes on and on. ".repeat(40)}`,
}));

/** A turn of the event loop that is shorter counts as idle. */
const IDLE_MS = 0.2;

export function watchSteps() {
  let last = process.threadCpuUsage();
  let [longestMs, totalMs, isWatching] = [0, 0, true];
  const tick = () => {
    const spentMs = millisecondsSince(last);
    last = process.threadCpuUsage();
    longestMs = Math.max(longestMs, spentMs);
    if (spentMs > IDLE_MS) totalMs += spentMs;
    if (isWatching) setImmediate(tick);
  };
  setImmediate(tick);
  return async () => {
    await new Promise((resolve) => setImmediate(resolve));
    isWatching = false;
    tick();
    return { longestMs, totalMs };
  };
}
