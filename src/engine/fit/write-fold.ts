/** The summary of a fold: first counted, then written, read back as by a later call, and shortened if necessary. */
import type { Head, Truncation } from "../../core/log/head.ts";
import type { ViewMessage } from "../../core/log/view.ts";
import type { Message } from "../../core/message/message.ts";
import { adaptSettingsToKind } from "../../core/plan/adapt-settings.ts";
import { capReplacement } from "../../core/plan/fold-oldest.ts";
import type { Floor } from "../../core/plan/proposal.ts";
import type { SummaryAnswer, SummaryTask } from "../../core/plan/staircase.ts";
import { createCoverMessages } from "../../core/prompt/cover-message.ts";
import { readCover, takeOverCover } from "../../core/prompt/read-cover.ts";
import type { ConversationKind } from "../../core/summary/read/candidate.ts";
import type { SummaryRecord } from "../../core/summary/record/record.ts";
import { countText } from "../../core/tokens/count-text.ts";
import type { StaircaseAnswers } from "../compaction/propose.ts";
import { writeSummary } from "../compaction/write-summary.ts";
import { floorOfError, throwIfAborted } from "../context/errors.ts";
import { Conversation, placeMessage } from "../state/conversation.ts";
import { proposeForCall } from "./fit-replay.ts";
import type { FitSettings } from "./fit-run.ts";

export interface FoldTask {
  readonly counted: Pick<SummaryRecord, "coverage" | "reason" | "tokensAfter">;
  readonly previous: SummaryRecord | undefined;
  readonly stretch: readonly Message[];
  readonly omitted: SummaryTask["omitted"];
}

export async function writeFold(fold: FoldTask, fit: FitSettings): Promise<SummaryAnswer> {
  const { settings, context, counts, waiting } = fit;
  throwIfAborted(waiting?.signal);
  const signal = waiting?.signal ?? new AbortController().signal;
  const call = { context, sessionId: "fit", signal, waiting };
  const summarizer = context.summarizerFor?.(settings);
  const answer = await writeSummary(createTask(fold, fit), { ...call, settings, counter: counts.counter, summarizer });
  throwIfAborted(waiting?.signal);
  return answer;
}

function createTask({ counted, previous, stretch, omitted }: FoldTask, { counts, settings }: FitSettings): SummaryTask {
  const tokens = stretch.reduce((sum, message) => sum + counts.count(message), 0);
  const mustShrink = settings.shrinksBy === "tokens";
  const before = previous?.tokensAfter ?? 0;
  const replaced = tokens + before;
  const { coverage, reason, tokensAfter } = counted;
  return {
    stretch,
    previous,
    coverage,
    omitted,
    capTokens: mustShrink ? Math.min(tokensAfter, capReplacement(replaced, before)) : tokensAfter,
    replacedTokens: mustShrink ? replaced : undefined,
    tokensBefore: tokens + (previous?.tokensBefore ?? 0),
    keepsDepth: false,
    reason,
  };
}

export function readBackSummary(head: Head, { settings, counts }: FitSettings): SummaryRecord | undefined {
  const { renderer } = settings.summary;
  const { summary } = head;
  if (summary === undefined) return undefined;
  const messages = createCoverMessages(head, renderer);
  const cover = readCover(messages, { renderer, joinsTurns: false });
  if (cover?.summary === undefined) return summary;
  const count = (text: string) => countText(text, counts.counter);
  const placed = messages.map((message) => ({ seq: summary.coverage.lastSeq, message }));
  const [change] = takeOverCover(cover, { messages: placed, id: summary.id, at: 0, count });
  return change?.type === "summary" ? { ...change.record, coverage: summary.coverage } : summary;
}

/** Counts the messages that earlier calls left out and no summary describes, and their tokens. */
export function findOmitted({ summary, truncation }: Head): SummaryTask["omitted"] {
  const count = (summary?.omitted?.count ?? 0) + (truncation?.coverage.count ?? 0);
  if (count === 0) return undefined;
  return { count, tokens: (summary?.omitted?.tokens ?? 0) + (truncation?.coveredTokens ?? 0) };
}

/** Returns the truncation for messages that could not be summarized, joined with adjacent truncations. */
export function truncateStretch(
  stretch: readonly ViewMessage[],
  { counted, around, fit }: { counted: SummaryRecord; around: readonly Head[]; fit: FitSettings },
): Truncation {
  const { lastSeq } = counted.coverage;
  const coveredTokens = stretch.reduce((sum, { message }) => sum + fit.counts.count(message), 0);
  const coverage = { firstSeq: stretch[0]?.seq ?? lastSeq, lastSeq, count: stretch.length };
  const own: Truncation = { id: "truncate-fit", coverage, coveredTokens, reason: counted.reason };
  const all = [own, ...around.flatMap(({ truncation }) => truncation ?? [])];
  return {
    ...own,
    coverage: {
      firstSeq: Math.min(...all.map((each) => each.coverage.firstSeq)),
      lastSeq: Math.max(...all.map((each) => each.coverage.lastSeq)),
      count: all.reduce((sum, each) => sum + each.coverage.count, 0),
    },
    coveredTokens: all.reduce((sum, each) => sum + each.coveredTokens, 0),
  };
}

/** Share of the target, without instructions and tools, that the summary may use. */
const SUMMARY_SHARE = 0.73;

/** Finds the targets of a fold and its summary. A fold frees at most half of the space that messages may use. */
export function findFoldTarget({ settings: given, limits }: FitSettings, kind: ConversationKind, fixedTokens: number) {
  const { limitTokens } = limits;
  const settings = adaptSettingsToKind(given, kind);
  const asked = Math.floor(limitTokens * settings.targetRatio);
  const targetTokens = Math.max(asked, Math.floor((limitTokens + fixedTokens) / 2));
  const most = Math.floor((targetTokens - fixedTokens) * SUMMARY_SHARE);
  const maxTokens = Math.min(settings.summary.maxTokens, most);
  return { targetTokens, settings: { ...settings, summary: { ...settings.summary, maxTokens } } };
}

/** Contains a constraint, because a summary with constraints is never removed to make room. */
const COUNTED_FACETS: SummaryRecord["facets"] = {
  constraints: ["counted"],
  decisions: [],
  actionItems: [],
  unresolved: [],
  entities: [],
  participants: [],
  done: [],
};

export const COUNTED_ANSWERS: StaircaseAnswers = {
  writeSummary: async (task) => ({ type: "written", record: countRecord(task) }),
  // With a topic boundary, the place of the fold would depend on the texts.
  findBoundary: async () => ({ index: undefined, confidence: 0, reason: "No model was asked for a boundary." }),
};

export function withoutText(record: SummaryRecord): SummaryRecord {
  return { ...record, text: "", facets: COUNTED_FACETS, omitted: undefined };
}

/** Counts the tokens of the head's summary, without its wrapper. */
export function countSummaryTokens(head: Head, { counts, settings }: FitSettings): number {
  if (head.summary === undefined) return 0;
  const count = (shown: Head) =>
    createCoverMessages(shown, settings.summary.renderer).reduce((sum, message) => sum + counts.count(message), 0);
  return count(head) - count({ ...head, summary: withoutText(head.summary) });
}

function countRecord({ coverage, tokensBefore, reason, capTokens }: SummaryTask): SummaryRecord {
  return {
    id: "counted",
    at: 0,
    depth: 0,
    coverage: { ...coverage, chainHash: "" },
    messageIds: [],
    text: "",
    keyPoints: [],
    facets: COUNTED_FACETS,
    strategy: "counted",
    reason,
    tokensBefore,
    tokensAfter: capTokens,
  };
}

/** How often the summary is written again, each time shorter by the tokens above the limit. */
const MAX_TRIES = 4;
/** Tokens for headings and the message count, which a shorter summary may need beyond its cap. */
const SPARE_TOKENS = 4;
const MIN_SUMMARY_TOKENS = 12;

export async function shrinkConversation(given: Conversation, fit: FitSettings) {
  let conversation = given;
  let settings = fit.settings;
  for (let tries = 0; ; tries += 1) {
    try {
      return { conversation, proposal: await proposeForCall(conversation, { ...fit, settings }) };
    } catch (error) {
      const floor = floorOfError(error);
      const written = conversation.head.summary?.tokensAfter ?? Number.POSITIVE_INFINITY;
      const knownSizes = [settings.summary.maxTokens, written];
      const maxTokens = floor === undefined ? 0 : findSmallerCap(floor, knownSizes);
      if (tries === MAX_TRIES || maxTokens < MIN_SUMMARY_TOKENS) throw error;
      settings = { ...settings, summary: { ...settings.summary, maxTokens } };
      conversation = await shortenSummary(conversation, { ...fit, settings });
    }
  }
}

/** Returns the largest size of a summary with which the prompt fits; 0 if there is no summary. */
function findSmallerCap({ limitTokens, floorTokens, parts }: Floor, knownTokens: readonly number[]): number {
  const shown = parts.filter(({ name }) => name === "summary").map(({ tokens }) => tokens);
  if (shown.length === 0) return 0;
  return Math.min(...shown, ...knownTokens) - (floorTokens - limitTokens) - SPARE_TOKENS;
}

/** Returns a conversation whose summary is within the cap of the settings. Code writes it; no model is called. */
async function shortenSummary(conversation: Conversation, fit: FitSettings): Promise<Conversation> {
  const { head, view } = conversation;
  const { summary } = head;
  const { maxTokens } = fit.settings.summary;
  if (summary === undefined || summary.tokensAfter <= maxTokens) return conversation;
  const record = await writeShorter({ ...head, summary }, fit);
  const entries = [...view.kept, ...view.messages].map(({ message, seq }) => placeMessage(message, seq));
  return new Conversation({ ...head, summary: record }, entries, conversation);
}

async function writeShorter(
  { summary, ...head }: Head & { readonly summary: SummaryRecord },
  fit: FitSettings,
): Promise<SummaryRecord> {
  const counted = { ...summary, tokensAfter: fit.settings.summary.maxTokens };
  const omitted = findOmitted({ ...head, summary, truncation: undefined });
  const offline = { ...fit, context: { ...fit.context, summarizerFor: undefined } };
  const answer = await writeFold({ counted, previous: summary, stretch: [], omitted }, offline);
  return answer.type === "written" ? { ...answer.record, coverage: summary.coverage } : summary;
}
