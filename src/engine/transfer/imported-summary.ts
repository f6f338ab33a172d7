/**
 * What another tool wrote when it compacted its own context. It is kept as a note, and becomes a summary only in a log
 * that lacks the messages that it is about. Its text is untrusted: it was not verified, and the user did not say it.
 */

import { isUsableId } from "../../core/check-value.ts";
import type { EntryDraft, EventNoteEntry } from "../../core/log/entry.ts";
import type { TranscriptFormatName } from "../../core/message/formats/tool-formats.ts";
import { hashText } from "../../core/message/hash-message.ts";
import type { JsonObject } from "../../core/message/json.ts";
import { readSummaryText } from "../../core/summary/offline/read-summary-text.ts";
import { chainHash, type SummaryRecord } from "../../core/summary/record/record.ts";
import { countText } from "../../core/tokens/count-text.ts";
import type { Counter } from "../../core/tokens/counter.ts";
import type { TranscriptSummary } from "../../ports/transcript.ts";

export const IMPORTED_SUMMARY = "imported-summary";
export const IMPORTED_REASON = "imported from another tool";

const ID_DIGITS = 24;

export function createSummaryNote(
  { id, text, trigger, tokensBefore, firstKeptId }: TranscriptSummary,
  { format, at }: { readonly format: TranscriptFormatName; readonly at: number },
): Extract<EntryDraft, { readonly kind: EventNoteEntry["kind"] }> {
  const named = `imported-${id}`;
  const facts = { marked: "imported", id, format, trigger, tokensBefore, firstKeptId };
  const details: JsonObject = Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
  const noteId = isUsableId(named) ? named : `imported-${hashText(id).slice(0, ID_DIGITS)}`;
  return { type: "note", kind: IMPORTED_SUMMARY, id: noteId, at, text, details };
}

interface RecordParts {
  readonly id: string;
  readonly counter: Counter;
  readonly now: number;
}

/** The messages that it covers are not in the log, so it covers the note alone, which is the first entry. */
export function createImportedRecord(event: TranscriptSummary, { id, counter, now }: RecordParts): SummaryRecord {
  const read = readSummaryText(event.text, { source: event.id, count: 1 });
  const tokens = countText(read.text, counter);
  return {
    id,
    at: event.at ?? now,
    depth: 0,
    coverage: { firstSeq: 1, lastSeq: 1, count: 1, chainHash: chainHash(undefined, []) },
    messageIds: [],
    ...read,
    origin: { type: "imported", renderer: "data" },
    reason: IMPORTED_REASON,
    tokensBefore: Math.max(event.tokensBefore ?? 0, tokens),
    tokensAfter: tokens,
  };
}
