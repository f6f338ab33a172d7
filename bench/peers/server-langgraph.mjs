/**
 * A chat server built from LangGraph's own packages: a graph with a checkpointer behind the same HTTP framework and the
 * same two requests as ours. A question runs the graph, whose node trims the thread to the budget, as its guide shows;
 * an answer is added to the thread. `node server-langgraph.mjs sqlite <file>`, `sqlite-full <file>` (which survives a
 * power loss, unlike its default setting) or `postgres <address>` prints one line of JSON when it is ready.
 */
import { serve } from "@hono/node-server";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { Hono } from "hono";
import { countTokensApproximately } from "langchain";
import { trimToBudget } from "./langchain-trim-messages.mjs";

const [medium, place] = process.argv.slice(2);
const saver = await openSaver();
const graph = new StateGraph(MessagesAnnotation)
  .addNode("prompt", async ({ messages }, { configurable }) => {
    const { budgetTokens, answered } = configurable;
    answered.messages = await trimToBudget(messages, { budgetTokens, tokenCounter: countTokensApproximately });
    return {};
  })
  .addEdge(START, "prompt")
  .addEdge("prompt", END)
  .compile({ checkpointer: saver });

const app = new Hono();
app.post("/api/sessions", async (context) => context.json(await context.req.json()));
app.post("/api/sessions/:id/prompts", async (context) => {
  const { next, budgetTokens } = await context.req.json();
  const answered = { messages: [] };
  const configurable = { thread_id: context.req.param("id"), budgetTokens, answered };
  await graph.invoke({ messages: [new HumanMessage({ id: next.id, content: next.content })] }, { configurable });
  const messages = answered.messages.map((message) => ({
    role: message.getType() === "human" ? "user" : "assistant",
    content: message.content,
  }));
  return context.json({ prompt: { messages } });
});
app.post("/api/sessions/:id/messages", async (context) => {
  const { messages } = await context.req.json();
  const answers = messages.map(({ id, role, content }) =>
    role === "user" ? new HumanMessage({ id, content }) : new AIMessage({ id, content }),
  );
  await graph.updateState({ configurable: { thread_id: context.req.param("id") } }, { messages: answers }, "prompt");
  return context.json({ messages: messages.map(({ id }) => ({ id })) });
});
app.get("/api/sessions/:id/count", async (context) => {
  const state = await graph.getState({ configurable: { thread_id: context.req.param("id") } });
  return context.json({ messages: state.values.messages?.length ?? 0 });
});

const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) => {
  process.stdout.write(`${JSON.stringify({ event: "ready", url: `http://127.0.0.1:${port}` })}\n`);
});
process.once("SIGTERM", () => {
  server.closeAllConnections();
  server.close(() => process.exit(0));
});

async function openSaver() {
  if (medium.startsWith("sqlite")) {
    const { SqliteSaver } = await import("@langchain/langgraph-checkpoint-sqlite");
    const opened = SqliteSaver.fromConnString(place);
    // Its own setup does not change settings of the connection.
    if (medium === "sqlite-full") {
      opened.setup();
      opened.db.pragma("synchronous = FULL");
    }
    return opened;
  }
  const { PostgresSaver } = await import("@langchain/langgraph-checkpoint-postgres");
  const opened = PostgresSaver.fromConnString(place);
  await opened.setup();
  return opened;
}
