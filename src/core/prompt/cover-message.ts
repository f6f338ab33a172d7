/**
 * What a model reads in place of the messages that are not shown: the summary, the line that says what was truncated,
 * and pinned notes. By default all of it is user-role data, whatever stands in it; a policy may ask for one of the
 * documents' own renderings of the summary. `read-cover.ts` reads these messages back.
 */
import { findClearedSeq, findKeptSeqs, type Head } from "../log/head.ts";
import type { Message, Part, Role } from "../message/message.ts";
import type { SummaryRenderer } from "../plan/plan-settings.ts";
import {
  escapeMarks,
  SEAM_TEXT,
  writeCount,
  writeDepth,
  writeNotes,
  writeOmitted,
  writeTag,
  writeTruncation,
} from "../summary/record/cover-text.ts";
import type { SummaryRecord } from "../summary/record/record.ts";

export const DATA_RENDERER: SummaryRenderer = { type: "data" };

export function coverMessages(head: Head, given: SummaryRenderer = DATA_RENDERER): readonly Message[] {
  const summary = liveSummary(head);
  const others = [truncationText(head), notesText(head)].filter((text) => text !== undefined);
  if (summary === undefined) return others.length === 0 ? [] : [ours("cover", "user", others)];
  // What came as user-role data stays that: the policy's rendering may be the system's.
  const renderer = summary.origin?.renderer === "data" ? DATA_RENDERER : given;
  const text = summaryText(head, { summary, renderer });
  switch (renderer.type) {
    case "data":
    case "tagged-user":
      return [ours("cover", "user", [text, ...others])];
    case "pair": {
      const acknowledgement = ours("cover-reply", "assistant", [renderer.acknowledgement]);
      return [ours("cover", "user", [text, ...others]), acknowledgement];
    }
    case "system":
      return [ours("cover", "system", [text]), ...(others.length === 0 ? [] : [ours("cover-notes", "user", others)])];
    default:
      return renderer satisfies never;
  }
}

/** Parts the pinned rounds from what is recent, and keeps turns alternating between the two. */
export function pinnedSeam(): Message {
  return ours("seam", "user", [SEAM_TEXT]);
}

function ours(id: string, role: Role, texts: readonly string[]): Message {
  return { id, role, parts: texts.map((text): Part => ({ type: "text", text })) };
}

/** What was cleared is not sent in other words either. */
function liveSummary(head: Head): SummaryRecord | undefined {
  const { summary } = head;
  return summary === undefined || summary.coverage.lastSeq <= findClearedSeq(head) ? undefined : summary;
}

interface SummaryText {
  readonly summary: SummaryRecord;
  readonly renderer: SummaryRenderer;
}

function summaryText(head: Head, { summary, renderer }: SummaryText): string {
  // Marks of ours, and marks by which some models part one speaker from another, are words here and nothing else.
  const text = `${escapeMarks(summary.text)}${writeOmitted(summary.omitted)}`.replaceAll("<|", "<\\|");
  switch (renderer.type) {
    case "data":
      return writeCount(countOf(head, summary), text);
    case "pair":
      return `${renderer.prefix}${text}${renderer.suffix}`;
    case "tagged-user":
      return writeTag(renderer.tag, text);
    case "system":
      if (renderer.tag === undefined) return writeCount(countOf(head, summary), text);
      return writeDepth(renderer.tag, summary.depth, text);
    default:
      return renderer satisfies never;
  }
}

/** Counts what is not shown: requests that are kept word for word stand after the summary. */
function countOf({ keptRequests }: Head, { coverage }: SummaryRecord): number {
  const shown = keptRequests.filter((seq) => seq >= coverage.firstSeq && seq <= coverage.lastSeq);
  return Math.max(1, coverage.count - shown.length);
}

/** Counts what is really not shown: pinned messages and kept requests inside the stretch are. */
function truncationText(head: Head): string | undefined {
  const { truncation } = head;
  if (truncation === undefined || truncation.silent === true) return undefined;
  if (truncation.coverage.lastSeq <= findClearedSeq(head)) return undefined;
  const { firstSeq, lastSeq } = truncation.coverage;
  const shown = findKeptSeqs(head).filter((seq) => seq >= firstSeq && seq <= lastSeq);
  const count = truncation.coverage.count - shown.length;
  return count <= 0 ? undefined : writeTruncation({ count, tokens: truncation.coveredTokens });
}

function notesText({ pins }: Head): string | undefined {
  const notes = pins.flatMap((pin) => (pin.target.type === "note" ? [pin.target.text] : []));
  return notes.length === 0 ? undefined : writeNotes(notes);
}
