/** A server in its own process, to be killed: `node chat-process.ts <store> <provider's url>` prints its address. */
import { tool } from "ai";
import { z } from "zod";
import { startServer } from "../../src/server/start.ts";
import { modelAt } from "./start-chat.ts";

const [, , store = "memory:", provider = ""] = process.argv;

const look = tool({
  description: "Looks somewhere.",
  inputSchema: z.object({ at: z.string() }),
  execute: async ({ at }) => `Nothing at ${at}.`,
});

const nothing = () => undefined;
const server = await startServer({
  store,
  version: "0.0.0",
  models: [modelAt(provider)],
  tools: { look },
  log: { answered: nothing, audit: nothing, failed: nothing },
});
console.log(server.url);
