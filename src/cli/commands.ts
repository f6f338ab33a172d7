/** The commands there are. Each is loaded when it is named. */
import type { Command } from "./command.ts";

interface ListedCommand {
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

export const COMMANDS: Readonly<Record<string, ListedCommand>> = {
  sessions: {
    summary: "List sessions, newest first.",
    load: async () => (await import("./commands/sessions.ts")).sessions,
  },
  search: {
    summary: "Find what was said, in all sessions or one.",
    load: async () => (await import("./commands/search.ts")).search,
  },
  export: {
    summary: "Write a session as lines of JSON, with a checksum.",
    load: async () => (await import("./commands/export.ts")).exportCommand,
  },
  import: {
    summary: "Take up a session that was exported.",
    load: async () => (await import("./commands/import.ts")).importCommand,
  },
  worker: {
    summary: "Run the compactions that wait behind the sessions.",
    load: async () => (await import("./commands/worker.ts")).worker,
  },
};
