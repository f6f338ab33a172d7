/**
 * Turns summaries that a client sends with its history into records again, so that no model writes them a second time.
 * They are untrusted: facts of a cover are not protected, and a kept summary is checked like any answer.
 */
import type { MessageEntry } from "../../core/log/entry.ts";
import { findPreambleSeqs, findViewFloorSeq } from "../../core/log/head.ts";
import { findOwnPrunes, type Prune } from "../../core/log/prune.ts";
import type { ViewMessage } from "../../core/log/view.ts";
import type { DecodedInput } from "../../core/message/formats/decode-input.ts";
import { groupRoundsBy } from "../../core/message/group-messages.ts";
import type { Message } from "../../core/message/message.ts";
import type { SummaryRenderer } from "../../core/plan/plan-settings.ts";
import { isCoverText, readCover, TAKEN_OVER_REASON, takeOverCover } from "../../core/prompt/read-cover.ts";
import { type ClientSummary, findClientSummaries } from "../../core/summary/offline/group-recorded-turns.ts";
import { HISTORY_STRATEGY } from "../../core/summary/offline/read-summary-text.ts";
import type { SummaryRecord } from "../../core/summary/record/record.ts";
import { summaryCap } from "../../core/summary/record/trim-summary.ts";
import { checkSummaryInSteps, completeRecordInSteps } from "../../core/summary/verify/complete-record.ts";
import { countText } from "../../core/tokens/count-text.ts";
import { runInSteps } from "../../ports/run-in-steps.ts";
import type { ChangeDecision } from "./commit.ts";
import type { Conversation } from "./conversation.ts";
import { resolveRequest } from "./measure-session.ts";
import { readHistory } from "./read-history.ts";
import type { SessionState } from "./session-state.ts";

export function rendererOf({ context }: SessionState): SummaryRenderer {
  return context.settingsFor(context.defaults.model).summary.renderer;
}

/** Returns a check for covers in the rendering of the session's policy. */
export function isCoverFor(state: SessionState): (text: string) => boolean {
  return (text) => isCoverText(text, rendererOf(state));
}

/** Splits a cover at the beginning of a log from messages that a format joined to it, and drops stand-ins. */
export async function readBeginning(state: SessionState, decoded: DecodedInput): Promise<DecodedInput["messages"]> {
  const { items } = readHistory(decoded, { renderer: rendererOf(state), firstItem: 0 });
  const given = decoded.messages.flat();
  const read = items.flat();
  const isSame = read.length === given.length && read.every((message, index) => message === given[index]);
  if (isSame || read.length === 0) return decoded.messages;
  const { head, view } = await state.current();
  const isBeginning = findViewFloorSeq(head) === 0 && view.messages.every(({ message }) => message.role === "system");
  return isBeginning ? items : decoded.messages;
}

/** Whether messages have something that `takeOverHistory` may turn into a record. */
export function mayTakeOver(state: SessionState, messages: readonly Message[]): boolean {
  if (messages.some((message) => findOwnPrunes(message).length > 0)) return true;
  const cover = readCover(messages, { renderer: rendererOf(state), joinsTurns: false });
  return cover !== undefined || findClientSummaries(messages).length > 0;
}

export async function takeOverHistory(state: SessionState, entries: readonly MessageEntry[]): Promise<void> {
  const messages = entries.map(({ message }) => message);
  const prunes = entries.flatMap(({ seq, message }): readonly Prune[] =>
    findOwnPrunes(message).map((prune) => ({ ...prune, seq, messageId: message.id, reason: TAKEN_OVER_REASON })),
  );
  if (prunes.length > 0) {
    await state.changePast(() => ({ changes: [{ type: "prune", prunes, reason: TAKEN_OVER_REASON }] }));
  }
  if (readCover(messages, { renderer: rendererOf(state), joinsTurns: false }) !== undefined) {
    await state.changePast((conversation) => takeOverFirst(state, conversation, entries));
  }
  for (const kept of findClientSummaries(messages)) {
    await state.changePast((conversation) => takeOverKept(state, conversation, kept));
  }
}

const NOTHING = { changes: [], refusal: "nothing to take over" } as const;

/** Takes over a cover at the beginning of the log. Anywhere else it is a message. */
function takeOverFirst(
  state: SessionState,
  { head, view }: Conversation,
  entries: readonly MessageEntry[],
): ChangeDecision<string> {
  const { context, counts } = state;
  if (findViewFloorSeq(head) > 0 || view.erasedSeqs.length > 0) return NOTHING;
  const said = view.messages.map(({ message }) => message);
  const cover = readCover(said, { renderer: rendererOf(state), joinsTurns: false });
  const messages = (cover?.pieces ?? []).flatMap(({ index }) => view.messages[index] ?? []);
  const isNew = messages.some(({ seq }) => entries.some((entry) => entry.seq === seq));
  if (cover === undefined || !isNew) return NOTHING;
  const count = (text: string) => countText(text, counts.counter);
  const id = context.ids.entry("summary");
  return { changes: takeOverCover(cover, { messages, id, at: context.clock.now(), count }) };
}

async function takeOverKept(
  state: SessionState,
  { head, view }: Conversation,
  kept: ClientSummary,
): Promise<ChangeDecision<string>> {
  const rounds = groupRoundsBy(view.messages, ({ message }) => message);
  const last = rounds.findIndex(({ items }) => items.some(({ message }) => message.id === kept.toolCallRoundId));
  const preamble = new Set(findPreambleSeqs(head));
  const covered = rounds.slice(0, last + 1).flatMap(({ items }) => items);
  const stretch = covered.filter(({ seq }) => !preamble.has(seq));
  // Messages that a truncation covers are not summarized again.
  if (stretch.length === 0 || head.truncation !== undefined) return NOTHING;
  const record = await checkKept(state, kept, { items: stretch, previous: head.summary });
  if (record.text === "") return NOTHING;
  return { changes: [{ type: "summary", record, keptRequests: [], readThroughSeq: head.foldedThroughSeq }] };
}

async function checkKept(
  state: SessionState,
  kept: ClientSummary,
  { items, previous }: { readonly items: readonly ViewMessage[]; readonly previous: SummaryRecord | undefined },
): Promise<SummaryRecord> {
  const { settings, limits } = await resolveRequest(state, state.asked?.request ?? {});
  const { counter } = state.counts;
  const stretch = items.map(({ message }) => message);
  const { protectedShare } = settings.summary;
  const capTokens = Math.max(summaryCap(settings.summary, limits.limitTokens), countText(kept.text, counter));
  const source = { stretch, previous, capTokens, protectedShare, counter };
  const checked = await runInSteps(checkSummaryInSteps({ text: kept.text }, source));
  const { ids, clock } = state.context;
  const id: string = ids.entry("summary");
  const record = await runInSteps(
    completeRecordInSteps(checked, source, {
      id,
      at: clock.now(),
      strategy: HISTORY_STRATEGY,
      reason: TAKEN_OVER_REASON,
      tokensBefore: items.reduce((sum, { tokens }) => sum + tokens, previous?.tokensAfter ?? 0),
      coverage: {
        firstSeq: previous?.coverage.firstSeq ?? items[0]?.seq ?? 0,
        lastSeq: items.at(-1)?.seq ?? 0,
        count: (previous?.coverage.count ?? 0) + items.length,
      },
      keepsDepth: false,
    }),
  );
  return { ...record, depth: Math.max(record.depth, kept.depth) };
}
