/**
 * Classifies UTF-16 code units as a tokenizer's splitter does: letters, digits, blanks or symbols. Letters and symbols
 * outside ASCII have a weight in tokens, measured with o200k on ordinary sentences.
 *
 * It uses the Unicode blocks of scripts, which need a few kilobytes instead of a whole Unicode database.
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
export const NON_ASCII_LETTER = 8;
export const NON_ASCII_SYMBOL = 9;

export type CharacterClass = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

function classifyAscii(character: string): CharacterClass {
  if (/[a-z]/.test(character)) return LOWER;
  if (/[A-Z]/.test(character)) return UPPER;
  if (/[0-9]/.test(character)) return DIGIT;
  if (character === " ") return SPACE;
  if (/[\r\n]/.test(character)) return NEWLINE;
  if (/\s/.test(character)) return TAB;
  return /[-+/=_]/.test(character) ? JOINER : SYMBOL;
}

export function classifyCharacter(code: number): CharacterClass {
  return (CLASSES[code] ?? SYMBOL) as CharacterClass;
}

/** Returns the tokens of one code unit outside ASCII inside a longer run of its kind. */
export function weighNonAscii(code: number): number {
  return findBlock(code).weight;
}

interface Block {
  /** The first code unit after the block. */
  readonly end: number;
  readonly kind: "letter" | "symbol" | "blank";
  readonly weight: number;
}

/** Blocks in ascending order. Each begins where the previous one ends. */
const BLOCKS: readonly Block[] = [
  { end: 0x00c0, kind: "symbol", weight: 1 }, // Latin-1 symbols
  { end: 0x0250, kind: "letter", weight: 0.75 }, // accented Latin, in words with plain letters
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

/** Blocks begin and end at multiples of sixteen, so a lookup in a small list finds the block. */
const BLOCK_BY_SIXTEENTH: readonly Block[] = BLOCKS.flatMap((block, index) =>
  new Array<Block>((block.end - (BLOCKS[index - 1]?.end ?? 0)) >> 4).fill(block),
);

const IDEOGRAPHIC_SPACE = 0x3000;
const BLANK: Block = { end: 0, kind: "blank", weight: 1 };

function findBlock(code: number): Block {
  if (code === IDEOGRAPHIC_SPACE) return BLANK;
  return BLOCK_BY_SIXTEENTH[code >> 4] ?? BLANK;
}

const KINDS = { letter: NON_ASCII_LETTER, symbol: NON_ASCII_SYMBOL, blank: TAB } as const;

/** The class of every code unit. */
const CLASSES = new Uint8Array(0x10000);
for (const [index, { end, kind }] of BLOCKS.entries()) CLASSES.fill(KINDS[kind], BLOCKS[index - 1]?.end ?? 0, end);
CLASSES[IDEOGRAPHIC_SPACE] = TAB;
for (let code = 0; code < 128; code += 1) CLASSES[code] = classifyAscii(String.fromCharCode(code));

// The few hundred Han characters that make up more than half of ordinary Chinese text. A text with almost none of them
// is unusual, and a tokenizer needs two or three tokens per character for it.
const COMMON =
  "的一是了我不人在他有这个上们来到时大地为子中你说生国年着就那和要她出也得里后自以会家可下而过天去能对小多然于心学么之都好看起发当没成只如事把还用第样道想作种开美总从无情己面最女但现前些所同日手又行意动方期它头经长儿回位分爱老因很给名法间斯知世什两次使身者被高已亲其进此话常与活正感见明问力理尔点文几定本公特做外孩相西果走将月十实向声车全信重三机工物气每并别真打太新比才便夫再书部水像眼等体却加电主界门利海受听表德少克代员许先口由死安写性马光白或住难望教命花结乐色更拉东神记处让母父应直字场平报友关放至张认接告入笑内英军候民岁往何度山觉路带万男边风解叫任金快原吃妈变通师立象数四失满战远格士音轻目条呢件据请需开始测试数据使用户服务器这個們來會說時國對學過還後開樣發現關於問題為什麼沒";

const FIRST = 0x4e00;
const LAST = 0x9fff;
const common = new Uint8Array(LAST - FIRST + 1);
for (const character of COMMON) common[character.charCodeAt(0) - FIRST] = 1;

export function isHan(code: number): boolean {
  return code >= FIRST && code <= LAST;
}

export function isCommonHan(code: number): boolean {
  return common[code - FIRST] === 1;
}
