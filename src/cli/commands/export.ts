/** `palimpsest export`: writes a session to a file, completely or not at all. */
import { createWriteStream, existsSync } from "node:fs";
import { rename, unlink } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { EXPORT_FORMATS } from "../../core/message/formats/tool-formats.ts";
import { SERVER_OPTIONS, withServer } from "../setup/connect-server.ts";
import { type Command, CommandFailure, EXIT_CODES } from "../terminal/command.ts";
import { invalidCliOption, readChoice } from "../terminal/read-option.ts";
import { explainError, isSystemError } from "../terminal/terminal-text.ts";

export const command: Command = {
  usage: "export <session> [--out <file>] [--format <name>] [--force] [--keep-secrets]",
  about: [
    "Writes a session as JSON Lines: a header, every entry with its images, and a last line with the count and the",
    "SHA-256 of all lines before it. `palimpsest import` imports it into any store.",
    `With --format it writes a file of another tool or a list of messages: ${EXPORT_FORMATS.join(", ")}.`,
    "Keys, tokens and passwords of known formats are replaced, for example by [secret:aws-key:1a2b3c].",
  ],
  options: {
    ...SERVER_OPTIONS,
    out: { value: "<file>", help: "Output file. Default: stdout." },
    format: { value: "<name>", help: "Format of the file. Default: an export of Palimpsest, which has everything." },
    force: { help: "Replace the output file if it exists." },
    "keep-secrets": { help: "Export secrets unredacted." },
  },
  positionalCount: [1, 1],
  examples: [
    "palimpsest export support-17 --out support-17.jsonl",
    "palimpsest export support-17 --format claude-code --out support-17.jsonl",
    "palimpsest export support-17 --keep-secrets | gzip > support-17.jsonl.gz",
  ],
  async run(invocation) {
    const [id = ""] = invocation.positionals;
    const secrets = invocation.flag("keep-secrets") ? "keep" : "redact";
    const out = invocation.text("out");
    const format = readChoice(invocation, "format", EXPORT_FORMATS);
    const { print } = invocation.terminal;
    if (out !== undefined && !invocation.flag("force") && existsSync(out)) {
      const text = `--out: ${out} already exists. Choose another file, or replace it with --force.`;
      throw new CommandFailure(text, EXIT_CODES["session-exists"]);
    }
    await withServer(invocation, {}, async ({ client }) => {
      const lines = client.exportSession({ params: { id }, query: { secrets, format } });
      if (out === undefined) for await (const line of lines) await print(line);
      else await writeFile(lines, out);
    });
    if (out === undefined) return;
    await (invocation.flag("json") ? print(JSON.stringify({ id, out })) : invocation.say(`${id} is in ${out}`));
  },
};

async function writeFile(lines: AsyncIterable<string>, path: string): Promise<void> {
  const unfinished = `${path}.part`;
  const withNewlines = async function* () {
    for await (const line of lines) yield `${line}\n`;
  };
  try {
    await pipeline(Readable.from(withNewlines()), createWriteStream(unfinished));
    await rename(unfinished, path);
  } catch (error) {
    await unlink(unfinished).catch(() => undefined);
    if (!isSystemError(error)) throw error;
    throw invalidCliOption("out", `${path} cannot be written: ${explainError(error)}.`, error);
  }
}
