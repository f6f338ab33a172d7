/** OpenTelemetry, with the real SDK and its exporters in memory, and models behind a real socket. */
import { AsyncLocalStorage } from "node:async_hooks";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createOpenAI } from "@ai-sdk/openai";
import {
  type Attributes,
  type Context,
  type ContextManager,
  context,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OpenOptions, openPalimpsest } from "../src/compose.ts";
import type { Palimpsest } from "../src/engine/palimpsest.ts";
import { instrument } from "../src/telemetry/instrument.ts";
import { ATTRIBUTES, METRICS, SPANS } from "../src/telemetry/names.ts";
import { shows } from "../src/testing/shows.ts";
import { repositoryRoot } from "./support/read-repository.ts";
import { type ProviderScript, startScriptedProvider } from "./support/scripted-provider.ts";
import { scriptedReplies as replies } from "./support/scripted-provider-reply.ts";

/** Tracks the context across promises, like a host's own SDK. */
class Storage implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>();
  active(): Context {
    return this.#storage.getStore() ?? ROOT_CONTEXT;
  }
  with<Args extends unknown[], Call extends (...args: Args) => ReturnType<Call>>(
    active: Context,
    call: Call,
    thisArg?: ThisParameterType<Call>,
    ...args: Args
  ): ReturnType<Call> {
    return this.#storage.run(active, () => call.call(thisArg, ...args));
  }
  bind<Target>(_: Context, target: Target): Target {
    return target;
  }
  enable(): this {
    return this;
  }
  disable(): this {
    this.#storage.disable();
    return this;
  }
}

beforeAll(() => {
  context.setGlobalContextManager(new Storage());
});

afterAll(() => {
  context.disable();
});

const SENTENCE = "the heron keeps one row for every invoice and closes at night. ";
const SUMMARY = "The heron keeps one row for every invoice and closes at night.";

const POLICY = {
  preset: "workspace",
  compaction_trigger_tokens: 1_200,
  verbatim_window_tokens: 400,
  pauseMs: 0,
} as const;
/** Compacts only on request. */
const QUIET = { ...POLICY, compaction_trigger_tokens: 1_000_000 };
const NO_BOUNDARY = { boundary_index: null, boundary_reason: "the heron stays", confidence: 0.9, summary: "heron" };

const isDetecting: (body: object) => boolean = (body) => JSON.stringify(body).includes("boundary_index");
const SUMMARIZES: ProviderScript = ({ body }) =>
  isDetecting(body) ? replies.json(NO_BOUNDARY) : replies.text(SUMMARY);

const exchanges = (count: number) =>
  Array.from({ length: count }, (_, index) => [
    { role: "user", content: `Question ${index}: ${SENTENCE.repeat(5)}` },
    { role: "assistant", content: `Answer ${index}: ${SENTENCE.repeat(5)}` },
  ]).flat();

async function setUp(script: ProviderScript, options: OpenOptions = {}) {
  const provider = await startScriptedProvider(script);
  const spans = new InMemorySpanExporter();
  const tracing = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 60_000 });
  const metering = new MeterProvider({ readers: [reader] });
  const summarizer = createOpenAI({ baseURL: `${provider.url}/v1`, apiKey: "test-key" }).chat("gpt-4.1-mini");
  const palimpsest = await openPalimpsest({ windowTokens: 100_000, policy: POLICY, summarizer, ...options });
  const tracer = tracing.getTracer("test");
  const stop = await instrument(palimpsest, { tracer, meter: metering.getMeter("test") });
  const readMetrics = async () => {
    await reader.forceFlush();
    return (
      exporter
        .getMetrics()
        .at(-1)
        ?.scopeMetrics.flatMap(({ metrics }) => metrics) ?? []
    );
  };
  return {
    palimpsest,
    provider,
    tracer,
    stop,
    spans: () => spans.getFinishedSpans(),
    /** Returns everything that was recorded, as one text. */
    everything: async () => JSON.stringify([spans.getFinishedSpans().map(readable), await readMetrics()]),
    /** Returns the points of one metric: attributes and value. */
    points: async (name: string) =>
      (await readMetrics())
        .filter(({ descriptor }) => descriptor.name === name)
        .flatMap(({ dataPoints }) => dataPoints.map(({ attributes, value }) => ({ attributes, value }))),
    async [Symbol.asyncDispose]() {
      await metering.shutdown();
      await tracing.shutdown();
      await provider.close();
    },
  };
}

const readable = ({ name, attributes, events, status, links }: ReadableSpan) => [
  name,
  attributes,
  events,
  status,
  links,
];

async function compactOnce(palimpsest: Palimpsest): Promise<void> {
  const session = await palimpsest.session("s1");
  await session.append(exchanges(12));
  await session.settle();
}

const named = (spans: readonly ReadableSpan[], name: string) => spans.filter((span) => span.name === name);
const only = (spans: readonly ReadableSpan[], name: string): ReadableSpan => {
  const [span, ...others] = named(spans, name);
  expect(others).toEqual([]);
  if (span === undefined) throw new TypeError(`There is no span ${name}.`);
  return span;
};
const millisOf = ([seconds, nanos]: ReadableSpan["endTime"]): number => seconds * 1_000 + nanos / 1_000_000;

describe("spans", () => {
  test(
    shows("S2-3", "describe a compaction: its reason, its size before and after, its cost, and its outcome"),
    async () => {
      await using stage = await setUp(SUMMARIZES);
      await compactOnce(stage.palimpsest);
      const { attributes, status } = only(stage.spans(), SPANS.compaction);
      expect(attributes).toMatchObject({
        [ATTRIBUTES.sessionId]: "s1",
        [ATTRIBUTES.policy]: "workspace",
        [ATTRIBUTES.phase]: "post-response",
        [ATTRIBUTES.need]: "soft",
        [ATTRIBUTES.triggers]: ["tokens"],
        [ATTRIBUTES.reason]: expect.stringMatching(/^\d+ tokens of conversation, more than 1200$/),
        [ATTRIBUTES.outcome]: "written",
        [ATTRIBUTES.steps]: ["summarise"],
        [ATTRIBUTES.depth]: 0,
        [ATTRIBUTES.calls]: 2,
        [ATTRIBUTES.cachedTokens]: 2_048,
        [ATTRIBUTES.messages]: expect.any(Number),
        [ATTRIBUTES.durationMs]: expect.any(Number),
      });
      const before = Number(attributes[ATTRIBUTES.tokensBefore]);
      expect(before).toBeGreaterThan(1_200);
      expect(attributes[ATTRIBUTES.ratio]).toBeCloseTo(before / 100_000, 1);
      expect(attributes[ATTRIBUTES.tokensAfter]).toBeLessThan(before);
      expect(attributes[ATTRIBUTES.costUsd]).toBeGreaterThan(0);
      expect(status.code).toBe(SpanStatusCode.UNSET);
    },
  );

  test("are children of the host's own span, and spans of model calls are children of the compaction's", async () => {
    await using stage = await setUp(SUMMARIZES);
    const request = stage.tracer.startSpan("request");
    await context.with(trace.setSpan(context.active(), request), () => compactOnce(stage.palimpsest));
    request.end();
    const compaction = only(stage.spans(), SPANS.compaction);
    expect(compaction.parentSpanContext?.spanId).toBe(request.spanContext().spanId);
    const [boundary, summary] = [only(stage.spans(), SPANS.boundary), only(stage.spans(), SPANS.summary)];
    for (const child of [boundary, summary]) {
      expect(child.parentSpanContext?.spanId).toBe(compaction.spanContext().spanId);
      expect(millisOf(child.startTime)).toBeGreaterThanOrEqual(millisOf(compaction.startTime));
      expect(millisOf(child.endTime)).toBeLessThanOrEqual(millisOf(compaction.endTime));
    }
    expect(summary.attributes).toMatchObject({
      [ATTRIBUTES.outcome]: "accepted",
      [ATTRIBUTES.strategy]: "topic",
      [ATTRIBUTES.model]: "gpt-4.1-mini",
      [ATTRIBUTES.calls]: 1,
      [ATTRIBUTES.inputTokens]: 1_200,
      [ATTRIBUTES.outputTokens]: 48,
      [ATTRIBUTES.cacheReadTokens]: 1_024,
    });
    expect(boundary.attributes).toMatchObject({
      [ATTRIBUTES.detector]: "model",
      [ATTRIBUTES.confidence]: 0.9,
      [ATTRIBUTES.found]: false,
      [ATTRIBUTES.inputTokens]: 1_200,
      [ATTRIBUTES.calls]: 1,
    });
  });

  test("are errors if no summarizer succeeded, with the kind of failure", async () => {
    const script: ProviderScript = ({ body }) =>
      isDetecting(body) ? replies.json(NO_BOUNDARY) : replies.unauthorised();
    await using stage = await setUp(script);
    await compactOnce(stage.palimpsest);
    const compaction = only(stage.spans(), SPANS.compaction);
    expect(compaction.attributes).toMatchObject({ [ATTRIBUTES.outcome]: "failed" });
    expect(compaction.attributes).not.toHaveProperty([ATTRIBUTES.tokensAfter]);
    const summary = only(stage.spans(), SPANS.summary);
    expect(summary.attributes).toMatchObject({ [ATTRIBUTES.outcome]: "failed", [ATTRIBUTES.rule]: expect.any(String) });
    expect([compaction.status, summary.status]).toEqual([
      { code: SpanStatusCode.ERROR },
      { code: SpanStatusCode.ERROR },
    ]);
  });

  test("end even if the engine fails", async () => {
    await using stage = await setUp(() => replies.unauthorised(), {
      policy: { preset: "ratio-chain", abortOnFailure: true },
      windowTokens: 2_000,
      reserveTokens: 0,
    });
    const session = await stage.palimpsest.session("s1");
    await session.append(exchanges(12));
    await expect(session.prompt()).rejects.toMatchObject({ code: "summarizer-failed" });
    expect(only(stage.spans(), SPANS.compaction).attributes).toMatchObject({
      [ATTRIBUTES.outcome]: "failed",
      [ATTRIBUTES.calls]: 1,
    });
  });

  test("end when the work is done, even if its result is applied later", async () => {
    await using stage = await setUp(SUMMARIZES, { policy: QUIET });
    const session = await stage.palimpsest.session("s1");
    await session.append(exchanges(12));
    const preview = await session.compact({ preview: true });
    const workedUntil = Date.now();
    await pause(500);
    if (preview.type !== "preview") throw new TypeError("There is nothing to compact.");
    await preview.apply();
    const span = only(stage.spans(), SPANS.compaction);
    expect(span.attributes).toMatchObject({ [ATTRIBUTES.phase]: "manual", [ATTRIBUTES.outcome]: "written" });
    expect(millisOf(span.endTime)).toBeLessThan(workedUntil + 400);
  });

  test("of unfinished work end with the telemetry, and none follows", async () => {
    await using stage = await setUp(SUMMARIZES, { policy: QUIET });
    const session = await stage.palimpsest.session("s1");
    await session.append(exchanges(12));
    await session.compact({ preview: true });
    await session.compact({ preview: true });
    expect(named(stage.spans(), SPANS.compaction).map(({ attributes }) => attributes[ATTRIBUTES.outcome])).toEqual([
      "abandoned",
    ]);
    stage.stop();
    expect(named(stage.spans(), SPANS.compaction)).toHaveLength(2);
    await session.compact();
    expect(named(stage.spans(), SPANS.compaction)).toHaveLength(2);
  });
});

describe("metrics", () => {
  test(shows("S4-82", "count compactions, calls, tokens saved and cost, and measure durations"), async () => {
    await using stage = await setUp(SUMMARIZES);
    await compactOnce(stage.palimpsest);
    const [written] = named(stage.spans(), SPANS.compaction);
    const { [ATTRIBUTES.tokensBefore]: before, [ATTRIBUTES.tokensAfter]: after } = written?.attributes ?? {};
    const whole = {
      [ATTRIBUTES.policy]: "workspace",
      [ATTRIBUTES.phase]: "post-response",
      [ATTRIBUTES.outcome]: "written",
    };
    expect(await stage.points(METRICS.compactions)).toEqual([{ attributes: whole, value: 1 }]);
    expect(await stage.points(METRICS.tokensSaved)).toEqual([
      { attributes: { [ATTRIBUTES.policy]: "workspace" }, value: Number(before) - Number(after) },
    ]);
    const by = (strategy: string, outcome: string): Attributes => ({
      [ATTRIBUTES.strategy]: strategy,
      [ATTRIBUTES.outcome]: outcome,
      [ATTRIBUTES.model]: "gpt-4.1-mini",
    });
    expect(await stage.points(METRICS.calls)).toEqual([
      { attributes: by("boundary", "answered"), value: 1 },
      { attributes: by("topic", "accepted"), value: 1 },
    ]);
    const costs = await stage.points(METRICS.cost);
    expect(costs.map(({ attributes }) => attributes)).toEqual([by("boundary", "answered"), by("topic", "accepted")]);
    const costUsd = costs.reduce((sum, { value }) => sum + Number(value), 0);
    expect(costUsd).toBeCloseTo(Number(written?.attributes[ATTRIBUTES.costUsd]), 10);
    expect(await stage.points(METRICS.compactionDuration)).toMatchObject([{ attributes: whole, value: { count: 1 } }]);
    expect(await stage.points(METRICS.attemptDuration)).toMatchObject([
      { value: { count: 1 } },
      { value: { count: 1 } },
    ]);
  });

  test("count failures under their outcome, retries included", async () => {
    const script: ProviderScript = ({ body }) =>
      isDetecting(body) ? replies.json(NO_BOUNDARY) : replies.serverError();
    await using stage = await setUp(script);
    await compactOnce(stage.palimpsest);
    expect(await stage.points(METRICS.compactions)).toMatchObject([
      { attributes: { [ATTRIBUTES.outcome]: "failed" }, value: 1 },
    ]);
    const calls = await stage.points(METRICS.calls);
    expect(calls.find(({ attributes }) => attributes[ATTRIBUTES.outcome] === "failed")?.value).toBe(2);
    expect(await stage.points(METRICS.tokensSaved)).toEqual([]);
  });

  test("count searches for earlier messages, and the passages and tokens that they return", async () => {
    await using stage = await setUp([]);
    const session = await stage.palimpsest.session("s");
    await session.append({ role: "user", content: "The heron sleeps in the reeds." });
    const { tokens } = await session.recall("Where does the heron sleep?");
    await session.recall("zeppelin");
    const from = { [ATTRIBUTES.source]: "call" };
    const by = (outcome: string) => ({ ...from, [ATTRIBUTES.outcome]: outcome });
    expect(await stage.points(METRICS.recalls)).toEqual([
      { attributes: by("found"), value: 1 },
      { attributes: by("nothing"), value: 1 },
    ]);
    expect(await stage.points(METRICS.recalledPassages)).toEqual([{ attributes: from, value: 1 }]);
    expect(await stage.points(METRICS.recalledTokens)).toEqual([{ attributes: from, value: tokens }]);
    expect(await stage.everything()).not.toContain("heron");
  });
});

describe("telemetry", () => {
  test("contains no text of the conversation, of a summary, of an answer or of an error", async () => {
    const answers = [replies.text(SUMMARY), replies.text(""), replies.refusal("The heron is none of my business.")];
    const broken = { type: "raw", status: 400, body: JSON.stringify({ error: { message: "heron" } }) } as const;
    for (const answer of [...answers, broken]) {
      const script: ProviderScript = ({ body }) => (isDetecting(body) ? replies.json(NO_BOUNDARY) : answer);
      await using stage = await setUp(script);
      await compactOnce(stage.palimpsest);
      const session = await stage.palimpsest.session("s1");
      await session.append(exchanges(4));
      await session.settle();
      await session.compact({ instructions: "Keep the heron." });
      expect(stage.provider.requests.map(({ body }) => JSON.stringify(body)).join("")).toContain("heron");
      const recorded = await stage.everything();
      expect(recorded).toContain(SPANS.compaction);
      expect(recorded).not.toMatch(/heron|invoice|Question|Answer /);
    }
  });

  test(
    shows("X-7", "counts the tokens that a provider read from and wrote to its cache before and after a compaction"),
    async () => {
      await using stage = await setUp(SUMMARIZES);
      const session = await stage.palimpsest.session("s1");
      const answer = async (cacheReadTokens: number, cacheWriteTokens: number) => {
        const prompt = await session.prompt();
        const usage = { inputTokens: 5_000, cacheReadTokens, cacheWriteTokens };
        await session.append({ role: "assistant", content: SENTENCE }, { promptId: prompt.id, usage });
        await session.settle();
      };
      await session.append(exchanges(4));
      await answer(400, 300);
      await session.append(exchanges(12));
      await session.settle();
      await answer(100, 600);
      const side = (name: string) => ({ [ATTRIBUTES.side]: name });
      expect(await stage.points(METRICS.cacheRead)).toEqual([
        { attributes: side("before"), value: 400 },
        { attributes: side("after"), value: 100 },
      ]);
      expect(await stage.points(METRICS.cacheWritten)).toEqual([
        { attributes: side("before"), value: 300 },
        { attributes: side("after"), value: 600 },
      ]);
    },
  );

  test(shows("X-6", "counts unexpected arguments of a notebook tool, once for each session and fault"), async () => {
    await using stage = await setUp(SUMMARIZES);
    for (const id of ["s1", "s2"]) {
      const session = await stage.palimpsest.session(id);
      for (const toolCallId of ["a", "b"]) {
        const call = { type: "tool-call", toolCallId, toolName: "run_notebook_cell", input: { cell: "heron" } };
        await session.append({ role: "assistant", content: [call] });
      }
    }
    const attributes = { [ATTRIBUTES.tool]: "RunNotebookCell" };
    expect(await stage.points(METRICS.argumentDrifts)).toEqual([{ attributes, value: 2 }]);
    expect(await stage.everything()).not.toContain("heron");
  });

  test("has no effect without an SDK", async () => {
    await using provider = await startScriptedProvider(SUMMARIZES);
    const summarizer = createOpenAI({ baseURL: `${provider.url}/v1`, apiKey: "test-key" }).chat("gpt-4.1-mini");
    const palimpsest = await openPalimpsest({ windowTokens: 100_000, policy: POLICY, summarizer });
    const warnings: unknown[] = [];
    const note = (warning: unknown) => warnings.push(warning);
    process.on("warning", note);
    const stop = await instrument(palimpsest);
    const written: unknown[] = [];
    palimpsest.on("compaction", (event) => written.push(event));
    await compactOnce(palimpsest);
    stop();
    process.off("warning", note);
    expect(written).toHaveLength(1);
    expect(warnings).toEqual([]);
  });

  test("is documented completely: docs/telemetry.md explains every name, and no other", () => {
    const page = readFileSync(join(repositoryRoot, "docs/telemetry.md"), "utf8");
    const explained = new Set(
      [...page.matchAll(/^\| `((?:palimpsest|gen_ai|http)\.[a-z_.]+)`/gm)].map(([, name]) => name),
    );
    const given = new Set<string>([SPANS, METRICS, ATTRIBUTES].flatMap((names) => Object.values(names)));
    expect([...explained].toSorted()).toEqual([...given].toSorted());
  });
});
