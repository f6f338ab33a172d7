/**
 * Palimpsest as an application uses it: append the question, request a prompt, append the answer. The bytes of a turn
 * include what the prompt and its compactions store; the time of a turn is that of the two appends.
 */
import { setImmediate as nextLoop } from "node:timers/promises";
import { openPalimpsest } from "../../src/index.ts";
import type { KeptConversation, OpenedConversation, Turn } from "./contestant.ts";
import { measureTime } from "./part.ts";

/** The session in every measured store. */
export const SESSION_ID = "measured";

export interface ConversationOptions {
  readonly store: string;
  readonly budgetTokens: number;
  /** Resolves when every text is in the search index. */
  settle(): Promise<void>;
}

export async function startConversation(options: ConversationOptions): Promise<KeptConversation> {
  const { store, budgetTokens, settle } = options;
  const palimpsest = await openPalimpsest({ store, budgetTokens });
  const session = await palimpsest.session(SESSION_ID);
  return {
    async turn([question, answer]: Turn) {
      const asked = await measureTime(() => session.append([question]));
      await session.prompt({});
      const answered = await measureTime(() => session.append([answer]));
      // Background work runs here, as in an application that waits for a model.
      await nextLoop();
      return asked.ms + answered.ms;
    },
    open: () => openAgain(store, budgetTokens),
    async settle() {
      await session.settle();
      await settle();
    },
    close: () => palimpsest.close(),
  };
}

/** Opens everything again except the code: the store, the engine, the session, and the messages to continue from. */
export async function openAgain(store: string, budgetTokens: number): Promise<OpenedConversation> {
  const palimpsest = await openPalimpsest({ store, budgetTokens });
  const session = await palimpsest.session(SESSION_ID);
  const { length } = await session.history();
  return { messages: length, close: () => palimpsest.close() };
}
