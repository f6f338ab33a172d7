/**
 * The longest of the recorded coding sessions, with the times at which their requests were sent. They hold no files
 * beside the conversation, so every order sends the same; what they show is how real pauses and results are read.
 */
import { readSessions } from "../cost/read-sessions.ts";
import type { Conversation, ConversationSize, Step } from "./conversation.ts";

const SESSIONS = 2;

/** None where the data is not beside the project. */
export function readRecorded({ isQuick }: ConversationSize): readonly Conversation[] {
  const sessions = (readSessions() ?? []).toSorted((left, right) => right.requests.length - left.requests.length);
  return sessions.slice(0, isQuick ? 1 : SESSIONS).map(({ messages, requests }, index) => {
    const steps: Step[] = [];
    let next = 0;
    for (const { index: place, timeMs } of isQuick ? requests.slice(0, requests.length / 4) : requests) {
      const reply = messages[place];
      // A reply that was sent again stands at a place that was passed already.
      if (reply === undefined || place <= next) continue;
      steps.push({ timeMs, events: [], said: messages.slice(next, place), reply });
      next = place + 1;
    }
    return { name: `recorded session ${index + 1}`, instructions: "", steps };
  });
}
