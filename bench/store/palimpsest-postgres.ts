/** Palimpsest with its store in a PostgreSQL database. */
import { setTimeout } from "node:timers/promises";
import { ourVersion } from "../turn-cost/our-version.ts";
import type { StoreContestant } from "./contestant.ts";
import { startConversation } from "./palimpsest-conversation.ts";

/** The index has all texts after this time. */
const INDEX_LAG_MS = 2_000;

export const contestant: StoreContestant = {
  name: "Palimpsest, Postgres",
  version: ourVersion(),
  note: "as with SQLite; bytes are those of the whole database without its write-ahead log",
  medium: "postgres",
  feeding: "every-turn",
  start: ({ place, budgetTokens }) =>
    startConversation({
      store: place,
      budgetTokens,
      settle: async () => {
        await setTimeout(INDEX_LAG_MS);
      },
    }),
};
