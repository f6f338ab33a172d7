/** A conversation with marked topic boundaries, by people or by construction. */
import type { Message } from "../../src/core/message/message.ts";

export interface MarkedTurn {
  readonly speaker: string;
  readonly text: string;
}

export interface MarkedDialogue {
  /** Id of the conversation; the ids of its messages begin with it. */
  readonly id: string;
  readonly turns: readonly MarkedTurn[];
  /** Indices of the first turn of each topic, without the very first turn; ascending. */
  readonly starts: readonly number[];
}

/** The first speaker is the user, all others the assistant; messages have no times. */
export function messagesOf({ id, turns }: MarkedDialogue): readonly Message[] {
  const user = turns[0]?.speaker;
  return turns.map(({ speaker, text }, place) => ({
    id: `${id}-${place}`,
    role: speaker === user ? "user" : "assistant",
    parts: [{ type: "text", text }],
  }));
}
