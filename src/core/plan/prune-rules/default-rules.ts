/**
 * The default rules: prunes outdated results first, then bulky ones, the largest first. The tail, pins, open rounds and
 * the newest round stay. A failure keeps its lines about errors, or stays whole.
 */
import { type Prune, type Replacement, replacePart } from "../../log/prune.ts";
import type { ViewMessage } from "../../log/view.ts";
import { groupRoundsBy } from "../../message/group-messages.ts";
import type { Message, Part } from "../../message/message.ts";
import { outputText } from "../../message/message-text.ts";
import { writePlaceholder } from "../../message/own-notes.ts";
import type { PruneSettings } from "../plan-settings.ts";
import { choosePreview, splitOutputLines } from "./choose-preview.ts";
import { describeKind, describePart } from "./describe-part.ts";
import { findFailure } from "./find-failure.ts";
import { findNewerResults, type NewerResult } from "./find-newer.ts";
import { findToolUses, formatPartPlace, type PartPlace, type ToolUse } from "./tool-use.ts";

const ERROR_TOKENS = 200;
/** Smaller failures stay whole, because pruning them would save little. */
const MIN_FAILURE_TOKENS = 2 * ERROR_TOKENS;
/** A preview takes at most this share of the original, so that small results shrink too. */
const PREVIEW_SHARE = 0.25;

interface Candidate {
  readonly item: ViewMessage;
  readonly part: Part;
  readonly partIndex: number;
  readonly tokens: number;
  readonly use: ToolUse | undefined;
  readonly newer: NewerResult | undefined;
}

interface PruneDraft {
  readonly prune: Prune;
  readonly rank: number;
  readonly tokens: number;
  readonly savedTokens: number;
}

/** Yields after each part, because searching a large output for errors is slow. */
export function* findDefaultPrunes(
  messages: readonly ViewMessage[],
  options: FindPrunesOptions,
): Generator<undefined, readonly Prune[]> {
  const drafts: PruneDraft[] = [];
  for (const candidate of findCandidates(messages, options)) {
    drafts.push(...draftPrune(candidate, options));
    yield;
  }
  drafts.sort((left, right) => left.rank - right.rank || right.tokens - left.tokens);
  const batch = takeEnough(drafts, options.enoughTokens ?? Number.POSITIVE_INFINITY);
  const savedTokens = batch.reduce((sum, draft) => sum + draft.savedTokens, 0);
  return savedTokens < (options.settings.minimumBatchTokens ?? 0) ? [] : batch.map(({ prune }) => prune);
}

function findCandidates(messages: readonly ViewMessage[], options: FindPrunesOptions): readonly Candidate[] {
  const { settings, countPart } = options;
  const found = findToolUses(messages);
  const uses = new Map(found.map((use) => [use.place, use]));
  const newer = findNewerResults(found);
  const untouchable = new Set([...findOpenPlaces(messages), ...findProtectedPlaces(messages, options)]);
  return messages.slice(0, options.tailStart).flatMap((item) => {
    if (item.fate === "pinned" || item.message.role === "system") return [];
    return item.message.parts.flatMap((part, partIndex): Candidate[] => {
      const place = formatPartPlace(item, partIndex);
      const use = uses.get(place);
      if (!isPrunable(part) || untouchable.has(place) || item.shown.parts[partIndex] !== part) return [];
      if (use !== undefined && settings.exemptTools.includes(use.tool)) return [];
      const tokens = countPart(part, item.message);
      if (tokens < settings.minimumTokens && part.type !== "image") return [];
      return [{ item, part, partIndex, tokens, use, newer: newer.get(place) }];
    });
  });
}

function isPrunable(part: Part): boolean {
  return part.type === "tool-result" || part.type === "image" || part.type === "file";
}

/** Finds the parts of open rounds and of the newest round, which the model may not have read yet. */
function findOpenPlaces(messages: readonly ViewMessage[]): readonly PartPlace[] {
  const rounds = groupRoundsBy(messages, ({ message }) => message);
  const open = rounds.filter((round, index) => index === rounds.length - 1 || round.openCalls.length > 0);
  return open.flatMap(({ items }) =>
    items.flatMap((item) => item.message.parts.map((_, index) => formatPartPlace(item, index))),
  );
}

/** Finds the newest prunable parts whose original tokens add up to at most `protectTokens`. */
function findProtectedPlaces(messages: readonly ViewMessage[], options: FindPrunesOptions): readonly PartPlace[] {
  const found: PartPlace[] = [];
  let left = options.settings.protectTokens ?? 0;
  for (const item of left > 0 ? messages.toReversed() : []) {
    for (const [partIndex, part] of [...item.message.parts.entries()].toReversed()) {
      if (!isPrunable(part)) continue;
      left -= options.countPart(part, item.message);
      if (left < 0) return found;
      found.push(formatPartPlace(item, partIndex));
    }
  }
  return found;
}

function draftPrune(candidate: Candidate, options: FindPrunesOptions): readonly PruneDraft[] {
  const { item, part, partIndex, tokens, newer } = candidate;
  const replacement = chooseReplacement(candidate, options);
  if (replacement === undefined) return [];
  const savedTokens = tokens - options.countPart(replacePart(part, replacement), item.message);
  if (savedTokens <= 0) return [];
  const place = { seq: item.seq, messageId: item.message.id, partIndex };
  const prune: Prune = { ...place, fate: "pruned", replacement, reason: explainPrune(candidate) };
  return [{ prune, rank: newer === undefined ? 2 : newer.type === "same" ? 0 : 1, tokens, savedTokens }];
}

function chooseReplacement(candidate: Candidate, options: FindPrunesOptions): Replacement | undefined {
  const { part, use, newer, tokens } = candidate;
  if (use === undefined || part.type !== "tool-result") return { type: "text", text: describePlaceholder(candidate) };
  if (newer !== undefined && newer.type !== "written") return { type: "text", text: describePlaceholder(candidate) };
  const lines = splitOutputLines(part.output);
  const failure = findFailure(use, lines);
  if (failure !== undefined && tokens < MIN_FAILURE_TOKENS) return undefined;
  const { spans, errorsShown } = choosePreview(lines, {
    previewTokens: Math.min(options.settings.previewTokens ?? 0, Math.floor(tokens * PREVIEW_SHARE)),
    errorTokens: ERROR_TOKENS,
    errorLines: failure?.errorLines ?? [],
    countText: (text) => options.countPart({ type: "text", text }, candidate.item.message),
  });
  const { exitCode, errorLines = [] } = failure ?? {};
  if (errorsShown === 0 && (part.failed || errorLines.length > 0)) return undefined;
  const facts = { exitCode, errorsLeftOut: errorLines.length - errorsShown };
  if (spans.length === 0) return { type: "text", text: describePlaceholder(candidate, facts) };
  return { type: "excerpt", note: describePlaceholder(candidate, { ...facts, isShortened: true }), spans };
}

interface PlaceholderFacts {
  readonly exitCode?: number | undefined;
  readonly errorsLeftOut?: number | undefined;
  readonly isShortened?: boolean | undefined;
}

/** Names the removed content, its size, the reason, and how to recall it. */
function describePlaceholder({ item, part, use, newer, tokens }: Candidate, facts: PlaceholderFacts = {}): string {
  const { exitCode, errorsLeftOut = 0, isShortened = false } = facts;
  const why = newer === undefined ? undefined : describeNewer(newer);
  const sizes = [
    `${tokens} tokens`,
    ...(part.type === "tool-result" ? [`${outputText(part.output).length} characters`] : []),
    ...(exitCode === undefined ? [] : [`exit code ${exitCode}`]),
    ...(errorsLeftOut === 0 ? [] : [`${errorsLeftOut} more lines about errors`]),
  ];
  return writePlaceholder({ what: describePart(part, use), isShortened, why, sizes, messageId: item.message.id });
}

function explainPrune({ part, use, newer, tokens }: Candidate): string {
  const what = `${describeKind(part, use)} of ${tokens} tokens`;
  return newer === undefined ? `${what} before the tail` : `${what}, and ${describeNewer(newer)}`;
}

const NEWER_TEXTS = { same: "has the same", "read-again": "read it again", written: "changed it" } as const;

function describeNewer({ type, messageId }: NewerResult): string {
  return `message ${messageId} ${NEWER_TEXTS[type]}`;
}

function takeEnough(drafts: readonly PruneDraft[], enoughTokens: number): readonly PruneDraft[] {
  let saved = 0;
  return drafts.filter(({ savedTokens }) => {
    if (saved >= enoughTokens) return false;
    saved += savedTokens;
    return true;
  });
}

export interface FindPrunesOptions {
  /** Index of the first message of the tail, which is not pruned. */
  readonly tailStart: number;
  readonly settings: PruneSettings;
  readonly countPart: (part: Part, message: Message) => number;
  /** Stops once this many tokens are saved. If absent, prunes everything allowed. */
  readonly enoughTokens?: number | undefined;
}
