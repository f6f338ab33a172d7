/** Says that the topic has changed, and offers to start over. Nobody has to do anything about it. */
import { useCallback, useEffect, useRef, useState } from "react";
import { type Fields, findNumber, readNumber, readText } from "../api/fields.ts";

export interface TopicHintLineProps {
  readonly hint: TopicHint;
  readonly onClear: () => void;
}

export function TopicHintLine({ hint: { reason, dismiss }, onClear }: TopicHintLineProps) {
  if (reason === "") return null;
  return (
    <p className="notices topic-hint" role="status">
      <span>
        This looks like another topic ({reason.replace(/\.$/, "")}). With a cleared context the model reads only what
        comes now; the log keeps the rest.
      </span>
      <button
        type="button"
        onClick={() => {
          dismiss();
          onClear();
        }}
      >
        Clear context
      </button>
      <button type="button" className="quiet" onClick={dismiss}>
        Not now
      </button>
    </p>
  );
}

export interface TopicHint {
  readonly reason: string;
  readonly heed: (name: string, data: Fields) => void;
  readonly dismiss: () => void;
}

/** Messages from which on a conversation is long enough that starting over is worth a thought. */
export const LONG_MESSAGES = 20;
const SURE = 0.5;

interface TopicHintOptions {
  readonly messageCount: number;
  /** Whether a turn is under way. */
  readonly isRunning: boolean;
}

/** The reason is empty where there is no hint. */
export function useTopicHint({ messageCount, isRunning }: TopicHintOptions): TopicHint {
  const [turned, setTurned] = useState<string | undefined>();
  const told = useRef<string | undefined>(undefined);
  const heed = useCallback((name: string, data: Fields) => {
    if (name !== "topic-boundary" || findNumber(data.index) === undefined || readNumber(data.confidence) < SURE) return;
    const reason = readText(data.reason) || "the conversation turned to something else";
    // The same turn of the topic is found again and again; it is told once.
    if (reason !== told.current) setTurned(reason);
    told.current = reason;
  }, []);
  const dismiss = useCallback(() => setTurned(undefined), []);
  // Whoever talks on has decided.
  useEffect(() => {
    if (isRunning) dismiss();
  }, [isRunning, dismiss]);
  return { reason: messageCount < LONG_MESSAGES ? "" : (turned ?? ""), heed, dismiss };
}
