/** Finds recorded sessions: files of other tools, folders of them, or sessions of a store or server. */
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import type { Client } from "../../client/index.ts";
import type { MessageEntry } from "../../core/log/entry.ts";
import { findTranscripts } from "../../importers/folder/find-transcripts.ts";
import type { TranscriptFile } from "../../importers/folder/transcript-file.ts";
import { readTranscript } from "../../importers/read-transcript.ts";
import type { TranscriptEvent } from "../../ports/transcript.ts";
import { collectSessions, type RecordedSession } from "../../replay/recorded-session.ts";
import { readEntries } from "../setup/open-session.ts";
import { CommandFailure, EXIT_USAGE } from "../terminal/command.ts";
import { explainError } from "../terminal/terminal-text.ts";

/** Lists the named files, and those of folders in the order of their paths, as an import does. */
export async function findFiles(paths: readonly string[]): Promise<readonly TranscriptFile[]> {
  const found = await Promise.all(paths.map(listFiles));
  return found.flat();
}

async function listFiles(path: string): Promise<readonly TranscriptFile[]> {
  const stats = await stat(path).catch((error: unknown) => {
    throw new CommandFailure(`${path} cannot be read: ${explainError(error)}.`, EXIT_USAGE);
  });
  if (stats.isDirectory()) return findTranscripts(path);
  const name = basename(path);
  return [{ path: name, name, bytes: stats.size, open: () => createReadStream(path) }];
}

/** Files of no known format are reported and left out. */
export async function* readFiles(
  files: readonly TranscriptFile[],
  onProblem: (file: TranscriptFile, reason: string) => void,
): AsyncGenerator<RecordedSession> {
  for (const file of files) {
    try {
      yield* await collectSessions(readTranscript(file.open(), { name: file.name }), file.path, ({ place, reason }) =>
        onProblem(file, `${place}: ${reason}`),
      );
    } catch (error) {
      onProblem(file, explainError(error));
    }
  }
}

const PAGE = 100;

/** Reads one session of a store or server, or all of them. */
export async function* readStored(client: Client, only: string | undefined): AsyncGenerator<RecordedSession> {
  for await (const id of only === undefined ? listIds(client) : [only]) {
    const entries = await readEntries({ client, params: { id } }, { types: ["message"] });
    yield* await collectSessions(
      toEvents(
        id,
        entries.filter((entry) => entry.type === "message"),
      ),
      id,
    );
  }
}

async function* listIds(client: Client): AsyncGenerator<string> {
  for (let before: string | undefined; ; ) {
    const { sessions, next } = await client.listSessions({ query: { limit: PAGE, before } });
    for (const { id } of sessions) yield id;
    if (next === undefined) return;
    before = next;
  }
}

async function* toEvents(session: string, entries: readonly MessageEntry[]): AsyncGenerator<TranscriptEvent> {
  yield { type: "session", session, format: "palimpsest" };
  for (const { message, at, usage } of entries) {
    yield { type: "message", session, message: { ...message, saidAt: message.saidAt ?? at }, usage };
  }
}
