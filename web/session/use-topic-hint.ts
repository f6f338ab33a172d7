/** A hint to start over, where a long conversation has turned to something else: what came before only costs. */
import { useCallback, useState } from "react";
import { type Fields, findNumber, readNumber, readText } from "../api/fields.ts";

export interface TopicHint {
  readonly reason: string;
  readonly heed: (name: string, data: Fields) => void;
  readonly dismiss: () => void;
}

/** Messages from which on a conversation is long enough that starting over is worth a thought. */
export const LONG_MESSAGES = 20;
const SURE = 0.5;

/** The reason is empty where there is no hint. */
export function useTopicHint(messageCount: number): TopicHint {
  const [turned, setTurned] = useState<string | undefined>();
  const heed = useCallback((name: string, data: Fields) => {
    if (name !== "topic-boundary" || findNumber(data.index) === undefined || readNumber(data.confidence) < SURE) return;
    setTurned(readText(data.reason) || "the conversation turned to something else");
  }, []);
  const dismiss = useCallback(() => setTurned(undefined), []);
  return { reason: messageCount < LONG_MESSAGES ? "" : (turned ?? ""), heed, dismiss };
}
