/**
 * LangGraph with a checkpointer, as its guide shows it for chats: a graph of one node that answers, run once a turn
 * with the thread's id. The node returns the scripted answer, so that only the cost of storing a turn is measured.
 */
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { installedVersion } from "./installed-version.mjs";

export const langgraphVersion = installedVersion("@langchain/langgraph");

function toMessage({ role, content }) {
  return role === "user" ? new HumanMessage(content) : new AIMessage(content);
}

/** `openSaver` returns a checkpointer on its own connection, and a function that closes it. */
export async function startThreads(openSaver) {
  const { saver, close } = await openSaver();
  let answer;
  const graphWith = (checkpointer) =>
    new StateGraph(MessagesAnnotation)
      .addNode("answer", async () => ({ messages: [toMessage(answer)] }))
      .addEdge(START, "answer")
      .addEdge("answer", END)
      .compile({ checkpointer });
  const graph = graphWith(saver);
  let threads = 0;
  const config = () => ({ configurable: { thread_id: `thread-${threads}` } });
  return {
    async preload(messages) {
      threads += 1;
      await graph.updateState(config(), { messages: messages.map(toMessage) }, "answer");
    },
    async turn([question, reply]) {
      answer = reply;
      const before = performance.now();
      await graph.invoke({ messages: [toMessage(question)] }, config());
      return performance.now() - before;
    },
    async open() {
      const opened = await openSaver();
      const state = await graphWith(opened.saver).getState(config());
      return { messages: state.values.messages.length, close: opened.close };
    },
    close,
  };
}
