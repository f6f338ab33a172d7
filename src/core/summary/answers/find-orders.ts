/**
 * Finds sentences of an answer that give orders to its reader, although no user and no assistant said so. A summary may
 * repeat the orders of a user; the output of a tool does not support an order.
 */
import { FREE_ORDER_WORDS, IGNORE_VERBS, isOrderAboutUser, isOrderToReader } from "../../language/order-words.ts";
import { ENGLISH } from "../../language/other-language.ts";
import { splitAtEnds } from "../../language/split-at-ends.ts";
import { contentKeys, findKnownInSteps, isEnglishSource, mayBeEnglish } from "./source-words.ts";

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
