import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../test/support/property-runs.ts";
import { assumeModel } from "../core/budget/find-model.ts";
import type { ModelInfo } from "../core/budget/model-info.ts";
import type { Message, MessageId } from "../core/message/message.ts";
import { countText } from "../core/tokens/count-text.ts";
import { estimate } from "../core/tokens/estimate.ts";
import type { Model, ModelOutcome, ModelRequest } from "../ports/model.ts";
import type { SummaryOutcome, SummaryRequest } from "../ports/summarizer.ts";
import { messageBuilder } from "../testing/builders.ts";
import { histories } from "../testing/generate-histories.ts";
import { scriptedClock } from "../testing/scripted-clock.ts";
import { createModelSummarizer, type ModelSummarizerOptions } from "./model-summarizer.ts";

const STRATEGIES = ["brief", "keypoints", "handoff-full", "handoff-simple", "topic", "structured"] as const;
const TEXT = "The user set the port to 4711 and asked for the ledger.";
const JSON_TEXT = JSON.stringify({ summary: TEXT, keyPoints: ["port 4711"] });
const fine: ModelOutcome = { type: "text", text: TEXT, stopReason: "end", usage: undefined };

const infoOf = (given: Partial<ModelInfo> = {}): ModelInfo => ({
  ...assumeModel("plain").info,
  windowTokens: 32_000,
  maxOutputTokens: 4_000,
  startFactor: 1,
  ...given,
});

function recordingModel(answer: (request: ModelRequest, index: number) => ModelOutcome) {
  const requests: ModelRequest[] = [];
  const model: Model = {
    id: "plain",
    generate: async (request) => answer(request, requests.push(request) - 1),
  };
  return { model, requests };
}

const answerAll = ({ schema }: ModelRequest): ModelOutcome =>
  schema === undefined ? fine : { ...fine, text: JSON_TEXT };

const newNonce = (): string => crypto.randomUUID().replaceAll("-", "");

interface Setting {
  readonly options?: Partial<ModelSummarizerOptions>;
  readonly info?: Partial<ModelInfo>;
  readonly request?: Partial<SummaryRequest>;
  readonly signal?: AbortSignal;
  answer?(request: ModelRequest, index: number): ModelOutcome;
}

interface SummaryRun {
  readonly outcome: SummaryOutcome;
  readonly requests: readonly ModelRequest[];
}

async function summarize(stretch: readonly Message[], setting: Setting = {}): Promise<SummaryRun> {
  const { model, requests } = recordingModel(setting.answer ?? answerAll);
  const summarizer = createModelSummarizer({
    models: [{ model, info: infoOf(setting.info) }],
    strategy: "topic",
    clock: scriptedClock({ startMs: 0 }),
    sleep: async () => undefined,
    newNonce,
    ...setting.options,
  });
  const request = { stretch, previous: undefined, capTokens: 200, nonce: "k3j9x0q2", counter: estimate };
  const signal = setting.signal ?? new AbortController().signal;
  return { outcome: await summarizer.summarize({ ...request, ...setting.request }, signal), requests };
}

const textOf = ({ messages }: ModelRequest): string =>
  messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "text" ? [part.text] : []))).join("\n");

/** Counts the tokens of instructions, schema and text. */
const sizeOf = (request: ModelRequest): number => {
  const schema = request.schema === undefined ? "" : JSON.stringify(request.schema);
  return [request.instructions, schema, textOf(request)].reduce((sum, text) => sum + countText(text, estimate), 0);
};

/** Gives each message a speaker, by which it is found again in a request. */
const named = (messages: readonly Message[]): readonly Message[] =>
  messages.map((message, index) => ({ ...message, name: `speaker${index}x` }));

const namesIn = (requests: readonly ModelRequest[]): readonly number[] =>
  requests.flatMap((request) =>
    [...textOf(request).matchAll(/^\[\w+ \d+ \w+ speaker(\d+)x/gm)].map(([, index]) => Number(index)),
  );

describe("createModelSummarizer with chunks", () => {
  const chat = (count: number): readonly Message[] => {
    const { anExchange } = messageBuilder();
    return Array.from({ length: count }, (_, turn) =>
      anExchange(`Question ${turn}? ${"why ".repeat(30)}`, `Answer ${turn}. ${"so ".repeat(30)}`),
    ).flat();
  };

  test("shows every message within the window, or lists it as noise, for any history and strategy", async () => {
    const settings = fc.record({
      strategy: fc.constantFrom(...STRATEGIES.filter((name) => name !== "keypoints")),
      /** Tokens of the window that are left for messages. */
      roomTokens: fc.integer({ min: 300, max: 1_500 }),
      chunkTokens: fc.option(fc.integer({ min: 1, max: 1_500 }), { nil: 1_000_000 }),
      startFactor: fc.constantFrom(1, 1.25),
      long: fc.array(fc.integer({ min: 1, max: 2_000 }), { maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(histories({ maxTurns: 6 }), settings, async (history, setting) => {
        const { strategy, chunkTokens, startFactor } = setting;
        const { aUserMessage } = messageBuilder();
        const stretch = named([...history, ...setting.long.map((words) => aUserMessage("some words ".repeat(words)))]);
        const takenTokens = (strategy === "structured" ? 3_000 : 1_300) * startFactor;
        const info = { startFactor, windowTokens: Math.ceil(takenTokens + setting.roomTokens) };
        const { outcome, requests } = await summarize(stretch, { info, options: { strategy, chunkTokens } });
        if (outcome.type === "failed") {
          expect(outcome).toMatchObject({ kind: "unavailable", origin: { calls: 0 } });
          expect(outcome.reason).toMatch(/nothing to summarize|would take \d+ requests/);
          return;
        }
        const { noiseIds, trimmedIds, cuts, chunks, calls } = outcome.origin;
        const shown: readonly (MessageId | undefined)[] = namesIn(requests).map((index) => stretch[index]?.id);
        expect([...shown, ...noiseIds].toSorted()).toEqual(stretch.map(({ id }) => id).toSorted());
        expect(trimmedIds).toEqual([]);
        for (const { messageId } of cuts) expect(shown).toContain(messageId);
        expect([chunks, calls]).toEqual([requests.length, requests.length]);
        for (const request of requests) {
          expect(sizeOf(request) * startFactor + request.maxOutputTokens).toBeLessThanOrEqual(info.windowTokens);
        }
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  test("shows every message once and in order if the strategy sends messages instead of a transcript", async () => {
    const { outcome, requests } = await summarize(chat(40), { options: { strategy: "keypoints", chunkTokens: 500 } });
    expect(outcome.type).toBe("summary");
    expect(requests.length).toBeGreaterThan(5);
    const questions = requests.flatMap((request) =>
      [...textOf(request).matchAll(/Question (\d+)\?/g)].map(([, turn]) => Number(turn)),
    );
    expect(questions).toEqual(Array.from({ length: 40 }, (_, turn) => turn));
  });

  test("includes the summary so far in each further request, with a new nonce", async () => {
    const previous = { text: "It began with src/ledger.ts.", depth: 1, coverage: { count: 7 } };
    const { requests } = await summarize(chat(12), {
      options: { chunkTokens: 500 },
      request: { previous: previous as SummaryRequest["previous"] },
      answer: (_, index) => ({ ...fine, text: `The text after piece ${index}.` }),
    });
    expect(requests.length).toBeGreaterThan(2);
    for (const [index, request] of requests.entries()) {
      const before = index === 0 ? "It began with src/ledger.ts." : `The text after piece ${index - 1}.`;
      expect(textOf(request)).toMatch(new RegExp(`^Previous summary: <previous-summary-\\w+>\\n${before}\\n</`));
    }
    const nonces = requests.map((request) => /<conversation-(\w+)>/.exec(textOf(request))?.[1]);
    expect(nonces[0]).toBe("k3j9x0q2");
    expect(new Set(nonces).size).toBe(requests.length);
  });

  test("merges the lists of all chunks, and returns the text and key points of the last chunk", async () => {
    const answer = (_: ModelRequest, index: number): ModelOutcome => {
      const context = { decisions: ["keep SQLite", `decision ${index}`], actionItems: [{ task: "tell Ana" }] };
      return { ...fine, text: JSON.stringify({ summary: `Piece ${index}.`, keyPoints: [`point ${index}`], context }) };
    };
    const { outcome, requests } = await summarize(chat(10), {
      options: { strategy: "structured", chunkTokens: 700 },
      answer,
    });
    const last = requests.length - 1;
    expect(last).toBeGreaterThan(0);
    expect(outcome).toMatchObject({
      text: `Piece ${last}.`,
      keyPoints: [`point ${last}`],
      facets: {
        decisions: ["keep SQLite", ...requests.map((_, index) => `decision ${index}`)],
        actionItems: [{ task: "tell Ana" }],
      },
    });
    expect(textOf(requests[1] as ModelRequest)).toContain("Piece 0.\n- point 0");
  });

  test("splits a round only if it does not fit into a chunk, and then between messages", async () => {
    const { aRound, aUserMessage } = messageBuilder();
    const rounds = Array.from({ length: 8 }, (_, index) =>
      aRound([{ callId: `c${index}`, tool: `tool${index}`, output: "x ".repeat(200) }], { text: "I look." }),
    );
    const apart = Array.from({ length: 6 }, (_, index) => ({ callId: `p${index}`, output: "y ".repeat(400) }));
    const stretch = named([aUserMessage("Go."), ...rounds.flat(), ...aRound(apart, { apart: true })]);
    const { outcome, requests } = await summarize(stretch, { options: { chunkTokens: 700 } });
    expect(outcome.origin.cuts).toEqual([]);
    const pieces = requests.map((request) => namesIn([request]));
    for (const [index] of rounds.entries()) {
      const holding = pieces.filter((piece) => piece.includes(1 + 2 * index) || piece.includes(2 + 2 * index));
      expect(holding).toHaveLength(1);
    }
    expect(pieces.flat()).toEqual(stretch.map((_, index) => index));
  });

  test("cuts the middle of a message that is larger than a chunk, with a marker, and records the cut", async () => {
    const { aUserMessage } = messageBuilder();
    const long = aUserMessage(`THE BEGINNING ${"word ".repeat(5_000)}THE END`);
    const { outcome, requests } = await summarize([aUserMessage("Before."), long, aUserMessage("After.")], {
      options: { chunkTokens: 1_000 },
    });
    expect(requests).toHaveLength(3);
    const text = textOf(requests[1] as ModelRequest);
    expect(text).toContain("THE BEGINNING");
    expect(text).toContain("THE END");
    const { charactersBefore = 0, charactersAfter = 0 } = outcome.origin.cuts[0] ?? {};
    expect(outcome.origin.cuts).toEqual([{ messageId: long.id, charactersBefore, charactersAfter }]);
    expect(charactersBefore).toBe(25_021);
    expect(charactersAfter).toBeGreaterThan(3_000);
    expect(text).toContain(`cut here: ${charactersBefore - charactersAfter} of 25021 characters of this message`);
  });

  test("stops at a chunk whose answer is a refusal, and counts its cost", async () => {
    const usage = { inputTokens: 10, outputTokens: 2 };
    const { outcome, requests } = await summarize(chat(12), {
      options: { chunkTokens: 500 },
      answer: (_, index) => ({ ...fine, usage, text: index === 1 ? "I'm sorry, but I can't help with that." : TEXT }),
    });
    expect(requests).toHaveLength(2);
    expect(outcome).toMatchObject({ type: "failed", kind: "refused" });
    expect(outcome.origin).toMatchObject({ calls: 2, usage: { inputTokens: 20, outputTokens: 4 } });
  });

  test("repeats a chunk with the simple handoff if the full one gives no summary, and counts the chunk once", async () => {
    const stretch = named(chat(12));
    const { outcome, requests } = await summarize(stretch, {
      options: { strategy: "handoff-full", chunkTokens: 500 },
      answer: (_, index) => ({ ...fine, text: index === 1 ? "1. Request: none\n2. State: none" : TEXT }),
    });
    expect(outcome).toMatchObject({ type: "summary", origin: { strategy: "handoff-simple", calls: requests.length } });
    expect(outcome.origin.chunks).toBe(requests.length - 1);
    const partRequests = requests.filter((_, index) => index !== 1);
    expect(namesIn(partRequests)).toEqual(stretch.map((_, index) => index));
  });

  test("sends nothing if more than 64 requests would be needed", async () => {
    const { outcome, requests } = await summarize(chat(300), { options: { chunkTokens: 100 } });
    expect(requests).toEqual([]);
    expect(outcome).toMatchObject({ kind: "unavailable", origin: { calls: 0, request: "none" } });
  });

  test("sends nothing if the window leaves no room for messages", async () => {
    const { outcome, requests } = await summarize(chat(2), { info: { windowTokens: 500 } });
    expect(requests).toEqual([]);
    expect(outcome).toMatchObject({ type: "failed", kind: "unavailable" });
  });

  test("halves a chunk that the provider finds too large, up to four times", async () => {
    const overflow: ModelOutcome = { type: "overflow", reason: "too long" };
    const limited = (most: number) => (request: ModelRequest) => (sizeOf(request) > most ? overflow : fine);
    const stretch = named(chat(40));
    const { outcome, requests } = await summarize(stretch, { answer: limited(2_000) });
    expect(outcome).toMatchObject({ type: "summary", origin: { calls: requests.length } });
    const answered = requests.filter((request) => sizeOf(request) <= 2_000);
    expect(requests.length - answered.length).toBeLessThanOrEqual(4);
    expect(requests.length - answered.length).toBeGreaterThan(0);
    expect(namesIn(answered)).toEqual(stretch.map((_, index) => index));
    const hopeless = await summarize(chat(120), { answer: () => overflow });
    expect(hopeless.requests).toHaveLength(5);
    expect(hopeless.outcome).toMatchObject({
      kind: "unavailable",
      reason: "too long",
      origin: { calls: 5, chunks: 0 },
    });
  });

  test("leaves out and lists the oldest messages if only one request is allowed", async () => {
    for (const strategy of STRATEGIES) {
      const stretch = chat(60);
      const options = { strategy, chunked: false, chunkTokens: 1_000 };
      const { outcome, requests } = await summarize(stretch, { options });
      expect(requests, strategy).toHaveLength(1);
      const { trimmedIds } = outcome.origin;
      expect(trimmedIds.length, strategy).toBeGreaterThan(60);
      expect(trimmedIds, strategy).toEqual(stretch.slice(0, trimmedIds.length).map(({ id }) => id));
      expect(textOf(requests[0] as ModelRequest), strategy).toContain("Answer 59.");
    }
  });
});

describe("createModelSummarizer", () => {
  const stretch = messageBuilder().anExchange("Which port?", "4711.");

  test("sends nothing for a stretch without content", async () => {
    const silent = [messageBuilder().aSystemMessage("Mode: plan")];
    for (const messages of [[], silent]) {
      const { outcome, requests } = await summarize(messages);
      expect(outcome).toMatchObject({ kind: "unavailable", reason: "There is nothing to summarize." });
      expect(requests).toEqual([]);
    }
  });

  test("returns a failure if no model is given", async () => {
    const { outcome } = await summarize(stretch, { options: { models: [] } });
    expect(outcome).toMatchObject({ kind: "unavailable", reason: "No model is given." });
  });

  test("returns an aborted outcome if the caller aborts before the first call or during a call", async () => {
    expect((await summarize(stretch, { signal: AbortSignal.abort() })).outcome).toMatchObject({ kind: "aborted" });
    const controller = new AbortController();
    const { outcome, requests } = await summarize(
      Array.from({ length: 20 }, (_, turn) => messageBuilder().aUserMessage(`${turn} ${"why ".repeat(60)}`)),
      {
        signal: controller.signal,
        options: { chunkTokens: 300 },
        answer: () => {
          controller.abort();
          return fine;
        },
      },
    );
    expect(requests).toHaveLength(1);
    expect(outcome).toMatchObject({ kind: "aborted", origin: { calls: 1 } });
  });

  test("returns a failure if the model throws, and ignores an error of the listener", async () => {
    const throwing = (): never => {
      throw new Error("broken");
    };
    expect((await summarize(stretch, { answer: throwing })).outcome).toMatchObject({
      type: "failed",
      reason: "broken",
    });
    expect((await summarize(stretch, { options: { onCall: throwing } })).outcome).toMatchObject({ type: "summary" });
  });

  test("limits the output to what the model can write", async () => {
    const { requests } = await summarize(stretch, { info: { maxOutputTokens: 120 } });
    expect(requests[0]?.maxOutputTokens).toBe(120);
  });

  test("returns a failure for an answer that is only thinking, with its sanitized start", async () => {
    const { outcome } = await summarize(stretch, { answer: () => ({ ...fine, text: "<think>\u0007Let me see" }) });
    expect(outcome).toMatchObject({ kind: "validation", rawStart: "<think> Let me see" });
  });
});

describe("estimateCost", () => {
  const prices = { input: 2, output: 8, cacheRead: 0.2, cacheWrite: 2.5 };
  const summarizerOf = (given: Partial<ModelInfo>) =>
    createModelSummarizer({
      models: [{ model: recordingModel(answerAll).model, info: infoOf(given) }],
      strategy: "topic",
      clock: scriptedClock({ startMs: 0 }),
      sleep: async () => undefined,
      newNonce: () => "abcdefgh",
    });
  const requestOf = (characters: number) => ({
    stretch: [messageBuilder().aUserMessage("x".repeat(characters))],
    previous: undefined,
    capTokens: 1_000,
    counter: estimate,
  });

  test("returns input and output at the model's prices, and 0 without prices", () => {
    const cost = (1_500 + 10_000) * 2e-6 + 1_000 * 8e-6;
    expect(summarizerOf({ prices }).estimateCost(requestOf(40_000))).toBeCloseTo(cost, 9);
    expect(summarizerOf({}).estimateCost(requestOf(40_000))).toBe(0);
  });

  test("counts every chunk of a stretch that is larger than the window", () => {
    const whole = summarizerOf({ prices, windowTokens: 1_000_000 }).estimateCost(requestOf(400_000));
    const parted = summarizerOf({ prices, windowTokens: 12_500 }).estimateCost(requestOf(400_000));
    expect(parted).toBeCloseTo(whole + 9 * (1_500 + 1_000) * 2e-6 + 9 * 1_000 * 8e-6, 9);
  });
});
