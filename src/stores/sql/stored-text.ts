/**
 * Escapes NUL and lone surrogates, which some databases refuse and others change, as one character and four digits. All
 * other text stays unchanged, so that it can be read and compared in the database. JSON needs no escaping here: its own
 * covers both.
 */
const ESCAPE = "\u001a";
const DIGITS = 4;

export function toStoredText(text: string): string {
  if (text.isWellFormed() && !text.includes("\0") && !text.includes(ESCAPE)) return text;
  return text
    .replaceAll(ESCAPE, escapeUnit)
    .replaceAll("\0", escapeUnit)
    .replace(/\p{Cs}/gu, escapeUnit);
}

export function fromStoredText(stored: string): string {
  const [first = "", ...escaped] = stored.split(ESCAPE);
  return first + escaped.map((piece) => unescapeUnit(piece) + piece.slice(DIGITS)).join("");
}

function escapeUnit(unit: string): string {
  return ESCAPE + unit.charCodeAt(0).toString(16).padStart(DIGITS, "0");
}

function unescapeUnit(piece: string): string {
  return String.fromCharCode(Number.parseInt(piece.slice(0, DIGITS), 16));
}
