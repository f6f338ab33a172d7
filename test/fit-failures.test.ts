import { describe, expect, test } from "vitest";
import { fit as fitHistory, openPalimpsest } from "../src/compose.ts";

const ERROR =
  "src/pay.ts(41,7): error TS2345: Argument of type 'string' is not assignable to parameter of type 'Money'.";

/** A build log with one error in its middle. */
function buildLog(lines: number, { error = ERROR, isPlain = false } = {}): string {
  const line = (index: number) =>
    isPlain ? `step ${index} of the build is done` : `compiled src/mod-${index}.ts in ${index % 7} ms`;
  const all = Array.from({ length: lines }, (_, index) => line(index));
  return [...all.slice(0, lines / 2), error, ...all.slice(lines / 2), "Exit code 2"].join("\n");
}

const ask = { role: "user", content: "Build it and tell me what is wrong." };

function openAi(output: string, command = "npm run build") {
  const call = { id: "call_1", type: "function", function: { name: "bash", arguments: JSON.stringify({ command }) } };
  return [
    ask,
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "call_1", content: output },
  ];
}

function anthropic(output: string) {
  const call = { type: "tool_use", id: "call_1", name: "bash", input: { command: "npm run build" } };
  const result = { type: "tool_result", tool_use_id: "call_1", content: output, is_error: true };
  return [ask, { role: "assistant", content: [call] }, { role: "user", content: [result] }];
}

function aiSdk(output: string) {
  const names = { toolCallId: "call_1", toolName: "bash" };
  const call = { type: "tool-call", ...names, input: { command: "npm run build" } };
  const result = { type: "tool-result", ...names, output: { type: "error-text", value: output } };
  return [ask, { role: "assistant", content: [call] }, { role: "tool", content: [result] }];
}

const FORMATS = [
  ["OpenAI", openAi],
  ["Anthropic", anthropic],
  ["AI SDK", aiSdk],
] as const;

/** The output of the newest tool result, without the escapes of JSON. */
const written = (messages: readonly unknown[]) => JSON.stringify(messages.at(-1)).replaceAll("\\n", "\n");

describe.each(FORMATS)("a build log as the newest tool result in %s messages", (_format, historyOf) => {
  test.each([
    [2_000, 8_000],
    [600, 2_000],
    [300, 1_500],
  ])(
    "of %i lines keeps its error in a budget of %i tokens, and uses most of the budget",
    async (lines, budgetTokens) => {
      const history: readonly unknown[] = historyOf(buildLog(lines));
      const { messages, report } = await fitHistory(history, { budgetTokens, counter: "o200k" });
      expect(written(messages)).toContain(ERROR);
      expect(written(messages)).toContain("Exit code 2");
      expect(report.tokens).toBeGreaterThan(budgetTokens * 0.6);
      expect(report.tokens).toBeLessThanOrEqual(budgetTokens);
    },
  );
});

describe("the marker of a cut", () => {
  test("names no message id that the caller does not have", async () => {
    const { messages } = await fitHistory(openAi(buildLog(2_000, { error: "compiled", isPlain: true })), {
      budgetTokens: 2_000,
    });
    expect(written(messages)).toContain("characters cut to save room");
    expect(written(messages)).not.toMatch(/message-\d/);
  });

  test("does not list names in addition to the lines about a failure", async () => {
    const { messages } = await fitHistory(openAi(buildLog(600)), { budgetTokens: 2_000 });
    expect(written(messages)).toContain("characters cut");
    expect(written(messages)).not.toContain("with them the names");
  });

  test("names the message id that the caller gave", async () => {
    const history = [{ ...ask, id: "own-1", content: "the quick brown fox jumps over it. ".repeat(2_000) }];
    const { messages } = await fitHistory(history, { budgetTokens: 2_000 });
    expect(written(messages)).toContain("message own-1 has them");
  });
});

describe("a build log in a session", () => {
  test("keeps its error in the prompt if it is the newest tool result", async () => {
    const palimpsest = await openPalimpsest({ budgetTokens: 8_000, counter: "o200k" });
    const session = await palimpsest.session();
    await session.append(openAi(buildLog(2_000)));
    const { messages, report } = await session.prompt();
    expect(JSON.stringify(messages)).toContain(ERROR);
    expect(report.tokens).toBeGreaterThan(4_000);
    await palimpsest.close();
  });
});

describe("an older build log that is folded", () => {
  const later = Array.from({ length: 30 }, (_, index) => [
    {
      role: "user",
      content: `And how is part ${index} of the harbour plan? ${"It has been raining a lot. ".repeat(8)}`,
    },
    { role: "assistant", content: `Part ${index} is done. ${"The crane stands at the quay. ".repeat(8)}` },
  ]).flat();

  test.each([
    [600, false],
    [800, true],
    [2_000, false],
  ])("of %i lines keeps its error in the prompt (without file names: %s)", async (lines, isPlain) => {
    const history = [...openAi(buildLog(lines, { isPlain })), { role: "assistant", content: "It failed." }, ...later];
    const { messages, report } = await fitHistory(history, { budgetTokens: 3_000 });
    expect(report.compactions.length).toBeGreaterThan(0);
    expect(JSON.stringify(messages)).toContain("src/pay.ts(41,7): error TS2345");
  });
});

describe("failures that tools report", () => {
  test.each([
    ["tsc", ERROR],
    ["gcc", "pay.c:41:7: error: expected ';' before 'return'"],
    ["MSVC", "pay.cpp(41): error C2065: 'total': undeclared identifier"],
    ["rustc", "error[E0308]: mismatched types"],
    ["a Rust panic", "thread 'main' panicked at src/pay.rs:41:7:"],
    ["go test", "--- FAIL: TestPay (0.03s)"],
    ["pytest", "E       assert 41 == 42"],
    ["Python", "ValueError: invalid literal for int() with base 10: 'x'"],
    ["a Python traceback", "Traceback (most recent call last):"],
    ["Java", 'Exception in thread "main" java.lang.NullPointerException: total'],
    ["a Java exception with a cause", "Caused by: java.io.IOException: stream closed"],
    ["Vitest", "AssertionError: expected 41 to be 42 // Object.is equality"],
    ["Jest", "  ● pays › adds the tax"],
    ["TAP", "not ok 3 - pays the tax"],
    ["ESLint", "  41:7  error  'total' is not defined  no-undef"],
    ["make", "make: *** [Makefile:41: pay.o] Error 1"],
    ["npm", "npm ERR! code ELIFECYCLE"],
    ["Maven", "[ERROR] /src/Pay.java:[41,7] cannot find symbol"],
    ["Gradle", "* What went wrong:"],
    ["CMake", "CMake Error at CMakeLists.txt:41 (find_package):"],
    ["a linker", "pay.c:(.text+0x41): undefined reference to `total'"],
    ["a shell", "bash: paytool: command not found"],
    ["a log", "2026-11-16 19:40:00 ERROR [main] Pay - the total is negative"],
    ["a structured log", '{"level":"error","msg":"the total is negative"}'],
    ["an exit code in the middle", "Process exited with code 41"],
    ["a kernel", "Out of memory: Killed process 41 (node)"],
  ])("a line about a failure stays in a text whose middle is cut: %s", async (_tool, error) => {
    const { messages } = await fitHistory(openAi(buildLog(1_000, { error })), {
      budgetTokens: 2_000,
      counter: "estimate",
    });
    expect(written(messages).replaceAll('\\"', '"')).toContain(error);
  });

  test("one error stays among many passing tests that mention errors and many retries", async () => {
    const noise = Array.from({ length: 600 }, (_, index) =>
      index % 2 === 0
        ? ` ✓ tells error: case ${index} of ${"abcdefgh"[index % 8]}`
        : `retry ${index}: connection failed: reset`,
    );
    const output = [...noise.slice(0, 300), ERROR, ...noise.slice(300), "Exit code 1"].join("\n");
    const { messages } = await fitHistory(openAi(output, "npm test"), { budgetTokens: 2_000, counter: "estimate" });
    expect(written(messages)).toContain(ERROR);
  });

  test("an error stays in one line of 190,000 characters", async () => {
    const output = `${"compiled a module; ".repeat(5_000)}fatal error: pay.h not found; ${"compiled a module; ".repeat(5_000)}`;
    const { messages } = await fitHistory(openAi(output), { budgetTokens: 2_000, counter: "estimate" });
    expect(written(messages)).toContain("fatal error: pay.h not found");
  });

  test("the line after an error stays if there is room", async () => {
    const error = "Error: the total is negative\n    at pay (src/pay.js:41:7)";
    const { messages } = await fitHistory(openAi(buildLog(1_000, { error })), {
      budgetTokens: 2_000,
      counter: "estimate",
    });
    expect(written(messages)).toContain(error);
  });

  test("an error stays when a shortened prompt is fed back and shortened again", async () => {
    const first = await fitHistory(openAi(buildLog(2_000)), { budgetTokens: 4_000 });
    const second = await fitHistory([...first.messages], { budgetTokens: 1_500 });
    expect(written(second.messages)).toContain(ERROR);
  });
});
