/** The last walk over a session's thinking, so that a prompt costs what is new. Forgetting it changes no prompt. */
import type { ThinkingWalk } from "../core/prompt/preserve-thinking.ts";
import type { SectionChains } from "../core/prompt/send-thinking.ts";

export interface ThinkingMemo {
  walk: ThinkingWalk | undefined;
  readonly chains: SectionChains;
}

export function createThinkingMemo(): ThinkingMemo {
  return { walk: undefined, chains: new Map() };
}
