/**
 * Compares docs/workspace.md with the code: its program runs and prints what it shows, and its options are complete.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { checkWorkspaceOptions } from "../../src/workspace/local-workspace.ts";
import { LEGEND } from "../../src/workspace/symbols/outline-reader.ts";
import { repositoryRoot } from "../support/read-repository.ts";

const read = (path: string): string => readFileSync(join(repositoryRoot, path), "utf8");
const text = read("docs/workspace.md");
const blocks = [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language, source = ""]) => ({
  language,
  source,
}));
const folder = mkdtempSync(join(tmpdir(), "palimpsest-workspace-doc-"));
afterAll(() => rmSync(folder, { recursive: true }));

function optionsOf(options: object): readonly string[] {
  try {
    checkWorkspaceOptions(options);
  } catch (error) {
    return (/The options are (.*)\./.exec(String(error))?.[1] ?? "").split(", ");
  }
  return [];
}

describe("docs/workspace.md", () => {
  const [program, printed, legend] = blocks;

  test("the program of docs/workspace.md prints what the page shows", () => {
    const file = join(folder, "program.mts");
    const entryUrl = JSON.stringify(pathToFileURL(join(repositoryRoot, "src/index.ts")).href);
    writeFileSync(file, (program?.source ?? "").replaceAll('from "palimpsest"', `from ${entryUrl}`));
    const env = { ...process.env, FORCE_COLOR: undefined };
    const { status, stdout, stderr } = spawnSync(process.execPath, [file], { cwd: folder, env, encoding: "utf8" });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: printed?.source, stderr: "" });
  });

  test("contains examples/workspace.ts", () => {
    const example = read("examples/workspace.ts").replaceAll(/^\/\*\*.*\n/gm, "");
    expect(example.replace('from "../src/index.ts"', 'from "palimpsest"')).toBe(program?.source);
  });

  test("lists exactly the options", () => {
    const [, section = ""] = text.split("\n## Options\n");
    const documented = [...section.matchAll(/^\| `([\w.]+)` +\|/gm)].map(([, name]) => name);
    const links = optionsOf({ root: ".", links: { other: 1 } }).map((name) => `links.${name}`);
    expect(documented).toEqual([...optionsOf({ root: ".", other: 1 }), ...links]);
  });

  test("quotes the legend", () => {
    expect(legend?.source).toBe(`${LEGEND}\n`);
  });
});
