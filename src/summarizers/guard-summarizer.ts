/**
 * Wraps a host's own summarizer so that it keeps the port's promises: one that throws, returns something else or never
 * answers gives a `failed` outcome.
 */

import { describeValue, type Fields, isObject } from "../core/check-value.ts";
import type { Usage } from "../core/log/entry.ts";
import type { ResultCut } from "../core/summary/strategies/build-transcript.ts";
import type { ProposedFacets, Summarizer, SummaryOrigin, SummaryOutcome, SummaryRequest } from "../ports/summarizer.ts";

export function guardSummarizer(summarizer: Summarizer, timeoutMs: number): Summarizer {
  const { name } = summarizer;
  return {
    name,
    estimateCost(request) {
      try {
        const cost = summarizer.estimateCost(request);
        return Number.isFinite(cost) && cost > 0 ? cost : 0;
      } catch {
        // An unknown cost counts as 0.
        return 0;
      }
    },
    summarize: (request, signal) => askInTime({ summarizer, request, signal, timeoutMs }),
  };
}

interface Asking {
  readonly summarizer: Summarizer;
  readonly request: SummaryRequest;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

async function askInTime({ summarizer, request, signal, timeoutMs }: Asking): Promise<SummaryOutcome> {
  const { name } = summarizer;
  if (signal.aborted) return givenUp(name);
  const stop = new AbortController();
  const ended = Promise.withResolvers<SummaryOutcome>();
  const giveUp = (outcome: SummaryOutcome): void => {
    ended.resolve(outcome);
    stop.abort();
  };
  const abort = () => giveUp(givenUp(name));
  // The timer keeps the process alive: the caller waits, and the summarizer may hold nothing open.
  const timer = setTimeout(
    () => giveUp(useless(`No answer came within ${timeoutMs} ms.`, emptyOrigin(name))),
    timeoutMs,
  );
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([ended.promise, ask(summarizer, request, stop.signal)]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}

function givenUp(name: string): SummaryOutcome {
  return { type: "failed", kind: "aborted", reason: "The request was aborted.", origin: emptyOrigin(name) };
}

async function ask(summarizer: Summarizer, request: SummaryRequest, signal: AbortSignal): Promise<SummaryOutcome> {
  const { name } = summarizer;
  try {
    const answer: unknown = await summarizer.summarize(request, signal);
    return readOutcome(answer, name);
  } catch (error) {
    return useless(error instanceof Error ? error.message : `It threw ${String(error)}.`, emptyOrigin(name));
  }
}

type Failed = SummaryOutcome & { readonly type: "failed" };

/** Reads values and keeps the first problem. */
class Reader {
  problem: string | undefined;

  /** Returns the value if it is as expected, else undefined. */
  read<Value>(key: string, value: unknown, expected: Expected<Value>): Value | undefined {
    if (value === undefined) return undefined;
    if (expected.is(value)) return value;
    this.problem ??= `${key}: expected ${expected.name}, found ${describeValue(value)}.`;
    return undefined;
  }
}

interface Expected<Value> {
  readonly name: string;
  is(value: unknown): value is Value;
}

const TEXT: Expected<string> = { name: "a text", is: (value) => typeof value === "string" };
const COUNT: Expected<number> = {
  name: "a number of at least 0",
  is: (value): value is number => typeof value === "number" && Number.isFinite(value) && value >= 0,
};
const FIELDS: Expected<Fields> = { name: "an object", is: isObject };
const LIST: Expected<readonly unknown[]> = { name: "a list", is: (value) => Array.isArray(value) };

function oneOf<Value extends string>(values: readonly Value[]): Expected<Value> {
  return { name: `one of ${values.join(", ")}`, is: (value): value is Value => values.some((each) => each === value) };
}

/**
 * Reads the answer of a host's summarizer field by field and copies it. Missing optional fields get defaults; the first
 * wrong field makes the answer useless and is named. Reported costs count all the same. `name` is the strategy if the
 * answer names none.
 */
export function readOutcome(answer: unknown, name: string): SummaryOutcome {
  const reader = new Reader();
  if (!FIELDS.is(answer) || !FIELDS.is(answer.origin)) return useless(NO_OUTCOME, emptyOrigin(name));
  const origin = readOrigin(answer.origin, name, reader);
  const outcome = answer.type === "failed" ? readFailure(answer, reader) : readText(answer, reader);
  if (outcome === undefined) return useless(reader.problem ?? NO_OUTCOME, origin);
  return reader.problem === undefined ? { ...outcome, origin } : useless(reader.problem, origin);
}

const NO_OUTCOME = "The answer is not the outcome of a summarizer.";

export function useless(reason: string, origin: SummaryOrigin): Failed {
  return { type: "failed", kind: "validation", reason, origin };
}

export function emptyOrigin(strategy: string): SummaryOrigin {
  return { strategy, calls: 1, request: "none", chunks: 1, cuts: [], noiseIds: [], trimmedIds: [] };
}

const KINDS = ["transport", "validation", "refused", "unavailable", "aborted"] as const;

function readFailure(answer: Fields, reader: Reader): Omit<Failed, "origin"> | undefined {
  const kind = reader.read("kind", answer.kind, oneOf(KINDS)) ?? "validation";
  const reason = reader.read("reason", answer.reason, TEXT);
  const rawStart = reader.read("rawStart", answer.rawStart, TEXT);
  return reason === undefined ? undefined : { type: "failed", kind, reason, rawStart };
}

/** Reasons why an answer ended; the last two make it useless. */
const ENDINGS = ["stop", "length", "content-filter", "tool-calls"] as const;

type Answered = Omit<SummaryOutcome & { readonly type: "summary" }, "origin"> | Omit<Failed, "origin">;

function readText(answer: Fields, reader: Reader): Answered | undefined {
  const text = answer.type === "summary" ? reader.read("text", answer.text, TEXT) : undefined;
  const endedBy = reader.read("endedBy", answer.endedBy, oneOf(ENDINGS));
  const keyPoints = readTexts("keyPoints", answer.keyPoints, reader);
  const facets = readFacets(answer.facets, reader);
  if (text === undefined) return undefined;
  if (endedBy === "content-filter") return { type: "failed", kind: "refused", reason: "The answer was filtered." };
  if (endedBy === "tool-calls") return { type: "failed", kind: "validation", reason: "The answer calls a tool." };
  return { type: "summary", text: text.toWellFormed(), keyPoints, facets, endedBy };
}

function readTexts(key: string, value: unknown, reader: Reader): readonly string[] | undefined {
  const list = reader.read(key, value, LIST);
  return list?.map((item, index) => reader.read(`${key}[${index}]`, item ?? null, TEXT)?.toWellFormed() ?? "");
}

const FACET_LISTS = ["constraints", "decisions", "unresolved", "entities", "participants", "done"] as const;

function readFacets(value: unknown, reader: Reader): ProposedFacets | undefined {
  const fields = reader.read("facets", value, FIELDS);
  if (fields === undefined) return undefined;
  const lists = FACET_LISTS.map((key) => [key, readTexts(`facets.${key}`, fields[key], reader)]);
  const items = reader.read("facets.actionItems", fields.actionItems, LIST);
  return {
    goal: reader.read("facets.goal", fields.goal, TEXT),
    ...Object.fromEntries(lists),
    actionItems: items?.map((item, index) => readItem(`facets.actionItems[${index}]`, item ?? null, reader)),
  };
}

function readItem(key: string, value: unknown, reader: Reader) {
  const fields = reader.read(key, value, FIELDS) ?? {};
  return {
    task: reader.read(`${key}.task`, fields.task ?? null, TEXT) ?? "",
    owner: reader.read(`${key}.owner`, fields.owner, TEXT),
    due: reader.read(`${key}.due`, fields.due, TEXT),
    status: reader.read(`${key}.status`, fields.status, oneOf(["open", "done"])),
  };
}

function readOrigin(fields: Fields, name: string, reader: Reader): SummaryOrigin {
  const empty = emptyOrigin(name);
  return {
    strategy: reader.read("origin.strategy", fields.strategy, TEXT) ?? name,
    model: reader.read("origin.model", fields.model, TEXT),
    calls: reader.read("origin.calls", fields.calls, COUNT) ?? empty.calls,
    usage: readUsage(fields.usage, reader),
    costUsd: reader.read("origin.costUsd", fields.costUsd, COUNT),
    request:
      reader.read("origin.request", fields.request, oneOf(["transcript", "own-prompt", "none"])) ?? empty.request,
    chunks: reader.read("origin.chunks", fields.chunks, COUNT) ?? empty.chunks,
    cuts: readCuts(fields.cuts, reader),
    noiseIds: readTexts("origin.noiseIds", fields.noiseIds, reader) ?? [],
    trimmedIds: readTexts("origin.trimmedIds", fields.trimmedIds, reader) ?? [],
  };
}

const USAGE_COUNTS = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"] as const;

function readUsage(value: unknown, reader: Reader): Usage | undefined {
  const fields = reader.read("origin.usage", value, FIELDS);
  if (fields === undefined) return undefined;
  const counts = USAGE_COUNTS.map((key) => [key, reader.read(`origin.usage.${key}`, fields[key], COUNT)] as const);
  return Object.fromEntries(counts.filter(([, count]) => count !== undefined));
}

function readCuts(value: unknown, reader: Reader): readonly ResultCut[] {
  const list = reader.read("origin.cuts", value, LIST) ?? [];
  return list.map((item, index) => {
    const key = `origin.cuts[${index}]`;
    const fields = reader.read(key, item ?? null, FIELDS) ?? {};
    return {
      messageId: reader.read(`${key}.messageId`, fields.messageId, TEXT) ?? "",
      callId: reader.read(`${key}.callId`, fields.callId, TEXT),
      charactersBefore: reader.read(`${key}.charactersBefore`, fields.charactersBefore, COUNT) ?? 0,
      charactersAfter: reader.read(`${key}.charactersAfter`, fields.charactersAfter, COUNT) ?? 0,
    };
  });
}
