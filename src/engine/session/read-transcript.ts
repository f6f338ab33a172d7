/** Everything that was said in a session, read in pages, so that a long log is never asked for in one piece, and nobody waits for it. */
import type { Message } from "../../core/message/message.ts";
import { yieldToEventLoop } from "../context/breathe.ts";
import type { SessionState } from "../state/session-state.ts";

const PAGE = 1_000;

export async function readTranscript({ id, context }: SessionState): Promise<readonly Message[]> {
  const messages: Message[] = [];
  for (let afterSeq = 0; ; ) {
    const page = await context.store.readEntries(id, { afterSeq, types: ["message"], limit: PAGE });
    for (const entry of page) {
      if (entry.type === "message" && entry.erased !== true) messages.push(structuredClone(entry.message));
      await yieldToEventLoop();
    }
    if (page.length < PAGE) return messages;
    afterSeq = page.at(-1)?.seq ?? afterSeq;
  }
}
