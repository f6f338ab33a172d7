/**
 * Finds names in a text that cannot be guessed: URLs, paths, file names, symbols of code in camel or snake case,
 * hashes, and numbers of three digits or more, but not `/dev/null` and other devices, which every shell has. It shares
 * no code with the summarizer.
 */
const RUN = /https?:\/\/[^\s"'<>`)\]}|\\]+|[A-Za-z0-9_$@~./\\-]{3,300}/g;
const EDGE = /^[^A-Za-z0-9_$@~./]+|[^A-Za-z0-9_$]+$/g;

export function findNames(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [run] of text.matchAll(RUN)) {
    const word = run.replace(EDGE, "").replace(/^\.+(?![\w/])|^(?:\.\/)+/, "");
    if (isWhole(word)) found.add(word);
    else
      for (const piece of word.split(/[^\w$]+/))
        if (isSymbol(piece) || isHash(piece) || isNumber(piece)) found.add(piece);
  }
  return found;
}

/** Returns a line without its names: the words that explain them. */
export function withoutNames(line: string): string {
  return line.replaceAll(RUN, (run) => {
    const word = run.replace(EDGE, "");
    if (isWhole(word)) return " ";
    return run.replaceAll(/[\w$]+/g, (piece) => (isSymbol(piece) || isHash(piece) || isNumber(piece) ? " " : piece));
  });
}

function isWhole(word: string): boolean {
  return word.includes("://") || isPath(word) || FILE.test(word) || isHash(word) || isNumber(word);
}

function isPath(word: string): boolean {
  if (!/[A-Za-z]{2}/.test(word) || /^\/dev\/(?:null|tty|std(?:in|out|err))$/.test(word)) return false;
  return /[\w.~]\/[\w.-]/.test(word) || /^\/[\w.-]{3,}/.test(word) || /^[A-Za-z]:\\{1,2}\w/.test(word);
}

/** Known file extensions. Without one, as in `request.body`, a dot separates names that are checked one by one. */
const FILE =
  /^[\w.@-]*\w\.(?:[cm]?[jt]sx?|py|rs|go|rb|java|kt|swift|c|h|cc|cpp|hpp|cs|php|sh|sql|md|txt|json|jsonl|ya?ml|toml|xml|html?|css|scss|svg|png|jpe?g|gif|pdf|csv|log|lock|env|cfg|ini|db|sqlite|ipynb)$/;

function isHash(word: string): boolean {
  return /^(?=[0-9a-f-]*\d)(?=[0-9a-f-]*[a-f])[0-9a-f]{7,64}(?:-[0-9a-f]{4,12})*$/.test(word);
}

function isNumber(word: string): boolean {
  return /^\d{3,}$/.test(word);
}

function isSymbol(word: string): boolean {
  if (word.length < 4 || word.length > 80 || word.startsWith("toolu_")) return false;
  return /[a-z0-9][A-Z]/.test(word) && /[a-z]/.test(word) ? true : /[A-Za-z0-9]_+[A-Za-z0-9]/.test(word);
}
