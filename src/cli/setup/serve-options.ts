/** The options of a server, all checked before anything is opened. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { COUNT } from "../../core/check-options.ts";
import type { OpenOptions } from "../../index.ts";
import type { FoundModel } from "../../models/find-models.ts";
import { createOfflineChat } from "../../models/offline-chat.ts";
import type { GatewayOptions } from "../../server/gateway/gateway-options.ts";
import type { ChatModel } from "../../server/prompts/chat-model.ts";
import type { ServerOptions } from "../../server/server-options.ts";
import { describeStoreAddress } from "../../stores/open-store.ts";
import type { CommandOption, Invocation } from "../terminal/command.ts";
import { invalidCliOption, readChoice, readCount } from "../terminal/read-option.ts";
import { type EngineSetup, readEngineSetup } from "./engine-setup.ts";
import { prepareStore } from "./store-options.ts";

export const PORT = 7420;
export const HOST = "127.0.0.1";
/** Options of everything that concerns the gateway. */
export const GATEWAY_OPTIONS: Readonly<Record<string, CommandOption>> = {
  openai: { value: "<url>", help: "Where requests to OpenAI's API at /v1 go. Default: https://api.openai.com." },
  anthropic: {
    value: "<url>",
    help: "Where requests to Anthropic's API at /v1 go. Default: https://api.anthropic.com.",
  },
  "client-compaction": {
    value: "own|pass",
    help: "Who answers when a client of /v1 compacts its conversation: this server (own, default), or the API.",
  },
  "gateway-window": { value: "<tokens>", help: "A window for requests to /v1 that is smaller than the model's." },
};
const LIMIT_VARIABLES = {
  sessionEntries: "PALIMPSEST_SESSION_ENTRIES",
  importMessages: "PALIMPSEST_IMPORT_MESSAGES",
};
const PAGE_FOLDER = fileURLToPath(new URL("../../../web/dist", import.meta.url));

export interface ServeSetup extends EngineSetup {
  readonly hasPage: boolean;
  readonly options: Omit<ServerOptions, "log" | "version" | "models" | "store"> & {
    readonly store: string;
    readonly models: readonly ChatModel[];
  };
}

export async function readServeSetup(invocation: Invocation, model?: string): Promise<ServeSetup> {
  const { text, terminal } = invocation;
  const setup = await readEngineSetup(invocation, model);
  const store = await prepareStore(invocation);
  return {
    ...setup,
    hasPage: existsSync(join(PAGE_FOLDER, "index.html")),
    options: {
      store,
      host: text("host") ?? HOST,
      port: readPort(text("port") ?? terminal.environment.PALIMPSEST_PORT),
      hosts: splitNames(text("hosts")),
      proxies: splitNames(text("proxies")),
      origins: splitNames(text("origins")),
      tokensFile: text("tokens") ?? terminal.environment.PALIMPSEST_TOKENS,
      models: createChatModels(setup.found.models),
      page: PAGE_FOLDER,
      gateway: readGateway(invocation),
      engine: {
        ...setup.engine,
        limits: readLimits(invocation),
        jobs: readJobs(text("jobs"), store),
        workspace: readWorkspace(text("workspace")),
      },
    },
  };
}

/** Lists the models of a chat. The offline one comes last, so it is the default only if no other was found. */
export function createChatModels(found: readonly FoundModel[]): readonly ChatModel[] {
  const connected = found.map(({ id, model }) => ({ id, isOffline: false, forSession: () => model }));
  return [...connected, createOfflineChat()];
}

export function readPort(given: string | undefined): number {
  if (given === undefined || given.trim() === "") return PORT;
  const port = Number(given);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw invalidCliOption("port", `expected a number from 0 (any free port) to 65535, found ${given}.`);
}

/** Vendors whose APIs the gateway answers, with the variable of the operator's key. */
export const VENDORS = [
  { vendor: "openai", url: "https://api.openai.com", variable: "PALIMPSEST_GATEWAY_OPENAI_KEY" },
  { vendor: "anthropic", url: "https://api.anthropic.com", variable: "PALIMPSEST_GATEWAY_ANTHROPIC_KEY" },
] as const;

export function readGateway(invocation: Invocation): GatewayOptions {
  const { text, terminal } = invocation;
  const upstreams = VENDORS.flatMap(({ vendor, url, variable }) => {
    const given = text(vendor);
    if (given !== undefined && !URL.canParse(given)) {
      throw invalidCliOption(vendor, `expected an address such as ${url}, found ${given}.`);
    }
    const apiKey = terminal.environment[variable]?.trim() || undefined;
    return given === undefined && apiKey === undefined ? [] : [{ vendor, url: given ?? url, apiKey }];
  });
  const windowTokens = readCount(invocation, "gateway-window", { otherwise: 0 });
  const clientCompaction = readChoice(invocation, "client-compaction", ["own", "pass"]);
  return { upstreams, windowTokens: windowTokens === 0 ? undefined : windowTokens, clientCompaction };
}

/** Reads each limit from its option, else from its environment variable. */
function readLimits({ text, terminal }: Invocation): OpenOptions["limits"] {
  const limits = Object.entries(LIMIT_VARIABLES).map(([name, variable]) => {
    const key = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const given = text(key) ?? (terminal.environment[variable]?.trim() || undefined);
    if (given === undefined || COUNT.holds(Number(given))) return [name, given === undefined ? given : Number(given)];
    throw invalidCliOption(key, `expected ${COUNT.allowed}, found ${given}.`);
  });
  return Object.fromEntries(limits.filter(([, value]) => value !== undefined));
}

function readJobs(given: string | undefined, store: string): "in-process" | "pg-boss" {
  if (given === undefined || given === "in-process") return "in-process";
  if (given === describeStoreAddress(store).jobs) return given;
  throw invalidCliOption("jobs", "expected in-process, or pg-boss with a store postgres://…");
}

function readWorkspace(root: string | undefined): { readonly root: string } | undefined {
  if (root === undefined) return undefined;
  if (existsSync(root)) return { root };
  throw invalidCliOption("workspace", `there is no folder ${root}.`);
}

function splitNames(names: string | undefined): readonly string[] {
  return (names ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}
