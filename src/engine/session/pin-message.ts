/** Pins keep messages verbatim through every compaction. A pin is refused if pins would take too much of the budget. */
import { PalimpsestError } from "../../core/errors.ts";
import type { EntryId, MessageEntry } from "../../core/log/entry.ts";
import { groupRoundsBy } from "../../core/message/group-messages.ts";
import { findLimits } from "../context/prompt-size.ts";
import { changePast } from "../state/change-past.ts";
import type { Conversation } from "../state/conversation.ts";
import type { SessionState } from "../state/session-state.ts";

/** Entries to read around a message to find its round. */
const NEIGHBOURS = 512;

export type PinInput = string | { readonly note: string };

export type PinOutcome =
  | { readonly type: "pinned"; readonly pinId: EntryId }
  | { readonly type: "pins-exceed-budget"; readonly pinnedTokens: number; readonly allowedTokens: number };

export async function pinMessage(state: SessionState, input: PinInput): Promise<PinOutcome> {
  const { pinRatio, reserve } = state.context.settingsFor(state.context.defaults.model);
  const { limitTokens } = await findLimits(state.context, { reserve });
  const allowedTokens = Math.floor(limitTokens * pinRatio);
  const round = typeof input === "string" ? await readRound(state, input) : [];
  const outcome = await changePast<PinOutcome>(state, (conversation) => {
    const known = typeof input === "string" ? findPin(conversation, input) : undefined;
    if (known !== undefined) return { changes: [], refusal: { type: "pinned", pinId: known } };
    const added = typeof input === "string" ? sumTokens(state, round) : state.counts.countText(input.note);
    const pinnedTokens = countPinned(state, conversation) + added;
    if (pinnedTokens > allowedTokens) {
      return { changes: [], refusal: { type: "pins-exceed-budget", pinnedTokens, allowedTokens } };
    }
    const seqs = round.map((entry) => entry.seq);
    const target =
      typeof input === "string"
        ? ({ type: "messages", messageId: input, seqs } as const)
        : ({ type: "note", text: input.note } as const);
    return { changes: [{ type: "pin", target }] };
  });
  if (outcome.type === "refused") return outcome.refusal;
  return { type: "pinned", pinId: outcome.entryIds[0] ?? "" };
}

/** Removes pins by pin id or message id. Returns false for an unknown id. */
export async function unpinMessage(state: SessionState, id: string): Promise<boolean> {
  const outcome = await changePast<false>(state, ({ head }) => {
    const pins = head.pins.filter(
      ({ id: pinId, target }) => pinId === id || (target.type === "messages" && target.messageId === id),
    );
    if (pins.length === 0) return { changes: [], refusal: false };
    return { changes: [{ type: "unpin", pinIds: pins.map((pin) => pin.id), reason: "unpinned by its owner" }] };
  });
  return outcome.type === "changed";
}

function findPin({ head }: Conversation, messageId: string): EntryId | undefined {
  return head.pins.find(({ target }) => target.type === "messages" && target.messageId === messageId)?.id;
}

function countPinned(state: SessionState, { head, view }: Conversation): number {
  const seqs = new Set(head.pins.flatMap(({ target }) => (target.type === "messages" ? target.seqs : [])));
  const messages = [...view.kept, ...view.messages].filter((item) => seqs.has(item.seq));
  const notes = head.pins.reduce(
    (sum, { target }) => sum + (target.type === "note" ? state.counts.countText(target.text) : 0),
    0,
  );
  return messages.reduce((sum, item) => sum + state.counts.count(item.message), notes);
}

/** Reads the whole round of a message, because a call is never pinned without its results. */
async function readRound(state: SessionState, messageId: string): Promise<readonly MessageEntry[]> {
  const { store } = state.context;
  const entry = await store.findMessage(state.id, messageId);
  if (entry === undefined || entry.erased === true) {
    throw new PalimpsestError("message-not-found", `There is no message ${JSON.stringify(messageId)} in this session.`);
  }
  const range = { afterSeq: entry.seq - NEIGHBOURS, throughSeq: entry.seq + NEIGHBOURS, types: ["message"] } as const;
  const around = (await store.readEntries(state.id, range)).filter((near) => near.type === "message");
  const rounds = groupRoundsBy(around, ({ message }) => message);
  const round = rounds.find(({ items }) => items.some((item) => item.seq === entry.seq));
  return round?.items.filter((item) => item.erased !== true) ?? [entry];
}

function sumTokens(state: SessionState, entries: readonly MessageEntry[]): number {
  return entries.reduce((sum, { message }) => sum + state.counts.count(message), 0);
}
