/**
 * Writes a stretch as the text for a summarizer: one block for each message, under a heading with the nonce, which no
 * message can forge. Reports every message as included, noise, or trimmed.
 */
import type { Message, MessageId, Part, Role, ToolCallPart } from "../../message/message.ts";
import { outputText } from "../../message/message-text.ts";
import { takeHead, takeTail } from "../../message/whole-text.ts";
import { countText } from "../../tokens/count-text.ts";
import type { Counter } from "../../tokens/counter.ts";
import { findLargest } from "../record/trim-summary.ts";
import { redactMessage } from "../secrets/redact-messages.ts";
import { escapeData, escapeLabel, requireNonce } from "./escape-data.ts";

/** An output above `limitCharacters` keeps its first `keepCharacters` and a marker. */
export interface ResultLimit {
  readonly limitCharacters: number;
  readonly keepCharacters: number;
}

/** Keeps a preview of an output longer than a page, as pruning does. */
export const PREVIEW_RESULTS: ResultLimit = { limitCharacters: 2_000, keepCharacters: 200 };

export interface TranscriptOptions {
  /** Random letters and digits for this request, which the conversation cannot contain. */
  readonly nonce: string;
  readonly counter: Counter;
  readonly results?: ResultLimit | undefined;
  /** Omits system messages, reasoning, and empty tool results. Keeps failures and `essentialIds`. */
  readonly withoutNoise?: boolean | undefined;
  /** Trims the oldest messages until the text fits. Keeps `essentialIds` and the newest message. */
  readonly capTokens?: number | undefined;
  /** Messages that are never omitted as noise and never trimmed, such as an earlier summary. */
  readonly essentialIds?: ReadonlySet<MessageId> | undefined;
  /** A longer message keeps its beginning and its end, with a marker between them. */
  readonly messageCharacters?: number | undefined;
}

/** A tool output or a message of which the summarizer saw only a part. */
export interface ResultCut {
  readonly messageId: MessageId;
  /** Absent if the message itself was cut. */
  readonly callId?: string | undefined;
  readonly charactersBefore: number;
  readonly charactersAfter: number;
}

export interface Transcript {
  readonly text: string;
  /** For strategies that send messages instead of a text. */
  readonly blocks: readonly TranscriptBlock[];
  readonly shownIds: readonly MessageId[];
  readonly noiseIds: readonly MessageId[];
  /** Messages that did not fit the cap. */
  readonly trimmedIds: readonly MessageId[];
  readonly cuts: readonly ResultCut[];
}

export interface TranscriptBlock {
  /** Counted from 1 in the stretch. */
  readonly number: number;
  readonly messageId: MessageId;
  readonly role: Role;
  readonly heading: string;
  readonly body: string;
  readonly cuts: readonly ResultCut[];
}

export function buildTranscript(stretch: readonly Message[], options: TranscriptOptions): Transcript {
  requireNonce(options.nonce);
  // Secrets are redacted first, because escaping and cutting would hide them.
  const { blocks, noiseIds } = writeBlocks(stretch.map(redactMessage), options);
  const kept = trimOldest(blocks, options);
  const keptNumbers = new Set(kept.blocks.map(({ number }) => number));
  return {
    ...kept,
    shownIds: kept.blocks.map(({ messageId }) => messageId),
    noiseIds,
    trimmedIds: blocks.flatMap(({ number, messageId }) => (keptNumbers.has(number) ? [] : [messageId])),
    cuts: kept.blocks.flatMap(({ cuts }) => cuts),
  };
}

function writeBlocks(stretch: readonly Message[], options: TranscriptOptions): Pick<Transcript, "blocks" | "noiseIds"> {
  const tools = toolNames(stretch);
  const blocks: TranscriptBlock[] = [];
  const noiseIds: MessageId[] = [];
  for (const [index, message] of stretch.entries()) {
    const block = writeBlock(message, { ...options, number: index + 1, tools });
    if (block === undefined) noiseIds.push(message.id);
    else blocks.push(block);
  }
  return { blocks, noiseIds };
}

interface BlockContext extends TranscriptOptions {
  readonly number: number;
  readonly tools: ReadonlyMap<string, string>;
}

function writeBlock(message: Message, writing: BlockContext): TranscriptBlock | undefined {
  const filters = writing.withoutNoise === true && writing.essentialIds?.has(message.id) !== true;
  if (filters && message.role === "system") return undefined;
  const cuts: ResultCut[] = [];
  const lines = message.parts.flatMap((part) => {
    if (filters && isNoise(part)) return [];
    const written = writePart(part, { ...writing, messageId: message.id });
    if (written.cut !== undefined) cuts.push(written.cut);
    return written.text.trim() === "" ? [] : [written.text];
  });
  if (lines.length === 0) return undefined;
  const body = cutMiddle(lines.join("\n"), { ...writing, messageId: message.id });
  if (body.cut !== undefined) cuts.push(body.cut);
  const { id: messageId, role } = message;
  return { number: writing.number, messageId, role, heading: writeHeading(message, writing), body: body.text, cuts };
}

/** Expects redacted and escaped text, so that the cut cannot split a secret or hide a mark from escaping. */
function cutMiddle(text: string, { messageCharacters, nonce, messageId }: PartContext): WrittenPart {
  if (messageCharacters === undefined || text.length <= messageCharacters) return { text };
  const head = takeHead(text, Math.ceil(messageCharacters / 2));
  const tail = takeTail(text, Math.floor(messageCharacters / 2));
  const charactersAfter = head.length + tail.length;
  const marker = `[${nonce} cut here: ${text.length - charactersAfter} of ${text.length} characters of this message are left out]`;
  const cut = { messageId, charactersBefore: text.length, charactersAfter };
  return { text: `${head}\n${marker}\n${tail}`, cut };
}

function isNoise(part: Part): boolean {
  if (part.type === "reasoning") return true;
  return part.type === "tool-result" && !part.failed && outputText(part.output).trim() === "";
}

function writeHeading({ role, name }: Message, { nonce, number }: BlockContext): string {
  const who = name === undefined ? "" : ` ${escapeLabel(name, nonce)}`;
  return `[${nonce} ${number} ${role.toUpperCase()}${who}${role === "tool" ? ", untrusted output" : ""}]`;
}

interface WrittenPart {
  readonly text: string;
  readonly cut?: ResultCut | undefined;
}

interface PartContext extends BlockContext {
  readonly messageId: MessageId;
}

function writePart(part: Part, writing: PartContext): WrittenPart {
  const { nonce } = writing;
  switch (part.type) {
    case "text":
      return { text: escapeData(part.text, nonce) };
    case "reasoning":
      return { text: part.text.trim() === "" ? "" : `(thought) ${escapeData(part.text, nonce)}` };
    case "tool-call":
      return { text: `(calls ${escapeLabel(part.tool, nonce)} with ${inputText(part, nonce)})` };
    case "tool-result":
      return writeResult(part, writing);
    case "image":
    case "file":
      return { text: `(${part.type}${part.mediaType === undefined ? "" : ` ${escapeLabel(part.mediaType, nonce)}`})` };
    case "source":
      return { text: `(web source ${escapeLabel(part.title ?? part.name ?? part.url ?? part.id, nonce)})` };
    case "unknown":
      return { text: `(a part of kind ${escapeLabel(part.format, nonce)})` };
    default:
      return part satisfies never;
  }
}

function writeResult(part: Part & { type: "tool-result" }, writing: PartContext): WrittenPart {
  const { nonce, results, messageId } = writing;
  const whole = outputText(part.output);
  const tool = escapeLabel(part.tool ?? writing.tools.get(part.callId) ?? "a tool", nonce);
  const label = `(${tool} ${part.failed ? "failed with" : "gave back"})`;
  if (results === undefined || whole.length <= results.limitCharacters) {
    return { text: `${label} ${escapeData(whole, nonce)}` };
  }
  const kept = takeHead(whole, results.keepCharacters);
  const text = `${label} ${escapeData(kept, nonce)}\n${cutMarker(kept.length, whole.length, nonce)}`;
  const counts = { charactersBefore: whole.length, charactersAfter: kept.length };
  return { text, cut: { messageId, callId: part.callId, ...counts } };
}

function cutMarker(kept: number, whole: number, nonce: string): string {
  return `[${nonce} cut here: ${kept} of ${whole} characters of this output are shown]`;
}

const INPUT_CHARACTERS = 200;

function inputText({ input, inputText: spelled }: ToolCallPart, nonce: string): string {
  const whole = spelled ?? JSON.stringify(input);
  const head = takeHead(whole, INPUT_CHARACTERS);
  return `${escapeData(head, nonce)}${head.length < whole.length ? "…" : ""}`;
}

function toolNames(stretch: readonly Message[]): ReadonlyMap<string, string> {
  const calls = stretch.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "tool-call" ? [part] : [])));
  return new Map(calls.map(({ callId, tool }) => [callId, tool]));
}

type TrimmedBlocks = Pick<Transcript, "blocks" | "text">;

function trimOldest(blocks: readonly TranscriptBlock[], options: TranscriptOptions): TrimmedBlocks {
  const { capTokens } = options;
  const join = (kept: readonly TranscriptBlock[]): TrimmedBlocks =>
    joinBlocks(kept, blocks.length - kept.length, options);
  if (capTokens === undefined) return join(blocks);
  const capped = { ...options, capTokens };
  let kept = newestWithin(blocks, capped);
  for (;;) {
    const fitted = join(kept);
    if (countText(fitted.text, options.counter) <= capTokens) return fitted;
    const shorter = dropOldest(kept, options);
    if (shorter.length === kept.length) return cutNewest(kept, capped, join);
    kept = shorter;
  }
}

type CappedOptions = TranscriptOptions & { readonly capTokens: number };

/** Adds up the counts of blocks, which is close to the count of the joined text. */
function newestWithin(
  blocks: readonly TranscriptBlock[],
  { capTokens, counter, essentialIds }: CappedOptions,
): readonly TranscriptBlock[] {
  const isEssential = ({ messageId }: TranscriptBlock): boolean => essentialIds?.has(messageId) === true;
  const size = (block: TranscriptBlock): number => countText(blockText(block), counter) + 1;
  let room = blocks.filter(isEssential).reduce((left, block) => left - size(block), capTokens);
  let first = blocks.length;
  for (const [index, block] of [...blocks.entries()].toReversed()) {
    if (isEssential(block)) continue;
    room -= size(block);
    if (room < 0 && first < blocks.length) break;
    first = index;
  }
  return blocks.filter((block, index) => index >= first || isEssential(block));
}

function dropOldest(
  blocks: readonly TranscriptBlock[],
  { essentialIds }: TranscriptOptions,
): readonly TranscriptBlock[] {
  const oldest = blocks.findIndex(({ messageId }) => essentialIds?.has(messageId) !== true);
  const newest = blocks.findLastIndex(({ messageId }) => essentialIds?.has(messageId) !== true);
  return oldest === newest ? blocks : blocks.toSpliced(oldest, 1);
}

/** Keeps the end of the newest message if it alone exceeds the cap. Never cuts essential messages. */
function cutNewest(
  blocks: readonly TranscriptBlock[],
  { nonce, essentialIds, capTokens, counter }: CappedOptions,
  join: (kept: readonly TranscriptBlock[]) => TrimmedBlocks,
): TrimmedBlocks {
  const newest = blocks.findLastIndex(({ messageId }) => essentialIds?.has(messageId) !== true);
  const block = blocks[newest];
  if (block === undefined) return join(blocks);
  const note = `[${nonce} the beginning of this message is not shown]\n`;
  const cutTo = (characters: number): TrimmedBlocks => {
    const tail = takeTail(block.body, characters);
    const counts = { charactersBefore: block.body.length, charactersAfter: tail.length };
    const cuts = [...block.cuts, { messageId: block.messageId, ...counts }];
    return join(blocks.with(newest, { ...block, body: note + tail, cuts }));
  };
  const most = Math.min(block.body.length, capTokens * MAX_CHARACTERS_PER_TOKEN);
  return cutTo(findLargest(most, (characters) => countText(cutTo(characters).text, counter) <= capTokens));
}

/** Upper bound of the search for the cut. Text with more characters per token is cut slightly early. */
const MAX_CHARACTERS_PER_TOKEN = 8;

function joinBlocks(blocks: readonly TranscriptBlock[], missing: number, { nonce }: TranscriptOptions): TrimmedBlocks {
  const note = missing === 0 ? [] : [`[${nonce} older messages that are not in this transcript: ${missing}]`];
  const text = [...note, ...blocks.map(blockText)].join("\n");
  return { blocks, text };
}

function blockText({ heading: line, body }: TranscriptBlock): string {
  return `${line}\n${body}`;
}
