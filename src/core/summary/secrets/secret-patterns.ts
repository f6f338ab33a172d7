/**
 * What secrets look like, one row a format. A row names the kind that stands in the text afterwards; where only a part
 * of the match is secret (a password in a URL, the value of an assignment), the group `secret` is that part.
 *
 * Every pattern begins with fixed characters or right after one that cannot belong to it, and goes on with one class
 * of characters, so that no text makes it slow. Kinds are looked for in this order: the more exact before the general.
 */
export interface SecretPattern {
  readonly kind: string;
  readonly pattern: RegExp;
  /** What every text with such a secret has, and is cheap to look for: one of these in lower case, or a match. */
  readonly hints: readonly string[] | RegExp;
  /** Asked about what the pattern found, where its shape alone is not enough. */
  readonly accepts?: ((secret: string) => boolean) | undefined;
}

export const SECRET_PATTERNS: readonly SecretPattern[] = [
  {
    kind: "private-key",
    hints: ["-----begin "],
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[A-Za-z0-9+/=\s\\:,.()]|-(?!----))*(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)/g,
  },
  {
    kind: "private-key",
    hints: ["-----begin "],
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\[nr])*[A-Za-z0-9+/=]{16,}(?:(?:\s|\\[nr])+[A-Za-z0-9+/=]{16,})*/g,
  },
  {
    kind: "aws-access-key",
    hints: ["akia", "asia", "aroa", "aida"],
    pattern: /(?<![A-Za-z0-9])(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{16}(?![A-Za-z0-9])/g,
  },
  {
    kind: "aws-secret-key",
    hints: ["secret"],
    pattern:
      /aws_?secret_?(?:access_?)?key["']?\s{0,3}[:=]\s{0,3}["']?(?<secret>[A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])/gi,
  },
  {
    kind: "github-token",
    hints: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
    pattern: /(?<![A-Za-z0-9_])(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,})/g,
  },
  { kind: "gitlab-token", hints: ["glpat-"], pattern: /(?<![\w-])glpat-[\w-]{20,}/g },
  { kind: "slack-token", hints: ["xox", "xapp-"], pattern: /(?<![\w-])(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,}/g },
  {
    kind: "slack-webhook",
    hints: ["hooks.slack.com"],
    pattern: /hooks\.slack\.com\/services\/(?<secret>T[A-Za-z0-9]{6,20}\/B[A-Za-z0-9]{6,20}\/[A-Za-z0-9]{16,40})/g,
  },
  {
    kind: "stripe-key",
    hints: ["k_live_", "k_test_", "whsec_"],
    pattern: /(?<![A-Za-z0-9_])(?:[sr]k_(?:live|test)_|whsec_)[A-Za-z0-9]{16,}/g,
  },
  { kind: "anthropic-key", hints: ["sk-ant-"], pattern: /(?<![\w-])sk-ant-[\w-]{20,}/g },
  { kind: "openai-key", hints: ["sk-"], pattern: /(?<![\w-])sk-[\w-]{20,}/g, accepts: looksRandom },
  {
    kind: "google-key",
    hints: ["aiza", "ya29.", "gocspx-"],
    pattern: /(?<![\w-])(?:AIza[\w-]{35}(?![\w-])|ya29\.[\w-]{20,}|GOCSPX-[\w-]{20,})/g,
  },
  {
    kind: "gcp-service-account",
    hints: ["private_key_id"],
    pattern: /private_key_id\\?"\s{0,4}:\s{0,4}\\?"(?<secret>[0-9a-f]{40})(?![0-9a-f])/g,
  },
  { kind: "npm-token", hints: ["npm_"], pattern: /(?<![A-Za-z0-9_])npm_[A-Za-z0-9]{36,}/g },
  { kind: "pypi-token", hints: ["pypi-"], pattern: /(?<![\w-])pypi-[\w-]{40,}/g },
  { kind: "jwt", hints: ["eyj"], pattern: /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/g },
  { kind: "sendgrid-key", hints: ["sg."], pattern: /(?<![\w-])SG\.[\w-]{16,32}\.[\w-]{16,64}(?![\w-])/g },
  {
    kind: "twilio-key",
    hints: /(?:SK|AC)[0-9a-f]{32}/,
    pattern: /(?<![A-Za-z0-9])(?:SK|AC)[0-9a-f]{32}(?![A-Za-z0-9])/g,
  },
  { kind: "mailgun-key", hints: ["key-"], pattern: /(?<![\w-])key-[0-9a-f]{32}(?![\w-])/g },
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
  { kind: "huggingface-token", hints: ["hf_"], pattern: /(?<![A-Za-z0-9_])hf_[A-Za-z0-9]{30,}/g },
  {
    kind: "digitalocean-token",
    hints: ["doo_v1_", "dop_v1_", "dor_v1_"],
    pattern: /(?<![A-Za-z0-9_])do[opr]_v1_[0-9a-f]{64}/g,
  },
  {
    kind: "shopify-token",
    hints: ["shpat_", "shpca_", "shppa_", "shpss_"],
    pattern: /(?<![A-Za-z0-9_])shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}/g,
  },
  {
    kind: "azure-key",
    hints: ["accountkey=", "sharedaccesskey="],
    pattern: /(?:AccountKey|SharedAccessKey)=(?<secret>[A-Za-z0-9+/]{40,}={0,2})/g,
  },
  { kind: "azure-key", hints: ["8q~"], pattern: /(?<![\w~.-])[\w~.-]{3}8Q~[\w~.-]{31,34}(?![\w~.-])/g },
  { kind: "azure-key", hints: ["sig="], pattern: /[?&]sig=(?<secret>[A-Za-z0-9%+/=]{40,})/g },
  {
    kind: "database-url",
    hints: /:\/\/[^\s@]{1,310}@/,
    pattern:
      /(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?|mssql|sqlserver|clickhouse)(?:\+\w{1,20})?:\/\/[^\s:@/[\]]{0,100}:(?<secret>[^\s@"'`<>[\]{}$]{1,200})@/gi,
  },
  {
    kind: "url-password",
    hints: /:\/\/[^\s@]{1,310}@/,
    pattern: /(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/[\]]{0,100}:(?<secret>[^\s@/"'`<>[\]{}$]{1,200})@/gi,
  },
  {
    kind: "basic-auth",
    hints: ["basic"],
    pattern: /\bbasic[ \t]{1,4}(?<secret>[A-Za-z0-9+/]{12,}={0,2})(?![\w+/=])/gi,
    accepts: (secret) => secret.length % 4 === 0 && looksRandom(secret),
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
    hints: ["passw", "passphrase", "pwd"],
    pattern:
      /(?<!\[)(?:passw(?:or)?d|passphrase|pwd)[A-Za-z0-9_]{0,20}["']?[ \t]{0,3}[:=][ \t]{0,3}["']?(?<secret>[^\s"'`,;<>()[\]{}$|&\\]{6,200})/gi,
    accepts: (secret) => !isReference(secret) && /[A-Za-z]/.test(secret) && /[^A-Za-z_.:-]/.test(secret),
  },
  {
    kind: "assigned-secret",
    hints: ["secret", "token", "key", "credential"],
    pattern:
      /(?<!\[)(?:secret|token|api_?-?key|access_?-?key|private_?-?key|encryption_?-?key|signing_?-?key|credentials?)[A-Za-z0-9_]{0,20}["']?[ \t]{0,3}[:=]{1,2}[ \t]{0,3}["']?(?<secret>[^\s"'`,;<>()[\]{}$|&\\]{12,300})/gi,
    accepts: (secret) => !isReference(secret) && looksRandom(secret),
  },
];

/** Letters and digits mixed as nobody would name a thing. */
function looksRandom(secret: string): boolean {
  const sample = secret.slice(0, 200);
  const digits = count(sample, /\d/g);
  const letters = count(sample, /[A-Za-z]/g);
  return digits >= 2 && letters >= 2 && entropyBits(sample) >= 2.8;
}

/** A name that leads to the value instead of the value: `process.env.TOKEN`, `config.token2`, a path, a URL. */
function isReference(secret: string): boolean {
  return /^(?:[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|[~.]{0,2}\/\S*|[a-z]{2,10}:\/\/\S*)$/.test(secret);
}

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
