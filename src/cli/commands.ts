/** The commands there are. Each is loaded when it is named. */
import type { Command } from "./command.ts";

interface ListedCommand {
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

export const COMMANDS: Readonly<Record<string, ListedCommand>> = {
  serve: {
    summary: "Run the server: the page, the API, chats.",
    load: async () => (await import("./commands/serve.ts")).serve,
  },
  chat: {
    summary: "Chat in the terminal, with the server or without one.",
    load: async () => (await import("./commands/chat.ts")).chat,
  },
  sessions: {
    summary: "List sessions, newest first.",
    load: async () => (await import("./commands/sessions.ts")).sessions,
  },
  search: {
    summary: "Find what was said, in all sessions or one.",
    load: async () => (await import("./commands/search.ts")).search,
  },
  show: {
    summary: "Print a session: all that was said, or what a model sees of it.",
    load: async () => (await import("./commands/show.ts")).show,
  },
  inspect: {
    summary: "Say what became of every message, and how full the window is.",
    load: async () => (await import("./commands/inspect.ts")).inspect,
  },
  compact: {
    summary: "Fold what stands before the tail, or show what that would do.",
    load: async () => (await import("./commands/compact.ts")).compact,
  },
  undo: {
    summary: "Take the newest change of the past back.",
    load: async () => (await import("./commands/undo.ts")).undo,
  },
  export: {
    summary: "Write a session as lines of JSON, with a checksum.",
    load: async () => (await import("./commands/export.ts")).exportCommand,
  },
  import: {
    summary: "Take up an export, or conversations of other programs.",
    load: async () => (await import("./commands/import.ts")).importCommand,
  },
  doctor: {
    summary: "Look at everything that a server needs, and say what to do.",
    load: async () => (await import("./commands/doctor.ts")).doctor,
  },
  token: {
    summary: "Say who may use a server that others can reach.",
    load: async () => (await import("./commands/token.ts")).token,
  },
  worker: {
    summary: "Run the compactions that wait behind the sessions.",
    load: async () => (await import("./commands/worker.ts")).worker,
  },
};
