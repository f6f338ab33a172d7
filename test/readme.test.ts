/**
 * Tests of the documents: the README's programs run and print what the README says, the demonstration exits without an
 * error, and every file and npm script that a document names exists.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readSources, repositoryRoot } from "./support/read-repository.ts";

interface Program {
  readonly source: string;
  /** The text block that follows it. */
  readonly prints: string;
}

interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const readme = readFileSync(join(repositoryRoot, "README.md"), "utf8");
const documents = readSources("*.md", "docs/**/*.md");
const scripts: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(repositoryRoot, "package.json"), "utf8"),
).scripts;
const programs = readPrograms(readme);
const folder = mkdtempSync(join(tmpdir(), "palimpsest-readme-"));

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function readPrograms(markdown: string): readonly Program[] {
  const blocks = [...markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language, text]) => ({
    language,
    text,
  }));
  return blocks.flatMap(({ language, text = "" }, index) => {
    const next = blocks[index + 1];
    return language === "ts" ? [{ source: text, prints: next?.language === "text" ? (next.text ?? "") : "" }] : [];
  });
}

/** Returns the anchors that GitHub gives to headings; a heading that occurs again gets a number. */
function listAnchors(markdown: string): readonly string[] {
  const headings = markdown.replaceAll(/^```[\s\S]*?^```$/gm, "").matchAll(/^#+ (.+)$/gm);
  const slugs = [...headings].map(([, text = ""]) =>
    text
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
  return slugs.map((slug, index) => {
    const earlier = slugs.slice(0, index).filter((each) => each === slug).length;
    return earlier === 0 ? slug : `${slug}-${earlier}`;
  });
}

function fromSources(source: string, entryUrl: string): string {
  return source.replaceAll('from "palimpsest"', `from ${JSON.stringify(entryUrl)}`);
}

function run(args: readonly string[]): Run {
  const env: NodeJS.ProcessEnv = { ...process.env, FORCE_COLOR: undefined };
  const { status, stdout, stderr } = spawnSync(process.execPath, [...args], { cwd: folder, env, encoding: "utf8" });
  return { code: status, stdout, stderr };
}

describe("the README's programs", () => {
  const entryUrl = pathToFileURL(join(repositoryRoot, "src/index.ts")).href;

  test("exist, and each has a documented output", () => {
    expect(programs.length).toBeGreaterThanOrEqual(3);
    expect(programs.filter(({ prints }) => prints === "")).toEqual([]);
  });

  test.each(programs.map((program, index) => ({ ...program, number: index + 1 })))(
    "program $number prints its documented output",
    ({ source, prints, number }) => {
      const file = join(folder, `program-${number}.mts`);
      writeFileSync(file, fromSources(source, entryUrl));
      expect(run([file])).toEqual({ code: 0, stdout: prints, stderr: "" });
    },
  );

  test("include examples/fit.ts as the first", () => {
    const example = readFileSync(join(repositoryRoot, "examples/fit.ts"), "utf8");
    expect(example.replaceAll(/^\/(?:\*\*|\/).*\n/gm, "")).toBe(
      fromSources(programs[0]?.source ?? "", "../src/index.ts"),
    );
  });
});

describe("the demonstration", () => {
  const demonstration = join(repositoryRoot, "examples/demonstration.ts");
  let page: Run;
  let json: Run;

  beforeAll(() => {
    page = run([demonstration]);
    json = run([demonstration, "--json"]);
  });

  test("exits by itself without an error", () => {
    expect(page).toMatchObject({ code: 0, stderr: "" });
  });

  test("shows fates, changes, an undo and the budget", () => {
    expect(page.stdout).toMatch(/^ +1 {2}██ /m);
    expect(page.stdout).toMatch(/^ +\d+ {2}█░+.*█ +[\d,]+ \*$/m);
    expect(page.stdout).toMatch(/after m\d+ +[\d,]+ → [\d,]+ +.*summarise/);
    expect(page.stdout).toMatch(/explain\("m2"\) +summarised, not shown/);
    expect(page.stdout).toMatch(/search\("Node 22"\) +m2, user: /);
    expect(page.stdout).toMatch(/explain\("m2"\) +pinned, shown/);
    expect(page.stdout).toMatch(/undo\(\) +undid: pin/);
    expect(page.stdout).toMatch(/^ {2}█+·+ {2}[\d,]+ of 4,000 tokens$/m);
    expect(page.stdout).toMatch(/(\d+) of \1 messages are in the\s+log/);
  });

  test("uses at most 80 columns, and no colors without a terminal", () => {
    expect(page.stdout).toBe(stripVTControlCharacters(page.stdout));
    expect(page.stdout.split("\n").filter((line) => [...line].length > 80)).toEqual([]);
  });

  test("prints its facts as JSON: every prompt fits and continues the last or reports a change", () => {
    const facts = JSON.parse(json.stdout);
    expect(json.code).toBe(0);
    expect(facts.storedMessages).toBe(facts.messageCount);
    for (const { tokens, extendsLast, changes, fates } of facts.requests) {
      expect(tokens).toBeLessThanOrEqual(facts.budgetTokens);
      expect(extendsLast || changes.length > 0).toBe(true);
      expect(fates).not.toContain("absent");
    }
  });

  test("shows a first summary with at least twice as much text about events as names", () => {
    const { replacements } = JSON.parse(json.stdout);
    const { text } = replacements.find(({ text: shown }: { readonly text: string }) => shown.includes("[Summary of"));
    const [story = "", names = ""] = text.split("\nNames:\n");
    expect(names.length).toBeLessThan(story.length / 2);
  });

  test("prints its help with --help and refuses unknown options", () => {
    expect(run([demonstration, "--help"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Usage: npm run demo/),
    });
    expect(run([demonstration, "--nope"])).toMatchObject({ code: 1, stderr: expect.stringContaining("--nope") });
  });
});

describe("documents", () => {
  test.each([...documents.keys()])("%s names only files that exist", (file) => {
    const text = documents.get(file) ?? "";
    const quoted = [...text.matchAll(/`((?:src|test|docs|examples|scripts|bench)\/[\w./-]+)`/g)].map(
      ([, path = ""]) => path,
    );
    const linked = [...text.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(([, path = ""]) => join(dirname(file), path));
    expect([...quoted, ...linked].filter((path) => !existsSync(join(repositoryRoot, path)))).toEqual([]);
  });

  test.each([...documents.keys()])("%s links only to headings that exist", (file) => {
    const links = [...(documents.get(file) ?? "").matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)];
    const broken = links.filter(([, path = "", anchor = ""]) => {
      const target = path === "" ? file : join(dirname(file), path);
      return !listAnchors(documents.get(target) ?? "").includes(anchor);
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });

  test("docs/architecture.md traces a request through many files", () => {
    expect(documents.get("docs/architecture.md")?.match(/`src\/[\w/-]+\.ts`/g)?.length).toBeGreaterThan(20);
  });

  test.each([...documents.keys()])("%s names only npm scripts that exist", (file) => {
    const text = documents.get(file) ?? "";
    const named = [...text.matchAll(/npm (?:run ([\w:-]+)|(start|test)\b)/g)].map(
      ([, other, own]) => other ?? own ?? "",
    );
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  });
});
