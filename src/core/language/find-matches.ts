/** Finds all matches of a pattern. `matchAll` copies its pattern for every text, which is slow for short texts. */
export function findMatches(text: string, pattern: RegExp): readonly RegExpExecArray[] {
  const matches: RegExpExecArray[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) matches.push(match);
  return matches;
}
