/** Takes what was said so far out of the view; the log keeps it, and an undo brings it back. */
import type { ClearEntry } from "../core/log/entry.ts";
import { type Appended, draftMessages, readInput } from "./append-messages.ts";
import { changePast } from "./change-past.ts";
import type { SessionState } from "./session-state.ts";

export async function clearHistory(state: SessionState, scope: ClearEntry["scope"]): Promise<void> {
  await changePast(state, ({ head }) => ({
    changes: [{ type: "clear", throughSeq: head.foldedThroughSeq, scope, keepsPreamble: true }],
  }));
}

/** Clears everything, instructions included, and puts other messages in its place, in one transaction. */
export async function replaceHistory(state: SessionState, input: unknown): Promise<Appended> {
  const messages = readInput(state, input);
  const opening = messages.findIndex(({ role }) => role !== "system");
  const drafts = (await draftMessages(state, messages, {})).map((draft, index) =>
    opening < 0 || index < opening ? { ...draft, opensConversation: true } : draft,
  );
  await changePast(state, ({ head }) => ({
    changes: [{ type: "clear", throughSeq: head.foldedThroughSeq, scope: "for-good", keepsPreamble: false }],
    messages: drafts,
  }));
  const { view } = await state.current();
  const places = new Map(view.messages.map(({ seq, message }) => [message.id, seq]));
  return { messages: drafts.map(({ id }) => ({ id, seq: places.get(id) ?? 0 })) };
}
