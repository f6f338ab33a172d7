/** Texts of every kind with a different cost, each of about the requested number of bytes, the same in every run. */
import { seededRandom } from "../../src/testing/seeded-random.ts";

export interface LongText {
  readonly name: string;
  build(bytes: number): string;
}

export const LONG_TEXTS: readonly LongText[] = [
  { name: "random Chinese", build: (bytes) => draw(bytes / 3, () => pick(0x4e00, 0x51a6)) },
  { name: "base64", build: (bytes) => draw(bytes, () => LETTERS.charAt(random.integer(64))) },
  { name: "list items", build: (bytes) => repeat("- item\n", bytes) },
  { name: "one line of JSON", build: (bytes) => JSON.stringify(draw(bytes / 60, describeItem).split("\n")) },
  { name: "one repeated word", build: (bytes) => repeat("word ", bytes) },
  { name: "emoji", build: (bytes) => draw(bytes / 4, () => String.fromCodePoint(0x1f300 + random.integer(0x300))) },
  { name: "Thai", build: (bytes) => draw(bytes / 3, () => pick(0x0e01, 0x3a)) },
  { name: "a Markdown table", build: (bytes) => draw(bytes / 34, () => `| ${word()} | ${number()} | ${word()} |\n`) },
  { name: "source code", build: (bytes) => draw(bytes / 75, writeCode) },
  { name: "digits", build: (bytes) => draw(bytes, () => String(random.integer(10))) },
  { name: "blanks", build: (bytes) => draw(bytes, () => " \t\n".charAt(random.integer(3))) },
  {
    name: "combining characters",
    build: (bytes) => draw(bytes / 7, () => `a${pick(0x300, 0x70)}${pick(0x300, 0x70)}${pick(0x300, 0x70)}`),
  },
  { name: "marks without letters", build: (bytes) => "\u0301".repeat(bytes / 4) + "\u0323".repeat(bytes / 4) },
  { name: "letters with many marks", build: (bytes) => repeat(`a${"\u0301\u0323".repeat(15)}`, bytes / 2) },
];

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const WORDS = ["order", "parcel", "server", "index", "limit", "report", "budget", "window", "reader", "branch"];
let random = seededRandom(1);

const pick = (from: number, count: number): string => String.fromCharCode(from + random.integer(count));
const word = (): string => `${WORDS[random.integer(WORDS.length)]}`;
const number = (): number => random.integer(1_000_000);
const describeItem = (): string => `{"id": ${number()}, "name": "${word()} ${number()}", "done": true}\n`;
const writeCode = (): string =>
  `  if (${word()}.${word()} > ${number()}) return ${word()}(${word()}, { ${word()}: ${number()} });\n`;

function draw(times: number, next: () => string): string {
  random = seededRandom(1);
  return Array.from({ length: Math.ceil(times) }, next).join("");
}

function repeat(text: string, bytes: number): string {
  return text.repeat(Math.ceil(bytes / text.length));
}
