/** Estimates what compactions have saved: the tokens of messages that prompts did not send. */
import type { RequestEntry } from "../../core/log/entry.ts";
import { findClearedSeq, findViewFloorSeq } from "../../core/log/head.ts";
import type { SectionName } from "../../core/sections/section.ts";
import type { SessionState } from "../state/session-state.ts";

export interface SavedTokens {
  /** Tokens of hidden messages less those of what replaced them, summed over the requests. */
  readonly tokens: number;
  readonly requests: number;
  /** Cost of the tokens if the provider had read all of them from its cache. Undefined if the price is unknown. */
  readonly costUsd?: number | undefined;
}

/** Only the newest requests count, so that the work is bounded. */
const MAX_REQUESTS = 1_000;
const CONVERSATION: ReadonlySet<SectionName> = new Set(["summary", "pinned", "history", "next", "notes"]);
const TOKENS_A_PRICE = 1_000_000;

/** Returns undefined if nothing was compacted. */
export async function estimateSaved(state: SessionState, afterSeq: number): Promise<SavedTokens | undefined> {
  const { head } = await state.current();
  const clearedSeq = findClearedSeq(head);
  const hasHidden = findViewFloorSeq(head) > clearedSeq || head.prunes.length > 0;
  if (!hasHidden) return undefined;
  const range = { afterSeq: Math.max(afterSeq, clearedSeq), newestFirst: true, limit: MAX_REQUESTS } as const;
  const requests = (await state.readEntries("request", range)).toReversed();
  const borders = [clearedSeq, ...requests.map(({ seq }) => seq)];
  const stretches = requests.map(({ seq }, index) => ({ firstSeq: (borders[index] ?? 0) + 1, lastSeq: seq }));
  const weights = await state.context.store.weighMessages(state.id, stretches);
  let [said, tokens] = [0, 0];
  for (const [index, request] of requests.entries()) {
    said += weights[index]?.tokens ?? 0;
    tokens += Math.max(0, said - countConversation(request));
  }
  const costUsd = await findPrice(state, requests.at(-1)?.model);
  const cost = costUsd === undefined ? {} : { costUsd: (tokens * costUsd) / TOKENS_A_PRICE };
  return { tokens, requests: requests.length, ...cost };
}

function countConversation({ sections }: RequestEntry): number {
  return sections.reduce((sum, { name, tokens }) => sum + (CONVERSATION.has(name) ? tokens : 0), 0);
}

async function findPrice({ context }: SessionState, model: string | undefined): Promise<number | undefined> {
  return model === undefined ? undefined : (await context.catalogue.find(model)).info.prices?.cacheRead;
}
