/** Builds fake keys at run time, so that no secret scanner reports this file. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cpuMsOf, growthOf, LINEAR_GROWTH } from "../../../../test/support/growth.ts";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { texts } from "../../../testing/generate-texts.ts";
import { hugeTexts } from "../../../testing/hostile-texts.ts";
import { seededRandom } from "../../../testing/seeded-random.ts";
import { redactSecrets } from "./redact-secrets.ts";

const HEX = "0123456789abcdef";
const UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const MIXED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

function madeUp(length: number, alphabet = MIXED, seed = length): string {
  const random = seededRandom(seed);
  return Array.from({ length }, () => alphabet.charAt(random.integer(alphabet.length))).join("");
}

const joined = (...pieces: readonly string[]): string => pieces.join("");
const pem = (label: string): string => {
  const border = (word: string) => `${"-".repeat(5)}${word} ${label}${"-".repeat(5)}`;
  return [border("BEGIN"), madeUp(64), madeUp(64, MIXED, 7), `${madeUp(20)}==`, border("END")].join("\n");
};

/** The format, the secret, and the text around it. */
const SECRETS: readonly (readonly [string, string, (secret: string) => string])[] = [
  ["aws-access-key", joined("AK", "IA", madeUp(16, UPPER)), (secret) => `id ${secret}.`],
  ["aws-secret-key", madeUp(40), (secret) => `aws_secret_access_key = ${secret}`],
  ["github-token", joined("gh", "p_", madeUp(36)), (secret) => `git clone with ${secret} please`],
  ["github-token", joined("github", "_pat_", madeUp(60)), (secret) => `"${secret}"`],
  ["gitlab-token", joined("gl", "pat-", madeUp(20)), (secret) => secret],
  ["slack-token", joined("xo", "xb-", madeUp(12), "-", madeUp(24)), (secret) => `slack: ${secret}`],
  [
    "slack-webhook",
    joined("T", madeUp(8), "/B", madeUp(8), "/", madeUp(24)),
    (secret) => `https://hooks.slack.com/services/${secret}`,
  ],
  ["stripe-key", joined("sk", "_live_", madeUp(24)), (secret) => `(${secret})`],
  ["google-key", joined("AI", "za", madeUp(35)), (secret) => `?key=${secret}&x=1`],
  ["openai-key", joined("sk", "-proj-", madeUp(48)), (secret) => `OPENAI=${secret}`],
  ["anthropic-key", joined("sk", "-ant-", "api03-", madeUp(90)), (secret) => `use ${secret}`],
  ["npm-token", joined("np", "m_", madeUp(36)), (secret) => `//registry/:_authToken=${secret}`],
  ["palimpsest-token", joined("pl", "m_", madeUp(43)), (secret) => `authorize with ${secret}`],
  ["pypi-token", joined("py", "pi-", madeUp(80)), (secret) => secret],
  ["private-key", pem("RSA PRIVATE KEY"), (secret) => `the key:\n${secret}\nthanks`],
  ["private-key", pem("PRIVATE KEY").replaceAll("\n", "\\n"), (secret) => `{"private_key": "${secret}"}`],
  ["jwt", joined("ey", "J", madeUp(30), ".", madeUp(60), ".", madeUp(43)), (secret) => `cookie=${secret};`],
  ["bearer-token", madeUp(40), (secret) => `Authorization: Bearer ${secret}`],
  ["basic-auth", madeUp(24), (secret) => `Authorization: Basic ${secret}`],
  ["url-password", madeUp(12), (secret) => `https://ana:${secret}@example.com/x`],
  ["database-url", madeUp(14), (secret) => `postgres://ana:${secret}@db.example.com:5432/shop`],
  ["azure-key", `${madeUp(86)}==`, (secret) => `AccountName=a;AccountKey=${secret};EndpointSuffix=b`],
  ["gcp-service-account", madeUp(40, HEX), (secret) => `{"private_key_id": "${secret}"}`],
  ["twilio-key", joined("S", "K", madeUp(32, HEX)), (secret) => `twilio ${secret}`],
  ["sendgrid-key", joined("S", "G.", madeUp(22), ".", madeUp(43)), (secret) => secret],
  ["mailgun-key", joined("ke", "y-", madeUp(32, HEX)), (secret) => secret],
  ["telegram-token", joined("123456789", ":", madeUp(35)), (secret) => `bot ${secret}`],
  ["discord-token", joined("M", madeUp(23), ".", madeUp(6), ".", madeUp(27)), (secret) => secret],
  ["huggingface-token", joined("h", "f_", madeUp(34)), (secret) => secret],
  ["digitalocean-token", joined("do", "p_v1_", madeUp(64, HEX)), (secret) => secret],
  ["shopify-token", joined("shp", "at_", madeUp(32, HEX)), (secret) => secret],
  ["groq-key", joined("gs", "k_", madeUp(52)), (secret) => `GROQ ${secret}`],
  ["xai-key", joined("xa", "i-", madeUp(80)), (secret) => secret],
  ["vault-token", joined("hv", "s.", madeUp(90)), (secret) => `vault login ${secret}`],
  ["linear-key", joined("lin_", "api_", madeUp(40)), (secret) => secret],
  ["notion-token", joined("nt", "n_", madeUp(46)), (secret) => secret],
  ["perplexity-key", joined("pp", "lx-", madeUp(48)), (secret) => secret],
  ["replicate-token", joined("r", "8_", madeUp(37)), (secret) => secret],
  ["databricks-token", joined("da", "pi", madeUp(32, HEX)), (secret) => secret],
  ["supabase-key", joined("sb", "p_", madeUp(40, HEX)), (secret) => secret],
  ["grafana-token", joined("gl", "sa_", madeUp(32), "_", madeUp(8, HEX)), (secret) => secret],
  ["postman-key", joined("PM", "AK-", madeUp(24, HEX), "-", madeUp(34, HEX)), (secret) => secret],
  ["langsmith-key", joined("ls", "v2_pt_", madeUp(32, HEX), "_", madeUp(10, HEX)), (secret) => secret],
  ["terraform-token", joined(madeUp(14), ".atlas", "v1.", madeUp(64)), (secret) => secret],
  ["age-key", joined("AGE-SECRET", "-KEY-1", madeUp(58, UPPER)), (secret) => secret],
  ["password", joined("hunter", "2!"), (secret) => `DB_PASSWORD=${secret}`],
  ["password", joined("Tr0ub", "4dor&3xyz"), (secret) => `The password is ${secret}.`],
  ["password", joined("hunt", "er2"), (secret) => `so the password is now ${secret}, keep it`],
  ["password", joined("S3cret", "Pass99x"), (secret) => `use password ${secret} to get in`],
  ["password", joined("S3cret", "Pass99x"), (secret) => `login --password ${secret} --force`],
  ["password", joined("s3cr3t", "P4ss"), (secret) => `Passwort: ${secret}`],
  ["password", joined("s3cr3t", "P4ss"), (secret) => `la contraseña: ${secret}`],
  ["password", joined("s3cr3t", "P4ss"), (secret) => `le mot de passe est ${secret}`],
  ["password", joined("s3cr3t", "P4ss"), (secret) => `пароль: ${secret}`],
  ["password", joined("s3cr3t", "P4ss"), (secret) => `パスワードは「${secret}」です`],
  ["password", joined("s3cr3t", "P4ss"), (secret) => `密码是${secret}`],
  ["password", joined("s3cr3t", "P4ss"), (secret) => `sshpass -p ${secret} ssh ana@example.com`],
  ["password", joined("s3cr3t", "P4ss"), (secret) => `mysql -uroot -p${secret} shop`],
  ["password", joined("correct", "horse"), (secret) => `{"user":"ana","password":"${secret}"}`],
  ["password", joined("s3cr3t", "P4ss"), (secret) => `password: password: ${secret}`],
  ["password", joined("s3cr3t", "P4ss"), (secret) => `Password: my password: pwd: ${secret}`],
  ["password", joined("s3cr3t", "P4ss"), (secret) => `pw: ${secret}`],
  ["password", joined("s3cr3t", "P4ss"), (secret) => `pass: ${secret}, user: ana`],
  ["password", joined("s3cr3t", "P4ss"), (secret) => `export DB_PASS="${secret}"`],
  ["password", joined("s3cr3t", "P4ss"), (secret) => `{"dbPass":"${secret}"}`],
  ["password", joined("corr", " horse"), (secret) => `PASSWORD = "${secret}"`],
  ["password", joined("correct horse", " battery staple"), (secret) => `passphrase: '${secret}', user: ana`],
  ["password", joined("corr", " horse"), (secret) => `the password is “${secret}”, keep it`],
  ["password", joined("corr", " horse"), (secret) => `pw: "${secret}"`],
  ["password", joined("kirsch", " baum"), (secret) => `Passwort: „${secret}“`],
  ["password", joined("caballo", " azul"), (secret) => `contraseña := "${secret}"`],
  ["password", joined("cheval", " bleu"), (secret) => `mot de passe → «${secret}»`],
  ["password", joined("cavalo", " azul"), (secret) => `senha => '${secret}'`],
  ["password", joined("s3cr3t", "P4ss"), (secret) => `密码→${secret}`],
  ["password", joined("青い", " 空"), (secret) => `パスワードは「${secret}」です`],
  ["password", joined("s3cr3t", "P4ss"), (secret) => `pwd→${secret}`],
  ["password", joined("sword", "fish"), (secret) => `Try this:\npassword: password: ${secret}\nThen go on.`],
  ["password", joined("sword", "fish"), (secret) => `The contraseña: ${secret}.`],
  ["password", joined("sword", "fish"), (secret) => `pw: ${secret}`],
  ["password", joined("sword", "fish"), (secret) => `  pass: ${secret}`],
  ["password", joined("sword", "fish"), (secret) => `密码→${secret}`],
  ["password", joined("sword", "fish"), (secret) => `DB_PASS=${secret} npm start`],
  ["password", joined("sword", "fish"), (secret) => `host=db user=ana password=${secret}`],
  ["password", joined("correct horse ", "battery staple"), (secret) => `password: ${secret}`],
  ["password", joined("47", "11"), (secret) => `password: ${secret}`],
  ["password", joined("s3cr3t", "P4ss"), (secret) => `pwd -> ${secret}`],
  ["password", joined("hunt", "er2"), (secret) => `password := ${secret}`],
  ["password", joined("hunt", "er2"), (secret) => `the pw is ${secret}.`],
  ["card-number", joined("4111 1111", " 1111 1111"), (secret) => `my card is ${secret}, until 12/30`],
  ["card-number", joined("5500-0055", "-5555-5559"), (secret) => `(${secret})`],
  ["card-number", joined("40128888", "88881881"), (secret) => `card=${secret} 12/30 123`],
  ["card-number", joined("3782 8224", "63 10005"), (secret) => `Amex ${secret}.`],
  ["card-number", joined("60110009", "90139424"), (secret) => `{"number":"${secret}"}`],
  ["basic-auth", joined("s3cr3t", "P4ss"), (secret) => `curl -s -u ana:${secret} https://example.com/x`],
  ["url-token", madeUp(64, HEX), (secret) => `https://files.example/a.pdf?X-Amz-Signature=${secret}&x=1`],
  ["url-token", madeUp(30), (secret) => `see https://example.com/r?user=ana&token=${secret}#top`],
  ["cookie", madeUp(40), (secret) => `Cookie: theme=dark; session_id=${secret}`],
  ["assigned-secret", madeUp(32), (secret) => `deploy --api-token ${secret} --now`],
  ["assigned-secret", madeUp(32), (secret) => `export SESSION_SECRET="${secret}"`],
];

describe("redactSecrets", () => {
  test("the samples contain more than twenty kinds of secrets", () => {
    expect(new Set(SECRETS.map(([kind]) => kind)).size).toBeGreaterThan(20);
  });

  test.each([
    [String.raw`PASSWORD="corr \"horse"`, "horse"],
    [`mysqlsh --password "corr horse" --user ana`, "corr horse"],
    ["| password | S3cret99 |", "S3cret99"],
    ["pwd – S3cret99", "S3cret99"],
    ["Password\tS3cret99", "S3cret99"],
    ["**Password:** S3cret99", "S3cret99"],
    ["`password`: `S3cret99`", "S3cret99"],
    ["<password>S3cret99</password>", "S3cret99"],
    ["psql --password S3cret99 --host db", "S3cret99"],
    ["password:\n  S3cret99\nuser: ana", "S3cret99"],
    ["Password (root) = S3cret99", "S3cret99"],
    ["the password for ana: S3cret99", "S3cret99"],
    ["The password was changed to S3cret99.", "S3cret99"],
    ["pass＝S3cret99", "S3cret99"],
    [["4111", "1111", "1111", "1111"].join("."), "1111"],
    [["4111", "1111", "1111", "1111"].join("\u00a0"), "1111"],
    [["4111", "1111", "1111", "1111"].join("  "), "1111"],
    [["3782", "822463", "10005"].join(" - "), "822463"],
  ])(
    "replaces a value with an escaped quotation mark, of an option, in a table or in markup, and other gaps of a card: %j",
    (text, secret) => {
      expect(redactSecrets(text).text).not.toContain(secret);
    },
  );

  test.each([
    "| password | required |",
    "| pass | 12.5 | fail |",
    "--password 'your password here'",
    "--password --host db5",
    "**Password:** required",
    "<password>required</password>",
    "password:\n  minLength: 8",
    "The password was changed to a longer one.",
    'password: "say \\"please\\" to log in"',
    "1234.1111.1111.1111 and 10.2.4111.1111.1111",
  ])("does not change %j", (text) => {
    expect(redactSecrets(text).text).toBe(text);
  });

  test.each(SECRETS)("replaces a secret of the kind %s and nothing around it", (kind, secret, around) => {
    const { text, secrets } = redactSecrets(around(secret));
    const hash6 = secrets[0]?.hash6 ?? "";
    expect(secrets).toEqual([{ kind, hash6: expect.stringMatching(/^[0-9a-f]{6}$/) }]);
    expect(text).toBe(around(`[secret:${kind}:${hash6}]`));
  });

  test("gives equal secrets the same token, and different secrets different tokens", () => {
    const [first, second] = [joined("gh", "p_", madeUp(36)), joined("gh", "p_", madeUp(36, MIXED, 5))];
    const { text, secrets } = redactSecrets(`${first} ${second} ${first}`);
    const [one, two, three] = text.split(" ");
    expect([one === three, one === two, secrets.length]).toEqual([true, false, 2]);
  });

  test("replaces a private key whose end is cut off", () => {
    const cut = pem("EC PRIVATE KEY").split("\n").slice(0, 3).join("\n");
    expect(redactSecrets(`${cut}\n[cut]`).text).toMatch(/^\[secret:private-key:[0-9a-f]{6}\]\n\[cut\]$/);
  });

  const around: readonly (readonly [string, (line: string, index: number) => string])[] = [
    ["line numbers and arrows", (line, index) => `     ${index + 1}→${line}`],
    ["line numbers and bars", (line, index) => `${index + 1} | ${line}`],
    ["the marks of a quotation", (line) => `> ${line}`],
    ["the plus signs of a diff", (line) => `+${line}`],
    ["the minus signs of a diff", (line) => `-${line}`],
    ["the quotes of string literals", (line) => `  "${line}\\n" +`],
    ["file names of a search result", (line, index) => `keys/id.pem:${index + 1}:${line}`],
  ];
  test.each(around)("replaces a private key with %s around its lines, whole or cut off at either end", (_, write) => {
    const lines = pem("RSA PRIVATE KEY").split("\n");
    const plain = redactSecrets(lines.join("\n")).text;
    const written = lines.map(write);
    expect(redactSecrets(written.join("\n")).text).toContain(plain);
    for (const cut of [written, written.slice(0, 3), written.slice(1)]) {
      const { text } = redactSecrets(["before", ...cut, "after that"].join("\n"));
      for (const body of lines.slice(1, 3)) expect(text).not.toContain(body.slice(10, 40));
      expect([text.startsWith("before"), text.endsWith("after that")]).toEqual([true, true]);
    }
  });

  test("does not change the borders of a key without a key between them", () => {
    const border = (word: string) => `${"-".repeat(5)}${word} PRIVATE KEY${"-".repeat(5)}`;
    const text = `if (text.startsWith("${border("BEGIN")}")) return read(text);\n${border("BEGIN")}\n...\n${border("END")}`;
    expect(redactSecrets(text)).toEqual({ text, secrets: [] });
  });

  test.each([
    [
      "sentences about passwords",
      "The password is wrong. The password is required! Your password was reset; password: optional",
    ],
    [
      "descriptions of password hashing",
      "The password is base64-encoded, then the password is sha256 hashed; password is 12-characters long",
    ],
    [
      "quoted texts about passwords",
      `password: "Too short", PASSWORD = "Enter your password", pwd: '/home/ana/x1', pass: 'Element contains focusable elements', passwordHint = "ask Ana"`,
    ],
    ["rounds of work", "The first pass is 3x3mm, the second pass was v2beta, pass -> 3 of 4, pass => next step"],
    [
      "field names",
      'password field2, user.password2, <input type="password" name="password1">, passwordHash: argon2id',
    ],
    ["options in prose", "Use the --password option, the --token flag and --api-key instead of a file."],
    [
      "file paths",
      "password: ./secrets/db.env2 and see password.test2.ts:41, key=src/a1.ts, ?key=users&code=200&session=new",
    ],
    ["user ids of a container", "docker run -u 1000:1000 app && curl -u user:password https://example.com"],
    [
      "test results",
      "PASS: TestLogin/case_2x (0.1s), --- PASS: a1/b2, pass: 12/14, pass: src/a1.test.ts, bypass: rule42x",
    ],
    [
      "numbers that are not card numbers",
      "4111111111111112, 4111 1111 1111 1111 1111, 1699999999999999, 4444 4444 4444 4444, 2026-01-01 10:00:00",
    ],
    [
      "ids, hashes and times that look like card numbers",
      "order_id: 4012888888881881, id=4012888888881881, trace 4012888888881881, at 4012888888881881, a4012888888881881, 0x4012888888881881, /items/4012888888881881, 3.4012888888881881, 4012888888881881abc",
    ],
    ["constants", "{ tokenSplitRegex: R50K_TOKEN_SPLIT_REGEX2, credentials: MINIFLARE_R2_S3_CREDENTIALS }"],
    [
      "ordinary identifiers",
      "run_01HZX4Q2, sk_buff_alloc_2, fc-1, re_2, npm_config_registry, hf_hub_download, key-value",
    ],
    [
      "prose",
      "The secret of a good token is that the password stays private. Bearer bonds and basic facts, sk-etching.",
    ],
    [
      "words after a name that are not values",
      "Password: required\nPassword: must be long\npass: 4711\nlogin(user, password=entered)\n{ user, password: hashed, retries: 3 }\nPASS=true make",
    ],
    ["git hashes", `commit ${madeUp(40, HEX)}\nMerge: ${madeUp(7, HEX)} ${madeUp(7, HEX, 3)}`],
    ["a lock file", `"integrity": "sha512-${madeUp(86)}==",\n"resolved": "https://registry.example/a/-/a-1.0.0.tgz"`],
    [
      "code",
      "const token = tokens[index + 1]; const apiKey = process.env.API_KEY2; if (secret === expectedSecret2) {}",
    ],
    [
      "types",
      "interface Login { readonly password: string; readonly token?: AccessToken | undefined; maxTokens: 128000 }",
    ],
    ["references", "password: config.database.password2\nSECRET=$" + "{SECRET_V2}\ntoken: <your-token-123>"],
    ["identifiers", `uuid 123e4567-e89b-12d3-a456-426614174000, digest sha256:${madeUp(64, HEX)}`],
    ["URLs", "https://example.com:8080/a@b and git@example.com:ana/shop.git and http://localhost:3000/x?y=z@w"],
    ["its own tokens", "[secret:api-key:a1b2c3] and SECRET=[secret:assigned-secret:0a1b2c]"],
  ])("does not change %s", (_, text) => {
    expect(redactSecrets(text)).toEqual({ text, secrets: [] });
  });

  test("changes nothing the second time", () => {
    const pieces = fc.oneof(
      texts({ longestCharacters: 300 }),
      fc.constantFrom(...SECRETS.map(([, secret, around]) => around(secret))),
      fc.constantFrom(...SECRETS.map(([, secret]) => secret)),
      fc.constantFrom("password=", "token: ", "[secret:", "]", "://a:", "@", " ", "Bearer ", "\n"),
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 6 }), (parts) => {
        const once = redactSecrets(parts.join(""));
        expect(redactSecrets(once.text)).toEqual({ text: once.text, secrets: [] });
      }),
      { numRuns: propertyRuns() },
    );
  });

  const repeated = [
    "-----BEGIN PRIVATE KEY-----\n",
    "eyJabcdefgh.",
    "eyJ-",
    "secret:secret=",
    "a://b:",
    "bearer ",
    "1234567890:",
    "password: ",
    'password="',
    "pwd→",
    "pass is ",
    "pass:pw:",
    "4111 1111 ",
    "id 40128888888818",
  ];
  test.each([
    ...hugeTexts(),
    ...repeated.map((unit) => ({ name: `a repetition of ${unit}`, build: () => unit.repeat(1_000_000 / unit.length) })),
  ])("reads $name in linear time", async ({ build }) => {
    const cost = (text: string) => cpuMsOf(() => redactSecrets(text));
    expect(await growthOf(build(), cost)).toBeLessThan(LINEAR_GROWTH);
  });
});
