/**
 * Replaces secrets in a structured value by field names, options and name-value pairs. Finds a private key whose lines
 * are items of a list. Uses no recursion, because a deeply nested value would overflow the stack.
 */
import type { JsonObject, JsonValue } from "../../message/json.ts";
import { findPrivateKeys, type KeySpan } from "./find-private-keys.ts";
import { PRIVATE_KEY, redactSecrets, secretToken } from "./redact-secrets.ts";
import { isPassphrase } from "./secret-patterns.ts";
import { hasLettersAndDigits, isNonSecretTerm, isPlaceholder, isReference, looksRandom } from "./vendor-keys.ts";

type Holder = readonly JsonValue[] | JsonObject;

interface Leaf {
  readonly holder: Holder;
  readonly place: string;
  readonly name: string;
  readonly text: string;
}

export function redactValue(root: JsonValue): JsonValue {
  if (typeof root === "string") return redactSecrets(root).text;
  if (!isHolder(root)) return root;
  const leaves = readLeaves(root);
  const changes = new Map<Holder, Map<string, string>>();
  const change = ({ holder, place }: Leaf, text: string): void => {
    const known = changes.get(holder) ?? new Map<string, string>();
    changes.set(holder, known.set(place, text));
  };
  for (const leaf of leaves) {
    const text = redactNamed(leaf.name, leaf.text);
    if (text !== leaf.text) change(leaf, text);
  }
  for (const { leaf, text } of redactKeyLines(leaves)) change(leaf, text);
  return changes.size === 0 ? root : copyWith(root, changes);
}

function readLeaves(root: Holder): readonly Leaf[] {
  const leaves: Leaf[] = [];
  const open: { readonly holder: Holder; readonly name: string }[] = [{ holder: root, name: "" }];
  for (let index = 0; index < open.length; index += 1) {
    const { holder, name: inherited } = open[index] ?? { holder: [], name: "" };
    const isItems = isList(holder);
    const paired = isItems ? undefined : findPairName(holder);
    let before: JsonValue | undefined;
    for (const [place, value] of Object.entries(holder)) {
      const option = isItems && typeof before === "string" ? (OPTION.exec(before)?.[1] ?? inherited) : inherited;
      const name = isItems ? option : place === "value" && paired !== undefined ? paired : place;
      before = value;
      if (typeof value === "string") leaves.push({ holder, place, name, text: value });
      else if (typeof value === "number" && NUMERIC.test(normalizeName(name)))
        leaves.push({ holder, place, name, text: String(value) });
      else if (value !== undefined && isHolder(value)) open.push({ holder: value, name: isList(value) ? name : "" });
    }
  }
  return leaves;
}

/** An option such as `--password`, which names the next argument. */
const OPTION = /^--?([A-Za-z][\w-]{1,40})$/;
const PAIR_NAMES = ["name", "key", "header", "field", "variable"];

/** Returns the name in a pair such as `{ name: "DB_PASSWORD", value: … }`. */
function findPairName(holder: JsonObject): string | undefined {
  if (typeof holder.value !== "string") return undefined;
  return PAIR_NAMES.map((key) => holder[key]).find((name) => typeof name === "string");
}

/** Names whose values are always secrets. */
const SURE =
  /(?:passw(?:or)?d|passphrase|passcode|passwort|kennwort|contrase[ñn]a|senha|motdepasse|wachtwoord|пароль|パスワード|密码|密碼|비밀번호)(?:\d{1,2}|confirm(?:ation|ed)?|repeat(?:ed)?|again|value)?$/;
/** Names whose values are secrets unless they are terms or sentences, such as the results of a test. */
const SHORT = /(?:^|db|user|admin|root)(?:pass|pw|pwd)$/;
/** Names whose numbers may be secrets. */
const NUMERIC = new RegExp(`${SURE.source}|(?:card|cardno|cardnumber|cardnum|ccnumber|ccnum|pan)$`);
/** Usual names of keys and tokens in programs. */
const GIVEN =
  /(?:(?:api|access|secret|private|encryption|signing|auth|account|master|subscription|shared)key|(?:access|refresh|id|auth|bearer|session|api|bot|security|oauth|service|deploy|personal)token|(?:client|app|shared|consumer|webhook|signing|session|jwt|oauth|api)secret)$/;
/** Names that may belong to a secret. */
const MAYBE = /(?:token|secret|authorization|cookie|credentials?|pwd|^pass|^auth|^otp)$/;
/** Names of tokens and keys that grant no access. */
const NO_SECRET =
  /(?:page|continuation|next|cursor|sync|stop|start|end|eos|bos|pad|unk|mask|special|first|last|prev(?:ious)?|csrf|public)(?:token|key|secret)$/;
const SCHEME = /^(?:bearer|basic|token|apikey|digest|oauth|key)\s+/i;
const MIN_GIVEN_CHARACTERS = 8;
const MIN_POSSIBLE_CHARACTERS = 12;

function redactNamed(name: string, text: string): string {
  const redacted = redactSecrets(text).text;
  if (redacted !== text || text === "" || name === "") return redacted;
  const plain = normalizeName(name);
  if (SURE.test(plain)) return isPlaceholder(text) || isReference(text) ? text : secretToken("password", text);
  if (
    SHORT.test(plain) &&
    (isPassphrase(text) || (hasLettersAndDigits(text) && !isNonSecretTerm(text) && !isReference(text)))
  )
    return secretToken("password", text);
  if (NO_SECRET.test(plain) || !(GIVEN.test(plain) || MAYBE.test(plain))) return text;
  const scheme = SCHEME.exec(text)?.[0] ?? "";
  const secret = text.slice(scheme.length);
  if (/\s/.test(secret) || isPlaceholder(secret) || isReference(secret)) return text;
  const isSecret = GIVEN.test(plain)
    ? secret.length >= MIN_GIVEN_CHARACTERS && /[\dA-Z]/.test(secret)
    : secret.length >= MIN_POSSIBLE_CHARACTERS && looksRandom(secret);
  const kind = plain.endsWith("authorization") ? "authorization" : "assigned-secret";
  return isSecret ? `${scheme}${secretToken(kind, secret)}` : text;
}

/** Returns the same name for `DB_PASSWORD`, `dbPassword` and `db-password`. */
function normalizeName(name: string): string {
  return name
    .slice(-MAX_NAME_CHARACTERS)
    .toLowerCase()
    .replaceAll(/[\s_.-]/g, "");
}

const MAX_NAME_CHARACTERS = 60;

interface ChangedLeaf {
  readonly leaf: Leaf;
  readonly text: string;
}

const MAX_LINES = 400;

/** Replaces the first line of a key with the token, and empties the others. */
function redactKeyLines(leaves: readonly Leaf[]): readonly ChangedLeaf[] {
  const changed: ChangedLeaf[] = [];
  for (const [first, { text }] of leaves.entries()) {
    if (!beginsKey(text)) continue;
    const lines = leaves.slice(first, first + MAX_LINES);
    const span = findPrivateKeys(lines.map((line) => line.text).join("\n")).findLast(
      ({ start }) => start < text.length,
    );
    if (span !== undefined) changed.push(...withoutSpan(lines, span));
  }
  return changed;
}

function beginsKey(text: string): boolean {
  const begin = text.lastIndexOf("-----BEGIN ");
  return begin >= 0 && text.includes("PRIVATE KEY", begin) && text.lastIndexOf("-----END ") < begin;
}

function withoutSpan(lines: readonly Leaf[], { start, end, secret }: KeySpan): readonly ChangedLeaf[] {
  const changed: ChangedLeaf[] = [];
  let place = 0;
  for (const leaf of lines) {
    if (place >= end) break;
    const next = place + leaf.text.length + 1;
    const token = place <= start ? secretToken(PRIVATE_KEY, secret) : "";
    const left = `${leaf.text.slice(0, Math.max(0, start - place))}${token}${leaf.text.slice(end - place)}`;
    if (next > start) changed.push({ leaf, text: redactSecrets(left).text });
    place = next;
  }
  return changed;
}

function copyWith(root: Holder, changes: ReadonlyMap<Holder, ReadonlyMap<string, string>>): JsonValue {
  const copies = new Map<Holder, Record<string, JsonValue> | JsonValue[]>();
  const copyOf = (holder: Holder): Record<string, JsonValue> | JsonValue[] => {
    const copy = copies.get(holder) ?? (isList(holder) ? [] : {});
    copies.set(holder, copy);
    return copy;
  };
  const top = copyOf(root);
  for (const [holder, copy] of copies) {
    const changed = changes.get(holder);
    for (const [place, value] of Object.entries(holder)) {
      const next = changed?.get(place) ?? (value !== undefined && isHolder(value) ? copyOf(value) : value);
      if (next !== undefined) put(copy, place, next);
    }
  }
  return top;
}

/** Sets a field, even if its name is `__proto__`. */
function put(copy: Record<string, JsonValue> | JsonValue[], place: string, value: JsonValue): void {
  if (Array.isArray(copy)) copy.push(value);
  else Object.defineProperty(copy, place, { value, enumerable: true, writable: true, configurable: true });
}

function isHolder(value: JsonValue): value is Holder {
  return typeof value === "object" && value !== null;
}

/** `Array.isArray` does not narrow readonly arrays. */
function isList(value: Holder): value is readonly JsonValue[] {
  return Array.isArray(value);
}
