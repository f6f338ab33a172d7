/** What can be done to the summary that the model reads: other words by hand, other words by whoever wrote it, or none. */
import { useMemo } from "react";
import { undoLast } from "../api/changes.ts";
import { editSummary } from "../api/summaries.ts";
import { useSingle } from "../hooks/limit-calls.ts";
import type { Commands } from "./use-commands.ts";

export interface SummaryChanges {
  /** Takes back this one and nothing else. */
  readonly undo: (summaryId: string) => void;
  /** False where the words could not be saved. */
  readonly edit: (text: string) => Promise<boolean>;
  readonly regenerate: () => void;
}

export function useSummaryChanges(sessionId: string, { attempt, run }: Commands): SummaryChanges {
  const single = useSingle();
  return useMemo(
    () => ({
      undo: (summaryId) =>
        void single(summaryId, () =>
          attempt("Taking the summary back…", async () => sayUndo((await undoLast(sessionId, summaryId)).type)),
        ),
      edit: (text) =>
        attempt("Saving the summary…", async () => {
          await editSummary(sessionId, text);
          return "Saved: the model reads these words from now on.";
        }),
      regenerate: () => void run({ name: "resummarize", words: "" }),
    }),
    [sessionId, attempt, run, single],
  );
}

function sayUndo(type: string): string {
  if (type === "undone") return "Taken back: the summary. The model reads what it read before.";
  if (type === "not-newest") {
    return "Something else was changed since. Take that back first: Undo, under the conversation, takes the newest.";
  }
  return "This summary cannot be taken back here: it came from another conversation, or its text was deleted.";
}
