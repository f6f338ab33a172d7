/** The table of commands. Each is loaded when it is called. */
import type { Command } from "./terminal/command.ts";
import type { COMMAND_NAMES } from "./terminal/own-command.ts";

interface ListedCommand {
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

const TABLE: Readonly<Record<(typeof COMMAND_NAMES)[number], ListedCommand>> = {
  serve: {
    summary: "Run the server: web page, API and chats.",
    load: async () => (await import("./commands/serve.ts")).serve,
  },
  chat: {
    summary: "Chat in the terminal, with or without a server.",
    load: async () => (await import("./commands/chat.ts")).chat,
  },
  sessions: {
    summary: "List sessions, newest first.",
    load: async () => (await import("./commands/sessions.ts")).sessions,
  },
  search: {
    summary: "Search messages, in all sessions or one.",
    load: async () => (await import("./commands/search.ts")).search,
  },
  show: {
    summary: "Print a session: all messages, or what the model sees.",
    load: async () => (await import("./commands/show.ts")).show,
  },
  inspect: {
    summary: "Explain what the model sees of a session, and how full the window is.",
    load: async () => (await import("./commands/inspect.ts")).inspect,
  },
  compact: {
    summary: "Summarise old messages now, or preview it.",
    load: async () => (await import("./commands/compact.ts")).compact,
  },
  undo: {
    summary: "Undo the newest compaction, clear or pin.",
    load: async () => (await import("./commands/undo.ts")).undo,
  },
  export: {
    summary: "Export a session as JSON Lines, with a checksum.",
    load: async () => (await import("./commands/export.ts")).exportCommand,
  },
  import: {
    summary: "Import an export, or conversations of other programs.",
    load: async () => (await import("./commands/import.ts")).importCommand,
  },
  doctor: {
    summary: "Check everything that a server needs, and say what to fix.",
    load: async () => (await import("./commands/doctor.ts")).doctor,
  },
  token: {
    summary: "Manage the access tokens of a server.",
    load: async () => (await import("./commands/token.ts")).token,
  },
  worker: {
    summary: "Run compactions in the background for servers.",
    load: async () => (await import("./commands/worker.ts")).worker,
  },
};

export const COMMANDS: Readonly<Record<string, ListedCommand>> = TABLE;
