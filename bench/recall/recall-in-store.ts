/**
 * Measures recall as a session uses it: all chats are one session in a store, which returns candidates, and only these
 * are ranked. So each question has the messages of the other chats as distractors.
 */
import { openPalimpsest } from "../../src/index.ts";
import { mean } from "../shared/averages.ts";
import type { Chat } from "./read-locomo.ts";

export interface StoreRates {
  readonly evidence: number;
  readonly "hit@1": number;
  readonly "hit@5": number;
}

export async function measureInStore(chats: readonly Chat[], budgetTokens: number): Promise<StoreRates> {
  const palimpsest = await openPalimpsest({ counter: "estimate" });
  try {
    const session = await palimpsest.session();
    for (const { name, messages } of chats) {
      const renamed = messages.map((message) => ({ ...message, id: `${name} ${message.id}` }));
      await session.append(renamed, { format: "palimpsest" });
    }
    const rates: StoreRates[] = [];
    for (const { name, questions } of chats) {
      for (const { question, evidence } of questions) {
        if (evidence.length === 0) continue;
        const { passages } = await session.recall(question, { budgetTokens });
        const ids = passages.toSorted((left, right) => right.score - left.score).map(({ messageId }) => messageId);
        const wanted = evidence.map((id) => `${name} ${id}`);
        const hit = (most: number): number => Number(ids.slice(0, most).some((id) => wanted.includes(id)));
        const found = wanted.filter((id) => ids.includes(id)).length / wanted.length;
        rates.push({ evidence: found, "hit@1": hit(1), "hit@5": hit(5) });
      }
    }
    return {
      evidence: mean(rates.map(({ evidence }) => evidence)),
      "hit@1": mean(rates.map((rate) => rate["hit@1"])),
      "hit@5": mean(rates.map((rate) => rate["hit@5"])),
    };
  } finally {
    await palimpsest.close();
  }
}
