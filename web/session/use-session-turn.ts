/** Sending messages and receiving answers: the running turn, and messages that were not sent or not answered. */
import type { UIMessage } from "ai";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { describeError, isNotFoundError } from "../api/errors.ts";
import { type ComposedImage, uploadMissingImages } from "../api/images.ts";
import { createSession, readSession } from "../api/sessions.ts";
import { imagesOf, type ShownMessage, textOf } from "../api/values.ts";
import { readDraft, restoreDraft, saveDraft } from "../chat/drafts.ts";
import { takeImages } from "../chat/image-drafts.ts";
import { useLive } from "../chat/use-live.ts";
import { type Turn, toQueuedMessage, useTurn } from "../chat/use-turn.ts";
import { useSingleFlight } from "../hooks/limit-calls.ts";
import { goTo } from "../hooks/use-location.ts";
import type { LogWindow } from "../hooks/use-log.ts";
import type { Notices } from "../ui/notices.tsx";
import type { Transcript } from "./use-transcript.ts";

export interface SessionTurn {
  readonly turn: Turn;
  /** Messages of the running turn that are not in the log yet. */
  readonly live: readonly ShownMessage[];
  readonly unsent: readonly UIMessage[];
  readonly hasNoAnswer: boolean;
  /** Whether the session was deleted or never existed. */
  readonly isGone: boolean;
  /** False if the message could not be sent. */
  readonly send: (text: string, images: readonly ComposedImage[]) => Promise<boolean>;
  readonly retry: () => void;
  /** Moves everything that is not sent to a new session, and opens it. */
  readonly moveToNewSession: () => void;
}

interface SessionTurnOptions {
  readonly sessionId: string;
  readonly transcript: Transcript;
  readonly notify: Notices["notify"];
}

export function useSessionTurn({ sessionId, transcript, notify }: SessionTurnOptions): SessionTurn {
  const { log, refresh } = transcript;
  const turn = useTurn({
    sessionId,
    log,
    onEnd: useCallback(() => retryRead(refresh), [refresh]),
    onRefused: (message, reason) => {
      restoreDraft(sessionId, [message]);
      notify(reason, "failed");
    },
  });
  const live = useLive(turn, log);
  const unsent = useUnsent(sessionId, turn, log);
  const { message, hasNoAnswer } = useUnanswered(turn, log);
  const { exists, isMissed } = usePresence(sessionId);
  const single = useSingleFlight();
  const fail = (error: unknown) => void notify(describeError(error), "failed");
  const send = async (text: string, images: readonly ComposedImage[]) => {
    if (!(await exists())) return false;
    try {
      // The new message is at the end of the log, even if the user was reading elsewhere.
      if (log.hasNewer) await log.newest();
      turn.send(text, await uploadMissingImages(sessionId, images));
      return true;
    } catch (error) {
      fail(error);
      return false;
    }
  };
  const retry = async () => {
    if (!(await exists())) return;
    turn.retry(message && { id: message.id, text: textOf(message), images: imagesOf(message) });
  };
  return {
    turn,
    live,
    unsent,
    hasNoAnswer,
    isGone: isMissed || log.isGone,
    send,
    retry: () => void single("retry", retry),
    moveToNewSession: () => void single("move", () => moveDraft(sessionId, unsent).catch(fail)),
  };
}

const READ_ATTEMPTS = 3;
const READ_PAUSE_MS = 1_000;

/** Reads the log at the end of a turn, and tries again if the connection fails at that moment. */
async function retryRead(read: () => Promise<boolean>): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    if (await read()) return true;
    if (attempt === READ_ATTEMPTS) return false;
    await new Promise((resolve) => setTimeout(resolve, READ_PAUSE_MS));
  }
}

/** Messages of the user that the log does not have. They return to the draft when the user leaves the screen. */
function useUnsent(sessionId: string, turn: Turn, { items, holds }: LogWindow): readonly UIMessage[] {
  const { messages, isRunning, isSettled, error } = turn;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `holds` returns another result when items were loaded.
  const unsent = useMemo(() => {
    if (isRunning || (!isSettled && error === undefined)) return [];
    return messages.filter(({ id, role }) => role === "user" && !holds(id));
  }, [messages, items, holds, isRunning, isSettled, error]);
  const latest = useRef(unsent);
  latest.current = unsent;
  useEffect(() => {
    const leave = () => {
      const { current } = latest;
      latest.current = [];
      if (current.length > 0) restoreDraft(sessionId, current.map(toQueuedMessage));
    };
    window.addEventListener("pagehide", leave);
    return () => {
      window.removeEventListener("pagehide", leave);
      leave();
    };
  }, [sessionId]);
  return unsent;
}

/** The last message of the log, if it has no answer. Another window may be receiving the answer, so that is checked. */
function useUnanswered(turn: Turn, { items, hasNewer }: LogWindow) {
  const { isRunning, error, isBusyElsewhere, isSettled } = turn;
  const last = hasNewer ? undefined : items.findLast((item) => item.type === "message");
  const message = last?.type === "message" && last.message.role === "user" ? last.message : undefined;
  const [checkedId, setCheckedId] = useState<string | undefined>();
  const checking = useRef<string | undefined>(undefined);
  const follow = useRef(turn.follow);
  follow.current = turn.follow;
  const id = message?.id;
  const isUnknown = id !== undefined && id !== checkedId && error === undefined && isSettled;
  const mayBeAnswered = !isRunning && (isBusyElsewhere || isUnknown);
  useEffect(() => {
    // Checks each message once, unless the server is streaming an answer.
    if (!mayBeAnswered || (checking.current === id && !isBusyElsewhere)) return;
    checking.current = id;
    void follow.current().finally(() => setCheckedId(id));
  }, [mayBeAnswered, isBusyElsewhere, id]);
  return { message, hasNoAnswer: id !== undefined && id === checkedId && !isRunning && isSettled };
}

/** The server creates a session for a message with a new id, so the page checks that the session still exists. */
function usePresence(sessionId: string) {
  const [isMissed, setIsMissed] = useState(false);
  /** Also true if the server cannot be reached: sending then fails and keeps the message. */
  const exists = useCallback(async () => {
    try {
      await readSession(sessionId);
      return true;
    } catch (error) {
      if (isNotFoundError(error)) setIsMissed(true);
      return !isNotFoundError(error);
    }
  }, [sessionId]);
  return { isMissed, exists };
}

async function moveDraft(sessionId: string, unsent: readonly UIMessage[]): Promise<void> {
  const { id } = await createSession({});
  restoreDraft(id, [...unsent.map(toQueuedMessage), { text: readDraft(sessionId), images: takeImages(sessionId) }]);
  saveDraft(sessionId, "");
  goTo({ type: "session", id, seq: undefined });
}
