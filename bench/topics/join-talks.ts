/**
 * Joins stretches of different customer-service conversations into one dialogue, as DialSeg711 does with other task
 * dialogues. The joins are the true boundaries. Artificial joins are usually easier to find than real changes of topic,
 * but here every stretch is about the same airline.
 */
import type { SeededRandom } from "../../src/testing/seeded-random.ts";
import type { MarkedDialogue, MarkedTurn } from "./marked-dialogue.ts";
import type { ServiceTalk } from "./read-marked-dialogues.ts";

export function joinTalks(
  talks: readonly ServiceTalk[],
  { random, dialogues }: { readonly random: SeededRandom; readonly dialogues: number },
): readonly MarkedDialogue[] {
  return Array.from({ length: dialogues }, (_, number) => {
    const turns: MarkedTurn[] = [];
    const starts: number[] = [];
    const tasks = new Set<number>();
    const stretches = 3 + random.integer(5);
    for (const talk of random.shuffle(talks)) {
      if (starts.length + 1 >= stretches && turns.length > 0) break;
      if (tasks.has(talk.task)) continue;
      tasks.add(talk.task);
      if (turns.length > 0) starts.push(turns.length);
      turns.push(...takeStretch(talk.turns, random));
    }
    return { id: `joined-${number}`, turns, starts };
  });
}

/** Returns three to nine turns from the beginning, the end or a user's turn in between, or a shorter talk as it is. */
function takeStretch(turns: readonly MarkedTurn[], random: SeededRandom): readonly MarkedTurn[] {
  const length = 3 + random.integer(7);
  const choice = random.next();
  if (choice < 0.5 || turns.length <= length) return turns.slice(0, length);
  if (choice < 0.75) return turns.slice(-length);
  const from = random.integer(turns.length - length);
  const atUser = turns[from]?.speaker === "user" ? from : from + 1;
  return turns.slice(atUser, atUser + length);
}
