/**
 * Whether the conversation is there. The server begins one for whatever is said under a new id; what is said into one
 * that was deleted elsewhere would vanish into that, so the page looks before it speaks.
 */
import { useCallback, useState } from "react";
import { isMissing } from "../api/errors.ts";
import { createSession, readOneSession } from "../api/sessions.ts";
import { giveBack, keepDraft, readDraft } from "../chat/drafts.ts";
import { takeImages } from "../chat/image-drafts.ts";
import type { PendingMessage } from "../chat/next-turn.ts";
import { goTo } from "../hooks/use-location.ts";
import type { LogWindow } from "../hooks/use-log.ts";

export function usePresence(sessionId: string, log: LogWindow) {
  const [isMissed, setIsMissed] = useState(false);
  /** Where nobody can be asked, saying it fails in its own way and keeps the words. */
  const isThere = useCallback(async () => {
    try {
      await readOneSession(sessionId);
      return true;
    } catch (error) {
      if (isMissing(error)) setIsMissed(true);
      return !isMissing(error);
    }
  }, [sessionId]);
  return { isGone: isMissed || log.isGone, isThere };
}

/** Another conversation, with what the one before did not take. */
export async function beginElsewhere(sessionId: string, unsent: readonly PendingMessage[]): Promise<void> {
  const { id } = await createSession({});
  giveBack(id, [...unsent, { text: readDraft(sessionId), images: takeImages(sessionId) }]);
  keepDraft(sessionId, "");
  goTo({ type: "session", id, seq: undefined });
}
