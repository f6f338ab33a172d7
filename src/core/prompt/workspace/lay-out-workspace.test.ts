import { describe, expect, test } from "vitest";
import { messageBuilder } from "../../../testing/builders.ts";
import { shows } from "../../../testing/shows.ts";
import { messageText } from "../../message/message-text.ts";
import type { CachedTier, TierSnapshot, TrackedItem } from "../../sections/tier.ts";
import { EMPTY_WORKSPACE, layOutWorkspace, type WorkspaceContent, type WorkspaceLayout } from "./lay-out-workspace.ts";
import { type HistoryItem, orderPrompt } from "./order-prompt.ts";

const { aUserMessage, anAssistantMessage } = messageBuilder();
const content: WorkspaceContent = {
  legend: "c: class",
  outlines: [
    { path: "a.ts", text: "class A\n  run()" },
    { path: "b.ts", text: "function b()" },
    { path: "c.ts", text: "function c()" },
  ],
  tree: ["a.ts", "b.ts", "c.ts"],
  links: [{ url: "https://a.example/", text: "The sea." }],
  files: [{ path: "c.ts", text: "function c() {}\n" }],
};
const inTier = (tier: CachedTier, ...keys: readonly string[]): readonly TrackedItem[] =>
  keys.map((key) => ({ key, tier, seen: 0, hash: "", tokens: 1 }));

const history: readonly HistoryItem[] = [1, 2, 3, 4].map((seq) => ({
  seq,
  messages: [seq % 2 === 1 ? aUserMessage(`Ask ${seq}.`) : anAssistantMessage(`Answer ${seq}.`)],
}));
/** The first line of every message, in order. */
const heads = (layout: WorkspaceLayout, said: readonly HistoryItem[] = history): readonly string[] =>
  orderPrompt(layout, said).items.map(({ message }) => messageText(message).split("\n")[0] ?? "");

describe("without tiers", () => {
  const layout = layOutWorkspace(content);

  test(shows(["S3-94", "C-19"], "the outlines go on where the instructions end, under their heading"), () => {
    expect(layout.system).toBe(
      "# Repository Structure\n\nc: class\n\na.ts:\n  class A\n    run()\n\nb.ts:\n  function b()",
    );
    expect(layout.tiers).toEqual([]);
  });

  test(
    shows(
      ["S3-95", "S3-96", "S3-97", "S3-98", "C-15", "C-17"],
      "tree, links and working files come before history, each with its answer",
    ),
    () => {
      expect(heads(layout)).toEqual([
        "# Repository Files",
        "Ok.",
        "# URL Context",
        "Ok, I've reviewed the URL content.",
        "# Working Files",
        "Ok.",
        "Ask 1.",
        "Answer 2.",
        "Ask 3.",
        "Answer 4.",
      ]);
    },
  );

  test("a review stands between links and working files", () => {
    expect(heads(layOutWorkspace({ ...content, review: "-a\n+b" }), []).slice(4, 6)).toEqual([
      "# Code Review Context",
      "Ok, I've reviewed the code changes.",
    ]);
  });

  test("an empty workspace shows nothing at all", () => {
    expect(layOutWorkspace(EMPTY_WORKSPACE)).toEqual({ system: undefined, tiers: [], uncached: [] });
  });
});

describe("with tiers", () => {
  const tiers: TierSnapshot = [
    ...inTier("L0", "symbol:a.ts"),
    ...inTier("L1", "symbol:b.ts"),
    ...inTier("L3", "file:c.ts", "history:1", "history:2"),
  ];
  const layout = layOutWorkspace(content, tiers);

  test(
    shows(["S3-107", "S3-108", "S3-109"], "what is oldest stands first, then what changes, then the active history"),
    () => {
      expect(layout.system).toContain("class A");
      expect(heads(layout)).toEqual([
        "# Repository Structure (continued)",
        "Ok.",
        "# Reference Files (L3)",
        "Ok.",
        "Ask 1.",
        "Answer 2.",
        "# Repository Files",
        "Ok.",
        "# URL Context",
        "Ok, I've reviewed the URL content.",
        "Ask 3.",
        "Answer 4.",
      ]);
    },
  );

  test(
    shows(
      ["S3-101", "S3-102", "S3-105", "C-14"],
      "what has graduated leaves the working files; without any, their heading goes too",
    ),
    () => {
      const [pairOfL1] = layout.tiers[0]?.messages ?? [];
      expect(pairOfL1 === undefined ? "" : messageText(pairOfL1)).toContain("function b()");
      const two = { ...content, files: [...content.files, { path: "d.ts", text: "d\n" }] };
      const working = layOutWorkspace(two, tiers).uncached.find(({ id }) => id === "workspace-working");
      expect(working === undefined ? "" : messageText(working)).toBe("# Working Files\n\nd.ts\n```\nd\n```");
      expect(layout.uncached.map(({ id }) => id)).not.toContain("workspace-working");
    },
  );

  test(shows("C-14", "each tier of files has its own heading"), () => {
    const headed = (tier: CachedTier): string =>
      JSON.stringify(layOutWorkspace({ ...EMPTY_WORKSPACE, files: content.files }, inTier(tier, "file:c.ts")));
    expect(headed("L0")).toContain("# Reference Files (Stable)");
    expect(headed("L1")).toContain("# Reference Files\\n");
    expect(headed("L2")).toContain("# Reference Files (L2)");
  });

  test(shows("S3-106", "an empty tier shows nothing"), () => {
    expect(layout.tiers.map(({ tier }) => tier)).toEqual(["L1", "L3"]);
    expect(heads(layOutWorkspace(EMPTY_WORKSPACE, []), [])).toEqual([]);
  });

  test("a tier that holds only history shows just that", () => {
    const only = layOutWorkspace(EMPTY_WORKSPACE, inTier("L2", "history:1"));
    expect(heads(only)).toEqual(["Ask 1.", "Answer 2.", "Ask 3.", "Answer 4."]);
  });

  test(shows("C-18", "a file is there once: chosen as its text, otherwise as its outline, in one place"), () => {
    const both: TierSnapshot = [...inTier("L1", "symbol:c.ts", "symbol:a.ts"), ...inTier("L2", "file:c.ts")];
    const shown = layOutWorkspace(content, both);
    const text = [shown.system ?? "", ...orderPrompt(shown, []).items.map(({ message }) => messageText(message))].join(
      "\n",
    );
    for (const name of ["function c()", "class A", "function b()"]) expect(text.split(name).length - 1).toBe(1);
  });

  test("says where each cached tier ends, the first one with the system text", () => {
    expect(orderPrompt(layout, history).tierEnds).toEqual([
      { tier: "L0", index: -1 },
      { tier: "L1", index: 1 },
      { tier: "L3", index: 5 },
    ]);
    const withOldest = layOutWorkspace(content, [...tiers.slice(0, 2), ...inTier("L0", "history:1")]);
    expect(orderPrompt(withOldest, history).tierEnds[0]).toEqual({ tier: "L0", index: 0 });
  });
});
