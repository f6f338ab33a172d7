/** Recalls passages from several sessions of a tenant: the best of each, compared by their scores. */
import { AMOUNT, checkArgument, checkOptions, ID, listOf, type OptionRule, TEXT } from "../../core/check-options.ts";
import type { SessionId } from "../../core/log/entry.ts";
import { writeRecallBlock } from "../../core/recall/recall-block.ts";
import { countTokens } from "../../core/tokens/count-tokens.ts";
import type { TenantStore } from "../../ports/store.ts";
import type { RecallPlace } from "../recall/find-passages.ts";
import {
  RECALL_RULES,
  type RecallOptions,
  type RecallResult,
  readRecallLimits,
  recallQuery,
  type SessionPassage,
} from "../recall/recall-session.ts";
import { listSessions } from "./list-sessions.ts";

/** Limits a search for earlier messages in all sessions. */
export interface RecallAllOptions extends RecallOptions {
  /** Ids of the sessions to search, at most 100. Default: the 100 that were used last. */
  readonly sessions?: readonly SessionId[] | undefined;
  /** Without `sessions`: searches only sessions that were used within this many days. */
  readonly sinceDays?: number | undefined;
}

const MAX_SESSIONS = 100;
const IDS = listOf(ID);
const SESSIONS: OptionRule = {
  ...IDS,
  allowed: `a list of at most ${MAX_SESSIONS} ids`,
  holds: (value) => Array.isArray(value) && value.length <= MAX_SESSIONS,
};

export const RECALL_ALL_RULES = {
  ...RECALL_RULES,
  sessions: SESSIONS,
  sinceDays: AMOUNT,
} satisfies Record<keyof RecallAllOptions, OptionRule>;

const DAY_MS = 86_400_000;

export async function recallSessions(
  { now, ...place }: Omit<RecallPlace, "sessionId"> & { readonly now: number },
  query: string,
  options: RecallAllOptions,
): Promise<RecallResult> {
  checkArgument(query, TEXT, "query");
  checkOptions(options, RECALL_ALL_RULES, "recall");
  const limits = readRecallLimits(options);
  const found = new Map<string, SessionPassage>();
  for (const sessionId of await findSessions(place.store, options, now)) {
    const { passages } = await recallQuery({ ...place, sessionId }, { text: query, ...limits, now });
    // Forks have the same messages.
    for (const passage of passages) {
      if (!found.has(passage.messageId)) found.set(passage.messageId, passage);
    }
  }
  const best = [...found.values()].toSorted((left, right) => right.score - left.score);
  return chooseFitting(best.slice(0, limits.limit), limits.budgetTokens);
}

async function findSessions(
  store: TenantStore,
  { sessions, sinceDays = Number.POSITIVE_INFINITY }: RecallAllOptions,
  now: number,
): Promise<readonly SessionId[]> {
  if (sessions !== undefined) return [...new Set(sessions)];
  const listed = await listSessions(store, { limit: MAX_SESSIONS });
  return listed.filter(({ updatedAt }) => now - updatedAt <= sinceDays * DAY_MS).map(({ id }) => id);
}

/** Takes the best passages whose block fits, and writes them by session. */
function chooseFitting(best: readonly SessionPassage[], budgetTokens: number): RecallResult {
  const sessions = [...new Set(best.map(({ sessionId }) => sessionId))];
  for (let kept = best.length; kept > 0; kept -= 1) {
    const passages = sessions.flatMap((id) =>
      best
        .slice(0, kept)
        .filter(({ sessionId }) => sessionId === id)
        .toSorted((left, right) => left.seq - right.seq),
    );
    const text = writeRecallBlock(
      passages.map((each) => ({ ...each, messageId: `${each.sessionId} ${each.messageId}` })),
    );
    const tokens = countTokens(text);
    if (tokens <= budgetTokens) return { passages, text, tokens };
  }
  return { passages: [], text: "", tokens: 0 };
}
