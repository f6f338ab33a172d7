/** Names of files that hold secrets. Such a file is left out of lists, and read only if the caller names it. */

const SETTINGS = String.raw`\.env(?:\.[\w.-]+)?|[\w.-]+\.env|\.envrc|\.dev\.vars`;
const KEYS = String.raw`[^/]+\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk)|id_(?:rsa|dsa|ecdsa|ed25519)(?:[._-][\w.-]+)?`;
const LOGINS = String.raw`[._]netrc|\.npmrc|\.pypirc|\.pgpass|\.my\.cnf|\.htpasswd|\.git-credentials|\.dockercfg`;
const SHEETS = String.raw`credentials(?:\.(?:json|ini|toml|ya?ml|csv))?|secrets?\.(?:json|ini|toml|ya?ml)|service-?account[\w.-]*\.json`;
const SECRET_FILE = new RegExp(`^(?:${SETTINGS}|${KEYS}|${LOGINS}|${SHEETS})$`, "i");

/** Examples without values, and public keys. */
const HARMLESS = /[._-](?:example|sample|template|dist|defaults?|pub)$/i;

export function isSecretFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return SECRET_FILE.test(name) && !HARMLESS.test(name);
}
