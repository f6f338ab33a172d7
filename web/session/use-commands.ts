/** Commands of a session. Each shows a notice while it runs, and then its outcome. */
import { useCallback, useMemo, useRef } from "react";
import { clearHistory, dismissMessage, pinMessage, undoChange, unpinMessage } from "../api/changes.ts";
import { describeError } from "../api/errors.ts";
import { readLogPage, readNewestEntry, searchSession } from "../api/log.ts";
import { compactNow, describeNoCompaction, editSummary, resummarize } from "../api/summaries.ts";
import type { CompactionOutcome, PinOutcome, ShownMessage, UndoOutcome } from "../api/values.ts";
import type { Command } from "../chat/read-command.ts";
import { useSingleFlight } from "../hooks/limit-calls.ts";
import type { SummaryActions } from "../panels/summaries-panel.tsx";
import { formatCount, formatNumber } from "../ui/format.ts";
import type { Notices } from "../ui/notices.tsx";

/** Number of newest entries in which the user's last message is searched. */
const LAST_ENTRIES = 60;

export interface Commands {
  /** False if the command had no effect, so that the composer restores its text. */
  readonly run: (command: Command) => Promise<boolean>;
  readonly togglePin: (message: ShownMessage, isPinned: boolean) => void;
  /** Leaves a message out of recalled passages. */
  readonly dismiss: (messageId: string) => void;
  readonly pin: (messageId: string) => void;
  readonly summaryActions: SummaryActions;
}

export interface CommandsOptions {
  readonly sessionId: string;
  readonly notices: Notices;
  /** Called when the model's view has changed. */
  readonly onChange: () => Promise<unknown>;
}

const RUNNING: Readonly<Record<Command["name"], string>> = {
  compact: "Compacting…",
  resummarize: "Rewriting the summary…",
  clear: "Clearing the context…",
  pin: "Pinning…",
  undo: "Undoing…",
};

export function useCommands({ sessionId, notices, onChange }: CommandsOptions): Commands {
  const attempt = useAttempt(notices, onChange);
  const single = useSingleFlight();
  const run = useCallback(
    async (command: Command) => {
      let isDone = false;
      await single(`${command.name} ${command.argument}`, () =>
        attempt(RUNNING[command.name], async () => {
          const outcome = await execute(sessionId, command);
          isDone = outcome.isDone;
          return outcome.text;
        }),
      );
      return isDone;
    },
    [sessionId, attempt, single],
  );
  const togglePin = useCallback(
    (message: ShownMessage, isPinned: boolean) =>
      void single(`pin ${message.id}`, () =>
        attempt(isPinned ? "Unpinning…" : "Pinning…", async () => {
          if (!isPinned) return describePin(await pinMessage(sessionId, message.id)).text;
          await unpinMessage(sessionId, message.id);
          return "Unpinned: a compaction may summarize it.";
        }),
      ),
    [sessionId, attempt, single],
  );
  const { dismiss, pin } = useMemo(
    () => ({
      dismiss: (messageId: string) =>
        void single(`dismiss ${messageId}`, () =>
          attempt("Leaving the passage out…", async () => {
            await dismissMessage(sessionId, messageId);
            return "Left out: the model no longer reads this passage. Undo restores it.";
          }),
        ),
      pin: (messageId: string) =>
        void single(`pin ${messageId}`, () =>
          attempt("Pinning…", async () => describePin(await pinMessage(sessionId, messageId)).text),
        ),
    }),
    [sessionId, attempt, single],
  );
  const summaryActions = useMemo(
    (): SummaryActions => ({
      undo: (summaryId) =>
        void single(summaryId, () =>
          attempt("Undoing the summary…", async () => describeSummaryUndo(await undoChange(sessionId, summaryId))),
        ),
      edit: (text) =>
        attempt("Saving the summary…", async () => {
          await editSummary(sessionId, text);
          return "Saved: the model reads this text from now on.";
        }),
      regenerate: () => void run({ name: "resummarize", argument: "" }),
    }),
    [sessionId, attempt, run, single],
  );
  return { run, togglePin, dismiss, pin, summaryActions };
}

/** Returns a function that runs some work and shows its progress and outcome; it returns false if the work failed. */
function useAttempt({ notify, dismiss }: Notices, onChange: () => Promise<unknown>) {
  const last = useRef<number | undefined>(undefined);
  return useCallback(
    async (progress: string, work: () => Promise<string>) => {
      const id = notify(progress, "running");
      try {
        const text = await work();
        dismiss(id);
        // The outcome of an earlier command may no longer be true.
        if (last.current !== undefined) dismiss(last.current);
        last.current = notify(text);
        await onChange();
        return true;
      } catch (error) {
        dismiss(id);
        notify(describeError(error), "failed");
        return false;
      }
    },
    [notify, dismiss, onChange],
  );
}

interface Outcome {
  readonly text: string;
  readonly isDone: boolean;
}

async function execute(sessionId: string, { name, argument }: Command): Promise<Outcome> {
  switch (name) {
    case "clear":
      // A second clear would change nothing, and undoing it would show no effect.
      if ((await readNewestEntry(sessionId))?.type === "clear") {
        return { text: "The context is already clear.", isDone: true };
      }
      await clearHistory(sessionId);
      return { text: "Context cleared. The log keeps everything, and Undo restores the context.", isDone: true };
    case "pin":
      return argument === "" ? pinLast(sessionId) : pinMatch(sessionId, argument);
    case "undo":
      return { text: describeUndo(await undoChange(sessionId)), isDone: true };
    case "compact":
      return describeCompaction(await compactNow(sessionId, argument));
    case "resummarize":
      return describeRewrite(await resummarize(sessionId, argument));
  }
}

async function pinLast(sessionId: string): Promise<Outcome> {
  const { entries } = await readLogPage(sessionId, { limit: LAST_ENTRIES, newestFirst: true });
  const last = entries.findLast(({ message }) => message?.role === "user");
  if (last === undefined) return { text: "Nothing to pin yet.", isDone: false };
  return describePin(await pinMessage(sessionId, last.id));
}

/** Pins the message that matches the text best, and shows which one it is. */
async function pinMatch(sessionId: string, query: string): Promise<Outcome> {
  const [best, ...others] = await searchSession(sessionId, query);
  if (best === undefined) return { text: "Not pinned: no message has this text.", isDone: false };
  const { text, isDone } = describePin(await pinMessage(sessionId, best.messageId));
  const more = others.length === 0 ? "" : ` ${formatCount(others.length, "other message")} matched too.`;
  return { text: `${text} Message ${best.seq}: “${(best.before + best.match + best.after).trim()}”.${more}`, isDone };
}

function describePin({ type }: PinOutcome): Outcome {
  return type === "pinned"
    ? { text: "Pinned: the model reads it in every prompt.", isDone: true }
    : { text: "Not pinned: pins can use at most a quarter of the budget.", isDone: false };
}

function describeCompaction(outcome: CompactionOutcome): Outcome {
  if (outcome.type !== "compacted") return { text: `Not compacted. ${describeNoCompaction(outcome)}`, isDone: false };
  return { text: `Compacted: ${describeSizes(outcome)}.`, isDone: true };
}

function describeRewrite(outcome: CompactionOutcome): Outcome {
  if (outcome.type !== "compacted") return { text: `Not rewritten. ${describeNoCompaction(outcome)}`, isDone: false };
  return { text: `Summary rewritten: ${describeSizes(outcome)}.`, isDone: true };
}

function describeSizes({ report }: Extract<CompactionOutcome, { readonly type: "compacted" }>): string {
  return `${formatNumber(report.tokensBefore)} → ${formatCount(report.tokensAfter, "token")}`;
}

const SUMMARY_UNDONE = "Summary undone. The model reads the messages again.";

/** Most important first: one compaction can also prune. */
const UNDO_TEXTS: readonly (readonly [kind: string, text: string])[] = [
  ["summary", SUMMARY_UNDONE],
  ["clear", "Clear undone. The model reads the earlier messages again."],
  ["truncate", "Truncation undone. The model reads the earlier messages again."],
  ["prune", "Pruning undone. The model reads the whole output again."],
  ["dismiss", "Undone. Recalled passages quote the message again."],
  ["unpin", "Unpin undone. The message is pinned again."],
  ["pin", "Pin undone. A compaction may summarize the message."],
];

function describeUndo(outcome: UndoOutcome): string {
  if (outcome.type === "undone") {
    return UNDO_TEXTS.find(([kind]) => outcome.undid.kinds.includes(kind))?.[1] ?? "Undone.";
  }
  return outcome.type === "not-undoable" ? "This cannot be undone: its text was deleted." : "Nothing to undo.";
}

function describeSummaryUndo({ type }: UndoOutcome): string {
  if (type === "undone") return SUMMARY_UNDONE;
  if (type === "not-newest") {
    return "There is a newer change. Undo that first, with the Undo button below the conversation.";
  }
  return "This summary cannot be undone here: it belongs to another conversation, or its text was deleted.";
}
