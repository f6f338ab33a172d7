/** Clears the view. The log keeps the messages, and an undo restores them. */
import type { ClearEntry } from "../../core/log/entry.ts";
import type { Message } from "../../core/message/message.ts";
import { type Appended, draftMessages, readInput } from "../state/append-messages.ts";
import { changePast } from "../state/change-past.ts";
import type { SessionState } from "../state/session-state.ts";

/** The default scope is the policy's. */
export async function clearHistory(state: SessionState, scope?: ClearEntry["scope"]): Promise<void> {
  const { context } = state;
  const { clear = "for-good" } = context.settingsFor(context.defaults.model);
  const change = { type: "clear", scope: scope ?? clear, keepsPreamble: true } as const;
  const drops = clear === "next-generation" && change.scope === clear ? { dropsSummary: true } : {};
  await changePast(state, ({ head }) => ({ changes: [{ ...change, ...drops, throughSeq: head.foldedThroughSeq }] }));
}

async function renewKnownIds(state: SessionState, messages: readonly Message[]): Promise<readonly Message[]> {
  const { store, ids } = state.context;
  const known = await Promise.all(messages.map(({ id }) => store.findMessage(state.id, id)));
  return messages.map((message, index) => (known[index] === undefined ? message : { ...message, id: ids.message() }));
}

/** Clears everything, instructions included, and appends other messages in the same transaction. */
export async function replaceHistory(state: SessionState, input: unknown): Promise<Appended> {
  const messages = await renewKnownIds(state, await readInput(state, input));
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
