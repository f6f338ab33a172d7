/**
 * Appends messages and the prompt that answers them in one write. The prompt is made from the conversation in memory,
 * and the store refuses the write if the log has grown in the meantime. In any unusual case the messages are appended
 * alone, and the prompt is built afterwards.
 */
import type { Entry, EntryDraft, MessageDraft } from "../../core/log/entry.ts";
import { isOneTimeClearActive } from "../../core/log/head.ts";
import type { Message } from "../../core/message/message.ts";
import { findPrepared } from "../compaction/compact-for-prompt.ts";
import { findUncovered } from "../compaction/cover-provider-compaction.ts";
import { findKnownHold, prepareThread } from "../compaction/prepare-compaction.ts";
import type { PromptRequest } from "../context/prompt-request.ts";
import { type AppendResult, draftMessages, emitAppended } from "../state/append-messages.ts";
import type { Conversation } from "../state/conversation.ts";
import { findNeed } from "../state/find-need.ts";
import { measureSession, resolveRequest } from "../state/measure-session.ts";
import type { ResolvedRequest, SessionState } from "../state/session-state.ts";
import { mayTakeOver } from "../state/take-over-history.ts";
import { finishPrompt, type ReadyPrompt } from "./finish-prompt.ts";
import type { Prompt } from "./prompt.ts";

export interface AppendedForPrompt extends AppendResult {
  /** Whether nothing follows the messages in the log. */
  readonly isNewest: boolean;
  /** The prompt, if it could be made in the same write. */
  readonly prompt?: Prompt | undefined;
}

/** Returns undefined if nothing was written. */
export async function appendWithPrompt(
  state: SessionState,
  messages: readonly Message[],
  request: PromptRequest,
): Promise<AppendedForPrompt | undefined> {
  if (state.preparation.readsConversation || !state.late.isIdle || mayTakeOver(state, messages)) return undefined;
  const resolved = await resolveSimple(state, request);
  if (resolved === undefined) return undefined;
  const drafts = await draftMessages(state, messages, {});
  const conversation = await state.takeKnown();
  if (conversation === undefined) return undefined;
  const joined = new JoinedWrite(state, conversation, drafts);
  const ready = await measureUnchanged(state, resolved, joined.conversation);
  const prompt = ready && (await joined.tryToFinish(ready, request));
  if (prompt === undefined) await joined.appendAlone();
  return joined.settle(prompt);
}

/** Returns undefined for a workspace, whose files may have to be left out, and for a request that is not valid. */
async function resolveSimple(state: SessionState, request: PromptRequest): Promise<ResolvedRequest | undefined> {
  if (state.workspace.isUsed) return undefined;
  await state.workspace.gather();
  // An invalid request is not reported here: `prompt` reports it after the messages have been appended.
  return resolveRequest(state, request).catch(() => undefined);
}

/** Returns undefined if the prompt needs a change of the session. */
async function measureUnchanged(
  state: SessionState,
  resolved: ResolvedRequest,
  conversation: Conversation,
): Promise<ReadyPrompt | undefined> {
  if (!conversation.isCurrent || isOneTimeClearActive(conversation.head)) return undefined;
  const snapshot = await measureSession(state, { ...resolved, conversation }).catch(() => undefined);
  if (snapshot === undefined || (snapshot.omittedRecalls ?? []).length > 0) return undefined;
  const { request, settings } = resolved;
  if (settings.emergency !== undefined && findNeed(snapshot, true).need !== "none") return undefined;
  prepareThread(state, snapshot);
  const need = findNeed(snapshot, settings.phase === "pre-request");
  const ready = { request, snapshot, need, asked: need, compactions: [] };
  const hold = need.need === "none" ? undefined : findKnownHold(state, { snapshot, need, phase: "pre-request" });
  if ((need.need !== "none" && hold === undefined) || findUncovered(snapshot) !== undefined) return undefined;
  // Discards what was prepared for another epoch.
  findPrepared(state, conversation.head.epoch);
  return { ...ready, held: hold?.reason, gate: hold?.gate };
}

type WriteOutcome =
  | { readonly type: "appended"; readonly entries: readonly Entry[] }
  | { readonly type: "outdated" }
  | { readonly type: "failed" };

/** The one write of the messages, with the entries of their prompt or alone. */
class JoinedWrite {
  readonly conversation: Conversation;
  readonly #state: SessionState;
  readonly #drafts: readonly MessageDraft[];
  readonly #lastSeq: number;
  #outcome: WriteOutcome | undefined;

  constructor(state: SessionState, conversation: Conversation, drafts: readonly MessageDraft[]) {
    this.#state = state;
    this.#drafts = drafts;
    this.#lastSeq = conversation.head.foldedThroughSeq;
    conversation.extend(drafts.map((draft, index) => ({ ...draft, seq: this.#lastSeq + index + 1 })));
    this.conversation = conversation;
  }

  /** Returns undefined if the prompt cannot be made, or is outdated because the log has grown. */
  async tryToFinish(ready: ReadyPrompt, request: PromptRequest): Promise<Prompt | undefined> {
    const append = async (entries: readonly EntryDraft[]) => {
      if ((await this.#write(entries)).type === "outdated") throw new Error("the log has grown");
    };
    try {
      const prompt = await finishPrompt(this.#state, { ...ready, append });
      this.#state.asked = { promptId: prompt.id, request, tokens: prompt.report.tokens };
      return prompt;
    } catch (error) {
      if (this.#outcome === undefined || this.#outcome.type === "outdated") return undefined;
      throw error;
    }
  }

  async appendAlone(): Promise<void> {
    if (this.#outcome === undefined) await this.#write([]);
  }

  /** Returns undefined if nothing was written. */
  settle(prompt: Prompt | undefined): AppendedForPrompt | undefined {
    if (this.#outcome?.type !== "appended") return undefined;
    const { entries } = this.#outcome;
    this.#state.putBack(this.conversation, entries);
    const messages = entries.slice(0, this.#drafts.length).map(({ id, seq }) => ({ id, seq }));
    return { messages, isNewest: true, prompt };
  }

  async #write(others: readonly EntryDraft[]): Promise<WriteOutcome> {
    this.#outcome = { type: "failed" };
    const entries = await this.#state.appendAfter(this.#lastSeq, [...this.#drafts, ...others]);
    this.#outcome = entries === undefined ? { type: "outdated" } : { type: "appended", entries };
    if (entries !== undefined) emitAppended(this.#state, this.#drafts, entries);
    return this.#outcome;
  }
}
