/**
 * Palimpsest as an application uses it: the question is appended, a prompt is handed out, the answer is appended. What
 * the prompt and its compactions leave in the store counts as bytes of the turn; the time of a turn is that of the two
 * appends.
 */
import { setImmediate as nextLoop } from "node:timers/promises";
import { openPalimpsest } from "../../src/index.ts";
import type { KeptConversation, OpenedConversation, Turn } from "./contestant.ts";
import { timed } from "./part.ts";

/** The session that every measured store holds. */
export const SESSION_ID = "measured";

export interface ConversationOptions {
  readonly store: string;
  readonly budgetTokens: number;
  /** Resolves when every text is in the index for searching. */
  settle(): Promise<void>;
}

export async function startConversation(options: ConversationOptions): Promise<KeptConversation> {
  const { store, budgetTokens, settle } = options;
  const palimpsest = await openPalimpsest({ store, budgetTokens });
  const session = await palimpsest.session(SESSION_ID);
  return {
    async turn([question, answer]: Turn) {
      const asked = await timed(() => session.append([question]));
      await session.prompt({});
      const answered = await timed(() => session.append([answer]));
      // What was left to the background runs here, as it does where an application waits for a model.
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

/** Everything anew but the code: the store, the engine, the session, and the messages that it goes on from. */
export async function openAgain(store: string, budgetTokens: number): Promise<OpenedConversation> {
  const palimpsest = await openPalimpsest({ store, budgetTokens });
  const session = await palimpsest.session(SESSION_ID);
  const { length } = await session.history();
  return { messages: length, close: () => palimpsest.close() };
}
