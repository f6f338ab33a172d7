/** Chosen files that are shed from a prompt that is too large: when, in which order, and how it is reported. */
import { describe, expect, test } from "vitest";
import { openPalimpsest } from "../../src/compose.ts";
import type { Session } from "../../src/engine/session/session.ts";
import type { PolicyInput } from "../../src/policies/policy-input.ts";
import { shows } from "../../src/testing/shows.ts";
import { ScriptedWorkspace } from "../support/scripted-workspace.ts";

const text = (words: number) => `${"every word of it counts ".repeat(Math.ceil(words / 5))}\n`;
/** Names and sizes are in different orders. */
const SIZES = { "b.txt": 3_000, "d.txt": 2_000, "a.txt": 1_000, "c.txt": 500 } as const;

const begin = async (
  sizes: Readonly<Record<string, number>>,
  { policy = "workspace", budgetTokens = 100_000 }: { policy?: PolicyInput | undefined; budgetTokens?: number } = {},
) => {
  const workspace = new ScriptedWorkspace();
  const engine = await openPalimpsest({ counter: "estimate", budgetTokens, policy, workspace });
  const session = await engine.session();
  for (const [path, words] of Object.entries(sizes)) {
    workspace.write(path, text(words));
    await session.workspace.files.add(path);
  }
  return { engine, session, workspace };
};
const NEXT = { role: "user", content: "Hello." } as const;
/** Previews which files would be shed with this budget. */
const previewReport = async (session: Session, budgetTokens: number) => {
  const { report } = await session.prompt({ next: NEXT, preview: true, budgetTokens });
  return { ...report, shed: report.workspace?.shed ?? [] };
};
/** The smallest budget whose nine tenths are this many tokens. */
const budgetOf = (tokens: number) => Math.ceil(tokens / 0.9);
const ask = async (session: Session, content: string) => {
  const prompt = await session.prompt({ next: { role: "user", content } });
  await session.append({ role: "assistant", content: "Yes." });
  return prompt;
};

describe("files of a prompt that is too large", () => {
  test(
    shows(
      ["S3-29", "S3-111", "C-23"],
      "files are shed when the estimate plus 500 tokens exceeds nine tenths of the budget, and not before",
    ),
    async () => {
      const { session } = await begin(SIZES);
      const { tokens } = await previewReport(session, 100_000);
      const fits = budgetOf(tokens + 500);
      expect(Math.floor(fits * 0.9)).toBe(tokens + 500);
      expect((await previewReport(session, fits)).shed).toEqual([]);
      expect((await previewReport(session, fits)).tokens).toBe(tokens);
      expect(Math.floor((fits - 1) * 0.9)).toBe(tokens + 499);
      expect((await previewReport(session, fits - 1)).shed.map(({ path }) => path)).toEqual(["b.txt"]);
    },
  );

  test(shows(["S3-29", "S3-111"], "the largest files are shed first, and no more than needed"), async () => {
    const { session } = await begin(SIZES);
    const { tokens } = await previewReport(session, 100_000);
    const all = (await previewReport(session, 800)).shed;
    expect(all.map(({ path }) => path)).toEqual(["b.txt", "d.txt", "a.txt", "c.txt"]);
    expect(all.map((file) => file.tokens)).toEqual(
      all.map((file) => file.tokens).toSorted((left, right) => right - left),
    );
    let rest = tokens;
    for (const [count, { tokens: size }] of all.entries()) {
      const { shed } = await previewReport(session, budgetOf(rest + 500) - 1);
      expect(shed).toEqual(all.slice(0, count + 1));
      rest -= size;
    }
    expect(session.workspace.files.paths).toEqual(["a.txt", "b.txt", "c.txt", "d.txt"]);
  });

  test(shows(["S3-29", "C-23"], "shed files stay out, with a warning in the log and in the report"), async () => {
    const { session } = await begin(SIZES, { budgetTokens: 4_000 });
    const prompt = await ask(session, "Hello.");
    const shed = prompt.report.workspace?.shed ?? [];
    expect(shed.map(({ path }) => path)).toEqual(["b.txt", "d.txt"]);
    const shown = JSON.stringify(prompt.as("openai"));
    expect(["a.txt", "b.txt", "c.txt", "d.txt"].map((path) => shown.includes(`${path}\\n\`\`\``))).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect(session.workspace.files.paths).toEqual(["a.txt", "c.txt"]);
    const notes = (await session.entries()).filter(({ type }) => type === "note");
    expect(notes).toMatchObject([{ kind: "warning", details: { shed } }]);
    for (const { path, tokens } of shed) {
      expect(prompt.report.warnings.join("\n")).toContain(`${path} (${tokens} tokens)`);
      expect(notes).toMatchObject([{ text: expect.stringContaining(`${path} (${tokens} tokens)`) }]);
    }
    // The remaining files stay without a warning.
    const next = await ask(session, "And now?");
    expect([next.report.workspace?.shed, next.report.warnings]).toEqual([[], []]);
  });

  test("files are shed after compaction under a policy that compacts before a prompt", async () => {
    const { session, workspace } = await begin({ "small.txt": 600 }, { policy: {}, budgetTokens: 6_000 });
    for (let turn = 0; turn < 12; turn += 1) {
      const prompt = await ask(session, `${turn}: ${text(600)}`);
      expect(prompt.report.tokens).toBeLessThanOrEqual(6_000 * 0.9);
      expect(prompt.report.workspace?.shed).toEqual([]);
    }
    expect((await session.getSummaryHistory()).length).toBeGreaterThan(0);
    workspace.write("small.txt", text(9_000));
    const { report } = await ask(session, "And now?");
    expect(report.workspace?.shed.map(({ path }) => path)).toEqual(["small.txt"]);
    expect(report.tokens).toBeLessThanOrEqual(6_000);
  });

  test("shedding files is not reported as a failed compaction", async () => {
    const { engine, session, workspace } = await begin({ "small.txt": 600 }, { policy: {}, budgetTokens: 6_000 });
    for (let turn = 0; turn < 4; turn += 1) await ask(session, `${turn}: ${text(600)}`);
    const received: unknown[] = [];
    engine.on("compaction-end", ({ outcome, reason }) => received.push({ outcome, reason }));
    engine.on("files-shed", (event) => received.push(event));
    workspace.write("small.txt", text(9_000));
    const { id, report } = await ask(session, "And now?");
    expect(received).toEqual([
      { outcome: "none", reason: "The conversation cannot be made smaller; workspace files are left out instead." },
      { sessionId: session.id, promptId: id, files: report.workspace?.shed },
    ]);
  });
});
