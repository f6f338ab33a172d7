import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { type AnsweredCall, messageBuilder, textPart, toolResultPart } from "../../testing/builders.ts";
import { fractions, histories } from "../../testing/generate-histories.ts";
import { shows } from "../../testing/shows.ts";
import { applyPrunes, type Prune, replacePart } from "../log/prune.ts";
import type { ViewMessage } from "../log/view.ts";
import { groupRoundsBy } from "../message/group-messages.ts";
import type { FilePart, ImagePart, Message, Part } from "../message/message.ts";
import { countMessage, countPart as countPartWith } from "../tokens/count-message.ts";
import { charsOverFour } from "../tokens/rough-counters.ts";
import { type FindPrunesOptions, findPrunes, findPrunesInSteps } from "./find-prunes.ts";
import type { PruneSettings } from "./plan-settings.ts";

const { aUserMessage, anAssistantMessage, aSystemMessage, aRound, aToolCall, aToolResult } = messageBuilder();
const BULK = "x".repeat(4_000);
const SETTINGS: PruneSettings = { minimumTokens: 200, exemptTools: [] };
const IMAGE: ImagePart = {
  type: "image",
  source: { type: "reference", id: "1" },
  widthPixels: 1_000,
  heightPixels: 1_000,
};
const ATTACHED: FilePart = {
  type: "file",
  source: { type: "data", base64: btoa(BULK) },
  mediaType: "text/plain",
  name: "notes.txt",
};

const countPart = (part: Part): number => countPartWith(part, charsOverFour);
const count = (message: Message): number => countMessage(message, charsOverFour);

const viewOf = (messages: readonly Message[]): readonly ViewMessage[] =>
  messages.map((message, index) => ({
    seq: index + 1,
    message,
    shown: message,
    tokens: count(message),
    fate: "verbatim",
    reason: "",
  }));

/** A view of the messages and one more user message, so that none of them is in the newest round. */
const past = (...messages: readonly (Message | readonly Message[])[]): readonly ViewMessage[] =>
  viewOf([...messages.flat(), aUserMessage("And now?")]);

const prunesOf = (view: readonly ViewMessage[], overrides: Partial<FindPrunesOptions> = {}): readonly Prune[] =>
  findPrunes(view, { tailStart: view.length, settings: SETTINGS, countPart, ...overrides });

const seqsOf = (prunes: readonly Prune[]): readonly number[] => prunes.map(({ seq }) => seq);

/** Returns the text of a part after its prune. */
function shownBy(view: readonly ViewMessage[], { seq, partIndex, replacement }: Prune): string {
  const part = view[seq - 1]?.message.parts[partIndex];
  if (part === undefined) throw new TypeError(`There is no part ${partIndex} at ${seq}.`);
  const shown = replacePart(part, replacement);
  if (shown.type === "text") return shown.text;
  return shown.type === "tool-result" && shown.output.type === "text" ? shown.output.text : JSON.stringify(shown);
}

const textsOf = (view: readonly ViewMessage[], overrides: Partial<FindPrunesOptions> = {}): readonly string[] =>
  prunesOf(view, overrides).map((prune) => shownBy(view, prune));

const apply = (view: readonly ViewMessage[], prunes: readonly Prune[]): readonly ViewMessage[] =>
  view.map((item) => {
    const own = prunes.filter(({ seq }) => seq === item.seq);
    const shown = applyPrunes(item.message, own);
    return own.length === 0 ? item : { ...item, shown, tokens: count(shown), fate: "pruned", reason: "" };
  });

const read = (callId: string, path: string, output = BULK): readonly Message[] =>
  aRound([{ callId, tool: "read_file", input: { path }, output }]);
const run = (callId: string, output: AnsweredCall["output"], failed = false): readonly Message[] =>
  aRound([{ callId, tool: "bash", input: { command: `make step-${callId}` }, output, failed }]);

describe("findPrunes, placeholders", () => {
  test("replaces a large output with a line that names its tool, its size and its message id", () => {
    const view = past(aUserMessage("Look."), read("a", "src/a.ts"));
    const id = view[2]?.message.id;
    const text = `[Output of read_file (src/a.ts) removed to save room: 1004 tokens, 4000 characters. Recall message ${id} to read it.]`;
    expect(prunesOf(view)).toEqual([
      {
        seq: 3,
        messageId: id,
        partIndex: 0,
        fate: "pruned",
        replacement: { type: "text", text },
        reason: "Output of read_file of 1004 tokens before the tail",
      },
    ]);
  });

  test("keeps the first and last lines of an output within previewTokens", () => {
    const lines = Array.from({ length: 200 }, (_, index) => `line ${index} of the build`);
    const settings = { ...SETTINGS, previewTokens: 30 };
    const [text = ""] = textsOf(past(read("a", "build.log", lines.join("\n"))), { settings });
    const [note, ...shown] = text.split("\n");
    expect(note).toMatch(/^\[Output of read_file \(build\.log\) shortened to save room: \d+ tokens, .*\]$/);
    expect(shown).toEqual(["line 0 of the build", "line 1 of the build", "[…]", ...lines.slice(-2)]);
  });

  test("stores no text of the original in a prune, so that deleting a message deletes its text", () => {
    const output = Array.from({ length: 200 }, (_, index) => `secret number ${index}`).join("\n");
    const view = past(read("a", "build.log", output));
    const [prune] = prunesOf(view, { settings: { ...SETTINGS, previewTokens: 30 } });
    expect(prune?.replacement.type).toBe("excerpt");
    expect(JSON.stringify(prune)).not.toContain("secret");
  });

  test("reads the tool name from the result or else from the call, and works without a name", () => {
    const named = aToolResult("a", "", { parts: [{ ...toolResultPart("a", BULK), tool: "fetch_page" }] });
    const reasons = [
      [aToolCall("a", "read_file"), named],
      [aToolCall("a", "read_file"), aToolResult("a", BULK)],
      [aToolResult("a", BULK)],
    ].map((messages) => prunesOf(past(messages))[0]?.reason);
    expect(reasons).toEqual([
      expect.stringContaining("Output of fetch_page"),
      expect.stringContaining("Output of read_file"),
      expect.stringContaining("Output of a tool"),
    ]);
  });

  test("replaces an attached file", () => {
    const view = past(aUserMessage("", { parts: [textPart("See this."), ATTACHED] }));
    expect(textsOf(view)).toEqual([
      expect.stringMatching(/^\[An attached file \(notes\.txt\) removed to save room: 1\d\d\d tokens\. Recall/),
    ]);
  });

  test(shows("C-31", "replaces images below the minimum size too, even inside a tool result"), () => {
    const output = { type: "parts", parts: [textPart("The page."), IMAGE] } as const;
    const screenshot = aRound([{ callId: "a", tool: "screenshot", output }]);
    const view = past(aUserMessage("", { parts: [textPart("See this."), IMAGE] }), screenshot);
    const settings = { ...SETTINGS, minimumTokens: countPart(IMAGE) + 1 };
    const prunes = prunesOf(view, { settings });
    expect(prunes.map(({ seq, partIndex }) => `${seq}/${partIndex}`)).toEqual(["3/0", "1/1"]);
    expect(JSON.stringify(apply(view, prunes).map(({ shown }) => shown))).not.toContain('"image"');
  });

  test("never replaces text, thinking or a tool call", () => {
    const thought: Part = { type: "reasoning", text: BULK };
    const call: Part = { type: "tool-call", callId: "a", tool: "edit_file", input: { text: BULK } };
    const sent = anAssistantMessage("", { parts: [thought, textPart(BULK), call] });
    expect(prunesOf(past(aUserMessage(BULK), sent, aToolResult("a", "done")))).toEqual([]);
  });
});

describe("findPrunes, exceptions", () => {
  test("skips messages in the tail", () => {
    const view = past(read("a", "a.ts"), read("b", "b.ts"));
    expect(seqsOf(prunesOf(view, { tailStart: 2 }))).toEqual([2]);
    expect(prunesOf(view, { tailStart: 0 })).toEqual([]);
  });

  test("skips the newest round, which the model may not have read yet", () => {
    expect(seqsOf(prunesOf(viewOf([...read("a", "a.ts"), ...read("b", "b.ts")])))).toEqual([2]);
  });

  test("skips a round with a missing result", () => {
    const waiting = aRound([{ callId: "a", output: BULK }, { callId: "b" }]);
    expect(prunesOf(past(waiting))).toEqual([]);
    expect(seqsOf(prunesOf(past(waiting, aToolResult("b", "found"))))).toEqual([2]);
  });

  test("skips pinned messages", () => {
    const view = past(read("a", "a.ts")).map((item) => ({ ...item, fate: "pinned" as const }));
    expect(prunesOf(view)).toEqual([]);
  });

  test("skips instructions", () => {
    expect(prunesOf(past(aSystemMessage("", { parts: [ATTACHED] })))).toEqual([]);
  });

  test("skips the output of exempt tools", () => {
    const plan = aRound([{ callId: "a", tool: "read_plan", input: { path: "plan.md" }, output: BULK }]);
    const settings = { ...SETTINGS, exemptTools: ["read_plan"] };
    expect(seqsOf(prunesOf(past(plan, plan, read("b", "b.ts")), { settings }))).toEqual([6]);
  });

  test("skips each part below the minimum size", () => {
    const outputs = [
      { callId: "a", output: "x".repeat(600) },
      { callId: "b", output: BULK },
    ];
    expect(prunesOf(past(aRound(outputs))).map(({ partIndex }) => partIndex)).toEqual([1]);
    expect(prunesOf(past(aRound(outputs.slice(0, 1))))).toEqual([]);
  });

  test("skips a part that is smaller than its placeholder", () => {
    const settings = { ...SETTINGS, minimumTokens: 0 };
    expect(prunesOf(past(aRound([{ callId: "a", output: "found" }])), { settings })).toEqual([]);
  });

  test("skips a part that is already replaced, but not the other parts of its message", () => {
    const outputs = ["a", "b"].map((callId) => ({ callId, input: { path: `${callId}.ts` }, output: BULK }));
    const view = past(aRound(outputs));
    const [first] = prunesOf(view);
    if (first === undefined) throw new TypeError("Expected a prune.");
    const second = prunesOf(apply(view, [first]));
    expect(second.map(({ partIndex }) => partIndex)).toEqual([1 - first.partIndex]);
  });

  test("skips the newest outputs up to protectTokens, counted from the end of the view", () => {
    const view = past(read("a", "a.ts"), read("b", "b.ts"), read("c", "c.ts"));
    const seqs = [0, 1_003, 1_004, 2_007, 2_008, 3_012].map((protectTokens) =>
      seqsOf(prunesOf(view, { settings: { ...SETTINGS, protectTokens } })),
    );
    expect(seqs).toEqual([[2, 4, 6], [2, 4, 6], [2, 4], [2, 4], [2], []]);
  });

  test("returns no prunes if the whole batch saves less than minimumBatchTokens", () => {
    const view = past(read("a", "a.ts"), read("b", "b.ts"));
    const saved = prunesOf(view).reduce((sum, prune) => sum + 1_000 - Math.ceil(shownBy(view, prune).length / 4), 0);
    const withMinimum = (minimumBatchTokens: number) =>
      prunesOf(view, { settings: { ...SETTINGS, minimumBatchTokens } }).length;
    expect([saved - 1, saved, saved + 1].map(withMinimum)).toEqual([2, 2, 0]);
  });
});

describe("findPrunes, for a result with a newer version", () => {
  test("prunes outdated results before large ones, and each group by size", () => {
    const view = past(
      read("a", "large.ts", "l".repeat(9_000)),
      read("b", "small.ts", "s".repeat(2_000)),
      read("c", "again.ts", "1".repeat(3_000)),
      read("d", "same.ts", "2".repeat(1_000)),
      read("e", "again.ts", "3".repeat(4_000)),
      read("f", "same.ts", "2".repeat(1_000)),
    );
    expect(seqsOf(prunesOf(view, { tailStart: 8 }))).toEqual([8, 6, 2, 4]);
  });

  test("stops when enoughTokens are saved", () => {
    const view = past(read("a", "a.ts", "l".repeat(9_000)), read("b", "b.ts"), read("c", "b.ts"));
    const counts = [0, 1, 900, 2_000].map((enoughTokens) => seqsOf(prunesOf(view, { enoughTokens })));
    expect(counts).toEqual([[], [4], [4], [4, 2]]);
  });

  test("replaces the older result with one line if the same call returned the same result again", () => {
    const view = past(read("a", "a.ts"), read("b", "a.ts"), read("c", "a.ts"));
    const newest = view[5]?.message.id;
    const [first, second, ...others] = textsOf(view, { settings: { ...SETTINGS, previewTokens: 60 }, tailStart: 4 });
    for (const text of [first, second]) {
      expect(text).toMatch(
        /^\[Output of read_file \(a\.ts\) removed because message \S+ has the same: 1004 tokens, .*\]$/,
      );
      expect(text).toContain(`message ${newest} has`);
    }
    expect(others).toEqual([]);
  });

  test.each<[string, readonly Message[]]>([
    ["a different result", aRound([{ callId: "b", tool: "list", input: { directory: "src" }, output: `${BULK}.` }])],
    ["a different input", aRound([{ callId: "b", tool: "list", input: { directory: "test" }, output: BULK }])],
    ["a different tool", aRound([{ callId: "b", tool: "tree", input: { directory: "src" }, output: BULK }])],
    ["a failure", aRound([{ callId: "b", tool: "list", input: { directory: "src" }, output: BULK, failed: true }])],
  ])("does not treat a result as outdated after a later call with %s", (_, newer) => {
    const older = aRound([{ callId: "a", tool: "list", input: { directory: "src" }, output: BULK }]);
    expect(textsOf(past(older, newer), { tailStart: 2 })).toEqual([expect.stringContaining("removed to save room")]);
  });

  test("ignores the order of input fields when it compares calls", () => {
    const list = (callId: string, input: object) =>
      aRound([{ callId, tool: "list", input: { ...input }, output: BULK }]);
    const view = past(list("a", { directory: "src", depth: 2 }), list("b", { depth: 2, directory: "src" }));
    expect(textsOf(view, { tailStart: 2 })).toEqual([expect.stringContaining("has the same")]);
  });

  test("replaces the older result with one line if the file was read again", () => {
    const view = past(read("a", "a.ts"), read("b", "./a.ts", `${BULK}changed`));
    const settings = { ...SETTINGS, previewTokens: 60 };
    expect(textsOf(view, { settings, tailStart: 2 })).toEqual([
      `[Output of read_file (a.ts) removed because message ${view[3]?.message.id} read it again: 1004 tokens, 4000 characters. Recall message ${view[1]?.message.id} to read it.]`,
    ]);
  });

  test("keeps a preview if the file was later written but not read again", () => {
    const written = aRound([{ callId: "b", tool: "edit_file", input: { path: "a.ts", new: "y" }, output: "done" }]);
    const view = past(read("a", "a.ts", `import x\n${BULK}\nexport y`), written);
    const [text] = textsOf(view, { settings: { ...SETTINGS, previewTokens: 60 } });
    expect(text).toContain(`shortened because message ${view[3]?.message.id} changed it`);
    expect(text).toMatch(/\nimport x\n\[…\]\nexport y$/);
  });

  test("ignores failed calls, and writes that came before the read", () => {
    const failed = aRound([{ callId: "b", tool: "read_file", input: { path: "a.ts" }, output: "gone", failed: true }]);
    const write = aRound([{ callId: "c", tool: "write_file", input: { path: "a.ts" }, output: "done" }]);
    for (const view of [past(read("a", "a.ts"), failed), past(write, read("a", "a.ts"))]) {
      expect(textsOf(view)).toEqual([expect.stringContaining("removed to save room")]);
    }
  });

  test("does not treat the last copy of a repeated message as outdated", () => {
    const round = read("a", "a.ts");
    expect(seqsOf(prunesOf(past(round, round), { tailStart: 4 }))).toEqual([2, 4]);
    expect(textsOf(past(round, round))[1]).toContain("removed to save room");
  });
});

describe("findPrunes, for a result with a failure", () => {
  const noise = Array.from({ length: 300 }, (_, index) => `compiled part ${index} without trouble`);
  const around = (...lines: readonly string[]) => [...noise.slice(0, 150), ...lines, ...noise.slice(150)].join("\n");

  test.each<[string, readonly Message[], readonly string[]]>([
    ["a failed call", run("a", around("src/a.ts: could not be parsed"), true), ["src/a.ts: could not be parsed"]],
    ["a command that reports an error", run("a", around("error: no rule for b")), ["error: no rule for b"]],
    ["a command with an exit code", run("a", around("Process exited with code 2")), ["Process exited with code 2"]],
    [
      "an output with several errors",
      run("a", around("TypeError: x is not a function", "fine", "FAIL test/x.ts")),
      ["TypeError: x is not a function", "[…]", "FAIL test/x.ts"],
    ],
  ])("keeps the lines about failures of %s", (_, round, lines) => {
    const [text = "", ...others] = textsOf(past(round));
    expect(others).toEqual([]);
    expect(text.split("\n").slice(1)).toEqual(lines);
  });

  test("keeps the lines about failures and the exit code of a JSON output", () => {
    const value = { exitCode: 3, stderr: around("fatal: the disk is full"), stdout: "" };
    const [text] = textsOf(past(run("a", { type: "json", value })));
    expect(text).toContain(", exit code 3. Recall");
    expect(text?.split("\n")[1]).toBe("fatal: the disk is full");
  });

  test("keeps each line about a failure once, up to 200 tokens, and counts the others", () => {
    const lines = Array.from({ length: 100 }, (_, index) => `error: part ${index} is missing`);
    const [text = ""] = textsOf(past(run("a", around("error: first", "error: first", ...lines))));
    const shown = text.split("\n").filter((line) => line.startsWith("error: "));
    expect(shown[0]).toBe("error: first");
    expect(shown.at(-1)).toBe("error: part 99 is missing");
    expect(text).toContain(`, ${101 - shown.length} more lines about errors. Recall`);
    expect(shown.length).toBeGreaterThan(10);
    expect(countPart(textPart(shown.join("\n")))).toBeLessThanOrEqual(200);
  });

  test("does not prune a failed result that is short or has no line that can be kept", () => {
    expect(prunesOf(past(run("a", BULK, true)))).toEqual([]);
    expect(prunesOf(past(run("a", `error: ${BULK}`)))).toEqual([]);
    expect(prunesOf(past(run("a", `error: no rule\n${"x".repeat(1_500)}`)))).toEqual([]);
    expect(prunesOf(past(run("a", `error: no rule\n${"x".repeat(1_700)}`)))).toHaveLength(1);
  });

  test("does not keep lines of source code that mention errors", () => {
    const [text] = textsOf(past(read("a", "a.ts", around('throw new Error("error: no rule");'))));
    expect(text).not.toContain("\n");
  });
});

interface Case {
  readonly view: readonly ViewMessage[];
  readonly options: FindPrunesOptions;
}

/** Views with pins and repeated reads, with random settings. */
const cases: fc.Arbitrary<Case> = fc
  .record({
    history: histories({ longestCharacters: 3_000 }),
    repeated: fc.array(fc.tuple(fractions(), fractions()), { maxLength: 3 }),
    tail: fractions(),
    pinned: fc.array(fractions(), { maxLength: 2 }),
    settings: fc.record({
      minimumTokens: fc.constantFrom(0, 20, 200),
      exemptTools: fc.constantFrom([], ["get_weather"]),
      protectTokens: fc.constantFrom(0, 50, 1_000),
      minimumBatchTokens: fc.constantFrom(0, 100),
      previewTokens: fc.constantFrom(0, 10, 60),
    }),
  })
  .map(({ history, repeated, tail, pinned, settings }) => {
    const again = repeated.flatMap(([from, length]) => {
      const start = Math.floor(from * history.length);
      return history.slice(start, start + 1 + Math.floor(length * 4));
    });
    const messages = [...history, ...again].map((message, index) => ({ ...message, id: `m${index}` }));
    const pins = new Set(pinned.map((at) => Math.floor(at * messages.length)));
    const view = viewOf(messages).map(
      (item, index): ViewMessage => ({ ...item, fate: pins.has(index) ? "pinned" : "verbatim" }),
    );
    const tailStart = messages.length - Math.floor(tail * messages.length);
    return { view, options: { tailStart, settings, countPart } };
  });

describe("findPrunes, for any view", () => {
  test("never prunes the tail, pinned messages, the newest round or an open round", () => {
    let touched = 0;
    fc.assert(
      fc.property(cases, ({ view, options }) => {
        const prunes = findPrunes(view, options);
        touched += prunes.length;
        const rounds = groupRoundsBy(view, ({ message }) => message);
        const open = rounds.filter(({ openCalls }, index) => openCalls.length > 0 || index === rounds.length - 1);
        const whole = new Set([
          ...view.slice(options.tailStart).map(({ seq }) => seq),
          ...view.filter(({ fate }) => fate === "pinned").map(({ seq }) => seq),
          ...open.flatMap(({ items }) => items.map(({ seq }) => seq)),
        ]);
        expect(prunes.filter(({ seq }) => whole.has(seq))).toEqual([]);
      }),
      { numRuns: propertyRuns() },
    );
    expect(touched).toBeGreaterThan(100);
  });

  test("makes each part smaller, prunes none twice, and names the message in each placeholder", () => {
    fc.assert(
      fc.property(cases, ({ view, options }) => {
        const prunes = findPrunes(view, options);
        let savedTokens = 0;
        for (const prune of prunes) {
          const { message } = view[prune.seq - 1] ?? {};
          const part = message?.parts[prune.partIndex];
          if (message === undefined || part === undefined)
            throw new TypeError("Expected the prune to name a part of the view.");
          expect(prune.messageId).toBe(message.id);
          expect(shownBy(view, prune)).toContain(`Recall message ${message.id} to read it.]`);
          const saved = countPart(part) - countPart(replacePart(part, prune.replacement));
          expect(saved).toBeGreaterThan(0);
          savedTokens += saved;
        }
        expect(new Set(prunes.map(({ seq, partIndex }) => `${seq}/${partIndex}`)).size).toBe(prunes.length);
        if (prunes.length > 0) expect(savedTokens).toBeGreaterThanOrEqual(options.settings.minimumBatchTokens ?? 0);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("returns the same prunes at once and in steps, and none when run again on the result", () => {
    fc.assert(
      fc.property(cases, ({ view, options }) => {
        const prunes = findPrunes(view, options);
        const steps = findPrunesInSteps(view, options);
        let step = steps.next();
        while (step.done !== true) step = steps.next();
        expect(step.value).toEqual(prunes);
        const settings = { ...options.settings, minimumBatchTokens: 0 };
        if (prunes.length > 0) expect(findPrunes(apply(view, prunes), { ...options, settings })).toEqual([]);
      }),
      { numRuns: propertyRuns() },
    );
  });
});
