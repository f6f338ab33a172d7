/** The view of a few messages after changes of the past, counted at four characters a token: for tests of the planner. */
import type { MessageEntry } from "../core/log/entry.ts";
import { foldEntries, foldEpochEntry } from "../core/log/fold-entry.ts";
import type { Head } from "../core/log/head.ts";
import { buildView, type View } from "../core/log/view.ts";
import type { Message } from "../core/message/message.ts";
import type { Change } from "../core/plan/proposal.ts";
import { countMessage } from "../core/tokens/count-message.ts";
import { charsOverFour } from "../core/tokens/rough-counters.ts";

export const countByCharacters = (message: Message): number => countMessage(message, charsOverFour);

/** Messages get the seqs 1, 2, 3, …; changes get the ids `e0`, `e1`, …. */
export function viewOf(messages: readonly Message[], ...changes: readonly Change[]): View {
  const entries = messages.map(
    (message, index): MessageEntry => ({
      type: "message",
      id: message.id,
      seq: index + 1,
      at: 0,
      message,
      hash: "",
      tokens: {},
    }),
  );
  const head = changes.reduce<Head>(
    (folded, change) => foldEpochEntry(folded, { ...change, id: `e${folded.epoch}`, at: 0, epoch: folded.epoch + 1 }),
    foldEntries(entries),
  );
  return buildView(head, entries, { count: countByCharacters });
}
