/** Ranks the messages of a period that a question asks for: those with the most to say come first. */
import { termsOf } from "../language/words.ts";
import type { MessageId } from "../message/message.ts";
import type { AskedPeriod } from "./asked-period.ts";
import type { RankedTurn, TurnRanking } from "./rank-turns.ts";
import type { RecallIndex } from "./recall-index.ts";

/** Returns undefined if nothing was said in the period. */
export function rankPeriod(
  index: RecallIndex,
  { fromAt, untilAt, phrase }: AskedPeriod,
  without: ReadonlySet<MessageId>,
): TurnRanking | undefined {
  const best = new Map<MessageId, { place: number; longest: number; readonly terms: Set<string> }>();
  for (let place = 0; place < index.size; place += 1) {
    const passage = index.passageAt(place);
    if (passage?.saidAt === undefined || passage.saidAt < fromAt || passage.saidAt >= untilAt) continue;
    if (without.has(passage.source) || passage.saidBy === "tool" || passage.saidBy === "file") continue;
    const known = best.get(passage.source) ?? { place, longest: 0, terms: new Set<string>() };
    for (const term of termsOf(passage.text)) known.terms.add(term);
    if (passage.text.length > known.longest) {
      known.place = place;
      known.longest = passage.text.length;
    }
    best.set(passage.source, known);
  }
  const turns = [...best].flatMap(([source, { place, terms }]): readonly RankedTurn[] =>
    terms.size === 0 ? [] : [{ source, place, score: Math.sqrt(terms.size), matches: [1] }],
  );
  if (turns.length === 0) return undefined;
  const concept = { word: phrase, term: phrase, weight: 1, isName: false, terms: new Map<string, number>() };
  const ranked = turns.toSorted((left, right) => right.score - left.score || left.place - right.place);
  return { concepts: [concept], fullScores: [1], rarest: 1, turns: ranked };
}
