/**
 * Puts the short items of a list behind the line that announces them: "We need:" with "milk" and "eggs" is "We need:
 * milk; eggs". A long item says by itself what it says and stays alone, and so does what can be open or done.
 */
import type { Sentence } from "./split-sentences.ts";

const LONGEST_ITEM = 60;
const LONGEST_LIST = 240;

export function joinItems(sentences: readonly Sentence[]): readonly Sentence[] {
  const joined: Sentence[] = [];
  let list: string | undefined;
  for (const sentence of sentences) {
    const { text, lead } = sentence;
    const before = joined.at(-1);
    const item = text.replace(/[.;,]$/, "");
    if (lead === undefined || !isShortItem(sentence)) {
      list = undefined;
      joined.push(sentence);
    } else if (list === lead && before !== undefined && before.text.length + item.length < LONGEST_LIST) {
      joined[joined.length - 1] = { ...before, text: `${before.text}; ${item}` };
    } else {
      // The line that announces is said with its first item.
      if (before?.text === lead) joined.pop();
      list = lead;
      joined.push({ text: `${lead.replace(/[\s:：.]+$/, "")}: ${item}`, isQuoted: false });
    }
  }
  return joined;
}

function isShortItem({ text, box, isQuoted }: Sentence): boolean {
  return text.length <= LONGEST_ITEM && box === undefined && !isQuoted;
}
