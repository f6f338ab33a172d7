/** The workspace in prompts, request by request, from `session.prompt` and its report. */
import { beforeAll, describe, expect, test } from "vitest";
import { openPalimpsest, type Prompt, type Session } from "../../src/index.ts";
import { shows } from "../../src/testing/shows.ts";
import { ScriptedWorkspace } from "../support/scripted-workspace.ts";

const TARGET_TOKENS = 100;
const POLICY = { preset: "workspace", cacheTargetTokens: TARGET_TOKENS } as const;

async function begin(workspace: ScriptedWorkspace, policy: object = POLICY): Promise<Session> {
  const engine = await openPalimpsest({ counter: "estimate", budgetTokens: 2_000_000, policy, workspace });
  return engine.session();
}

async function ask(session: Session, text = "And now?"): Promise<Prompt> {
  const prompt = await session.prompt({ next: { role: "user", content: text }, instructions: "You help." });
  await session.append({ role: "assistant", content: `About ${text}` });
  return prompt;
}

const textsOf = (prompt: Prompt) => prompt.as("openai").messages.map(({ content }) => String(content));
const wholeOf = (prompt: Prompt) => textsOf(prompt).join("\n");

/** Returns the message under a heading, and the one after it. */
function pairUnder(prompt: Prompt, heading: string) {
  const { messages } = prompt.as("openai");
  const index = messages.findIndex(({ content }) => String(content).startsWith(`${heading}\n`));
  return messages.slice(index, index + 2).map(({ role, content }) => ({ role, text: String(content) }));
}

const countOf = (text: string, part: string) => text.split(part).length - 1;

describe("a workspace without tiers", () => {
  let prompt: Prompt;

  beforeAll(async () => {
    const workspace = new ScriptedWorkspace()
      .write("b.ts", "text of b\n", { text: "f b(): number" })
      .write("a.ts", "text of a\n", { text: "f a(): number" });
    const session = await begin(workspace, { ...POLICY, cacheTiers: "off" });
    await session.workspace.files.add("a.ts");
    await session.workspace.addLink("https://one.example/", "The sea.");
    await session.workspace.addLink("https://two.example/", "The land.");
    session.workspace.review("-old\n+new");
    prompt = await ask(session);
  });

  test(shows(["S3-94", "C-14"], "outlines are in the system text under their heading"), () => {
    expect(textsOf(prompt)[0]).toMatch(
      /^You help\.\n\n# Repository Structure\n\nf: function\n\nb\.ts:\n {2}f b\(\): number$/,
    );
  });

  test(shows(["S3-95", "C-14", "C-15"], "the tree is shown flat, sorted and counted, as a pair"), () => {
    const [tree, answer] = pairUnder(prompt, "# Repository Files");
    expect(tree?.role).toBe("user");
    expect(tree?.text).toMatch(/2 files/);
    expect(tree?.text).toMatch(/\na\.ts\nb\.ts$/);
    expect(answer).toEqual({ role: "assistant", text: "Ok." });
  });

  test(shows(["S3-96", "C-14", "C-15"], "pages are separated by dashes, as a pair with its own answer"), () => {
    const [links, answer] = pairUnder(prompt, "# URL Context");
    expect(links?.text).toMatch(/one\.example[\s\S]*The sea\.\n+---\n+[\s\S]*two\.example[\s\S]*The land\./);
    expect(answer).toEqual({ role: "assistant", text: "Ok, I've reviewed the URL content." });
  });

  test(shows(["S3-97", "C-14", "C-15"], "working files and changes under review are shown as pairs"), () => {
    const [working, answer] = pairUnder(prompt, "# Working Files");
    expect(working?.text).toContain("text of a");
    expect(answer).toEqual({ role: "assistant", text: "Ok." });
    const [review, reviewed] = pairUnder(prompt, "# Code Review Context");
    expect(review?.text).toContain("-old\n+new");
    expect(reviewed).toEqual({ role: "assistant", text: "Ok, I've reviewed the code changes." });
  });

  test(shows("C-18", "a file is shown once, as text or as outline"), () => {
    const all = wholeOf(prompt);
    expect([countOf(all, "text of a"), countOf(all, "f a()")]).toEqual([1, 0]);
    expect([countOf(all, "text of b"), countOf(all, "f b()")]).toEqual([0, 1]);
  });
});

type Tier = NonNullable<NonNullable<Prompt["report"]["workspace"]>["tiers"]>[number];
type Move = NonNullable<Prompt["report"]["workspace"]>["moves"][number];

interface PlayedRequest {
  readonly prompt: Prompt;
  readonly tiers: readonly Tier[];
  readonly moves: readonly Move[];
  readonly broken: readonly string[];
}

const REQUESTS = 40;
const CHANGED_AT = 30;
const REMOVED_FROM = 32;
const TIER_THRESHOLDS = ["active", "L3", "L2", "L1", "L0"];
const ENTRY: Readonly<Record<string, number>> = { active: 0, L3: 3, L2: 6, L1: 9, L0: 12 };

const nameOf = (index: number) => `n${String(index).padStart(2, "0")}.ts`;

/** Plays requests that each choose a file; one file is edited late, and then old ones are removed one by one. */
async function playRequests(): Promise<readonly PlayedRequest[]> {
  const workspace = new ScriptedWorkspace();
  const session = await begin(workspace);
  const played: PlayedRequest[] = [];
  for (let index = 0; index < REQUESTS; index += 1) {
    const path = nameOf(index);
    workspace.write(path, `text of ${path} ${"word ".repeat(120)}\n`);
    await session.workspace.files.add(path);
    if (index === CHANGED_AT) workspace.write(nameOf(0), `edited ${nameOf(0)} ${"word ".repeat(120)}\n`);
    if (index >= REMOVED_FROM) session.workspace.files.remove(nameOf(index - CHANGED_AT));
    const prompt = await ask(session, `Question ${index}`);
    const { tiers = [], moves = [], broken = [] } = prompt.report.workspace ?? {};
    played.push({ prompt, tiers, moves, broken });
  }
  return played;
}

describe("a workspace in tiers, over forty requests", () => {
  let played: readonly PlayedRequest[];

  beforeAll(async () => {
    played = await playRequests();
  });

  const at = (index: number): PlayedRequest => {
    const request = played[index];
    if (request === undefined) throw new Error(`There is no request ${index}.`);
    return request;
  };
  const placeAt = (index: number, key: string) =>
    at(index).tiers.flatMap(({ tier, items }) =>
      items.flatMap((item) => (item.key === key ? [{ tier: String(tier), seen: item.seen }] : [])),
    )[0];

  test(shows("C-1", "items enter the five tiers after 0, 3, 6, 9 and 12 requests"), () => {
    const rises = new Map(
      played.flatMap(({ tiers }) => tiers.flatMap(({ tier, items }) => items.map(({ risesAt }) => [tier, risesAt]))),
    );
    expect(Object.fromEntries(rises)).toEqual({ active: 3, L3: 6, L2: 9, L1: 12, L0: undefined });
    const entered = played.flatMap(({ moves }, index) =>
      moves
        .filter(({ reason, to }) => reason === "unchanged" && to !== undefined)
        .map(({ key, to = "" }) => ({ to, seen: placeAt(index, key)?.seen })),
    );
    expect(new Set(entered.map(({ to }) => to))).toEqual(new Set(["L3", "L2", "L1", "L0"]));
    for (const { to, seen } of entered) expect(seen).toBe(ENTRY[to]);
  });

  test(shows("C-2", "the count of an unchanged file rises or stays, and an edited file starts again at 0"), () => {
    for (let index = 1; index < REQUESTS; index += 1) {
      for (const { tier, items } of at(index).tiers) {
        for (const { key, seen } of items) {
          const before = placeAt(index - 1, key);
          if (before?.tier === tier) expect([before.seen, before.seen + 1]).toContain(seen);
        }
      }
    }
    expect(placeAt(CHANGED_AT - 1, `file:${nameOf(0)}`)).toEqual({ tier: "L3", seen: 3 });
    expect(placeAt(CHANGED_AT, `file:${nameOf(0)}`)).toEqual({ tier: "active", seen: 0 });
    expect(at(CHANGED_AT).moves).toContainEqual(
      expect.objectContaining({ from: "L3", to: "active", reason: "changed" }),
    );
    // While the tier above is unchanged, an item's count stops at the value that it needs to rise.
    for (let index = 9; index < CHANGED_AT; index += 1) {
      expect(at(index).broken).toEqual(["L3"]);
      const lowest = at(index).tiers.find(({ tier }) => tier === "L3");
      for (const { seen } of lowest?.items ?? []) expect(seen).toBeLessThanOrEqual(6);
    }
  });

  test(shows("C-5", "history is cached with the first cached file, oldest first"), () => {
    const cached = at(3).moves.map(({ key }) => key);
    const history = cached.filter((key) => key.startsWith("history:"));
    expect(cached).toContain(`file:${nameOf(0)}`);
    expect(history.length).toBeGreaterThan(2);
    expect(history).toEqual(history.toSorted((left, right) => Number(left.slice(8)) - Number(right.slice(8))));
  });

  test(shows("C-7", "items rise one tier at a time, and only into rewritten tiers"), () => {
    for (const { moves, broken } of played) {
      const risen = moves.filter(({ reason, to }) => reason === "unchanged" && to !== undefined);
      expect(new Set(risen.map(({ key }) => key)).size).toBe(risen.length);
      for (const { from = "", to = "" } of risen) {
        expect(TIER_THRESHOLDS.indexOf(to)).toBe(TIER_THRESHOLDS.indexOf(from) + 1);
        expect(broken).toContain(to);
      }
    }
    // When a file leaves the second tier, all items that wait below rise.
    expect(at(REMOVED_FROM - 1).broken).toEqual(["L3"]);
    expect(at(REMOVED_FROM).broken).toEqual(["L2", "L3"]);
    expect(at(REMOVED_FROM).moves.filter(({ from, to }) => from === "L3" && to === "L2").length).toBeGreaterThan(20);
  });

  test(
    shows("C-8", "anchored items keep a tier above its target, do not age, and are chosen again in every request"),
    () => {
      for (let index = 4; index < CHANGED_AT; index += 1) {
        expect(at(index).tiers.find(({ tier }) => tier === "L3")?.tokens).toBeGreaterThan(TARGET_TOKENS);
        expect(placeAt(index, `file:${nameOf(0)}`)).toEqual({ tier: "L3", seen: 3 });
      }
      // The edited file left, and another one fills the tier.
      expect(placeAt(CHANGED_AT - 1, `file:${nameOf(26)}`)).toEqual({ tier: "L3", seen: 3 });
      expect(placeAt(CHANGED_AT + 1, `file:${nameOf(26)}`)).toEqual({ tier: "L3", seen: 3 });
    },
  );

  test(
    shows(
      "C-9",
      "the content of an underfilled tier falls one level and keeps its counts, except in the lowest and the top tier",
    ),
    () => {
      const fallen = played.flatMap(({ moves }, index) =>
        moves.filter(({ reason }) => reason === "underfilled").map((move) => ({ ...move, index })),
      );
      expect(new Set(fallen.map(({ from }) => from))).toEqual(new Set(["L2", "L1"]));
      for (const { key, from = "", to = "", index } of fallen) {
        expect(TIER_THRESHOLDS.indexOf(to)).toBe(TIER_THRESHOLDS.indexOf(from) - 1);
        expect(placeAt(index, key)?.seen).toBeGreaterThanOrEqual(ENTRY[from] ?? 0);
        expect(at(index - 1).tiers.find(({ tier }) => tier === from)?.tokens).toBeLessThan(TARGET_TOKENS);
      }
    },
  );

  test(shows(["S3-101", "C-18"], "each chosen file is shown once, under working files until it is cached"), () => {
    for (const index of [2, 5, 12, 39]) {
      const { prompt, tiers } = at(index);
      const [working] = pairUnder(prompt, "# Working Files");
      for (const { tier, items } of tiers) {
        for (const { key } of items.filter((item) => item.key.startsWith("file:"))) {
          const text = ` of ${key.slice(5)} word`;
          const isEdited = key === `file:${nameOf(0)}` && index >= CHANGED_AT;
          if (isEdited) continue;
          expect(countOf(wholeOf(prompt), text)).toBe(1);
          expect(working?.text.includes(text)).toBe(tier === "active");
        }
      }
    }
  });

  test(shows(["S3-106", "C-14"], "each tier with files has a heading, and the others have none"), () => {
    const headings = { L3: "# Reference Files (L3)", L2: "# Reference Files (L2)", L1: "# Reference Files" };
    for (const index of [0, 3, 8, 36, 39]) {
      const { prompt, tiers } = at(index);
      const holding = tiers
        .filter(({ items }) => items.some(({ key }) => key.startsWith("file:")))
        .map(({ tier }) => tier);
      for (const [tier, heading] of Object.entries(headings)) {
        const isShown = textsOf(prompt).some((text) => text.startsWith(`${heading}\n`));
        expect([index, tier, isShown]).toEqual([index, tier, holding.some((each) => each === tier)]);
      }
      expect(textsOf(prompt)[0]?.includes("# Reference Files (Stable)\n")).toBe(holding.includes("L0"));
    }
  });
});

test(shows("S3-102", "a prompt has no working files once all chosen files are cached"), async () => {
  const session = await begin(new ScriptedWorkspace().write("a.ts", `text of a ${"word ".repeat(120)}\n`));
  await session.workspace.files.add("a.ts");
  const prompts: Prompt[] = [];
  for (let index = 0; index < 4; index += 1) prompts.push(await ask(session));
  const hasWorking = prompts.map((prompt) => wholeOf(prompt).includes("# Working Files"));
  expect(hasWorking).toEqual([true, true, true, false]);
});

test.each([
  [TARGET_TOKENS, true],
  [0, false],
])(
  shows("C-5", "history without files is cached only if there is a target (%d tokens, cached: %s)"),
  async (cacheTargetTokens, isCached) => {
    const session = await begin(new ScriptedWorkspace(), { preset: "workspace", cacheTargetTokens });
    let prompt = await ask(session, "word ".repeat(60));
    for (let index = 0; index < 4; index += 1) prompt = await ask(session, "word ".repeat(60));
    const cached = (prompt.report.workspace?.tiers ?? []).filter(({ tier }) => tier !== "active");
    expect(cached.flatMap(({ items }) => items).some(({ key }) => key.startsWith("history:"))).toBe(isCached);
    // The newest messages stay outside.
    if (isCached) expect(cached.flatMap(({ items }) => items).every(({ key }) => Number(key.slice(8)) < 12)).toBe(true);
  },
);
