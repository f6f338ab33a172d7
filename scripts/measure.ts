/**
 * Measures the structure of the code: `npm run measure`, or `--json` for programs. It counts files, lines, lengths of
 * functions, files in each folder, folders that import each other, and the files on the call stack of four API calls.
 *
 * A call is executed, not analyzed: its files are those on the stack when its last function is called. A function that
 * returns another one's promise without awaiting it is no longer on the stack, so the real path can be longer.
 */
import { dirname, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { parseSync } from "rolldown/utils";
import { openPalimpsest } from "../src/compose.ts";
import { fit as fitHistory } from "../src/index.ts";
import { createMemoryStore } from "../src/stores/memory/memory-store.ts";
import { emptyOrigin } from "../src/summarizers/guard-summarizer.ts";
import { readImports } from "../test/support/read-imports.ts";
import { readSources, repositoryRoot } from "../test/support/read-repository.ts";

const SHORT_FILE_LINES = 30;
const LONG_FILE_LINES = 400;
const FULL_FOLDER_FILES = 40;

const FUNCTIONS = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);

interface Measures {
  readonly files: number;
  readonly lines: number;
  readonly shortFiles: number;
  readonly longFiles: readonly string[];
  readonly functionLines: { readonly median: number; readonly p90: number; readonly most: number };
  readonly folders: Readonly<Record<string, number>>;
  readonly roomCycles: readonly string[];
  readonly folderCycles: readonly string[];
  readonly walks: Readonly<Record<string, readonly string[]>>;
}

const { values } = parseArgs({ options: { json: { type: "boolean", default: false } } });
const measures = await measure();
process.stdout.write(values.json ? `${JSON.stringify(measures, null, 2)}\n` : format(measures));

async function measure(): Promise<Measures> {
  const sources = new Map([...readSources("src/**/*.ts")].filter(([file]) => !file.endsWith(".test.ts")));
  const lines = new Map([...sources].map(([file, text]) => [file, countLines(text)]));
  const imports = readEdges(sources);
  const functions = [...sources].flatMap(([file, text]) => measureFunctions(file, text)).sort((a, b) => a - b);
  return {
    files: sources.size,
    lines: [...lines.values()].reduce((sum, count) => sum + count, 0),
    shortFiles: [...lines.values()].filter((count) => count <= SHORT_FILE_LINES).length,
    longFiles: [...lines].filter(([, count]) => count > LONG_FILE_LINES).map(([file, count]) => `${file} ${count}`),
    functionLines: { median: share(functions, 0.5), p90: share(functions, 0.9), most: share(functions, 1) },
    folders: countByFolder(sources.keys()),
    roomCycles: findMutual(imports, (file) => file.split("/").slice(0, 2).join("/")),
    folderCycles: findMutual(imports, dirname),
    walks: await takeWalks(),
  };
}

function countLines(text: string): number {
  return text.split("\n").length - 1;
}

function share(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

function countByFolder(files: Iterable<string>): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([, a], [, b]) => b - a));
}

/** Reads which file imports which at run time; type imports are erased. */
function readEdges(sources: ReadonlyMap<string, string>): readonly (readonly [string, string])[] {
  return [...sources].flatMap(([file, text]) =>
    readImports(text).flatMap(({ kind, specifier }) => {
      if (kind === "type" || specifier?.startsWith(".") !== true) return [];
      return [[file, relative(repositoryRoot, resolve(repositoryRoot, dirname(file), specifier))] as const];
    }),
  );
}

/** Finds the pairs of folders that import each other. */
function findMutual(
  imports: readonly (readonly [string, string])[],
  folderOf: (file: string) => string,
): readonly string[] {
  const pairs = new Set(imports.map(([from, to]) => `${folderOf(from)} ${folderOf(to)}`));
  return [...pairs].filter((pair) => {
    const [from = "", to = ""] = pair.split(" ");
    return from < to && pairs.has(`${to} ${from}`);
  });
}

function measureFunctions(file: string, text: string): readonly number[] {
  const lengths: number[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const { type, start, end } = node as { type?: unknown; start?: number; end?: number };
    if (typeof type === "string" && FUNCTIONS.has(type)) lengths.push(text.slice(start, end).split("\n").length);
    Object.values(node).forEach(visit);
  };
  visit(parseSync(file, text).program);
  return lengths;
}

async function takeWalks(): Promise<Measures["walks"]> {
  const talk = Array.from({ length: 60 }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `Message ${index}: ${"a few words about the import ".repeat(12)}`,
  }));
  let toSummarizer: readonly string[] = [];
  let toStore: readonly string[] = [];
  const summarizer = {
    name: "measured",
    estimateCost: () => 0,
    summarize: async () => {
      toSummarizer = filesOnStack();
      const origin = { ...emptyOrigin("measured"), calls: 0, chunks: 0 };
      return { type: "failed", kind: "unavailable", reason: "This summarizer only measures.", origin } as const;
    },
  };
  const store = createMemoryStore();
  const findTenant = store.tenant.bind(store);
  store.tenant = (id) => {
    const tenant = findTenant(id);
    const append = tenant.append.bind(tenant);
    tenant.append = (...args) => {
      toStore = filesOnStack();
      return append(...args);
    };
    return tenant;
  };
  const walks: Record<string, readonly string[]> = {};
  const palimpsest = await openPalimpsest({ summarizer, store, budgetTokens: 3_000 });
  const session = await palimpsest.session("walk");
  await session.append(talk);
  walks["session.append to the store"] = toStore;
  await session.prompt();
  walks["session.prompt to the summarizer"] = toSummarizer;
  await fitHistory(talk, { summarizer, budgetTokens: 3_000 });
  walks["fit to the summarizer"] = toSummarizer;
  await session.append(talk);
  await session.compact();
  walks["session.compact to the summarizer"] = toSummarizer;
  await palimpsest.close();
  return walks;
}

function filesOnStack(): readonly string[] {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = Number.POSITIVE_INFINITY;
  const { stack = "" } = new Error("where");
  Error.stackTraceLimit = limit;
  const files = [...stack.matchAll(/(src\/[\w/.-]+\.ts):\d+/g)].map(([, file = ""]) => file);
  return [...new Set(files)].reverse();
}

function format(measured: Measures): string {
  const { functionLines, folders, walks } = measured;
  const rows = [
    `files                       ${measured.files}`,
    `lines                       ${measured.lines}`,
    `files of ≤ ${SHORT_FILE_LINES} lines          ${measured.shortFiles}`,
    `files of > ${LONG_FILE_LINES} lines         ${measured.longFiles.length}${list(measured.longFiles)}`,
    `lines per function          median ${functionLines.median}, p90 ${functionLines.p90}, maximum ${functionLines.most}`,
    `rooms that import each other    ${measured.roomCycles.length}${list(measured.roomCycles)}`,
    `folders that import each other  ${measured.folderCycles.length}${list(measured.folderCycles)}`,
    `folders of > ${FULL_FOLDER_FILES} files        ${list(fullFolders(folders))}`,
    ...Object.entries(walks).map(([name, files]) => `${name}: ${files.length} files${list(files)}`),
  ];
  return `${rows.join("\n")}\n`;
}

function fullFolders(folders: Measures["folders"]): readonly string[] {
  return Object.entries(folders)
    .filter(([, count]) => count > FULL_FOLDER_FILES)
    .map(([folder, count]) => `${folder} ${count}`);
}

function list(items: readonly string[]): string {
  return items.map((item) => `\n    ${item}`).join("");
}
