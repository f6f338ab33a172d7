import { describe, expect, test } from "vitest";
import { messageBuilder } from "../../../testing/builders.ts";
import { shows } from "../../../testing/shows.ts";
import { messageText } from "../../message/message-text.ts";
import type { CachedTier, TierSnapshot, TrackedItem } from "../../sections/tier.ts";
import { layOutHistory, layOutTexts, type WorkspaceContent, type WorkspaceLayout } from "./lay-out-workspace.ts";
import { type HistoryItem, orderPrompt } from "./order-history.ts";

const { aUserMessage, anAssistantMessage } = messageBuilder();
const EMPTY_WORKSPACE: WorkspaceContent = { outlines: [], links: [], files: [] };
const layOutWorkspace = (shown: WorkspaceContent, tiers?: TierSnapshot | undefined): WorkspaceLayout =>
  layOutHistory(layOutTexts(shown, tiers), tiers);
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
const reviewed: WorkspaceContent = { ...content, review: "-a\n+b" };
/** The first line of every message, in order. */
const heads = (layout: WorkspaceLayout, items: readonly HistoryItem[] = history): readonly string[] =>
  orderPrompt(layout, items).map(({ message }) => messageText(message).split("\n")[0] ?? "");

describe("layOutTexts and layOutHistory, without tiers", () => {
  const layout = layOutWorkspace(content);

  test(shows("S3-94", "the outlines are part of the system text, under a heading"), () => {
    expect(layout.system).toBe(
      "# Repository Structure\n\nc: class\n\na.ts:\n  class A\n    run()\n\nb.ts:\n  function b()",
    );
    expect(layout.tiers).toEqual([]);
  });

  test(
    shows("C-19", "the order is flat without tiers, and with empty tiers the outlines move out of the system text"),
    () => {
      const flat = layOutWorkspace(reviewed);
      expect(layOutWorkspace(reviewed, undefined)).toEqual(flat);
      expect(heads(flat).filter((head) => !head.startsWith("Ok"))).toEqual([
        "# Repository Files",
        "# URL Context",
        "# Code Review Context",
        "# Working Files",
        "Ask 1.",
        "Answer 2.",
        "Ask 3.",
        "Answer 4.",
      ]);
      // Outlines in no tier come with the changing content, so the system text has only the legend.
      const empty = layOutWorkspace(reviewed, []);
      expect(flat.system).toContain("class A");
      expect(empty.system).toBe("# Repository Structure\n\nc: class");
      expect(heads(empty)[0]).toBe("# Repository Structure (continued)");
      expect(heads(empty).slice(2)).toEqual(heads(flat));
    },
  );

  test(
    shows(
      ["S3-95", "S3-96", "S3-97", "C-15", "C-17"],
      "tree, links, review and working files come before history, each with a reply",
    ),
    () => {
      expect(heads(layOutWorkspace(reviewed))).toEqual([
        "# Repository Files",
        "Ok.",
        "# URL Context",
        "Ok, I've reviewed the URL content.",
        "# Code Review Context",
        "Ok, I've reviewed the code changes.",
        "# Working Files",
        "Ok.",
        "Ask 1.",
        "Answer 2.",
        "Ask 3.",
        "Answer 4.",
      ]);
      const roles = layOutWorkspace(reviewed).uncached.map(({ role }) => role);
      expect(roles).toEqual(Array.from({ length: 4 }, () => ["user", "assistant"]).flat());
    },
  );

  test(shows("C-15", "pages are separated by a line of dashes, and the tree is a count with one path per line"), () => {
    const links = [...content.links, { url: "https://b.example/", title: "Shore", text: "The sand.\n" }];
    const texts = layOutWorkspace({ ...content, links }).uncached.map(messageText);
    expect(texts.slice(0, 4)).toEqual([
      "# Repository Files\n\n3 files\na.ts\nb.ts\nc.ts",
      "Ok.",
      "# URL Context\n\nhttps://a.example/\nThe sea.\n---\nShore (https://b.example/)\nThe sand.",
      "Ok, I've reviewed the URL content.",
    ]);
  });

  test("an empty workspace adds no messages and no system text", () => {
    expect(layOutWorkspace(EMPTY_WORKSPACE)).toEqual({ system: undefined, tiers: [], uncached: [] });
  });
});

describe("layOutTexts and layOutHistory, with tiers", () => {
  const tiers: TierSnapshot = [
    ...inTier("L0", "symbol:a.ts"),
    ...inTier("L1", "symbol:b.ts"),
    ...inTier("L3", "file:c.ts", "history:1", "history:2"),
  ];
  const layout = layOutWorkspace(content, tiers);

  test("cached tiers come first, then changing content, then the active history", () => {
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
  });

  test(
    shows(
      ["S3-101", "S3-102"],
      "files in a tier are not listed as working files, whose heading is omitted if none is left",
    ),
    () => {
      const two = { ...content, files: [...content.files, { path: "d.ts", text: "d\n" }] };
      const working = layOutWorkspace(two, tiers).uncached.find(({ id }) => id === "workspace-working");
      expect(working === undefined ? "" : messageText(working)).toBe("# Working Files\n\nd.ts\n```\nd\n```");
      expect(layout.uncached.map(({ id }) => id)).not.toContain("workspace-working");
    },
  );

  test(shows("S3-105", "the outlines of L1 are a user message with a reply"), () => {
    expect(layout.tiers[0]?.tier).toBe("L1");
    expect(layout.tiers[0]?.messages.map((message) => [message.role, messageText(message)])).toEqual([
      ["user", "# Repository Structure (continued)\n\nb.ts:\n  function b()"],
      ["assistant", "Ok."],
    ]);
  });

  test(shows("C-14", "every section has its own heading, and files have the heading of their tier"), () => {
    const names = ["zero", "one", "two", "three", "working"];
    const everything: WorkspaceContent = {
      ...reviewed,
      files: names.map((path) => ({ path, text: path })),
      outlines: ["L0", "L1", "L2", "L3"].map((path) => ({ path, text: path })),
    };
    const placed = (["L0", "L1", "L2", "L3"] as const).flatMap((tier, index) =>
      inTier(tier, `file:${names[index]}`, `symbol:${tier}`),
    );
    const shown = layOutWorkspace(everything, placed);
    const text = [shown.system ?? "", ...orderPrompt(shown, []).map(({ message }) => messageText(message))];
    expect(text.join("\n").match(/^# .*$/gmu)).toEqual([
      "# Repository Structure",
      "# Reference Files (Stable)",
      "# Repository Structure (continued)",
      "# Reference Files",
      "# Repository Structure (continued)",
      "# Reference Files (L2)",
      "# Repository Structure (continued)",
      "# Reference Files (L3)",
      "# Repository Files",
      "# URL Context",
      "# Code Review Context",
      "# Working Files",
    ]);
    for (const [heading, path] of [
      ["# Reference Files (Stable)", "zero"],
      ["# Reference Files", "one"],
      ["# Reference Files (L2)", "two"],
      ["# Reference Files (L3)", "three"],
      ["# Working Files", "working"],
    ]) {
      expect(text.join("\n")).toContain(`${heading}\n\n${path}\n`);
    }
  });

  test(shows("S3-106", "an empty tier adds no messages"), () => {
    expect(layout.tiers.map(({ tier }) => tier)).toEqual(["L1", "L3"]);
    expect(heads(layOutWorkspace(EMPTY_WORKSPACE, []), [])).toEqual([]);
  });

  test("a tier with only history adds no workspace messages", () => {
    const only = layOutWorkspace(EMPTY_WORKSPACE, inTier("L2", "history:1"));
    expect(heads(only)).toEqual(["Ask 1.", "Answer 2.", "Ask 3.", "Answer 4."]);
  });

  test(shows("C-18", "every file is shown once: in full if it is chosen, otherwise as its outline"), () => {
    const both: TierSnapshot = [...inTier("L1", "symbol:c.ts", "symbol:a.ts"), ...inTier("L2", "file:c.ts")];
    const shown = layOutWorkspace(content, both);
    const text = [shown.system ?? "", ...orderPrompt(shown, []).map(({ message }) => messageText(message))].join("\n");
    for (const name of ["function c()", "class A", "function b()"]) expect(text.split(name).length - 1).toBe(1);
  });
});
