/** A conversation of which people, or whoever joined it, said where its topics begin. */
import type { Message } from "../../src/core/message/message.ts";

export interface MarkedTurn {
  readonly speaker: string;
  readonly text: string;
}

export interface MarkedDialogue {
  /** Of the conversation in its data, so that halves can be told apart. */
  readonly id: string;
  readonly turns: readonly MarkedTurn[];
  /** Places of the first turn of each topic, without the very first turn; ascending. */
  readonly starts: readonly number[];
}

/** Whoever speaks first is the user, everybody else the assistant; nothing tells when it was said. */
export function messagesOf({ id, turns }: MarkedDialogue): readonly Message[] {
  const user = turns[0]?.speaker;
  return turns.map(({ speaker, text }, place) => ({
    id: `${id}-${place}`,
    role: speaker === user ? "user" : "assistant",
    parts: [{ type: "text", text }],
  }));
}
