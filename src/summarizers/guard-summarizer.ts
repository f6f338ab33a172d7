/** Wraps a host's own summarizer: if it throws, returns something else or never answers, the outcome is `failed`. */
import { describeValue, type Fields, isObject } from "../core/check-value.ts";
import type { Usage } from "../core/log/entry.ts";
import type { ResultCut } from "../core/summary/strategies/build-transcript.ts";
import type { ProposedFacets, Summarizer, SummaryOrigin, SummaryOutcome, SummaryRequest } from "../ports/summarizer.ts";
import { USAGE_FIGURES } from "./price-usage.ts";

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
    summarize: (request, signal) => askInTime(summarizer, { request, signal, timeoutMs }),
  };
}

interface AskInput {
  readonly request: SummaryRequest;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

async function askInTime(summarizer: Summarizer, { request, signal, timeoutMs }: AskInput): Promise<SummaryOutcome> {
  const { name } = summarizer;
  if (signal.aborted) return createAborted(name);
  const stop = new AbortController();
  const ended = Promise.withResolvers<SummaryOutcome>();
  const giveUp = (outcome: SummaryOutcome): void => {
    ended.resolve(outcome);
    stop.abort();
  };
  const abort = () => giveUp(createAborted(name));
  const late = createFailure(`No answer came within ${timeoutMs} ms.`, emptyOrigin(name));
  // The timer keeps the process alive while the caller waits, because the summarizer may not.
  const timer = setTimeout(() => giveUp(late), timeoutMs);
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([ended.promise, ask(summarizer, request, stop.signal)]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}

function createAborted(name: string): SummaryOutcome {
  return { type: "failed", kind: "aborted", reason: "The request was aborted.", origin: emptyOrigin(name) };
}

async function ask(summarizer: Summarizer, request: SummaryRequest, signal: AbortSignal): Promise<SummaryOutcome> {
  const { name } = summarizer;
  try {
    const answer: unknown = await summarizer.summarize(request, signal);
    return readHostOutcome(answer, name);
  } catch (error) {
    return createFailure(error instanceof Error ? error.message : `It threw ${String(error)}.`, emptyOrigin(name));
  }
}

type FailedOutcome = SummaryOutcome & { readonly type: "failed" };

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

function expectOneOf<Value extends string>(...values: readonly Value[]): Expected<Value> {
  return { name: `one of ${values.join(", ")}`, is: (value): value is Value => values.some((each) => each === value) };
}

/** Reads the fields of an object in an answer. All readers of an answer share one list of problems. */
class FieldReader {
  readonly #fields: Fields;
  readonly #path: string;
  readonly #problems: string[];

  constructor(fields: Fields, path: string, problems: string[]) {
    this.#fields = fields;
    this.#path = path;
    this.#problems = problems;
  }

  /** Returns the value if it is as expected; undefined if it is absent or wrong. */
  find<Value>(key: string, expected: Expected<Value>): Value | undefined {
    return this.#check(`${this.#path}${key}`, this.#fields[key], expected);
  }

  /** Returns the text, or an empty one if it is absent or wrong. */
  text(key: string): string {
    return this.#check(`${this.#path}${key}`, this.#fields[key] ?? null, TEXT) ?? "";
  }

  texts(key: string): readonly string[] | undefined {
    return this.#list(key, TEXT)?.map(({ value = "" }) => value.toWellFormed());
  }

  object(key: string): FieldReader | undefined {
    const fields = this.find(key, FIELDS);
    return fields && new FieldReader(fields, `${this.#path}${key}.`, this.#problems);
  }

  objects(key: string): readonly FieldReader[] | undefined {
    const items = this.#list(key, FIELDS);
    return items?.map(({ value = {}, path }) => new FieldReader(value, `${path}.`, this.#problems));
  }

  #list<Value>(key: string, expected: Expected<Value>) {
    return this.find(key, LIST)?.map((item, index) => {
      const path = `${this.#path}${key}[${index}]`;
      return { path, value: this.#check(path, item ?? null, expected) };
    });
  }

  #check<Value>(path: string, value: unknown, expected: Expected<Value>): Value | undefined {
    if (value === undefined || expected.is(value)) return value;
    this.#problems.push(`${path}: expected ${expected.name}, found ${describeValue(value)}.`);
    return undefined;
  }
}

/**
 * Reads the answer of a host's summarizer field by field and copies it. Missing optional fields get defaults; the first
 * wrong field makes the answer useless and is named. Reported costs are kept. `name` is the strategy if the
 * answer names none.
 */
function readHostOutcome(answer: unknown, name: string): SummaryOutcome {
  if (!isObject(answer) || !isObject(answer.origin)) return createFailure(NOT_AN_OUTCOME, emptyOrigin(name));
  const problems: string[] = [];
  const origin = readOrigin(new FieldReader(answer.origin, "origin.", problems), name);
  const reader = new FieldReader(answer, "", problems);
  const outcome = answer.type === "failed" ? readHostFailure(reader) : readHostSummary(reader, answer.type);
  const [problem] = problems;
  if (outcome === undefined || problem !== undefined) return createFailure(problem ?? NOT_AN_OUTCOME, origin);
  return { ...outcome, origin };
}

const NOT_AN_OUTCOME =
  'The summarizer returned no outcome: expected `origin`, and `type` "summary" with `text` or "failed" with `reason`.';

function createFailure(reason: string, origin: SummaryOrigin): FailedOutcome {
  return { type: "failed", kind: "validation", reason, origin };
}

export function emptyOrigin(strategy: string): SummaryOrigin {
  return { strategy, calls: 1, request: "none", chunks: 1, cuts: [], noiseIds: [], trimmedIds: [] };
}

const KIND = expectOneOf("transport", "validation", "refused", "unavailable", "aborted");

function readHostFailure(reader: FieldReader): Omit<FailedOutcome, "origin"> | undefined {
  const kind = reader.find("kind", KIND) ?? "validation";
  const reason = reader.find("reason", TEXT);
  const rawStart = reader.find("rawStart", TEXT);
  return reason === undefined ? undefined : { type: "failed", kind, reason, rawStart };
}

/** Reasons why an answer ended; the last two make it useless. */
const ENDING = expectOneOf("stop", "length", "content-filter", "tool-calls");

type HostAnswer = Omit<SummaryOutcome & { readonly type: "summary" }, "origin"> | Omit<FailedOutcome, "origin">;

function readHostSummary(reader: FieldReader, type: unknown): HostAnswer | undefined {
  const text = type === "summary" ? reader.find("text", TEXT) : undefined;
  const endedBy = reader.find("endedBy", ENDING);
  const keyPoints = reader.texts("keyPoints");
  const facets = readFacets(reader.object("facets"));
  if (text === undefined) return undefined;
  if (endedBy === "content-filter")
    return { type: "failed", kind: "refused", reason: "A content filter stopped the answer." };
  if (endedBy === "tool-calls") return { type: "failed", kind: "validation", reason: "The answer calls a tool." };
  return { type: "summary", text: text.toWellFormed(), keyPoints, facets, endedBy };
}

const FACET_LISTS = ["constraints", "decisions", "unresolved", "entities", "participants", "done"] as const;
const STATUS = expectOneOf("open", "done");

function readFacets(reader: FieldReader | undefined): ProposedFacets | undefined {
  if (reader === undefined) return undefined;
  const lists = FACET_LISTS.map((key) => [key, reader.texts(key)]);
  const actionItems = reader.objects("actionItems")?.map((item) => ({
    task: item.text("task"),
    owner: item.find("owner", TEXT),
    due: item.find("due", TEXT),
    status: item.find("status", STATUS),
  }));
  return { goal: reader.find("goal", TEXT), ...Object.fromEntries(lists), actionItems };
}

const FORM = expectOneOf("transcript", "own-prompt", "none");

function readOrigin(reader: FieldReader, name: string): SummaryOrigin {
  const empty = emptyOrigin(name);
  return {
    strategy: reader.find("strategy", TEXT) ?? name,
    model: reader.find("model", TEXT),
    calls: reader.find("calls", COUNT) ?? empty.calls,
    usage: readUsage(reader.object("usage")),
    costUsd: reader.find("costUsd", COUNT),
    request: reader.find("request", FORM) ?? empty.request,
    chunks: reader.find("chunks", COUNT) ?? empty.chunks,
    cuts: (reader.objects("cuts") ?? []).map(readCut),
    noiseIds: reader.texts("noiseIds") ?? [],
    trimmedIds: reader.texts("trimmedIds") ?? [],
  };
}

function readUsage(reader: FieldReader | undefined): Usage | undefined {
  if (reader === undefined) return undefined;
  const counts = USAGE_FIGURES.map((key) => [key, reader.find(key, COUNT)] as const);
  return Object.fromEntries(counts.filter(([, count]) => count !== undefined));
}

function readCut(reader: FieldReader): ResultCut {
  return {
    messageId: reader.find("messageId", TEXT) ?? "",
    callId: reader.find("callId", TEXT),
    charactersBefore: reader.find("charactersBefore", COUNT) ?? 0,
    charactersAfter: reader.find("charactersAfter", COUNT) ?? 0,
  };
}
