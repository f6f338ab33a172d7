/**
 * Finds names in a text that cannot be guessed: paths, file names, symbols of code, hashes and numbers of four digits
 * or more. It shares no code with the summarizer.
 */
const CANDIDATE = /[A-Za-z0-9_$@~./\\-]{4,200}/g;
const EDGE = /^[^A-Za-z0-9_$@~/]+|[^A-Za-z0-9_$)]+$/g;

export function findIdentifiers(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [candidate] of text.matchAll(CANDIDATE)) {
    const word = candidate.replace(EDGE, "");
    if (isPath(word) || isFile(word) || isHash(word) || isNumber(word)) found.add(word);
    else for (const name of word.split(/[^\w$]+/)) if (isSymbol(name)) found.add(name);
  }
  return found;
}

function isPath(word: string): boolean {
  return /[A-Za-z0-9_]\/[A-Za-z0-9_.]/.test(word) || /^~?\/[\w.-]{3,}/.test(word);
}

function isFile(word: string): boolean {
  return FILE.test(word);
}

/** Known file extensions. Without one, as in `request.body`, a dot separates names that are checked one by one. */
const FILE =
  /^[\w.-]+\.(?:[cm]?[jt]sx?|py|rs|go|rb|java|kt|swift|c|h|cc|cpp|hpp|cs|php|sh|sql|md|txt|json|jsonl|ya?ml|toml|xml|html?|css|scss|svg|png|jpe?g|gif|pdf|csv|log|lock|env|cfg|ini|db|sqlite|ipynb)$/;

function isHash(word: string): boolean {
  return /^(?=.*\d)(?=.*[a-f])[0-9a-f]{7,64}$/.test(word);
}

function isNumber(word: string): boolean {
  return /^\d{4,}$/.test(word);
}

/** Camel case or snake case, which cannot be guessed from the language alone. */
function isSymbol(word: string): boolean {
  return (
    word.length >= 4 && !word.startsWith("toolu_") && (/[a-z][A-Z]/.test(word) || /[A-Za-z0-9]_[A-Za-z0-9]/.test(word))
  );
}
