/** Reads the definitions and names of a file with its language's grammar. Broken files are read as far as possible. */
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Language as Grammar, Node, Parser, Query } from "@vscode/tree-sitter-wasm";
import { findImports } from "./find-imports.ts";
import { findLanguage, type Language } from "./languages.ts";

export interface Outline {
  /** One line for each definition, indented by nesting. */
  readonly text: string;
  readonly defines: readonly string[];
  /** Names outside of comments and string literals, each once. */
  readonly uses: ReadonlySet<string>;
  /** Import specifiers of the source. */
  readonly imports: readonly string[];
}

interface LoadedGrammar {
  readonly parser: Parser;
  readonly definitions: Query;
  readonly ignored: Query;
}

type Library = typeof import("@vscode/tree-sitter-wasm");

const MAX_SIGNATURE_CHARACTERS = 140;
const MAX_LINES = 300;
const MAX_SOURCE_CHARACTERS = 2 ** 19;
/** Longer average lines mean that the file is minified. */
const MAX_CHARACTERS_PER_LINE = 400;
const MIN_MINIFIED_CHARACTERS = 10_000;
const MAX_ERROR_CHILDREN = 4_000;
const NAME = /[\p{ID_Start}_$][\p{ID_Continue}$]*/gu;

export class OutlineReader {
  readonly #readings = new Map<string, Promise<LoadedGrammar>>();
  #library: Promise<Library> | undefined;

  async read(path: string, source: string): Promise<Outline | undefined> {
    const language = findLanguage(path);
    if (language === undefined) return undefined;
    const reason = findReasonAgainst(source);
    if (reason !== undefined) return createOutlineNote(reason);
    const reading = this.#readings.get(language.grammar) ?? this.#load(language);
    this.#readings.set(language.grammar, reading);
    return buildOutline(source, { ...(await reading), grammar: language.grammar });
  }

  async #load({ grammar, definitions, ignored }: Language): Promise<LoadedGrammar> {
    this.#library ??= loadLibrary();
    const { Parser: ParserClass, Language: LanguageClass, Query: QueryClass } = await this.#library;
    const loaded: Grammar = await LanguageClass.load(grammarFile(grammar));
    const parser = new ParserClass();
    parser.setLanguage(loaded);
    return { parser, definitions: new QueryClass(loaded, definitions), ignored: new QueryClass(loaded, ignored) };
  }
}

/** Returns a note in place of an outline, so that the file does not look empty. */
export function createOutlineNote(reason: string): Outline {
  return { text: `[no outline: ${reason}]`, defines: [], uses: new Set(), imports: [] };
}

function findReasonAgainst(source: string): string | undefined {
  if (source.length > MAX_SOURCE_CHARACTERS) return "the file is too long";
  if (source.length < MIN_MINIFIED_CHARACTERS) return undefined;
  const lines = source.split("\n").length;
  return source.length / lines > MAX_CHARACTERS_PER_LINE ? "it looks minified" : undefined;
}

/** The library is CommonJS, and its files are next to it. */
const require = createRequire(import.meta.url);

async function loadLibrary(): Promise<Library> {
  const library = require("@vscode/tree-sitter-wasm") as Library;
  await library.Parser.init();
  return library;
}

function grammarFile(grammar: string): string {
  return join(require.resolve("@vscode/tree-sitter-wasm"), "..", `tree-sitter-${grammar}.wasm`);
}

function buildOutline(
  source: string,
  { parser, definitions, ignored, grammar }: LoadedGrammar & { readonly grammar: string },
): Outline | undefined {
  const tree = parser.parse(source);
  if (tree === null) return undefined;
  try {
    if (isUnparsable(tree.rootNode)) return createOutlineNote("it has too many syntax errors");
    const found = findDefinitions(definitions, tree.rootNode, source);
    const ignoredNodes = ignored.captures(tree.rootNode).map(({ node }) => node);
    return {
      text: formatDefinitions(found),
      defines: [...new Set(found.map(({ name }) => name))],
      uses: findNames(source, ignoredNodes),
      imports: findImports(grammar, source),
    };
  } finally {
    tree.delete();
  }
}

/** An unparsable file is one flat error node, and walking it takes quadratic time. */
function isUnparsable({ type, childCount }: Node): boolean {
  return type === "ERROR" && childCount > MAX_ERROR_CHILDREN;
}

function formatDefinitions(found: readonly Definition[]): string {
  const lines = found.slice(0, MAX_LINES).map(({ depth, signature }) => `${"  ".repeat(depth)}${signature}`);
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
      return { name: lastName(name), signature: readSignature(node, source), depth };
    });
}

/** Returns the last part of a scoped name, by which others refer to it. */
function lastName(name: string): string {
  return name.match(NAME)?.at(-1) ?? name;
}

/** Returns the source up to the body, on one line. */
function readSignature(node: Node, source: string): string {
  const body = node.childForFieldName("body") ?? node.childForFieldName("value")?.childForFieldName("body");
  const end = body?.startIndex ?? node.endIndex;
  const line = source
    .slice(node.startIndex, Math.min(end, node.startIndex + 4 * MAX_SIGNATURE_CHARACTERS))
    .replace(/\s+/gu, " ")
    .replace(/\s*(?:=>|[{:=;])\s*$/u, "")
    .trim();
  if (line.length <= MAX_SIGNATURE_CHARACTERS) return line;
  // Never cuts a surrogate pair in half.
  return `${line.slice(0, MAX_SIGNATURE_CHARACTERS).replace(/[\ud800-\udbff]$/, "")}…`;
}

function findNames(source: string, ignored: readonly Node[]): ReadonlySet<string> {
  const names = new Set<string>();
  let from = 0;
  const read = (to: number): void => {
    for (const [name] of source.slice(from, to).matchAll(NAME)) names.add(name);
  };
  for (const { startIndex, endIndex } of ignored) {
    if (startIndex < from) continue;
    read(startIndex);
    from = endIndex;
  }
  read(source.length);
  return names;
}

/** Explains the outlines to the model. Providers cache it, so it must never vary. */
export const LEGEND = [
  "Below each path are the file's definitions, one a line, as in the source but without bodies. Long lines end in ….",
  "An indented line belongs to the nearest line above with less indentation.",
  "[no outline: …] says why a file has none, [n more] how many definitions are left out.",
].join("\n");

/** An outline with its names as 52-bit hashes, to hold millions of them. A collision adds one reference too many. */
export interface PackedOutline {
  readonly text: string;
  /** Sorted. */
  readonly defines: Float64Array<ArrayBuffer>;
  /** Sorted. */
  readonly uses: Float64Array<ArrayBuffer>;
  readonly imports: readonly string[];
}

export function packOutline({ text, defines, uses, imports }: Outline): PackedOutline {
  return { text, defines: packNames(defines), uses: packNames(uses), imports };
}

function packNames(names: Iterable<string>): Float64Array<ArrayBuffer> {
  return Float64Array.from(new Set(Array.from(names, hashName))).sort();
}

/** Hashes a name with FNV-1a twice, from two seeds. */
export function hashName(name: string): number {
  let low = 0x811c9dc5;
  let high = 0x9747b28c;
  for (let index = 0; index < name.length; index += 1) {
    const code = name.charCodeAt(index);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ (code + index), 0x01000193);
  }
  return (high >>> 12) * 2 ** 32 + (low >>> 0);
}

export function includesNumber(sorted: Float64Array, wanted: number): boolean {
  let from = 0;
  let to = sorted.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((sorted[middle] ?? 0) < wanted) from = middle + 1;
    else to = middle;
  }
  return sorted[from] === wanted;
}
