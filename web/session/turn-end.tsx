/** The end of the last turn: an error with a retry button, and the answer for screen readers. */
import { useEffect, useRef, useState } from "react";
import { type LogItem, type ShownMessage, textOf } from "../api/values.ts";
import type { SessionTurn } from "./use-session-turn.ts";

export interface TurnEndProps {
  readonly conversation: SessionTurn;
  readonly items: readonly LogItem[];
}

export function TurnEnd({ conversation, items }: TurnEndProps) {
  const { turn, unsent, hasNoAnswer, retry } = conversation;
  const { isRunning, error, isFollowing } = turn;
  const last = items.findLast((item) => item.type === "message");
  const answer = useFinishedAnswer(isRunning, last?.type === "message" ? last.message : undefined);
  const problem = error ?? describeEnd(unsent.length, hasNoAnswer);
  return (
    <>
      <div className="visually-hidden" role="log" aria-live="polite">
        {answer}
      </div>
      {isRunning && isFollowing ? (
        <p className="edge">Another window requested this answer. Stop ends it there too.</p>
      ) : null}
      {isRunning || problem === undefined ? null : (
        <p className="turn-end" role="alert">
          <span>{problem}</span>
          <button type="button" onClick={retry}>
            Try again
          </button>
        </p>
      )}
    </>
  );
}

function describeEnd(unsent: number, hasNoAnswer: boolean): string | undefined {
  if (unsent > 0) return unsent === 1 ? "The last message was not sent." : `The last ${unsent} messages were not sent.`;
  return hasNoAnswer ? "This message has no answer." : undefined;
}

/** Screen readers get an answer when it is complete, and only if it belongs to this turn. */
function useFinishedAnswer(isRunning: boolean, last: ShownMessage | undefined): string {
  const [text, setText] = useState("");
  const startSeq = useRef<number | undefined>(undefined);
  useEffect(() => {
    if (isRunning) startSeq.current ??= last?.seq ?? 0;
    else if (startSeq.current !== undefined && last?.role === "assistant" && (last.seq ?? 0) > startSeq.current) {
      startSeq.current = undefined;
      setText(textOf(last));
    }
  }, [isRunning, last]);
  return text;
}
