/** `palimpsest import`: a session from a file. It is read twice: checked first, then written. */
import { createReadStream } from "node:fs";
import { access } from "node:fs/promises";
import { PalimpsestError } from "../../core/errors.ts";
import type { LineSource } from "../../engine/import-session.ts";
import type { Command } from "../command.ts";
import { STORE_OPTIONS, withPalimpsest } from "../open-for.ts";
import { readLines } from "../read-lines.ts";

export const importCommand: Command = {
  usage: "import <file> [--id <session>] [--json]",
  about: [
    "Takes up a session that `palimpsest export` wrote; - reads the terminal. Count, checksum and every message",
    "are checked before anything is written; a file that is damaged, cut off or newer is refused.",
  ],
  options: {
    ...STORE_OPTIONS,
    id: { type: "string", value: "<session>", help: "The session's id here; the one in the file without it." },
  },
  words: [1, 1],
  examples: ["palimpsest import support-17.jsonl", "palimpsest import support-17.jsonl --id support-17-copy"],
  async run(invocation) {
    const [path = ""] = invocation.positionals;
    const source = await openSource(path);
    const id = invocation.text("id");
    const imported = await withPalimpsest(invocation, {}, (palimpsest) => palimpsest.importSession(source, { id }));
    const { sessionId, entries, messages } = imported;
    const text = `${sessionId}: ${entries} entries, ${messages} of them messages`;
    await invocation.terminal.print(invocation.flag("json") ? JSON.stringify(imported) : text);
  },
};

async function openSource(path: string): Promise<LineSource> {
  if (path === "-") return readLines(process.stdin);
  await access(path).catch((error: unknown) => {
    throw new PalimpsestError("message-invalid", `import: ${path} cannot be read.`, { cause: error });
  });
  return () => readLines(createReadStream(path));
}
