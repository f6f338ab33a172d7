/** Shows how much of a long session is folded, while the server folds it for the first time, such as after an import. */
import { useCallback, useEffect, useRef } from "react";
import { type Fields, readNumber } from "../../src/client/fields.ts";
import { formatNumber } from "../ui/format.ts";
import type { Notices } from "../ui/notices.tsx";

/** The end of a first fold has no event of its own: the notice goes when no progress was reported for this time. */
const SILENCE_MS = 10_000;

export function useFoldProgress({ notify, dismiss }: Notices): (name: string, data: Fields) => void {
  const shown = useRef<{ readonly notice: number; readonly text: string } | undefined>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const end = useCallback(() => {
    clearTimeout(timer.current);
    if (shown.current !== undefined) dismiss(shown.current.notice);
    shown.current = undefined;
  }, [dismiss]);
  useEffect(() => end, [end]);
  return useCallback(
    (name: string, data: Fields) => {
      // A prompt or a compaction follows the first fold.
      if (name === "prompt" || name === "compaction" || name === "missed") end();
      if (name !== "catch-up") return;
      const text = describeProgress(data);
      if (shown.current?.text !== text) {
        end();
        shown.current = { notice: notify(text, "running"), text };
      }
      clearTimeout(timer.current);
      timer.current = setTimeout(end, SILENCE_MS);
    },
    [notify, end],
  );
}

function describeProgress(data: Fields): string {
  const [folded, all] = [readNumber(data.foldedThroughSeq), readNumber(data.lastSeq)];
  const percent = all === 0 ? 0 : Math.floor((100 * folded) / all);
  return `Summarizing earlier messages: ${percent} % of ${formatNumber(all)} entries.`;
}
