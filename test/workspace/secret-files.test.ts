/** Files with secrets in a workspace, through a session: no prompt shows one unless the caller names it. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openPalimpsest } from "../../src/index.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "palimpsest-secret-files-")));
afterAll(() => rmSync(folder, { recursive: true }));

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
};

const SECRET_FILES = [
  ".env",
  ".env.local",
  ".env.production",
  "api/.env",
  "api/prod.env",
  ".envrc",
  "certs/server.key",
  "certs/server.pem",
  "certs/store.p12",
  "deploy/id_rsa",
  "deploy/id_ed25519.bak",
  ".npmrc",
  ".netrc",
  ".pgpass",
  ".aws/credentials",
  "secrets.yaml",
  "service-account-prod.json",
  "gcp/serviceAccountKey.json",
  "gcp/my_service_account.json",
  "gcp/application_default_credentials.json",
  "gcp/shop-firebase-adminsdk-x1.json",
  "gcp/client_secret_42.json",
  ".env-staging",
  "upper/.ENV.LOCAL",
  "upper/Server.KEY",
  "certs/push.p8",
  "certs/store.pfx",
  "deploy/id_ecdsa",
  "api/.npmrc",
  "home/_netrc",
  "home/.kube/config",
  "home/.docker/config.json",
  "infra/prod.tfvars",
  ".env.bak",
  ".env~",
  "api/prod.env.old",
  "certs/server.pem.bak",
  "certs/server.key~",
  "deploy/id_rsa (1)",
  "deploy/id_rsa copy",
  "gcp/credentials.json.orig",
  ".netrc.save",
  "home/.ssh/deploy",
  "home/.ssh/Backup_Key",
  "home/.gnupg/secring.gpg",
  "home/.kube/config.bak",
  "infra/terraform.tfstate",
  "infra/terraform.tfstate.backup",
  "infra/kubeconfig",
  "net/office.ovpn",
];
const OTHERS = [
  ".env.example",
  ".env.sample",
  "deploy/id_rsa.pub",
  "src/env.ts",
  "src/key.ts",
  "src/secrets.ts",
  "docs/credentials.md",
  "environment.yaml",
  "monkey.txt",
  "certs/server.key.example",
  "src/config.json",
  "src/service-account.ts",
  "src/credentials-form.tsx",
  ".env.example.bak",
  "home/.ssh/deploy.pub",
  "home/.ssh/known_hosts",
  "src/kubeconfig.ts",
  "notes.bak",
];

for (const path of [...SECRET_FILES, ...OTHERS]) write(path, `export const VALUE = "value of ${path}";\n`);
symlinkSync("../.env", join(folder, "src/settings.txt"));
symlinkSync(".env", join(folder, ".env.link"));

const open = async () =>
  (await openPalimpsest({ counter: "estimate", budgetTokens: 50_000, workspace: { root: folder } })).session();
const next = { role: "user", content: "What is here?" };

test("the tree and the outlines of a prompt name all files except those with secrets", async () => {
  const prompt = await (await open()).prompt({ next });
  const shown = JSON.stringify(prompt.as("openai"));
  const lines = prompt.messages.flatMap(({ content }) => String(content).split("\n"));
  for (const path of SECRET_FILES) expect(lines).not.toContain(path);
  for (const path of OTHERS) expect(lines).toContain(path);
  for (const path of SECRET_FILES) expect(shown).not.toContain(`value of ${path}`);
});

test("a file with secrets is shown if the caller names it", async () => {
  const session = await open();
  for (const path of SECRET_FILES) expect(await session.workspace.files.add(path)).toBe(true);
  const shown = JSON.stringify((await session.prompt({ next })).as("openai"));
  for (const path of SECRET_FILES) expect(shown).toContain(`value of ${path}`);
});

test("a link under a harmless name does not lead to a file with secrets", async () => {
  const { files } = (await open()).workspace;
  await expect(files.add("src/settings.txt")).rejects.toMatchObject({ code: "file-refused" });
  await expect(files.add("src/settings.txt")).rejects.toThrow("may contain secrets");
  expect(await files.add(".env.link")).toBe(true);
});
