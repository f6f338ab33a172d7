/**
 * What a model reads in place of the messages that are not shown: the summary, the line that says what was truncated,
 * and notes that somebody pinned. By default all of it is user-role data, whatever stands in it; a policy may ask for
 * one of the documents' own renderings of the summary.
 */
import { clearedSeq, type Head, keptSeqs } from "../log/head.ts";
import type { Message, Part, Role } from "../message/message.ts";
import type { SummaryRenderer } from "../plan/plan-settings.ts";
import type { SummaryRecord } from "../summary/record.ts";

export const DATA_RENDERER: SummaryRenderer = { type: "data" };

export function coverMessages(head: Head, renderer: SummaryRenderer = DATA_RENDERER): readonly Message[] {
  const summary = liveSummary(head);
  const others = [truncationText(head), notesText(head)].filter((text) => text !== undefined);
  if (summary === undefined) return others.length === 0 ? [] : [ours("cover", "user", others)];
  const text = summaryText(summary, renderer);
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
  return ours("seam", "user", ["[The messages above are pinned from earlier. The recent conversation goes on here.]"]);
}

function ours(id: string, role: Role, texts: readonly string[]): Message {
  return { id, role, parts: texts.map((text): Part => ({ type: "text", text })) };
}

/** What was cleared is not sent in other words either. */
function liveSummary(head: Head): SummaryRecord | undefined {
  const { summary } = head;
  return summary === undefined || summary.coverage.lastSeq <= clearedSeq(head) ? undefined : summary;
}

function summaryText(summary: SummaryRecord, renderer: SummaryRenderer): string {
  // Marks by which some models part one speaker from another are words here and nothing else.
  const text = `${summary.text}${omittedText(summary)}`.replaceAll("<|", "<\\|");
  switch (renderer.type) {
    case "data":
      return `[Summary of the ${summary.coverage.count} earlier messages]\n${text}`;
    case "pair":
      return `${renderer.prefix}${text}${renderer.suffix}`;
    case "tagged-user":
      // The text is data inside a tag of ours, so it may not end that tag.
      return `<${renderer.tag}>\n${escapeTag(text, renderer.tag)}\n</${renderer.tag}>`;
    case "system":
      return renderer.tag === undefined ? text : `${renderer.tag}:${summary.depth}\n${text}`;
    default:
      return renderer satisfies never;
  }
}

function escapeTag(text: string, tag: string): string {
  return text.replaceAll(new RegExp(`</(?=\\s*${tag})`, "giu"), "<\\/");
}

function omittedText({ omitted }: SummaryRecord): string {
  if (omitted === undefined) return "";
  return `\n[${omitted.count} of them (${omitted.tokens} tokens) had been left out before and are not told here.]`;
}

/** Counts what is really not shown: pinned messages and kept requests inside the stretch are. */
function truncationText(head: Head): string | undefined {
  const { truncation } = head;
  if (truncation === undefined || truncation.silent === true) return undefined;
  if (truncation.coverage.lastSeq <= clearedSeq(head)) return undefined;
  const { firstSeq, lastSeq } = truncation.coverage;
  const shown = keptSeqs(head).filter((seq) => seq >= firstSeq && seq <= lastSeq);
  const count = truncation.coverage.count - shown.length;
  return count <= 0 ? undefined : leftOut(count, truncation.coveredTokens);
}

function leftOut(count: number, tokens: number): string {
  const messages = count === 1 ? "1 earlier message" : `${count} earlier messages`;
  return `[${messages} (${tokens} tokens) not shown here.]`;
}

function notesText({ pins }: Head): string | undefined {
  const notes = pins.flatMap((pin) => (pin.target.type === "note" ? [`- ${pin.target.text}`] : []));
  return notes.length === 0 ? undefined : `[Pinned notes]\n${notes.join("\n")}`;
}
