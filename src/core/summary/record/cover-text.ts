/**
 * The texts around a summary in the prompt, each with a writer and a parser that accepts exactly the writer's output. A
 * message may imitate them: `isSummaryLine` recognizes such text, and `escapeMarks` escapes it.
 */

import type { SummaryRecord } from "./record.ts";

/** Marks of summaries in the documents of the presets. */
export const DOCUMENT_MARKS = {
  rollingChat: "[Earlier conversation summary: ",
  workspace: "[History Summary]\n",
  agentRounds: "conversation-summary",
  ratioChain: "summary-depth",
} as const;

/** Matches more than the parsers: any case and any count. */
const SUMMARY_LINE =
  /^(?:\[system note\] ?)?(?:\[summary of the [^\]\n]{1,40} earlier messages?\]|\[earlier conversation summary: |\[history summary\]|\[pinned notes\]|<conversation-summary>|summary-depth:\d{1,6}\s*$)/i;
const MAY_BEGIN = /^[\s\p{Cf}]{0,8}[[<s]/iu;
const MAX_MARK_CHARACTERS = 160;

/** Returns true for a line that begins a summary or pinned notes in any rendering. */
export function isSummaryLine(line: string): boolean {
  if (!MAY_BEGIN.test(line)) return false;
  return SUMMARY_LINE.test(
    line
      .slice(0, MAX_MARK_CHARACTERS)
      .replaceAll(/\p{Cf}/gu, "")
      .trimStart(),
  );
}

/** Returns the text before the first line that begins a summary. */
export function withoutSummary(text: string): string {
  const lines = text.split("\n");
  const first = lines.findIndex(isSummaryLine);
  return first < 0 ? text : lines.slice(0, first).join("\n");
}

const GAP = "[ \\t\\p{Cf}]{1,8}";

/** Also matches the words with wider gaps between them, or with invisible characters between their letters. */
function loosely(words: string): string {
  return words
    .split(" ")
    .map((word) => [...word].map((letter) => letter.replace(".", "\\.")).join("\\p{Cf}{0,4}"))
    .join(GAP);
}

const MARKS = [
  `${loosely("summary of the")}${GAP}[^\\]\\n]{1,40}${loosely("earlier message")}s?[ \\t\\p{Cf}]{0,8}\\]`,
  `${loosely("end of the summary")}[ \\t\\p{Cf}]{0,8}\\]`,
  `${loosely("earlier conversation summary:")} `,
  `${loosely("history summary")}[ \\t\\p{Cf}]{0,8}\\]`,
  `${loosely("pinned notes")}[ \\t\\p{Cf}]{0,8}\\]`,
  loosely("the messages above are pinned from earlier."),
  `${loosely("earlier in this conversation")}|${loosely("end of the earlier passages")}`,
  "\\d{1,12} earlier messages? \\(\\d|\\d{1,12} of them \\(\\d|… \\d{1,12} characters cut",
];
const MARK = new RegExp(`(?<!\\\\)\\[(?=[ \\t\\p{Cf}]{0,8}(?:${MARKS.join("|")}))`, "giu");

/** Puts a backslash before every imitated mark, and a bullet before a line that imitates a speaker. Idempotent. */
export function escapeMarks(text: string): string {
  return text.replace(MARK, "\\[").replace(SPEAKER, "- ");
}

/** The start of a line that would read as another turn of the conversation. */
const SPEAKER =
  /^(?=[ \t]{0,8}[*_#]{0,6} ?(?:system|user|human|assistant|developer|ai|tool)[*_]{0,3} ?[:：])|^(?=[ \t]{0,8}#{1,6} ?(?:system|user|human|assistant|developer)[ \t]{0,8}$)/gim;

/** Separates pinned rounds from the recent conversation. */
export const PINNED_SEPARATOR_TEXT =
  "[The messages above are pinned from earlier. The recent conversation goes on here.]";

/** Largest counts that a parser accepts, because a count in a history may be any number. */
const MAX_MESSAGES = 999_999_999;
const MAX_TOKENS = 999_999_999_999;

export function writeCountedSummary(count: number, text: string): string {
  return `[Summary of the ${Math.min(count, MAX_MESSAGES)} earlier messages]\n${text}`;
}

/** Closes the block of a summary. Earlier versions, and presets whose document has none, write none. */
const SUMMARY_END = "\n[End of the summary]";

export function writeSummaryBlock(count: number, text: string): string {
  return `${writeCountedSummary(count, text)}${SUMMARY_END}`;
}

const COUNT = /^\[Summary of the ([1-9]\d{0,8}) earlier messages\]\n/;

export interface CountedSummary {
  readonly count: number;
  readonly text: string;
  readonly isClosed: boolean;
}

export function readCountedSummary(text: string): CountedSummary | undefined {
  const found = COUNT.exec(text);
  if (found === null) return undefined;
  const isClosed = text.endsWith(SUMMARY_END);
  const inside = text.slice(found[0].length, isClosed ? -SUMMARY_END.length : undefined);
  return { count: Number(found[1]), text: inside, isClosed };
}

export function writeDepthLine(tag: string, depth: number, text: string): string {
  return `${tag}:${depth}\n${text}`;
}

export function readDepthLine(
  tag: string,
  text: string,
): { readonly depth: number; readonly text: string } | undefined {
  if (!text.startsWith(`${tag}:`)) return undefined;
  const found = /^(0|[1-9]\d{0,5})\n/.exec(text.slice(tag.length + 1));
  if (found === null) return undefined;
  return { depth: Number(found[1]), text: text.slice(tag.length + 1 + found[0].length) };
}

/** Escapes closing tags in the text. */
export function writeTag(tag: string, text: string): string {
  return `<${tag}>\n${text.replaceAll(new RegExp(`</(?=\\s*${tag})`, "giu"), "<\\/")}\n</${tag}>`;
}

export function readTag(tag: string, text: string): string | undefined {
  return readBetween(text, { prefix: `<${tag}>\n`, suffix: `\n</${tag}>` });
}

/** Returns the text between prefix and suffix, or undefined if both are blank or one does not match. */
export function readBetween(
  text: string,
  { prefix, suffix }: { readonly prefix: string; readonly suffix: string },
): string | undefined {
  if (prefix.trim() === "" && suffix.trim() === "") return undefined;
  if (!text.startsWith(prefix) || !text.endsWith(suffix)) return undefined;
  const inside = text.slice(prefix.length, text.length - suffix.length);
  return inside.length < 1 || text.length < prefix.length + suffix.length ? undefined : inside;
}

type OmittedMessages = NonNullable<SummaryRecord["omitted"]>;

export function writeOmitted(omitted: OmittedMessages | undefined): string {
  if (omitted === undefined) return "";
  const { count, tokens } = omitted;
  return `\n[${Math.min(count, MAX_MESSAGES)} of them (${Math.min(tokens, MAX_TOKENS)} tokens) had been left out before and are not summarised here.]`;
}

const OMITTED = /\n\[(\d{1,9}) of them \((\d{1,12}) tokens\) had been left out before and are not summarised here\.\]$/;

export function readOmitted(text: string): { readonly text: string; readonly omitted?: OmittedMessages } {
  const found = OMITTED.exec(text);
  if (found === null) return { text };
  return { text: text.slice(0, found.index), omitted: { count: Number(found[1]), tokens: Number(found[2]) } };
}

export function writeTruncation({ count, tokens }: OmittedMessages): string {
  const messages = count === 1 ? "1 earlier message" : `${Math.min(count, MAX_MESSAGES)} earlier messages`;
  return `[${messages} (${Math.min(tokens, MAX_TOKENS)} tokens) not shown here.]`;
}

const TRUNCATION = /^\[([1-9]\d{0,8}) earlier messages? \((\d{1,12}) tokens\) not shown here\.\]$/;

export function readTruncation(text: string): OmittedMessages | undefined {
  const found = TRUNCATION.exec(text);
  return found === null ? undefined : { count: Number(found[1]), tokens: Number(found[2]) };
}

const NOTES_HEADING = "[Pinned notes]";

export function writeNotes(notes: readonly string[]): string {
  return [NOTES_HEADING, ...notes.map((note) => `- ${note}`)].join("\n");
}

export function readNotes(text: string): readonly string[] | undefined {
  const start = `${NOTES_HEADING}\n- `;
  return text.startsWith(start) ? text.slice(start.length).split("\n- ") : undefined;
}
