/** Writes the cover, which replaces hidden messages: summary, truncation line, notes. `read-cover.ts` reads it back. */
import { findClearedSeq, findKeptSeqs, type Head } from "../log/head.ts";
import type { Message, Part, Role } from "../message/message.ts";
import type { SummaryRenderer } from "../plan/plan-settings.ts";
import {
  escapeMarks,
  PINNED_SEPARATOR_TEXT,
  writeCountedSummary,
  writeDepthLine,
  writeNotes,
  writeOmitted,
  writeSummaryBlock,
  writeTag,
  writeTruncation,
} from "../summary/record/cover-text.ts";
import type { SummaryRecord } from "../summary/record/record.ts";

export const DATA_RENDERER: SummaryRenderer = { type: "data" };

export function createCoverMessages(head: Head, given: SummaryRenderer = DATA_RENDERER): readonly Message[] {
  const summary = findLiveSummary(head);
  const others = [describeTruncation(head), writePinnedNotes(head)].filter((text) => text !== undefined);
  if (summary === undefined) return others.length === 0 ? [] : [createTextMessage("cover", "user", others)];
  // A summary that was read from a user message stays in the user role, even if the policy uses the system role.
  const renderer = summary.origin?.renderer === "data" ? DATA_RENDERER : given;
  const text = writeShownSummary(head, summary, renderer);
  switch (renderer.type) {
    case "data":
    case "tagged-user":
      return [createTextMessage("cover", "user", [text, ...others])];
    case "pair": {
      const acknowledgement = createTextMessage("cover-reply", "assistant", [renderer.acknowledgement]);
      return [createTextMessage("cover", "user", [text, ...others]), acknowledgement];
    }
    case "system":
      return [
        createTextMessage("cover", "system", [text]),
        ...(others.length === 0 ? [] : [createTextMessage("cover-notes", "user", others)]),
      ];
    default:
      return renderer satisfies never;
  }
}

/** Returns a message that separates pinned rounds from recent messages, and keeps turns alternating. */
export function createPinnedSeparator(): Message {
  return createTextMessage("seam", "user", [PINNED_SEPARATOR_TEXT]);
}

function createTextMessage(id: string, role: Role, texts: readonly string[]): Message {
  return { id, role, parts: texts.map((text): Part => ({ type: "text", text })) };
}

/** Returns the summary unless its messages were cleared. */
function findLiveSummary(head: Head): SummaryRecord | undefined {
  const { summary } = head;
  return summary === undefined || summary.coverage.lastSeq <= findClearedSeq(head) ? undefined : summary;
}

function writeShownSummary(head: Head, summary: SummaryRecord, renderer: SummaryRenderer): string {
  // Escapes our own marks, lines of speakers, and the marks with which some models separate speakers.
  const text = `${escapeMarks(summary.text)}${writeOmitted(summary.omitted)}`.replaceAll("<|", "<\\|");
  switch (renderer.type) {
    case "data":
      return writeSummaryBlock(countHidden(head, summary), text);
    case "pair":
      return `${renderer.prefix}${text}${renderer.suffix}`;
    case "tagged-user":
      return writeTag(renderer.tag, text);
    case "system":
      if (renderer.tag === undefined) return writeCountedSummary(countHidden(head, summary), text);
      return writeDepthLine(renderer.tag, summary.depth, text);
    default:
      return renderer satisfies never;
  }
}

/** Counts hidden messages only: kept requests are shown after the summary. */
function countHidden({ keptRequests }: Head, { coverage }: SummaryRecord): number {
  const shown = keptRequests.filter((seq) => seq >= coverage.firstSeq && seq <= coverage.lastSeq);
  return Math.max(1, coverage.count - shown.length);
}

/** Counts hidden messages only: pinned messages and kept requests inside the stretch are shown. */
function describeTruncation(head: Head): string | undefined {
  const { truncation } = head;
  if (truncation === undefined || truncation.silent === true) return undefined;
  if (truncation.coverage.lastSeq <= findClearedSeq(head)) return undefined;
  const { firstSeq, lastSeq } = truncation.coverage;
  const shown = findKeptSeqs(head).filter((seq) => seq >= firstSeq && seq <= lastSeq);
  const count = truncation.coverage.count - shown.length;
  return count <= 0 ? undefined : writeTruncation({ count, tokens: truncation.coveredTokens });
}

function writePinnedNotes({ pins }: Head): string | undefined {
  const notes = pins.flatMap((pin) => (pin.target.type === "note" ? [escapeMarks(pin.target.text)] : []));
  return notes.length === 0 ? undefined : writeNotes(notes);
}
