/**
 * Compactions that nobody asked for by name, told as they happen: that one began, what it did, or why it failed. One
 * that found nothing to do leaves no trace. What somebody asked for is told by whoever carried it out.
 */
import { useCallback, useRef } from "react";
import { type Fields, readFields, readList, readNumber, readText } from "../api/fields.ts";
import { writeWhole } from "../ui/format.ts";
import type { Notices } from "../ui/notices.tsx";

export function useCompactionNotices({ tell, drop }: Pick<Notices, "tell" | "drop">) {
  const running = useRef<number | undefined>(undefined);
  const told = useRef<number | undefined>(undefined);
  return useCallback(
    (name: string, data: Fields) => {
      if (name === "files-shed") tell(sayShed(data));
      if (data.phase === "manual") return;
      if (name === "compaction-start") {
        running.current ??= tell("Compacting…", "running");
        return;
      }
      // What was begun has ended or not; nobody can say.
      if (name !== "compaction" && name !== "compaction-end" && name !== "missed") return;
      if (running.current !== undefined) drop(running.current);
      running.current = undefined;
      if (name === "compaction") {
        // The newest says all that the ones before it said.
        if (told.current !== undefined) drop(told.current);
        told.current = tell(sayDone(data));
      }
      if (name === "compaction-end" && data.outcome === "failed") tell(sayFailed(data), "failed");
    },
    [tell, drop],
  );
}

function sayDone(data: Fields): string {
  const summary = readFields(data.summary);
  const figures = `${writeWhole(readNumber(data.tokensBefore))} → ${writeWhole(readNumber(data.tokensAfter))} tokens`;
  if (data.summary === undefined) return `Compacted: ${figures}.`;
  return `${readNumber(summary.depth) > 0 ? "The summary was renewed" : "Old messages were summarised"}: ${figures}.`;
}

function sayShed(data: Fields): string {
  const paths = readList(data.files).map((file) => readText(readFields(file).path));
  const [names, they] = [paths.join(", "), paths.length === 1 ? "it" : "them"];
  return `No room for ${names}: the model does not see ${they} from now on. The conversation is as it was; to have ${they} back, make room and add ${they} again.`;
}

function sayFailed(data: Fields): string {
  return `Compacting failed: ${readText(data.reason)} Nothing was lost; it is tried again when the window fills further.`;
}
