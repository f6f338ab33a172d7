/**
 * `palimpsest serve`: one process that holds the page, the API and the chats, until it is told to end. It says where it
 * is and what to do next, and opens nothing by itself.
 */
import { PalimpsestError } from "../../core/errors.ts";
import type { LogLevel } from "../../server/http/request-log.ts";
import type { RunningServer } from "../../server/start.ts";
import type { Command, Invocation } from "../command.ts";
import { describeStore } from "../describe-store.ts";
import { holdHeap } from "../hold-heap.ts";
import { ownCommand } from "../own-command.ts";
import { HOST, PORT, readServeSetup, type ServeSetup } from "../serve-options.ts";

/** A person who tries it should read what to do next, not what was asked; what was taken away is told all the same. */
const LOG_LEVEL = "warn";

export const serve: Command = {
  usage: "serve [--port <number>] [--host <address>] [--store <address>] [--workspace <folder>] [--json]",
  about: [
    "Runs the server on this machine: sessions over HTTP, chats as useChat speaks them, server-sent events, JSON-RPC,",
    "and the page. Everything is kept in one SQLite file in your data folder; nothing leaves this machine unless a",
    "model is set. Models are found by these variables, and the first one found is the default:",
    "  PALIMPSEST_BASE_URL with PALIMPSEST_MODEL and, if it needs one, PALIMPSEST_API_KEY: any server of OpenAI's",
    "    protocol, such as vLLM or LM Studio; PALIMPSEST_WINDOW_TOKENS says what its model takes",
    "  ANTHROPIC_API_KEY, OPENAI_API_KEY (with OPENAI_BASE_URL if it is elsewhere), GEMINI_API_KEY, OLLAMA_HOST",
    "  PALIMPSEST_MODEL chooses one, such as anthropic:claude-sonnet-5",
    "Without any the offline model answers by quoting what was said. On anything but loopback tokens are needed.",
    "SIGTERM or Ctrl-C lets what is under way finish; a second one ends it at once.",
  ],
  options: {
    port: { type: "string", value: "<number>", help: `${PORT} without it; 0 takes any that is free.` },
    host: { type: "string", value: "<address>", help: `${HOST} without it: only this machine.` },
    store: {
      type: "string",
      value: "<address>",
      help: "Where sessions are kept: sqlite:<file>, jsonl:<folder>, postgres://…, or the storage of a document, windowed-sql:<file> or workspace:<repository>. PALIMPSEST_STORE without it, else the home folder.",
    },
    home: { type: "string", value: "<folder>", help: "PALIMPSEST_HOME without it, else the data folder of the user." },
    config: { type: "string", value: "<file>", help: "Policy and models; palimpsest.config.json in the home folder." },
    workspace: { type: "string", value: "<folder>", help: "A repository that stands beside every conversation." },
    tokens: { type: "string", value: "<file>", help: "Who may ask, as palimpsest token writes it." },
    hosts: { type: "string", value: "<names>", help: "Names that the server may be called by, with commas." },
    origins: { type: "string", value: "<origins>", help: "Pages elsewhere that may use it, with commas." },
    jobs: {
      type: "string",
      value: "<who>",
      help: "in-process, or pg-boss: palimpsest worker compacts behind sessions.",
    },
    log: {
      type: "string",
      value: "<level>",
      help: `Lines of JSON on stderr: ${LOG_LEVEL} without it; info, silent, …`,
    },
    json: { type: "boolean", help: "One line of JSON when it is ready, for programs." },
  },
  words: [0, 0],
  examples: [
    "palimpsest serve",
    "palimpsest serve --port 8080 --workspace .",
    "palimpsest serve --store windowed-sql:./chats.db",
    "palimpsest serve --store workspace:. --workspace .",
    "palimpsest serve --store postgres://palimpsest@db/chats --jobs pg-boss --host 0.0.0.0 --tokens tokens.json",
  ],
  async run(invocation) {
    holdHeap();
    const ending = invocation.terminal.endings();
    const setup = await readServeSetup(invocation);
    for (const complaint of setup.found.complaints) invocation.terminal.note(complaint);
    const level = readLevel(invocation);
    const { startServer } = await import("../../server/start.ts");
    const { createRequestLog } = await import("../../server/http/request-log.ts");
    const log = createRequestLog({ level });
    for (const text of setup.unknownVariables) log.warn?.(text);
    const server = await startServer({ ...setup.options, log });
    await announce(invocation, setup, server);
    if (!ending.aborted) await new Promise((resolve) => ending.addEventListener("abort", resolve, { once: true }));
    invocation.terminal.note("Ending: what is under way may finish. Once more ends it at once.");
    await server.close();
  },
};

async function announce(invocation: Invocation, setup: ServeSetup, { url, port }: RunningServer): Promise<void> {
  const { terminal, flag, say } = invocation;
  const store = describeStore(setup.options.store);
  const models = setup.options.models.map(({ id }) => id);
  if (flag("json")) {
    const ready = { event: "ready", url, port, pid: process.pid, store, home: setup.home, models };
    return terminal.print(JSON.stringify(ready));
  }
  const isOffline = setup.found.models.length === 0;
  await say(`Palimpsest is at ${url}`);
  const unbuilt = " (a plain page: the other one was not built; npm ci, without --omit=dev, builds it)";
  await say(`  open     ${url}/ in a browser${setup.hasPage ? "" : unbuilt}`);
  await say(`  or       ${ownCommand()} chat, in another terminal`);
  await say(`  API      ${url}/api`);
  await say(`  kept in  ${store}`);
  const about = `: it quotes what was said. ${ownCommand()} serve --help says how to set another`;
  await say(`  model    ${models[0]}${isOffline ? about : ""}`);
  await say("  end      Ctrl-C");
}

const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error", "silent"];

function readLevel({ text }: Invocation): LogLevel {
  const given = text("log") ?? LOG_LEVEL;
  const found = LEVELS.find((level) => level === given);
  if (found !== undefined) return found;
  const message = `--log: expected one of ${LEVELS.join(", ")}, found ${given}.`;
  throw new PalimpsestError("config-invalid", message, { details: { key: "log" } });
}
