/** The functions of `palimpsest/core` with messages of every format, and the programs in docs/core-pieces.md. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import {
  countTokens,
  findTopicBoundaries,
  summarizeOffline,
  validate,
  verifySummary,
} from "../src/core/public/index.ts";
import { repositoryRoot } from "./support/read-repository.ts";

const TALK = [
  "Please move the invoices of Kestrel to the new table by 12 June 2025.",
  "I moved 412 invoices with scripts/move.ts; three were refused.",
  "Which three? You must never drop a refused invoice.",
  "INV-2031, INV-2044 and INV-2101, because their customer is missing.",
  "Then let's talk about something else: the garden party on Saturday.",
  "How many guests do you expect at the party, and is there a tent?",
  "About thirty guests, and a tent of forty square metres from Varga Rentals.",
  "Then order ten tables and the tent for the guests of the party.",
];

const roleAt = (index: number): "user" | "assistant" => (index % 2 === 0 ? "user" : "assistant");

const SHAPES: Readonly<Record<string, readonly object[]>> = {
  plain: TALK.map((content, index) => ({ role: roleAt(index), content })),
  "AI SDK model": TALK.map((text, index) => ({
    role: roleAt(index),
    content: [{ type: "text", text }],
    providerOptions: {},
  })),
  "AI SDK UI": TALK.map((text, index) => ({
    id: `u${index}`,
    role: roleAt(index),
    metadata: {},
    parts: [{ type: "text", text, state: "done" }],
  })),
  "OpenAI responses": TALK.map((text, index) => ({
    type: "message",
    role: roleAt(index),
    content: [{ type: index % 2 === 0 ? "input_text" : "output_text", text }],
  })),
  Anthropic: TALK.map((text, index) => ({
    role: roleAt(index),
    content: [{ type: "text", text, ...(index === 0 ? { cache_control: { type: "ephemeral" } } : {}) }],
  })),
  Gemini: TALK.map((text, index) => ({ role: index % 2 === 0 ? "user" : "model", parts: [{ text }] })),
  LangChain: TALK.map((content, index) => ({ type: index % 2 === 0 ? "human" : "ai", content })),
  Palimpsest: TALK.map((text, index) => ({ id: `m${index}`, role: roleAt(index), parts: [{ type: "text", text }] })),
};

describe.each(Object.entries(SHAPES))("the core functions with %s messages", (name, messages) => {
  const plain = SHAPES.plain ?? [];
  const record = summarizeOffline(messages, { budgetTokens: 160 });

  test("write the same summary as for plain messages, and cite messages of the list", () => {
    expect(record.text).toBe(summarizeOffline(plain, { budgetTokens: 160 }).text);
    const ids = new Set(record.messageIds);
    expect(record.lines?.flatMap(({ messageIds }) => messageIds).every((id) => ids.has(id))).toBe(true);
    if (name === "plain") expect(record.messageIds).toEqual(TALK.map((_, index) => `message-${index}`));
  });

  test("verify a summary of the same list", () => {
    expect(verifySummary(record, messages)).toMatchObject({ score: 1, missing: [], unsupported: [] });
    expect(verifySummary(`${record.text}\nThey moved 977 invoices.`, messages).unsupported).toHaveLength(1);
  });

  test("find the same topic boundaries, as indexes of the list", () => {
    expect(findTopicBoundaries(messages)).toEqual(findTopicBoundaries(plain));
  });

  test("count 0.7 to 2.5 times the tokens of plain messages, and report no problems", () => {
    const tokens = countTokens(messages);
    expect(tokens / countTokens(plain)).toBeGreaterThan(0.7);
    expect(tokens / countTokens(plain)).toBeLessThan(2.5);
    expect(validate(messages, "openai")).toEqual([]);
    expect(validate(messages, "anthropic")).toEqual([]);
  });
});

describe("the core functions", () => {
  test("report a boundary by its index in the caller's list, even if an item is several messages", () => {
    const call = { type: "tool-read", toolCallId: "c", state: "output-available", input: {}, output: "ok" };
    const parts = [call, { type: "step-start" }, { type: "text", text: "I read it." }];
    const items = (SHAPES["AI SDK UI"] ?? []).map((item, index) => (index === 1 ? { ...item, parts } : item));
    const places = findTopicBoundaries(items, { minConfidence: 0.2 }).map(({ index }) => index);
    expect(places.every((place) => place < items.length)).toBe(true);
    expect(places).toContain(4);
  });

  test("validate the rendered prompt if messages have another format than the provider's", () => {
    const open = [
      { role: "user", content: "Read it." },
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "c1", toolName: "read", input: {} }] },
      { role: "user", content: "Well?" },
    ];
    expect(validate(open, "anthropic").map(({ rule }) => rule)).toContain("calls-answered");
    expect(validate([{ role: "user", content: "" }], "anthropic")).not.toEqual([]);
  });

  test.each([
    [
      "a string instead of a list",
      () => summarizeOffline("hello" as never, { budgetTokens: 100 }),
      /expected a list of messages/,
    ],
    ["no budget", () => summarizeOffline([], {} as never), /budgetTokens: expected a number of at least 1/],
    ["a summary without text", () => verifySummary({} as never, []), /summary: expected a text, or a record/],
    ["no messages", () => findTopicBoundaries(undefined as never), /expected a list of messages/],
    ["no value to count", () => countTokens(undefined as never), /value: expected a text, a message/],
    ["a counter given by name", () => countTokens("hello", { counter: "o200k" as never }), /await loadCounter\(name\)/],
    [
      "a counter given by name for a summary",
      () => summarizeOffline([], { budgetTokens: 9, counter: "o200k" as never }),
      /loadCounter/,
    ],
  ])("explain an invalid call: %s", (_, act, says) => {
    expect(act).toThrow(says);
    expect(act).toThrow(expect.objectContaining({ name: "PalimpsestError" }));
  });
});

describe("docs/core-pieces.md", () => {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-core-pieces-"));
  const markdown = readFileSync(join(repositoryRoot, "docs/core-pieces.md"), "utf8");
  const blocks = [...markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language, text = ""]) => ({
    language,
    text,
  }));
  const programs = blocks.flatMap(({ language, text }, index) => {
    const next = blocks[index + 1];
    return language === "ts"
      ? [{ number: index + 1, source: text, prints: next?.language === "text" ? next.text : "" }]
      : [];
  });

  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  test("shows programs, each with its output", () => {
    expect(programs.length).toBeGreaterThan(0);
    expect(programs.filter(({ prints }) => prints === "")).toEqual([]);
  });

  test.each(programs)("program $number prints its documented output", ({ number, source, prints }) => {
    const file = join(folder, `program-${number}.mts`);
    const entryPoints = { "palimpsest/core": "src/core/public/index.ts", palimpsest: "src/index.ts" };
    let program = source;
    for (const [name, path] of Object.entries(entryPoints)) {
      const url = JSON.stringify(pathToFileURL(join(repositoryRoot, path)).href);
      program = program.replaceAll(`from "${name}"`, `from ${url}`);
    }
    writeFileSync(file, program);
    const env = { ...process.env, FORCE_COLOR: undefined };
    const { status, stdout, stderr } = spawnSync(process.execPath, [file], { cwd: folder, env, encoding: "utf8" });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: prints, stderr: "" });
  });

  test("names every core function", () => {
    for (const piece of ["summarizeOffline", "verifySummary", "findTopicBoundaries", "countTokens", "validate"]) {
      expect(markdown).toContain(`\`${piece}`);
    }
  });
});
