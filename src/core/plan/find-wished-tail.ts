/** Where the tail begins that a policy wishes for, in a view and a limit. */
import type { ViewMessage } from "../log/view.ts";
import { groupRoundsBy } from "../message/group-rounds.ts";
import { newestTurn } from "../message/group-turns.ts";
import type { CompactionNeed } from "./compaction-need.ts";
import { findTail, type TailMeasures } from "./find-tail.ts";
import type { Tentative } from "./tentative.ts";

type TailNeed = Pick<CompactionNeed, "settings" | "limitTokens" | "tailMessages">;

export function findWishedTail({ view }: Pick<Tentative, "view">, need: TailNeed, other: TailMeasures = {}): number {
  const { ratio, openRounds, otherwiseTokens, otherwiseExchanges, ...measures } = need.settings.tail;
  if (need.tailMessages !== undefined) return findTail(view.messages, { messages: need.tailMessages });
  if (openRounds !== undefined) return startByOpenRounds(view.messages, openRounds);
  const tail = { ...measures, ...other };
  const tokens = Math.max(tail.tokens ?? 0, tailShare(ratio ?? 0, need.limitTokens));
  const start = findTail(view.messages, { ...tail, tokens });
  if (start > 0 || otherwiseTokens === undefined) return start;
  return findTail(view.messages, { tokens: otherwiseTokens, exchanges: otherwiseExchanges });
}

/** Up to here a share of the prompt is that share. */
const FIRST_TOKENS = 40_000;

/** Beyond a first stretch the share counts twice: there is room, and what was said last is what is needed next. */
function tailShare(ratio: number, limitTokens: number): number {
  const beyond = Math.max(0, limitTokens - FIRST_TOKENS);
  return Math.floor((limitTokens - beyond) * ratio + beyond * Math.min(1, ratio * 2));
}

/** The newest rounds of the open turn. Where it has no more of them, the whole turn: the fold is then of earlier ones. */
function startByOpenRounds(messages: readonly ViewMessage[], openRounds: number): number {
  const open = newestTurn(messages, ({ message }) => message);
  const rounds = groupRoundsBy(open, ({ message }) => message).filter(({ items }) => hasCalls(items[0]));
  if (rounds.length <= openRounds) return messages.length - open.length;
  const first = rounds.at(-openRounds)?.items[0];
  return first === undefined ? messages.length : messages.indexOf(first);
}

function hasCalls(item: ViewMessage | undefined): boolean {
  return item?.message.parts.some(({ type }) => type === "tool-call") ?? false;
}
