/** `palimpsest token`: access tokens of a server. A token is shown once, when it is created. */
import { join } from "node:path";
import { PalimpsestError } from "../../core/errors.ts";
import { addToken, readTokens, removeToken } from "../../server/access/token-file.ts";
import { findHome, TOKENS_FILE } from "../setup/find-home.ts";
import { HOME_OPTION, JSON_OPTION } from "../setup/store-options.ts";
import { type Command, CommandFailure, EXIT_NOT_FOUND, type Invocation } from "../terminal/command.ts";
import { invalidOption } from "../terminal/read-option.ts";

export const command: Command = {
  usage: "token add --tenant <name> | token list | token remove <id>",
  about: [
    "Manages the tokens of a server that others can reach: palimpsest serve --host 0.0.0.0 --tokens <file>.",
    "Each token gives access to the sessions of one tenant. The file holds their hashes, and only you can read it.",
    "A running server follows the file: added and removed tokens take effect at once.",
    "The tenant local is the operator: only its token can change settings and read /metrics.",
  ],
  options: {
    tenant: { value: "<name>", help: "Tenant whose sessions the new token can access." },
    tokens: { value: "<file>", help: `Default: PALIMPSEST_TOKENS, else ${TOKENS_FILE} in the home folder.` },
    home: HOME_OPTION,
    json: JSON_OPTION,
  },
  words: [1, 2],
  examples: [
    "palimpsest token add --tenant anna",
    "palimpsest token add --tenant local",
    "palimpsest token list --json",
    "palimpsest token remove t-1a2b3c4d",
  ],
  async run(invocation) {
    const [verb = "", id] = invocation.positionals;
    const path = findFile(invocation);
    if (verb === "add" && id === undefined) return add(invocation, path);
    if (verb === "list" && id === undefined) return list(invocation, path);
    if (verb === "remove" && id !== undefined) return remove(invocation, path, id);
    throw new PalimpsestError("config-invalid", `Expected: palimpsest ${command.usage}`);
  },
};

function findFile({ text, terminal: { environment } }: Invocation): string {
  const home = findHome({ environment, given: text("home") });
  return text("tokens") ?? environment.PALIMPSEST_TOKENS ?? join(home, TOKENS_FILE);
}

async function add(invocation: Invocation, path: string): Promise<void> {
  const { text, flag, terminal } = invocation;
  const tenantId = text("tenant");
  if (tenantId === undefined || tenantId.trim() === "" || tenantId.length > LONGEST_NAME) {
    throw invalidOption("tenant", `expected the tenant's name, at most ${LONGEST_NAME} characters.`);
  }
  const added = addToken(path, { tenantId, now: new Date() });
  if (flag("json")) return terminal.print(JSON.stringify({ ...added, path }));
  await terminal.print(added.token);
  terminal.note(`Token ${added.id} of ${tenantId}. It is shown only once; ${path} holds its hash.`);
}

const LONGEST_NAME = 200;

async function list({ flag, terminal, say }: Invocation, path: string): Promise<void> {
  const rows = readTokens(path).map(({ id, tenantId, createdAt }) => ({ id, tenantId, createdAt }));
  if (flag("json")) return terminal.print(JSON.stringify(rows));
  for (const { id, tenantId, createdAt } of rows) await say(`${id}  ${createdAt}  ${tenantId}`);
  if (rows.length === 0) terminal.note(`There are no tokens in ${path}.`);
}

async function remove({ flag, terminal, say }: Invocation, path: string, id: string): Promise<void> {
  if (!removeToken(path, id)) {
    throw new CommandFailure(`There is no token ${id} in ${path}. See palimpsest token list.`, EXIT_NOT_FOUND);
  }
  await (flag("json") ? terminal.print(JSON.stringify({ removed: id })) : say(`Removed ${id}.`));
}
