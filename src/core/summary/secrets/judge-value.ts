/** What a value looks like that stands where a secret may stand: random, a name of something, a word in its place. */

/** Letters and digits mixed as nobody would name a thing. */
export function looksRandom(secret: string): boolean {
  const sample = secret.slice(0, 200);
  const digits = count(sample, /\d/g);
  const letters = count(sample, /[A-Za-z]/g);
  return digits >= 2 && letters >= 2 && entropyBits(sample) >= 2.8;
}

/** A letter and a digit. */
export function isMixed(secret: string): boolean {
  return /[A-Za-z]/.test(secret) && /\d/.test(secret);
}

/** A name that leads to the value instead of the value: `process.env.TOKEN`, `config.token2`, a path, a URL. */
export function isReference(secret: string): boolean {
  return /^(?:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|[~.]{0,2}\/\S*|[a-z]{2,10}:\/\/\S*|[A-Za-z_]\w*(?:\.\w+)*\(.*)$/.test(
    secret,
  );
}

/** Technical words with digits, versions and sizes. */
export function isTechnical(secret: string): boolean {
  return TECHNICAL.test(secret);
}

const TECHNICAL =
  /^(?:(?:base|sha|md|aes|rsa|utf|ed|argon|pbkdf|oauth|x|ipv|win|es|http|v|s|k|p|h|i)-?\d+\w{0,3}(?:-\w+)*|\d[\d.,:/-]*[a-z]{0,3}|\d+[-–][a-z]+(?:-[a-z]+)*|#\d+)$/i;

/** As above, names that speak of passwords and names of files: what a sentence about a password is about. */
export function isTerm(secret: string): boolean {
  return isTechnical(secret) || FIELD_NAME.test(secret) || FILE_NAME.test(secret);
}

const FIELD_NAME = /^[a-z0-9_.-]*(?:passw|pwd|secret|token|field|input|column|hash|reset)[a-z0-9_.-]*$/;
const FILE_NAME = /\.(?:ts|js|tsx|jsx|py|go|rs|rb|java|md|json|ya?ml|toml|txt|html|css|sh|sql|env)(?::\d+)*$/i;

/** Stands where a value would, and is none. */
export function isPlaceholder(secret: string): boolean {
  return PLACEHOLDER.test(secret.trim());
}

const PLACEHOLDER =
  /^(?:[*•.x_-]*|[<[{$%].*|(?:your|my)[-_ ]?.{0,40}|(?:passw(?:or)?[dt]|passphrase|pass|pwd|contraseña|secret|token|string|str|text|varchar|number|integer|boolean|bool|null|none|nil|undefined|true|false|yes|no|on|off|ok|required|optional|invalid|valid|missing|incorrect|wrong|unknown|empty|default|hidden|redacted|masked|removed|example|placeholder|changeme|n\/?a|todo|tbd|any|object|array)[.!?]?)$/i;

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/** Shannon's measure a character: English words are near 2.5 to 3 in such short runs, random keys above 3.3. */
function entropyBits(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const times of counts.values()) bits -= (times / text.length) * Math.log2(times / text.length);
  return bits;
}
