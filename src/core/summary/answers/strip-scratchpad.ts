/**
 * Removes a model's reasoning from its answer, and unwraps an answer inside a summary tag or one code fence. A tag
 * counts only at the start of a line, so a summary may mention `<think>`.
 */

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
