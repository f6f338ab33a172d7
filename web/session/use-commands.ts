/** What can be done to a session besides talking: each says what it did, or why it could not. */
import { useCallback, useRef } from "react";
import { clearHistory, pinMessage, type Undone, undoLast, unpinMessage } from "../api/change-past.ts";
import { readPage } from "../api/log.ts";
import { showEntries } from "../api/read-entries.ts";
import { sayError } from "../api/say-error.ts";
import { forkSession } from "../api/sessions.ts";
import { type Compacted, compactNow, resummarize } from "../api/summaries.ts";
import type { LogItem, ShownMessage } from "../api/values.ts";
import type { Command } from "../chat/read-command.ts";
import { goTo } from "../hooks/use-place.ts";
import type { Notices } from "../notices.tsx";
import { writeCount, writeWhole } from "../write-figures.ts";

/** Among these somebody has said something. */
const LAST_ENTRIES = 60;

export type Attempt = (running: string, work: () => Promise<string>) => Promise<boolean>;

export interface Commands {
  readonly run: (command: Command) => void;
  /** Says what is being done, then what came of it; false where it failed. */
  readonly attempt: Attempt;
  readonly pin: (message: ShownMessage, isPinned: boolean) => void;
  /** Goes on from a message in another conversation. */
  readonly fork: (message: ShownMessage) => void;
}

export interface CommandsOptions {
  readonly sessionId: string;
  readonly tell: Notices["tell"];
  readonly drop: Notices["drop"];
  /** The view has changed. */
  readonly onChange: () => Promise<unknown>;
}

const RUNNING: Readonly<Record<Command["name"], string>> = {
  compact: "Folding what is old…",
  resummarize: "Writing the summary anew…",
  clear: "Starting over…",
  pin: "Pinning…",
  undo: "Taking it back…",
};

export function useCommands({ sessionId, tell, drop, onChange }: CommandsOptions): Commands {
  const told = useRef<number | undefined>(undefined);
  const attempt = useCallback(
    async (running: string, work: () => Promise<string>) => {
      const id = tell(running, "running");
      try {
        const said = await work();
        drop(id);
        // What was told before may hold no more: after an undo nothing was started over.
        if (told.current !== undefined) drop(told.current);
        told.current = tell(said);
        await onChange();
        return true;
      } catch (error) {
        drop(id);
        tell(sayError(error), "failed");
        return false;
      }
    },
    [tell, drop, onChange],
  );
  const run = useCallback(
    ({ name, words }: Command) => void attempt(RUNNING[name], () => carryOut(sessionId, { name, words })),
    [sessionId, attempt],
  );
  const pin = useCallback(
    (message: ShownMessage, isPinned: boolean) =>
      void attempt(isPinned ? "Unpinning…" : "Pinning…", async () => {
        if (isPinned) {
          await unpinMessage(sessionId, message.id);
          return "Unpinned: it may be folded like any other.";
        }
        return sayPin(await pinMessage(sessionId, message.id));
      }),
    [sessionId, attempt],
  );
  const fork = useCallback(
    (message: ShownMessage) =>
      void forkSession(sessionId, message.lastSeq).then(
        (id) => goTo({ type: "session", id, seq: undefined }),
        (error: unknown) => tell(sayError(error), "failed"),
      ),
    [sessionId, tell],
  );
  return { run, attempt, pin, fork };
}

async function carryOut(sessionId: string, { name, words }: Command): Promise<string> {
  switch (name) {
    case "clear":
      await clearHistory(sessionId);
      return "Started over. The log keeps everything, and Undo brings it back.";
    case "pin": {
      const id = await findLastAsked(sessionId);
      return id === undefined ? "There is nothing to pin yet." : sayPin(await pinMessage(sessionId, id));
    }
    case "undo":
      return sayUndo(await undoLast(sessionId));
    case "compact":
      return sayCompacted(await compactNow(sessionId, words));
    case "resummarize":
      return sayCompacted(await resummarize(sessionId, words));
  }
}

function sayCompacted({ type, reason, tokensBefore, tokensAfter }: Compacted): string {
  if (type === "compacted") return `Folded: ${writeWhole(tokensBefore)} → ${writeCount(tokensAfter, "token")}.`;
  if (type === "busy") return "Another compaction of this conversation is under way.";
  if (type === "stale") return "The conversation changed meanwhile; try again.";
  return `Nothing was folded. ${reason}`;
}

/** The first of them that was done; a fold may come with prunes. */
const UNDONE: readonly (readonly [kind: string, said: string])[] = [
  ["summary", "Taken back: the summary. The model reads what it read before."],
  ["clear", "Taken back: starting over. The model reads again what came before."],
  ["truncate", "Taken back: leaving out what came before. The model reads it again."],
  ["prune", "Taken back: the pruning. The model reads the whole of it again."],
  ["unpin", "Taken back: the unpinning. It is pinned again."],
  ["pin", "Taken back: the pin. It may be folded like any other."],
];

function sayUndo({ type, kinds }: Undone): string {
  if (type === "undone") return UNDONE.find(([kind]) => kinds.includes(kind))?.[1] ?? "Taken back.";
  if (type === "not-undoable") return "That cannot be taken back: its text was deleted.";
  return "There is nothing to take back.";
}

/** What somebody said last, as far as that is not long ago. */
async function findLastAsked(sessionId: string): Promise<string | undefined> {
  const { entries } = await readPage(sessionId, { limit: LAST_ENTRIES, newestFirst: true });
  const asked = showEntries(entries, { sessionId }).findLast(isAsked);
  return asked?.type === "message" ? asked.message.id : undefined;
}

function isAsked(item: LogItem): boolean {
  return item.type === "message" && item.message.role === "user";
}

function sayPin(type: string): string {
  if (type === "pinned") return "Pinned: the model reads it in every prompt.";
  return type === "pins-exceed-budget"
    ? "Not pinned: pins may take a quarter of the budget at most."
    : "It was pinned already.";
}
