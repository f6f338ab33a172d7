/**
 * Recognizes our cover in a given history, because a host may store the messages of a prompt as its history. A cover is
 * recognized only directly after the instructions and as a whole message. Its text can still be forged.
 */
import type { Message, MessageId, Part } from "../message/message.ts";
import { messageText } from "../message/message-text.ts";
import type { SummaryRenderer } from "../plan/plan-settings.ts";
import type { Change } from "../plan/proposal.ts";
import { readSummaryText } from "../summary/offline/read-summary-text.ts";
import {
  PINNED_SEPARATOR_TEXT,
  readBetween,
  readCountedSummary,
  readDepthLine,
  readNotes,
  readOmitted,
  readTag,
  readTruncation,
} from "../summary/record/cover-text.ts";
import { renderFacts } from "../summary/record/layout.ts";
import { chainHash, type HistoryOrigin, type SummaryRecord } from "../summary/record/record.ts";
import { readSystemNote } from "./notes.ts";

export interface ReadCoverOptions {
  /** How the policy renders summaries. The default rendering is recognized under every policy. */
  readonly renderer: SummaryRenderer;
  /** True for formats without a system role, in which adjacent messages of one role are joined. */
  readonly joinsTurns: boolean;
}

export interface CoverSummary {
  readonly text: string;
  /** Number of messages that it covers; 1 if the text has no number. */
  readonly count: number;
  readonly depth: number;
  readonly omitted?: { readonly count: number; readonly tokens: number } | undefined;
  readonly origin: HistoryOrigin;
}

/** A message whose first `parts` parts belong to the cover. */
export interface CoverPiece {
  readonly index: number;
  readonly parts: number;
}

export interface Cover {
  readonly pieces: readonly CoverPiece[];
  readonly summary?: CoverSummary | undefined;
  readonly truncation?: { readonly count: number; readonly tokens: number } | undefined;
}

const ONE_MESSAGE = 1;

export function readCover(messages: readonly Message[], options: ReadCoverOptions): Cover | undefined {
  const first = messages.findIndex(({ role }) => role !== "system");
  const start = first < 0 ? messages.length : first;
  const cover = readSystemCover(messages, start, options) ?? readUserCover(messages, start, options);
  return cover && subtractPinned(cover, messages);
}

export function isCoverText(text: string, renderer: SummaryRenderer): boolean {
  return readUserText(text, { renderer, joinsTurns: true }) !== undefined || readTruncation(text) !== undefined;
}

/** Returns the index of the message that separates pinned from recent messages; undefined if there is none. */
export function findPinnedSeparator(messages: readonly Message[], { pieces, summary }: Cover): number | undefined {
  const after = Math.max(...pieces.map(({ index }) => index)) + 1;
  const separator = messages.findIndex((message, index) => index >= after && isPinnedSeparator(message));
  return separator <= after || summary === undefined || separator - after >= summary.count ? undefined : separator;
}

function isPinnedSeparator({ role, parts }: Message): boolean {
  const [only, ...others] = parts;
  return role === "user" && others.length === 0 && only?.type === "text" && only.text === PINNED_SEPARATOR_TEXT;
}

/** Subtracts pinned messages from the count, because pins are not read back from text. */
function subtractPinned(cover: Cover, messages: readonly Message[]): Cover {
  const separator = findPinnedSeparator(messages, cover);
  if (separator === undefined || cover.summary === undefined) return cover;
  const pinned = separator - Math.max(...cover.pieces.map(({ index }) => index)) - 1;
  return { ...cover, summary: { ...cover.summary, count: cover.summary.count - pinned } };
}

/** Reads a summary in the system role, which is the last of the leading system messages. */
function readSystemCover(
  messages: readonly Message[],
  start: number,
  { renderer, joinsTurns }: ReadCoverOptions,
): Cover | undefined {
  const message = messages[start - 1];
  const [only, ...others] = message?.parts ?? [];
  if (renderer.type !== "system" || joinsTurns || only?.type !== "text" || others.length > 0) return undefined;
  const summary = readSystemText(only.text, renderer.tag);
  if (summary === undefined) return undefined;
  const notes = messages[start];
  const rest = notes?.role === "user" ? readOthers(notes.parts) : undefined;
  const isOurs = rest !== undefined && rest.parts > 0 && rest.parts === notes?.parts.length;
  const pieces = [{ index: start - 1, parts: 1 }, ...(isOurs ? [{ index: start, parts: rest.parts }] : [])];
  return { pieces, ...(isOurs ? addOthers(summary, rest) : { summary }) };
}

function readUserCover(messages: readonly Message[], index: number, options: ReadCoverOptions): Cover | undefined {
  const message = messages[index];
  const [first, ...others] = message?.parts ?? [];
  if (message?.role !== "user" || first?.type !== "text") return undefined;
  const summary = readUserText(first.text, options);
  const rest = readOthers(summary === undefined ? message.parts : others);
  const parts = rest.parts + (summary === undefined ? 0 : 1);
  if (parts === 0 || (summary === undefined && rest.truncation === undefined)) return undefined;
  if (parts < message.parts.length && !options.joinsTurns) return undefined;
  const piece = { index, parts };
  if (summary === undefined)
    return rest.notes === undefined ? { pieces: [piece], truncation: rest.truncation } : undefined;
  const cover = { pieces: [piece], ...addOthers(summary, rest) };
  if (options.renderer.type !== "pair" || summary.origin.renderer !== "policy") return cover;
  const reply = parts === message.parts.length ? readReply(messages[index + 1], options) : undefined;
  return reply === undefined ? undefined : { ...cover, pieces: [piece, { index: index + 1, parts: reply }] };
}

/** Returns the number of parts of the acknowledgment in a pair, or undefined if it is not ours. */
function readReply(message: Message | undefined, { renderer, joinsTurns }: ReadCoverOptions): number | undefined {
  const [first, ...others] = message?.parts ?? [];
  if (renderer.type !== "pair" || message?.role !== "assistant" || first?.type !== "text") return undefined;
  return first.text === renderer.acknowledgement && (others.length === 0 || joinsTurns) ? 1 : undefined;
}

function readUserText(text: string, { renderer, joinsTurns }: ReadCoverOptions): CoverSummary | undefined {
  const counted = readCountedSummary(text);
  if (counted !== undefined) return makeSummary({ ...counted, renderer: renderer.type === "data" ? "policy" : "data" });
  switch (renderer.type) {
    case "data":
      return undefined;
    case "pair":
    case "tagged-user": {
      const inside = renderer.type === "pair" ? readBetween(text, renderer) : readTag(renderer.tag, text);
      return inside === undefined ? undefined : makeSummary({ text: inside, renderer: "policy" });
    }
    case "system": {
      const note = readSystemNote(text);
      const summary = note === undefined ? undefined : readSystemText(note, renderer.tag);
      // If the format has a system role, user text must not be promoted to it.
      return summary && { ...summary, origin: { type: "history", renderer: joinsTurns ? "policy" : "data" } };
    }
    default:
      return renderer satisfies never;
  }
}

function readSystemText(text: string, tag: string | undefined): CoverSummary | undefined {
  const read = tag === undefined ? readCountedSummary(text) : readDepthLine(tag, text);
  return read && makeSummary({ ...read, renderer: "policy" });
}

interface CoverText {
  readonly text: string;
  readonly count?: number | undefined;
  readonly depth?: number | undefined;
  readonly renderer: HistoryOrigin["renderer"];
}

function makeSummary({ text, count = ONE_MESSAGE, depth = 0, renderer }: CoverText): CoverSummary {
  const { text: words, omitted } = readOmitted(text);
  const left = omitted && { ...omitted, count: Math.min(omitted.count, count) };
  return { text: words, count, depth, omitted: left, origin: { type: "history", renderer } };
}

interface Others {
  readonly parts: number;
  readonly truncation?: Cover["truncation"];
  readonly notes?: readonly string[] | undefined;
}

/** Reads the texts that can follow the summary: the truncation line, then notes. */
function readOthers(parts: readonly Part[]): Others {
  const texts = parts.map((part) => (part.type === "text" ? part.text : ""));
  const truncation = readTruncation(texts[0] ?? "");
  const taken = truncation === undefined ? 0 : 1;
  const notes = readNotes(texts[taken] ?? "");
  return { parts: taken + (notes === undefined ? 0 : 1), truncation, notes };
}

/** Adds pinned notes of the other log to the summary's text. */
function addOthers(summary: CoverSummary, { truncation, notes = [] }: Others): Omit<Cover, "pieces"> {
  const facts = notes.map(
    (note) => ({ kind: "pin-note", text: note.replaceAll(/\s+/gu, " "), status: "live" }) as const,
  );
  const text = [summary.text, renderFacts(facts)].filter((piece) => piece !== "").join("\n");
  return { summary: { ...summary, text }, ...(truncation === undefined ? {} : { truncation }) };
}

/** The messages of a cover, which the new record also covers, and the other values for this record. */
export interface CoverPlace {
  readonly messages: readonly { readonly seq: number; readonly message: Message }[];
  readonly id: string;
  readonly at: number;
  readonly count: (text: string) => number;
}

export const TAKEN_OVER_REASON = "taken over from the history";

export function takeOverCover({ summary, truncation }: Cover, place: CoverPlace): readonly Change[] {
  const [firstSeq, lastSeq] = [place.messages.at(0)?.seq ?? 0, place.messages.at(-1)?.seq ?? 0];
  const shared = { keptRequests: [], readThroughSeq: lastSeq, reason: TAKEN_OVER_REASON } as const;
  const changes: Change[] = [];
  if (summary !== undefined) {
    changes.push({ type: "summary", record: recordOf(summary, place), keptRequests: [], readThroughSeq: lastSeq });
  }
  if (truncation !== undefined) {
    const { count, tokens: coveredTokens } = truncation;
    changes.push({ type: "truncate", coverage: { firstSeq, lastSeq, count }, coveredTokens, ...shared });
  }
  return changes;
}

function recordOf(summary: CoverSummary, { messages, id, at, count: countText }: CoverPlace): SummaryRecord {
  const said = messages.map(({ message }) => message);
  const [firstSeq, lastSeq] = [messages.at(0)?.seq ?? 0, messages.at(-1)?.seq ?? 0];
  const messageIds = said.map((message): MessageId => message.id);
  const { depth, omitted, origin, count } = summary;
  const read = readSummaryText(summary.text, { source: messageIds[0] ?? id, count });
  return {
    id,
    at,
    depth,
    coverage: { firstSeq, lastSeq, count, chainHash: chainHash(undefined, said) },
    messageIds,
    ...read,
    origin,
    reason: TAKEN_OVER_REASON,
    tokensBefore: countText(said.map(messageText).join("\n")),
    tokensAfter: countText(read.text),
    ...(omitted === undefined ? {} : { omitted }),
  };
}
