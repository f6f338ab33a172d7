/** `palimpsest token`: who may use a server that others can reach. A token is shown once, when it is made. */
import { join } from "node:path";
import { PalimpsestError } from "../../core/errors.ts";
import { addToken, readTokens, removeToken } from "../../server/access/token-file.ts";
import { type Command, CommandFailure, type Invocation } from "../command.ts";
import { EXIT_NOT_FOUND } from "../exit-codes.ts";
import { findHome, TOKENS_FILE } from "../find-home.ts";

export const token: Command = {
  usage: "token add --tenant <name> | token list | token remove <id>",
  about: [
    "Keeps the tokens of a server others can reach: palimpsest serve --host 0.0.0.0 --tokens <file>.",
    "Each opens the sessions of one tenant. The file holds their hashes, and only you can read it. A server that runs",
    "follows it: a token that is added is taken at once, and one that is removed no more.",
    "The tenant local is whoever runs the server: only its token changes the settings and reads the figures of /metrics.",
  ],
  options: {
    tenant: { type: "string", value: "<name>", help: "Whose sessions the new token opens." },
    tokens: { type: "string", value: "<file>", help: `PALIMPSEST_TOKENS without it, else ${TOKENS_FILE} at home.` },
    home: { type: "string", value: "<folder>", help: "PALIMPSEST_HOME without it, else the data folder of the user." },
    json: { type: "boolean", help: "Results as JSON, for programs." },
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
    if (verb === "remove" && id !== undefined) return remove(invocation, { path, id });
    throw new PalimpsestError("config-invalid", `Expected: palimpsest ${token.usage}`);
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
    const message = `--tenant: say whose sessions it opens, in at most ${LONGEST_NAME} characters.`;
    throw new PalimpsestError("config-invalid", message, { details: { key: "tenant" } });
  }
  const added = addToken(path, { tenantId, now: new Date() });
  if (flag("json")) return terminal.print(JSON.stringify({ ...added, path }));
  await terminal.print(added.token);
  terminal.note(`This is ${added.id} of ${tenantId}, shown this once. It stands in ${path} as a hash.`);
}

const LONGEST_NAME = 200;

async function list({ flag, terminal, say }: Invocation, path: string): Promise<void> {
  const rows = readTokens(path).map(({ id, tenantId, createdAt }) => ({ id, tenantId, createdAt }));
  if (flag("json")) return terminal.print(JSON.stringify(rows));
  for (const { id, tenantId, createdAt } of rows) await say(`${id}  ${createdAt}  ${tenantId}`);
  if (rows.length === 0) terminal.note(`There are no tokens in ${path}.`);
}

async function remove(
  { flag, terminal, say }: Invocation,
  { path, id }: { readonly path: string; readonly id: string },
): Promise<void> {
  if (!removeToken(path, id)) {
    const message = `There is no token ${id} in ${path}. palimpsest token list says which there are.`;
    throw new CommandFailure(message, EXIT_NOT_FOUND);
  }
  await (flag("json") ? terminal.print(JSON.stringify({ removed: id })) : say(`${id} opens nothing any more.`));
}
