/**
 * What a model reads in place of the messages that are not shown: the summary, the line that says what was truncated,
 * and notes that somebody pinned. It is user-role data, whatever stands in it.
 */
import { clearedSeq, type Head, keptSeqs } from "../log/head.ts";
import type { Message, Part } from "../message/message.ts";

export function coverMessage(head: Head): Message | undefined {
  const parts = [summaryText(head), truncationText(head), notesText(head)].flatMap((text): Part[] =>
    text === undefined ? [] : [{ type: "text", text }],
  );
  return parts.length === 0 ? undefined : { id: "cover", role: "user", parts };
}

/** Parts the pinned rounds from what is recent, and keeps turns alternating between the two. */
export function pinnedSeam(): Message {
  const text = "[The messages above are pinned from earlier. The recent conversation goes on here.]";
  return { id: "seam", role: "user", parts: [{ type: "text", text }] };
}

/** What was cleared is not sent in other words either. */
function summaryText(head: Head): string | undefined {
  const { summary } = head;
  if (summary === undefined || summary.coverage.lastSeq <= clearedSeq(head)) return undefined;
  return `[Summary of the ${summary.coverage.count} earlier messages]\n${summary.text}`;
}

/** Counts what is really not shown: pinned messages and kept requests inside the stretch are. */
function truncationText(head: Head): string | undefined {
  const { truncation } = head;
  if (truncation === undefined || truncation.coverage.lastSeq <= clearedSeq(head)) return undefined;
  const { firstSeq, lastSeq } = truncation.coverage;
  const shown = keptSeqs(head).filter((seq) => seq >= firstSeq && seq <= lastSeq);
  const count = truncation.coverage.count - shown.length;
  if (count <= 0) return undefined;
  const messages = count === 1 ? "1 earlier message" : `${count} earlier messages`;
  return `[${messages} (${truncation.coveredTokens} tokens) not shown here.]`;
}

function notesText({ pins }: Head): string | undefined {
  const notes = pins.flatMap((pin) => (pin.target.type === "note" ? [`- ${pin.target.text}`] : []));
  return notes.length === 0 ? undefined : `[Pinned notes]\n${notes.join("\n")}`;
}
