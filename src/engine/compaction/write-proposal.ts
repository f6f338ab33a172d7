/** Writes a proposal as one batch, or applies it to one request. A batch planned on an older epoch is discarded. */
import type { EntryId } from "../../core/log/entry.ts";
import { reviseView, type View } from "../../core/log/view.ts";
import { hasSealedCompaction } from "../../core/message/provider-compaction.ts";
import type { GateVerdict } from "../../core/plan/economic-gate.ts";
import { foldChanges, type Proposal } from "../../core/plan/proposal.ts";
import type { SummaryAttempt } from "../context/summary-attempt.ts";
import type { Conversation } from "../state/conversation.ts";
import { findErasable } from "../state/find-erasable.ts";
import type { CompactOptions } from "../state/preparation.ts";
import type { HeldLease } from "../state/session-lease.ts";
import type { SessionState } from "../state/session-state.ts";

export interface CompactionReport {
  readonly reason: string;
  readonly steps: Proposal["steps"];
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** False for a compaction of one request, of which the log keeps nothing. */
  readonly isRecorded: boolean;
  /** Every attempt to have a summary written, with its cost. */
  readonly attempts: readonly SummaryAttempt[];
  readonly gate?: GateVerdict | undefined;
  readonly entryIds: readonly EntryId[];
}

export interface WriteOptions {
  readonly options: CompactOptions;
  readonly lease: HeldLease;
  readonly attempts: readonly SummaryAttempt[];
  readonly durationMs: number;
  readonly gate?: GateVerdict | undefined;
}

/** The reason of a proposal that was planned on an older epoch. */
export const SESSION_CHANGED = "The session changed while the compaction was prepared.";

const PINS_RELEASED =
  "Pins were released because nothing else could make the prompt fit; a note of their first words stands in their place.";

const SEALED_LEFT_OUT =
  "A compaction by the provider, which only the provider can read, is no longer sent: it takes more than a quarter of the budget.";

function hasSealed({ kept, messages }: View): boolean {
  return [...kept, ...messages].some(({ message }) => hasSealedCompaction(message));
}

/** Returns undefined when the session has changed since the proposal was made. */
export async function writeProposal(
  state: SessionState,
  conversation: Conversation,
  proposal: Proposal,
  { options, lease, attempts, durationMs, gate }: WriteOptions,
): Promise<CompactionReport | undefined> {
  const { reason, phase, limits, settings } = options;
  const { steps, tokensBefore, tokensAfter, weight, changes } = proposal;
  const { emitter } = state.context;
  const ending = { sessionId: state.id, phase, attempts, durationMs };
  const commit = async () => {
    const { retention } = settings;
    const erasing = await findErasable(state, conversation, { changes, retention });
    return state.commit(conversation, { ...erasing, fence: lease.fence });
  };
  const outcome = await commit().catch((error: unknown) => {
    const text = error instanceof Error ? error.message : String(error);
    emitter.emit("compaction-end", { ...ending, outcome: "failed", reason: text });
    throw error;
  });
  if (outcome.type === "stale") {
    emitter.emit("compaction-end", { ...ending, outcome: "stale", reason: SESSION_CHANGED });
    return undefined;
  }
  if (changes.some(({ type }) => type === "unpin")) state.warn(PINS_RELEASED);
  const { entryIds } = outcome;
  const record = changes.find((change) => change.type === "summary")?.record;
  const after = await state.current();
  if (hasSealed(conversation.view) && !hasSealed(after.view)) state.warn(SEALED_LEFT_OUT);
  const messages = after.assembler.items.map((item) => item.message);
  const sizes = { steps, tokensBefore, tokensAfter, weight, ratio: tokensBefore / Math.max(1, limits.limitTokens) };
  const compressedMessages = record?.messageIds.length ?? 0;
  emitter.emit("compaction", { ...ending, ...sizes, reason, entryIds, record, compressedMessages, messages, gate });
  return { reason, steps, tokensBefore, tokensAfter, isRecorded: true, attempts, gate, entryIds };
}

/** Returns the smaller view for one request. Writes nothing. */
export function applyToView(
  view: View,
  proposal: Proposal,
  { options, attempts }: Pick<WriteOptions, "options" | "attempts">,
): { readonly view: View; readonly report: CompactionReport } {
  const { changes, steps, tokensBefore, tokensAfter } = proposal;
  const head = foldChanges(view.head, changes);
  const { reason, measure } = options;
  const report = { reason, steps, tokensBefore, tokensAfter, isRecorded: false, attempts, entryIds: [] };
  return { view: reviseView(view, head, measure.counts), report };
}
