/**
 * One spelling for each number, so that 1,234 and 1234 and 1.234e3 compare as the same. Signs are left out, because a
 * dash before a number is as often a bullet or a range. A percentage keeps its sign: `50%` is not the number 50, and
 * that it is 0.5 is for the caller to know (`percentAsShare`).
 *
 * A comma or dot before exactly three digits separates thousands where it is a comma, and decimals where it is a dot,
 * as English has it. Words such as "three" are read by `number-words.ts`.
 */

/** A number without a unit, or with `k`, `M` or `B` for thousands, millions and billions, or with `%`. */
export function normaliseNumber(text: string): string | undefined {
  if (text.length > LONGEST_NUMBER) return undefined;
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

/** `50%` as `0.5`. */
export function percentAsShare(key: string): string | undefined {
  return key.endsWith("%") ? normaliseNumber(`${key.slice(0, -1)}e-2`) : undefined;
}

const LONGEST_NUMBER = 80;
const GROUP_MARKS = /[,'’_\u00a0\u2009\u202f]/g;
const NUMBER =
  /^[-+]?(\d{1,3}(?:[,'’_\u00a0\u2009\u202f]\d{3}){1,12}|\d{1,60})([.,]\d{1,40})?(?:e([-+]?\d{1,3}))?[ \u00a0]?(k|K|M|B|%)?$/i;
const SUFFIX_POWERS: Readonly<Record<string, number>> = { k: 3, K: 3, M: 6, B: 9 };

/** Moves the point by digits instead of by arithmetic, so that no digit of a long number is lost. */
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
