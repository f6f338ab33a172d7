/** Palimpsest with its store in one file. */
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { ourVersion } from "../turn-cost/our-version.ts";
import type { StoreContestant } from "./contestant.ts";
import { startConversation } from "./palimpsest-conversation.ts";

const PAUSE_MS = 20;

export const contestant: StoreContestant = {
  name: "Palimpsest, SQLite",
  version: ourVersion(),
  note: "turn: session.append([question]) and session.append([answer]), with a prompt between them that is not timed; WAL, synchronous FULL; bytes with the index for searching, requests and summaries; open: openPalimpsest, session(id), history()",
  medium: "sqlite",
  feeding: "every-turn",
  start: ({ place, budgetTokens }) =>
    startConversation({ store: `sqlite:${place}`, budgetTokens, settle: () => waitForIndex(place) }),
};

async function waitForIndex(path: string): Promise<void> {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const pending = database.prepare("SELECT 1 FROM pending_texts LIMIT 1");
    while (pending.get() !== undefined) await setTimeout(PAUSE_MS);
  } finally {
    database.close();
  }
}
