/**
 * Whether the sentence around a place tells of the past or of what is to come. Says nothing where it tells of both, or
 * where its verbs could be either: whoever asks must not guess.
 */
export type Tense = "past" | "future";

/** How far a sentence is looked at to either side. */
const REACH = 160;
const BREAK = /[.!?;\n。！？]/;
const FUTURE =
  /\b(?:will|won['’]t|shall|gonna|(?:am|are|is|['’]re|['’]m|['’]s) going to|let['’]s|can['’]t wait|looking forward|upcoming|is due|are due)\b|\b\w{1,20}['’]ll\b/i;
const PAST =
  /\b(?:was|were|did|didn['’]t|had|went|got|made|took|saw|met|came|bought|gave|found|told|felt|left|lost|won|ran|ate|began|spent|brought|taught|held|heard|kept|paid|sold|sent|drove|flew|broke|wrote|caught|fell|hung|built|grew|knew|sang|swam|rode|wore|threw|slept|chose|(?!(?:need|embed|indeed|exceed|proceed|succeed|speed|seed|feed|excited|interested|tired|married|supposed|planned|scheduled|expected|invited|booked|limited|related|detailed|complicated)\b)[a-z]{2,20}[^e\W]ed)\b/i;

export function seeTense(text: string, start: number, end: number): Tense | undefined {
  const before = text.slice(Math.max(0, start - REACH), start);
  const after = text.slice(end, end + REACH);
  const stop = after.search(BREAK);
  const sentence = `${before.slice(lastBreak(before) + 1)} ${stop < 0 ? after : after.slice(0, stop)}`;
  const isFuture = FUTURE.test(sentence);
  const isPast = PAST.test(sentence);
  if (isFuture === isPast) return undefined;
  return isFuture ? "future" : "past";
}

function lastBreak(text: string): number {
  for (let place = text.length - 1; place >= 0; place -= 1) if (BREAK.test(text.charAt(place))) return place;
  return -1;
}
