/**
 * Patterns of secrets, one row for each format, the more exact first. The group `secret` is the secret part of a match.
 * Every pattern begins with fixed characters and continues with one character class, so matching stays linear.
 */
import { isStopWord } from "../../language/stop-words.ts";
import {
  hasLettersAndDigits,
  isCardNumber,
  isNonSecretTerm,
  isPlaceholder,
  isReference,
  isTechnical,
  isVendorKey,
  looksRandom,
  VENDOR_HINT,
  VENDOR_KEY,
  vendorOf,
} from "./vendor-keys.ts";

export interface SecretPattern {
  readonly kind: string | ((secret: string) => string);
  readonly pattern: RegExp;
  /** Quick test for texts that may contain such a secret: one of these strings in lower case, or a match. */
  readonly hints: readonly string[] | RegExp;
  /** Further test, if the pattern alone is not enough. */
  readonly accepts?: ((secret: string) => boolean) | undefined;
}

const PASSWORD_WORDS =
  "passw(?:or)?d|passphrase|passcode|pwd|passwort|kennwort|contrase(?:ñ|n|\\u00f1)a|senha|mot[ _-]de[ _-]passe|wachtwoord|l[öo]senord|adgangskode|heslo|hasło|salasana|parola|şifre|пароль|パスワード|密码|密碼|口令|비밀번호|mật khẩu|पासवर्ड|كلمة المرور|סיסמה";
const PASSWORD_HINT =
  /pass[wpc]|pwd|kennwort|contrase|senha|de[ _-]passe|wachtwoord|senord|adgangskode|heslo|hasło|salasana|parola|şifre|пароль|パスワード|密[码碼]|口令|비밀|mật|पास|المر|סיס/i;
const PLAIN_HINT = new RegExp(`pass|pw|${PASSWORD_HINT.source}`, "i");
/** Alone or the last word of a name: `pass:`, `DB_PASS=`, `dbPass`, but not `bypass:` or the `PASS:` of a test. */
const SHORT_WORDS =
  "(?:(?<![A-Za-z0-9[])(?:pass|Pass|pw|Pw|PW)|(?<=_)PASS|(?<![A-Za-z0-9[])PASS(?==)|(?<=[a-z])(?:Pass|Pw))";
const SHORT_HINT = /(?:pass|pw)\\?["']?[ \t]{0,3}(?:[:=：＝→⇒➜]|->|(?:is|was|ist)\b|[は是])/i;
/** Marks between a name and its value. */
const ASSIGNS = "[ \\t]{0,3}(?::=|=>|->|[:=：＝→⇒➜])[ \\t]{0,3}";
const SAYS = "(?:\\s(?:is|was|ist|lautet|es|est|é|è|är|jest)(?: now| still| jetzt)?:?\\s|\\s?(?:は|是|为|為|:)\\s?)";
const VALUE = "[^\\s\"'`“”„«»「」『』,;<>()[\\]{}$|&\\\\]";
/** A value in a sentence, without the punctuation at its end. */
const SAID_VALUE = "[^\\s\"'`<>()[\\]{}\\\\「」『』“”„«»]{5,199}[^\\s\"'`<>()[\\]{}\\\\「」『』“”„«»,.;:!?。，]";
/** Excludes "first pass" and the like, which are rounds of work. */
const NO_ROUND = "(?<!(?:first|second|third|last|next|final|each|every|one|single|this|boarding)[ -])";
/** A value up to the quotation mark that closes it. */
const QUOTED_VALUE = '[^"\'`“”„«»「」『』\\n\\r\\\\]{4,120}(?=["\'`“”»」』]|\\\\")';
const URL_WITH_USER = /:\/\/[^\s@]{1,310}@/;
const OPENING_QUOTE = "[\"'`“„«「『]?";

/**
 * A number in the groups of a card number, or without groups if it is not labeled as an id, a size or a time. Excludes
 * numbers inside a word, a path, a fraction or a longer number.
 */
const CARD_START = "(?<![\\w.+/@#$-]|\\d[,:]|\\d{4} )";
const CARD_END = "(?![\\w/=@-]|[.,:]\\d| \\d{4}(?![\\d/]))";
const ID_NAME =
  "(?<!(?:id|ids|ref|key|seq|hash|time|stamp|date|order|trace|span|offset|size|count|bytes|version|build|ts|at|range|phone|tel|fax|isbn|imei|iban)[\"'\\]]{0,2}\\s{0,2}[:=#]{0,2}\\s{0,2}[\"']?)";
const CARD_GAP = "[ .\u00a0\u2009\u202f\u2011–-]|  | - ";
const CARD_GROUPS = `[2-6]\\d{3}(?<gap>${CARD_GAP})\\d{4}\\k<gap>\\d{4}\\k<gap>\\d{4}|3\\d{3}(?<wide>${CARD_GAP})\\d{6}\\k<wide>\\d{4,5}`;
const CARD_RUN = `${ID_NAME}(?:(?:4\\d|5[1-5]|2[2-7]|6[045]|35)\\d{14}|3[47]\\d{13}|3[068]\\d{12})`;

function passwordPattern(hints: RegExp, pattern: string, accepts: (secret: string) => boolean): SecretPattern {
  return { kind: "password", hints, pattern: new RegExp(pattern, hints === SHORT_HINT ? "g" : "gi"), accepts };
}

/** A value that is a plain word or a number, in places where code is unlikely. */
function plainPattern(pattern: string): SecretPattern {
  return { kind: "password", hints: PLAIN_HINT, pattern: new RegExp(pattern, "gimu"), accepts: isPlainValue };
}

const NAME = `(?<!\\[)(?:${PASSWORD_WORDS})`;
const ASSIGNED = `(?:\\\\?["'])?${ASSIGNS}(?:\\\\?["'])?(?<secret>${VALUE}{6,200})`;
const SAID = `["']?${SAYS}${OPENING_QUOTE}(?<secret>${SAID_VALUE})`;
const QUOTED = `\\d{0,2}(?:\\\\?["'])?(?:${ASSIGNS}|${SAYS})\\\\?["'\`“„«「『](?<secret>${QUOTED_VALUE})`;
/** A value with an escaped quotation mark. */
const ESCAPED = `\\d{0,2}["']?${ASSIGNS}"(?<secret>[^"\\\\\\n]{0,60}\\\\"[^"\\\\\\n]{1,60})"`;
/** A cell of a table, a column or a dash after the name. */
const CELL = `(?<![\\w[])(?:${PASSWORD_WORDS}|pw)[ \\t]{0,40}(?:[|–—\\t])[ \\t]{0,3}(?<secret>${SAID_VALUE})`;
/** The quoted value of an option such as `--password`. */
const OPTION = `(?<![\\w-])--?[a-z-]{0,30}(?:${PASSWORD_WORDS})(?:=|[ \\t]{1,3})["'](?<secret>[^"'\\n\\\\]{4,120})["']`;
/** A name or a value with marks of Markdown. */
const MARKED = `(?:[*_\`]{1,3}${ASSIGNS}|${ASSIGNS}[*_]{1,3})[ \\t]{0,3}[*_\`]{0,3}(?<secret>${SAID_VALUE})`;
/** The content of an element. */
const ELEMENT = `<[\\w:.-]{0,30}(?:${PASSWORD_WORDS})>(?<secret>[^<>\\s][^<>\\n]{2,119})</`;
/** The value of an option such as `--password`, without quotation marks. */
const BARE_OPTION = `(?<![\\w-])--[a-z-]{0,30}(?:${PASSWORD_WORDS})[ \\t]{1,3}(?<secret>${VALUE}{4,200})`;
/** The value on a line of its own. */
const NEXT_LINE = `(?<![\\w[])(?:${PASSWORD_WORDS})[ \\t]{0,3}:[ \\t]{0,3}\\r?\\n[ \\t]{0,12}(?<secret>${SAID_VALUE})(?=[ \\t]{0,3}(?:\\r?\\n|$))`;
/** Words between the name and the value: whose password it is, or that it was changed. */
const OF_OWNER =
  "(?:[ \\t]\\([^()\\n]{1,30}\\)|[ \\t](?:for|of|von|für|para|de|pour)[ \\t][\\w.@-]{1,40})(?:\\sis\\s|[ \\t]{0,3}[:=][ \\t]{0,3})";
const CHANGED = "\\s(?:(?:is|was|has been) )?(?:changed|set|reset|updated) to:?\\s";
const OWNED = `(?:${OF_OWNER}|${CHANGED})${OPENING_QUOTE}(?<secret>${SAID_VALUE})`;
/** A variable of a shell, of an `.env` file or of a connection string, whose value needs no quotation marks. */
const VARIABLE = `(?<![\\w$])[A-Z0-9_]{0,40}(?:passw(?:or)?d|passphrase|passcode|pass|pwd|pw)=(?<secret>${VALUE}{4,60})(?![^\\s"'\`;|&\\\\])`;
const LABEL = `(?<![\\[\\w.])(?:(?:${PASSWORD_WORDS}|pw)[ \\t]{0,3}(?::[ \\t]{1,3}|(?:：|→|->)[ \\t]{0,3})|(?<=^[ \\t]{0,8})pass:[ \\t]{1,3}(?![\\d.,]+[ \\t]{0,3}$))`;
/** The word, or the words in small letters, that end a line. */
const LAST_WORD = `(?<secret>[\\p{L}\\d]${VALUE.replace("[^", "[^:=")}{3,40}?)[.!。]?[ \\t]{0,3}$`;
const LAST_WORDS = "(?<secret>\\p{Ll}{3,20}(?:[ -]\\p{Ll}{3,20}){1,7})[ \\t]{0,3}$";
const isNoTerm = (secret: string): boolean => !isReference(secret) && !isNonSecretTerm(secret);

/** Patterns with the same hints are neighbors. */
const PASSWORD_PATTERNS: readonly SecretPattern[] = [
  passwordPattern(SHORT_HINT, `${SHORT_WORDS}${ASSIGNED}`, (secret) => isNoWord(secret) && isNoTerm(secret)),
  passwordPattern(
    SHORT_HINT,
    `${NO_ROUND}${SHORT_WORDS}${SAID}`,
    (secret) => hasLettersAndDigits(secret) && isNoTerm(secret),
  ),
  passwordPattern(SHORT_HINT, `${SHORT_WORDS}${QUOTED}`, isPassphrase),
  passwordPattern(
    PASSWORD_HINT,
    `${NAME}[A-Za-z0-9_]{0,20}${ASSIGNED}`,
    (secret) => !isReference(secret) && !isTechnical(secret) && isNoWord(secret),
  ),
  passwordPattern(PASSWORD_HINT, `${NAME}${ESCAPED}`, (secret) => isPassphrase(secret.replaceAll("\\\\", ""))),
  passwordPattern(PASSWORD_HINT, `${NAME}${QUOTED}`, isPassphrase),
  passwordPattern(PASSWORD_HINT, OPTION, isPassphrase),
  passwordPattern(
    PASSWORD_HINT,
    `"[\\w.-]{0,40}(?:${PASSWORD_WORDS})"\\s{0,3}:\\s{0,3}"(?<secret>[^"\\s\\\\[\\]<>{}$]{4,200})"`,
    (secret) => !isReference(secret) && !isPlaceholder(secret),
  ),
  {
    kind: "password",
    hints: PLAIN_HINT,
    pattern: new RegExp(CELL, "gi"),
    accepts: (secret) => hasLettersAndDigits(secret) && isNoTerm(secret),
  },
  ...[`${NAME}${MARKED}`, ELEMENT, BARE_OPTION, NEXT_LINE, `${NAME}${OWNED}`].map((pattern) =>
    passwordPattern(PASSWORD_HINT, pattern, (secret) => hasLettersAndDigits(secret) && isNoTerm(secret)),
  ),
  plainPattern(VARIABLE),
  plainPattern(`${LABEL}${LAST_WORD}`),
  plainPattern(`${LABEL}${LAST_WORDS}`),
  passwordPattern(PASSWORD_HINT, `${NAME}${SAID}`, (secret) => hasLettersAndDigits(secret) && isNoTerm(secret)),
  passwordPattern(
    PASSWORD_HINT,
    `${NAME}[ \\t=]${OPENING_QUOTE}(?<secret>${SAID_VALUE})`,
    (secret) => isStrong(secret) && isNoTerm(secret),
  ),
];

export const SECRET_PATTERNS: readonly SecretPattern[] = [
  {
    kind: "aws-secret-key",
    hints: ["secret"],
    pattern:
      /aws_?secret_?(?:access_?)?key["']?\s{0,3}[:=]\s{0,3}["']?(?<secret>[A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])/gi,
  },
  {
    kind: "slack-webhook",
    hints: ["hooks.slack.com"],
    pattern: /hooks\.slack\.com\/services\/(?<secret>T[A-Za-z0-9]{6,20}\/B[A-Za-z0-9]{6,20}\/[A-Za-z0-9]{16,40})/g,
  },
  { kind: vendorOf, hints: VENDOR_HINT, pattern: VENDOR_KEY, accepts: isVendorKey },
  {
    kind: "gcp-service-account",
    hints: ["private_key_id"],
    pattern: /private_key_id\\?"\s{0,4}:\s{0,4}\\?"(?<secret>[0-9a-f]{40})(?![0-9a-f])/g,
  },
  {
    kind: "twilio-key",
    hints: /(?:SK|AC)[0-9a-f]{32}/,
    pattern: /(?<![A-Za-z0-9])(?:SK|AC)[0-9a-f]{32}(?![A-Za-z0-9])/g,
  },
  { kind: "telegram-token", hints: /\d{8}:/, pattern: /(?<![\w:-])\d{8,10}:[\w-]{35}(?![\w-])/g, accepts: looksRandom },
  {
    kind: "discord-token",
    hints: /\.[\w-]{6}\./,
    pattern: /(?<![\w-])[MNO][A-Za-z0-9_-]{23,25}\.[\w-]{6}\.[\w-]{27,40}(?![\w-])/g,
  },
  {
    kind: "discord-webhook",
    hints: ["/api/webhooks/"],
    pattern: /discord(?:app)?\.com\/api\/webhooks\/\d{15,22}\/(?<secret>[\w-]{40,})/g,
  },
  { kind: "terraform-token", hints: [".atlasv1."], pattern: /(?<![\w.])[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,}/g },
  {
    kind: "azure-key",
    hints: ["accountkey=", "sharedaccesskey="],
    pattern: /(?:AccountKey|SharedAccessKey)=(?<secret>[A-Za-z0-9+/]{40,}={0,2})/g,
  },
  { kind: "azure-key", hints: ["8q~"], pattern: /(?<![\w~.-])[\w~.-]{3}8Q~[\w~.-]{31,34}(?![\w~.-])/g },
  { kind: "azure-key", hints: ["sig="], pattern: /[?&]sig=(?<secret>[A-Za-z0-9%+/=]{40,})/g },
  {
    kind: "database-url",
    hints: URL_WITH_USER,
    pattern:
      /(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?|mssql|sqlserver|clickhouse)(?:\+\w{1,20})?:\/\/[^\s:@/[\]]{0,100}:(?<secret>[^\s@"'`<>[\]{}$]{1,200})@/gi,
  },
  {
    kind: "url-password",
    hints: URL_WITH_USER,
    pattern: /(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/[\]]{0,100}:(?<secret>[^\s@/"'`<>[\]{}$]{1,200})@/gi,
  },
  {
    kind: "url-token",
    hints: /[?&][\w.-]{1,40}=[^&\s]{10}/,
    pattern:
      /[?&;](?:x-(?:amz|goog|oss)-(?:signature|credential|security-token)|(?:access|id|refresh|auth|session|csrf|api|bot)?[_-]?token|(?:api|access|auth|subscription|private)?[_-]?key|sig|signature|client_secret|secret|passw(?:or)?d|pwd|auth|jwt|sid|session(?:_?id)?|ticket|code)=(?<secret>[^\s&#"'`<>()[\]{}$\\]{10,2000})/gi,
    accepts: looksRandom,
  },
  {
    kind: "cookie",
    hints: ["cookie"],
    pattern:
      /(?<![\w.-])[\w.-]{0,30}(?:session|sess|sid|auth|token|jwt|csrf|xsrf|remember)[\w.-]{0,20}=(?<secret>[^\s;,"'`<>()[\]{}$\\]{16,2000})/gi,
    accepts: looksRandom,
  },
  {
    kind: "basic-auth",
    hints: ["basic"],
    pattern: /\bbasic[ \t]{1,4}(?<secret>[A-Za-z0-9+/]{12,}={0,2})(?![\w+/=])/gi,
    accepts: (secret) => secret.length % 4 === 0 && looksRandom(secret),
  },
  {
    kind: "basic-auth",
    hints: ["curl"],
    pattern: /\bcurl\b[^\n]{0,200}?\s(?:-u|--user)[ =]{0,2}["']?[^\s:"'@$]{1,100}:(?<secret>[^\s"'`$<>]{3,200})/g,
    accepts: (secret) => !isPlaceholder(secret),
  },
  {
    kind: "bearer-token",
    hints: ["bearer"],
    pattern: /\bbearer[ \t]{1,4}(?<secret>[\w.~+/-]{16,}={0,2})/gi,
    accepts: looksRandom,
  },
  {
    kind: "authorization",
    hints: ["authorization", "api-key"],
    pattern:
      /\b(?:authorization|x-api-key|api-key)["']?[ \t]{0,3}[:=][ \t]{0,3}["']?(?:token[ \t]{1,4})?(?<secret>[\w.~+/-]{12,}={0,2})/gi,
    accepts: looksRandom,
  },
  {
    kind: "password",
    hints: ["sshpass", "mysql", "mariadb"],
    pattern:
      /\b(?:sshpass[ \t]{1,4}-p[ \t]{0,4}|(?:mysql(?:dump|admin)?|mariadb)\b[^\n|;]{0,200}?\s-p)["']?(?<secret>[^\s"'`$<>|;-][^\s"'`$<>|;]{3,199})/g,
    accepts: (secret) => hasLettersAndDigits(secret) && !isReference(secret),
  },
  ...PASSWORD_PATTERNS,
  {
    kind: "assigned-secret",
    hints: ["--"],
    pattern:
      /(?<![\w-])--?[a-z][a-z-]{0,30}(?:token|key|secret|credentials?)(?:=|[ \t]{1,3})["']?(?<secret>[^\s"'`,;<>()[\]{}$|&\\-][^\s"'`,;<>()[\]{}$|&\\]{9,299})/gi,
    accepts: (secret) => !isReference(secret) && looksRandom(secret),
  },
  {
    kind: "assigned-secret",
    hints: ["secret", "token", "key", "credential"],
    pattern:
      /(?<!\[)(?:secret|token|api_?-?key|access_?-?key|private_?-?key|encryption_?-?key|signing_?-?key|credentials?)[A-Za-z0-9_]{0,20}(?:\\?["'])?[ \t]{0,3}[:=]{1,2}[ \t]{0,3}(?:\\?["'])?(?<secret>[^\s"'`,;<>()[\]{}$|&\\]{12,300})/gi,
    accepts: (secret) => !isReference(secret) && looksRandom(secret),
  },
  {
    kind: "card-number",
    hints: /[2-6]\d{3}\D{0,3}\d{4}/,
    pattern: new RegExp(`${CARD_START}(?<secret>${CARD_GROUPS}|${CARD_RUN})${CARD_END}`, "gi"),
    accepts: isCardNumber,
  },
];

function isNoWord(secret: string): boolean {
  return /[A-Za-z]/.test(secret) && /[^A-Za-z_.:-]/.test(secret);
}

function isPlainValue(secret: string): boolean {
  return PIN.test(secret) || (isPassphrase(secret) && !isTechnical(secret));
}

const PIN = /^\d{4,12}$/;

/** Returns true for a value that is a password even without a word such as "password" before it. */
function isStrong(secret: string): boolean {
  if (!hasLettersAndDigits(secret)) return false;
  return (/[a-z]/.test(secret) && /[A-Z]/.test(secret)) || /[!@#%^&*?+=~]/.test(secret);
}

/** Returns true for words in quotation marks that neither describe a password nor form a sentence. */
export function isPassphrase(secret: string): boolean {
  if (isReference(secret) || isPlaceholder(secret) || isNonSecretTerm(secret) || SENTENCE.test(secret)) return false;
  const words = secret.toLowerCase().match(/[^\s,.;:!?]+/g) ?? [];
  return words.length > 0 && !words.some((word) => isStopWord(word) || DESCRIBING.test(word));
}

const SENTENCE = /^\p{Lu}\p{Ll}+(?: \p{Ll}+){2,}[.!]?$/u;
/** Matches words of texts about passwords. */
const DESCRIBING =
  /^(?:[<{$%[(]|.*(?:passw|pwd|contrase|senha|kennwort|密码|パスワード)|pass$|char|zeichen|caracter|length|minim|maxim|min$|max$|short|long|weak|strong|requir|invalid|incorrect|wrong|forgot|reset|chang|updat|expir|miss|empty|hidden|protect|stor|vault|manager|env|prompt|encrypt|hash|field|input|enter|type|show|hide|match|confirm|new|old|current|temporary|string|token|secret|user|login|sign|account|email|label|error|test|example|sample|value|name)/;
