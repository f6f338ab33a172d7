/** How the last turn ended, where it did not end with an answer; and the answer, said to those who listen. */
import { useEffect, useRef, useState } from "react";
import type { LogItem, ShownMessage } from "../api/values.ts";
import { imagesOf, textOf } from "../chat/parts-of-message.ts";
import type { Turn } from "../chat/use-turn.ts";

export function TurnEnd({ turn, items }: { readonly turn: Turn; readonly items: readonly LogItem[] }) {
  const { isRunning, error, retry } = turn;
  const last = items.findLast((item) => item.type === "message");
  const asked = last?.type === "message" && last.message.role === "user" ? last.message : undefined;
  const announced = useAnnouncement(isRunning, last?.type === "message" ? last.message : undefined);
  const isLost = !isRunning && asked !== undefined && turn.messages.length === 0;
  return (
    <>
      <div className="visually-hidden" role="log" aria-live="polite">
        {announced}
      </div>
      {isRunning || (error === undefined && !isLost) ? null : (
        <p className="turn-end" role="alert">
          <span>{error ?? "There is no answer to this."}</span>
          <button
            type="button"
            onClick={() =>
              retry(asked === undefined ? undefined : { id: asked.id, text: textOf(asked), images: imagesOf(asked) })
            }
          >
            Try again
          </button>
        </p>
      )}
    </>
  );
}

/** A reply is read out when it is whole: fragments would be read over each other. */
function useAnnouncement(isRunning: boolean, last: ShownMessage | undefined): string {
  const [text, setText] = useState("");
  const wasRunning = useRef(false);
  useEffect(() => {
    if (isRunning) wasRunning.current = true;
    else if (wasRunning.current && last?.role === "assistant") {
      wasRunning.current = false;
      setText(textOf(last));
    }
  }, [isRunning, last]);
  return text;
}
