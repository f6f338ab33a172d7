/**
 * What two policies do to every prompt without writing it down: send only the newest messages, or only their text, and
 * shorten bulky ones in between, with a note of what was done in them. Such a prompt is no continuation of the one before, and a gap is a
 * gap; both policies say so.
 */
import type { View, ViewMessage } from "../core/log/view.ts";
import { reviseView } from "../core/log/view.ts";
import { findPrunes } from "../core/plan/find-prunes.ts";
import { findTail } from "../core/plan/find-tail.ts";
import type { PlanSettings } from "../core/plan/plan-settings.ts";
import { foldChanges } from "../core/plan/proposal.ts";
import { writeProgressNote } from "../core/summary/progress-note.ts";
import type { Measure } from "./prompt-size.ts";

export function changesView({ visible, prune }: PlanSettings): boolean {
  return visible !== undefined || prune.inLoop === true;
}

export function limitView(view: View, settings: PlanSettings, measure: Measure): View {
  if (!changesView(settings)) return view;
  return showText(pruneForRequest(showNewest(view, settings, measure), settings, measure), settings, measure);
}

/** What the open request has led to stays as it is: a call without its result is no text either. */
function showText(view: View, { visible }: PlanSettings, { counts }: Measure): View {
  if (visible?.textOnly !== true) return view;
  const openIndex = view.messages.findLastIndex(({ message }) => message.role === "user");
  const show = (item: ViewMessage): readonly ViewMessage[] => {
    const { shown } = item;
    if (shown.role !== "user" && shown.role !== "assistant") return [];
    const parts = shown.parts.filter((part) => part.type === "text" && part.text.trim() !== "");
    if (parts.length === shown.parts.length && parts.length > 0) return [item];
    if (parts.length === 0) return [];
    const text = { ...shown, parts };
    return [{ ...item, shown: text, tokens: counts.count(text) }];
  };
  const messages = view.messages.flatMap((item, index) => (index >= openIndex ? [item] : show(item)));
  return { ...view, kept: view.kept.flatMap(show), messages };
}

function showNewest(view: View, { visible }: PlanSettings, { counts }: Measure): View {
  if (visible === undefined) return view;
  const { messagesWithSummary, messagesWithoutSummary } = visible;
  const textMessages = view.head.summary === undefined ? messagesWithoutSummary : messagesWithSummary;
  const start = findTail(view.messages, { textMessages });
  const hidden = view.messages.slice(0, start);
  const [first, last] = [hidden[0], hidden.at(-1)];
  if (first === undefined || last === undefined) return view;
  const coverage = { firstSeq: first.seq, lastSeq: last.seq, count: hidden.length };
  const coveredTokens = hidden.reduce((sum, { tokens }) => sum + tokens, 0);
  const reason = `not among the last ${textMessages} messages, which are all that this policy sends`;
  const truncation = { id: "gap", coverage, coveredTokens, reason, silent: true };
  return reviseView(view, { ...view.head, truncation }, counts);
}

function pruneForRequest(view: View, { prune }: PlanSettings, { counts }: Measure): View {
  if (prune.inLoop !== true) return view;
  const options = { tailStart: view.messages.length, settings: prune, countPart: counts.countPart };
  const prunes = findPrunes(view.messages, options);
  if (prunes.length === 0) return view;
  const change = { type: "prune", prunes, reason: "shortened in every prompt" } as const;
  const shortened = reviseView(view, foldChanges(view.head, [change]), counts);
  if (prune.rules !== "rolling-chat") return shortened;
  const savedTokens = sumTokens(view.messages) - sumTokens(shortened.messages);
  return addProgressNote(shortened, { counts, savedTokens });
}

/** Right after the first request, and anew in every prompt. It never takes more than shortening has saved. */
function addProgressNote(
  view: View,
  { counts, savedTokens }: Pick<Measure, "counts"> & { readonly savedTokens: number },
): View {
  const text = writeProgressNote(view.messages.map(({ message }) => message));
  const index = view.messages.findIndex(({ message }) => message.role === "user");
  const first = view.messages[index];
  if (text === undefined || first === undefined) return view;
  const shown = { ...first.shown, parts: [...first.shown.parts, { type: "text", text } as const] };
  const tokens = counts.count(shown);
  if (tokens - first.tokens >= savedTokens) return view;
  return { ...view, messages: view.messages.with(index, { ...first, shown, tokens }) };
}

function sumTokens(messages: readonly ViewMessage[]): number {
  return messages.reduce((sum, { tokens }) => sum + tokens, 0);
}
