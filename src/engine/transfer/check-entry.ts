/** Checks every field of an entry from a file, because a checksum does not prove who wrote it. */
import {
  allOf,
  checkedBy,
  checkValue,
  FLAG,
  ID,
  listOf,
  mapOf,
  type OptionRule,
  type OptionRules,
  oneOf,
  optional,
  RECORD,
  shapeOf,
  TEXT,
  variantOf,
  wholeNumberFrom,
} from "../../core/check-options.ts";
import { invalidMessage, pathOf, requireObject, type ValuePlace } from "../../core/check-value.ts";
import { listWords } from "../../core/language/list-words.ts";
import type { Entry, SectionHash } from "../../core/log/entry.ts";
import type { Prune } from "../../core/log/prune.ts";
import { isRecallBlock } from "../../core/message/recall-marks.ts";
import { SECTION_ORDER } from "../../core/sections/section.ts";
import { TIERS } from "../../core/sections/tier.ts";
import type {
  ActionItem,
  Facets,
  Fact,
  FactKind,
  FactSheet,
  SummaryRecord,
  Verification,
} from "../../core/summary/record/record.ts";

/** The largest time value of a `Date`. */
const LATEST_MS = 8.64e15;

export const isTime: OptionRule = {
  allowed: "a time in milliseconds",
  holds: (value) => typeof value === "number" && Math.abs(value) <= LATEST_MS,
};
export const isAmount: OptionRule = { allowed: "a number of at least 0", holds: isFiniteAmount };
/** May be `null`, which is how JSON writes the result of a division by 0. */
export const isAmountOrNull: OptionRule = { ...isAmount, holds: (value) => value === null || isFiniteAmount(value) };
export const isCount = wholeNumberFrom(0);

function isFiniteAmount(value: unknown): boolean {
  return typeof value === "number" && value >= 0 && value < Infinity;
}

/** A seq that existed when the record was written. */
export const isSeq = checkedBy((value, { path, lastSeq = 0 }) => {
  const isSeen = Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= lastSeq;
  if (!isSeen) throw invalidMessage(path, `a seq from 1 to ${lastSeq}`, value);
});

/** A seq, or 0 for the beginning. */
export const isSeqOrZero = checkedBy((value, place) => {
  if (value !== 0) checkValue(value, isSeq, place);
});

type WordOf<Text extends string> = Text extends `${infer Word} ${infer Rest}` ? Word | WordOf<Rest> : Text;

/** Gives the same rule to all names, which are separated by single spaces. */
export function repeatRule<Names extends string>(
  rule: OptionRule,
  names: Names,
): Readonly<Record<WordOf<Names>, OptionRule>>;
export function repeatRule(rule: OptionRule, names: string): OptionRules {
  return Object.fromEntries(listWords(names).map((name) => [name, rule]));
}

const isRole = oneOf("system", "user", "assistant", "tool");
const areTexts = listOf(TEXT);

export const areCounts = mapOf(isAmount);
export const areSeqs = listOf(isSeq);

/** The last seq is not below the first. The count may include messages of a history that is not in the log. */
const isStretch = checkedBy((value, { path }) => {
  const { firstSeq, lastSeq } = requireObject(value, path);
  if (Number(firstSeq) > Number(lastSeq))
    throw invalidMessage(pathOf(path, "lastSeq"), `a seq of at least ${firstSeq}`, lastSeq);
});

const stretch = { firstSeq: isSeq, lastSeq: isSeq, count: isCount };
export const isCoverage = allOf(shapeOf(stretch), isStretch);

const KINDS: Readonly<Record<FactKind, true>> = {
  "pin-note": true,
  constraint: true,
  reported: true,
  goal: true,
  "user-message": true,
  "open-item": true,
  question: true,
  decision: true,
  definition: true,
  identifier: true,
  command: true,
  "notebook-cell": true,
  error: true,
  participant: true,
};

const isFact = shapeOf<Fact>({
  ...repeatRule(TEXT, "id text source"),
  ...repeatRule(isAmount, "lastTurn uses"),
  ...repeatRule(optional(TEXT), "owner due home use"),
  ...repeatRule(optional(isAmount), "given shown lastUse"),
  kind: oneOf(...Object.keys(KINDS)),
  saidBy: isRole,
  status: oneOf("live", "open", "done"),
  ...repeatRule(optional(FLAG), "isStanding isGuess isTakenOver"),
});

const isSheet = shapeOf<FactSheet>({
  facts: listOf(isFact),
  turns: isAmount,
  evicted: optional(areTexts),
  messages: optional(isAmount),
});

const isActionItem = shapeOf<ActionItem>({
  task: TEXT,
  ...repeatRule(optional(TEXT), "owner due"),
  status: oneOf("open", "done"),
});

const areFacets = shapeOf<Facets>({
  goal: optional(TEXT),
  ...repeatRule(areTexts, "constraints decisions unresolved entities participants done"),
  actionItems: listOf(isActionItem),
  sheet: optional(isSheet),
});

const isVerification = shapeOf<Verification>({
  score: isAmount,
  ...repeatRule(isCount, "claims derivedClaims removedClaims"),
  ...repeatRule(areTexts, "restored evicted"),
  addedLines: optional(isCount),
});

/** Only a summary that was taken over, or one with a parent, may cover more messages than there are seqs. */
const hasPlaces = checkedBy((value, { path }) => {
  const { coverage, origin, parentId, omitted } = requireObject(value, path);
  if (origin !== undefined || parentId !== undefined) return;
  const { lastSeq, count } = requireObject(coverage, pathOf(path, "coverage"));
  const most = Number(lastSeq) + (omitted === undefined ? 0 : Number(Object(omitted).count));
  if (Number(count) > most)
    throw invalidMessage(pathOf(pathOf(path, "coverage"), "count"), `at most ${most} messages`, count);
});

const recordShape = shapeOf<SummaryRecord>({
  id: ID,
  at: isTime,
  depth: isCount,
  coverage: allOf(isCoverage, shapeOf({ chainHash: TEXT })),
  ...repeatRule(TEXT, "text strategy reason"),
  ...repeatRule(areTexts, "messageIds keyPoints"),
  ...repeatRule(isAmount, "tokensBefore tokensAfter"),
  ...repeatRule(optional(TEXT), "parentId lastRoundId model instructions"),
  ...repeatRule(optional(isAmountOrNull), "tokenRatio costUsd"),
  ...repeatRule(optional(isCount), "messageCount cutResults"),
  lines: optional(listOf(shapeOf({ text: TEXT, messageIds: areTexts, salience: optional(isAmountOrNull) }))),
  facets: areFacets,
  verification: optional(isVerification),
  origin: optional(shapeOf({ type: oneOf("history", "imported"), renderer: oneOf("data", "policy") })),
  omitted: optional(shapeOf({ count: isCount, tokens: isAmount })),
  rejected: optional(shapeOf({ model: optional(TEXT), rule: TEXT })),
  answeredWith: optional(oneOf("prose", "invalid-lists")),
  request: optional(oneOf("transcript", "own-prompt", "none")),
});

export const isRecord = allOf(recordShape, hasPlaces);

const isSpan = checkedBy((value, spot) => {
  checkValue(value, listOf(isCount), spot);
  if (!Array.isArray(value) || value.length !== 2) throw invalidMessage(spot.path, "a start and an end", value);
});
const areSpans = listOf(isSpan);

const isReplacement = variantOf({
  text: shapeOf({ text: TEXT }),
  middle: shapeOf({
    keepCharacters: isCount,
    marker: TEXT,
    hasFences: optional(FLAG),
    named: optional(shapeOf({ before: TEXT, spans: areSpans, after: TEXT })),
    lines: optional(shapeOf({ before: TEXT, spans: areSpans })),
  }),
  excerpt: shapeOf({ note: TEXT, spans: areSpans }),
  span: shapeOf({ start: isCount, end: isCount, text: TEXT }),
  fields: shapeOf({ names: areTexts, text: TEXT }),
});

export const isPrune = shapeOf<Prune>({
  seq: isSeq,
  messageId: TEXT,
  partIndex: isCount,
  fate: oneOf("pruned", "cut"),
  replacement: isReplacement,
  reason: TEXT,
});

export const isPinTarget = variantOf({
  messages: shapeOf({ messageId: TEXT, seqs: areSeqs }),
  note: shapeOf({ text: TEXT, messageId: optional(TEXT) }),
});

const isSection = oneOf(...SECTION_ORDER);
export const areSections = listOf(
  shapeOf<SectionHash>({
    name: isSection,
    hash: TEXT,
    tokens: isAmount,
    units: optional(isAmount),
    standIns: optional(shapeOf({ units: isCount, hash: TEXT })),
  }),
);

export const areTracked = listOf(
  shapeOf({ key: TEXT, tier: oneOf(...TIERS), seen: isCount, hash: TEXT, tokens: isAmount }),
);

const isUsage = shapeOf({
  model: optional(TEXT),
  ...repeatRule(optional(isAmountOrNull), "inputTokens outputTokens cacheReadTokens cacheWriteTokens"),
});

const stamp = { id: ID, seq: isSeq, at: isTime };
/** Entries that do not change the past must have no epoch. */
const isPlain = checkedBy((value, { path }) => {
  const record = requireObject(value, path);
  if ("epoch" in record) throw invalidMessage(pathOf(path, "epoch"), "nothing", record.epoch);
});
/** Every change has a seq, so the epoch never exceeds the seq. */
const isEpoch = checkedBy((value, spot) => {
  if (!Number.isSafeInteger(value) || Number(value) < 0 || Number(value) > (spot.lastSeq ?? 0)) {
    throw invalidMessage(spot.path, `an epoch up to ${spot.lastSeq}`, value);
  }
});
const plain = (fields: OptionRules) => allOf(shapeOf({ ...stamp, ...fields }), isPlain);
const changing = (fields: OptionRules) =>
  shapeOf({ ...stamp, epoch: allOf(wholeNumberFrom(1), isEpoch), batch: optional(ID), ...fields });

/** A note of the kind `prompt` is shown by later prompts, so it needs `afterSeq`, the seq that it follows. */
const isPlacedNote = checkedBy((value, spot) => {
  const { kind, afterSeq } = requireObject(value, spot.path);
  if (kind === "prompt") checkValue(afterSeq, isSeqOrZero, { ...spot, path: pathOf(spot.path, "afterSeq") });
});

/** Prompts show the text of a recall, so it must be a block of quotations; an erased one is empty. */
const isRecallText: OptionRule = {
  allowed: "a block of recalled passages",
  holds: (value) => typeof value === "string" && (value === "" || isRecallBlock(value)),
};

const isPrefix = shapeOf(repeatRule(TEXT, "hash instructions tools"));
const isProducer = shapeOf({
  model: TEXT,
  viewEpoch: isCount,
  isLaterStep: optional(FLAG),
  prefix: optional(isPrefix),
});

const isEntry = variantOf({
  message: plain({
    message: RECORD,
    hash: TEXT,
    tokens: areCounts,
    promptId: optional(TEXT),
    producedUnder: optional(isProducer),
    usage: optional(isUsage),
    ...repeatRule(optional(FLAG), "opensConversation erased"),
  }),
  request: plain({
    ...repeatRule(TEXT, "promptId counterId provider"),
    ...repeatRule(isAmount, "countedTokens factor"),
    recalledTokens: optional(isAmount),
    ...repeatRule(optional(FLAG), "exact armed"),
    viewEpoch: isEpoch,
    model: optional(TEXT),
    sections: areSections,
    changes: listOf(shapeOf({ section: isSection, reason: TEXT, entryId: optional(TEXT) })),
    prefix: optional(isPrefix),
    tiers: optional(shapeOf({ set: areTracked, gone: listOf(TEXT) })),
  }),
  note: allOf(
    plain({
      kind: oneOf("warning", "generation-end", "quoted", "imported-summary", "prompt"),
      text: TEXT,
      ...repeatRule(optional(TEXT), "promptId sincePromptId"),
      details: optional(RECORD),
      afterSeq: optional(isSeqOrZero),
    }),
    isPlacedNote,
  ),
  recall: plain({
    text: isRecallText,
    promptId: TEXT,
    afterSeq: isSeqOrZero,
    passages: listOf(
      shapeOf({ sessionId: optional(TEXT), seq: isSeq, messageId: TEXT, words: areTexts, tokens: isAmount }),
    ),
  }),
  summary: changing({
    record: isRecord,
    keptRequests: areSeqs,
    erases: optional(FLAG),
    withheld: optional(shapeOf({ firstSeq: isSeq, lastSeq: isSeq, retention: oneOf("tombstone", "delete") })),
    readThroughSeq: optional(isSeqOrZero),
  }),
  prune: changing({ prunes: listOf(isPrune), reason: TEXT }),
  truncate: changing({
    coverage: isCoverage,
    dropsSummary: optional(FLAG),
    coveredTokens: isAmount,
    keptRequests: areSeqs,
    reason: TEXT,
    readThroughSeq: optional(isSeqOrZero),
  }),
  clear: changing({
    throughSeq: isSeqOrZero,
    scope: oneOf("for-good", "next-generation"),
    dropsSummary: optional(FLAG),
    keepsPreamble: FLAG,
  }),
  pin: changing({ target: isPinTarget }),
  unpin: changing({ pinIds: areTexts, reason: TEXT }),
  dismiss: changing({ messageId: TEXT, messageSeq: isSeq }),
  undo: changing({ undoes: TEXT, summary: optional(isRecord), holdThroughCount: isCount }),
  delete: changing({ messageIds: areTexts, seqs: areSeqs, dropsSummary: FLAG }),
} satisfies Readonly<Record<Entry["type"], OptionRule>>);

const isErased = shapeOf({ id: ID, role: isRole, parts: listOf(checkedBy(refuseContent)) });

function refuseContent(value: unknown, { path }: ValuePlace): void {
  throw invalidMessage(path, "nothing, because the message was erased", value);
}

/** Decodes the entry at `seq`; it may refer to seqs up to its own. */
export function decodeEntry(value: unknown, seq: number): Entry {
  const { seq: found } = requireObject(value, "entry");
  if (found !== seq) throw invalidMessage("entry.seq", `${seq}, the next seq`, found);
  const code = "message-invalid";
  checkValue(value, isEntry, { path: "entry", code, lastSeq: seq });
  const entry = value as Entry;
  if (entry.type === "message" && entry.erased === true) {
    checkValue(entry.message, isErased, { path: "entry.message", code });
    requireOwnId(entry, "message", entry.message.id);
  }
  if (entry.type === "summary") requireOwnId(entry, "record", entry.record.id);
  return entry;
}

function requireOwnId({ id }: Entry, key: string, found: string): void {
  if (found !== id) throw invalidMessage(`entry.${key}.id`, "the entry's own id", found);
}
