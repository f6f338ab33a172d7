/**
 * Removes from the answer of a model what is no summary: reasoning (a tag counts only at the start of a line), invisible
 * characters, comments, pictures, active HTML, and orders to the reader that no user and no assistant gave. Other words
 * stay, because a summary may be about HTML or repeat the orders of a user.
 */
import { FREE_ORDER_WORDS, IGNORE_VERBS, isOrderAboutUser, isOrderToReader } from "../../language/order-words.ts";
import { ENGLISH } from "../../language/other-language.ts";
import { splitAtEnds } from "../../language/split-at-ends.ts";
import { contentKeys, findKnownInSteps, isEnglishSource, mayBeEnglish } from "./source-words.ts";

/** Format characters, except joiners, which some scripts and emoji need. Fillers look like spaces. */
const INVISIBLE = /(?![\u200c\u200d])\p{Cf}|[\u115f\u1160\u2800\u3164\uffa0]|\p{Co}|\ufffd/gu;

const COMMENT = /<!--[^>]{0,2000}(?:>[^>]{0,2000}){0,20}?-->/g;
/** Matches the `<` of a tag that runs or loads something; `<table>` and `Map<string>` stay. */
const ACTIVE_TAG =
  /<(?=\/?(?:script|style)\b|!--|[a-z][^<>]{0,2000}?[\s"'/](?:on[a-z]{2,20}|src|srcset|href|action|formaction|poster|background|style|data|content)\s{0,4}=)/gi;
const PICTURE = /!(?=\[[^\]\n]{0,400}\][[(])/g;
/** Matches a link definition. With one, `![name]` alone is a picture. */
const DEFINITION = /^[ \t>]{0,8}\[[^\]\n]{1,400}\]:/m;
const SCRIPT_LINK = /\](?=\(\s{0,8}(?:javascript|vbscript|data):)/gi;

/** Returns the text with nothing hidden or active. A space after `<` makes a tag plain text, in HTML and Markdown. */
export function cleanMarkup(text: string): string {
  return text
    .replaceAll(INVISIBLE, "")
    .replaceAll(COMMENT, "")
    .replaceAll(ACTIVE_TAG, "< ")
    .replaceAll(DEFINITION.test(text) ? /!(?=\[)/g : PICTURE, "")
    .replaceAll(SCRIPT_LINK, "] ");
}

const TAG = /<[\s/!]{0,4}[a-z][^<>]{0,2000}>/gi;
const LINK =
  /!?\[[^\]\n]{0,400}\](?:\([^)\n]{0,2000}\)|\[[^\]\n]{0,400}\])|^[ \t>]{0,8}\[[^\]\n]{1,400}\]:[^\n]*|https?:\/\/\S+/gim;

/** Returns the text without tags, links and addresses: what is left is prose. */
export function proseOf(text: string): string {
  return text.replaceAll(TAG, " ").replaceAll(LINK, " ");
}

const QUOTED = /"[^"\n]{1,400}"|“[^”\n]{1,400}”|„[^“\n]{1,400}“|«[^»\n]{1,400}»|「[^」\n]{1,400}」|`[^`\n]{1,400}`/g;
/** Share of the content words of an order that messages must contain; all of them if it says to ignore something. */
const MIN_SUPPORT = 0.7;
const IGNORE_KEYS: ReadonlySet<string> = new Set(IGNORE_VERBS.flatMap((word) => [...contentKeys(word)]));
const MARKER = /^\s*(?:[-*+•・]\s?|\d{1,3}[.)]\s)?/;

/** Returns the text without the sentences that are orders. */
export function withoutOrders(text: string, isOrder: (sentence: string) => boolean): string {
  return text
    .split("\n")
    .flatMap((line) => {
      const sentences = sentencesOf(line);
      const kept = sentences.filter((sentence) => !isOrder(sentence));
      if (kept.length === sentences.length) return [line];
      return kept.length === 0 ? [] : [`${MARKER.exec(line)?.[0] ?? ""}${kept.join(" ")}`];
    })
    .join("\n");
}

/** Returns a test for sentences of `texts`: true for an order that the texts of users and assistants do not contain. */
export function* createOrderTestInSteps(
  texts: readonly string[],
  said: Iterable<string>,
): Generator<undefined, (sentence: string) => boolean> {
  const clauses = texts.flatMap((text) => sentencesOf(text).flatMap((sentence) => findOrders(sentence, false)));
  if (clauses.length === 0) return () => false;
  const wanted = new Set([...clauses.flatMap(contentKeysOf), ...IGNORE_KEYS, ...ENGLISH]);
  const { known } = yield* findKnownInSteps(wanted, said, (found) => found.known.size === wanted.size);
  // An English summary of a conversation in another language shares no words with it: only sure orders are left out.
  const isSure = !isEnglishSource(known) && texts.every(mayBeEnglish);
  const saysIgnore = [...IGNORE_KEYS].some((key) => known.has(key));
  const isSaid = (key: string): boolean => known.has(key) || (saysIgnore && IGNORE_KEYS.has(key));
  return (sentence) =>
    findOrders(sentence, isSure).some((clause) => {
      if (isOrderAboutUser(clause)) return true;
      const content = contentKeysOf(clause);
      const share = content.some((key) => IGNORE_KEYS.has(key)) ? 1 : MIN_SUPPORT;
      return content.filter(isSaid).length < content.length * share;
    });
}

function sentencesOf(text: string): readonly string[] {
  return text.split("\n").flatMap((line) => splitAtEnds(line.replace(MARKER, "")));
}

/** Returns the clauses of a sentence that give orders. Ignores quotations. */
function findOrders(sentence: string, isSure: boolean): readonly string[] {
  const plain = sentence.normalize("NFKC").replaceAll("’", "'").replaceAll(QUOTED, " ");
  return plain.split(/[;:；：](?=\s|[^\p{ASCII}])|[；：]/u).filter((clause) => isOrderToReader(clause, { isSure }));
}

function contentKeysOf(clause: string): readonly string[] {
  return [
    ...contentKeys(clause.toLowerCase().replaceAll(/\p{L}+/gu, (word) => (FREE_ORDER_WORDS.has(word) ? " " : word))),
  ];
}

/** An answer without its reasoning. */
export interface StrippedAnswer {
  readonly text: string;
  readonly removedCharacters: number;
  /** True if the reasoning never ends: the answer was cut off before the summary. */
  readonly isUnclosed: boolean;
}

const NAMES = "think|thinking|thought|thoughts|analysis|reasoning|reflection|scratchpad|scratch|draft_notes";
/** Matches a tag with one of these names, or a code fence with one as its language. */
const OPENING = new RegExp(
  `^[ \\t]*(?:<(${NAMES})(?:\\s[^<>\\n]{0,200})?>|(\`\`\`|~~~)[ \\t]*(?:${NAMES})[ \\t]*$)`,
  "gim",
);
/** Matches a closing tag alone: the opening tag may be in the model's template. */
const ORPHAN = new RegExp(`(?:^[ \\t]*</(?:${NAMES})\\s*>|(?<!\`)</(?:${NAMES})\\s*>[ \\t]*$)`, "im");

export function stripScratchpad(answer: string): StrippedAnswer {
  const sections = stripSections(answer);
  const text = unwrap(dropBeforeOrphan(sections.text).trim()).trim();
  return { text, removedCharacters: answer.length - text.length, isUnclosed: sections.isUnclosed };
}

function stripSections(answer: string): Pick<StrippedAnswer, "text" | "isUnclosed"> {
  const kept: string[] = [];
  let keptThrough = 0;
  for (;;) {
    const opening = execFrom(OPENING, answer, keptThrough);
    if (opening === null) return { text: kept.join("") + answer.slice(keptThrough), isUnclosed: false };
    kept.push(answer.slice(keptThrough, opening.index));
    const closing = execFrom(closingPattern(opening), answer, opening.index + opening[0].length);
    if (closing === null) return { text: kept.join(""), isUnclosed: true };
    keptThrough = closing.index + closing[0].length;
  }
}

function closingPattern([, name, fence]: RegExpExecArray): RegExp {
  return name === undefined ? new RegExp(`^[ \\t]*${fence}[\`~]*[ \\t]*$`, "gm") : new RegExp(`</${name}\\s*>`, "gi");
}

/** Searches from an offset, so that the cost stays linear. */
function execFrom(pattern: RegExp, text: string, start: number): RegExpExecArray | null {
  pattern.lastIndex = start;
  return pattern.exec(text);
}

function dropBeforeOrphan(text: string): string {
  let rest = text;
  for (;;) {
    const orphan = ORPHAN.exec(rest);
    if (orphan === null) return rest;
    rest = rest.slice(orphan.index + orphan[0].length);
  }
}

const SUMMARY_OPENING = /^<([a-z_-]{0,40}summary[0-9a-z_-]{0,80})(?:\s[^<>\n]{0,200})?>/i;
const WHOLE_FENCE = /^(```+|~~~+)[ \t]*(?:markdown|md|text|txt|plaintext|json)?[ \t]*\n([\s\S]*)\n[ \t]*\1$/i;

/** Returns the content of a summary tag, or everything after its start if the end tag is missing. */
function unwrap(text: string): string {
  const opening = SUMMARY_OPENING.exec(text);
  if (opening === null) return WHOLE_FENCE.exec(text)?.[2] ?? text;
  const inside = text.slice(opening[0].length);
  const end = inside.toLowerCase().lastIndexOf(`</${opening[1]?.toLowerCase()}>`);
  return end < 0 ? inside : inside.slice(0, end);
}
