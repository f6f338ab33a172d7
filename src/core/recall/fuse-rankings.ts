/**
 * Fuses the ranking by words with one by meaning. Cosines of different models are not comparable, so a similarity
 * counts by its place between the lowest and the highest one of the compared messages.
 */
import type { MessageId } from "../message/message.ts";
import type { RankedTurn, TurnRanking } from "./rank-turns.ts";

/** Share of the meaning in the fused score. */
const MEANING_SHARE = 0.5;

export function fuseRankings(ranking: TurnRanking, similarities: ReadonlyMap<MessageId, number>): TurnRanking {
  const values = [...similarities.values()];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const best = ranking.turns[0]?.score ?? 0;
  const turns = ranking.turns.map((turn): RankedTurn => {
    const similarity = similarities.get(turn.source);
    const meaning = similarity === undefined || high <= low ? 0 : (similarity - low) / (high - low);
    return { ...turn, score: (1 - MEANING_SHARE) * turn.score + MEANING_SHARE * best * meaning };
  });
  turns.sort((left, right) => right.score - left.score || right.place - left.place);
  return { ...ranking, turns };
}
