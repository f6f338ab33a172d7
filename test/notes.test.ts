/** Notes of a prompt: entries of the log that later prompts show at the same place. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { validate } from "../src/core/public/index.ts";
import { openPalimpsest, type Session } from "../src/index.ts";
import { startTestServer } from "./support/start-server.ts";

const size = { budgetTokens: 2_000, counter: "estimate" } as const;
const words = "The ferry stops at the old pier beside the customs house. ".repeat(3);
const question = (index: number) => ({ id: `q${index}`, role: "user", content: `Question ${index}: ${words}` });
const answer = (index: number) => ({ id: `a${index}`, role: "assistant", content: `Answer ${index}: ${words}` });

/** The texts of a prompt for Anthropic, one for each block. */
async function textsOf(session: Session, options: Parameters<Session["prompt"]>[0] = {}): Promise<readonly string[]> {
  return blocksOf((await session.prompt({ ...options, preview: true })).as("anthropic").messages);
}

function blocksOf(messages: readonly unknown[]): readonly string[] {
  const parsed: readonly { readonly content: readonly { readonly text?: string }[] }[] = JSON.parse(
    JSON.stringify(messages),
  );
  return parsed.flatMap(({ content }) => content.map((block) => block.text ?? JSON.stringify(block)));
}

function countIn(texts: readonly string[], text: string): number {
  return texts.filter((each) => each === text).length;
}

async function talk(session: Session, turns: number, notes?: string): Promise<void> {
  for (let index = 0; index < turns; index += 1) {
    const { id } = await session.prompt({ next: question(index), notes });
    await session.append(answer(index), { promptId: id });
  }
}

describe("a note", () => {
  test("is shown again at its place, so that each prompt is a prefix of the next one", async () => {
    const session = await (await openPalimpsest(size)).session();
    const first = await session.prompt({ next: question(0), notes: "It is Monday." });
    expect(first.report).toMatchObject({ volatileBlocks: 0, note: { state: "added", tokens: expect.any(Number) } });
    await session.append(answer(0), { promptId: first.id });
    const second = await session.prompt({ next: question(1), notes: "It is Tuesday." });
    await session.append(answer(1), { promptId: second.id });
    const third = await session.prompt({ next: question(2) });
    const prompts = [first, second, third].map((prompt) => blocksOf(prompt.as("anthropic").messages));
    expect(prompts[2]?.filter((text) => text.startsWith("It is"))).toEqual(["It is Monday.", "It is Tuesday."]);
    expect(prompts[1]?.slice(0, prompts[0]?.length)).toEqual(prompts[0]);
    expect(prompts[2]?.slice(0, prompts[1]?.length)).toEqual(prompts[1]);
    expect(second.report.changes).toEqual([]);
    expect(third.report.changes).toEqual([]);
  });

  test("is not repeated while the newest one has the same text", async () => {
    const session = await (await openPalimpsest({ ...size, budgetTokens: 8_000 })).session();
    await talk(session, 6, "It is Monday.");
    expect(countIn(await textsOf(session), "It is Monday.")).toBe(1);
    const again = await session.prompt({ notes: "It is Monday." });
    expect(again.report.note).toEqual({ state: "unchanged", tokens: 0, cost: undefined });
    await session.prompt({ notes: "It is Tuesday." });
    await session.prompt({ notes: "It is Monday." });
    expect((await textsOf(session)).slice(-3)).toEqual([
      expect.stringContaining("Answer 5"),
      "It is Tuesday.",
      "It is Monday.",
    ]);
  });

  test("with keep: false is in one prompt only, and the report has its cost", async () => {
    const session = await (await openPalimpsest(size)).session();
    const note = { text: "Answer in one word.", keep: false };
    const first = await session.prompt({ next: question(0), notes: note });
    expect(blocksOf(first.as("anthropic").messages).at(-1)).toBe("Answer in one word.");
    expect(first.report).toMatchObject({ volatileBlocks: 1, note: { state: "once" } });
    expect(first.report.note?.cost).toMatch(
      /^This note is only in this prompt: its \d+ tokens are not cached\..*thinking in its reply cannot be sent back\.$/,
    );
    await session.append(answer(0), { promptId: first.id });
    const second = await session.prompt({ next: question(1) });
    expect(blocksOf(second.as("anthropic").messages)).not.toContain("Answer in one word.");
    expect((await session.entries({ types: ["note"] })).length).toBe(0);
  });

  test("with keep: false does not count in the next prompt, and a kept note stays at its place", async () => {
    const session = await (await openPalimpsest(size)).session();
    for (const [index, notes] of [{ text: words, keep: false }, "It is Monday."].entries()) {
      const { id, report } = await session.prompt({ next: question(index), notes });
      await session.append(answer(index), { promptId: id });
      const next = await session.prompt({ preview: true });
      expect(report.note?.tokens).toBeGreaterThan(0);
      expect((await session.budget()).promptTokens).toBe(next.report.tokens);
      expect((await session.figures()).compaction.currentTokens).toBe(
        (await session.figures({})).compaction.currentTokens,
      );
    }
  });

  test("disappears once a compaction covers its position, is not in the summary, and can be added again", async () => {
    const session = await (await openPalimpsest(size)).session();
    const noted = await session.prompt({ next: question(0), notes: "The password of the harbour is Kelp-77." });
    await session.append(answer(0), { promptId: noted.id });
    for (let index = 1; index < 30; index += 1) {
      const { id } = await session.prompt({ next: question(index) });
      await session.append(answer(index), { promptId: id });
    }
    const history = await session.getSummaryHistory();
    expect(history.length).toBeGreaterThan(0);
    expect(JSON.stringify(history)).not.toContain("Kelp-77");
    expect((await textsOf(session)).join()).not.toContain("Kelp-77");
    const again = await session.prompt({ notes: "The password of the harbour is Kelp-77." });
    expect(again.report.note?.state).toBe("added");
    expect(again.report.tokens).toBeLessThanOrEqual(again.report.limitTokens);
  });

  test("comes back when the compaction is undone", async () => {
    const session = await (await openPalimpsest({ ...size, budgetTokens: 6_000 })).session();
    await talk(session, 12, "It is Monday.");
    const before = await textsOf(session);
    expect(countIn(before, "It is Monday.")).toBe(1);
    expect((await session.compact()).type).toBe("compacted");
    expect(countIn(await textsOf(session), "It is Monday.")).toBe(0);
    await session.undo();
    expect(await textsOf(session)).toEqual(before);
  });

  test("stays with a fork made after it, and is not in one made before it", async () => {
    const palimpsest = await openPalimpsest({ ...size, budgetTokens: 8_000 });
    const session = await palimpsest.session();
    await session.append([question(0), answer(0)]);
    await session.prompt({ next: question(1), notes: "It is Monday." });
    await session.append(answer(1));
    const after = await textsOf(await session.fork());
    expect(countIn(after, "It is Monday.")).toBe(1);
    expect(after).toEqual(await textsOf(session));
    const before = await session.fork(2);
    expect(countIn(await textsOf(before), "It is Monday.")).toBe(0);
  });

  test("is counted: a prompt with the note fits, or an error lists the note in the floor", async () => {
    const session = await (await openPalimpsest(size)).session();
    await talk(session, 20);
    const long = words.repeat(8);
    const prompt = await session.prompt({ next: question(20), notes: long });
    expect(prompt.report.tokens).toBeLessThanOrEqual(size.budgetTokens);
    expect(blocksOf(prompt.as("anthropic").messages).at(-1)).toBe(long);
    const error = await session.prompt({ next: question(21), notes: words.repeat(80) }).catch((caught) => caught);
    expect(error.code).toBe("does-not-fit");
    expect(JSON.stringify(error.details)).toContain('"notes"');
    // The note that did not fit was not written.
    expect((await session.prompt()).report.tokens).toBeLessThanOrEqual(size.budgetTokens);
  });

  test("that was added before pending results follows them once they arrive", async () => {
    const session = await (await openPalimpsest(size)).session();
    const call = { type: "tool_use", id: "toolu_1", name: "read", input: { path: "pier.md" } };
    await session.append([question(0), { role: "assistant", content: [call] }]);
    const early = await session.prompt({ notes: "It is Monday." });
    expect(validate(early.as("anthropic"), "anthropic")).toEqual([]);
    expect(early.report.volatileBlocks).toBeGreaterThan(1);
    const result = { type: "tool_result", tool_use_id: "toolu_1", content: "Pier 4." };
    await session.append([{ role: "user", content: [result] }]);
    const later = await session.prompt();
    expect(validate(later.as("anthropic"), "anthropic")).toEqual([]);
    expect(blocksOf(later.as("anthropic").messages).slice(-2)).toEqual([
      expect.stringContaining("Pier 4."),
      "It is Monday.",
    ]);
  });

  test("is not stored by a preview", async () => {
    const session = await (await openPalimpsest(size)).session();
    await session.append([question(0), answer(0)]);
    const entries = await session.entries();
    expect((await textsOf(session, { next: question(1), notes: "It is Monday." })).at(-1)).toBe("It is Monday.");
    expect(await session.entries()).toEqual(entries);
  });

  test("is refused if it is neither a text nor { text, keep }", async () => {
    const session = await (await openPalimpsest(size)).session();
    const wrong = [
      [7, /notes: expected a string or \{ text, keep \}, found 7/],
      [{ text: 7 }, /notes: text: expected a string, found 7/],
      [{ text: "a", keep: "no" }, /notes: keep: expected true or false, found "no"/],
      [{ text: "a", once: true }, /notes: Unknown option "once"\. The options are text, keep\./],
    ] as const;
    for (const [notes, message] of wrong) {
      await expect(session.prompt({ next: question(0), notes } as never)).rejects.toThrow(message);
    }
  });
});

describe.each(["sqlite", "jsonl"])("in a store of %s", (kind) => {
  test("a note is shown after a restart, and after an export and an import", async () => {
    const folder = await mkdtemp(join(tmpdir(), "palimpsest-notes-"));
    try {
      const store = kind === "sqlite" ? `sqlite:${join(folder, "chats.db")}` : `jsonl:${folder}`;
      const first = await openPalimpsest({ ...size, store });
      const session = await first.session("s");
      await talk(session, 3, "It is Monday.");
      const shown = await textsOf(session);
      expect(countIn(shown, "It is Monday.")).toBe(1);
      const lines: string[] = [];
      for await (const line of first.exportSession("s")) lines.push(line);
      await first.close();
      const second = await openPalimpsest({ ...size, store });
      expect(await textsOf(await second.session("s"))).toEqual(shown);
      await second.importSession(lines, { id: "copy" });
      expect(await textsOf(await second.session("copy"))).toEqual(shown);
      await second.close();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

test("over HTTP a note is kept for later prompts, and with keep: false is not", async () => {
  await using server = await startTestServer();
  await server.ask("POST", "/api/sessions", { id: "s" });
  const prompt = (body: unknown) => server.ask("POST", "/api/sessions/s/prompts", body);
  const first = await prompt({ next: [question(0)], notes: "It is Monday.", provider: "anthropic" });
  expect([first.status, first.body.report.note.state]).toEqual([200, "added"]);
  const once = await prompt({ notes: { text: "Only now.", keep: false }, provider: "anthropic" });
  expect(once.body.report.note).toMatchObject({ state: "once", cost: expect.stringContaining("tokens") });
  const last = await prompt({ provider: "anthropic" });
  expect(JSON.stringify(last.body.prompt)).toContain("It is Monday.");
  expect(JSON.stringify(last.body.prompt)).not.toContain("Only now.");
});
