/** Texts for generated conversations: chat, source files and tool output. Seeded, so that they repeat. */
import type { SeededRandom } from "../../src/testing/seeded-random.ts";

const VERBS = "read parse check store send merge count load drop sort split format render trace match queue".split(" ");
const NOUNS =
  "order invoice user token report index entry batch event filter page record price cache route draft".split(" ");
const LINKS = "the a of to and is in that for with on we should not but from this when where because before then".split(
  " ",
);

export function writeProse(random: SeededRandom, sentences: number): string {
  return Array.from({ length: sentences }, () => sentence(random)).join(" ");
}

function sentence(random: SeededRandom): string {
  const words = Array.from({ length: 8 + random.integer(12) }, () =>
    random.next() < 0.45 ? random.pick(LINKS) : random.pick(random.next() < 0.5 ? NOUNS : VERBS),
  );
  if (random.integer(3) === 0) words.push(String(random.integer(9_000)));
  const text = words.join(" ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** Returns one of thirty distinct paths in each folder. */
export function pathAt(index: number): string {
  const noun = NOUNS[index % NOUNS.length];
  const verb = VERBS[Math.floor(index / NOUNS.length) % VERBS.length];
  return `src/${NOUNS[Math.floor(index / 30) % NOUNS.length]}/${verb}-${noun}-${index}.ts`;
}

export interface SourceOptions {
  readonly functions: number;
  /** The files that this file uses. */
  readonly imports: readonly string[];
}

export function sourceFile(random: SeededRandom, { functions, imports }: SourceOptions): string {
  const head = imports.map((path) => `import { ${random.pick(VERBS)} } from "${path}";`);
  return [...head, "", ...Array.from({ length: functions }, () => sourceFunction(random))].join("\n");
}

export function sourceFunction(random: SeededRandom): string {
  const name = `${random.pick(VERBS)}${capital(random.pick(NOUNS))}${random.integer(900)}`;
  const [first, second] = [random.pick(NOUNS), random.pick(NOUNS)];
  const lines = Array.from({ length: 4 + random.integer(8) }, () => `  ${statement(random)}`);
  return [`export function ${name}(${first}: string, ${second}Count: number): string {`, ...lines, "}", ""].join("\n");
}

function statement(random: SeededRandom): string {
  const [noun, other, verb] = [random.pick(NOUNS), random.pick(NOUNS), random.pick(VERBS)];
  return random.pick([
    `const ${noun}${random.integer(90)} = ${verb}(${other}, ${random.integer(500)});`,
    `if (${noun}.${other} > ${random.integer(500)}) return ${verb}(${noun});`,
    `${noun}.${verb}({ ${other}: "${random.pick(NOUNS)} ${random.pick(VERBS)}" });`,
  ]);
}

/** Changes a random function body, and sometimes a signature, which also changes the outline. */
export function editSource(random: SeededRandom, source: string): string {
  const lines = source.split("\n");
  const bodies = lines.flatMap((line, index) => (line.startsWith("  ") ? [index] : []));
  if (bodies.length === 0 || random.integer(5) === 0) return `${source}\n${sourceFunction(random)}`;
  const place = random.pick(bodies);
  return lines.with(place, `  ${statement(random)}`).join("\n");
}

/** Returns tool output of about this many tokens. */
export function toolOutput(random: SeededRandom, tokens: number): string {
  const lines = Array.from({ length: Math.ceil(tokens / 18) }, (_, line) => {
    const path = pathAt(random.integer(300));
    return random.integer(2) === 0 ? `${path}:${line + 1}: ${statement(random)}` : `  ${statement(random)}`;
  });
  return lines.join("\n");
}

function capital(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}
