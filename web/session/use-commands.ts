/** What can be done to a session besides talking: each says what it did, or why it could not. */
import { useCallback, useRef } from "react";
import { clearHistory, pinMessage, type Undone, undoLast, unpinMessage } from "../api/changes.ts";
import { sayError } from "../api/errors.ts";
import { readNewest, readPage, searchSession } from "../api/log.ts";
import { showEntries } from "../api/read-entries.ts";
import { type Compacted, compactNow, resummarize } from "../api/summaries.ts";
import type { LogItem, ShownMessage } from "../api/values.ts";
import type { Command } from "../chat/read-command.ts";
import { useSingle } from "../hooks/limit-calls.ts";
import { writeCount, writeWhole } from "../ui/format.ts";
import type { Notices } from "../ui/notices.tsx";

/** Among these somebody has said something. */
const LAST_ENTRIES = 60;

export type Attempt = (running: string, work: () => Promise<string>) => Promise<boolean>;

export interface Commands {
  /** False where nothing came of it, so that nobody has to write its words again. */
  readonly run: (command: Command) => Promise<boolean>;
  /** Says what is being done, then what came of it; false where it failed. */
  readonly attempt: Attempt;
  readonly pin: (message: ShownMessage, isPinned: boolean) => void;
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
  const single = useSingle();
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
    async (command: Command) => {
      let isDone = false;
      await single(`${command.name} ${command.words}`, () =>
        attempt(RUNNING[command.name], async () => {
          const outcome = await carryOut(sessionId, command);
          isDone = outcome.isDone;
          return outcome.said;
        }),
      );
      return isDone;
    },
    [sessionId, attempt, single],
  );
  const pin = useCallback(
    (message: ShownMessage, isPinned: boolean) =>
      void single(`pin ${message.id}`, () =>
        attempt(isPinned ? "Unpinning…" : "Pinning…", async () => {
          if (!isPinned) return sayPin(await pinMessage(sessionId, message.id)).said;
          await unpinMessage(sessionId, message.id);
          return "Unpinned: it may be folded like any other.";
        }),
      ),
    [sessionId, attempt, single],
  );
  return { run, attempt, pin };
}

interface Outcome {
  readonly said: string;
  readonly isDone: boolean;
}

async function carryOut(sessionId: string, { name, words }: Command): Promise<Outcome> {
  switch (name) {
    case "clear":
      // A second one would change nothing, and whoever takes one back would see nothing come back.
      if ((await readNewest(sessionId))?.fields.type === "clear") {
        return { said: "Nothing was said since you started over.", isDone: true };
      }
      await clearHistory(sessionId);
      return { said: "Started over. The log keeps everything, and Undo brings it back.", isDone: true };
    case "pin":
      return words === "" ? pinLast(sessionId) : pinNamed(sessionId, words);
    case "undo":
      return { said: sayUndo(await undoLast(sessionId)), isDone: true };
    case "compact":
      return sayCompacted(await compactNow(sessionId, words));
    case "resummarize":
      return sayCompacted(await resummarize(sessionId, words));
  }
}

async function pinLast(sessionId: string): Promise<Outcome> {
  const id = await findLastAsked(sessionId);
  if (id === undefined) return { said: "There is nothing to pin yet.", isDone: false };
  return sayPin(await pinMessage(sessionId, id));
}

/** The message that has these words, the best where several do. Which one it is, is said. */
async function pinNamed(sessionId: string, words: string): Promise<Outcome> {
  const [best, ...others] = await searchSession(sessionId, words);
  if (best === undefined) return { said: "Nothing was pinned: nobody said these words here.", isDone: false };
  const { said, isDone } = sayPin(await pinMessage(sessionId, best.messageId));
  const more = others.length === 0 ? "" : ` ${writeCount(others.length, "other")} would have fitted too.`;
  return { said: `${said} Message ${best.seq}: “${(best.before + best.match + best.after).trim()}”.${more}`, isDone };
}

function sayCompacted({ type, reason, tokensBefore, tokensAfter }: Compacted): Outcome {
  if (type === "compacted") {
    return { said: `Folded: ${writeWhole(tokensBefore)} → ${writeCount(tokensAfter, "token")}.`, isDone: true };
  }
  if (type === "busy") return { said: "Another compaction of this conversation is under way.", isDone: false };
  if (type === "stale") return { said: "The conversation changed meanwhile; try again.", isDone: false };
  return { said: `Nothing was folded. ${reason}`, isDone: false };
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

function sayPin(type: string): Outcome {
  if (type === "pinned") return { said: "Pinned: the model reads it in every prompt.", isDone: true };
  return type === "pins-exceed-budget"
    ? { said: "Not pinned: pins may take a quarter of the budget at most.", isDone: false }
    : { said: "It was pinned already.", isDone: true };
}
