/** The table of commands. Each is loaded when it is called. */
import type { Command } from "./terminal/command.ts";

interface ListedCommand {
  readonly summary: string;
  readonly load: () => Promise<{ readonly command: Command }>;
}

/** The file `own-command.ts` lists the names of the commands too. */
export const COMMANDS: Readonly<Record<string, ListedCommand>> = {
  serve: { summary: "Run the server: web page, API and chats.", load: () => import("./commands/serve.ts") },
  gateway: {
    summary: "Run the server between a program and its API.",
    load: () => import("./commands/gateway.ts"),
  },
  chat: { summary: "Chat in the terminal, with or without a server.", load: () => import("./commands/chat.ts") },
  sessions: { summary: "List sessions, the most recently used first.", load: () => import("./commands/sessions.ts") },
  recall: { summary: "Quote messages that match a query.", load: () => import("./commands/recall.ts") },
  search: { summary: "Search messages, in all sessions or one.", load: () => import("./commands/search.ts") },
  show: { summary: "Print a session: all messages, or what the model sees.", load: () => import("./commands/show.ts") },
  inspect: {
    summary: "Explain what the model sees of a session, and how full the window is.",
    load: () => import("./commands/inspect.ts"),
  },
  compact: { summary: "Summarize old messages now, or preview it.", load: () => import("./commands/compact.ts") },
  undo: {
    summary: "Undo the newest change, such as a compaction, clear or pin.",
    load: () => import("./commands/undo.ts"),
  },
  export: { summary: "Export a session as JSON Lines, with a checksum.", load: () => import("./commands/export.ts") },
  import: {
    summary: "Import an export, or conversations from other programs.",
    load: () => import("./commands/import.ts"),
  },
  doctor: {
    summary: "Check everything that a server needs, and say what to fix.",
    load: () => import("./commands/doctor.ts"),
  },
  init: { summary: "Write a configuration file with comments.", load: () => import("./commands/init.ts") },
  config: { summary: "Show the configuration, and where it comes from.", load: () => import("./commands/config.ts") },
  policies: {
    summary: "List, compare, explain and check policies.",
    load: () => import("./commands/policies.ts"),
  },
  completions: {
    summary: "Print completions for bash, zsh or fish.",
    load: () => import("./commands/completions.ts"),
  },
  replay: {
    summary: "Compare policies on recorded sessions: cost, and what is forgotten.",
    load: () => import("./commands/replay.ts"),
  },
  mcp: { summary: "Serve sessions to programs that speak MCP.", load: () => import("./commands/mcp.ts") },
  token: { summary: "Manage the access tokens of a server.", load: () => import("./commands/token.ts") },
  worker: { summary: "Run compactions in the background for servers.", load: () => import("./commands/worker.ts") },
};
