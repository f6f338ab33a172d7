/**
 * Of a text that stands in the user's place, what the user wrote: the programs around an agent put reminders, echoes of
 * commands, their output and whole instructions there, in tags or behind words that are always the same. Nothing of it
 * is a wish of the user.
 *
 * It takes away blocks at either end only, so that tags inside a sentence stay what they are: code.
 */
import { KnownForms } from "../../message/known-forms.ts";
import type { TextPart } from "../../message/message.ts";

/** `<system-reminder>`, `<command-name>`, `<ide_selection>`: two words or more, as elements of pages seldom have. */
const OPENING = /^<([a-z]+(?:[-_][a-z]+)+)>/;
const CLOSING = /<\/([a-z]+(?:[-_][a-z]+)+)>$/;
/** The longest name of a tag that is looked for at an end. */
const LONGEST_TAG = 60;
/** What the user gave to a command is the user's. */
const OWN_TAG = "command-args";
const SAID_BY_PROGRAM = /^(?:\[Request interrupted[^\]\n]{0,80}\]$|Base directory for this skill: )/;
const MOST_BLOCKS = 100;

export function ownWords(text: string): string {
  let own = text.trim();
  if (SAID_BY_PROGRAM.test(own)) return "";
  const kept: string[] = [];
  for (let block = 0; block < MOST_BLOCKS; block += 1) {
    const left = withoutFirst(own, kept) ?? withoutLast(own);
    if (left === undefined) break;
    own = left.trim();
  }
  if (kept.length === 0 && own.length === text.trim().length) return text;
  return [...kept, own].filter((piece) => piece !== "").join("\n");
}

function withoutFirst(text: string, kept: string[]): string | undefined {
  const [opening, tag = ""] = OPENING.exec(text.slice(0, LONGEST_TAG)) ?? [];
  if (opening === undefined) return undefined;
  const end = text.indexOf(`</${tag}>`);
  if (end < 0) return undefined;
  const inside = text.slice(opening.length, end).trim();
  if (tag === OWN_TAG && inside !== "") kept.push(inside);
  return text.slice(end + tag.length + 3);
}

function withoutLast(text: string): string | undefined {
  const tag = CLOSING.exec(text.slice(-LONGEST_TAG))?.[1];
  const start = tag === undefined ? -1 : text.lastIndexOf(`<${tag}>`);
  return start < 0 ? undefined : text.slice(0, start);
}

/** The same part for the same part, so that what was read of it once is known again. */
const known = new KnownForms<TextPart>();

export function ownPart(part: TextPart): TextPart {
  const before = known.get(part);
  if (before !== undefined) return before;
  const text = ownWords(part.text);
  const own = text === part.text ? part : { ...part, text };
  known.set(part, own);
  return own;
}
