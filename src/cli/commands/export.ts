/** `palimpsest export`: a session as a file. The file is there whole or not at all. */
import { createWriteStream } from "node:fs";
import { rename, unlink } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { PalimpsestError } from "../../core/errors.ts";
import type { Command } from "../command.ts";
import { SERVER_OPTIONS } from "../connect-server.ts";
import { withConversations } from "../conversations.ts";
import { describeFailure, isSystemError } from "../describe-failure.ts";

export const exportCommand: Command = {
  usage: "export <session> [--out <file>] [--keep-secrets]",
  about: [
    "Writes a session as lines of JSON: what it is, every entry with its images, and a last line with the",
    "count and the SHA-256 of all lines before it. `palimpsest import` takes it up in any store.",
    "Keys, tokens and passwords of known formats become tokens such as [secret:aws-key:1a2b3c].",
  ],
  options: {
    ...SERVER_OPTIONS,
    out: { type: "string", value: "<file>", help: "Where to; the terminal without it." },
    "keep-secrets": { type: "boolean", help: "Every word as it was said, secrets too." },
  },
  words: [1, 1],
  examples: [
    "palimpsest export support-17 --out support-17.jsonl",
    "palimpsest export support-17 --keep-secrets | gzip > support-17.jsonl.gz",
  ],
  async run(invocation) {
    const [id = ""] = invocation.positionals;
    const secrets = invocation.flag("keep-secrets") ? "keep" : "redact";
    const out = invocation.text("out");
    const { print } = invocation.terminal;
    await withConversations(invocation, async (conversations) => {
      const lines = conversations.exportSession(id, { secrets });
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
    const text = `--out: ${path} cannot be written: ${describeFailure(error)}.`;
    throw new PalimpsestError("config-invalid", text, { details: { key: "out" }, cause: error });
  }
}
