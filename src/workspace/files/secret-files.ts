/** Names of files that hold secrets. Such a file is left out of lists, and read only if the caller names it. */

const SETTINGS = String.raw`\.env(?:[._-][\w.-]+)?|[\w.-]+\.env|\.envrc|\.dev\.vars|[\w.-]+\.tfvars`;
const KEYS = String.raw`[^/]+\.(?:pem|key|p8|p12|pfx|jks|keystore|kdbx|ppk)|id_(?:rsa|dsa|ecdsa|ed25519)(?:[._-][\w.-]+)?`;
const LOGINS = String.raw`[._]netrc|\.npmrc|\.pypirc|\.pgpass|\.my\.cnf|\.htpasswd|\.git-credentials|\.dockercfg|\.vault-token`;
const SHEETS = String.raw`(?:[\w.-]+[._-])?credentials(?:\.(?:json|ini|toml|ya?ml|csv))?|secrets?\.(?:json|ini|toml|ya?ml)`;
const ACCOUNTS = String.raw`(?:[\w.-]*service[-_]?account|client_secret|[\w.-]*firebase-adminsdk)[\w.-]*\.json`;
const STATES = String.raw`[\w.-]*\.tfstate|kubeconfig|[\w.-]+\.ovpn|secring\.gpg|wallet\.dat`;
const SECRET_FILE = new RegExp(`^(?:${SETTINGS}|${KEYS}|${LOGINS}|${SHEETS}|${ACCOUNTS}|${STATES})$`, "i");
/** Matches what editors, tools and people add to the name of a copy. */
const COPY = /(?:~|[._-](?:bak|backup|old|orig|save|copy|swp|tmp)| copy| \(\d{1,3}\))+$/i;

/** Examples without values, and public keys. */
const HARMLESS = /[._-](?:example|sample|template|dist|defaults?|pub)$/i;

/** A key in `.ssh` may have any name. */
const SECRET_PATH =
  /(?:^|\/)\.(?:kube\/config|docker\/config\.json|ssh\/(?!(?:known_hosts|authorized_keys)$)[^/]+|gnupg\/private-keys-v1\.d\/[^/]+)$/i;

export function isSecretFile(path: string): boolean {
  const original = path.replace(COPY, "");
  const name = original.slice(original.lastIndexOf("/") + 1);
  if (HARMLESS.test(name)) return false;
  return (
    SECRET_FILE.test(name) || SECRET_FILE.test(path.slice(path.lastIndexOf("/") + 1)) || SECRET_PATH.test(original)
  );
}
