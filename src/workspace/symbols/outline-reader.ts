/**
 * Reads what a file defines and which names it uses, by the grammar of its language. Grammars are loaded with the first
 * file of their language. A file with mistakes is read as far as it can be; one without a known language has no outline.
 */
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Language as Grammar, Node, Parser, Query } from "@vscode/tree-sitter-wasm";
import { findImports } from "./find-imports.ts";
import { findLanguage, type Language } from "./languages.ts";

export interface Outline {
  /** One line for each definition, indented by what it stands in. */
  readonly text: string;
  readonly defines: readonly string[];
  /** Names that stand outside of remarks and quoted text, each once. */
  readonly uses: ReadonlySet<string>;
  /** Where the source says that it takes names from. */
  readonly imports: readonly string[];
}

interface Reading {
  readonly parser: Parser;
  readonly definitions: Query;
  readonly silent: Query;
}

type Library = typeof import("@vscode/tree-sitter-wasm");

/** What is longer is cut: an outline tells what there is, not all about it. */
const MOST_SIGNATURE_CHARACTERS = 140;
const MOST_LINES = 300;
const MOST_SOURCE_CHARACTERS = 2 ** 19;
/** No person writes lines that are so long on average: a tool has put them together. */
const MOST_CHARACTERS_A_LINE = 400;
const LEAST_MINIFIED_CHARACTERS = 10_000;
const MOST_HEAPED = 4_000;
const NAME = /[\p{ID_Start}_$][\p{ID_Continue}$]*/gu;

export class OutlineReader {
  readonly #readings = new Map<string, Promise<Reading>>();
  #library: Promise<Library> | undefined;

  async read(path: string, source: string): Promise<Outline | undefined> {
    const language = findLanguage(path);
    if (language === undefined) return undefined;
    const why = findReasonAgainst(source);
    if (why !== undefined) return withoutOutline(why);
    const reading = this.#readings.get(language.grammar) ?? this.#load(language);
    this.#readings.set(language.grammar, reading);
    return outlineOf(source, { ...(await reading), grammar: language.grammar });
  }

  async #load({ grammar, definitions, silent }: Language): Promise<Reading> {
    this.#library ??= loadLibrary();
    const { Parser: ParserClass, Language: LanguageClass, Query: QueryClass } = await this.#library;
    const loaded: Grammar = await LanguageClass.load(grammarFile(grammar));
    const parser = new ParserClass();
    parser.setLanguage(loaded);
    return { parser, definitions: new QueryClass(loaded, definitions), silent: new QueryClass(loaded, silent) };
  }
}

/** What stands in an outline's place, so that nobody takes the file for an empty one. */
export function withoutOutline(why: string): Outline {
  return { text: `[no outline: ${why}]`, defines: [], uses: new Set(), imports: [] };
}

function findReasonAgainst(source: string): string | undefined {
  if (source.length > MOST_SOURCE_CHARACTERS) return "the file is too long";
  if (source.length < LEAST_MINIFIED_CHARACTERS) return undefined;
  const lines = source.split("\n").length;
  return source.length / lines > MOST_CHARACTERS_A_LINE ? "its lines are a tool's, not a person's" : undefined;
}

/** The library is of the older kind of modules, and its files are found beside it. */
const require = createRequire(import.meta.url);

async function loadLibrary(): Promise<Library> {
  const library = require("@vscode/tree-sitter-wasm") as Library;
  await library.Parser.init();
  return library;
}

function grammarFile(grammar: string): string {
  return join(require.resolve("@vscode/tree-sitter-wasm"), "..", `tree-sitter-${grammar}.wasm`);
}

function outlineOf(
  source: string,
  { parser, definitions, silent, grammar }: Reading & { readonly grammar: string },
): Outline | undefined {
  const tree = parser.parse(source);
  if (tree === null) return undefined;
  try {
    if (isHopeless(tree.rootNode)) return withoutOutline("it has too many mistakes");
    const found = findDefinitions(definitions, tree.rootNode, source);
    const quiet = silent.captures(tree.rootNode).map(({ node }) => node);
    return {
      text: textOf(found),
      defines: [...new Set(found.map(({ name }) => name))],
      uses: findNames(source, quiet),
      imports: findImports(grammar, source),
    };
  } finally {
    tree.delete();
  }
}

/** What no grammar can make sense of is a flat heap, and looking through it takes the square of its size. */
function isHopeless({ type, childCount }: Node): boolean {
  return type === "ERROR" && childCount > MOST_HEAPED;
}

function textOf(found: readonly Definition[]): string {
  const lines = found.slice(0, MOST_LINES).map(({ depth, signature }) => `${"  ".repeat(depth)}${signature}`);
  const left = found.length - lines.length;
  return [...lines, ...(left > 0 ? [`[${left} more]`] : [])].join("\n");
}

interface Definition {
  readonly name: string;
  readonly signature: string;
  readonly depth: number;
}

function findDefinitions(query: Query, root: Node, source: string): readonly Definition[] {
  const found = new Map<number, { readonly node: Node; readonly name: string }>();
  for (const { captures } of query.matches(root)) {
    const node = captures.find(({ name }) => name === "definition")?.node;
    const name = captures.find((capture) => capture.name === "name")?.node.text;
    if (node !== undefined && name !== undefined) found.set(node.startIndex, { node, name });
  }
  const open: number[] = [];
  return [...found.values()]
    .toSorted((left, right) => left.node.startIndex - right.node.startIndex)
    .map(({ node, name }) => {
      while (open.length > 0 && (open.at(-1) ?? 0) <= node.startIndex) open.pop();
      const depth = open.length;
      open.push(node.endIndex);
      return { name: lastName(name), signature: signatureOf(node, source), depth };
    });
}

/** Of a name with a scope, the part that others call it by. */
function lastName(name: string): string {
  return name.match(NAME)?.at(-1) ?? name;
}

/** What stands before the body, in one line. */
function signatureOf(node: Node, source: string): string {
  const body = node.childForFieldName("body") ?? node.childForFieldName("value")?.childForFieldName("body");
  const end = body?.startIndex ?? node.endIndex;
  const line = source
    .slice(node.startIndex, Math.min(end, node.startIndex + 4 * MOST_SIGNATURE_CHARACTERS))
    .replace(/\s+/gu, " ")
    .replace(/\s*(?:=>|[{:=;])\s*$/u, "")
    .trim();
  if (line.length <= MOST_SIGNATURE_CHARACTERS) return line;
  // A character of two halves is left out rather than halved.
  return `${line.slice(0, MOST_SIGNATURE_CHARACTERS).replace(/[\ud800-\udbff]$/, "")}…`;
}

function findNames(source: string, quiet: readonly Node[]): ReadonlySet<string> {
  const names = new Set<string>();
  let from = 0;
  const read = (to: number): void => {
    for (const [name] of source.slice(from, to).matchAll(NAME)) names.add(name);
  };
  for (const { startIndex, endIndex } of quiet) {
    if (startIndex < from) continue;
    read(startIndex);
    from = endIndex;
  }
  read(source.length);
  return names;
}
