/**
 * Runs the programs of docs/policies.md, docs/compaction.md, docs/thinking.md, docs/testing.md and docs/recall.md and
 * compares their output. Those, the programs that are only shown, as in docs/import.md, and the README's programs compile under the
 * repository's settings.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { repositoryRoot } from "./support/read-repository.ts";

const read = (path: string): string => readFileSync(join(repositoryRoot, path), "utf8");

interface Block {
  readonly name: string;
  readonly source: string;
  /** The text block that follows it; undefined for a program that is not run. */
  readonly prints: string | undefined;
}

/** A `ts` block is a program, and the text block after it is its output; a `typescript` block is not run. */
function readBlocks(path: string): readonly Block[] {
  const blocks = [...read(path).matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language, text = ""]) => ({
    language,
    text,
  }));
  return blocks.flatMap(({ language, text }, index): readonly Block[] => {
    const name = `${path} ${index + 1}`;
    if (language === "typescript") return [{ name, source: text, prints: undefined }];
    const next = blocks[index + 1];
    return language === "ts" ? [{ name, source: text, prints: next?.language === "text" ? next.text : "" }] : [];
  });
}

describe("the programs of the documents", () => {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-policies-"));
  const entryPoints = {
    palimpsest: join(repositoryRoot, "src/index.ts"),
    "palimpsest/ai-sdk": join(repositoryRoot, "src/integrations/ai-sdk/index.ts"),
    "palimpsest/testing": join(repositoryRoot, "src/testing/public/index.ts"),
  };
  // readme.test.ts runs the programs of the README.
  const shown = readBlocks("README.md");
  const documents = ["policies", "compaction", "thinking", "testing", "import"].map((name) => `docs/${name}.md`);
  // The other blocks of docs/recall.md are fragments.
  const recall = readBlocks("docs/recall.md").slice(0, 1);
  const ownBlocks = [...documents.flatMap(readBlocks), ...recall];
  const blocks = [...ownBlocks, ...shown];
  const programs = ownBlocks.filter((block): block is Block & { prints: string } => block.prints !== undefined);

  symlinkSync(join(repositoryRoot, "node_modules"), join(folder, "node_modules"), "junction");
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  const run = (args: readonly string[]) => {
    const env = { ...process.env, FORCE_COLOR: undefined };
    const { status, stdout, stderr } = spawnSync(process.execPath, [...args], { cwd: folder, env, encoding: "utf8" });
    return { status, stdout, stderr };
  };

  /** Writes a program with imports of the sources, and returns its file. */
  const write = ({ source, name }: Block): string => {
    const file = join(folder, `${name.replaceAll(/\W+/g, "-")}.mts`);
    const fromSources = Object.entries(entryPoints).reduce(
      (text, [name, path]) => text.replaceAll(`from "${name}"`, `from ${JSON.stringify(pathToFileURL(path).href)}`),
      source,
    );
    writeFileSync(file, fromSources);
    return file;
  };

  const BORDER = "\u0000\n";
  let ended: ReturnType<typeof run>;
  // One process runs them one after the other, because loading the package takes longer than most programs.
  beforeAll(() => {
    const lines = programs.map((program) => `await import(${JSON.stringify(pathToFileURL(write(program)).href)});`);
    const all = join(folder, "all.mts");
    writeFileSync(all, lines.join(`\nprocess.stdout.write(${JSON.stringify(BORDER)});\n`));
    ended = run([all]);
  });

  test("run to their end without an error", () => {
    expect(ended).toMatchObject({ status: 0, stderr: "" });
  });

  test.each(programs.map((program, index) => ({ ...program, index })))(
    "$name prints its documented output",
    ({ prints, index }) => {
      expect(prints, "a text block follows").not.toBe("");
      expect(ended.stdout.split(BORDER)[index]).toBe(prints);
    },
  );

  test("all compile under the repository's settings, including the README's and those that are not run", () => {
    expect(shown.length).toBeGreaterThan(0);
    const paths = Object.fromEntries(Object.entries(entryPoints).map(([name, path]) => [name, [path]]));
    const settings = {
      extends: join(repositoryRoot, "tsconfig.json"),
      compilerOptions: { noEmit: true, paths },
      include: ["compiled-*.mts"],
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
    for (const [index, { source }] of blocks.entries())
      writeFileSync(join(folder, `compiled-${index + 1}.mts`), source);
    const { status, stdout } = run([join(repositoryRoot, "node_modules/typescript/bin/tsc"), "-p", folder]);
    expect(status).not.toBeNull();
    expect(stdout.split("\n").filter((line) => /^(?:compiled-|error )/.test(line))).toEqual([]);
  });
});
