/** Runs one of our sessions through a conversation: the part that all orders share. */
import { type OpenOptions, openPalimpsest } from "../../src/compose.ts";
import type { Prompt } from "../../src/engine/prompt/prompt.ts";
import type { Session } from "../../src/engine/session/session.ts";
import type { CacheOutcome } from "../../src/replay/prompt-cache.ts";
import type { Conversation, ConversationStep } from "./conversation.ts";
import type { ModelLane } from "./lanes.ts";
import type { WireReader } from "./sent-block.ts";

export interface PlayOptions {
  readonly lane: ModelLane;
  readonly reader: WireReader;
}

export type RunOptions = Pick<PlayOptions, "lane"> & Pick<OpenOptions, "policy" | "workspace">;

export interface CacheRun {
  readonly session: Session;
  /** Tool definitions in the provider's format. */
  readonly toolsText: string | undefined;
  ask(step: ConversationStep, options: { readonly instructions: string }): Promise<Prompt>;
  answer(
    step: ConversationStep,
    options: { readonly prompt: Prompt; readonly outcome: CacheOutcome | undefined },
  ): Promise<void>;
  close(): Promise<void>;
}

/** The same for every model, so that results differ because of the order and not because of the length. */
const WINDOW_TOKENS = 200_000;
const REPLY_MS = 2_000;

export async function openRun({ tools }: Conversation, { lane, policy, workspace }: RunOptions): Promise<CacheRun> {
  const time = { nowMs: 0 };
  const palimpsest = await openPalimpsest({
    model: lane.model,
    // All contestants use the same counter, so there is no factor to learn.
    counter: "o200k",
    models: { [lane.model]: { startFactor: 1 } },
    windowTokens: WINDOW_TOKENS,
    clock: { now: () => time.nowMs },
    policy,
    workspace,
  });
  const session = await palimpsest.session();
  return {
    session,
    toolsText: tools === undefined ? undefined : JSON.stringify(tools, undefined, 1),
    async ask({ newMessages, timeMs }, { instructions }) {
      time.nowMs = timeMs;
      await session.append(newMessages, { format: "palimpsest" });
      return session.prompt({ instructions, tools, provider: lane.provider });
    },
    async answer({ reply, timeMs }, { prompt, outcome }) {
      time.nowMs = timeMs + REPLY_MS;
      await session.append([reply], { format: "palimpsest", promptId: prompt.id, usage: usageOf(outcome) });
      await session.settle();
    },
    close: () => palimpsest.close(),
  };
}

function usageOf(outcome: CacheOutcome | undefined) {
  if (outcome === undefined) return undefined;
  const { plainTokens, readTokens, writeTokens } = outcome;
  return {
    inputTokens: plainTokens + readTokens + writeTokens,
    cacheReadTokens: readTokens,
    cacheWriteTokens: writeTokens,
  };
}
