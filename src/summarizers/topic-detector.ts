/** Topic boundaries by the cheapest language model that fits. Any failure means no boundary, so everything stays. */
import type { Message } from "../core/message/message.ts";
import { redactMessage } from "../core/summary/secrets/redact-messages.ts";
import { runSteps } from "../core/tokens/count-text.ts";
import { charsOverFour } from "../core/tokens/rough-counters.ts";
import {
  buildTopicRequest,
  firstShownIndex,
  formatTopicMessages,
  parseTopicBoundary,
  TOPIC_MAX_CHARACTERS,
} from "../core/topics/topic-boundary.ts";
import type { ModelOutcome, ModelRequest } from "../ports/model.ts";
import type { FoundBoundary, TopicDetector } from "../ports/summarizer.ts";
import { type Attempt, createModelPool, type ModelPool, type ModelPoolOptions } from "./model-pool.ts";
import { createSummaryTally } from "./summary-tally.ts";
import { countModelRequest } from "./summary-task.ts";

export interface ModelTopicDetectorOptions extends ModelPoolOptions {
  /** Returns 8 to 64 random lower-case letters and digits. */
  readonly newNonce?: (() => string) | undefined;
}

export function createModelTopicDetector(options: ModelTopicDetectorOptions): TopicDetector {
  const pool = createModelPool(options);
  const newNonce = options.newNonce ?? (() => crypto.randomUUID().replaceAll("-", ""));
  return {
    name: "model:topic-boundary",
    findBoundary: (messages, signal) => findBoundary(withoutSecrets(messages), { pool, signal, nonce: newNonce() }),
  };
}

interface Search {
  readonly pool: ModelPool;
  readonly signal: AbortSignal;
  readonly nonce: string;
}

async function findBoundary(messages: readonly Message[], search: Search): Promise<FoundBoundary> {
  const question = buildTopicRequest(messages, { nonce: search.nonce });
  if (question === undefined) return noBoundary("There are no messages.");
  const { instructions, text, maxOutputTokens } = question;
  const request: ModelRequest = {
    instructions,
    messages: [{ id: "topic-request", role: "user", parts: [{ type: "text", text }] }],
    maxOutputTokens,
  };
  const inputTokens = runSteps(countModelRequest(request, charsOverFour));
  const { chosen } = search.pool.choose({ inputTokens, outputTokens: maxOutputTokens });
  if (chosen === undefined || search.signal.aborted) return noBoundary("No model was available.");
  const tally = createSummaryTally();
  const onAttempt = (attempt: Attempt) => tally.addAttempt(attempt, "transcript");
  const outcome = await search.pool.ask(chosen, { request, signal: search.signal, onAttempt });
  const { calls, usage, costUsd } = tally.origin("boundary");
  return { ...readBoundary(outcome, messages), model: chosen.info.id, calls, usage, costUsd };
}

function noBoundary(reason: string): FoundBoundary {
  return { index: undefined, confidence: 0, reason, calls: 0 };
}

function readBoundary(outcome: ModelOutcome, messages: readonly Message[]): FoundBoundary {
  if (outcome.type !== "text") return noBoundary(outcome.reason);
  const found = parseTopicBoundary(outcome.text, { messageCount: messages.length });
  const boundary = { confidence: found.confidence, reason: found.boundaryReason, calls: 0 };
  if (found.boundaryIndex === null) return { ...boundary, index: undefined };
  const hasSummary = found.summary !== "" && isShownWhole(messages);
  return { ...boundary, index: found.boundaryIndex, ...(hasSummary ? { summary: found.summary } : {}) };
}

/** Returns true if no message is cut: with room for two more characters (a surrogate pair) the text is the same. */
function isShownWhole(messages: readonly Message[]): boolean {
  if (firstShownIndex(messages.length) > 0) return false;
  const more = formatTopicMessages(messages, { maxCharacters: TOPIC_MAX_CHARACTERS + 2 });
  return more === formatTopicMessages(messages);
}

/** Redacts the messages that are shown; the others only keep the indices right. */
function withoutSecrets(messages: readonly Message[]): readonly Message[] {
  const first = firstShownIndex(messages.length);
  return messages.map((message, index) => (index < first ? message : redactMessage(message)));
}
