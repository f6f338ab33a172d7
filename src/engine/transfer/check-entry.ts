/**
 * The whole shape of an entry that comes from a file. A sum over a file says that it is as somebody wrote it, and not
 * who that was: so every field is looked at, and no entry names a place of the log that it could not have seen. What a
 * message says is checked by its own format.
 */

import { invalidMessage, pathOf, requireObject } from "../../core/check-value.ts";
import type { Entry } from "../../core/log/entry.ts";
import { SECTION_ORDER } from "../../core/sections/section.ts";
import { TIERS } from "../../core/sections/tier.ts";
import type { FactKind } from "../../core/summary/record/record.ts";
import {
  allOf,
  type Check,
  isAmount,
  isCount,
  isFigure,
  isFlag,
  isJsonObject,
  isName,
  isPlace,
  isReach,
  isText,
  isTime,
  listOf,
  mapOf,
  oneOf,
  optional,
  shapeOf,
  variantOf,
  wholeFrom,
} from "./check-shape.ts";

const isRole = oneOf("system", "user", "assistant", "tool");
const areTexts = listOf(isText);

export const areCounts = mapOf(isAmount);
export const arePlaces = listOf(isPlace);

/** It cannot end before it begins. It may count messages of a history that the log does not have. */
const isStretch: Check = (value, { path }) => {
  const { firstSeq, lastSeq } = requireObject(value, path);
  if (Number(firstSeq) > Number(lastSeq))
    throw invalidMessage(pathOf(path, "lastSeq"), `a place from ${firstSeq} on`, lastSeq);
};

const stretch = { firstSeq: isPlace, lastSeq: isPlace, count: isCount };
export const isCoverage = allOf(shapeOf(stretch), isStretch);

const KINDS: Readonly<Record<FactKind, true>> = {
  "pin-note": true,
  constraint: true,
  reported: true,
  goal: true,
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

const isFact = shapeOf({
  id: isText,
  kind: oneOf(...Object.keys(KINDS)),
  text: isText,
  source: isText,
  saidBy: isRole,
  status: oneOf("live", "open", "done"),
  lastTurn: isAmount,
  uses: isAmount,
  owner: optional(isText),
  due: optional(isText),
  given: optional(isAmount),
  shown: optional(isAmount),
  lastUse: optional(isAmount),
  home: optional(isText),
  use: optional(isText),
  isTakenOver: optional(isFlag),
});

const isSheet = shapeOf({
  facts: listOf(isFact),
  turns: isAmount,
  evicted: optional(areTexts),
  messages: optional(isAmount),
});

const isActionItem = shapeOf({
  task: isText,
  owner: optional(isText),
  due: optional(isText),
  status: oneOf("open", "done"),
});

const areFacets = shapeOf({
  goal: optional(isText),
  constraints: areTexts,
  decisions: areTexts,
  actionItems: listOf(isActionItem),
  unresolved: areTexts,
  entities: areTexts,
  participants: areTexts,
  done: areTexts,
  sheet: optional(isSheet),
});

const isVerification = shapeOf({
  score: isAmount,
  claims: isCount,
  derivedClaims: isCount,
  removedClaims: isCount,
  restored: areTexts,
  evicted: areTexts,
});

/** Only a summary from a history, or one that follows it, stands for more messages than there are places. */
const hasPlaces: Check = (value, { path }) => {
  const { coverage, origin, parentId, omitted } = requireObject(value, path);
  if (origin !== undefined || parentId !== undefined) return;
  const { lastSeq, count } = requireObject(coverage, pathOf(path, "coverage"));
  const most = Number(lastSeq) + (omitted === undefined ? 0 : Number(Object(omitted).count));
  if (Number(count) > most)
    throw invalidMessage(pathOf(pathOf(path, "coverage"), "count"), `at most ${most} messages`, count);
};

const recordShape = shapeOf({
  id: isName,
  at: isTime,
  depth: isCount,
  parentId: optional(isText),
  coverage: allOf(isCoverage, shapeOf({ chainHash: isText })),
  messageIds: areTexts,
  lastRoundId: optional(isText),
  text: isText,
  lines: optional(listOf(shapeOf({ text: isText, messageIds: areTexts, salience: optional(isFigure) }))),
  keyPoints: areTexts,
  facets: areFacets,
  verification: optional(isVerification),
  origin: optional(shapeOf({ type: oneOf("history"), renderer: oneOf("data", "policy") })),
  strategy: isText,
  model: optional(isText),
  reason: isText,
  instructions: optional(isText),
  tokensBefore: isAmount,
  tokensAfter: isAmount,
  tokenRatio: optional(isFigure),
  messageCount: optional(isCount),
  costUsd: optional(isFigure),
  omitted: optional(shapeOf({ count: isCount, tokens: isAmount })),
  cutResults: optional(isCount),
  request: optional(oneOf("transcript", "own-prompt", "none")),
});

export const isRecord = allOf(recordShape, hasPlaces);

const isSpan: Check = (value, spot) => {
  listOf(isCount)(value, spot);
  if (!Array.isArray(value) || value.length !== 2) throw invalidMessage(spot.path, "a start and an end", value);
};
const areSpans = listOf(isSpan);

const isReplacement = variantOf({
  text: shapeOf({ text: isText }),
  middle: shapeOf({
    keepCharacters: isCount,
    marker: isText,
    hasFences: optional(isFlag),
    named: optional(shapeOf({ before: isText, spans: areSpans, after: isText })),
    lines: optional(shapeOf({ before: isText, spans: areSpans })),
  }),
  excerpt: shapeOf({ note: isText, spans: areSpans }),
  span: shapeOf({ start: isCount, end: isCount, text: isText }),
  fields: shapeOf({ names: areTexts, text: isText }),
});

export const isPrune = shapeOf({
  seq: isPlace,
  messageId: isText,
  partIndex: isCount,
  fate: oneOf("pruned", "cut"),
  replacement: isReplacement,
  reason: isText,
});

export const isPinTarget = variantOf({
  messages: shapeOf({ messageId: isText, seqs: arePlaces }),
  note: shapeOf({ text: isText, messageId: optional(isText) }),
});

const isSection = oneOf(...SECTION_ORDER);
export const areSections = listOf(
  shapeOf({
    name: isSection,
    hash: isText,
    tokens: isAmount,
    units: optional(isAmount),
    standIns: optional(shapeOf({ units: isCount, hash: isText })),
  }),
);

/** What a workspace's tiers hold. */
export const areTracked = listOf(
  shapeOf({ key: isText, tier: oneOf(...TIERS), seen: isCount, hash: isText, tokens: isAmount }),
);

const isUsage = shapeOf({
  model: optional(isText),
  inputTokens: optional(isFigure),
  outputTokens: optional(isFigure),
  cacheReadTokens: optional(isFigure),
  cacheWriteTokens: optional(isFigure),
});

const stamp = { id: isName, seq: isPlace, at: isTime };
/** What changes no past says no epoch: having one is what it would be known by. */
const isPlain: Check = (value, { path }) => {
  const record = requireObject(value, path);
  if ("epoch" in record) throw invalidMessage(pathOf(path, "epoch"), "nothing", record.epoch);
};
/** Every change takes a place, so that there are never more of them than places. */
const isEpoch: Check = (value, spot) => {
  if (!Number.isSafeInteger(value) || Number(value) < 0 || Number(value) > spot.lastSeq) {
    throw invalidMessage(spot.path, `an epoch up to ${spot.lastSeq}`, value);
  }
};
const plain = (fields: Readonly<Record<string, Check>>) => allOf(shapeOf({ ...stamp, ...fields }), isPlain);
const changing = (fields: Readonly<Record<string, Check>>) =>
  shapeOf({ ...stamp, epoch: allOf(wholeFrom(1), isEpoch), batch: optional(isName), ...fields });

/** What later prompts show needs its place. */
const isPlacedNote: Check = (value, spot) => {
  const { kind, afterSeq } = requireObject(value, spot.path);
  if (kind === "prompt") isReach(afterSeq, { ...spot, path: pathOf(spot.path, "afterSeq") });
};

const isPrefix = shapeOf({ hash: isText, instructions: isText, tools: isText });
const isProducer = shapeOf({
  model: isText,
  viewEpoch: isCount,
  isLaterStep: optional(isFlag),
  prefix: optional(isPrefix),
});

const isEntry = variantOf({
  message: plain({
    message: isJsonObject,
    hash: isText,
    tokens: areCounts,
    promptId: optional(isText),
    producedUnder: optional(isProducer),
    usage: optional(isUsage),
    opensConversation: optional(isFlag),
    erased: optional(isFlag),
  }),
  request: plain({
    promptId: isText,
    viewEpoch: isEpoch,
    counterId: isText,
    model: optional(isText),
    provider: isText,
    countedTokens: isAmount,
    factor: isAmount,
    exact: optional(isFlag),
    armed: optional(isFlag),
    sections: areSections,
    changes: listOf(shapeOf({ section: isSection, reason: isText, entryId: optional(isText) })),
    prefix: optional(isPrefix),
    tiers: optional(shapeOf({ set: areTracked, gone: listOf(isText) })),
  }),
  note: allOf(
    plain({
      kind: oneOf("warning", "generation-end", "prompt"),
      text: isText,
      promptId: optional(isText),
      details: optional(isJsonObject),
      afterSeq: optional(isReach),
      sincePromptId: optional(isText),
    }),
    isPlacedNote,
  ),
  summary: changing({
    record: isRecord,
    keptRequests: arePlaces,
    erases: optional(isFlag),
    withheld: optional(shapeOf({ firstSeq: isPlace, lastSeq: isPlace, retention: oneOf("tombstone", "delete") })),
    readThroughSeq: optional(isReach),
  }),
  prune: changing({ prunes: listOf(isPrune), reason: isText }),
  truncate: changing({
    coverage: isCoverage,
    dropsSummary: optional(isFlag),
    coveredTokens: isAmount,
    keptRequests: arePlaces,
    reason: isText,
    readThroughSeq: optional(isReach),
  }),
  clear: changing({
    throughSeq: isReach,
    scope: oneOf("for-good", "next-generation"),
    dropsSummary: optional(isFlag),
    keepsPreamble: isFlag,
  }),
  pin: changing({ target: isPinTarget }),
  unpin: changing({ pinIds: areTexts, reason: isText }),
  undo: changing({ undoes: isText, summary: optional(isRecord), holdThroughCount: isCount }),
  delete: changing({ messageIds: areTexts, seqs: arePlaces, dropsSummary: isFlag }),
} satisfies Readonly<Record<Entry["type"], Check>>);

/** What remains of a message whose text was removed: who said it, and nothing that was said. */
const isErased = shapeOf({ id: isName, role: isRole, parts: listOf(isNothing) });

function isNothing(value: unknown, { path }: { readonly path: string }): void {
  throw invalidMessage(path, "nothing, because the message was erased", value);
}

/** The entry at the place `seq`; it may name places up to its own. */
export function decodeEntry(value: unknown, seq: number): Entry {
  const { seq: found } = requireObject(value, "entry");
  if (found !== seq) throw invalidMessage("entry.seq", `${seq}, the next place`, found);
  isEntry(value, { path: "entry", lastSeq: seq });
  const entry = value as Entry;
  if (entry.type === "message" && entry.erased === true) {
    isErased(entry.message, { path: "entry.message", lastSeq: seq });
    requireOwnId(entry, "message", entry.message.id);
  }
  if (entry.type === "summary") requireOwnId(entry, "record", entry.record.id);
  return entry;
}

function requireOwnId({ id }: Entry, key: string, found: string): void {
  if (found !== id) throw invalidMessage(`entry.${key}.id`, "the entry's own id", found);
}
