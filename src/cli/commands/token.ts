/** `palimpsest token`: access tokens of a server. A token is shown once, when it is created. */
import { join } from "node:path";
import { PalimpsestError } from "../../core/errors.ts";
import { TOKEN_ROLES } from "../../server/access/permissions.ts";
import {
  addToken,
  readTokens,
  removeToken,
  rotateToken,
  type StoredToken,
  type TokenGrant,
} from "../../server/access/token-file.ts";
import { findHome, TOKENS_FILE } from "../setup/find-home.ts";
import { HOME_OPTION, JSON_OPTION } from "../setup/store-options.ts";
import { type Command, CommandFailure, EXIT_NOT_FOUND, type Invocation } from "../terminal/command.ts";
import { invalidCliOption, readChoice, readId } from "../terminal/read-option.ts";

export const command: Command = {
  usage: "token add --tenant <name> | token list | token rotate <id> | token remove <id>",
  about: [
    "Manages the tokens of a server that others can reach: palimpsest serve --host 0.0.0.0 --tokens <file>.",
    "Each token gives access to the sessions of one tenant, or to one session of it. Its role says what it may do:",
    "  read   read sessions, their prompts and their events",
    "  chat   also chat, append messages, compact, pin and undo",
    "  admin  also delete, import and, for the tenant local, change settings (default)",
    "The file contains only hashes, and only you can read it. A running server follows the file: added, rotated, expired",
    "and removed tokens take effect at once; open streams end within a second or so.",
    "The tenant local is the owner of the server: only its tokens can change settings and read /metrics.",
  ],
  options: {
    tenant: { value: "<name>", isSingle: true, help: "Tenant whose sessions the new token can access." },
    role: { value: "<role>", isSingle: true, help: `${TOKEN_ROLES.join(", ")}. Default: admin.` },
    session: { value: "<id>", isSingle: true, help: "The only session that the new token can access." },
    expires: {
      value: "<when>",
      isSingle: true,
      help: "When the new token expires: 12h, 30d, or a date such as 2030-01-31.",
    },
    grace: { value: "<time>", help: "How long a rotated token stays valid: 0s, 30m, 24h. Default: 1h." },
    tokens: { value: "<file>", help: `Default: PALIMPSEST_TOKENS, else ${TOKENS_FILE} in the home folder.` },
    home: HOME_OPTION,
    json: JSON_OPTION,
  },
  positionalCount: [1, 2],
  examples: [
    "palimpsest token add --tenant anna",
    "palimpsest token add --tenant anna --role read --session sess_42 --expires 30d",
    "palimpsest token add --tenant local",
    "palimpsest token list --json",
    "palimpsest token rotate t-1a2b3c4d --grace 10m",
    "palimpsest token remove t-1a2b3c4d",
  ],
  async run(invocation) {
    const [verb = "", id] = invocation.positionals;
    const path = findFile(invocation);
    if (verb === "add" && id === undefined) return runAdd(invocation, path);
    if (verb === "list" && id === undefined) return runList(invocation, path);
    if (verb === "rotate" && id !== undefined) return rotate(invocation, path, id);
    if (verb === "remove" && id !== undefined) return runRemove(invocation, path, id);
    throw new PalimpsestError("config-invalid", `Expected: palimpsest ${command.usage}`);
  },
};

function findFile({ text, terminal: { environment } }: Invocation): string {
  const home = findHome({ environment, given: text("home") });
  return text("tokens") ?? environment.PALIMPSEST_TOKENS ?? join(home, TOKENS_FILE);
}

async function runAdd(invocation: Invocation, path: string): Promise<void> {
  await printNew(invocation, path, addToken(path, readGrant(invocation)));
}

async function rotate(invocation: Invocation, path: string, id: string): Promise<void> {
  const grace = invocation.text("grace") ?? "1h";
  const until = readDuration(grace);
  if (until === undefined) throw invalidCliOption("grace", `expected a time such as 30m or 24h, found ${grace}.`);
  const added = rotateToken(path, { id, until });
  if (added === undefined) throw notFound(path, id);
  await printNew(invocation, path, added);
  invocation.terminal.note(`${id} stays valid until ${until.toISOString()}.`);
}

async function printNew(
  { flag, terminal }: Invocation,
  path: string,
  added: TokenGrant & { readonly id: string; readonly token: string },
): Promise<void> {
  if (flag("json")) return terminal.print(JSON.stringify({ ...added, path }));
  await terminal.print(added.token);
  terminal.note(`Token ${added.id} of ${describeGrant(added)}. It is shown only once; ${path} contains its hash.`);
}

function readGrant(invocation: Invocation): TokenGrant {
  const [tenantId, sessionId] = [readId(invocation, "tenant"), readId(invocation, "session")];
  if (tenantId === undefined || tenantId.trim() === "") throw invalidCliOption("tenant", "expected the tenant's name.");
  const role = readChoice(invocation, "role", TOKEN_ROLES);
  const expires = invocation.text("expires");
  const expiresAt = expires === undefined ? undefined : readExpiry(expires).toISOString();
  return { tenantId, role, sessionId, expiresAt };
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Adds a duration such as `30m` to the current time. Returns undefined for any other text. */
function readDuration(text: string): Date | undefined {
  const [, amount, unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  return amount === undefined ? undefined : new Date(Date.now() + Number(amount) * (UNIT_MS[unit] ?? 0));
}

function readExpiry(text: string): Date {
  const date = readDuration(text) ?? new Date(/^\d{4}-\d{2}-\d{2}/.test(text) ? text : Number.NaN);
  if (Number.isNaN(date.getTime()))
    throw invalidCliOption("expires", `expected a time such as 30d or 2030-01-31, found ${text}.`);
  if (date.getTime() <= Date.now()) throw invalidCliOption("expires", `${text} is not in the future.`);
  return date;
}

function describeGrant({ tenantId, role = "admin", sessionId, expiresAt }: TokenGrant): string {
  const limits = [
    role,
    ...(sessionId === undefined ? [] : [`session ${sessionId}`]),
    ...(expiresAt === undefined ? [] : [`until ${expiresAt}`]),
  ];
  return `${tenantId} (${limits.join(", ")})`;
}

async function runList({ flag, terminal, say }: Invocation, path: string): Promise<void> {
  const rows = readTokens(path).map(({ hash: _hash, ...row }): Omit<StoredToken, "hash"> => row);
  if (flag("json")) return terminal.print(JSON.stringify(rows));
  for (const row of rows) await say(`${row.id}  ${row.createdAt}  ${describeGrant(row)}`);
  if (rows.length === 0) terminal.note(`There are no tokens in ${path}.`);
}

async function runRemove({ flag, terminal, say }: Invocation, path: string, id: string): Promise<void> {
  if (!removeToken(path, id)) throw notFound(path, id);
  await (flag("json") ? terminal.print(JSON.stringify({ removed: id })) : say(`Removed ${id}.`));
}

function notFound(path: string, id: string): CommandFailure {
  return new CommandFailure(`There is no token ${id} in ${path}. See palimpsest token list.`, EXIT_NOT_FOUND);
}
