/** Fills a store with sessions that are due, and folds them in a process of their own, as a worker does. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { fillStore } from "../store/fill-store.ts";

export interface FoldFigures {
  readonly sessions: number;
  readonly folded: number;
  /** After garbage collections: halfway, and after the last fold. */
  readonly heapMiddleBytes: number;
  readonly heapEndBytes: number;
  readonly rssEndBytes: number;
}

const MESSAGES = 100;
const WORKER = fileURLToPath(new URL("fold-sessions.ts", import.meta.url));

export async function measureFolds(
  path: string,
  { sessions, say }: { readonly sessions: number; say(text: string): void },
): Promise<FoldFigures> {
  const filled = Array.from({ length: sessions }, (_, index) => ({ id: `session-${index}`, messages: MESSAGES }));
  await fillStore({ path, sessions: filled, say });
  const args = ["--expose-gc", WORKER, path, String(sessions)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const figures: FoldFigures = JSON.parse(stdout);
  say(`${figures.folded} of ${sessions} sessions folded`);
  return figures;
}
