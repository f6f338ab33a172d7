/** `palimpsest serve`: runs the page, the API and the chats in one process until a signal ends it. */
import type { LogLevel } from "../../server/http/request-log.ts";
import type { RunningServer } from "../../server/start.ts";
import { STORE_ADDRESSES } from "../../stores/open-store.ts";
import { GATEWAY_OPTIONS, HOST, PORT, readServeSetup, type ServeSetup } from "../setup/serve-options.ts";
import { HOME_OPTION } from "../setup/store-options.ts";
import type { Command, Invocation } from "../terminal/command.ts";
import { limitHeapGrowth, releaseStartMemory } from "../terminal/node-process.ts";
import { ownCommand } from "../terminal/own-command.ts";
import { readChoice } from "../terminal/read-option.ts";
import { hideCredentials } from "../terminal/terminal-text.ts";

/** For a first-time user, the next steps matter more than a line for each request. Deletions are logged at every level. */
const LOG_LEVEL = "warn";
const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error", "silent"];

export const command: Command = {
  usage: "serve [--port <number>] [--host <address>] [--store <address>] [--workspace <folder>] [--json]",
  about: [
    "Runs the server on this machine: the web page, sessions over HTTP, chats for useChat, server-sent events and",
    "JSON-RPC. Everything is stored in one SQLite file in your data folder; nothing leaves this machine unless a model",
    "is configured. These variables configure models; the first one that is set is the default:",
    "  PALIMPSEST_BASE_URL with PALIMPSEST_MODEL and, if needed, PALIMPSEST_API_KEY: any server with OpenAI's API,",
    "    such as vLLM or LM Studio; PALIMPSEST_WINDOW_TOKENS is the context window of its model",
    "  ANTHROPIC_API_KEY, OPENAI_API_KEY (with OPENAI_BASE_URL if it is elsewhere), GEMINI_API_KEY, OLLAMA_HOST",
    "  PALIMPSEST_MODEL chooses one, such as anthropic:claude-sonnet-5",
    "Without a model, the offline model answers by quoting earlier messages. Beyond loopback, tokens are required.",
    "SIGTERM or Ctrl-C finishes running requests first; a second one ends the server at once.",
  ],
  options: {
    port: { value: "<number>", help: `Default: PALIMPSEST_PORT, else ${PORT}; 0 selects any free port.` },
    host: { value: "<address>", help: `Default: ${HOST}, only this machine.` },
    store: {
      value: "<address>",
      help: `Where sessions are stored: ${STORE_ADDRESSES}. Default: PALIMPSEST_STORE, else the home folder.`,
    },
    home: HOME_OPTION,
    config: { value: "<file>", help: "Policy and models. Default: palimpsest.config.json in the home folder." },
    workspace: { value: "<folder>", help: "Folder whose files the model may see." },
    tokens: { value: "<file>", help: "Access tokens, as palimpsest token writes them. Default: PALIMPSEST_TOKENS." },
    hosts: { value: "<names>", help: "Further host names of this server, separated by commas." },
    origins: { value: "<origins>", help: "Other web origins that may use this server, separated by commas." },
    proxies: {
      value: "<addresses>",
      help: "Addresses or networks of proxies in front, separated by commas. Rate limits then apply to the clients behind them.",
    },
    jobs: { value: "<who>", help: "in-process, or pg-boss: palimpsest worker runs compactions in the background." },
    "session-entries": {
      value: "<number>",
      help: "Maximum number of entries in a session. Default: PALIMPSEST_SESSION_ENTRIES, else ten million.",
    },
    "import-messages": {
      value: "<number>",
      help: "Maximum number of messages in an import. Default: PALIMPSEST_IMPORT_MESSAGES, else five million.",
    },
    ...GATEWAY_OPTIONS,
    log: {
      value: "<level>",
      help: `Log level of the JSON lines on stderr: debug, info, warn, error or silent. Default: ${LOG_LEVEL}.`,
    },
    json: { help: "Print one line of JSON when ready, for programs." },
  },
  positionalCount: [0, 0],
  examples: [
    "palimpsest serve",
    "palimpsest serve --port 8080 --workspace .",
    "palimpsest serve --store windowed-sql:./chats.db",
    "palimpsest serve --store workspace:. --workspace .",
    "palimpsest serve --store postgres://palimpsest@db/chats --jobs pg-boss --host 0.0.0.0 --tokens tokens.json",
  ],
  run: (invocation) => runServer(invocation, { hasPage: true }),
};

/** Runs the server until a signal ends it. */
export async function runServer(invocation: Invocation, { hasPage }: { readonly hasPage: boolean }): Promise<void> {
  const { terminal } = invocation;
  if (terminal.hasOwnProcess) limitHeapGrowth();
  const ending = terminal.endings();
  const setup = await readServeSetup(invocation);
  for (const complaint of setup.found.complaints) terminal.note(complaint);
  const level = readChoice(invocation, "log", LEVELS) ?? LOG_LEVEL;
  const { startServer } = await import("../../server/start.ts");
  const { createRequestLog } = await import("../../server/http/request-log.ts");
  const log = createRequestLog({ level, write: terminal.log });
  for (const text of setup.unknownVariables) log.warn?.(text);
  const options = hasPage ? setup.options : { ...setup.options, page: undefined };
  const server = await startServer({ ...options, log });
  await announce(invocation, { setup, server, hasPage });
  if (terminal.hasOwnProcess) releaseStartMemory();
  if (!ending.aborted) await new Promise((resolve) => ending.addEventListener("abort", resolve, { once: true }));
  terminal.note("Stopping after running requests. A second signal stops at once.");
  await server.close();
}

interface Announcement {
  readonly setup: ServeSetup;
  readonly server: RunningServer;
  readonly hasPage: boolean;
}

async function announce(invocation: Invocation, { setup, server, hasPage }: Announcement): Promise<void> {
  const { url, port } = server;
  const { terminal, flag, say } = invocation;
  const store = hideCredentials(setup.options.store);
  const models = setup.options.models.map(({ id }) => id);
  if (flag("json")) {
    const ready = { event: "ready", url, port, pid: process.pid, store, home: setup.home, models };
    return terminal.print(JSON.stringify(ready));
  }
  const isOffline = setup.found.models.length === 0;
  await say(`Palimpsest is at ${url}`);
  const unbuilt = " (a plain page: the web page was not built; npm ci without --omit=dev builds it)";
  if (hasPage) {
    await say(`  open     ${url}/ in a browser${setup.hasPage ? "" : unbuilt}`);
    await say(`  or       ${ownCommand()} chat --server ${url}, in another terminal`);
  }
  await say(`  API      ${url}/api`);
  await say(`  gateway  ${url} for clients of Anthropic's API, ${url}/v1 for clients of OpenAI's`);
  await say(`  store    ${store}`);
  const about = `: it quotes earlier messages. ${ownCommand()} serve --help shows how to configure another`;
  await say(`  model    ${models[0]}${isOffline ? about : ""}`);
  await say("  stop     Ctrl-C");
}
