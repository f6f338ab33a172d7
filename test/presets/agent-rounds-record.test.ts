/**
 * The records of `agent-rounds` for its host: rounds with their summaries after a restart, changes of notebooks, sizes
 * of requests and answers, and the effect of every change of the past on the provider's cache.
 */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/core/message/json.ts";
import type { Message } from "../../src/core/message/message.ts";
import { countText } from "../../src/core/tokens/count-text.ts";
import { estimate } from "../../src/core/tokens/estimate.ts";
import type { EngineEvents } from "../../src/engine/context/events.ts";
import type { Session } from "../../src/engine/session/session.ts";
import { messageBuilder } from "../../src/testing/builders.ts";
import { shows } from "../../src/testing/shows.ts";
import { scriptedReplies as replies } from "../support/scripted-provider-reply.ts";
import { askedOf, linesOf, type Play, type PlayOptions, playPreset } from "./play-preset.ts";

const SUMMARY = "What stands in the notes? In notes.md it is a fox.";
const LONGER = `${SUMMARY} The quick brown fox jumps over the lazy dog. It goes on its way, and so does the lazy dog.`;
const PROSE = "the quick brown fox jumps over the lazy dog and goes on its way ";

const play = ({ keys, ...options }: Partial<PlayOptions> & { readonly keys?: object } = {}): Promise<Play> =>
  playPreset({
    budgetTokens: 1_000,
    counter: "estimate",
    script: () => replies.text(SUMMARY),
    policy: { preset: "agent-rounds", ...keys },
    ...options,
  });

const say = (session: Session, messages: readonly Message[]) => session.append(messages, { format: "palimpsest" });

function aToolLoop(count: number, times = 10) {
  const { aUserMessage, anAssistantMessage, aRound } = messageBuilder();
  const before = [
    aUserMessage("What stands in the notes?"),
    ...aRound([{ callId: "old", output: PROSE.repeat(times) }], { text: "I look." }),
    anAssistantMessage("They tell of a fox."),
  ];
  const rounds = Array.from({ length: count }, (_, index) =>
    aRound([{ callId: `call-${index}`, output: `output ${index}: ${PROSE.repeat(times)}` }]),
  );
  return { before, request: aUserMessage("Now find the other animal."), rounds };
}

describe("rounds", () => {
  test(
    shows(["S2-30", "S2-31", "S2-13"], "at which a summary ends have its text, as in the prompt, also after a restart"),
    async () => {
      await using stage = await play();
      const { before, request, rounds } = aToolLoop(4);
      await say(stage.session, [...before, request, ...rounds.flat()]);
      expect((await stage.session.turns()).flatMap((turn) => turn.rounds).some((round) => "summary" in round)).toBe(
        false,
      );
      const { report } = await stage.session.prompt();
      const metadata = { toolCallRoundId: report.summary?.toolCallRoundId, text: report.summary?.text };
      expect(metadata).toEqual({ toolCallRoundId: rounds[2]?.[0]?.id, text: SUMMARY });
      const reopened = await (await stage.openAgain()).session(stage.session.id);
      for (const session of [stage.session, reopened]) {
        const turns = await session.turns();
        expect(turns.map((turn) => turn.request?.id)).toEqual([before[0]?.id, request.id]);
        const all = turns.flatMap((turn) => turn.rounds);
        expect(all.map(({ id }) => id)).toEqual([before[1]?.id, before[3]?.id, ...rounds.map(([call]) => call?.id)]);
        const summarised = all.filter((round) => round.summary !== undefined);
        expect(summarised.map(({ id, summary }) => [id, summary])).toEqual([[metadata.toolCallRoundId, metadata]]);
      }
      expect(stage.provider.requests).toHaveLength(1);
    },
  );

  test(shows("S2-8", "are returned with earlier requests, tool results and the notes of the request"), async () => {
    await using stage = await play();
    const { aUserMessage, anAssistantMessage, aRound } = messageBuilder();
    const edit = { filePath: "plots/fox.ipynb", cellId: "load", editType: "edit", newCode: "load()" };
    const run = { filePath: "plots/fox.ipynb", cellId: "load" };
    await say(stage.session, [
      aUserMessage("Hello."),
      anAssistantMessage("Hello!"),
      aUserMessage("Mend the notebook."),
      ...aRound([{ callId: "a", tool: "edit_notebook_file", input: edit, output: "edited" }]),
      ...aRound([{ callId: "b", tool: "run_notebook_cell", input: run, output: "42 rows" }]),
    ]);
    const [earlier, turn] = await stage.session.turns();
    expect(earlier?.request?.parts).toEqual([{ type: "text", text: "Hello." }]);
    expect(earlier?.rounds.map(({ messages, calls }) => [messages.length, calls.length])).toEqual([[1, 0]]);
    expect(turn?.request?.parts).toEqual([{ type: "text", text: "Mend the notebook." }]);
    expect(turn?.rounds.map(({ calls }) => calls.map(({ tool }) => tool))).toEqual([
      ["edit_notebook_file"],
      ["run_notebook_cell"],
    ]);
    expect(turn?.rounds.map(({ results }) => results.map(({ output }) => output))).toEqual([
      [{ type: "text", text: "edited" }],
      [{ type: "text", text: "42 rows" }],
    ]);
    const cell = { notebook: "plots/fox.ipynb", cell: "load" };
    expect(turn?.rounds.map(({ notebookUses }) => notebookUses)).toEqual([
      [{ type: "edit", ...cell, edit: "change" }],
      [{ type: "run", ...cell }],
    ]);
    const prompt = await stage.session.prompt({ notes: "open file: plots/fox.ipynb" });
    const lines = linesOf(prompt);
    expect(lines.slice(0, 3)).toEqual(["user: Hello.", "assistant: Hello!", "user: Mend the notebook."]);
    expect(lines.at(-1)).toContain("open file: plots/fox.ipynb");
  });

  test("keep the summaries of a chain, except those that were undone", async () => {
    await using stage = await play({ script: (_, index) => replies.text(`Summary ${"ab"[index]}.`) });
    const { before, request, rounds } = aToolLoop(9);
    await say(stage.session, [...before, request, ...rounds.slice(0, 4).flat()]);
    await stage.session.prompt();
    await say(stage.session, rounds.slice(4).flat());
    await stage.session.prompt();
    const summaries = async () =>
      (await stage.session.turns())
        .flatMap((turn) => turn.rounds)
        .flatMap(({ summary }) => summary?.toolCallRoundId ?? []);
    expect(await summaries()).toEqual([rounds[2]?.[0]?.id, rounds[7]?.[0]?.id]);
    await stage.session.undo();
    expect(await summaries()).toEqual([rounds[2]?.[0]?.id]);
  });
});

describe("sizes", () => {
  test(shows("S2-32", "of the summarizer's request and of its answer are counted, and both are limited"), async () => {
    const windowTokens = 3_000;
    const size = { windowTokens, maxInputTokens: windowTokens, maxOutputTokens: 300, startFactor: 1 };
    await using stage = await play({ budgetTokens: 8_000, models: { "gpt-4.1-mini": size } });
    const { before, request, rounds } = aToolLoop(12, 40);
    await say(stage.session, [...before, request, ...rounds.flat()]);
    await stage.session.prompt();
    // One request would exceed the window, so it is split.
    const asked = askedOf(stage.provider).map((words) => countText(words, estimate));
    expect(asked.length).toBeGreaterThan(1);
    for (const tokens of asked) expect(tokens).toBeLessThanOrEqual(windowTokens - 300);
    expect(Math.max(...asked)).toBeGreaterThan((windowTokens - 300) / 2);
    const [version] = await stage.session.getSummaryHistory();
    expect(version?.record.tokensAfter).toBe(countText(version?.record.text ?? "", estimate));
  });

  test(
    shows("S2-32", "of an answer are exact: an answer at the limit is accepted, and one token more is refused"),
    async () => {
      const outcomeWith = async (maxSummaryTokens: number) => {
        await using stage = await play({ keys: { maxSummaryTokens }, script: () => replies.text(LONGER) });
        const { before, request, rounds } = aToolLoop(4);
        await say(stage.session, [...before, request, ...rounds.flat()]);
        await stage.session.prompt();
        return stage.eventsOf("summary").map(({ outcome, rule }) => rule ?? outcome);
      };
      const tokens = countText(LONGER, estimate);
      expect(await outcomeWith(tokens)).toEqual(["accepted"]);
      expect(await outcomeWith(tokens - 1)).toEqual(["too-large"]);
    },
  );
});

describe("notebook tools", () => {
  const file = "plots/fox.ipynb";
  const heardDrifts = (stage: Play) => {
    const drifts: EngineEvents["arguments-drift"][] = [];
    stage.palimpsest.on("arguments-drift", (event) => drifts.push(event));
    return drifts;
  };

  test(
    shows(
      ["S2-54", "X-6"],
      "leave the last state of each cell in the summary: its result, or that it was edited and not run since",
    ),
    async () => {
      await using stage = await play();
      const { aUserMessage, aRound } = messageBuilder();
      const run = (callId: string, cellId: string, failed = false) => ({
        callId,
        tool: "run_notebook_cell",
        input: { filePath: file, cellId },
        output: PROSE.repeat(8),
        failed,
      });
      const edited = { filePath: file, cellId: "load", editType: "edit", newCode: "load()" };
      await say(stage.session, [
        aUserMessage("Draw the fox."),
        ...aRound([run("a", "load")]),
        ...aRound([run("b", "draw")]),
        ...aRound([run("c", "save", true)]),
        ...aRound([{ callId: "d", tool: "edit_notebook_file", input: edited, output: "ok" }]),
        ...aRound([{ callId: "e", output: PROSE.repeat(20) }]),
        ...aRound([{ callId: "f", output: PROSE.repeat(10) }]),
      ]);
      const [summary] = linesOf(await stage.session.prompt());
      expect(summary).toContain(SUMMARY);
      expect(summary).toContain(`${file} cell load → edited, not run since`);
      expect(summary).toContain(`${file} cell draw → ran, text`);
      expect(summary).toContain(`${file} cell save → failed`);
    },
  );

  test(
    shows(["S2-52", "X-6"], "with unexpected arguments are reported once for each fault, without any of their values"),
    async () => {
      await using stage = await play();
      const drifts = heardDrifts(stage);
      const { aUserMessage, aRound } = messageBuilder();
      const call = (callId: string, tool: string, input: JsonObject) => aRound([{ callId, tool, input, output: "ok" }]);
      await say(stage.session, [
        aUserMessage("Run it."),
        ...call("a", "run_notebook_cell", { uri: "secret.ipynb", cell: 3 }),
        ...call("b", "RunNotebookCell", { uri: "secret.ipynb", cell: 4 }),
        ...call("c", "edit_notebook_file", { filePath: file, cellId: "load", editType: "rotate" }),
      ]);
      await say(stage.session, call("d", "run_notebook_cell", { uri: "secret.ipynb" }));
      expect(drifts.map(({ tool, problem }) => [tool, problem])).toEqual([
        ["RunNotebookCell", "filePath is missing"],
        ["EditNotebook", "editType is not one of insert, edit, replace, delete"],
      ]);
      expect(stage.eventsOf("warning").map(({ text }) => text)).toEqual(
        drifts.map(({ tool, problem }) => expect.stringMatching(new RegExp(`${tool}.*${problem}`))),
      );
      expect(JSON.stringify([drifts, stage.eventsOf("warning")])).not.toContain("secret");
      expect(linesOf(await stage.session.prompt())).toHaveLength(9);
    },
  );
});

describe("the provider's cache", () => {
  /** One request and its answer, with the provider's figures. */
  async function answer(session: Session, figures: readonly [read: number, written: number]) {
    const prompt = await session.prompt();
    const [cacheReadTokens, cacheWriteTokens] = figures;
    const usage = { inputTokens: prompt.report.tokens, outputTokens: 5, cacheReadTokens, cacheWriteTokens };
    await session.append({ role: "assistant", content: "Go on." }, { promptId: prompt.id, usage });
    return { promptId: prompt.id, inputTokens: prompt.report.tokens, cacheReadTokens, cacheWriteTokens };
  }

  test(
    shows(
      ["X-7", "S2-53"],
      "is compared before and after each change of the past, in the history and as an event, also after a restart",
    ),
    async () => {
      await using stage = await play();
      const received: EngineEvents["cache"][] = [];
      stage.palimpsest.on("cache", (event) => received.push(event));
      const { session } = stage;
      const { before, request, rounds } = aToolLoop(4);
      await say(session, [...before, request, ...rounds.slice(0, 3).flat()]);
      await answer(session, [0, 600]);
      const last = await answer(session, [600, 20]);
      expect(await session.cacheHistory()).toEqual([]);
      await say(session, [
        ...(rounds[3] ?? []),
        ...messageBuilder(() => crypto.randomUUID()).aRound([{ callId: "x", output: PROSE.repeat(20) }]),
      ]);
      expect(received).toEqual([]);
      const first = await answer(session, [0, 300]);
      await answer(session, [300, 10]);
      const [version] = await session.getSummaryHistory();
      expect(version?.cache).toEqual({ before: last, after: first });
      expect(received).toMatchObject([{ sessionId: session.id, before: last, after: first }]);
      const [pinId] = (await session.transcript()).map(({ id }) => id).slice(-1);
      await session.pin(pinId ?? "");
      const afterPin = await answer(session, [100, 200]);
      await session.undo();
      const reopened = await (await stage.openAgain()).session(session.id);
      const history = await reopened.cacheHistory();
      expect(history.map(({ type }) => type)).toEqual(["summary", "pin", "undo"]);
      expect(history[0]).toMatchObject({ entryId: version?.record.id, before: last, after: first });
      expect(history[1]).toMatchObject({ after: afterPin });
      // No prompt has been answered since.
      expect(history[2]).toMatchObject({ before: afterPin, after: undefined });
      expect(received).toHaveLength(2);
      expect((await reopened.getSummaryHistory())[0]?.cache).toEqual({ before: last, after: first });
    },
  );

  test("is compared only if the provider reported figures for it", async () => {
    await using stage = await play();
    const { session } = stage;
    const { before, request, rounds } = aToolLoop(4);
    await say(session, [...before, request, ...rounds.flat()]);
    const prompt = await session.prompt();
    await session.append(
      { role: "assistant", content: "Go on." },
      { promptId: prompt.id, usage: { inputTokens: 700 } },
    );
    expect(await session.cacheHistory()).toMatchObject([{ type: "summary", before: undefined, after: undefined }]);
  });
});
