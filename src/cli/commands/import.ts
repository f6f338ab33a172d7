/** `palimpsest import`: a session from a file. It is read twice: checked first, then written. */
import { createReadStream } from "node:fs";
import { access, constants, stat } from "node:fs/promises";
import { PalimpsestError } from "../../core/errors.ts";
import type { LineSource } from "../../engine/import-session.ts";
import type { Command } from "../command.ts";
import { SERVER_OPTIONS, withConversations } from "../conversations.ts";
import { describeCount } from "../describe-count.ts";
import { describeFailure } from "../describe-failure.ts";

export const importCommand: Command = {
  usage: "import <file> [--id <session>] [--json]",
  about: [
    "Takes up a session that `palimpsest export` wrote; - reads the terminal. Count, checksum and every message",
    "are checked before anything is written; a file that is damaged, cut off or newer is refused.",
  ],
  options: {
    ...SERVER_OPTIONS,
    id: { type: "string", value: "<session>", help: "The session's id here; the one in the file without it." },
  },
  words: [1, 1],
  examples: ["palimpsest import support-17.jsonl", "palimpsest import support-17.jsonl --id support-17-copy"],
  async run(invocation) {
    const [path = ""] = invocation.positionals;
    const source = await openSource(path);
    const id = invocation.text("id");
    const imported = await withConversations(
      invocation,
      (conversations) => conversations.importSession(source, { id }),
      { makesStore: true },
    );
    const { sessionId, entries, messages } = imported;
    if (invocation.flag("json")) return invocation.terminal.print(JSON.stringify(imported));
    const ofThem = describeCount(messages, "of them a message", "of them messages");
    await invocation.say(`${sessionId}: ${describeCount(entries, "entry", "entries")}, ${ofThem}`);
  },
};

async function openSource(path: string): Promise<LineSource> {
  if (path === "-") return process.stdin;
  try {
    await access(path, constants.R_OK);
    const found = await stat(path);
    if (found.isDirectory()) throw unreadable(path, "it is a folder");
    // A pipe can be read once only.
    return found.isFile() ? () => createReadStream(path) : createReadStream(path);
  } catch (error) {
    throw error instanceof PalimpsestError ? error : unreadable(path, describeFailure(error), error);
  }
}

function unreadable(path: string, reason: string, cause?: unknown): PalimpsestError {
  return new PalimpsestError("message-invalid", `import: ${path} cannot be read: ${reason}.`, { cause });
}
