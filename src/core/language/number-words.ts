/**
 * Numbers that are spoken or spelled out: "twenty-five", "five hundred", "twelve and a half", "two point five", "nine
 * to ten million", "a dozen", "three quarters". A run of such words gets every possible reading: "twelve fifty" is 12
 * and 50, 12.50 and 1250.
 *
 * Used on the source of a summary, where extra readings do little harm. English only.
 */

/** A number in words, at its place in a text. */
export interface SpokenNumber {
  readonly start: number;
  readonly end: number;
  /** All readings, in the notation of `normalizeNumber`. */
  readonly keys: readonly string[];
}

/** Returns true if a number can begin with this word, which must be in lower case. */
export function isNumberWord(word: string): boolean {
  return word.length > 2 && word.length < 12 && FIRST_WORDS.has(word);
}

/** Reads the number that begins at an offset. */
export function readSpokenNumberAt(text: string, place: number): SpokenNumber | undefined {
  RUN.lastIndex = place;
  const run = RUN.exec(text)?.[0];
  const keys = run === undefined ? [] : readRun(run.toLowerCase());
  return keys.length === 0 ? undefined : { start: place, end: place + (run?.length ?? 0), keys };
}

const UNITS =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(
    " ",
  );
const TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const ORDINALS =
  "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth".split(
    " ",
  );
const VALUES: ReadonlyMap<string, number> = new Map([
  ...UNITS.map((word, value): [string, number] => [word, value]),
  ...TENS.map((word, index): [string, number] => [word, (index + 2) * 10]),
  ...ORDINALS.map((word, index): [string, number] => [word, index < 20 ? index + 1 : (index - 17) * 10]),
  ["fourty", 40],
  ["oh", 0],
  ["o", 0],
]);
const SCALES: ReadonlyMap<string, number> = new Map([
  ["hundred", 2],
  ["hundreds", 2],
  ["hundredth", 2],
  ["thousand", 3],
  ["thousands", 3],
  ["million", 6],
  ["millions", 6],
  ["billion", 9],
  ["billions", 9],
]);
/** Fractions, in hundredths. */
const PARTS: ReadonlyMap<string, number> = new Map([
  ["half", 50],
  ["halves", 50],
  ["third", 33],
  ["thirds", 33],
  ["quarter", 25],
  ["quarters", 25],
  ["fifths", 20],
  ["tenths", 10],
]);
const OTHER = ["dozen", "dozens", "couple", "double", "triple", "twice", "once", "point"];
const WORDS = [...VALUES.keys(), ...SCALES.keys(), ...PARTS.keys(), ...OTHER].toSorted(
  (left, right) => right.length - left.length || (left < right ? -1 : 1),
);
const FIRST_WORDS: ReadonlySet<string> = new Set(WORDS.filter((word) => word !== "point"));
const WORD = `(?:${WORDS.join("|")})`;
const RUN = new RegExp(
  `(?<!\\w)${WORD}(?!\\w)(?:(?: ?[-–] ?| ?, | and a | and | a | to | or | )${WORD}(?!\\w)){0,16}`,
  "iy",
);

/** Consecutive words that form one number. */
interface Group {
  value: number;
  /** The number before a word such as "million". */
  coefficient: number;
  scale: number;
  /** True after a comma, "to" or "or". */
  readonly isApart: boolean;
}

function readRun(run: string): readonly string[] {
  const keys = new Set<string>();
  const groups = readGroups(run, keys);
  for (const [place, group] of groups.entries()) {
    keys.add(formatNumber(group.value));
    keys.add(formatNumber(group.coefficient));
    const next = groups[place + 1];
    if (next === undefined) continue;
    // "Five to six million" also means five million; "twelve fifty" is a price, a year or a time.
    if (next.scale > 0 && group.scale === 0 && group.value > 0) keys.add(formatNumber(group.value * 10 ** next.scale));
    if (!isPair(group, next)) continue;
    keys.add(formatNumber(group.value * 100 + next.value));
    keys.add(formatNumber(group.value + next.value / 100));
  }
  addDigits(groups, keys);
  for (const key of [...keys]) if (Number(key) <= 100) keys.add(`${key}%`);
  return [...keys];
}

function isPair(first: Group, second: Group): boolean {
  if (second.isApart || first.scale > 0 || second.scale > 0) return false;
  return first.value >= 1 && first.value < 100 && second.value < 100;
}

/** Adds digits that are spoken one by one: "four one five oh". */
function addDigits(groups: readonly Group[], keys: Set<string>): void {
  let digits = "";
  for (const { value, scale } of [...groups, { value: -1, scale: 0 }]) {
    if (value >= 0 && value < 10 && scale === 0) digits += String(value);
    else if (digits.length > 1) {
      keys.add(formatNumber(Number(digits)));
      digits = "";
    } else digits = "";
  }
}

function readGroups(run: string, keys: Set<string>): readonly Group[] {
  const groups: Group[] = [];
  let decimals: string | undefined;
  let isApart = false;
  for (const word of run.match(/[a-z]+|,/g) ?? []) {
    const last = groups.at(-1);
    const value = VALUES.get(word);
    if (decimals !== undefined && value !== undefined && decimals.length < MAX_DECIMALS) {
      decimals = appendDecimal(decimals, value);
      continue;
    }
    if (decimals !== undefined && last !== undefined) last.value += Number(`0.${decimals || "0"}`);
    decimals = word === "point" ? "" : undefined;
    if (last === undefined && word === "point") groups.push({ value: 0, coefficient: 0, scale: 0, isApart });
    else if (PARTS.has(word) && value === undefined) addFraction(word, last, keys);
    else readWord(word, { groups, isApart, keys });
    isApart = APART.has(word);
  }
  const last = groups.at(-1);
  if (decimals !== undefined && last !== undefined) last.value += Number(`0.${decimals || "0"}`);
  return groups;
}

const MAX_DECIMALS = 6;
/** A new number begins after these. */
const APART: ReadonlySet<string> = new Set([",", "to", "or"]);

/** Appends a spoken decimal: "point two five" and "point twenty five" are both .25. */
function appendDecimal(decimals: string, value: number): string {
  const fillsPlace = decimals.length === 2 && decimals.endsWith("0") && value > 0 && value < 10;
  return fillsPlace ? `${decimals.slice(0, -1)}${value}` : `${decimals}${value}`;
}

/** Adds a fraction: "three quarters" is 75 %, "twelve and a half" is 12.5, "half" alone is 50 %. */
function addFraction(word: string, last: Group | undefined, keys: Set<string>): void {
  const hundredths = PARTS.get(word) ?? 0;
  const isCounted = last !== undefined && last.scale === 0 && last.value < 10;
  const share = isCounted ? hundredths * last.value : hundredths;
  if (share <= 100) {
    keys.add(`${share}%`);
    keys.add(formatNumber(share / 100));
  }
  if (last === undefined || word.endsWith("s")) return;
  keys.add(formatNumber(last.value));
  last.value += (hundredths / 100) * 10 ** last.scale;
  last.coefficient += hundredths / 100;
}

interface Reading {
  readonly groups: Group[];
  readonly isApart: boolean;
  readonly keys: Set<string>;
}

function readWord(word: string, { groups, isApart, keys }: Reading): void {
  const last = groups.at(-1);
  const scale = SCALES.get(word);
  if (scale !== undefined) {
    if (last === undefined || isApart) groups.push({ value: 10 ** scale, scale, coefficient: 10 ** scale, isApart });
    else multiply(last, scale);
    return;
  }
  const named = NAMED.get(word);
  if (named !== undefined) {
    if (word.startsWith("dozen") && last !== undefined) keys.add(formatNumber(last.value * named));
    keys.add(formatNumber(named));
    return;
  }
  const value = VALUES.get(word);
  if (value === undefined) return;
  if (last === undefined || isApart || !fillsZeros(last, value)) {
    groups.push({ value, scale: 0, coefficient: value, isApart });
    return;
  }
  last.value += value;
  if (last.scale === 0) last.coefficient = last.value;
}

const NAMED: ReadonlyMap<string, number> = new Map([
  ["dozen", 12],
  ["dozens", 12],
  ["couple", 2],
  ["double", 2],
  ["twice", 2],
  ["triple", 3],
  ["once", 1],
]);

/** Multiplies all of "two hundred thousand", but only the last part of "one million two hundred thousand". */
function multiply(group: Group, scale: number): void {
  const below = group.scale > scale ? group.value % 10 ** group.scale : group.value;
  group.coefficient = below;
  group.value += below * (10 ** scale - 1);
  group.scale = Math.max(group.scale, scale);
}

/** Returns true if the value fits into the zeros of the last number: "twenty" and "five", "two hundred" and "six". */
function fillsZeros(last: Group, value: number): boolean {
  if (!Number.isInteger(last.value) || value === 0 || last.value < 20) return false;
  const isTens = last.scale === 0 && last.value < 100 && value > 9;
  return !isTens && last.value % 10 ** String(value).length === 0;
}

/** Writes a number in the notation of `normalizeNumber`. */
function formatNumber(value: number): string {
  return String(value < LARGEST ? Math.round(value * 1e6) / 1e6 : LARGEST);
}

const LARGEST = 1e15;

/**
 * Returns one key for each number, so that 1,234 and 1234 and 1.234e3 are equal. Accepts the suffixes `k`, `M`, `B` and
 * `%`, of which only `%` stays in the key. Drops the minus sign, because a dash may be a bullet or a range. Before
 * exactly three digits, a comma is a thousands separator and a dot is a decimal point, as in English.
 */
export function normalizeNumber(text: string): string | undefined {
  if (text.length > MAX_NUMBER_CHARACTERS) return undefined;
  const match = NUMBER.exec(text.trim());
  if (match === null) return undefined;
  const [, whole = "", fraction = "", exponent = "0", suffix = ""] = match;
  const digits = whole.replaceAll(GROUP_MARKS, "");
  const isDecimalComma = fraction.startsWith(",");
  const decimals = fraction.slice(1);
  if (isDecimalComma && decimals.length === 3) return undefined;
  const power = Number(exponent) + (SUFFIX_POWERS[suffix] ?? 0);
  return `${shiftPoint(digits, decimals, power)}${suffix === "%" ? "%" : ""}`;
}

/** Returns `0.5` for `50%`. */
export function percentAsShare(key: string): string | undefined {
  return key.endsWith("%") ? normalizeNumber(`${key.slice(0, -1)}e-2`) : undefined;
}

const MAX_NUMBER_CHARACTERS = 80;
const GROUP_MARKS = /[,'’_\u00a0\u2009\u202f]/g;
const NUMBER =
  /^[-+]?(\d{1,3}(?:[,'’_\u00a0\u2009\u202f]\d{3}){1,12}|\d{1,60})([.,]\d{1,40})?(?:e([-+]?\d{1,3}))?[ \u00a0]?(k|K|M|B|%)?$/i;
const SUFFIX_POWERS: Readonly<Record<string, number>> = { k: 3, K: 3, M: 6, B: 9 };

/** Moves the decimal point in the string, so that no digit of a long number is lost. */
function shiftPoint(whole: string, decimals: string, power: number): string {
  const digits = `${whole}${decimals}`;
  const point = whole.length + power;
  const padded = point > digits.length ? digits.padEnd(point, "0") : digits;
  const before = point > 0 ? padded.slice(0, point) : "";
  const after = point > 0 ? padded.slice(point) : `${"0".repeat(-point)}${padded}`;
  const kept = stripEnd(after, "0");
  const head = stripStart(before, "0") || "0";
  return kept === "" ? head : `${head}.${kept}`;
}

function stripStart(text: string, character: string): string {
  let start = 0;
  while (text[start] === character) start += 1;
  return text.slice(start);
}

function stripEnd(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}
