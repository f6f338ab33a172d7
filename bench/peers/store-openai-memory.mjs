/** The session class of the OpenAI Agents SDK for JavaScript. It stores nothing on disk. */
import { MemorySession } from "@openai/agents";
import { installedVersion } from "./installed-version.mjs";

export const contestant = {
  name: "OpenAI Agents, memory",
  version: installedVersion("@openai/agents"),
  note: "turn: addItems([question]) and addItems([answer]); open: getItems() of the same object, because nothing of it survives the process",
  medium: "memory",
  feeding: "preloaded",
  async start() {
    let session = new MemorySession();
    const toItem = ({ role, content }) =>
      role === "user"
        ? { type: "message", role, content }
        : { type: "message", role, status: "completed", content: [{ type: "output_text", text: content }] };
    return {
      async preload(messages) {
        session = new MemorySession();
        await session.addItems(messages.map(toItem));
      },
      async turn([question, answer]) {
        const before = performance.now();
        await session.addItems([toItem(question)]);
        await session.addItems([toItem(answer)]);
        return performance.now() - before;
      },
      open: async () => ({ messages: (await session.getItems()).length }),
      close: async () => undefined,
    };
  },
};
