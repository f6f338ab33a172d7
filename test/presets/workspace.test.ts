/**
 * The preset `workspace` as its document describes it: after the reply, a cheaper model looks for a change of topic.
 * Everything before it is dropped, or the stretch before the verbatim window becomes a summary, and the next request
 * uses the result. Both models are behind a real socket.
 */
import { createOpenAI } from "@ai-sdk/openai";
import { describe, expect, test } from "vitest";
import {
  applyCompaction,
  type CompactionEvent,
  type CompactionResult,
  onDocumentEvents,
} from "../../src/compat/documents/document-events.ts";
import type { JsonValue } from "../../src/core/message/json.ts";
import type { EngineEvents } from "../../src/engine/context/events.ts";
import type { Session } from "../../src/engine/session/session.ts";
import { openPalimpsest } from "../../src/index.ts";
import type { PolicyInput } from "../../src/policies/policy-input.ts";
import { PRESETS } from "../../src/policies/presets.ts";
import { shows } from "../../src/testing/shows.ts";
import type { ProviderScript } from "../support/scripted-provider.ts";
import { scriptedReplies as replies, type ScriptedReply } from "../support/scripted-provider-reply.ts";
import {
  askedOf,
  linesOf,
  type Play,
  type PlayOptions,
  playGeneration,
  playPreset,
  previewPrompt,
} from "./play-preset.ts";

const SUMMARY = "The ledger keeps one row for every invoice and closes at night.";
/** A claim that is not in the conversation. */
const INVENTED = "The ledger listens on port 4711.";
const NO_BOUNDARY = { boundary_index: null, boundary_reason: "one topic", confidence: 0.9, summary: "" };

/** The document's numbers scaled down, without the pause, so that a few exchanges are enough. */
const SMALL = {
  preset: "workspace",
  compaction_trigger_tokens: 1_200,
  verbatim_window_tokens: 400,
  summary_budget_tokens: 120,
  pauseMs: 0,
} as const satisfies PolicyInput;

const isDetecting = (asked: string): boolean => asked.includes("boundary_index");

/** Answers of the detector and of the summarizer. */
function scriptOf(boundary: JsonValue | ScriptedReply, summary: ScriptedReply = replies.text(SUMMARY)): ProviderScript {
  const isReply = typeof boundary === "object" && boundary !== null && "type" in boundary;
  const detected = isReply ? (boundary as ScriptedReply) : replies.json(boundary as JsonValue);
  return ({ body }) => (isDetecting(JSON.stringify(body)) ? detected : summary);
}

const FILLER = "the ledger keeps one row for every invoice and closes at night. ";

interface PlainMessage {
  readonly role: "user" | "assistant";
  readonly content: string;
}

/** An exchange of two messages, each of about thirteen tokens per repetition. */
const anExchange = (number: number, repeats = 5): readonly PlainMessage[] => [
  { role: "user", content: `Question ${number}: ${FILLER.repeat(repeats).trim()}` },
  { role: "assistant", content: `Answer ${number}: ${FILLER.repeat(repeats).trim()}` },
];

const exchanges = (count: number, repeats?: number): readonly PlainMessage[] =>
  Array.from({ length: count }, (_, index) => anExchange(index + 1, repeats)).flat();

interface Workspace extends Play {
  /** Calls of the document's callback, in order. */
  readonly received: readonly (readonly [name: string, requestId: string, event: CompactionEvent])[];
  readonly boundaries: readonly EngineEvents["topic-boundary"][];
}

async function play(options: Partial<PlayOptions> = {}): Promise<Workspace> {
  const played = await playPreset({ policy: SMALL, script: scriptOf(NO_BOUNDARY), ...options });
  const received: (readonly [string, string, CompactionEvent])[] = [];
  const boundaries: EngineEvents["topic-boundary"][] = [];
  onDocumentEvents(played.palimpsest, "workspace", (name, requestId, event) => {
    received.push([name, requestId, event]);
  });
  played.palimpsest.on("topic-boundary", (event) => boundaries.push(event));
  return { ...played, received, boundaries };
}

/** Appends everything in one call, as after a long answer, and waits for the background work. */
async function appendAll(session: Session, messages: readonly PlainMessage[]): Promise<void> {
  await session.append(messages);
  await session.settle();
}

const stagesOf = ({ received }: Workspace): readonly string[] => received.map(([, , event]) => event.stage);

function resultOf({ received }: Workspace): CompactionResult {
  const event = received.at(-1)?.[2];
  if (event?.stage !== "compaction_complete") throw new TypeError("The compaction is not complete.");
  return event;
}

/** Returns the role and text of every message that the model would get, to be compared byte by byte. */
const bytesOf = async (session: Session): Promise<string> => JSON.stringify((await previewPrompt(session)).messages);

const typesOf = async ({ entries }: Play): Promise<readonly string[]> =>
  (await entries()).map(({ type }) => type).filter((type) => type !== "message" && type !== "request");

const ACKNOWLEDGEMENT = "Understood. I have the summary of what came before and go on from there.";

describe("a due compaction", () => {
  test(
    shows(["S3-51", "S3-53", "S3-157"], "waits 500 ms after the reply, then starts, and applies to the next request"),
    async () => {
      await using stage = await play({ policy: { ...SMALL, pauseMs: 500 } });
      const { session, palimpsest } = stage;
      await session.append(exchanges(12).slice(0, -1));
      const starts: number[] = [];
      palimpsest.on("compaction-start", () => starts.push(performance.now()));
      const prompt = await session.prompt();
      const repliedAt = performance.now();
      await session.append(exchanges(12).slice(-1), { promptId: prompt.id });
      expect(stage.received).toEqual([]);
      const meanwhile = await previewPrompt(session);
      expect(linesOf(meanwhile)[0]).toMatch(/^user: Question 1:/);
      await session.settle();
      expect(starts).toHaveLength(1);
      // A timer may fire early, by less than its resolution.
      expect((starts[0] ?? 0) - repliedAt).toBeGreaterThan(495);
      expect(stage.eventsOf("compaction")).toMatchObject([{ phase: "post-response" }]);
      expect(linesOf(await previewPrompt(session))[0]).toMatch(/^user: \[History Summary\]/);
    },
  );

  test(shows(["S3-67", "S3-140"], "does not start at the trigger, and starts one token above it"), async () => {
    await using probe = await play({ policy: { ...SMALL, compaction_trigger_tokens: 1_000_000 } });
    await appendAll(probe.session, exchanges(12));
    const { historyTokens } = await probe.session.budget();
    await using below = await play({ policy: { ...SMALL, compaction_trigger_tokens: historyTokens } });
    await appendAll(below.session, exchanges(12));
    expect(below.received).toEqual([]);
    expect(below.provider.requests).toEqual([]);
    expect(await typesOf(below)).toEqual([]);
    await using above = await play({ policy: { ...SMALL, compaction_trigger_tokens: historyTokens - 1 } });
    await appendAll(above.session, exchanges(12));
    expect(stagesOf(above)).toEqual(["compaction_start", "compaction_complete"]);
  });

  test(shows(["S3-135", "X-20"], "never runs when it is turned off, even if the history is large"), async () => {
    await using stage = await play({ policy: { ...SMALL, enabled: false }, windowTokens: 2_000, reserveTokens: 0 });
    const { session } = stage;
    await appendAll(session, exchanges(40));
    const prompt = await playGeneration(session, { question: "And now?", answer: "Nothing." });
    expect(prompt.report.tokens).toBeLessThanOrEqual(prompt.report.limitTokens);
    expect(stage.received).toEqual([]);
    expect(stage.provider.requests).toEqual([]);
    expect(await typesOf(stage)).toEqual([]);
  });

  test(
    shows(
      ["S3-5", "S3-139", "S3-142"],
      "needs a model; whether it is due can be read without one, and a model can be added later",
    ),
    async () => {
      await using stage = await play();
      const alone = await openPalimpsest({ store: stage.store, windowTokens: 200_000, policy: SMALL });
      const session = await alone.session("ledger");
      await appendAll(session, exchanges(12));
      expect(await session.compactionStatus()).toMatchObject({ enabled: true, triggerTokens: 1_200 });
      expect(await session.budget()).toMatchObject({ needsSummary: true });
      expect(linesOf(await previewPrompt(session))).toHaveLength(24);
      const later = await stage.palimpsest.session("ledger");
      await appendAll(later, anExchange(13));
      expect(await later.budget()).toMatchObject({ needsSummary: false });
      expect(linesOf(await previewPrompt(later))[0]).toMatch(/^user: \[History Summary\]/);
    },
  );
});

describe("a compaction", () => {
  test(
    shows(
      ["S3-52", "S3-59", "S3-130", "S3-136", "S3-55", "S3-56", "S3-57"],
      "with the document's numbers folds everything before the newest 4000 tokens into at most 500",
    ),
    async () => {
      await using stage = await play({ policy: "workspace" });
      const { session, provider } = stage;
      await session.append(exchanges(180).slice(0, -1));
      expect(await session.compactionStatus()).toMatchObject({ enabled: true, triggerTokens: 24_000 });
      const { historyTokens } = await session.budget();
      expect(historyTokens).toBeGreaterThan(24_000);
      await session.append(exchanges(180).slice(-1));
      await session.settle();
      expect(askedOf(provider).map(isDetecting)).toEqual([true, false]);
      const lines = linesOf(await previewPrompt(session));
      expect(lines[0]).toBe(`user: [History Summary]\n${stage.eventsOf("compaction")[0]?.record?.text}`);
      expect(lines[0]).toContain(SUMMARY);
      expect(lines[1]).toBe(`assistant: ${ACKNOWLEDGEMENT}`);
      const tail = lines.slice(2);
      expect(tail).toEqual(
        exchanges(180)
          .slice(-tail.length)
          .map(({ role, content }) => `${role}: ${content}`),
      );
      const shown = (await session.plan()).runs.filter(({ fate }) => fate === "verbatim");
      const tailTokens = shown.reduce((sum, { tokens }) => sum + tokens, 0);
      expect(tailTokens).toBeLessThanOrEqual(4_000);
      expect(tailTokens + tailTokens / tail.length).toBeGreaterThan(4_000);
      const [version] = await session.getSummaryHistory();
      expect(version?.record.coverage).toMatchObject({ count: 360 - tail.length });
      expect(version?.record.tokensAfter).toBeLessThanOrEqual(500);
    },
  );

  test(
    shows(
      ["S3-68", "S3-134", "C-20"],
      "keeps as many messages as needed for two user messages after the summary's pair",
    ),
    async () => {
      await using stage = await play();
      // One of these messages is larger than the window of 400 tokens.
      await appendAll(stage.session, [...exchanges(8), ...anExchange(9, 40), ...anExchange(10, 40)]);
      const shown = linesOf(await previewPrompt(stage.session));
      expect(shown[0]).toBe(`user: [History Summary]\n${stage.eventsOf("compaction")[0]?.record?.text}`);
      expect(shown[1]).toBe(`assistant: ${ACKNOWLEDGEMENT}`);
      const lines = shown.map((line) => line.slice(0, 26));
      expect(lines).toEqual([
        "user: [History Summary]\nTh",
        "assistant: Understood. I h",
        "user: Question 9: the ledg",
        "assistant: Answer 9: the l",
        "user: Question 10: the led",
        "assistant: Answer 10: the ",
      ]);
    },
  );

  test(
    shows(
      ["S3-65", "S3-137", "S3-72"],
      "drops everything before a boundary in the window with a confidence of at least 0.5",
    ),
    async () => {
      await using stage = await play({ script: scriptOf({ ...NO_BOUNDARY, boundary_index: 20, confidence: 0.5 }) });
      await appendAll(stage.session, exchanges(12));
      expect(askedOf(stage.provider).map(isDetecting)).toEqual([true]);
      expect(resultOf(stage)).toMatchObject({ case: "truncate" });
      expect(resultOf(stage)).not.toHaveProperty("summary");
      const lines = linesOf(await previewPrompt(stage.session));
      expect(lines.at(0)).toMatch(/^user: \[.*20 .*messages/s);
      expect(lines.slice(1).map((line) => line.split(":")[1])).toEqual([
        " Question 11",
        " Answer 11",
        " Question 12",
        " Answer 12",
      ]);
      expect(await typesOf(stage)).toEqual(["truncate"]);
    },
  );

  test(shows("S3-65", "drops the previous summary if the boundary is after it"), async () => {
    const answers = [NO_BOUNDARY, { ...NO_BOUNDARY, boundary_index: 18, confidence: 0.8 }];
    let asked = 0;
    await using stage = await play({
      script: ({ body }) => {
        if (!isDetecting(JSON.stringify(body))) return replies.text(SUMMARY);
        asked += 1;
        return replies.json(answers[asked - 1] ?? NO_BOUNDARY);
      },
    });
    await appendAll(stage.session, exchanges(12));
    expect(linesOf(await previewPrompt(stage.session))[0]).toContain("[History Summary]");
    await appendAll(stage.session, exchanges(8));
    expect(resultOf(stage)).toMatchObject({ case: "truncate" });
    expect(linesOf(await previewPrompt(stage.session)).join("\n")).not.toContain("History Summary");
    expect(asked).toBe(2);
  });

  test(shows(["S3-68", "S3-134"], "keeps the last two user messages even if the boundary is after them"), async () => {
    await using stage = await play({ script: scriptOf({ ...NO_BOUNDARY, boundary_index: 23, confidence: 1 }) });
    await appendAll(stage.session, exchanges(12));
    const lines = linesOf(await previewPrompt(stage.session)).filter((line) => line.startsWith("user: Question"));
    expect(lines.map((line) => line.split(":")[1])).toEqual([" Question 11", " Question 12"]);
  });

  test.each([
    ["below the minimum confidence", { boundary_index: 20, confidence: 0.49 }],
    ["before the window", { boundary_index: 6, confidence: 0.99 }],
    ["absent", { boundary_index: null, confidence: 0.9 }],
  ])(shows(["S3-66", "S3-138", "S3-130"], "summarizes if the boundary is %s"), async (_, boundary) => {
    await using stage = await play({ script: scriptOf({ ...NO_BOUNDARY, ...boundary }) });
    await appendAll(stage.session, exchanges(12));
    expect(resultOf(stage)).toMatchObject({ case: "summarize", boundary });
    expect(await typesOf(stage)).toEqual(["summary"]);
  });

  test.each<readonly [string, ScriptedReply]>([
    ["fails", replies.unauthorised()],
    ["refuses", replies.refusal()],
    ["answers in prose", replies.text("I would not know.")],
    ["calls a tool", replies.toolCall("read_file", {})],
  ])(
    shows(["S3-126", "S3-64", "X-20"], "summarizes when the detector %s, and code searches for no boundary"),
    async (_, reply) => {
      await using stage = await play({ script: scriptOf(reply) });
      const turned = [
        ...exchanges(10),
        { role: "user", content: "New task: let us now turn to the login page." } as const,
      ];
      await appendAll(stage.session, [...turned, { role: "assistant", content: "Which one?" }]);
      expect(stage.boundaries).toMatchObject([{ index: undefined, confidence: 0, detector: "model" }]);
      expect(resultOf(stage)).toMatchObject({ case: "summarize" });
    },
  );

  test(
    shows(["S3-60", "S3-125"], "calls the cheaper model for the boundary and the preferred one for the summary"),
    async () => {
      const policy = { ...SMALL, summary: { modelPreference: ["gpt-4.1"] } };
      await using stage = await play({
        policy,
        script: scriptOf({ ...NO_BOUNDARY, boundary_index: 3, confidence: 0.7 }),
        summarizer: (url) => {
          const openai = createOpenAI({ baseURL: `${url}/v1`, apiKey: "test-key" });
          return [openai.chat("gpt-4.1"), openai.chat("gpt-4.1-mini")];
        },
      });
      await appendAll(stage.session, exchanges(12));
      expect(stage.provider.requests.map(({ body }) => body.model)).toEqual(["gpt-4.1-mini", "gpt-4.1"]);
      expect(stage.boundaries).toMatchObject([{ index: 3, confidence: 0.7, model: "gpt-4.1-mini", calls: 1 }]);
    },
  );

  test(
    shows(["S3-158", "S3-61"], "reads the newest 50 messages for the boundary, and the whole stretch for the summary"),
    async () => {
      const detected = { ...NO_BOUNDARY, boundary_index: 60, confidence: 0.9, summary: "The detector's own words." };
      await using stage = await play({ script: scriptOf(detected) });
      await appendAll(stage.session, exchanges(60));
      const [detecting = "", summarising = ""] = askedOf(stage.provider);
      expect(detecting).toContain("[70] USER: Question 36:");
      expect(detecting).not.toContain("Question 35:");
      for (const number of [1, 20, 35, 50]) expect(summarising).toContain(`Question ${number}:`);
      const shown = linesOf(await previewPrompt(stage.session)).join("\n");
      expect(shown).toContain(SUMMARY);
      expect(shown).not.toContain("The detector's own words.");
    },
  );

  test(
    shows(
      "X-20",
      "calls the model once, prunes nothing, and runs even if the cache is warm and it does not pay for itself",
    ),
    async () => {
      const policy = { ...SMALL, summary_budget_tokens: 60 };
      await using stage = await play({ policy });
      const call = { type: "tool-call", toolCallId: "c1", toolName: "read_file", input: { path: "src/ledger.ts" } };
      const output = { type: "text", value: FILLER.repeat(25) };
      const result = { type: "tool-result", toolCallId: "c1", toolName: "read_file", output };
      await stage.session.append([
        { role: "user", content: "Read src/ledger.ts; it must stay under 4711 lines." },
        { role: "assistant", content: [call] },
        { role: "tool", content: [result] },
        { role: "assistant", content: "Read." },
      ]);
      await appendAll(stage.session, exchanges(4));
      expect(stage.received).toEqual([]);
      await playGeneration(stage.session, { question: "Go on?", answer: FILLER.repeat(20) });
      const written = stage.eventsOf("compaction").at(-1);
      expect(written?.steps).toEqual(["summarise"]);
      expect(written?.gate).toMatchObject({ acts: false, isCold: false });
      expect(written?.attempts.map(({ calls }) => calls)).toEqual([1]);
      // Code restores facts that the model forgot, within the cap.
      expect(written?.record?.text).toContain("4711");
      expect(written?.record?.tokensAfter).toBeLessThanOrEqual(60);
      expect((await typesOf(stage)).every((type) => type === "summary")).toBe(true);
    },
  );
});

test(
  shows(
    "X-20",
    "no preset has a gate, prunes first or prepares summaries in the background, and only workspace finds topics",
  ),
  () => {
    for (const preset of Object.values(PRESETS)) {
      expect(preset).toMatchObject({ gate: false, pruneFirst: false });
      expect(preset.background).toBeUndefined();
      expect(preset.topics.mode).toBe(preset.name === "workspace" ? "first" : "off");
      expect(preset.topics.detector).toBe("model");
    }
  },
);

describe("the report of a compaction", () => {
  test(
    shows(
      ["S3-70", "S3-71", "S3-72", "S3-75", "C-21"],
      "arrives at the start and at the end through one callback, with the answered request, case and messages",
    ),
    async () => {
      await using stage = await play();
      await stage.session.append(exchanges(8));
      const prompt = await playGeneration(stage.session, { question: "Go on?", answer: FILLER.repeat(20) });
      const names = stage.received.map(([name, requestId, { stage: at }]) => [name, requestId, at]);
      expect(names).toEqual([
        ["compactionEvent", prompt.id, "compaction_start"],
        ["compactionEvent", prompt.id, "compaction_complete"],
      ]);
      expect(stage.received.at(-2)?.[2]).toEqual({ stage: "compaction_start", message: "Compacting..." });
      const result = resultOf(stage);
      if (result.case === "none") throw new TypeError("Nothing was compacted.");
      expect(result).toMatchObject({
        case: "summarize",
        summary: stage.eventsOf("compaction").at(-1)?.record?.text,
        boundary: { boundary_index: null, boundary_reason: "one topic", confidence: 0.9 },
      });
      const lines = result.messages.map(({ role, content }) => `${role}: ${content}`);
      expect(lines).toEqual(linesOf(await previewPrompt(stage.session)));
    },
  );

  test(
    shows(
      ["S3-73", "S3-133", "X-22"],
      "is an error, with the history unchanged, if no summary was written; the engine tries again after the next reply",
    ),
    async () => {
      let isDown = true;
      await using stage = await play({
        script: ({ body }) => {
          if (isDetecting(JSON.stringify(body))) return replies.json(NO_BOUNDARY);
          return isDown ? replies.unauthorised() : replies.text(SUMMARY);
        },
      });
      await appendAll(stage.session, exchanges(12));
      expect(stagesOf(stage)).toEqual(["compaction_start", "compaction_error"]);
      expect(stage.received.at(-1)?.[2]).toMatchObject({ error: expect.stringMatching(/401|key/i) });
      expect(await typesOf(stage)).toEqual([]);
      expect(linesOf(await previewPrompt(stage.session))).toEqual(
        exchanges(12).map(({ role, content }) => `${role}: ${content}`),
      );
      isDown = false;
      await appendAll(stage.session, anExchange(13));
      expect(stagesOf(stage).slice(2)).toEqual(["compaction_start", "compaction_complete"]);
    },
  );

  test(shows("S3-73", "is an error when no claim of a summary has a source"), async () => {
    await using stage = await play({ script: scriptOf(NO_BOUNDARY, replies.text(INVENTED)) });
    await appendAll(stage.session, exchanges(12));
    expect(stagesOf(stage)).toEqual(["compaction_start", "compaction_error"]);
    expect(stage.eventsOf("summary")).toMatchObject([{ outcome: "rejected", rule: "unsupported" }]);
    expect(linesOf(await previewPrompt(stage.session))).toHaveLength(24);
  });

  test(shows(["S3-74", "S3-133"], "has the case none if nothing can be made smaller"), async () => {
    await using stage = await play();
    const history = [...anExchange(1, 40), ...anExchange(2, 40)];
    await appendAll(stage.session, history);
    expect(stage.received.map(([, , event]) => event)).toEqual([
      { stage: "compaction_start", message: "Compacting..." },
      { stage: "compaction_complete", case: "none" },
    ]);
    expect(applyCompaction(history, resultOf(stage))).toBe(history);
    expect(linesOf(await previewPrompt(stage.session))).toHaveLength(4);
  });

  test.each([
    ["truncate", { ...NO_BOUNDARY, boundary_index: 20 }],
    ["summarize", NO_BOUNDARY],
  ])(
    shows(
      ["S3-132", "S3-136", "C-21"],
      "returns a result for the case %s, and fewer messages are left when it is applied",
    ),
    async (kind, boundary) => {
      await using stage = await play({ script: scriptOf(boundary) });
      const history = exchanges(12);
      await appendAll(stage.session, history);
      const after = applyCompaction(history, resultOf(stage));
      expect(after.length).toBeLessThan(history.length);
      expect(after.some(({ content }) => content.startsWith("[History Summary]"))).toBe(kind === "summarize");
      expect(after.slice(-4)).toEqual(history.slice(-4));
    },
  );

  test(shows("C-22", "has a status of four figures, and the used share falls with a compaction"), async () => {
    await using stage = await play();
    await stage.session.append(exchanges(12).slice(0, -1));
    const before = await stage.session.compactionStatus();
    expect(before).toMatchObject({ enabled: true, triggerTokens: 1_200 });
    expect(before.percent).toBeCloseTo((before.currentTokens / 1_200) * 100, 0);
    await appendAll(stage.session, exchanges(12).slice(-1));
    const after = await stage.session.compactionStatus();
    expect(after.currentTokens).toBeLessThan(before.currentTokens);
    expect(after.percent).toBeLessThan(100);
  });
});

describe("a committed compaction", () => {
  test(shows("S3-69", "moves the prefix once, and the change list names the first section"), async () => {
    await using stage = await play();
    await stage.session.append(exchanges(8));
    const received: string[] = [];
    stage.palimpsest.on("compaction", () => received.push("compaction"));
    stage.palimpsest.on("prompt", () => received.push("prompt"));
    await playGeneration(stage.session, { question: "Go on?", answer: FILLER.repeat(20) });
    const moved = await playGeneration(stage.session, { question: "And then?", answer: "Go on." });
    const stays = await playGeneration(stage.session, { question: "And then?", answer: "Go on." });
    expect(received).toEqual(["prompt", "compaction", "prompt", "prompt"]);
    expect(moved.report.changes[0]).toMatchObject({ section: "summary" });
    expect(stays.report.changes).toEqual([]);
  });

  test(shows("S3-51", "leaves the same bytes after a restart, without another request"), async () => {
    await using stage = await play();
    await appendAll(stage.session, exchanges(12));
    const asked = stage.provider.requests.length;
    const again = await stage.openAgain();
    const reopened = await again.session(stage.session.id);
    expect(await bytesOf(reopened)).toBe(await bytesOf(stage.session));
    expect(linesOf(await previewPrompt(reopened))[0]).toContain(SUMMARY);
    expect(stage.provider.requests).toHaveLength(asked);
  });

  test(shows("S3-52", "keeps every message in the log verbatim"), async () => {
    await using stage = await play();
    await appendAll(stage.session, exchanges(12));
    const appended = (await stage.entries()).flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
    expect(appended).toHaveLength(24);
    const [version] = await stage.session.getSummaryHistory();
    const { messages } = await stage.session.expand(version?.record.id ?? "");
    expect(messages).toEqual(appended.slice(0, messages.length));
  });
});
