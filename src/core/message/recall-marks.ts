/** The first and the last line of a block of recalled passages, and how a block is recognized when it is sent back. */

export const RECALL_TITLE = "[Earlier in this conversation, quoted because it may matter now:]";
export const RECALL_END = "[End of the earlier passages]";

/** Begins the line that names the first message that is left out. */
export const CONTINUATION = "[… continues with message ";

/** A passage or the head of a message, a line of a message, a day, and the line about messages that are left out. */
const LINE = /^- [^\n]+ \[[^\]\n]*\]: |^>(?: |$)|^\d{1,2} [A-Z][a-z]+ \d{4}:$|^\[… continues with message [^\n]+\]$/;

/** Whether a text is exactly a block of recalled passages. */
export function isRecallBlock(text: string): boolean {
  if (!text.startsWith(`${RECALL_TITLE}\n`) || !text.endsWith(`\n${RECALL_END}`)) return false;
  const inside = text.slice(RECALL_TITLE.length + 1, -RECALL_END.length - 1).split("\n");
  return inside.every((line) => LINE.test(line));
}
