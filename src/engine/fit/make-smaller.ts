/** Makes one prompt fit that the folds of a call left too large, at last by writing its summary again, shorter. */
import type { Head } from "../../core/log/head.ts";
import type { Floor, Proposal } from "../../core/plan/proposal.ts";
import type { SummaryRecord } from "../../core/summary/record/record.ts";
import { floorOfError } from "../context/errors.ts";
import { Conversation, placeMessage } from "../state/conversation.ts";
import { proposeForCall } from "./fit-replay.ts";
import type { FitSettings } from "./fit-run.ts";
import { findOmitted, writeFold } from "./write-fold.ts";

export interface SmallerPrompt {
  readonly conversation: Conversation;
  readonly proposal: Proposal | undefined;
}

/** How often the summary is written again. Each time it gets shorter by what is too much. */
const MOST_TRIES = 4;
/** Room for what a shorter summary may take beyond its cap: headings and the count. */
const SPARE_TOKENS = 4;
const LEAST_SUMMARY_TOKENS = 12;

export async function makeSmaller(given: Conversation, fit: FitSettings): Promise<SmallerPrompt> {
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
      if (tries === MOST_TRIES || maxTokens < LEAST_SUMMARY_TOKENS) throw error;
      settings = { ...settings, summary: { ...settings.summary, maxTokens } };
      conversation = await shortenSummary(conversation, { ...fit, settings });
    }
  }
}

/** Returns the size of a summary that leaves room for what is too much; 0 where there is no summary. */
function findSmallerCap({ limitTokens, floorTokens, parts }: Floor, knownTokens: readonly number[]): number {
  const shown = parts.filter(({ name }) => name === "summary").map(({ tokens }) => tokens);
  if (shown.length === 0) return 0;
  return Math.min(...shown, ...knownTokens) - (floorTokens - limitTokens) - SPARE_TOKENS;
}

/** Returns a conversation whose summary is within the cap of the settings. Code writes it: no model is asked for it. */
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
