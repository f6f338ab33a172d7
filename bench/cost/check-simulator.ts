/**
 * Checks the simulated cache: the contexts that the recording tool really sent, with its own compactions, are sent to
 * the simulator, and their share of the uncached price is compared with what the provider reported. The logs have
 * neither system text nor tool schemas, so each session gets a constant prefix: the tokens that the first request
 * reported beyond its messages. What that request read from the cache had been cached before.
 */
import { findModel } from "../../src/core/budget/find-model.ts";
import { loadCatalogue } from "../../src/counters/create-catalogue.ts";
import type { BlockBook, PromptBlock } from "../../src/replay/prompt-blocks.ts";
import { PromptCache } from "../../src/replay/prompt-cache.ts";
import type { ReplayRequest, ReplaySession } from "./read-sessions.ts";

export interface SimulatorCheck {
  /** Cost of the input as a share of the cost without a cache. */
  readonly simulatedRatio: number;
  readonly recordedRatio: number;
  readonly requests: number;
  readonly sessions: readonly SessionCheck[];
}

export interface SessionCheck {
  readonly name: string;
  readonly simulatedRatio: number;
  readonly recordedRatio: number;
}

interface Sums {
  simulated: number;
  simulatedUncached: number;
  recorded: number;
  recordedUncached: number;
}

const READ_RATIO = 0.1;
/** A model that some of the logs were recorded with. */
const RECORDED_MODEL = "claude-opus-4-5";

export async function checkSimulator(sessions: readonly ReplaySession[], book: BlockBook): Promise<SimulatorCheck> {
  const info = findModel(RECORDED_MODEL, { catalogue: await loadCatalogue() });
  const factor = info?.startFactor ?? 1;
  const sums = sessions.map((session) => ({ session, sums: replayRecorded(session, { book, factor }) }));
  const all = { simulated: 0, simulatedUncached: 0, recorded: 0, recordedUncached: 0 };
  for (const { sums: part } of sums) addTo(all, part);
  return {
    ...ratiosOf(all),
    requests: sessions.reduce((count, { requests }) => count + requests.length, 0),
    sessions: sums.map(({ session, sums: part }) => ({ name: session.name, ...ratiosOf(part) })),
  };
}

function replayRecorded(
  session: ReplaySession,
  { book, factor }: { readonly book: BlockBook; readonly factor: number },
): Sums {
  const { requests, cache: rules } = session;
  const cache = new PromptCache({ minimumTokens: 1_024, readRatio: READ_RATIO, breakpoints: 4, ...rules });
  const sums: Sums = { simulated: 0, simulatedUncached: 0, recorded: 0, recordedUncached: 0 };
  const first = requests[0];
  if (first === undefined) return sums;
  const contentOf = (request: ReplayRequest) => scale(recordedContext(session, { request, book }), factor);
  const prefix = findPrefix(session.name, { first, firstTokens: tokensOf(contentOf(first)), book });
  // The cache still has the prefix that another session has just sent.
  if (first.recorded.cacheReadTokens > 0) cache.send(prefix.slice(0, 1), first.timeMs);
  for (const request of requests) {
    const outcome = cache.send([...prefix, ...contentOf(request)], request.timeMs);
    const { plainTokens, readTokens, writeTokens } = outcome;
    sums.simulated += plainTokens + READ_RATIO * readTokens + rules.writeRatio * writeTokens;
    sums.simulatedUncached += plainTokens + readTokens + writeTokens;
    const { inputTokens, cacheReadTokens, cacheWriteTokens } = request.recorded;
    sums.recorded += inputTokens + READ_RATIO * cacheReadTokens + rules.writeRatio * cacheWriteTokens;
    sums.recordedUncached += inputTokens + cacheReadTokens + cacheWriteTokens;
  }
  return sums;
}

interface PrefixOptions {
  readonly first: ReplayRequest;
  readonly firstTokens: number;
  readonly book: BlockBook;
}

function findPrefix(name: string, { first, firstTokens, book }: PrefixOptions): readonly PromptBlock[] {
  const { inputTokens, cacheReadTokens, cacheWriteTokens } = first.recorded;
  const tokens = Math.max(0, inputTokens + cacheReadTokens + cacheWriteTokens - firstTokens);
  const sharedTokens = Math.min(tokens, cacheReadTokens);
  return [book.opaqueBlock("shared", sharedTokens), book.opaqueBlock(name, tokens - sharedTokens)].filter(
    (block) => block.tokens > 0,
  );
}

function recordedContext(
  { messages, compactions }: ReplaySession,
  { request, book }: { readonly request: ReplayRequest; readonly book: BlockBook },
): readonly PromptBlock[] {
  const compaction = compactions.findLast(({ index }) => index <= request.index);
  const sent = messages.slice(compaction?.index ?? 0, request.index);
  return [...(compaction?.summary === undefined ? [] : [compaction.summary]), ...sent].flatMap((message) =>
    book.blocksOf(message),
  );
}

/** The provider's own tokenizer counts more tokens than the one used here. */
function scale(blocks: readonly PromptBlock[], factor: number): readonly PromptBlock[] {
  return blocks.map((block) => ({ ...block, tokens: Math.round(block.tokens * factor) }));
}

function tokensOf(blocks: readonly PromptBlock[]): number {
  return blocks.reduce((sum, { tokens }) => sum + tokens, 0);
}

function addTo(all: Sums, part: Sums): void {
  all.simulated += part.simulated;
  all.simulatedUncached += part.simulatedUncached;
  all.recorded += part.recorded;
  all.recordedUncached += part.recordedUncached;
}

function ratiosOf({ simulated, simulatedUncached, recorded, recordedUncached }: Sums) {
  return { simulatedRatio: simulated / simulatedUncached, recordedRatio: recorded / recordedUncached };
}
