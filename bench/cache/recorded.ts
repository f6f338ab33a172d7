/**
 * The longest recorded coding sessions, with the times of their requests. They have no files besides the conversation,
 * so every order sends the same prompts. They show how real pauses and results affect the cache.
 */
import { readSessions } from "../cost/read-sessions.ts";
import type { Conversation, ConversationSize, ConversationStep } from "./conversation.ts";

const SESSIONS = 2;

/** Returns an empty list if the data folder is missing. */
export function readRecorded({ isQuick }: ConversationSize): readonly Conversation[] {
  const sessions = (readSessions() ?? []).toSorted((left, right) => right.requests.length - left.requests.length);
  return sessions.slice(0, isQuick ? 1 : SESSIONS).map(({ messages, requests }, index) => {
    const steps: ConversationStep[] = [];
    let next = 0;
    for (const { index: place, timeMs } of isQuick ? requests.slice(0, requests.length / 4) : requests) {
      const reply = messages[place];
      // If a reply was sent again, its index was already passed.
      if (reply === undefined || place <= next) continue;
      steps.push({ timeMs, events: [], newMessages: messages.slice(next, place), reply });
      next = place + 1;
    }
    return { name: `recorded session ${index + 1}`, instructions: "", steps };
  });
}
