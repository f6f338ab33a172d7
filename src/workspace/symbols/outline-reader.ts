/**
 * Reads what a file defines and which names it uses, by the grammar of its language. Grammars are loaded with the first
 * file of their language. A file with mistakes is read as far as it can be; one without a known language has no outline.
 */
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Language as Grammar, Node, Parser, Query } from "@vscode/tree-sitter-wasm";
import { findLanguage, type Language } from "./languages.ts";

export interface Outline {
  /** One line for each definition, indented by what it stands in. */
  readonly text: string;
  readonly defines: readonly string[];
  /** Names that stand outside of remarks and quoted text, each once. */
  readonly uses: ReadonlySet<string>;
}

interface Reading {
  readonly parser: Parser;
  readonly definitions: Query;
  readonly silent: Query;
}

type Library = typeof import("@vscode/tree-sitter-wasm");

/** What is longer is cut: an outline tells what there is, not all about it. */
const MOST_SIGNATURE_CHARACTERS = 140;
const MOST_SOURCE_CHARACTERS = 2 ** 20;
const NAME = /[\p{L}_$][\p{L}\p{N}_$]*/gu;

export class OutlineReader {
  readonly #readings = new Map<string, Promise<Reading>>();
  #library: Promise<Library> | undefined;

  async read(path: string, source: string): Promise<Outline | undefined> {
    const language = findLanguage(path);
    if (language === undefined || source.length > MOST_SOURCE_CHARACTERS) return undefined;
    const reading = this.#readings.get(language.grammar) ?? this.#load(language);
    this.#readings.set(language.grammar, reading);
    return outlineOf(source, await reading);
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

function outlineOf(source: string, { parser, definitions, silent }: Reading): Outline | undefined {
  const tree = parser.parse(source);
  if (tree === null) return undefined;
  try {
    const found = findDefinitions(definitions, tree.rootNode, source);
    const quiet = silent.captures(tree.rootNode).map(({ node }) => node);
    return {
      text: found.map(({ depth, signature }) => `${"  ".repeat(depth)}${signature}`).join("\n"),
      defines: [...new Set(found.map(({ name }) => name))],
      uses: findNames(source, quiet),
    };
  } finally {
    tree.delete();
  }
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
  return line.length <= MOST_SIGNATURE_CHARACTERS ? line : `${line.slice(0, MOST_SIGNATURE_CHARACTERS)}…`;
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
