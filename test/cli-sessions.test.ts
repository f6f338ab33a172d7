/** `palimpsest show`, `inspect`, `compact` and `undo` on one session. */
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { openPalimpsest } from "../src/compose.ts";
import { newFolders } from "./support/new-folders.ts";
import { runCommand } from "./support/run-command.ts";

const newFolder = newFolders("cli-sessions");
let folder = "";

const run = (...args: readonly string[]) => runCommand(args, { PALIMPSEST_HOME: folder });

const words = "the quick brown fox jumps over the lazy dog ".repeat(20);
const exchanges = Array.from({ length: 20 }, (_, index) => [
  { id: `q${index}`, role: "user", content: `Question ${index}: ${words}` },
  { id: `a${index}`, role: "assistant", content: `Answer ${index}: ${words}` },
]).flat();

beforeEach(async () => {
  folder = newFolder();
  const palimpsest = await openPalimpsest({ store: `sqlite:${join(folder, "palimpsest.db")}` });
  await (await palimpsest.create({ id: "plans" })).append(exchanges);
  const tools = await palimpsest.create({ id: "tools" });
  const call = { toolCallId: "c1", toolName: "read" };
  await tools.append([
    { id: "ask", role: "user", content: "Read it.\u001b[2J" },
    { id: "call", role: "assistant", content: [{ type: "tool-call", ...call, input: { path: "a.txt" } }] },
    {
      id: "result",
      role: "tool",
      content: [{ type: "tool-result", ...call, output: { type: "text", value: "x".repeat(500) } }],
    },
  ]);
  await palimpsest.close();
});

describe("palimpsest show", () => {
  test("prints all messages, from the file that the server uses", async () => {
    const { code, out } = await run("show", "plans", "--last", "2");
    expect(code).toBe(0);
    expect(out).toMatch(/^#39 user {2}\[q19\]\n {2}Question 19: the quick/);
    expect(out).toContain("#40 assistant  [a19]");
    const lines = (await run("show", "plans", "--json")).out.trimEnd().split("\n");
    expect(lines).toHaveLength(40);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ seq: 1, message: { id: "q0", role: "user" } });
  });

  test("shortens tool results unless --full is given, and escapes control characters", async () => {
    const { out } = await run("show", "tools");
    expect(out).toContain("Read it.\\u001b[2J");
    expect(out).toContain('(calls read: {"path":"a.txt"})');
    expect(out).toMatch(/\(read returned: x{200}… 500 characters\)/);
    expect((await run("show", "tools", "--full")).out).toContain("x".repeat(500));
    expect((await run("show", "tools", "--message", "ask", "--json")).out).toContain('"id":"ask"');
  });

  test("reports a session or a message that does not exist", async () => {
    expect(await run("show", "nobody")).toMatchObject({ code: 4, err: expect.stringContaining("nobody") });
    expect(await run("show", "plans", "--message", "none")).toMatchObject({ code: 4 });
    expect(await run("show", "plans", "--last", "0")).toMatchObject({ code: 2 });
  });
});

describe("compact, inspect and undo", () => {
  test("use the sample's own window for a sample, and a larger one for another session", async () => {
    const palimpsest = await openPalimpsest({ store: `sqlite:${join(folder, "palimpsest.db")}` });
    await (await palimpsest.create({ id: "sample-one" })).append({ role: "user", content: "How large is it?" });
    await palimpsest.close();
    const inspected = JSON.parse((await run("inspect", "sample-one", "--json")).out);
    expect(inspected.window).toMatchObject({ windowTokens: 6_000, reserveTokens: 1_000 });
    expect(inspected.budget.maxInputTokens).toBe(5_000);
    expect(inspected.compaction.triggerTokens).toBe(inspected.window.triggerTokens);
    const other = JSON.parse((await run("inspect", "tools", "--json")).out);
    expect(other.window.windowTokens).toBeGreaterThan(6_000);
  });

  test("use the model of the session's last prompt", async () => {
    const palimpsest = await openPalimpsest({ store: `sqlite:${join(folder, "palimpsest.db")}` });
    const session = await palimpsest.create({ id: "small" });
    await session.append(exchanges);
    await session.prompt({ model: "gpt-4", next: { id: "next", role: "user", content: "What now?" } });
    await palimpsest.close();
    const inspected = JSON.parse((await run("inspect", "small", "--json")).out);
    expect(inspected.window.windowTokens).toBe(8_192);
    expect(JSON.parse((await run("show", "small", "--view", "--json")).out).limitTokens).toBe(8_192 - 1_638);
  });

  test("use the sample's own window in a compaction", async () => {
    const palimpsest = await openPalimpsest({ store: `sqlite:${join(folder, "palimpsest.db")}` });
    const session = await palimpsest.create({ id: "sample-two" });
    await session.append(exchanges.slice(0, 16));
    const as = { windowTokens: 6_000, reserveTokens: 1_000 };
    const expected = await session.compact({ preview: true, as });
    await palimpsest.close();
    const preview = JSON.parse((await run("compact", "sample-two", "--preview", "--json")).out);
    if (expected.type !== "preview") throw new Error(expected.type);
    expect(preview.kept.length).toBe(expected.kept.length);
  });

  test("shrink a session, explain the fate of a message, and revert the compaction", async () => {
    const preview = JSON.parse((await run("compact", "plans", "--preview", "--json")).out);
    expect(preview).toMatchObject({ type: "preview", id: "plans" });
    expect(preview.after.tokens).toBeLessThan(preview.before.tokens);
    expect((await run("compact", "plans", "--preview")).out).toMatch(/→ \d+ tokens \(preview\)[\s\S]*The summary:/);
    expect((await run("inspect", "plans", "--message", "q0")).out).toMatch(/^#1 q0: verbatim, shown/);

    const compacted = await run("compact", "plans");
    expect(compacted.out).toMatch(/^plans: \d+ → \d+ tokens .*\nUndo: npm run palimpsest -- undo plans$/m);
    const inspected = JSON.parse((await run("inspect", "plans", "--json")).out);
    expect(inspected).toMatchObject({ id: "plans", plan: { runs: [{ firstSeq: 1, fate: "summarised" }, {}] } });
    expect(inspected.summary.text).not.toBe("");
    const page = (await run("inspect", "plans")).out;
    expect(page).toMatch(
      /^plans: the next prompt takes \d+ of \d+ tokens, \d+ %; stored history \d+ tokens\ncompaction: starts at \d+ tokens/,
    );
    expect(page).toMatch(/ {2}#1-\d+ +summarised +0 tokens/);
    expect((await run("inspect", "plans", "--message", "q0")).out).toMatch(/^#1 q0: summarised, not shown/);
    expect((await run("show", "plans", "--view")).out.match(/^user {2}\[\d+\]$/gm)?.length).toBeLessThan(20);
    expect(JSON.parse((await run("show", "plans", "--view", "--json")).out).messages.length).toBeLessThan(40);

    const undone = JSON.parse((await run("undo", "plans", "--json")).out);
    expect(undone).toMatchObject({ type: "undone", undid: { kinds: ["summary"] } });
    expect((await run("inspect", "plans", "--message", "q0")).out).toMatch(/^#1 q0: verbatim, shown/);
    const redone = JSON.parse((await run("undo", "plans", undone.entryId, "--json")).out);
    expect(redone).toMatchObject({ type: "undone", isRedo: true });
    const again = await run("undo", "plans", redone.entryId);
    expect(again.out).toMatch(/^plans: undid summary\. Redo: .+ undo plans /);
    expect((await run("undo", "plans", again.out.trim().split(" ").at(-1) ?? "")).out).toMatch(/^plans: redid summary/);
    const unknown = await run("undo", "plans", "no-such-entry");
    expect([unknown.code, unknown.out]).toEqual([4, expect.stringContaining("cannot be undone")]);
    expect((await run("undo", "tools")).out).toContain("nothing to undo");
    expect((await run("compact", "tools")).out).toContain("nothing to compact");
  });
});
