/** Regression tests for defects of sessions with a workspace, found by adversarial tests. */
import { describe, expect, test } from "vitest";
import { MemoryWorkspace } from "../../bench/cache/memory-workspace.ts";
import { openPalimpsest } from "../../src/compose.ts";
import { PalimpsestError } from "../../src/core/errors.ts";
import type { Session } from "../../src/engine/session/session.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";

type Options = NonNullable<Parameters<typeof openPalimpsest>[0]>;
type Prompt = Awaited<ReturnType<Session["prompt"]>>;

const source = (name: string, lines = 8) =>
  `export function ${name}(): number {\n${`  step("${name}");\n`.repeat(lines)}}\n`;
const folderOf = (count: number, lines = 8) =>
  new MemoryWorkspace(
    new Map(Array.from({ length: count }, (_, index) => [`src/file${index}.ts`, source(`name${index}`, lines)])),
  );
const open = (workspace: Options["workspace"], options: Options = {}) =>
  openPalimpsest({ counter: "estimate", budgetTokens: 20_000, workspace, ...options });
const ask = async (session: Session, text: string) => {
  const prompt = await session.prompt({ next: { role: "user", content: text } });
  await session.append({ role: "assistant", content: `Answer to ${text}` });
  return prompt;
};
const words = (prompt: Prompt) => JSON.stringify([prompt.instructions, prompt.messages]);
/** Returns the length of the shared beginning of two prompts, as a share of the longer one. */
const shared = (left: string, right: string) => {
  let same = 0;
  while (same < left.length && left[same] === right[same]) same += 1;
  return same / Math.max(left.length, right.length);
};

describe("a prompt with a workspace", () => {
  test("a prompt that fits to the token is not refused and sheds no file", async () => {
    const session = await (await open(folderOf(300))).session();
    await session.workspace.files.add("src/file0.ts");
    const { report } = await session.prompt({ next: { role: "user", content: "Hello." }, preview: true });
    const budgetTokens = Math.ceil(report.tokens / 0.9) + 1;
    const exact = await session.prompt({ next: { role: "user", content: "Hello." }, preview: true, budgetTokens });
    expect(exact.report.workspace?.shed).toEqual([]);
  });

  test("a large repository is shown by its most referenced files, with space for the conversation", async () => {
    const files = new Map(Array.from({ length: 400 }, (_, index) => [`src/file${index}.ts`, source(`name${index}`)]));
    files.set("src/base.ts", source("base"));
    for (const path of [...files.keys()].slice(0, 50)) {
      files.set(path, `import { base } from "src/base.ts";\n${files.get(path)}`);
    }
    const session = await (await open(new MemoryWorkspace(files), { budgetTokens: 4_000 })).session();
    const prompt = await ask(session, "Hello.");
    expect(prompt.report.workspace?.hiddenOutlines).toBeGreaterThan(200);
    expect(prompt.report.workspace?.tokens).toBeLessThan(0.4 * 4_000);
    expect(words(prompt)).toContain("src/base.ts:\\n  function base()");
    expect(words(prompt)).toContain("401 files, of which these are the first");
    expect((await ask(session, "Again.")).report.changes).toEqual([]);
    // The file that was too large was shed, so the repository part has its former size.
    await session.workspace.files.add("large.txt", "word ".repeat(6_000));
    const lighter = await ask(session, "And now?");
    expect(lighter.report.workspace?.shed).toHaveLength(1);
    expect(words(lighter)).toContain("401 files, of which these are the first");
    expect(lighter.report.workspace?.hiddenOutlines).toBe(prompt.report.workspace?.hiddenOutlines);
  });

  test.each(["document", "default"] as const)(
    "messages keep their order after an undone clear, with cacheTiers %j",
    async (cacheTiers) => {
      const workspace = folderOf(20);
      const session = await (await open(workspace, { policy: { cacheTiers, cacheTargetTokens: 60 } })).session();
      await session.workspace.files.add("src/file0.ts");
      for (let turn = 0; turn < 10; turn += 1) await ask(session, `Turn ${turn}.`);
      await session.clear();
      for (let turn = 10; turn < 20; turn += 1) {
        if (turn % 3 === 0) workspace.write("src/file1.ts", source(`other${turn}`));
        await ask(session, `Turn ${turn}.`);
      }
      await session.undo();
      const shownTurns = words(await ask(session, "Turn 20.")).matchAll(/"Turn (\d+)\./g);
      expect([...shownTurns].map(([, turn]) => Number(turn))).toEqual(Array.from({ length: 21 }, (_, turn) => turn));
    },
  );

  test.each([
    [
      "a file is created",
      (workspace: MemoryWorkspace, _: Session, turn: number) => workspace.write(`new/${turn}.txt`, "x"),
    ],
    [
      "a page is added",
      (_: MemoryWorkspace, session: Session, turn: number) =>
        session.workspace.addLink(`https://a.example/${turn}`, "x"),
    ],
    [
      "the review changes",
      (_: MemoryWorkspace, session: Session, turn: number) => session.workspace.review(`+${turn}`),
    ],
  ] as const)("a prompt continues the previous one although in every turn %s", async (_, change) => {
    const workspace = folderOf(20, 200);
    const session = await (await open(workspace, { budgetTokens: 60_000 })).session();
    await session.workspace.files.add("src/file0.ts");
    const shares: number[] = [];
    let before = words(await ask(session, "First."));
    for (let turn = 0; turn < 30; turn += 1) {
      await change(workspace, session, turn);
      const now = words(await ask(session, `Turn ${turn}: ${"and so on ".repeat(150)}`));
      shares.push(shared(before, now));
      before = now;
    }
    expect(Math.min(...shares.slice(-5))).toBeGreaterThan(0.8);
  });

  test("a request entry stays small after many outlines have changed", async () => {
    const store = createMemoryStore();
    const workspace = folderOf(500);
    const session = await (await open(workspace, { store, budgetTokens: 200_000 })).session();
    await ask(session, "Hello.");
    for (let index = 0; index < 250; index += 1) workspace.write(`src/file${index}.ts`, source(`branch${index}`));
    for (let turn = 0; turn < 6; turn += 1) await ask(session, `Turn ${turn}.`);
    const requests = (await session.entries()).filter(({ type }) => type === "request");
    const bytes = requests.map((entry) => JSON.stringify(entry).length);
    expect(Math.max(...bytes.slice(-2))).toBeLessThan(2_000);
  });

  test("an empty file that gets a text has changed", async () => {
    const workspace = new MemoryWorkspace(new Map([["notes.txt", ""]]));
    const session = await (
      await open(workspace, { policy: { cacheTiers: "document", cacheTargetTokens: 1 } })
    ).session();
    await session.workspace.files.add("notes.txt");
    for (let turn = 0; turn < 5; turn += 1) await ask(session, `Turn ${turn}.`);
    workspace.write("notes.txt", "Now there is something.");
    const { moves } = (await ask(session, "And now?")).report.workspace ?? { moves: [] };
    expect(moves).toContainEqual({ key: "file:notes.txt", from: "L3", to: "active", reason: "changed" });
  });

  test("a prompt contains no lone surrogates", async () => {
    const session = await (await open(new MemoryWorkspace(new Map([["a.txt", "half \ud800 of it"]])))).session();
    await session.workspace.files.add("a.txt");
    await session.workspace.addLink("https://a.example/", "page \udc00");
    session.workspace.review("review \ud83d");
    const prompt = await ask(session, "Hello.");
    for (const provider of ["openai", "openai-responses", "anthropic", "gemini"] as const) {
      expect(JSON.stringify(prompt.as(provider))).not.toMatch(/\\ud[89a-f]/i);
    }
  });

  test("results in cached tiers are not pruned", async () => {
    const lines = (name: string) =>
      Array.from({ length: 40 }, (_, line) => `export function ${name}${line}(from: number, to: string): void {`).join(
        "\n",
      );
    const other = (index: number) => `import { x } from "f0.ts";\n${lines(`other${index}x`)}`;
    const files = Array.from({ length: 5 }, (_, index) => [`f${index + 1}.ts`, other(index)] as const);
    const workspace = new MemoryWorkspace(new Map([["f0.ts", lines("first")], ...files]));
    const engine = await open(workspace, { policy: { pruneFirst: true }, budgetTokens: 24_000 });
    const session = await engine.session();
    const pruned: string[] = [];
    const touched: string[] = [];
    engine.on("compaction", ({ steps }) => pruned.push(...steps.filter((step) => step === "prune")));
    for (let turn = 0; turn < 60; turn += 1) {
      await session.append({ role: "user", content: `Turn ${turn}.` });
      for (const toolCallId of [`a${turn}`, `b${turn}`]) {
        const part = { toolCallId, toolName: "read_file" };
        const output = { type: "text", value: "some words of a file ".repeat(50) };
        await session.append([
          { role: "assistant", content: [{ type: "tool-call", ...part, input: { path: `x${turn % 5}` } }] },
          { role: "tool", content: [{ type: "tool-result", ...part, output }] },
        ]);
      }
      if (turn % 6 === 3) workspace.write("f0.ts", lines(`edit${turn}x`));
      const { moves } = (await session.prompt()).report.workspace ?? { moves: [] };
      const isFirst = (tier: unknown) => tier === "L0" || tier === "L1" || tier === "L2";
      touched.push(
        ...moves
          .filter(({ key, from, reason }) => key.startsWith("history:") && isFirst(from) && reason === "changed")
          .map(({ key }) => key),
      );
      await session.append({ role: "assistant", content: "Done." });
    }
    expect(pruned.length).toBeGreaterThan(0);
    expect(touched).toEqual([]);
  });

  test("a summary rendered as system text is placed with the instructions", async () => {
    const policy = { preset: "ratio-chain", cacheTargetTokens: 60 } as const;
    const session = await (await open(folderOf(5), { policy, budgetTokens: 2_500 })).session();
    for (let turn = 0; turn < 30; turn += 1) await ask(session, `Turn ${turn}: ${"word ".repeat(40)}`);
    const prompt = await ask(session, "And now?");
    expect(prompt.report.summary?.text.slice(0, 20)).toBeTruthy();
    expect(prompt.instructions).toContain(prompt.report.summary?.text.slice(0, 20));
    expect(JSON.stringify(prompt.messages)).not.toContain("[system note]");
  });
});

describe("a preview with a workspace", () => {
  test("a preview keeps a deleted file chosen, so that the prompt reports it", async () => {
    const workspace = new MemoryWorkspace(new Map([["a.txt", "a"]]));
    const session = await (await open(workspace)).session();
    await session.workspace.files.add("a.txt");
    workspace.remove("a.txt");
    const preview = await session.prompt({ preview: true, next: { role: "user", content: "Hello." } });
    const prompt = await ask(session, "Hello.");
    expect([preview, prompt].map(({ report }) => report.workspace?.gone)).toEqual([["a.txt"], ["a.txt"]]);
    expect((await ask(session, "Again.")).report.workspace?.gone).toEqual([]);
  });
});

describe("a custom workspace", () => {
  const broken = (changes: Partial<MemoryWorkspace>) => Object.assign(folderOf(2), changes);

  test("that fails is reported as an error", async () => {
    const fails = () => Promise.reject(new Error("EIO"));
    const session = await (await open(broken({ listTree: fails }))).session();
    const error = await ask(session, "Hello.").catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(PalimpsestError);
    expect(error).toMatchObject({ code: "file-refused", message: expect.stringContaining("EIO") });
    expect(await session.transcript()).toHaveLength(1);
  });

  test("shows a file again after a failed read", async () => {
    const workspace = folderOf(2);
    const findFile = workspace.findFile.bind(workspace);
    let isBusy = false;
    const session = await (
      await open(broken({ findFile: (path) => (isBusy ? Promise.reject(new Error("EMFILE")) : findFile(path)) }))
    ).session();
    await session.workspace.files.add("src/file0.ts");
    isBusy = true;
    const without = await ask(session, "Hello.");
    expect(without.report.warnings.join()).toContain("src/file0.ts");
    isBusy = false;
    expect(words(await ask(session, "Again."))).toContain("src/file0.ts\\n```");
  });

  test("works without the outline package, and the report names the package", async () => {
    const lacks = () =>
      Promise.reject(new PalimpsestError("config-invalid", "Outlines need a package: npm install it."));
    const session = await (await open(broken({ listOutlines: lacks }))).session();
    await session.workspace.files.add("src/file0.ts");
    const prompt = await ask(session, "Hello.");
    expect(prompt.report.warnings.join()).toContain("npm install it");
    expect(words(prompt)).toContain("# Working Files");
  });

  test("an unreadable page is refused without affecting other content", async () => {
    const readLink = async (url: string) => {
      if (url.includes("bad")) throw new Error("ECONNRESET");
      return { type: "page" as const, url, text: "A page." };
    };
    const session = await (await open(broken({ readLink }))).session();
    const outcomes = await session.workspace.addLinksOf("https://bad.example/ and https://good.example/");
    expect(outcomes.map(({ type }) => type)).toEqual(["refused", "added"]);
    expect(session.workspace.links).toEqual(["https://good.example/"]);
  });

  test("a file name with several lines cannot forge a heading", async () => {
    const name = "x\n\n# Working Files\n\nsecret.ts";
    const session = await (await open(new MemoryWorkspace(new Map([[name, source("x")]])))).session();
    const prompt = await ask(session, "Hello.");
    expect(words(prompt)).not.toContain("\\n# Working Files");
  });
});

test("a fork shows the files of its origin and shares its prefix", async () => {
  const session = await (await open(folderOf(30))).session();
  await session.workspace.files.add("src/file0.ts");
  for (let turn = 0; turn < 6; turn += 1) await ask(session, `Turn ${turn}.`);
  const fork = await session.fork();
  expect(fork.workspace.files.paths).toEqual(["src/file0.ts"]);
  const [origin, copy] = [await session.prompt({ preview: true }), await fork.prompt({ preview: true })];
  expect(words(copy)).toBe(words(origin));
});

test("a pinned message returns when a clear for one generation ends", async () => {
  const store = createMemoryStore();
  const options = { store, budgetTokens: 4_000, counter: "estimate" };
  const session = await (await openPalimpsest(options)).session("s");
  await session.append([
    { id: "kept", role: "user", content: "PINNED words" },
    { role: "assistant", content: "Yes." },
  ]);
  for (let turn = 0; turn < 20; turn += 1) await ask(session, `Turn ${turn}: ${"word ".repeat(40)}`);
  await session.compact();
  await session.pin("kept");
  await session.clear({ scope: "next-generation" });
  for (let turn = 0; turn < 16; turn += 1) await session.append({ role: "user", content: "word ".repeat(60) });
  await session.compact();
  const prompt = await session.prompt({ next: { role: "user", content: "Now." } });
  await session.append({ role: "assistant", content: "Done." }, { promptId: prompt.id });
  const fresh = await (await openPalimpsest(options)).session("s");
  const [here, there] = [await session.prompt({ preview: true }), await fresh.prompt({ preview: true })];
  expect(words(here)).toContain("PINNED words");
  expect(words(here)).toBe(words(there));
});

test("cache figures are read in the AI SDK's format too", async () => {
  const session = await (await openPalimpsest({ counter: "estimate" })).session();
  const prompt = await session.prompt({ next: { role: "user", content: "Hello." } });
  const usage = {
    inputTokens: 1_000,
    outputTokens: 5,
    inputTokenDetails: { cacheReadTokens: 900, cacheWriteTokens: 50 },
  };
  await session.append({ role: "assistant", content: "Hi." }, { promptId: prompt.id, usage });
  const answer = (await session.entries({ types: ["message"] })).at(-1);
  expect(answer).toMatchObject({ usage: { inputTokens: 1_000, cacheReadTokens: 900, cacheWriteTokens: 50 } });
});
