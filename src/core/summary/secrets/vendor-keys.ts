/**
 * Keys with a vendor's prefix, one row for each vendor. Lengths are slightly below the documented ones. All rows form
 * one pattern, because separate ones would read every text dozens of times.
 */

interface VendorKey {
  readonly kind: string;
  /** True if ordinary names match too, so a key must also look random. */
  readonly isLoose?: boolean | undefined;
  readonly shape: string;
}

const UUID = "[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}";

const VENDOR_KEYS: readonly VendorKey[] = [
  { kind: "aws-access-key", shape: "(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{16}(?![A-Za-z0-9])" },
  { kind: "aws-bedrock-key", shape: "ABSK[A-Za-z0-9+/]{60,}={0,2}" },
  { kind: "github-token", shape: "(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,})" },
  { kind: "gitlab-token", shape: "gl(?:pat|ptt|dt|rt|cbt|ft|soat|imt|oas|agent)-[\\w-]{20,}(?:\\.[0-9a-z]{2,9}){0,2}" },
  { kind: "slack-token", shape: "(?:xox[a-eoprs]|xapp)-[A-Za-z0-9-]{10,}" },
  { kind: "stripe-key", shape: "(?:[sr]k_(?:live|test|prod)_|whsec_)[A-Za-z0-9]{16,}" },
  { kind: "anthropic-key", shape: "sk-ant-[\\w-]{20,}" },
  { kind: "openai-key", isLoose: true, shape: "sk-[\\w-]{20,}" },
  { kind: "elevenlabs-key", shape: "sk_[0-9a-f]{48}(?![\\w-])" },
  {
    kind: "google-key",
    shape: "(?:AIza[\\w-]{35}(?![\\w-])|AQ\\.Ab8[\\w-]{30,}|ya29\\.[\\w-]{20,}|GOCSPX-[\\w-]{20,}|1//0[\\w-]{40,})",
  },
  { kind: "npm-token", shape: "npm_[A-Za-z0-9]{36,}" },
  { kind: "palimpsest-token", shape: "plm_[\\w-]{43}(?![\\w-])" },
  { kind: "pypi-token", shape: "pypi-[\\w-]{40,}" },
  { kind: "jwt", shape: "eyJ[\\w-]{8,}\\.[\\w-]{8,}\\.[\\w-]{8,}" },
  { kind: "sendgrid-key", shape: "SG\\.[\\w-]{16,32}\\.[\\w-]{16,64}(?![\\w-])" },
  { kind: "mailgun-key", shape: "key-[0-9a-f]{32}(?![\\w-])" },
  { kind: "brevo-key", shape: "xkeysib-[0-9a-f]{60,}-[A-Za-z0-9]{12,}" },
  { kind: "huggingface-token", shape: "(?:hf_|api_org_)[A-Za-z0-9]{30,}" },
  { kind: "digitalocean-token", shape: "do[opr]_v1_[0-9a-f]{64}" },
  { kind: "shopify-token", shape: "shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}" },
  { kind: "groq-key", shape: "gsk_[A-Za-z0-9]{40,}" },
  { kind: "xai-key", shape: "xai-[A-Za-z0-9]{60,}" },
  { kind: "perplexity-key", shape: "pplx-[A-Za-z0-9]{40,}" },
  { kind: "cerebras-key", shape: "csk-[a-z0-9]{40,}" },
  { kind: "together-key", shape: "tgp_v1_[\\w-]{40,}" },
  { kind: "fireworks-key", isLoose: true, shape: "fw_[A-Za-z0-9]{22,}(?!\\w)" },
  { kind: "nvidia-key", shape: "nvapi-[\\w-]{50,}" },
  { kind: "replicate-token", shape: "r8_[A-Za-z0-9]{32,}" },
  { kind: "jina-key", isLoose: true, shape: "jina_[\\w-]{40,}" },
  { kind: "pinecone-key", shape: "pcsk_\\w{40,}" },
  { kind: "langsmith-key", shape: "lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}" },
  { kind: "tavily-key", isLoose: true, shape: "tvly-[\\w-]{24,}" },
  { kind: "firecrawl-key", shape: "fc-[0-9a-f]{32}(?![\\w-])" },
  { kind: "vault-token", isLoose: true, shape: "hv[bsr]\\.[\\w-]{20,}" },
  { kind: "databricks-token", shape: "dapi[0-9a-f]{32}(?:-\\d)?(?![\\w-])" },
  { kind: "linear-key", shape: "lin_(?:api|oauth)_[A-Za-z0-9]{32,}" },
  { kind: "notion-token", shape: "ntn_[A-Za-z0-9]{40,}" },
  { kind: "figma-token", isLoose: true, shape: "fig[du]_[\\w-]{38,}" },
  { kind: "supabase-key", shape: "(?:sbp_[0-9a-f]{40}|sb_secret_[\\w-]{20,})" },
  { kind: "planetscale-key", shape: "pscale_(?:tkn|pw|oauth)_[\\w.=-]{32,}" },
  { kind: "neon-key", shape: "napi_[a-z0-9]{50,}" },
  { kind: "doppler-token", isLoose: true, shape: "dp\\.(?:pt|st|ct|sa|scim|audit)\\.[A-Za-z0-9._-]{40,}" },
  { kind: "atlassian-token", shape: "(?:AT[AC]TT3[\\w=-]{60,}|ATBB[A-Za-z0-9]{28,})" },
  { kind: "sentry-token", isLoose: true, shape: "sntry[su]_[\\w=+/-]{40,}" },
  { kind: "grafana-token", shape: "(?:glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}|glc_[A-Za-z0-9+/=]{32,})" },
  { kind: "heroku-key", isLoose: true, shape: "HRKU-[\\w-]{30,}" },
  { kind: "newrelic-key", isLoose: true, shape: "NR(?:AK|II|JS|IQ|RA)-\\w{20,}" },
  { kind: "posthog-key", shape: "phx_[A-Za-z0-9]{40,}" },
  { kind: "postman-key", shape: "PMAK-[0-9a-f]{24}-[0-9a-f]{34}" },
  { kind: "pulumi-token", shape: "pul-[0-9a-f]{40}(?![\\w-])" },
  { kind: "rubygems-key", shape: "rubygems_[0-9a-f]{48}" },
  { kind: "clojars-token", shape: "CLOJARS_[a-z0-9]{60}" },
  { kind: "docker-token", shape: "dckr_[po]at_[\\w-]{20,}" },
  { kind: "fly-token", isLoose: true, shape: "(?:fm[12][ar]?_[\\w+/=,-]{60,}|fo1_[\\w-]{43,})" },
  { kind: "tailscale-key", isLoose: true, shape: "tskey-[a-z]{2,12}-[\\w-]{20,}" },
  { kind: "netlify-token", shape: "nfp_[A-Za-z0-9]{36,}" },
  { kind: "render-key", isLoose: true, shape: "rnd_[A-Za-z0-9]{28,}(?!\\w)" },
  { kind: "vercel-token", shape: "vercel_blob_rw_\\w{30,}" },
  { kind: "resend-key", isLoose: true, shape: "re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}" },
  { kind: "hubspot-token", shape: `pat-(?:na|eu)\\d-${UUID}` },
  { kind: "airtable-token", shape: "pat[A-Za-z0-9]{14}\\.[0-9a-f]{64}" },
  { kind: "square-token", shape: "sq0(?:atp|csp)-[\\w-]{22,}" },
  { kind: "plaid-token", shape: `access-(?:sandbox|development|production)-${UUID}` },
  { kind: "shippo-token", shape: "shippo_(?:live|test)_[0-9a-f]{40}" },
  { kind: "duffel-token", shape: "duffel_(?:live|test)_[\\w-]{40,}" },
  { kind: "easypost-key", shape: "EZ[AT]K[A-Za-z0-9]{54}" },
  { kind: "circleci-token", shape: "CCI(?:PAT|PRJ)_\\w{40,}" },
  { kind: "buildkite-token", shape: "bkua_[0-9a-f]{40}" },
  { kind: "sonar-token", shape: "sq[apu]_[0-9a-f]{40}(?!\\w)" },
  { kind: "sourcegraph-token", shape: "sgp_(?:[0-9a-f]{16}_|local_)?[0-9a-f]{40}" },
  { kind: "jfrog-key", isLoose: true, shape: "AKCp[A-Za-z0-9]{60,}" },
  { kind: "prefect-key", shape: "pn[bu]_[A-Za-z0-9]{36}(?!\\w)" },
  { kind: "readme-key", shape: "rdme_[a-z0-9]{64,}" },
  { kind: "typeform-token", isLoose: true, shape: "tfp_[\\w.-]{50,}" },
  { kind: "dynatrace-token", shape: "dt0[a-z]\\d{2}\\.[A-Z0-9]{24}\\.[A-Z0-9]{64}" },
  { kind: "facebook-token", isLoose: true, shape: "EAA[A-Za-z0-9]{80,}" },
  { kind: "alibaba-key", isLoose: true, shape: "LTAI[A-Za-z0-9]{12,24}(?![A-Za-z0-9])" },
  { kind: "onepassword-token", shape: "ops_eyJ[A-Za-z0-9+/=]{100,}" },
  { kind: "age-key", shape: "AGE-SECRET-KEY-1[A-Z0-9]{58}" },
];

/** Matches a prefix that is not inside a longer name. */
export const VENDOR_HINT = new RegExp(`(?<![\\w-])(?:${VENDOR_KEYS.map(({ shape }) => shape).join("|")})`);
export const VENDOR_KEY = new RegExp(VENDOR_HINT, "g");

const ROWS = VENDOR_KEYS.map(({ kind, isLoose, shape }) => ({ kind, isLoose, pattern: new RegExp(`^${shape}`) }));

export function vendorOf(secret: string): string {
  return ROWS.find(({ pattern }) => pattern.test(secret))?.kind ?? "api-key";
}

export function isVendorKey(secret: string): boolean {
  return ROWS.find(({ pattern }) => pattern.test(secret))?.isLoose !== true || looksRandom(secret);
}

/** Returns true if letters and digits are mixed as in a random key. */
export function looksRandom(secret: string): boolean {
  const sample = secret.slice(0, 200);
  const digits = count(sample, /\d/g);
  const letters = count(sample, /[A-Za-z]/g);
  return digits >= 2 && letters >= 2 && entropyBits(sample) >= 2.8;
}

export function hasLettersAndDigits(secret: string): boolean {
  return /[A-Za-z]/.test(secret) && /\d/.test(secret);
}

/** Returns true for a reference to a value: `process.env.TOKEN`, `config.token2`, a path, a URL. */
export function isReference(secret: string): boolean {
  return /^(?:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|[~.]{0,2}\/\S*|[a-z]{2,10}:\/\/\S*|[A-Za-z_]\w*(?:\.\w+)*\(.*)$/.test(
    secret,
  );
}

/** Returns true for technical words with digits, versions and sizes. */
export function isTechnical(secret: string): boolean {
  return TECHNICAL.test(secret);
}

const TECHNICAL =
  /^(?:(?:base|sha|md|aes|rsa|utf|ed|argon|pbkdf|oauth|x|ipv|win|es|http|v|s|k|p|h|i)-?\d+\w{0,3}(?:-\w+)*|\d[\d.,:/-]*[a-z]{0,3}|\d+[-–][a-z]+(?:-[a-z]+)*|#\d+)$/i;

/** Returns true for words that sentences about passwords contain: technical words, field names, file names. */
export function isNonSecretTerm(secret: string): boolean {
  return isTechnical(secret) || FIELD_NAME.test(secret) || FILE_NAME.test(secret);
}

const FIELD_NAME = /^[a-z0-9_.-]*(?:passw|pwd|secret|token|field|input|column|hash|reset)[a-z0-9_.-]*$/;
const FILE_NAME = /\.(?:ts|js|tsx|jsx|py|go|rs|rb|java|md|json|ya?ml|toml|txt|html|css|sh|sql|env)(?::\d+)*$/i;

export function isPlaceholder(secret: string): boolean {
  return PLACEHOLDER.test(secret.trim());
}

const PLACEHOLDER =
  /^(?:[*•.x_-]*|[<[{$%].*|(?:your|my)[-_ ]?.{0,40}|(?:passw(?:or)?[dt]|passphrase|pass|pwd|contraseña|secret|token|string|str|text|varchar|number|integer|boolean|bool|null|none|nil|undefined|true|false|yes|no|on|off|ok|required|optional|invalid|valid|missing|incorrect|wrong|unknown|empty|default|hidden|redacted|masked|removed|example|placeholder|changeme|n\/?a|todo|tbd|any|object|array)[.!?]?)$/i;

/** Returns true if the check digit is correct, and the number is not a filler such as 4444 4444 4444 4444. */
export function isCardNumber(secret: string): boolean {
  const digits = [...secret.replaceAll(/\D/g, "")].map(Number);
  const sum = digits.reduce((total, digit, index) => {
    const isDoubled = (digits.length - index) % 2 === 0;
    return total + (isDoubled ? digit * 2 - (digit > 4 ? 9 : 0) : digit);
  }, 0);
  return sum % 10 === 0 && new Set(digits).size > 1;
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/** Returns the Shannon entropy per character. Short English words have 2.5 to 3 bits, random keys above 3.3. */
function entropyBits(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const times of counts.values()) bits -= (times / text.length) * Math.log2(times / text.length);
  return bits;
}
