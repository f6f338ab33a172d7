/** A hint to clear the context when a long conversation changes its topic: the earlier messages only add cost. */
import { useCallback, useEffect, useRef, useState } from "react";
import { type Fields, findNumber, readNumber, readText } from "../../src/client/fields.ts";

export interface TopicHint {
  /** Empty without a hint. */
  readonly reason: string;
  readonly onEvent: (name: string, data: Fields) => void;
  readonly dismiss: () => void;
}

/** Shorter conversations get no hint. */
const MIN_MESSAGES = 20;
const MIN_CONFIDENCE = 0.5;

interface TopicHintOptions {
  readonly messageCount: number;
  readonly isRunning: boolean;
}

export function useTopicHint({ messageCount, isRunning }: TopicHintOptions): TopicHint {
  const [reason, setReason] = useState("");
  const shown = useRef<string | undefined>(undefined);
  const onEvent = useCallback((name: string, data: Fields) => {
    const isBoundary = name === "topic-boundary" && findNumber(data.index) !== undefined;
    if (!isBoundary || readNumber(data.confidence) < MIN_CONFIDENCE) return;
    const found = readText(data.reason) || "the topic changed";
    // The server finds the same change of topic repeatedly; the hint is shown once.
    if (found !== shown.current) setReason(found);
    shown.current = found;
  }, []);
  const dismiss = useCallback(() => setReason(""), []);
  // Sending another message dismisses the hint.
  useEffect(() => {
    if (isRunning) dismiss();
  }, [isRunning, dismiss]);
  return { reason: messageCount < MIN_MESSAGES ? "" : reason, onEvent, dismiss };
}

export interface TopicHintLineProps {
  readonly hint: TopicHint;
  readonly onClear: () => void;
}

export function TopicHintLine({ hint: { reason, dismiss }, onClear }: TopicHintLineProps) {
  if (reason === "") return null;
  return (
    <p className="notices topic-hint" role="status">
      <span>
        This looks like a new topic ({reason.replace(/\.$/, "")}). After clearing the context, the model reads only new
        messages; the log keeps the rest.
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
