/** A search hit as the page shows it: the snippet starts and ends with a whole word, and an ellipsis marks a cut. */
import type { SearchHit } from "./values.ts";

/** The server returns 60 characters on each side; half of a surrogate pair can be missing. */
const CUT_CHARACTERS = 59;
/** A longer word is cut in the middle. */
const MAX_WORD_CHARACTERS = 24;

export interface Hit extends Pick<SearchHit, "sessionId" | "seq" | "messageId" | "role"> {
  readonly before: string;
  readonly match: string;
  readonly after: string;
}

export function toHit({ sessionId, seq, messageId, role, snippet, matchStart, matchLength }: SearchHit): Hit {
  const end = matchStart + matchLength;
  return {
    ...{ sessionId, seq, messageId, role },
    before: trimBefore(snippet.slice(0, matchStart)),
    match: snippet.slice(matchStart, end),
    after: trimAfter(snippet.slice(end)),
  };
}

function trimBefore(text: string): string {
  if (text.length < CUT_CHARACTERS) return text;
  const space = text.search(/\s/);
  return `…${(space === -1 || space > MAX_WORD_CHARACTERS ? text : text.slice(space)).trimStart()}`;
}

function trimAfter(text: string): string {
  if (text.length < CUT_CHARACTERS) return text;
  const rest = /\S*$/.exec(text)?.[0].length ?? 0;
  return `${(rest > MAX_WORD_CHARACTERS ? text : text.slice(0, text.length - rest)).trimEnd()}…`;
}
