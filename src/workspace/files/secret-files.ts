/** Names of files that hold secrets. Such a file is left out of lists, and read only if the caller names it. */

const SETTINGS = String.raw`\.env(?:[._-][\w.-]+)?|[\w.-]+\.env|\.envrc|\.dev\.vars|[\w.-]+\.tfvars`;
const KEYS = String.raw`[^/]+\.(?:pem|key|p8|p12|pfx|jks|keystore|kdbx|ppk)|id_(?:rsa|dsa|ecdsa|ed25519)(?:[._-][\w.-]+)?`;
const LOGINS = String.raw`[._]netrc|\.npmrc|\.pypirc|\.pgpass|\.my\.cnf|\.htpasswd|\.git-credentials|\.dockercfg|\.vault-token`;
const SHEETS = String.raw`(?:[\w.-]+[._-])?credentials(?:\.(?:json|ini|toml|ya?ml|csv))?|secrets?\.(?:json|ini|toml|ya?ml)`;
const ACCOUNTS = String.raw`(?:[\w.-]*service[-_]?account|client_secret|[\w.-]*firebase-adminsdk)[\w.-]*\.json`;
const SECRET_FILE = new RegExp(`^(?:${SETTINGS}|${KEYS}|${LOGINS}|${SHEETS}|${ACCOUNTS})$`, "i");

/** Examples without values, and public keys. */
const HARMLESS = /[._-](?:example|sample|template|dist|defaults?|pub)$/i;

const SECRET_PATH = /(?:^|\/)\.(?:kube\/config|docker\/config\.json|ssh\/config)$/i;

export function isSecretFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return (SECRET_FILE.test(name) && !HARMLESS.test(name)) || SECRET_PATH.test(path);
}
