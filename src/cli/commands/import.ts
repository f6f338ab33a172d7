/** `palimpsest import`: imports our own exports, and session files of other tools: a file, a folder or stdin. */
import type { Client } from "../../client/index.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { FORMAT_NAMES } from "../../core/message/formats/format.ts";
import {
  TOOL_FORMATS,
  TRANSCRIPT_FORMATS,
  type TranscriptFormatName,
} from "../../core/message/formats/tool-formats.ts";
import { checkExport, type LineSource } from "../../engine/transfer/import-session.ts";
import { splitLines } from "../../engine/transfer/split-lines.ts";
import { describeProblems, describeSessions, type ImportedFile } from "../import/describe-import.ts";
import { type ImportSource, openSource } from "../import/open-source.ts";
import { findServer, SERVER_OPTIONS, withServer } from "../setup/connect-server.ts";
import { isMissing, readStoreAddress } from "../setup/store-options.ts";
import { type Command, EXIT_CODES, EXIT_DONE, type Invocation } from "../terminal/command.ts";
import { limitHeapGrowth } from "../terminal/node-process.ts";
import { invalidCliOption, readChoice, readId } from "../terminal/read-option.ts";
import { describeCount } from "../terminal/terminal-text.ts";

/** An import creates much and keeps little. */
const NEW_SPACE_BYTES = 16 * 1024 * 1024;

export const command: Command = {
  usage: "import <file | folder | -> [--id <session>] [--format <name>] [--dry-run] [--json]",
  about: [
    "Imports a session that `palimpsest export` wrote, all or nothing, or session files of other tools; - reads stdin.",
    `Tools: ${TOOL_FORMATS.join(", ")}.`,
    `Messages as JSON or JSON Lines: ${FORMAT_NAMES.join(", ")}.`,
    "The format is recognized. Records that cannot be read are skipped and listed, and the exit code is then 3.",
    "Importing a file again, or a longer version of it, adds only what is new; so does continuing an interrupted import.",
  ],
  options: {
    ...SERVER_OPTIONS,
    id: { value: "<session>", help: "Id of the session. Default: the id in the file, or one derived from it." },
    format: { value: "<name>", help: "Reads the file as this format instead of recognizing it." },
    "dry-run": { help: "Only show what the file or folder contains." },
  },
  positionalCount: [1, 1],
  examples: [
    "palimpsest import ~/.claude/projects",
    "palimpsest import conversations.json --json",
    "palimpsest import support-17.jsonl --id support-17-copy",
    "palimpsest import ~/.codex/sessions --dry-run",
  ],
  async run(invocation) {
    const [path = ""] = invocation.positionals;
    const [id, format] = [readId(invocation, "id"), readChoice(invocation, "format", TRANSCRIPT_FORMATS)];
    if (invocation.terminal.hasOwnProcess) limitHeapGrowth(NEW_SPACE_BYTES);
    const source = await openSource(path);
    if (source.type === "folder" && (id ?? format) !== undefined) {
      throw invalidCliOption(id === undefined ? "format" : "id", `${path} is a folder. Import its files one by one.`);
    }
    if (source.type === "export") return importExport(invocation, source.lines);
    if (invocation.flag("dry-run")) return takeSource(invocation, source, { take: readOnly(format), format });
    const { read } = source.type === "folder" ? { read: undefined } : { read: await recognize(source, format) };
    const ready = read === undefined ? source : { ...source, bytes: read };
    return withServer(invocation, { createsStore: true }, ({ client }) =>
      takeSource(invocation, ready, { take: importWith(client, { id, format }), format }),
    );
  },
};

type TakeFile = (bytes: AsyncIterable<Uint8Array>, name: string | undefined) => Promise<ImportedFile>;

interface TakeOptions {
  readonly take: TakeFile;
  readonly format: TranscriptFormatName | undefined;
}

async function takeSource(
  invocation: Invocation,
  source: Exclude<ImportSource, { type: "export" }>,
  { take }: TakeOptions,
): Promise<number> {
  if (source.type === "folder") {
    const { importFolder } = await import("../import/import-folder.ts");
    return importFolder(invocation, source.path, take);
  }
  return printImported(invocation, await take(source.bytes, source.name));
}

/** A file of no known format must not create a store. */
async function recognize(
  source: Extract<ImportSource, { type: "transcript" }>,
  format: TranscriptFormatName | undefined,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  if (format !== undefined) return undefined;
  const { recognizeTranscript } = await import("../../importers/read-transcript.ts");
  return (await recognizeTranscript(source.bytes, { name: source.name })).bytes;
}

function importWith(
  client: Client,
  options: { readonly id: string | undefined; readonly format: TranscriptFormatName | undefined },
): TakeFile {
  return async (bytes, name) => {
    const lines = bytes as AsyncIterable<Uint8Array<ArrayBuffer>>;
    return (await client.importSession({ query: { ...options, name }, lines })) as ImportedFile;
  };
}

/** Reads a file without storing anything. */
function readOnly(format: TranscriptFormatName | undefined): TakeFile {
  return async (bytes, name) => {
    const { surveyTranscript } = await import("../../importers/survey-transcript.ts");
    return surveyTranscript(bytes, { name, format });
  };
}

async function printImported(invocation: Invocation, imported: ImportedFile): Promise<number> {
  const { flag, terminal, say, positionals } = invocation;
  if (imported.sessions.length === 0 && !flag("json")) {
    for (const line of describeProblems(imported)) terminal.note(line);
    throw new PalimpsestError("message-invalid", `import: there are no messages in ${positionals[0] ?? "the file"}.`);
  }
  if (flag("json")) await terminal.print(JSON.stringify(imported));
  else {
    for (const line of describeSessions(imported)) await say(line);
    for (const line of describeProblems(imported)) terminal.note(line);
  }
  return imported.skipped === 0 && imported.sessions.length > 0 ? EXIT_DONE : EXIT_CODES["message-invalid"];
}

/** A refused export must not create a store: if there is none yet, the whole file is checked first. */
async function importExport(invocation: Invocation, given: LineSource): Promise<number> {
  const options = { id: invocation.text("id") };
  const makesStore = findServer(invocation) === undefined && (await isMissing(readStoreAddress(invocation)));
  const isDry = invocation.flag("dry-run");
  const lines = makesStore || isDry ? await checkExport(given, options) : given;
  if (isDry) {
    await invocation.say("An export of Palimpsest, complete and undamaged.");
    return EXIT_DONE;
  }
  return withServer(invocation, { createsStore: true }, async ({ client }) => {
    const source = splitLines(typeof lines === "function" ? lines() : lines);
    const { sessionId, entries, messages } = await client.importSession({ query: options, lines: source });
    const ofThem = describeCount(messages, "of them a message", "of them messages");
    if (invocation.flag("json")) await invocation.terminal.print(JSON.stringify({ sessionId, entries, messages }));
    else await invocation.say(`${sessionId}: ${describeCount(entries, "entry", "entries")}, ${ofThem}`);
    return EXIT_DONE;
  });
}
