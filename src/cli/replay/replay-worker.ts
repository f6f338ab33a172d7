/** Worker thread that replays recorded sessions, one at a time. It sends one answer for each. */
import { parentPort, workerData } from "node:worker_threads";
import { openPalimpsest } from "../../compose.ts";
import { findModel } from "../../core/budget/find-model.ts";
import { loadCatalogue } from "../../counters/create-catalogue.ts";
import { loadCounter } from "../../counters/load-counter.ts";
import { BlockBook } from "../../replay/prompt-blocks.ts";
import type { RecordedSession } from "../../replay/recorded-session.ts";
import { type ReplaySettings, replaySession, type SessionReplay } from "../../replay/replay-session.ts";

/** Settings that can be copied to the thread. */
export type CopiedSettings = Pick<ReplaySettings, "model" | "defaultModel" | "windowTokens" | "summaries" | "policies">;

export type ReplayAnswer = { readonly replay: SessionReplay } | { readonly failure: string };

const settings: CopiedSettings = workerData;
const [catalogue, counter] = [await loadCatalogue(), await loadCounter("o200k")];

const priced: ReplaySettings["findModel"] = (id) => {
  const info = findModel(id, { catalogue });
  return info?.prices === undefined ? undefined : { ...info, prices: info.prices };
};

parentPort?.on("message", async (session: RecordedSession) => {
  // A book of its own for each session, so that memory does not grow with their number.
  const own = { open: openPalimpsest, book: new BlockBook(counter), findModel: priced };
  const answer: ReplayAnswer = await replaySession(session, { ...settings, ...own }).then(
    (replay) => ({ replay }),
    (error: unknown) => ({ failure: error instanceof Error ? error.message : String(error) }),
  );
  parentPort?.postMessage(answer);
});
