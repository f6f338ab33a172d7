/**
 * What a tokenizer's splitter sees in one UTF-16 code unit: letters, digits, blanks or symbols, and for letters and
 * symbols outside ASCII how many tokens each is worth. The weights were measured with o200k on ordinary sentences.
 *
 * This knows scripts by their blocks, not characters by their names: it is a few kilobytes, not a Unicode database.
 */

export const LOWER = 0;
export const UPPER = 1;
export const DIGIT = 2;
export const SPACE = 3;
export const TAB = 4;
export const NEWLINE = 5;
/** Symbols that base64, hexadecimal and identifiers use between their letters: `+ / = _ -`. */
export const JOINER = 6;
export const SYMBOL = 7;
export const FOREIGN_LETTER = 8;
export const FOREIGN_SYMBOL = 9;

export type CharacterClass = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

const ASCII = Uint8Array.from({ length: 128 }, (_, code) => classifyAscii(String.fromCharCode(code)));

function classifyAscii(character: string): CharacterClass {
  if (/[a-z]/.test(character)) return LOWER;
  if (/[A-Z]/.test(character)) return UPPER;
  if (/[0-9]/.test(character)) return DIGIT;
  if (character === " ") return SPACE;
  if (/[\r\n]/.test(character)) return NEWLINE;
  if (/\s/.test(character)) return TAB;
  return /[-+/=_]/.test(character) ? JOINER : SYMBOL;
}

export function characterClass(code: number): CharacterClass {
  if (code < ASCII.length) return (ASCII[code] ?? SYMBOL) as CharacterClass;
  const { kind } = blockOf(code);
  if (kind === "letter") return FOREIGN_LETTER;
  return kind === "blank" ? TAB : FOREIGN_SYMBOL;
}

/** Tokens that one code unit outside ASCII is worth inside a longer run of its kind. */
export function foreignWeight(code: number): number {
  return blockOf(code).weight;
}

interface Block {
  /** The first code unit after the block. */
  readonly end: number;
  readonly kind: "letter" | "symbol" | "blank";
  readonly weight: number;
}

/** In order; a block begins where the one before it ends. */
const BLOCKS: readonly Block[] = [
  { end: 0x00c0, kind: "symbol", weight: 1 }, // Latin-1 symbols
  { end: 0x0250, kind: "letter", weight: 0.75 }, // accented Latin, beside its plain letters
  { end: 0x0370, kind: "letter", weight: 0.6 }, // phonetic letters, combining marks
  { end: 0x0400, kind: "letter", weight: 0.35 }, // Greek
  { end: 0x0530, kind: "letter", weight: 0.28 }, // Cyrillic
  { end: 0x0590, kind: "letter", weight: 0.5 }, // Armenian
  { end: 0x0600, kind: "letter", weight: 0.4 }, // Hebrew
  { end: 0x0780, kind: "letter", weight: 0.28 }, // Arabic
  { end: 0x0900, kind: "letter", weight: 0.8 },
  { end: 0x0980, kind: "letter", weight: 0.27 }, // Devanagari
  { end: 0x0e00, kind: "letter", weight: 0.45 }, // the other scripts of India
  { end: 0x0e80, kind: "letter", weight: 0.4 }, // Thai
  { end: 0x1100, kind: "letter", weight: 0.6 }, // Lao, Tibetan, Burmese, Georgian
  { end: 0x1200, kind: "letter", weight: 1 },
  { end: 0x1e00, kind: "letter", weight: 1 }, // Ethiopic, Khmer, Mongolian and others
  { end: 0x2000, kind: "letter", weight: 0.42 }, // Vietnamese and polytonic Greek
  { end: 0x2010, kind: "blank", weight: 1 },
  { end: 0x2070, kind: "symbol", weight: 1 }, // dashes, quotation marks, ellipsis
  { end: 0x2500, kind: "symbol", weight: 1 }, // arrows, mathematics
  { end: 0x2580, kind: "symbol", weight: 0.55 }, // box drawing
  { end: 0x2e80, kind: "symbol", weight: 1.3 },
  { end: 0x3000, kind: "letter", weight: 2 },
  { end: 0x3040, kind: "symbol", weight: 1 }, // punctuation of Chinese and Japanese
  { end: 0x3100, kind: "letter", weight: 0.7 }, // kana
  { end: 0x3400, kind: "letter", weight: 1 },
  { end: 0x4e00, kind: "letter", weight: 3 }, // rare Han
  { end: 0xa000, kind: "letter", weight: 0.67 }, // Han
  { end: 0xac00, kind: "letter", weight: 2 },
  { end: 0xd7b0, kind: "letter", weight: 0.6 }, // Hangul
  { end: 0xd800, kind: "letter", weight: 2 },
  { end: 0xe000, kind: "symbol", weight: 1 }, // surrogates: mostly one half of an emoji
  { end: 0xf900, kind: "symbol", weight: 3 }, // private use
  { end: 0xff00, kind: "letter", weight: 1 },
  { end: 0x10000, kind: "symbol", weight: 1 }, // full-width forms
];

/** Blocks begin and end at multiples of sixteen, so one look into a small list finds the block. */
const BLOCK_BY_SIXTEENTH: readonly Block[] = BLOCKS.flatMap((block, index) =>
  new Array<Block>((block.end - (BLOCKS[index - 1]?.end ?? 0)) >> 4).fill(block),
);

const IDEOGRAPHIC_SPACE = 0x3000;
const BLANK: Block = { end: 0, kind: "blank", weight: 1 };

function blockOf(code: number): Block {
  if (code === IDEOGRAPHIC_SPACE) return BLANK;
  return BLOCK_BY_SIXTEENTH[code >> 4] ?? BLANK;
}
