/** LangGraph's own checkpointer for SQLite. */
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { installedVersion } from "./installed-version.mjs";
import { langgraphVersion, startThreads } from "./store-langgraph.mjs";

export const contestant = {
  name: "LangGraph, SQLite",
  version: `${langgraphVersion}, ${installedVersion("@langchain/langgraph-checkpoint-sqlite")}, ${installedVersion("better-sqlite3")}`,
  note: "turn: graph.invoke with the question, one node gives the answer; WAL, synchronous as it is set up (NORMAL, which a loss of power may undo); open: new SqliteSaver, getState",
  medium: "sqlite",
  feeding: "preloaded",
  start: ({ place }) =>
    startThreads(async () => {
      const saver = SqliteSaver.fromConnString(place);
      return { saver, close: async () => saver.db.close() };
    }),
};
