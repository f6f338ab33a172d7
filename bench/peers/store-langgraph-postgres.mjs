/** LangGraph's own checkpointer for PostgreSQL. */
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { installedVersion } from "./installed-version.mjs";
import { langgraphVersion, startThreads } from "./store-langgraph.mjs";

export const contestant = {
  name: "LangGraph, Postgres",
  version: `${langgraphVersion}, ${installedVersion("@langchain/langgraph-checkpoint-postgres")}`,
  note: "as with SQLite; bytes are those of the whole database, which compresses large values, without its write-ahead log",
  medium: "postgres",
  feeding: "preloaded",
  start: async ({ place }) => {
    const first = PostgresSaver.fromConnString(place);
    await first.setup();
    await first.end();
    return startThreads(async () => {
      const saver = PostgresSaver.fromConnString(place);
      return { saver, close: () => saver.end() };
    });
  },
};
