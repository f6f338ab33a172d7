/** Whole sessions under the document's tier rules: the order of a prompt and its breakpoints. */
import { describe, expect, test } from "vitest";
import { openPalimpsest } from "../../src/compose.ts";
import { messageText } from "../../src/core/message/message-text.ts";
import type { Prompt } from "../../src/engine/prompt/prompt.ts";
import type { Session } from "../../src/engine/session/session.ts";
import type { PolicyInput } from "../../src/policies/policy-input.ts";
import { shows } from "../../src/testing/shows.ts";
import { ScriptedWorkspace } from "../support/scripted-workspace.ts";

/** Large enough that a group of outlines fills a tier, and a few words do not. */
const POLICY = { preset: "workspace", cacheTargetTokens: 100 } as const;

const begin = async (workspace: ScriptedWorkspace, policy: PolicyInput = POLICY) =>
  (await openPalimpsest({ counter: "estimate", model: "claude-sonnet-4-5", policy, workspace })).session();
const ask = async (session: Session, text: string): Promise<Prompt> => {
  const prompt = await session.prompt({ next: { role: "user", content: text }, instructions: "You help." });
  await session.append({ role: "assistant", content: `About ${text}` });
  return prompt;
};
const tierOf = ({ report }: Prompt, key: string) =>
  report.workspace?.tiers?.find(({ items }) => items.some((item) => item.key === key))?.tier;
/** Returns the role and the first line of every message, in order. */
const heads = (prompt: Prompt) =>
  prompt.as("openai").messages.map(({ role, content }) => `${role}: ${String(content).split("\n")[0]}`);
const systemOf = (prompt: Prompt) => JSON.stringify(prompt.as("anthropic").system);
const blocksOf = (prompt: Prompt): readonly unknown[] =>
  prompt.as("anthropic").messages.flatMap(({ content }) => [content].flat());
const isMarked = (block: unknown) => JSON.stringify(block).includes('"cache_control":{"type":"ephemeral"}');
/** Returns the texts with a breakpoint, in order, without the system text. */
const marked = (prompt: Prompt) =>
  blocksOf(prompt)
    .filter(isMarked)
    .map((block) => (typeof block === "object" && block !== null && "text" in block ? block.text : block));

const OUTLINE = Array.from({ length: 30 }, (_, index) => `f step${index}(): number`).join("\n");
/** Three groups of files that refer to each other, and one unreferenced file. */
const repository = () => {
  const workspace = new ScriptedWorkspace().write("alone.ts", "alone\n", { text: OUTLINE });
  for (const name of ["a", "b", "c"]) {
    const paths = [`${name}1.ts`, `${name}2.ts`];
    for (const path of paths) workspace.write(path, `${path}\n`, { text: `${path} ${OUTLINE}`, refersTo: paths });
  }
  return workspace;
};
const tiersOf = ({ report }: Prompt) =>
  Object.fromEntries(
    (report.workspace?.tiers ?? []).map(({ tier, items }) => [tier, items.map(({ key }) => key).toSorted()]),
  );

describe("the first request", () => {
  test(
    shows(["S3-143", "C-11"], "starts without tiers and places outlines by their references, none at the top"),
    async () => {
      const workspace = repository();
      const session = await begin(workspace);
      expect(await session.entries()).toEqual([]);
      workspace.write("late.ts", "late\n", { text: `late ${OUTLINE}`, refersTo: ["a1.ts"] });
      const prompt = await ask(session, "One.");
      const tiers = tiersOf(prompt);
      expect(Object.keys(tiers)).toEqual(["L1", "L2", "L3"]);
      for (const name of ["a", "b", "c"]) {
        expect(tierOf(prompt, `symbol:${name}1.ts`)).toBe(tierOf(prompt, `symbol:${name}2.ts`));
      }
      const placed = Object.values(tiers).flat().toSorted();
      expect(placed).toEqual(["a1", "a2", "alone", "b1", "b2", "c1", "c2", "late"].map((name) => `symbol:${name}.ts`));
      expect(prompt.report.plan.tiers).toEqual(prompt.report.workspace?.tiers);
      // Items placed before their content was read stay when it is read.
      const second = await ask(session, "Two.");
      expect([prompt, second].map(({ report }) => report.workspace?.moves)).toEqual([[], []]);
      workspace.write("b1.ts", "b1.ts\n", { text: "f other(): number", refersTo: ["b2.ts"] });
      const edited = await ask(session, "Three.");
      expect(tierOf(edited, "symbol:b1.ts")).toBe("active");
      expect(tierOf(edited, "symbol:b2.ts")).toBe(tierOf(second, "symbol:b2.ts"));
    },
  );

  test(shows(["S3-103", "C-16"], "has a breakpoint on the system text if the first tier has no history"), async () => {
    const prompt = await ask(await begin(new ScriptedWorkspace()), "One.");
    const text = "You help.\n\n# Repository Structure\n\nf: function";
    expect(prompt.as("anthropic").system).toEqual([{ type: "text", text, cache_control: { type: "ephemeral" } }]);
    expect(marked(prompt)).toEqual([]);
  });

  test(shows(["S3-110", "C-16"], "has one breakpoint for every filled tier"), async () => {
    const prompt = await ask(await begin(repository()), "One.");
    expect(systemOf(prompt)).toContain("cache_control");
    expect(marked(prompt)).toEqual(["Ok.", "Ok.", "Ok."]);
    const { messages } = prompt.as("anthropic");
    const places = messages.flatMap((message, index) =>
      JSON.stringify(message).includes("cache_control") ? [index] : [],
    );
    expect(places).toEqual([1, 3, 5]);
    expect(heads(prompt).slice(1, 8)).toEqual([
      "user: # Repository Structure (continued)",
      "assistant: Ok.",
      "user: # Repository Structure (continued)",
      "assistant: Ok.",
      "user: # Repository Structure (continued)",
      "assistant: Ok.",
      "user: # Repository Files",
    ]);
  });

  test(shows("C-16", "has breakpoints only above the provider's minimum"), async () => {
    const hasTierMark = async (lines: number, model: string) => {
      const workspace = new ScriptedWorkspace().write("a.ts", "a\n", { text: `${OUTLINE}\n`.repeat(lines) });
      const session = await (await openPalimpsest({ counter: "estimate", model, workspace })).session();
      const prompt = await ask(session, "One.");
      expect(JSON.stringify(prompt.as("anthropic")).split("cache_control").length - 1).toBeLessThanOrEqual(4);
      return systemOf(prompt).includes("cache_control") || marked(prompt).includes("Ok.");
    };
    // About 190 tokens each; one model needs 1,024 to cache, the other 4,096.
    expect(await hasTierMark(4, "claude-sonnet-4-5")).toBe(false);
    expect(await hasTierMark(8, "claude-sonnet-4-5")).toBe(true);
    expect(await hasTierMark(8, "claude-opus-4-5")).toBe(false);
    expect(await hasTierMark(30, "claude-opus-4-5")).toBe(true);
  });
});

describe("history in the tiers", () => {
  const names = Array.from({ length: 16 }, (_, index) => `note${String(index).padStart(2, "0")}.txt`);
  /**
   * Plays a session that chooses all files together; from the fourth request, one is removed each time, so that the
   * tiers above are rewritten.
   */
  const risen = async () => {
    const workspace = new ScriptedWorkspace();
    for (const name of names) workspace.write(name, `Text of ${name}, with some more words.\n`);
    const session = await begin(workspace, { ...POLICY, cacheTargetTokens: 20 });
    for (const name of names) await session.workspace.files.add(name);
    let prompt = await ask(session, "0.");
    for (let turn = 1; turn <= 12; turn += 1) {
      if (turn > 3) session.workspace.files.remove(names.at(3 - turn) ?? "");
      prompt = await ask(session, `${turn}.`);
    }
    return { session, prompt };
  };

  test(
    shows(
      ["S3-104", "S3-110", "C-16"],
      "history has the breakpoint of its tier, and the system text has none if history is in the first tier",
    ),
    async () => {
      const { session, prompt } = await risen();
      const entries = await session.entries();
      const tiers = (prompt.report.workspace?.tiers ?? []).filter(({ tier }) => tier !== "active");
      expect(tiers.map(({ tier }) => tier)).toEqual(["L0", "L1", "L2", "L3"]);
      // Returns the last message of a tier: its newest history, or the answer to its files.
      const lastOf = ({ items }: (typeof tiers)[number]) => {
        const seqs = items.flatMap(({ key }) => (key.startsWith("history:") ? [Number(key.slice(8))] : []));
        const entry = entries.find(({ seq }) => seq === Math.max(...seqs));
        return entry?.type === "message" ? messageText(entry.message) : "Ok.";
      };
      expect(marked(prompt)).toEqual(tiers.map(lastOf));
      expect(marked(prompt)[0]).toMatch(/^About \d+\.$/);
      expect(systemOf(prompt)).not.toContain("cache_control");
      const history = heads(prompt).filter((head) => /\d+\.$/.test(head));
      expect(history).toEqual([
        ...Array.from({ length: 12 }, (_, turn) => [`user: ${turn}.`, `assistant: About ${turn}.`]).flat(),
        "user: 12.",
      ]);
    },
  );

  test(
    shows("C-16", "a request has at most four breakpoints, none on changing content and none on the question"),
    async () => {
      const { session } = await risen();
      for (let turn = 13; turn < 20; turn += 1) {
        const prompt = await ask(session, `${turn}.`);
        const marks = JSON.stringify(prompt.as("anthropic")).split("cache_control").length - 1;
        expect(marks).toBe(new Set(["L0", ...Object.keys(tiersOf(prompt)).filter((tier) => tier !== "active")]).size);
        expect(marks).toBeLessThanOrEqual(4);
        const blocks = blocksOf(prompt);
        const tree = blocks.findIndex((block) => JSON.stringify(block).includes("# Repository Files"));
        expect(tree).toBeGreaterThan(0);
        expect(blocks.slice(tree).filter(isMarked)).toEqual([]);
      }
    },
  );
});

describe("the order of a prompt", () => {
  /** Plays a session with a settled file, a working file, a page, a review and history. */
  const full = async (policy: PolicyInput) => {
    const workspace = repository().write("settled.txt", "Settled.\n").write("working.txt", "Working.\n");
    const session = await begin(workspace, policy);
    await session.workspace.files.add("settled.txt");
    for (const text of ["One.", "Two.", "Three.", "Four."]) await ask(session, text);
    await session.workspace.files.add("working.txt");
    await session.workspace.addLink("https://a.example/", "The sea.");
    session.workspace.review("-a\n+b");
    return ask(session, "Five?");
  };
  const UNCACHED = [
    "user: # Repository Files",
    "assistant: Ok.",
    "user: # URL Context",
    "assistant: Ok, I've reviewed the URL content.",
    "user: # Code Review Context",
    "assistant: Ok, I've reviewed the code changes.",
    "user: # Working Files",
    "assistant: Ok.",
  ];
  const exchange = (text: string) => [`user: ${text}`, `assistant: About ${text}`];

  test(
    shows(
      ["S3-105", "S3-107", "S3-108", "S3-109", "C-17"],
      "a prompt goes from the system text through the tiers to changing content, active history and the question",
    ),
    async () => {
      const prompt = await full(POLICY);
      expect(tierOf(prompt, "file:settled.txt")).toBe("L3");
      expect(tierOf(prompt, "file:working.txt")).toBe("active");
      expect(heads(prompt)).toEqual([
        "system: You help.",
        "user: # Repository Structure (continued)",
        "assistant: Ok.",
        "user: # Repository Structure (continued)",
        "assistant: Ok.",
        "user: # Repository Structure (continued)",
        "assistant: Ok.",
        ...["One.", "Two.", "Three."].flatMap(exchange),
        ...UNCACHED,
        ...exchange("Four."),
        "user: Five?",
      ]);
      const texts = prompt.as("openai").messages.map(({ content }) => String(content));
      expect(texts[0]).toContain("# Repository Structure\n\nf: function");
      const inL1 = tiersOf(prompt).L1?.map((key) => key.slice("symbol:".length)) ?? [];
      expect(inL1.length).toBeGreaterThan(1);
      expect(texts[1]?.match(/^\S+\.ts:$/gmu)).toEqual(inL1.map((path) => `${path}:`));
      expect(texts[5]).toContain("# Reference Files (L3)\n\nsettled.txt\n");
      expect(texts.find((text) => text.startsWith("# Working Files"))).toBe(
        "# Working Files\n\nworking.txt\n```\nWorking.\n```",
      );
    },
  );

  test(shows(["S3-98", "C-17", "C-19"], "a prompt without tiers is flat: workspace, history, question"), async () => {
    const prompt = await full({ ...POLICY, cacheTiers: "off" });
    expect(prompt.report.workspace?.tiers).toBeUndefined();
    expect(heads(prompt)).toEqual([
      "system: You help.",
      ...UNCACHED,
      ...["One.", "Two.", "Three.", "Four."].flatMap(exchange),
      "user: Five?",
    ]);
    const [system] = prompt.as("openai").messages;
    expect(String(system?.content).match(/^\S+\.ts:$/gmu)).toHaveLength(7);
  });
});
