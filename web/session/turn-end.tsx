/** How the last turn ended, where it did not end with an answer; and the answer, said to those who listen. */
import type { UIMessage } from "ai";
import { useEffect, useRef, useState } from "react";
import type { LogItem, ShownMessage } from "../api/values.ts";
import { textOf } from "../chat/parts-of-message.ts";
import type { Turn } from "../chat/use-turn.ts";
import type { Unanswered } from "./use-unanswered.ts";

export interface TurnEndProps {
  readonly turn: Turn;
  readonly items: readonly LogItem[];
  readonly unanswered: Unanswered;
  readonly unsent: readonly UIMessage[];
  readonly onRetry: () => void;
}

export function TurnEnd({ turn, items, unanswered, unsent, onRetry }: TurnEndProps) {
  const { isRunning, error, isFollowing } = turn;
  const last = items.findLast((item) => item.type === "message");
  const announced = useAnnouncement(isRunning, last?.type === "message" ? last.message : undefined);
  const said = error ?? sayEnd(unsent.length, unanswered.isLost);
  return (
    <>
      <div className="visually-hidden" role="log" aria-live="polite">
        {announced}
      </div>
      {isRunning && isFollowing ? (
        <p className="edge">An answer is being written; Stop ends it for everybody.</p>
      ) : null}
      {isRunning || said === undefined ? null : (
        <p className="turn-end" role="alert">
          <span>{said}</span>
          <button type="button" onClick={onRetry}>
            Try again
          </button>
        </p>
      )}
    </>
  );
}

function sayEnd(unsent: number, isLost: boolean): string | undefined {
  if (unsent > 0) return unsent === 1 ? "The last message was not sent." : `The last ${unsent} messages were not sent.`;
  return isLost ? "There is no answer to this." : undefined;
}

/** A reply is read out when it is whole, and only if it is newer than the turn: fragments would be read over each other. */
function useAnnouncement(isRunning: boolean, last: ShownMessage | undefined): string {
  const [text, setText] = useState("");
  const begunAt = useRef<number | undefined>(undefined);
  useEffect(() => {
    if (isRunning) begunAt.current ??= last?.seq ?? 0;
    else if (begunAt.current !== undefined && last?.role === "assistant" && (last.seq ?? 0) > begunAt.current) {
      begunAt.current = undefined;
      setText(textOf(last));
    }
  }, [isRunning, last]);
  return text;
}
