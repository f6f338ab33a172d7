/**
 * The default rule set: one batch of what a newer result stands for, then of what is bulky, the largest first. Nothing
 * of the tail, of a pin, of a round that is still open or of the newest one is touched, and nothing that would not get
 * smaller. Failures keep what they say of errors; where no such line can be shown, they stay whole.
 */
import { type Prune, type Replacement, replacePart } from "../../log/prune.ts";
import type { ViewMessage } from "../../log/view.ts";
import { groupRoundsBy } from "../../message/group-messages.ts";
import type { Message, Part } from "../../message/message.ts";
import { outputText } from "../../message/message-text.ts";
import { writePlaceholder } from "../../message/own-notes.ts";
import type { PruneSettings } from "../plan-settings.ts";
import { choosePreview, splitLines } from "./choose-preview.ts";
import { describeKind, describePart } from "./describe-part.ts";
import { findFailure } from "./find-failure.ts";
import { findNewer, type Newer } from "./find-newer.ts";
import { findToolUses, type Place, placeOf, type ToolUse } from "./tool-use.ts";

/** What the lines of a failure that speak of errors may take. */
const ERROR_TOKENS = 200;
/** Failures below this stay whole: what would be left out is little, and may be what explains the rest. */
const LEAST_FAILURE_TOKENS = 2 * ERROR_TOKENS;
/** A preview takes at most this share of what it stands for, so that small results shrink too. */
const PREVIEW_SHARE = 0.25;

interface Candidate {
  readonly item: ViewMessage;
  readonly part: Part;
  readonly partIndex: number;
  readonly tokens: number;
  readonly use: ToolUse | undefined;
  readonly newer: Newer | undefined;
}

interface Draft {
  readonly prune: Prune;
  readonly rank: number;
  readonly tokens: number;
  readonly savedTokens: number;
}

/** Rests after each part, because reading a large output for errors takes long. */
export function* findDefaultPrunes(
  messages: readonly ViewMessage[],
  options: FindPrunesOptions,
): Generator<undefined, readonly Prune[]> {
  const drafts: Draft[] = [];
  for (const candidate of findCandidates(messages, options)) {
    drafts.push(...draftOf(candidate, options));
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
  const newer = findNewer(found);
  const untouchable = new Set([...findOpen(messages), ...findProtected(messages, options)]);
  return messages.slice(0, options.tailStart).flatMap((item) => {
    if (item.fate === "pinned" || item.message.role === "system") return [];
    return item.message.parts.flatMap((part, partIndex): Candidate[] => {
      const place = placeOf(item, partIndex);
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

/** Rounds that wait for a result, and the newest round: a model may not have seen them yet. */
function findOpen(messages: readonly ViewMessage[]): readonly Place[] {
  const rounds = groupRoundsBy(messages, ({ message }) => message);
  const open = rounds.filter((round, index) => index === rounds.length - 1 || round.openCalls.length > 0);
  return open.flatMap(({ items }) =>
    items.flatMap((item) => item.message.parts.map((_, index) => placeOf(item, index))),
  );
}

/** The newest of what could be pruned, as it was said, while its sum is within what is protected. */
function findProtected(messages: readonly ViewMessage[], options: FindPrunesOptions): readonly Place[] {
  const found: Place[] = [];
  let left = options.settings.protectTokens ?? 0;
  for (const item of left > 0 ? messages.toReversed() : []) {
    for (const [partIndex, part] of [...item.message.parts.entries()].toReversed()) {
      if (!isPrunable(part)) continue;
      left -= options.countPart(part, item.message);
      if (left < 0) return found;
      found.push(placeOf(item, partIndex));
    }
  }
  return found;
}

function draftOf(candidate: Candidate, options: FindPrunesOptions): readonly Draft[] {
  const { item, part, partIndex, tokens, newer } = candidate;
  const replacement = replacementFor(candidate, options);
  if (replacement === undefined) return [];
  const savedTokens = tokens - options.countPart(replacePart(part, replacement), item.message);
  if (savedTokens <= 0) return [];
  const place = { seq: item.seq, messageId: item.message.id, partIndex };
  const prune: Prune = { ...place, fate: "pruned", replacement, reason: reasonFor(candidate) };
  return [{ prune, rank: newer === undefined ? 2 : newer.type === "same" ? 0 : 1, tokens, savedTokens }];
}

function replacementFor(candidate: Candidate, options: FindPrunesOptions): Replacement | undefined {
  const { part, use, newer, tokens } = candidate;
  if (use === undefined || part.type !== "tool-result") return { type: "text", text: placeholder(candidate) };
  if (newer !== undefined && newer.type !== "written") return { type: "text", text: placeholder(candidate) };
  const lines = splitLines(part.output);
  const failure = findFailure(use, lines);
  if (failure !== undefined && tokens < LEAST_FAILURE_TOKENS) return undefined;
  const { spans, errorsShown } = choosePreview(lines, {
    previewTokens: Math.min(options.settings.previewTokens ?? 0, Math.floor(tokens * PREVIEW_SHARE)),
    errorTokens: ERROR_TOKENS,
    errorLines: failure?.errorLines ?? [],
    countText: (text) => options.countPart({ type: "text", text }, candidate.item.message),
  });
  const { exitCode, errorLines = [] } = failure ?? {};
  if (errorsShown === 0 && (part.failed || errorLines.length > 0)) return undefined;
  const facts = { exitCode, errorsLeftOut: errorLines.length - errorsShown };
  if (spans.length === 0) return { type: "text", text: placeholder(candidate, facts) };
  return { type: "excerpt", note: placeholder(candidate, { ...facts, isShortened: true }), spans };
}

interface PlaceholderFacts {
  readonly exitCode?: number | undefined;
  readonly errorsLeftOut?: number | undefined;
  readonly isShortened?: boolean | undefined;
}

/** What was there, how long it was, why it went, and how to get it back. */
function placeholder({ item, part, use, newer, tokens }: Candidate, facts: PlaceholderFacts = {}): string {
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

function reasonFor({ part, use, newer, tokens }: Candidate): string {
  const what = `${describeKind(part, use)} of ${tokens} tokens`;
  return newer === undefined ? `${what} before the tail` : `${what}, and ${describeNewer(newer)}`;
}

function describeNewer({ type, messageId }: Newer): string {
  switch (type) {
    case "same":
      return `message ${messageId} has the same`;
    case "read-again":
      return `message ${messageId} read it again`;
    case "written":
      return `message ${messageId} changed it`;
    default:
      return type satisfies never;
  }
}

function takeEnough(drafts: readonly Draft[], enoughTokens: number): readonly Draft[] {
  let saved = 0;
  return drafts.filter(({ savedTokens }) => {
    if (saved >= enoughTokens) return false;
    saved += savedTokens;
    return true;
  });
}

// What a rule set is given beside the view.
export interface FindPrunesOptions {
  /** Messages from here on are the tail and are left alone. */
  readonly tailStart: number;
  readonly settings: PruneSettings;
  readonly countPart: (part: Part, message: Message) => number;
  /** Once this many tokens are saved, the rest stays. Without it everything goes that may. */
  readonly enoughTokens?: number | undefined;
}
