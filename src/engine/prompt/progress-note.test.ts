import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { messageBuilder } from "../../testing/builders.ts";
import { histories } from "../../testing/generate-histories.ts";
import { shows } from "../../testing/shows.ts";
import { writeProgressNote } from "./progress-note.ts";

interface Call {
  readonly tool: string;
  readonly input: Record<string, string | { path: string; content: string }[]>;
  readonly output?: string;
  readonly failed?: boolean;
  readonly text?: string;
}

function noteOf(...calls: readonly Call[]): string | undefined {
  const { aUserMessage, aRound } = messageBuilder();
  const rounds = calls.flatMap(({ text, ...call }, index) => aRound([{ callId: `c${index}`, ...call }], { text }));
  return writeProgressNote([aUserMessage("Build the ledger."), ...rounds]);
}

const write = (path: string, more: Partial<Call> = {}): Call => ({
  tool: "write_file",
  input: { path, content: "…" },
  output: "ok",
  ...more,
});
const run = (command: string, output: string, failed = false): Call => ({
  tool: "run_command",
  input: { command },
  output,
  failed,
});

describe("writeProgressNote", () => {
  test(shows("C-31", "lists created and edited files, builds, tools except reads, and what the assistant said"), () => {
    const note = noteOf(
      { tool: "read_file", input: { path: "src/old.ts" }, output: "text", text: "I look at the old one. It is long." },
      write("src/old.ts", { text: "Now I change it! More later." }),
      {
        tool: "write_files",
        input: {
          files: [
            { path: "a.ts", content: "A" },
            { path: "./b.ts", content: "B" },
          ],
        },
        output: "ok",
      },
      { tool: "edit_file", input: { file_path: "c.ts" }, output: "ok" },
      run("npm run build", "2 errors\nexit code 1", true),
      run("npm run build", "done\nexit code 0"),
    );
    expect(note).toBe(
      [
        "[Progress so far]",
        "Files created: a.ts, b.ts",
        "Files edited: src/old.ts, c.ts",
        "Build attempts: 2, the last succeeded (exit 0)",
        "Tools used: write_file 1, write_files 1, edit_file 1, run_command 2",
        "Said: I look at the old one. Now I change it!",
      ].join("\n"),
    );
  });

  test("reports the outcome of the last build, with its exit code if the output has one", () => {
    const lineOf = (...calls: readonly Call[]) => noteOf(...calls)?.split("\n")[1];
    expect(lineOf(run("make all", "exit status 2"))).toBe("Build attempts: 1, the last failed (exit 2)");
    expect(lineOf(run("tsc -p .", "broken", true))).toBe("Build attempts: 1, the last failed");
    expect(lineOf(run("tsc -p .", "fine"))).toBe("Build attempts: 1, the last succeeded");
    expect(lineOf({ tool: "build", input: {} })).toBe("Build attempts: 1, the last is still running");
    expect(lineOf(run("ls", "a.ts"))).toBe("Tools used: run_command 1");
  });

  test("lists a file only if the call that wrote it has a result and did not fail", () => {
    const { aUserMessage, aToolCall } = messageBuilder();
    expect(noteOf(write("a.ts", { failed: true }))).toBe("[Progress so far]\nTools used: write_file 1");
    const open = [aUserMessage("Go."), aToolCall("c1", "write_file", { path: "a.ts" })];
    expect(writeProgressNote(open)).toBe("[Progress so far]\nTools used: write_file 1");
  });

  test("lists a file that was created and then edited only as created", () => {
    expect(noteOf(write("a.ts"), { tool: "editFile", input: { filePath: "a.ts" }, output: "ok" }, write("a.ts"))).toBe(
      "[Progress so far]\nFiles created: a.ts\nTools used: write_file 2, editFile 1",
    );
  });

  test("quotes the first sentence of each of the five newest texts, cut at 200 characters", () => {
    const calls = Array.from({ length: 7 }, (_, index) => write("a.ts", { text: `Step ${index} begins. It goes on.` }));
    expect(noteOf(...calls)).toContain(
      "Said: Step 2 begins. Step 3 begins. Step 4 begins. Step 5 begins. Step 6 begins.",
    );
    const endless =
      noteOf(write("a.ts", { text: "word ".repeat(1_000) }))
        ?.split("\n")
        .at(-1) ?? "";
    expect(endless.length).toBeLessThanOrEqual("Said: ".length + 200);
  });

  test("returns undefined for a conversation without tool calls, or with tools that only read", () => {
    const { anExchange } = messageBuilder();
    expect(writeProgressNote(anExchange("Hello.", "Hello to you."))).toBeUndefined();
    expect(noteOf({ tool: "read_file", input: { path: "a.ts" }, output: "text" })).toBeUndefined();
  });

  test("lists twenty files on one line and counts the others", () => {
    const files = Array.from({ length: 23 }, (_, index) => ({ path: `f${index}\n.ts`, content: "" }));
    const line = noteOf({ tool: "write_files", input: { files }, output: "ok" })?.split("\n")[1];
    expect(line).toMatch(/^Files created: f0 \.ts, .*f19 \.ts, and 3 more$/);
  });

  test("returns the same note for the same messages, with at most five lines below its title, for any history", () => {
    fc.assert(
      fc.property(histories(), (messages) => {
        const note = writeProgressNote(messages);
        expect(writeProgressNote(structuredClone(messages))).toBe(note);
        if (note !== undefined) expect(note.split("\n").length).toBeLessThanOrEqual(6);
      }),
      { numRuns: propertyRuns() },
    );
  });
});
