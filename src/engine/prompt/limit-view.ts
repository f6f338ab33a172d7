/** Limits a prompt to what the policy sends, without recording it. The running generation is always added. */
import { type OmittedMessage, reviseView, type View, type ViewMessage } from "../../core/log/view.ts";
import { hasText } from "../../core/message/message-text.ts";
import { changesView } from "../../core/plan/adapt-settings.ts";
import { findPrunes } from "../../core/plan/find-prunes.ts";
import { findTail } from "../../core/plan/find-tail.ts";
import type { PlanSettings } from "../../core/plan/plan-settings.ts";
import { foldChanges } from "../../core/plan/proposal.ts";
import { sumTokens } from "../../core/plan/tentative-view.ts";
import type { Measure } from "../context/prompt-request.ts";
import { endsGeneration } from "../state/append-messages.ts";
import { writeProgressNote } from "./progress-note.ts";

export function limitView(view: View, settings: PlanSettings, measure: Measure): View {
  if (!changesView(settings)) return view;
  return showText(pruneForRequest(showNewest(view, settings, measure), settings, measure), settings, measure);
}

/** Returns the index of the prompt being answered; the list's length after a complete reply, 0 if it is folded. */
function findGeneration(messages: readonly ViewMessage[]): number {
  const last = messages.findLast(({ message }) => message.role !== "system");
  if (last === undefined || endsGeneration([last.message])) return messages.length;
  const prompt = messages.findLastIndex(({ message }) => message.role === "user");
  return Math.max(0, prompt);
}

/** Leaves the running generation unchanged, because a call without its result is not text either. */
function showText(view: View, { visible }: PlanSettings, { counts }: Measure): View {
  if (visible?.textOnly !== true) return view;
  const start = findGeneration(view.messages);
  const isPrompt = ({ message }: ViewMessage) => message.role === "user";
  // After a fold inside the generation, its prompt is among the kept messages.
  const isBelow = start < view.messages.length && !view.messages.some(isPrompt);
  const prompt = isBelow ? view.kept.findLast(isPrompt) : undefined;
  const omitted: OmittedMessage[] = [];
  const show = (item: ViewMessage): readonly ViewMessage[] => {
    const { shown } = item;
    if (item === prompt) return [item];
    if (!hasText(shown)) {
      omitted.push({ seq: item.seq, reason: NO_TEXT });
      return [];
    }
    const parts = shown.parts.filter((part) => part.type === "text" && part.text.trim() !== "");
    if (parts.length === shown.parts.length) return [item];
    const text = { ...shown, parts };
    const fate = item.fate === "verbatim" ? ({ fate: "pruned", reason: ONLY_TEXT } as const) : {};
    return [{ ...item, ...fate, shown: text, tokens: counts.count(text) }];
  };
  const kept = view.kept.flatMap(show);
  const messages = view.messages.flatMap((item, index) => (index >= start ? [item] : show(item)));
  return { ...view, kept, messages, omitted };
}

const NO_TEXT = "no user or assistant text; this policy sends only text";
const ONLY_TEXT = "only its text, which is all that this policy sends";

function showNewest(view: View, { visible }: PlanSettings, { counts }: Measure): View {
  if (visible === undefined) return view;
  const { messagesWithSummary, messagesWithoutSummary } = visible;
  const textMessages = view.head.summary === undefined ? messagesWithoutSummary : messagesWithSummary;
  const previous = view.messages.slice(0, findGeneration(view.messages));
  const hidden = previous.slice(0, findTail(previous, { textMessages }));
  const [first, last] = [hidden[0], hidden.at(-1)];
  if (first === undefined || last === undefined) return view;
  const coverage = { firstSeq: first.seq, lastSeq: last.seq, count: hidden.length };
  const coveredTokens = hidden.reduce((sum, { tokens }) => sum + tokens, 0);
  const reason = `not among the last ${textMessages} messages before the prompt, which are all that this policy sends`;
  const truncation = { id: "gap", coverage, coveredTokens, reason, silent: true };
  return reviseView(view, { ...view.head, truncation }, counts);
}

/** Counts messages as they are sent; a message with nothing to show is not counted. */
function pruneForRequest(view: View, { prune, visible }: PlanSettings, { counts }: Measure): View {
  if (prune.inLoop !== true) return view;
  const start = findGeneration(view.messages);
  const isSent = ({ message }: ViewMessage, index: number) =>
    index >= start || visible?.textOnly !== true || hasText(message);
  const options = { tailStart: view.messages.length, settings: prune, countPart: counts.countPart };
  const prunes = findPrunes(view.messages.filter(isSent), options);
  if (prunes.length === 0) return view;
  const change = { type: "prune", prunes, reason: "shortened in every prompt" } as const;
  const shortened = reviseView(view, foldChanges(view.head, [change]), counts);
  if (prune.rules !== "rolling-chat") return shortened;
  const savedTokens = sumTokens(view.messages) - sumTokens(shortened.messages);
  return addProgressNote(shortened, { counts, savedTokens });
}

/** Adds a progress note after the prompt of the generation. It never uses more tokens than shortening has saved. */
function addProgressNote(
  view: View,
  { counts, savedTokens }: Pick<Measure, "counts"> & { readonly savedTokens: number },
): View {
  const index = findGeneration(view.messages);
  const prompt = view.messages[index];
  if (prompt === undefined || prompt.message.role !== "user") return view;
  const text = writeProgressNote(view.messages.slice(index).map(({ message }) => message));
  if (text === undefined) return view;
  const shown = { ...prompt.shown, parts: [...prompt.shown.parts, { type: "text", text } as const] };
  const tokens = counts.count(shown);
  if (tokens - prompt.tokens >= savedTokens) return view;
  return { ...view, messages: view.messages.with(index, { ...prompt, shown, tokens }) };
}
