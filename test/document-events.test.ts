/** Events under the documents' own names; every start is followed by an end. */
import { describe, expect, test } from "vitest";
import { onDocumentEvents, type RatioChainEvents } from "../src/compat/documents/document-events.ts";
import { openPalimpsest } from "../src/compose.ts";
import { PalimpsestError } from "../src/core/errors.ts";
import type { EngineEvents } from "../src/engine/context/events.ts";
import { collectSummaryFigures } from "../src/engine/context/summary-figures.ts";
import type { Session } from "../src/engine/session/session.ts";
import type { AppendBatch, Store, TenantStore } from "../src/ports/store.ts";
import { createMemoryStore } from "../src/stores/memory/memory-store.ts";
import { shows } from "../src/testing/shows.ts";
import { type Play, type PlayOptions, playPreset } from "./presets/play-preset.ts";
import type { ProviderScript } from "./support/scripted-provider.ts";
import { scriptedReplies as replies } from "./support/scripted-provider-reply.ts";

const SENTENCE = "the ledger keeps one row for every invoice and closes at night. ";
const SUMMARY = "The ledger keeps one row for every invoice and closes at night.";
const STRUCTURED = {
  summary: SUMMARY,
  keyPoints: [],
  context: { participants: [], decisions: [], actionItems: [], unresolved: [], domainEntities: [] },
};

const exchanges = (count: number) =>
  Array.from({ length: count }, (_, index) => [
    { role: "user", content: `Question ${index}: ${SENTENCE.repeat(5)}` },
    { role: "assistant", content: `Answer ${index}: ${SENTENCE.repeat(5)}` },
  ]).flat();

const RATIO_CHAIN = { policy: "ratio-chain", windowTokens: 2_000, reserveTokens: 0 } as const satisfies PlayOptions;
const AGENT_ROUNDS = { policy: "agent-rounds", windowTokens: 2_000, reserveTokens: 0 } as const satisfies PlayOptions;

const UNAUTHORISED: ProviderScript = () => replies.unauthorised();

/** A turn of many tool rounds, which overflows the prompt. */
async function appendRounds(session: Session, count: number): Promise<void> {
  await session.append({ role: "user", content: "Go through the ledger." });
  for (let round = 0; round < count; round += 1) {
    const call = { toolCallId: `c${round}`, toolName: "read_file" };
    const output = { type: "text", value: `${round}: ${SENTENCE.repeat(14)}` };
    await session.append([
      { role: "assistant", content: [{ type: "tool-call", ...call, input: { path: "ledger.md" } }] },
      { role: "tool", content: [{ type: "tool-result", ...call, output }] },
    ]);
  }
}

describe("agent-rounds", () => {
  const listen = (stage: Play) => {
    const received: unknown[] = [];
    onDocumentEvents(stage.palimpsest, "agent-rounds", (name, requestId, event) =>
      received.push([name, requestId, event]),
    );
    return received;
  };

  test(shows("S2-3", "reports progress before the summary, and the summary with its round"), async () => {
    await using stage = await playPreset({ ...AGENT_ROUNDS, script: () => replies.text(SUMMARY) });
    const received = listen(stage);
    await appendRounds(stage.session, 9);
    const prompt = await stage.session.prompt();
    const { summary } = prompt.report;
    expect(received).toMatchObject([
      ["progress", stage.session.id, { message: "Summarizing conversation history..." }],
      [
        "summarizedConversationHistory",
        stage.session.id,
        { outcome: "success", model: "gpt-4.1-mini", toolCallRoundId: summary?.toolCallRoundId },
      ],
    ]);
    expect(summary?.text).toContain(SUMMARY);
  });

  test(
    shows(["S2-3", "S2-44"], "emits both events of a failure when no summarizer succeeded, and returns a prompt"),
    async () => {
      await using stage = await playPreset({ ...AGENT_ROUNDS, script: UNAUTHORISED });
      const received = listen(stage);
      await appendRounds(stage.session, 9);
      const prompt = await stage.session.prompt();
      expect(prompt.report.tokens).toBeLessThanOrEqual(prompt.report.limitTokens);
      expect(received).toMatchObject([
        ["progress", stage.session.id, {}],
        ["summarizedConversationHistory", stage.session.id, { outcome: stage.eventsOf("summary")[0]?.rule }],
        ["triggerSummarizeFailed", stage.session.id, { reason: expect.any(String) }],
      ]);
    },
  );
});

describe("ratio-chain", () => {
  const listen = (stage: Play) => {
    const received: { [Name in keyof RatioChainEvents]: RatioChainEvents[Name][] } = {
      summarization: [],
      debug: [],
      diagnostic: [],
    };
    onDocumentEvents(stage.palimpsest, "ratio-chain", (name, _, event) => {
      // The name determines the type of the event.
      if (name === "summarization") received.summarization.push(event);
      else if (name === "debug") received.debug.push(event);
      else received.diagnostic.push(event);
    });
    return received;
  };

  test(
    shows(["S4-57", "S4-80", "S4-81"], "reports every summary with its figures, and writes the same to a debug log"),
    async () => {
      await using stage = await playPreset({ ...RATIO_CHAIN, script: () => replies.json(STRUCTURED) });
      const received = listen(stage);
      await stage.session.append(exchanges(11));
      await stage.session.prompt();
      const [written] = stage.eventsOf("compaction");
      const { record, tokensBefore, tokensAfter, reason } = written ?? {};
      const ratio = (tokensBefore ?? 0) / 2_000;
      expect(received.summarization).toEqual([{ reason, depth: 0, tokensBefore, ratio: expect.closeTo(ratio, 2) }]);
      expect(received.debug).toEqual([
        {
          depth: 0,
          compressedMessages: record?.messageIds.length,
          ratioBefore: received.summarization[0]?.ratio,
          estimateAfter: tokensAfter,
        },
      ]);
      expect(received.diagnostic).toEqual([]);
      expect(record?.messageIds).toHaveLength(16);
    },
  );

  test(
    shows(["S4-52", "S4-51"], "emits a diagnostic event with the start of a useless answer, if nothing was changed"),
    async () => {
      await using stage = await playPreset({ ...RATIO_CHAIN, script: () => replies.text("No { JSON at all") });
      const received = listen(stage);
      await stage.session.append(exchanges(11));
      const before = (await stage.entries()).length;
      await stage.session.prompt();
      expect(received.summarization).toEqual([]);
      expect(received.diagnostic).toMatchObject([
        { attempts: [{ outcome: "failed", rule: "validation", calls: 1, rawStart: "No { JSON at all" }] },
      ]);
      expect((await stage.entries()).slice(before).map(({ type }) => type)).toEqual(["request"]);
    },
  );

  test(shows("S4-82", "adds up the successes and durations of summaries"), async () => {
    let asked = 0;
    const script: ProviderScript = () => {
      asked += 1;
      stage.clock.advance(asked === 1 ? 300 : 100);
      return asked === 1 ? replies.text("No JSON") : replies.json(STRUCTURED);
    };
    await using stage = await playPreset({ ...RATIO_CHAIN, script });
    const figures = collectSummaryFigures(stage.palimpsest);
    expect(figures.read()).toMatchObject({ written: 0, failed: 0, successRate: undefined, meanMs: undefined });
    await stage.session.append(exchanges(11));
    await stage.session.prompt();
    await stage.session.prompt();
    expect(figures.read()).toMatchObject({
      written: 1,
      failed: 1,
      successRate: 0.5,
      calls: 2,
      meanMs: 200,
      longestMs: 300,
    });
    figures.stop();
    await stage.session.append(exchanges(11));
    await stage.session.prompt();
    expect(figures.read()).toMatchObject({ written: 1, calls: 2 });
  });
});

describe("a compaction that has started", () => {
  interface CompactionEvents {
    readonly starts: EngineEvents["compaction-start"][];
    readonly ends: EngineEvents["compaction-end"][];
  }
  const listen = ({ palimpsest }: Pick<Play, "palimpsest">): CompactionEvents => {
    const received: CompactionEvents = { starts: [], ends: [] };
    palimpsest.on("compaction-start", (event) => received.starts.push(event));
    palimpsest.on("compaction-end", (event) => received.ends.push(event));
    return received;
  };

  test("is reported as failed if the policy requires a summary", async () => {
    const policy = { preset: "ratio-chain", abortOnFailure: true } as const;
    await using stage = await playPreset({ ...RATIO_CHAIN, policy, script: UNAUTHORISED });
    const received = listen(stage);
    await stage.session.append(exchanges(11));
    await expect(stage.session.prompt()).rejects.toMatchObject({ code: "summarizer-failed" });
    expect(received.starts).toMatchObject([{ policy: "ratio-chain", promptId: undefined }]);
    expect(received.ends).toMatchObject([{ outcome: "failed", attempts: [{ outcome: "failed", calls: 1 }] }]);
  });

  test("is reported as failed if nothing fits", async () => {
    await using stage = await playPreset({ ...RATIO_CHAIN, windowTokens: 300, script: UNAUTHORISED });
    const received = listen(stage);
    await stage.session.append(exchanges(11));
    const instructions = SENTENCE.repeat(40);
    await expect(stage.session.prompt({ instructions })).rejects.toMatchObject({ code: "does-not-fit" });
    expect(received.starts.length).toBeGreaterThan(0);
    expect(received.ends.map(({ outcome }) => outcome)).toEqual(received.starts.map(() => "failed"));
    expect(received.ends[0]?.attempts.map(({ outcome }) => outcome)).toEqual(
      stage.eventsOf("summary").map(({ outcome }) => outcome),
    );
  });

  test("is reported as failed if the store refuses it, and is written when the store accepts it", async () => {
    const store = createMemoryStore();
    // Messages are still accepted; changes of the past are not.
    const full = (tenant: TenantStore): TenantStore =>
      new Proxy(tenant, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name);
          if (name === "append") return (id: string, batch: AppendBatch) => append(target, { id, batch });
          return typeof value === "function" ? value.bind(target) : value;
        },
      });
    let refusals = 1;
    const append = (tenant: TenantStore, { id, batch }: { readonly id: string; readonly batch: AppendBatch }) => {
      if (batch.expect === undefined || refusals === 0) return tenant.append(id, batch);
      refusals -= 1;
      throw new PalimpsestError("store-unavailable", "The disk is full.");
    };
    const broken: Store = { name: "full", tenant: (id) => full(store.tenant(id)), close: () => store.close() };
    const palimpsest = await openPalimpsest({ store: broken, windowTokens: 100_000, policy: "rolling-chat" });
    const received = listen({ palimpsest });
    const written: unknown[] = [];
    palimpsest.on("compaction", (event) => written.push(event));
    const session = await palimpsest.session();
    await session.append(exchanges(12));
    await session.settle();
    expect(received.starts).toHaveLength(1);
    expect(received.ends).toMatchObject([{ outcome: "failed", reason: "The disk is full." }]);
    expect(written).toHaveLength(1);
  });

  test("is reported as stale if the past was changed before it could be written", async () => {
    const changed = Promise.withResolvers<void>();
    await using stage = await playPreset({
      policy: { preset: "workspace", compaction_trigger_tokens: 1_200, verbatim_window_tokens: 400, pauseMs: 0 },
      script: ({ body }) =>
        JSON.stringify(body).includes("boundary_index")
          ? replies.json({ boundary_index: null, boundary_reason: "", confidence: 1, summary: "" })
          : replies.held(SUMMARY, changed.promise),
    });
    const received = listen(stage);
    const stages: string[] = [];
    onDocumentEvents(stage.palimpsest, "workspace", (_, __, event) => stages.push(event.stage));
    await stage.session.append(exchanges(12));
    while (received.starts.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await stage.session.clear();
    changed.resolve();
    await stage.session.settle();
    expect(received.ends).toMatchObject([{ outcome: "stale", phase: "post-response" }]);
    expect(stages).toEqual(["compaction_start", "compaction_complete"]);
  });
});
