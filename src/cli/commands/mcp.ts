/** `palimpsest mcp`: serves sessions to a program that speaks the Model Context Protocol. */
import { readVersion } from "../../server/read-version.ts";
import { connectServer } from "../setup/connect-server.ts";
import { findLastModel, readServerSetup, SESSION_OPTIONS } from "../setup/open-session.ts";
import type { Command } from "../terminal/command.ts";

const { json: _, ...OPTIONS } = SESSION_OPTIONS;

export const command: Command = {
  usage: "mcp [--store <address>] [--server <url>]",
  about: [
    "Serves sessions over standard input and output to a program that speaks the Model Context Protocol (MCP), such as",
    "a coding agent: tools to recall, search, show, inspect, compact and undo, and sessions as resources.",
    "The program starts this command itself, and it ends with its input. A server answers MCP at /mcp too.",
  ],
  // No --json: the output is the protocol.
  options: OPTIONS,
  positionalCount: [0, 0],
  examples: ["palimpsest mcp --store sqlite:./chats.db", "palimpsest mcp --server http://127.0.0.1:7420"],
  async run(invocation) {
    const signal = AbortSignal.any([invocation.terminal.endings(), endOfInput()]);
    const readOptions = () => readServerSetup(invocation, true);
    const { client, close } = await connectServer(invocation, { createsStore: true, readOptions });
    try {
      const { serveMcpOverStdio } = await import("../../mcp/serve-stdio.ts");
      const findModel = (id: string) => findLastModel(client, id);
      await serveMcpOverStdio(client, { version: await readVersion(), findModel, signal });
    } finally {
      await close();
    }
  },
};

function endOfInput(): AbortSignal {
  const ending = new AbortController();
  for (const event of ["end", "close"]) process.stdin.once(event, () => ending.abort());
  return ending.signal;
}
