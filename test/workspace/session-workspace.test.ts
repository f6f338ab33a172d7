/** A session with a real folder: what its prompts show, in which order, and what is shed if it is too large. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { openPalimpsest } from "../../src/compose.ts";
import type { Session } from "../../src/engine/session/session.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { shows } from "../../src/testing/shows.ts";
import { ScriptedWorkspace } from "../support/scripted-workspace.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "palimpsest-beside-")));
afterAll(() => rmSync(folder, { recursive: true }));

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
};
const source = (name: string, lines = 20) =>
  `export function ${name}(): number {\n${`  step("${name}", 1);\n`.repeat(lines)}  return 1;\n}\n`;

beforeEach(() => {
  rmSync(folder, { recursive: true });
  write("src/one.ts", source("one"));
  write("src/two.ts", source("two"));
  write("notes.txt", "Remember the milk.\n");
});

type Options = NonNullable<Parameters<typeof openPalimpsest>[0]>;
const open = (options: Options = {}) =>
  openPalimpsest({ counter: "estimate", budgetTokens: 20_000, workspace: { root: folder }, ...options });
const begin = async (options: Options = {}) => (await open(options)).session();

const ask = async (session: Session, text = "And now?") => {
  const prompt = await session.prompt({ next: { role: "user", content: text }, instructions: "You help." });
  await session.append({ role: "assistant", content: `About "${text}": yes.` });
  return prompt;
};
const shown = (prompt: Awaited<ReturnType<Session["prompt"]>>) => JSON.stringify(prompt.as("openai"));
const tierOf = (prompt: Awaited<ReturnType<Session["prompt"]>>, key: string) =>
  prompt.report.workspace?.tiers?.find(({ items }) => items.some((item) => item.key === key))?.tier;
const filler = (words: number) => "every word of it counts ".repeat(Math.ceil(words / 5));

describe("a session with a workspace folder", () => {
  test(shows("S3-93", "a prompt starts with the instructions as system message, followed by outlines"), async () => {
    const { messages } = (await ask(await begin({ policy: { cacheTiers: "off" } }))).as("openai");
    expect(messages[0]?.role).toBe("system");
    expect(String(messages[0]?.content)).toMatch(/^You help\.\n\n# Repository Structure\n/);
    expect(messages.slice(1).some(({ role }) => role === "system")).toBe(false);
  });

  test(shows("S3-3", "a session accepts model, root, tier target and compaction settings"), async () => {
    const model = "claude-sonnet-4-5";
    const tail = { messages: 4, rounds: 1, ratio: 0.005 };
    const policy = { cacheTiers: "document", triggerRatio: 0.04, targetRatio: 0.02, tail, gate: false } as const;
    const cachedWith = async (cacheTargetTokens: number) => {
      const session = await begin({ model, budgetTokens: undefined, policy: { ...policy, cacheTargetTokens } });
      expect(await session.workspace.files.add("notes.txt")).toBe(true);
      for (let turn = 0; turn < 2; turn += 1) await ask(session, filler(100));
      const { report } = await ask(session);
      const held = (report.workspace?.tiers ?? []).flatMap(({ tier, items }) => (tier === "active" ? [] : items));
      return { session, report, keys: held.map(({ key }) => key).filter((key) => key.startsWith("history:")) };
    };
    const { session, report, keys } = await cachedWith(60);
    // The model's window, the folder's files, and history beyond the target.
    expect(report.windowTokens).toBe(200_000);
    expect(report.workspace?.tiers?.map(({ tier }) => tier)).toContain("active");
    expect(keys).toEqual(["history:1", "history:3"]);
    expect((await cachedWith(1_000)).keys).toEqual([]);
    expect((await cachedWith(0)).keys).toEqual([]);
    const { triggerTokens } = await session.compactionStatus();
    expect(triggerTokens).toBe(Math.floor(report.limitTokens * 0.04));
    for (let turn = 0; turn < 10; turn += 1) await ask(session, filler(triggerTokens / 10));
    expect((await session.getSummaryHistory()).length).toBeGreaterThan(0);
  });

  test(shows("S3-4", "without a root the host's texts are shown in a flat order"), async () => {
    const session = await begin({ workspace: undefined });
    expect((await ask(session)).report.workspace).toBeUndefined();
    await session.workspace.files.add("given.txt", "What the host says.");
    const prompt = await ask(session);
    expect(shown(prompt)).toContain("What the host says.");
    expect(prompt.report.workspace).toMatchObject({ tiers: undefined, moves: [], broken: [] });
    expect(prompt.report.plan.tiers).toBeUndefined();
  });

  test("a prompt shows a chosen file as it is on disk, and reports when it is deleted", async () => {
    const session = await begin();
    await session.workspace.files.add("notes.txt");
    expect(shown(await ask(session))).toContain("Remember the milk.");
    write("notes.txt", "Remember the meal.\n");
    const edited = await ask(session);
    expect(shown(edited)).toContain("Remember the meal.");
    expect(shown(edited)).not.toContain("milk");
    rmSync(join(folder, "notes.txt"));
    const without = await ask(session);
    expect(shown(without)).not.toContain("Remember the meal.");
    expect(without.report.workspace?.gone).toEqual(["notes.txt"]);
    expect(without.report.warnings.join()).toContain("notes.txt");
  });

  test(shows("C-12", "the report names items that changed tiers, why, and which tiers are rewritten"), async () => {
    const session = await begin({ policy: { cacheTargetTokens: 40, cacheTiers: "document" } });
    await session.workspace.files.add("src/one.ts");
    const reports = [];
    for (let turn = 0; turn < 5; turn += 1) reports.push((await ask(session)).report);
    const risen = reports.findIndex(({ workspace }) => workspace?.moves.some(({ key }) => key === "file:src/one.ts"));
    expect(reports[risen]?.workspace?.moves).toContainEqual({
      key: "file:src/one.ts",
      from: "active",
      to: "L3",
      reason: "unchanged",
    });
    expect(reports[risen]?.workspace?.broken).toContain("L3");
    expect(reports[risen]?.changes.find(({ section }) => section === "L3")?.reason).toContain(
      "src/one.ts from active to L3",
    );
    write("src/one.ts", source("one", 21));
    const { workspace, plan } = (await ask(session)).report;
    expect(workspace?.moves).toContainEqual({ key: "file:src/one.ts", from: "L3", to: "active", reason: "changed" });
    expect(plan.tiers?.find(({ tier }) => tier === "active")?.items.map(({ key }) => key)).toContain("file:src/one.ts");
  });

  test(shows("S3-99", "a message with an image is sent as blocks, and text alone as text"), async () => {
    const session = await begin();
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } };
    await session.append({ role: "user", content: [{ type: "text", text: "What is this?" }, image] });
    await session.append({ role: "assistant", content: "A picture." });
    const { messages } = (await ask(session)).as("openai");
    const [withImage, words] = [
      messages.find(({ content }) => JSON.stringify(content).includes("What is this?")),
      messages.at(-1),
    ];
    expect(withImage?.content).toEqual([
      { type: "text", text: "What is this?" },
      expect.objectContaining({ type: "image_url" }),
    ]);
    expect(words?.content).toBe("And now?");
  });

  test(shows("S3-100", "a preview counts the tokens of a prompt"), async () => {
    const session = await begin();
    await session.workspace.files.add("src/one.ts");
    const preview = await session.prompt({ preview: true, next: { role: "user", content: "Hello." } });
    expect(preview.report.tokens).toBeGreaterThan(preview.report.workspace?.tokens ?? Number.NaN);
    expect(preview.report.workspace?.tokens).toBeGreaterThan(100);
    expect(await session.entries()).toEqual([]);
  });

  test("an Anthropic prompt has a breakpoint on the system text and on every filled tier", async () => {
    const session = await begin({ model: "claude-sonnet-4-5", budgetTokens: undefined, policy: "workspace" });
    await session.workspace.files.add("src/one.ts");
    rmSync(join(folder, "src/two.ts"));
    write("base.ts", source("base", 900));
    await session.workspace.files.add("base.ts");
    const first = (await ask(session)).as("anthropic");
    expect(JSON.stringify(first.system)).toContain("cache_control");
    expect(JSON.stringify(first.messages)).not.toContain("cache_control");
    for (let turn = 0; turn < 3; turn += 1) await ask(session);
    const prompt = await ask(session);
    expect(tierOf(prompt, "file:base.ts")).toBe("L3");
    const { messages } = prompt.as("anthropic");
    const marked = messages.findIndex((message) => JSON.stringify(message).includes("cache_control"));
    const [before, after] = [messages.slice(0, marked + 1), messages.slice(marked + 1)].map((part) =>
      JSON.stringify(part),
    );
    expect(before).toContain("# Reference Files (L3)");
    expect(after).toContain("# Repository Files");
    expect(after).not.toContain("cache_control");
  });

  test("only OpenAI prompts get a cache key, the same for a whole session", async () => {
    const session = await begin({ model: "gpt-5.1", budgetTokens: undefined });
    const [first, second] = [await ask(session), await ask(session)];
    const { prompt_cache_key: key } = first.as("openai");
    expect(key).toMatch(/^[0-9a-f]{32}$/);
    expect(session.id).not.toContain(key);
    expect(second.as("openai-responses").prompt_cache_key).toBe(key);
    expect(first.forStreamText().providerOptions).toEqual({ openai: { promptCacheKey: key } });
    expect("prompt_cache_key" in (await session.prompt({ breakpoints: false })).as("openai")).toBe(false);
    const other = await begin({ model: "claude-sonnet-4-5", budgetTokens: undefined });
    expect((await ask(other)).forStreamText().providerOptions).toBeUndefined();
  });

  test("an imported session keeps its tiers", async () => {
    const engine = await open({ policy: { cacheTargetTokens: 40, cacheTiers: "document" } });
    const session = await engine.session();
    await session.workspace.files.add("src/one.ts");
    for (let turn = 0; turn < 6; turn += 1) await ask(session);
    const lines: string[] = [];
    for await (const line of engine.exportSession(session.id)) lines.push(line);
    const { sessionId } = await engine.importSession(lines, { id: "imported" });
    const copy = await engine.load(sessionId);
    await copy.workspace.files.add("src/one.ts");
    const [here, there] = [await session.prompt({ preview: true }), await copy.prompt({ preview: true })];
    expect(there.messages).toEqual(here.messages);
    expect(tierOf(there, "file:src/one.ts")).toBe("L3");
  });

  test(shows("C-26", "a session reads at most three pages of a message, each once"), async () => {
    const workspace = new ScriptedWorkspace();
    const session = await begin({ workspace });
    const urls = ["1", "2", "3", "4", "5", "6", "7"].map((name) => `https://a.example/${name}`);
    await session.workspace.addLinksOf(`Look at ${urls.slice(0, 4).join(" and ")}.`);
    expect(workspace.asked).toEqual(urls.slice(0, 3));
    await session.workspace.addLinksOf(`Again ${urls[0]} and ${urls[3]}`);
    expect(workspace.asked).toEqual(urls.slice(0, 4));
    // Pages that were already added do not count toward the limit.
    await session.workspace.addLinksOf(`All of them: ${urls.join(" ")}`);
    expect(workspace.asked).toEqual(urls);
    const prompt = shown(await ask(session));
    for (const url of urls) expect(prompt).toContain(`Of ${url}`);
  });
});

describe("the past of a session with a workspace folder", () => {
  const heldHistory = (prompt: Awaited<ReturnType<Session["prompt"]>>) =>
    (prompt.report.workspace?.tiers ?? [])
      .filter(({ tier }) => tier !== "active")
      .flatMap(({ items }) => items.filter(({ key }) => key.startsWith("history:")));
  /** Creates prompts until some history is in a tier. */
  const grow = async (session: Session) => {
    await session.workspace.files.add("src/one.ts");
    let prompt = await ask(session);
    for (let turn = 0; turn < 8 && heldHistory(prompt).length === 0; turn += 1) prompt = await ask(session, filler(40));
    expect(heldHistory(prompt).length).toBeGreaterThan(0);
  };
  const TIERED = { policy: { cacheTargetTokens: 40, cacheTiers: "document" } } as const;

  test(shows("S3-11", "cleared history is removed from the tiers too"), async () => {
    const session = await begin(TIERED);
    await grow(session);
    await session.clear();
    const prompt = await ask(session);
    expect(heldHistory(prompt)).toEqual([]);
    expect(await session.history()).toHaveLength(2);
    expect(tierOf(prompt, "file:src/one.ts")).toBe("L3");
  });

  test(shows("S3-141", "compacted history leaves the tiers, and files and outlines stay"), async () => {
    const session = await begin(TIERED);
    await grow(session);
    for (let turn = 0; turn < 8; turn += 1) await ask(session, filler(600));
    expect((await session.compact()).type).toBe("compacted");
    const prompt = await ask(session);
    const purged = prompt.report.workspace?.moves.filter(({ reason }) => reason === "purged") ?? [];
    expect(purged.length).toBeGreaterThan(0);
    expect(purged.every(({ key }) => key.startsWith("history:"))).toBe(true);
    expect(tierOf(prompt, "file:src/one.ts")).toBe("L3");
  });

  test(shows("S3-147", "history and tiers survive a restart, and the choice of files does not"), async () => {
    const store = createMemoryStore();
    const session = await begin({ store, ...TIERED });
    await grow(session);
    await ask(session, "The last words before.");
    const again = await (await open({ store, ...TIERED })).restore();
    expect(again.id).toBe(session.id);
    expect(again.workspace.files.paths).toEqual([]);
    const prompt = await ask(again);
    expect(shown(prompt)).toContain("The last words before.");
    expect(tierOf(prompt, "file:src/one.ts")).toBeUndefined();
    expect(heldHistory(prompt).length).toBeGreaterThan(0);
  });

  test(shows("S3-148", "history grows by exchange and is compacted above its threshold"), async () => {
    const session = await begin({ ...TIERED, budgetTokens: 3_000 });
    await session.workspace.files.add("notes.txt");
    const seen: (number | undefined)[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      const { workspace } = (await ask(session)).report;
      seen.push(workspace?.tiers?.flatMap(({ items }) => items).find(({ key }) => key === "file:notes.txt")?.seen);
    }
    expect(seen).toEqual([0, 1, 2]);
    expect(await session.history()).toHaveLength(6);
    for (let turn = 0; turn < 8; turn += 1) await ask(session, filler(300));
    expect((await session.getSummaryHistory()).length).toBeGreaterThan(0);
  });

  test(shows("S3-149", "a reset starts a session without history and keeps the files' tiers"), async () => {
    const engine = await open(TIERED);
    const session = await engine.session();
    await grow(session);
    const fresh = await session.reset();
    expect(fresh.id).not.toBe(session.id);
    expect(await fresh.history()).toEqual([]);
    expect(fresh.workspace.files.paths).toEqual(["src/one.ts"]);
    const prompt = await ask(fresh);
    expect(heldHistory(prompt)).toEqual([]);
    expect(tierOf(prompt, "file:src/one.ts")).toBe("L3");
    expect((await engine.sessions()).map(({ id }) => id).toSorted()).toEqual([session.id, fresh.id].toSorted());
  });
});
