/** `palimpsest import`: sessions from a file. Each is checked first, then written, and there whole or not at all. */
import { basename, extname } from "node:path";
import { readJsonFile } from "../../client/read-json-file.ts";
import { type LeftOut, readTranscripts, type Transcript } from "../../client/read-transcripts.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { checkExport, type Imported, type LineSource } from "../../engine/transfer/import-session.ts";
import type { Command, Invocation } from "../command.ts";
import { findServer, SERVER_OPTIONS } from "../connect-server.ts";
import { type Conversations, withConversations } from "../conversations.ts";
import { describeCount } from "../describe-count.ts";
import { EXIT_CODES, EXIT_DONE } from "../exit-codes.ts";
import { type ImportSource, openSource } from "../import/open-source.ts";
import { writeTranscript } from "../import/transcript-lines.ts";
import { isMissing, requireStore } from "../store-options.ts";

export const importCommand: Command = {
  usage: "import <file> [--id <session>] [--json]",
  about: [
    "Takes up a session that `palimpsest export` wrote; - reads the terminal. Count, checksum and every message",
    "are checked before anything is written; a file that is damaged, cut off or newer is refused.",
    "Any other file holds messages as JSON, or a message or conversation on each line: those of the AI SDK, OpenAI,",
    "Anthropic, Gemini and LangChain, exports of ChatGPT and LibreChat. Of several conversations each becomes a session;",
    "those that cannot be read are left out and named, and the command then ends with 3.",
  ],
  options: {
    ...SERVER_OPTIONS,
    id: {
      type: "string",
      value: "<session>",
      help: "The session's id here; without it the one in the file, or a new one.",
    },
  },
  words: [1, 1],
  examples: [
    "palimpsest import support-17.jsonl",
    "palimpsest import support-17.jsonl --id support-17-copy",
    "palimpsest import conversations.json --json",
  ],
  async run(invocation) {
    const [path = ""] = invocation.positionals;
    const source = await openSource(path);
    if (invocation.text("id") === "") throw new PalimpsestError("config-invalid", "--id: expected an id, found none.");
    const work = source.isExport
      ? await prepareExport(invocation, source.lines)
      : await prepareTranscripts(invocation, source);
    return withConversations(invocation, work, { createsStore: true });
  },
};

/** What is refused makes no store: where there is none yet, the file is read through before one is made. */
async function prepareExport(
  invocation: Invocation,
  given: LineSource,
): Promise<(conversations: Conversations) => Promise<number>> {
  const options = { id: invocation.text("id") };
  const makesStore = findServer(invocation) === undefined && (await isMissing(requireStore(invocation)));
  const lines = makesStore ? await checkExport(given, options) : given;
  return async (conversations) => {
    await tell(invocation, await conversations.importSession(lines, options));
    return EXIT_DONE;
  };
}

/** All that can be known of the file before a store is opened, or made. */
async function prepareTranscripts(
  invocation: Invocation,
  source: ImportSource,
): Promise<(conversations: Conversations) => Promise<number>> {
  const [path = ""] = invocation.positionals;
  const { transcripts, leftOut } = readTranscripts(parse(path, await source.readText()));
  const only = transcripts.length === 1;
  if (transcripts.length === 0) throw nothingIn(path, leftOut);
  if (invocation.text("id") !== undefined && !only) {
    const text = `--id: ${path} holds ${transcripts.length} conversations, and each needs an id of its own. Leave it out.`;
    throw new PalimpsestError("config-invalid", text);
  }
  const name = path === "-" ? undefined : basename(path, extname(path));
  const named = transcripts.map((transcript) => ({ ...transcript, title: transcript.title ?? name }));
  if (only && named[0] !== undefined) writeTranscript(named[0]);
  return (conversations) => takeUp(invocation, { conversations, transcripts: named, leftOut });
}

interface TakenUp {
  readonly conversations: Conversations;
  readonly transcripts: readonly Transcript[];
  readonly leftOut: readonly LeftOut[];
}

/** The newest in the list of sessions is the one that stands first in the file. */
async function takeUp(invocation: Invocation, { conversations, transcripts, leftOut }: TakenUp): Promise<number> {
  const refused: LeftOut[] = [];
  for (const transcript of transcripts.toReversed()) {
    try {
      const { lines } = writeTranscript(transcript, invocation.text("id"));
      await tell(invocation, await conversations.importSession(lines));
    } catch (error) {
      const isRefused = error instanceof PalimpsestError && error.code === "message-invalid";
      if (!isRefused || transcripts.length === 1) throw error;
      refused.push({ title: transcript.title ?? "one without a title", reason: error.message });
    }
  }
  const missing = [...leftOut, ...refused];
  for (const each of missing) await tellLeftOut(invocation, each);
  return missing.length === 0 ? EXIT_DONE : EXIT_CODES["message-invalid"];
}

async function tell({ flag, terminal, say }: Invocation, imported: Imported): Promise<void> {
  if (flag("json")) return terminal.print(JSON.stringify(imported));
  const { sessionId, entries, messages } = imported;
  const ofThem = describeCount(messages, "of them a message", "of them messages");
  await say(`${sessionId}: ${describeCount(entries, "entry", "entries")}, ${ofThem}`);
}

async function tellLeftOut({ flag, terminal }: Invocation, { title, reason }: LeftOut): Promise<void> {
  if (flag("json")) return terminal.print(JSON.stringify({ leftOut: { title, reason } }));
  terminal.note(`left out: ${title}: ${reason}`);
}

function parse(path: string, text: string): unknown {
  try {
    return readJsonFile(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new PalimpsestError("message-invalid", `import: ${path}: ${error.message} ${EXPECTED}`, { cause: error });
  }
}

const EXPECTED = "Expected an export, or messages as JSON; nothing was imported.";

function nothingIn(path: string, [first]: readonly LeftOut[]): PalimpsestError {
  const reason = first === undefined ? "" : ` ${first.title}: ${first.reason}.`;
  return new PalimpsestError("message-invalid", `import: there are no messages in ${path}.${reason} ${EXPECTED}`);
}
