/**
 * Editors show the comment of an exported symbol. Every symbol of an entry point has one; functions and classes also
 * have an example, which compiles.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { repositoryRoot } from "./support/read-repository.ts";

const { exports }: { readonly exports: Readonly<Record<string, { readonly types: string }>> } = JSON.parse(
  readFileSync(join(repositoryRoot, "package.json"), "utf8"),
);

const KIND = "(?:abstract |async )?(function\\*?|class|const|interface|type)";
const COMMENT = "(/\\*\\*(?:(?!\\*/)[\\s\\S])*\\*/\\n)?";

interface HoverText {
  readonly name: string;
  readonly kind: string;
  readonly comment: string;
}

function sourceOf(types: string): string {
  return join(repositoryRoot, types.replace("./dist", "src").replace(/\.d\.ts$/, ".ts"));
}

/** Returns the names that a file lists in `export { … }`, and those that it declares. */
function listNames(text: string): readonly string[] {
  const listed = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = ""]) =>
    splitList(list).map((item) => item.split(" as ").at(-1) ?? ""),
  );
  const declared = [...text.matchAll(new RegExp(`^export ${KIND} (\\w+)`, "gm"))].map(([, , name = ""]) => name);
  return [...new Set([...listed, ...declared])];
}

function splitList(list: string): readonly string[] {
  return list.split(",").flatMap((item) => {
    const name = item.trim().replace(/^type /, "");
    return name === "" ? [] : [name];
  });
}

function findText(file: string, name: string, shownAs = name): HoverText | undefined {
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, "utf8");
  const own = new RegExp(`${COMMENT}^export ${KIND} ${name}\\b`, "m").exec(text);
  if (own !== null) return { name: shownAs, kind: own[2] ?? "", comment: own[1] ?? "" };
  for (const [, list = "", from = ""] of text.matchAll(/^(?:export|import) (?:type )?\{([^}]*)\} from "(\.[^"]+)"/gm)) {
    for (const item of splitList(list)) {
      const [original = "", alias = original] = item.split(" as ");
      if (alias === name) return findText(resolve(dirname(file), from), original, shownAs);
    }
  }
  return undefined;
}

function listTexts(types: string): readonly HoverText[] {
  const file = sourceOf(types);
  return listNames(readFileSync(file, "utf8")).map(
    (name) => findText(file, name) ?? { name, kind: "not found", comment: "" },
  );
}

describe("the hover texts of the entry points", () => {
  test.each(Object.entries(exports))("%s: every symbol has one", (_, { types }) => {
    const texts = listTexts(types);
    expect(texts.filter(({ comment }) => comment === "").map(({ name, kind }) => `${kind} ${name}`)).toEqual([]);
  });

  test.each(Object.entries(exports))("%s: every function and class has an example", (_, { types }) => {
    const missing = listTexts(types).filter(
      ({ kind, comment }) => /^(function|class)/.test(kind) && !comment.includes("@example"),
    );
    expect(missing.map(({ name }) => name)).toEqual([]);
  });
});

const folder = mkdtempSync(join(repositoryRoot, "test/hover-texts-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Declared for examples that use them without a declaration of their own. */
const PRELUDE: Readonly<Record<string, string>> = {
  agent: `declare const agent: import("@openai/agents").Agent;`,
  chatModel: `declare const chatModel: import("@langchain/core/language_models/chat_models").BaseChatModel;`,
  error: "declare const error: unknown;",
  history: "declare const history: { role: string; content: string }[];",
  messages: `declare const messages: import("PALIMPSEST").Message[];`,
  model: `declare const model: Extract<import("ai").LanguageModel, { specificationVersion: "v4" }>;`,
  palimpsest: `declare const palimpsest: import("PALIMPSEST").Palimpsest;`,
  prompt: `declare const prompt: import("PALIMPSEST").Prompt;`,
  session: `declare const session: import("PALIMPSEST").Session;`,
  tools: `declare const tools: import("ai").ToolSet;`,
};

/** Names of frameworks that examples use, with their packages. */
const FOREIGN: Readonly<Record<string, string>> = {
  createAgent: "langchain",
  fc: "fast-check",
  generateText: "ai",
  Runner: "@openai/agents",
  streamText: "ai",
  ToolLoopAgent: "ai",
  wrapLanguageModel: "ai",
};

function readExample(comment: string): string | undefined {
  const block = /```ts\n([\s\S]*?)```/.exec(comment)?.[1];
  return block?.replaceAll(/^ \* ?/gm, "");
}

/** Writes an example as a module that imports what it names. */
function writeModule(example: string, exported: ReadonlyMap<string, string>): string {
  const code = example.replaceAll(/"[^"\n]*"|'[^'\n]*'/g, '""');
  const used = (name: string) => new RegExp(`(?<!\\w|(?<!\\.\\.)\\.)${name}\\b`).test(code);
  const declared = (name: string) => new RegExp(`(?:const|let) [^=;()\\n]*\\b${name}\\b(?!:)[^=;()\\n]* =`).test(code);
  const imports = [...exported].flatMap(([name, from]) =>
    used(name) ? [`import { ${name} } from ${JSON.stringify(from)};`] : [],
  );
  const foreign = Object.entries(FOREIGN).flatMap(([name, from]) => {
    if (!used(name)) return [];
    return [name === "fc" ? `import fc from "${from}";` : `import { ${name} } from "${from}";`];
  });
  const prelude = Object.entries(PRELUDE).flatMap(([name, line]) => (used(name) && !declared(name) ? [line] : []));
  const main = sourceOf("./dist/index.d.ts");
  return [...imports, ...foreign, ...prelude, "{", example, "}", "export {};"]
    .join("\n")
    .replaceAll("PALIMPSEST", main);
}

describe("the examples of the hover texts", () => {
  test("compile", () => {
    const main = sourceOf("./dist/index.d.ts");
    const mainNames = new Map(listNames(readFileSync(main, "utf8")).map((name) => [name, main] as const));
    const clientFile = sourceOf("./dist/client/index.d.ts");
    const coreFile = sourceOf("./dist/core/public/index.d.ts");
    const d1File = sourceOf("./dist/stores/d1/open-d1-store.d.ts");
    const files = Object.entries(exports).flatMap(([entry, { types }]) => {
      const file = sourceOf(types);
      const own = listNames(readFileSync(file, "utf8")).map((name) => [name, file] as const);
      const shared = [
        ["createClient", clientFile] as const,
        ["countTokens", coreFile] as const,
        ["openD1Store", d1File] as const,
        ["D1Database", d1File] as const,
      ];
      const exported = new Map([...shared, ...mainNames, ...own]);
      return listTexts(types).flatMap(({ name, comment }) => {
        const example = readExample(comment);
        if (example === undefined) return [];
        const path = join(folder, `${entry.replaceAll(/\W+/g, "-")}-${name}.ts`);
        writeFileSync(path, writeModule(example, exported));
        return [path];
      });
    });
    expect(files.length).toBeGreaterThan(80);
    const options = { extends: join(repositoryRoot, "tsconfig.json"), include: ["."], exclude: [] };
    const compilerOptions = { noUnusedLocals: false, verbatimModuleSyntax: false };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ ...options, compilerOptions }));
    const tsc = join(repositoryRoot, "node_modules/typescript/bin/tsc");
    const { stdout } = spawnSync(process.execPath, [tsc, "--noEmit", "-p", folder], { encoding: "utf8" });
    expect(stdout).toBe("");
  });
});
