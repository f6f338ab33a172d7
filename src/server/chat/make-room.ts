/**
 * Whether a request may end the reply that is under way. A client that stops reading, as `useChat` does when it is told
 * to stop, and says something else is done with that reply. One that sends the same again wants it, and a reply that
 * somebody reads is theirs.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { ChatStream } from "./chat-stream.ts";
import type { ChatRequest } from "./find-session.ts";

/** A connection that was closed is known to be so a moment later. */
const LEAVING_MS = 500;
const LOOK_EVERY_MS = 20;

/** Whether the newest thing that somebody said is another one than before, or a reply is to be made anew. */
export function isAboutElse(request: ChatRequest, before: ChatRequest): boolean {
  const said = findSaid(request);
  return request.trigger === "regenerate-message" || (said !== undefined && said !== findSaid(before));
}

function findSaid({ messages = [], message }: ChatRequest): string | undefined {
  const last = message ?? messages.at(-1);
  return last?.role === "user" ? JSON.stringify(last) : undefined;
}

export async function whenLeft(stream: ChatStream): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < LEAVING_MS && !stream.isLeft; waitedMs += LOOK_EVERY_MS) await pause(LOOK_EVERY_MS);
  return stream.isLeft;
}
