/** Folds the sessions of a store that are due, once, and prints how many and its memory as JSON. */
import { openPalimpsest } from "../../src/index.ts";
import type { FoldFigures } from "./measure-folds.ts";

const BUDGET_TOKENS = 4_000;

async function foldAll(path: string, sessions: number): Promise<FoldFigures> {
  const palimpsest = await openPalimpsest({ store: `sqlite:${path}`, budgetTokens: BUDGET_TOKENS });
  let [folded, heapMiddleBytes] = [0, 0];
  palimpsest.on("compaction", () => {
    folded += 1;
    if (folded === Math.floor(sessions / 2)) heapMiddleBytes = readHeap();
  });
  await palimpsest.work({ once: true, newestSessions: sessions });
  const heapEndBytes = readHeap();
  await palimpsest.close();
  return { sessions, folded, heapMiddleBytes, heapEndBytes, rssEndBytes: process.memoryUsage.rss() };
}

function readHeap(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const [path = "", sessions = ""] = process.argv.slice(2);
process.stdout.write(JSON.stringify(await foldAll(path, Number(sessions))));
