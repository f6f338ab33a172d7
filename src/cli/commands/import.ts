/** `palimpsest import`: imports sessions from a file. Each is checked first and imported completely or not at all. */
import { basename, extname } from "node:path";
import { type Client, ClientError } from "../../client/index.ts";
import { type ChatTranscript, readJsonFile, readTranscripts, type SkippedItem } from "../../client/read-transcripts.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { FORMAT_NAMES } from "../../core/message/formats/format.ts";
import { checkExport, type ImportResult, type LineSource } from "../../engine/transfer/import-session.ts";
import { splitLines } from "../../engine/transfer/split-lines.ts";
import { type ImportSource, openSource } from "../import/open-source.ts";
import { writeTranscript } from "../import/transcript-lines.ts";
import { findServer, SERVER_OPTIONS, withServer } from "../setup/connect-server.ts";
import { isMissing, requireStore } from "../setup/store-options.ts";
import { type Command, EXIT_CODES, EXIT_DONE, type Invocation } from "../terminal/command.ts";
import { invalidCliOption, readId } from "../terminal/read-option.ts";
import { describeCount } from "../terminal/terminal-text.ts";

export const command: Command = {
  usage: "import <file> [--id <session>] [--json]",
  about: [
    "Imports a session that `palimpsest export` wrote; - reads stdin. Count, checksum and every message are checked",
    "before anything is written; a damaged, incomplete or newer file is refused.",
    "Also reads exports of ChatGPT and LibreChat, and messages as JSON, or one message or conversation per line, in the",
    `formats ${FORMAT_NAMES.join(", ")}.`,
    "Each conversation becomes a session.",
    "Conversations that cannot be read are skipped and listed, and the exit code is then 3.",
  ],
  options: {
    ...SERVER_OPTIONS,
    id: { value: "<session>", help: "Id of the session. Default: the id in the file, or a new one." },
  },
  positionalCount: [1, 1],
  examples: [
    "palimpsest import support-17.jsonl",
    "palimpsest import support-17.jsonl --id support-17-copy",
    "palimpsest import conversations.json --json",
  ],
  async run(invocation) {
    const [path = ""] = invocation.positionals;
    const source = await openSource(path);
    readId(invocation, "id");
    const work = source.isExport
      ? await prepareExport(invocation, source.lines)
      : await prepareTranscripts(invocation, source);
    return withServer(invocation, { createsStore: true }, ({ client }) => work(client));
  },
};

/** A refused file must not create a store: if there is none yet, the whole file is checked first. */
async function prepareExport(invocation: Invocation, given: LineSource): Promise<(client: Client) => Promise<number>> {
  const options = { id: invocation.text("id") };
  const makesStore = findServer(invocation) === undefined && (await isMissing(requireStore(invocation)));
  const lines = makesStore ? await checkExport(given, options) : given;
  return async (client) => {
    const source = splitLines(typeof lines === "function" ? lines() : lines);
    await printImported(invocation, await client.importSession({ query: options, lines: source }));
    return EXIT_DONE;
  };
}

/** Checks the file as far as possible before a store is opened or created. */
async function prepareTranscripts(
  invocation: Invocation,
  source: ImportSource,
): Promise<(client: Client) => Promise<number>> {
  const [path = ""] = invocation.positionals;
  const { transcripts, leftOut } = readTranscripts(parseImportFile(path, await source.readText()));
  const only = transcripts.length === 1;
  if (transcripts.length === 0) throw nothingToImport(path, leftOut);
  if (invocation.text("id") !== undefined && !only) {
    const count = transcripts.length;
    throw invalidCliOption("id", `${path} contains ${count} conversations, and each needs its own id. Leave out --id.`);
  }
  const name = path === "-" ? undefined : basename(path, extname(path));
  const named = transcripts.map((transcript) => ({ ...transcript, title: transcript.title ?? name }));
  if (only && named[0] !== undefined) writeTranscript(named[0]);
  return async (client) => {
    const missing = [...leftOut, ...(await importAll(invocation, client, named))];
    for (const each of missing) await printSkipped(invocation, each);
    return missing.length === 0 ? EXIT_DONE : EXIT_CODES["message-invalid"];
  };
}

/** Returns the conversations that were refused. Imports the last one first, so that the first is the newest session. */
async function importAll(
  invocation: Invocation,
  client: Client,
  transcripts: readonly ChatTranscript[],
): Promise<readonly SkippedItem[]> {
  const refused: SkippedItem[] = [];
  for (const transcript of transcripts.toReversed()) {
    try {
      const { lines } = writeTranscript(transcript, invocation.text("id"));
      await printImported(invocation, await client.importSession({ query: {}, lines }));
    } catch (error) {
      const isKnown = error instanceof PalimpsestError || error instanceof ClientError;
      if (!isKnown || error.code !== "message-invalid" || transcripts.length === 1) throw error;
      refused.push({ title: transcript.title ?? "a conversation without a title", reason: error.message });
    }
  }
  return refused;
}

async function printImported({ flag, terminal, say }: Invocation, imported: ImportResult): Promise<void> {
  if (flag("json")) return terminal.print(JSON.stringify(imported));
  const { sessionId, entries, messages } = imported;
  const ofThem = describeCount(messages, "of them a message", "of them messages");
  await say(`${sessionId}: ${describeCount(entries, "entry", "entries")}, ${ofThem}`);
}

async function printSkipped({ flag, terminal }: Invocation, { title, reason }: SkippedItem): Promise<void> {
  if (flag("json")) return terminal.print(JSON.stringify({ leftOut: { title, reason } }));
  terminal.note(`skipped: ${title}: ${reason}`);
}

function parseImportFile(path: string, text: string): unknown {
  try {
    return readJsonFile(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new PalimpsestError("message-invalid", `import: ${path}: ${error.message} ${EXPECTED}`, { cause: error });
  }
}

const EXPECTED = "Expected an export, or messages as JSON; nothing was imported.";

function nothingToImport(path: string, [first]: readonly SkippedItem[]): PalimpsestError {
  const reason = first === undefined ? "" : ` ${first.title}: ${first.reason}.`;
  return new PalimpsestError("message-invalid", `import: there are no messages in ${path}.${reason} ${EXPECTED}`);
}
