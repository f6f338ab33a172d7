/** The file of `--resume`: one line for each finished session, under a hash of the session and of the settings. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { isObject } from "../../core/check-value.ts";
import type { RecordedSession } from "../../replay/recorded-session.ts";
import type { SessionReplay } from "../../replay/replay-session.ts";
import { invalidCliOption } from "../terminal/read-option.ts";
import { explainError } from "../terminal/terminal-text.ts";

export interface ReplayFile {
  readonly find: (session: RecordedSession) => SessionReplay | undefined;
  readonly add: (session: RecordedSession, replay: SessionReplay) => Promise<void>;
}

/** Figures of another version are not used again. */
const VERSION = 1;

export function openReplayFile(path: string | undefined, settings: object): ReplayFile {
  if (path === undefined) return { find: () => undefined, add: async () => undefined };
  const known = readKnown(path);
  const keyOf = (session: RecordedSession) =>
    createHash("sha256")
      .update(JSON.stringify([VERSION, settings, session]))
      .digest("hex");
  return {
    find: (session) => known.get(keyOf(session)),
    async add(session, replay) {
      try {
        await appendFile(path, `${JSON.stringify({ key: keyOf(session), replay })}\n`);
      } catch (error) {
        throw invalidCliOption("resume", `${path} cannot be written: ${explainError(error)}.`, error);
      }
    },
  };
}

/** Rows of this command have all fields; another program's row is not used. */
function isReplay(value: unknown): value is SessionReplay {
  if (!isObject(value) || typeof value.name !== "string" || !isObject(value.policies)) return false;
  return Object.values(value.policies).every((result) => isObject(result) && Array.isArray(result.points));
}

/** The last line may be unfinished, if the process was killed. */
function readKnown(path: string): ReadonlyMap<string, SessionReplay> {
  const known = new Map<string, SessionReplay>();
  if (!existsSync(path)) return known;
  if (!statSync(path).isFile()) throw invalidCliOption("resume", `${path} is not a file.`);
  for (const line of readFileSync(path, "utf8").split("\n")) {
    try {
      const row: unknown = JSON.parse(line);
      if (isObject(row) && typeof row.key === "string" && isReplay(row.replay)) known.set(row.key, row.replay);
    } catch {
      // Its session is replayed again.
    }
  }
  return known;
}
