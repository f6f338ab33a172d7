/** How items enter and leave the tiers of a session over many requests, and how much stays outside. */
import { describe, expect, test } from "vitest";
import { openPalimpsest } from "../../src/compose.ts";
import type { Prompt } from "../../src/engine/prompt/prompt.ts";
import type { Session } from "../../src/engine/session/session.ts";
import type { PolicyInput } from "../../src/policies/policy-input.ts";
import { shows } from "../../src/testing/shows.ts";
import { ScriptedWorkspace } from "../support/scripted-workspace.ts";

type Options = NonNullable<Parameters<typeof openPalimpsest>[0]>;

const DOCUMENT = { cacheTiers: "document", cacheTargetTokens: 100 } as const;

const begin = async (workspace: ScriptedWorkspace, policy: PolicyInput = DOCUMENT) =>
  (await openPalimpsest({ counter: "estimate", budgetTokens: 20_000, policy, workspace })).session();
const ask = async (session: Session, text = "And now?"): Promise<Prompt> => {
  const prompt = await session.prompt({ next: { role: "user", content: text } });
  await session.append({ role: "assistant", content: `About ${text}` });
  return prompt;
};
const askTimes = async (session: Session, times: number): Promise<Prompt> => {
  let prompt = await ask(session);
  for (let turn = 1; turn < times; turn += 1) prompt = await ask(session);
  return prompt;
};
const itemsOf = ({ report }: Prompt) =>
  (report.workspace?.tiers ?? []).flatMap(({ tier, items }) => items.map((item) => ({ ...item, tier })));
const placeOf = (prompt: Prompt, key: string) => {
  const item = itemsOf(prompt).find((tracked) => tracked.key === key);
  return item === undefined ? undefined : `${item.tier} ${item.seen}`;
};
const historyOf = (prompt: Prompt) => itemsOf(prompt).filter(({ key }) => key.startsWith("history:"));
const symbolsOf = (prompt: Prompt) =>
  itemsOf(prompt).flatMap(({ key, tier }) => (key.startsWith("symbol:") ? [`${key} ${tier}`] : []));
const shown = (prompt: Prompt) => prompt.as("openai").messages.map(({ content }) => String(content));
const under = (prompt: Prompt, heading: string) => shown(prompt).find((text) => text.includes(`${heading}\n`)) ?? "";

const OUTLINE = Array.from({ length: 30 }, (_, index) => `f step${index}(): number`).join("\n");
const repository = () => {
  const workspace = new ScriptedWorkspace();
  for (const name of ["a", "b", "c"]) {
    const paths = [`${name}1.ts`, `${name}2.ts`];
    for (const path of paths)
      workspace.write(path, `text of ${path}\n`, { text: `${path} ${OUTLINE}`, refersTo: paths });
  }
  return workspace;
};

describe("a file of a session", () => {
  test(shows("C-4", "a chosen file enters the lowest tier with its outline after three requests"), async () => {
    const workspace = repository();
    const session = await begin(workspace);
    await ask(session);
    workspace.write("new.ts", "text of new.ts\n", { text: `new.ts ${OUTLINE}` });
    workspace.write("dropped.ts", "text of dropped.ts\n", { text: `dropped.ts ${OUTLINE}` });
    for (const path of ["new.ts", "dropped.ts"]) await session.workspace.files.add(path);
    const first = await ask(session);
    expect(under(first, "# Working Files")).toContain("text of new.ts");
    session.workspace.files.remove("dropped.ts");
    const [second, third, fourth] = [await ask(session), await ask(session), await ask(session)];
    for (const key of ["file:new.ts", "symbol:new.ts", "symbol:dropped.ts"]) {
      const places = [first, second, third, fourth].map((prompt) => placeOf(prompt, key));
      expect(places).toEqual(["active 0", "active 1", "active 2", "L3 3"]);
    }
    expect(session.workspace.files.paths).toEqual(["new.ts"]);
    expect(under(fourth, "# Reference Files (L3)")).toContain("text of new.ts");
    expect(under(fourth, "# Working Files")).toBe("");
    // Its outline is tracked but hidden while the file itself is shown.
    const all = shown(fourth).join("\n");
    expect([all.includes("new.ts f step0"), all.includes("dropped.ts f step0")]).toEqual([false, true]);
  });

  test(shows("C-10", "a file leaves its tier when it is deselected, and its outline stays"), async () => {
    const session = await begin(repository());
    await session.workspace.files.add("a1.ts");
    const before = await askTimes(session, 4);
    expect(placeOf(before, "file:a1.ts")).toBe("L3 3");
    session.workspace.files.remove("a1.ts");
    const after = await ask(session);
    expect(after.report.workspace?.moves).toContainEqual({
      key: "file:a1.ts",
      from: "L3",
      to: undefined,
      reason: "gone",
    });
    expect(after.report.workspace?.broken).toContain("L3");
    expect(placeOf(after, "file:a1.ts")).toBeUndefined();
    expect(symbolsOf(after)).toEqual(symbolsOf(before));
  });

  test(shows("C-10", "a deleted file leaves with its outline, and both tiers are rewritten"), async () => {
    const workspace = repository();
    const session = await begin(workspace);
    await session.workspace.files.add("a1.ts");
    const before = await askTimes(session, 4);
    const tier = placeOf(before, "symbol:a1.ts")?.slice(0, 2);
    expect(["L1", "L2"]).toContain(tier);
    workspace.remove("a1.ts");
    const after = await ask(session);
    expect(after.report.workspace?.moves.filter(({ reason }) => reason === "gone")).toEqual([
      { key: "symbol:a1.ts", from: tier, to: undefined, reason: "gone" },
      { key: "file:a1.ts", from: "L3", to: undefined, reason: "gone" },
    ]);
    expect(after.report.workspace?.broken).toEqual(expect.arrayContaining([tier, "L3"]));
    expect(itemsOf(after).filter(({ key }) => key.endsWith(":a1.ts"))).toEqual([]);
  });
});

describe("the history of a session", () => {
  const filler = "every word of it counts ".repeat(60);
  const POLICY = { ...DOCUMENT, cacheTargetTokens: 300, tail: { messages: 4, rounds: 1, ratio: 0.001 } } as const;
  /** Starts a conversation with enough history to fold, and with everything before the last question in a tier. */
  const startConversation = async () => {
    const workspace = repository();
    const session = await begin(workspace, POLICY);
    await session.workspace.files.add("a1.ts");
    for (let turn = 0; turn < 8; turn += 1) await ask(session, `${turn}: ${filler}`);
    for (const text of ["Who?", "Where?"]) await ask(session, text);
    session.workspace.files.remove("a1.ts");
    const before = await ask(session, "When?");
    expect(historyOf(before).map(({ tier }) => tier)).toEqual(Array.from({ length: 20 }, () => "L3"));
    expect(new Set(symbolsOf(before).map((symbol) => symbol.slice(-2)))).toEqual(new Set(["L1", "L2", "L3"]));
    return { session, workspace, before };
  };
  const keysOf = (prompt: Prompt) => historyOf(prompt).map(({ key }) => key);
  /** Items that left a tier. */
  const leaversOf = ({ report }: Prompt) =>
    (report.workspace?.moves ?? []).flatMap(({ key, to }) => (to === undefined ? [key] : []));

  test(
    shows(["S3-12", "C-10", "C-13"], "compacted history leaves its tiers, the rest starts again, and outlines stay"),
    async () => {
      const { session, before } = await startConversation();
      expect((await session.compact()).type).toBe("compacted");
      const kept = await session.history();
      expect(kept.map(({ parts }) => parts[0])).toMatchObject(
        ["Who?", "About Who?", "Where?", "About Where?", "When?", "About When?"]
          .map((text) => ({ text }))
          .slice(-kept.length),
      );
      expect(kept.length).toBeGreaterThanOrEqual(4);
      const after = await ask(session, "And then?");
      expect(leaversOf(after).toSorted()).toEqual(keysOf(before).toSorted());
      expect(after.report.workspace?.broken).toEqual(["L3"]);
      // The summary and all kept messages, some of which were in a tier.
      expect(historyOf(after).map(({ tier, seen }) => `${tier} ${seen}`)).toEqual(
        Array.from({ length: kept.length + 1 }, () => "active 0"),
      );
      expect(keysOf(after).filter((key) => keysOf(before).includes(key)).length).toBeGreaterThan(0);
      expect(shown(after).slice(-kept.length - 1)).toEqual([
        ...["Who?", "About Who?", "Where?", "About Where?", "When?", "About When?"].slice(-kept.length),
        "And then?",
      ]);
      expect(symbolsOf(after)).toEqual(symbolsOf(before));
    },
  );

  test(shows("C-13", "cleared history leaves its tiers, and outlines stay"), async () => {
    const { session, before } = await startConversation();
    await session.clear();
    const after = await ask(session, "And then?");
    expect(leaversOf(after).toSorted()).toEqual(keysOf(before).toSorted());
    expect(historyOf(after)).toEqual([]);
    expect(after.report.workspace?.broken).toEqual(["L3"]);
    expect(symbolsOf(after)).toEqual(symbolsOf(before));
  });

  test(shows("C-13", "a new session starts without history and keeps the tiers of outlines"), async () => {
    const { session, workspace } = await startConversation();
    await session.workspace.files.add("b1.ts");
    // A changed outline leaves its group, so that the tiers differ from a first request.
    workspace.write("a2.ts", "other\n", { text: `other ${OUTLINE}`, refersTo: ["a1.ts"] });
    const before = await askTimes(session, 4);
    expect(placeOf(before, "symbol:a2.ts")).toBe("L3 3");
    expect(placeOf(before, "symbol:a1.ts")).toMatch(/^L[12]/);
    const fresh = await session.reset();
    const after = await ask(fresh, "Hello.");
    expect(historyOf(after)).toEqual([]);
    expect(symbolsOf(after)).toEqual(symbolsOf(before));
    expect(placeOf(after, "file:b1.ts")).toBe("L3 3");
    expect(shown(after).join("\n")).not.toContain(filler);
  });
});

describe("parts outside the tiers", () => {
  type Model = Pick<Options, "model" | "policy">;
  const OLD = ["history:1", "history:2"];
  /**
   * Appends an old exchange and a newer one with an answer of this length, then changes a file. Returns the size of the
   * newer part, and the history in tiers.
   */
  const playWith = async (characters: number, options: Model) => {
    const workspace = new ScriptedWorkspace().write("hot.txt", "one\n");
    const session = await (await openPalimpsest({ counter: "estimate", workspace, ...options })).session();
    await session.workspace.files.add("hot.txt");
    const long = "abc ".repeat(characters).slice(0, characters);
    await session.append(
      ["Old.", "Yes.", "New?", long].map((content, index) => ({
        role: index % 2 === 0 ? "user" : "assistant",
        content,
      })),
    );
    await ask(session, "One.");
    workspace.write("hot.txt", "two\n");
    const history = historyOf(await ask(session, "Two."));
    const newerTokens = history.reduce((sum, { key, tokens }) => (OLD.includes(key) ? sum : sum + tokens), 0);
    return { newerTokens, cached: history.flatMap(({ key, tier }) => (tier === "active" ? [] : [`${key} ${tier}`])) };
  };
  /** Returns the history in tiers if the history after the oldest exchange has exactly this many tokens. */
  const cachedWith = async (newerTokens: number, options: Model) => {
    let characters = newerTokens * 4;
    for (;;) {
      const result = await playWith(characters, options);
      if (result.newerTokens === newerTokens) return result.cached;
      characters += Math.round((newerTokens - result.newerTokens) * 3.9);
    }
  };

  test.each([
    ["claude-sonnet-4-5", "default", 1_126],
    ["claude-opus-4-5", "default", 4_505],
    ["claude-haiku-4-5", "default", 4_505],
    ["claude-sonnet-4-5", "workspace", 1_536],
    ["claude-opus-4-5", "workspace", 1_536],
  ] as const)(
    shows("C-6", "for %s under the policy %s the newest history of %d tokens stays outside the tiers"),
    async (model, policy, target) => {
      const options = policy === "default" ? { model } : { model, policy };
      expect(await cachedWith(target - 1, options)).toEqual([]);
      expect(await cachedWith(target, options)).toEqual(["history:1 L3", "history:2 L3"]);
    },
  );
});
