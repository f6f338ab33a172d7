/**
 * Where a text holds the words of others: between quotation marks, between backticks or fences, and on lines that begin
 * with `>`. A mark without its partner on the same line quotes nothing.
 */
export interface Range {
  readonly start: number;
  readonly end: number;
}

const CLOSING: Readonly<Record<string, string>> = { '"': '"', "“": "”", "„": "“", "«": "»", "「": "」", "`": "`" };

/** In order and without overlap. */
export function quotedRanges(text: string): readonly Range[] {
  const ranges: Range[] = [];
  let isFenced = false;
  let start = 0;
  for (const line of text.split("\n")) {
    const head = line.trimStart();
    const isFence = head.startsWith("```") || head.startsWith("~~~");
    if (isFence) isFenced = !isFenced;
    if (isFence || isFenced || head.startsWith(">")) ranges.push({ start, end: start + line.length });
    else addQuotations(ranges, line, start);
    start += line.length + 1;
  }
  return ranges;
}

function addQuotations(ranges: Range[], line: string, offset: number): void {
  let place = 0;
  // A mark that is not closed is not closed for its like later on either, so each kind is looked for once in vain.
  const unclosed = new Set<string>();
  while (place < line.length) {
    const closing = CLOSING[line.charAt(place)];
    if (closing === undefined || unclosed.has(closing)) {
      place += 1;
      continue;
    }
    const end = line.indexOf(closing, place + 1);
    if (end < 0) unclosed.add(closing);
    else ranges.push({ start: offset + place, end: offset + end + 1 });
    place = end < 0 ? place + 1 : end + 1;
  }
}
